//! The styles of lines, and the legend.

use std::collections::{BTreeMap, BTreeSet};

use svg::node::element::Element;

use super::{
    super::canvas::{Canvas, ElementBuilder, element, number, rectangle, width},
    Chart, Line, Origin,
};

/// Colours distinguishable with colour vision deficiency (Okabe and Ito), without yellow, which is too light for lines.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a5acd"];

/// Number of marker shapes, coprime to the number of colours: two lines of one colour have different markers.
const KINDS: usize = 5;

/// The height of a legend entry in pixels.
const ENTRY_HEIGHT: f64 = 16.0;

/// Sizes of markers in pixels; lines with many points have small ones.
pub(super) const MARKER_SIZE: f64 = 3.0;
pub(super) const SMALL_MARKER_SIZE: f64 = 1.6;

/// The width of a line sample in pixels.
const SAMPLE_WIDTH: f64 = 30.0;

/// The style of a line. Lines with the same name have the same style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineStyle(pub(super) usize);

/// Returns the styles of the lines of a chart, by name.
pub(super) fn line_styles(chart: &Chart) -> BTreeMap<&str, LineStyle> {
    let mut line_styles = BTreeMap::new();
    // Bounds are grey and do not use a colour.
    for line in chart.lines.iter().filter(|line| line.origin != Origin::Bound) {
        let next = LineStyle(line_styles.len());
        line_styles.entry(line.name.as_str()).or_insert(next);
    }
    line_styles
}

/// CSS rules that differ on a dark display.
pub(super) const DARK: &str = ".mc .bound{stroke:#7778}.mc .over{stroke:#fff;fill:#0009}";

/// Returns the CSS rules of all styles.
pub(super) fn rules() -> String {
    let colours = COLOURS.iter().enumerate().map(|(nth, colour)| {
        format!(".mc .s{nth}{{stroke:{colour};fill:none}}.mc .f{nth}{{fill:{colour};stroke:{colour}}}")
    });
    let rest = ".mc .w{stroke-width:1.8}.mc .t{stroke-width:1;stroke-dasharray:2 3}\
                .mc .over{stroke:#111;stroke-width:2;fill:#fff9}\
                .mc .bound{stroke:#9998;stroke-width:5;fill:none}.mc .pub{stroke-width:2.2}\
                .mc .band{fill-opacity:.18;stroke:none}.mc .whisker{stroke:#888;stroke-width:1.5;fill:none}\
                .mc .cross{stroke:#888;stroke-dasharray:1 3;fill:none}.mc .frame{stroke:#888;fill:none}";
    colours.chain([rest.to_owned()]).collect()
}

impl LineStyle {
    fn colour(self) -> usize {
        self.0 % COLOURS.len()
    }

    /// Draws a line through points.
    pub(super) fn line(self, origin: Origin, data: &str) -> Element {
        let class = match origin {
            Origin::Bound => "bound".to_owned(),
            Origin::Formula => format!("s{} t", self.colour()),
            Origin::Modeled | Origin::Published => format!("s{} w", self.colour()),
        };
        let line = element("path").with("class", class).with("d", data);
        // The second cycle of colours is dashed; later cycles have short dashes.
        match (origin, self.0 / COLOURS.len()) {
            (Origin::Modeled, 1) => line.with("stroke-dasharray", "7 3"),
            (Origin::Modeled, round) if round > 1 => line.with("stroke-dasharray", "2 2"),
            _ => line,
        }
    }

    /// Draws the area of the intervals along a line.
    pub(super) fn band(self, data: &str) -> Element {
        element("path").with("class", format!("f{} band", self.colour())).with("d", format!("{data}Z"))
    }

    /// Draws the interval of a single point.
    pub(super) fn whisker(self, data: &str) -> Element {
        element("path").with("class", "whisker").with("d", data)
    }

    /// Draws a small filled marker.
    pub(super) fn point(self, r: f64, x: f64, y: f64) -> Element {
        self.mark(&format!("f{}", self.colour()), r, x, y)
    }

    /// Draws a large hollow marker for published points.
    pub(super) fn hollow(self, x: f64, y: f64) -> Element {
        self.mark(&format!("s{} pub", self.colour()), 5.5, x, y)
    }

