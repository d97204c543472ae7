//! The SVG canvas of all pictures: SVG elements, number formatting, and the common style.
//!
//! Elements are created by name rather than by the types of the `svg` crate, because these types add line breaks to
//! texts and make files longer. The crate writes attributes sorted by name, so the output is deterministic.

use multicomputer::Span;
use svg::node::{Text, element::Element};

/// The font size of most texts in pixels.
pub(super) const FONT: f64 = 11.0;

/// The common style of all pictures: colours of texts and lines for light and dark displays.
const LIGHT: &str = ".mc text{font:11px sans-serif;fill:#222}.mc .title{font-size:16px;font-weight:bold}\
                     .mc .small{font-size:10px;fill:#555}.mc .end{text-anchor:end}.mc .mid{text-anchor:middle}\
                     .mc .bg{fill:#fff}.mc .grid{stroke:#8883;fill:none}.mc .axis{stroke:#666;fill:none}";
const DARK: &str = ".mc text{fill:#ddd}.mc .small{fill:#aaa}.mc .bg{fill:#16181b}.mc .axis{stroke:#aaa}";

/// The colours of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Theme {
    /// Those of the reader's light or dark display.
    #[default]
    Auto,
    /// Dark on white everywhere, for printing.
    Print,
}

/// A picture to which elements are added, one after the other.
#[derive(Debug)]
pub(super) struct Canvas {
    width: f64,
    light: String,
    dark: String,
    theme: Theme,
    elements: Vec<Element>,
}

impl Canvas {
    /// Creates an empty canvas of `width` pixels. `light` and `dark` are CSS rules of this kind of picture: for a light
    /// display, and overrides for a dark one.
    pub(super) fn new(width: f64, light: &str, dark: &str) -> Canvas {
        Canvas {
            width,
            light: format!("{LIGHT}{light}"),
            dark: format!("{DARK}{dark}"),
            theme: Theme::Auto,
            elements: Vec::new(),
        }
    }

    /// The same canvas in these colours.
    pub(super) fn with_theme(self, theme: Theme) -> Canvas {
        Canvas { theme, ..self }
    }

    pub(super) fn width(&self) -> f64 {
        self.width
    }

    pub(super) fn add(&mut self, element: Element) {
        self.elements.push(element);
    }

    /// Adds a line of text with its baseline at `y`.
    pub(super) fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let element = element("text").with("x", number(x)).with("y", number(y));
        let element = if class.is_empty() { element } else { element.with("class", class) };
        self.add(element.with_text(text));
    }

    /// Adds sentences, each on a new line and wrapped to the width of the canvas; returns the position of the next
    /// line.
    pub(super) fn paragraphs(&mut self, mut y: f64, sentences: &[String]) -> f64 {
        // The mean width of small letters is about half their height.
        let most = ((self.width - 24.0) / 5.2) as usize;
        for sentence in sentences {
            let mut line = String::new();
            for word in sentence.split(' ') {
                if !line.is_empty() && line.chars().count() + word.chars().count() >= most {
                    self.text(12.0, y, "small", &line);
                    (line, y) = (String::new(), y + 14.0);
                }
                line += if line.is_empty() { "" } else { " " };
                line += word;
            }
            self.text(12.0, y, "small", &line);
            y += 14.0;
        }
        y
    }

    /// Returns the picture with a height in pixels and an accessible title.
    pub(super) fn finish(self, height: f64, title: &str) -> String {
        let Canvas { width, light, dark, theme, elements } = self;
        let style = match theme {
            Theme::Auto => format!("{light}@media (prefers-color-scheme:dark){{{dark}}}"),
            Theme::Print => light,
        };
        let background = rectangle(0.0, 0.0, width, height).with("class", "bg");
        let (width, height) = (number(width), number(height));
        let root = element("svg")
            .with("xmlns", "http://www.w3.org/2000/svg")
            .with("class", "mc")
            .with("role", "img")
            .with("viewBox", format!("0 0 {width} {height}"))
            .with("width", width)
            .with("height", height)
            .with_child(element("title").with_text(title))
            .with_child(element("style").with_text(&style))
            .with_child(background);
        let mut svg = elements.into_iter().fold(root, ElementBuilder::with_child).to_string();
        svg.push('\n');
        svg
    }
}

/// Creates an element by name.
pub(super) fn element(name: &str) -> Element {
    Element::new(name)
}

/// Creates a rectangle.
pub(super) fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Element {
    let element = element("rect").with("x", number(x)).with("y", number(y));
    element.with("width", number(width)).with("height", number(height))
}

/// Creates a path with a CSS class.
pub(super) fn path(class: &str, data: &str) -> Element {
    element("path").with("class", class).with("d", data)
}

/// Returns path data for a polyline in compact form: relative coordinates in whole tenths of a pixel.
pub(super) fn polyline(points: &[(f64, f64)]) -> String {
    let tenths = |(x, y): (f64, f64)| ((x * 10.0).round() as i64, (y * 10.0).round() as i64);
    let shown = |tenths: i64| number(tenths as f64 / 10.0);
    let mut data = String::new();
    let mut before = None;
    for (x, y) in points.iter().copied().map(tenths) {
        let step = match before.map(|(from_x, from_y)| (x - from_x, y - from_y)) {
            None => format!("M{} {}", shown(x), shown(y)),
            Some((across, 0)) => format!("h{}", shown(across)),
            Some((0, down)) => format!("v{}", shown(down)),
            Some((across, down)) => format!("l{} {}", shown(across), shown(down)),
        };
        data.push_str(&step);
        before = Some((x, y));
    }
    data
}

/// Chained construction of elements.
pub(super) trait ElementBuilder: Sized {
    /// Adds an attribute.
    fn with(self, name: &str, value: impl Into<String>) -> Self;

    /// Adds a child element.
    fn with_child(self, inner: Element) -> Self;

    /// Adds a text.
    fn with_text(self, text: &str) -> Self;

    /// Adds a tooltip.
    fn with_tooltip(self, text: &str) -> Self {
        self.with_child(element("title").with_text(text))
    }
}

impl ElementBuilder for Element {
    fn with(mut self, name: &str, value: impl Into<String>) -> Element {
        svg::Node::assign(&mut self, name, value.into());
        self
    }

    fn with_child(mut self, inner: Element) -> Element {
        svg::Node::append(&mut self, inner);
        self
    }

    fn with_text(mut self, text: &str) -> Element {
        // XML forbids other control characters, and a phase may have any name.
        let text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        svg::Node::append(&mut self, Text::new(text));
        self
    }
}

/// Formats a number of pixels with one decimal.
pub(super) fn number(pixels: f64) -> String {
    decimal(pixels, 1)
}

/// Formats a number with at most `digits` decimals.
pub(super) fn decimal(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Estimates the width of a text in pixels.
pub(super) fn width(text: &str) -> f64 {
    text.chars().count() as f64 * 0.56 * FONT
}

/// Units of time in descending order.
const UNITS: [(&str, u64); 5] =
    [("s", 1_000_000_000_000), ("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1_000), ("ps", 1)];

/// Returns the longest unit in which a time is at least one, and its length in picoseconds.
pub(super) fn unit_of(time: Span) -> (&'static str, u64) {
    UNITS.into_iter().find(|(_, picos)| time.as_picos() >= *picos).unwrap_or(("ps", 1))
}

/// Formats a time with four significant digits: `6.542 ms`.
pub(super) fn rounded(time: Span) -> String {
    let (name, picos) = unit_of(time);
    let value = time.as_picos() as f64 / picos as f64;
    let digits = if value >= 100.0 {
        1
    } else if value >= 10.0 {
        2
    } else {
        3
    };
    format!("{} {name}", decimal(value, digits))
}

/// Formats a count with its noun: `1 node`, `8 nodes`.
pub(super) fn counted(number: impl Into<u64>, what: &str) -> String {
    match number.into() {
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    }
}