    /// Draws the marker of a point over a bar, visible on the bar's colour.
    pub(super) fn over(self, x: f64, y: f64) -> Element {
        self.mark("over", 5.0, x, y)
    }

    fn mark(self, class: &str, r: f64, x: f64, y: f64) -> Element {
        let at = |dx: f64, dy: f64| format!("{} {}", number(x + dx), number(y + dy));
        let shape = match self.0 % KINDS {
            0 => {
                let circle = element("circle").with("cx", number(x)).with("cy", number(y));
                return circle.with("r", number(r)).with("class", class);
            }
            1 => format!("M{}H{}V{}H{}Z", at(-r, -r), number(x + r), number(y + r), number(x - r)),
            2 => format!("M{}L{}L{}Z", at(0.0, -1.3 * r), at(1.2 * r, r), at(-1.2 * r, r)),
            3 => {
                let r = 1.3 * r;
                format!("M{}L{}L{}L{}Z", at(0.0, -r), at(r, 0.0), at(0.0, r), at(-r, 0.0))
            }
            _ => format!("M{}L{}L{}Z", at(0.0, 1.3 * r), at(1.2 * r, -r), at(-1.2 * r, -r)),
        };
        element("path").with("class", class).with("d", shape)
    }

    /// Draws a bar.
    pub(super) fn bar(self, x: f64, y: f64, width: f64, height: f64) -> Element {
        let bar = rectangle(x, y, width, height).with("class", format!("f{}", self.colour()));
        match self.0 / COLOURS.len() {
            0 => bar,
            1 => bar.with("fill-opacity", "0.5"),
            2 => bar.with("fill-opacity", "0.1").with("stroke-width", "1.5"),
            _ => bar.with("fill-opacity", "0.1").with("stroke-dasharray", "3 2"),
        }
    }
}

/// Returns the text of a legend entry.
fn entry(name: &str, origin: Origin) -> String {
    match origin {
        Origin::Modeled => name.to_owned(),
        Origin::Bound => format!("{name} (lower bound)"),
        Origin::Formula | Origin::Published => format!("{name}, {}", origin.name()),
    }
}

/// Returns the lines with a legend entry: the first of each name and origin.
fn entries(chart: &Chart) -> impl Iterator<Item = &Line> {
    let mut known = BTreeSet::new();
    chart.lines.iter().filter(move |line| known.insert((&line.name, line.origin)))
}

/// Returns the height of the legend in pixels.
pub(super) fn height(chart: &Chart) -> f64 {
    entries(chart).count() as f64 * ENTRY_HEIGHT
}

/// Returns the width of the legend in pixels.
pub(super) fn breadth(chart: &Chart) -> f64 {
    let texts = chart.lines.iter().map(|line| width(&entry(&line.name, line.origin)));
    SAMPLE_WIDTH + 12.0 + texts.fold(0.0, f64::max)
}

/// Draws the legend downwards from its top left corner.
pub(super) fn draw(canvas: &mut Canvas, chart: &Chart, has_bars: bool, x: f64, mut y: f64) {
    let line_styles = line_styles(chart);
    for line in entries(chart) {
        let look = line_styles.get(line.name.as_str()).copied().unwrap_or(LineStyle(0));
        let middle = y + ENTRY_HEIGHT / 2.0;
        let data = format!("M{} {}h{}", number(x), number(middle), number(SAMPLE_WIDTH));
        match line.origin {
            Origin::Modeled if has_bars => canvas.add(look.bar(x + 8.0, y + 3.0, 14.0, 10.0)),
            Origin::Published | Origin::Formula if has_bars => {
                canvas.add(look.over(x + SAMPLE_WIDTH / 2.0, middle))
            }
            Origin::Published => canvas.add(look.hollow(x + SAMPLE_WIDTH / 2.0, middle)),
            origin => canvas.add(look.line(origin, &data)),
        }
        if line.origin == Origin::Modeled && !has_bars {
            canvas.add(look.point(MARKER_SIZE, x + SAMPLE_WIDTH / 2.0, middle));
        }
        canvas.text(x + SAMPLE_WIDTH + 6.0, middle + 4.0, "", &entry(&line.name, line.origin));
        y += ENTRY_HEIGHT;
    }
}
