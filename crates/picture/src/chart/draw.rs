//! Draws a chart: frame, ticks, lines, bars, points, crossovers, legend.

use super::{
    super::canvas::{Canvas, ElementBuilder, element, number, path, polyline, width},
    Axis, Chart, Line, Origin, Scale,
    axis::{Range, Tick, format_short},
    legend::{self, LineStyle, line_styles},
};

/// The width and the minimum height of the plot area in pixels.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;

/// Lines with more points than this have small markers.
const MAX_POINTS_WITH_LARGE_MARKERS: usize = 40;

/// The space for a rotated label in pixels.
const ROTATED_LABEL: f64 = 12.0;

/// The fraction of the distance between names that the bars of a name occupy.
const BAR_FRACTION: f64 = 0.8;

/// The plot area with its axes.
struct Area<'a> {
    left: f64,
    top: f64,
    height: f64,
    x: Range<'a>,
    y: Range<'a>,
}

impl Area<'_> {
    fn place(&self, [x, y]: [f64; 2]) -> (f64, f64) {
        (self.left + WIDTH * self.x.place(x), self.top + self.height * (1.0 - self.y.place(y)))
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Draws a chart whose points are all valid on its axes.
pub(super) fn draw(chart: &Chart) -> String {
    let numbers = |axis: usize| {
        chart.lines.iter().flat_map(move |line| line.points.iter().map(move |point| point[axis]))
    };
    let has_names = matches!(chart.x.scale, Scale::Names(_));
    let has_bars = has_names && chart.y.scale != Scale::Logarithmic;
    let x = Range::of(&chart.x, numbers(0), false);
    let y = Range::of(&chart.y, numbers(1), true);
    let (mut x_ticks, y_ticks) = (x.ticks(), y.ticks());
    let widest = |ticks: &[Tick]| ticks.iter().map(|tick| width(&tick.label)).fold(0.0, f64::max);
    let is_slanted = (widest(&x_ticks) + 8.0) * x_ticks.len() as f64 > WIDTH;
    if is_slanted {
        // Each rotated label needs one line height; if there are too many, only every n-th label is shown.
        let every = (x_ticks.len() as f64 * ROTATED_LABEL / WIDTH).ceil().max(1.0) as usize;
        x_ticks = x_ticks.into_iter().step_by(every).collect();
    }
    let below = if is_slanted { widest(&x_ticks) * 0.75 + 16.0 } else { 20.0 };
    // The first rotated label begins to the left of the plot area.
    let beside = x_ticks.first().filter(|_| is_slanted).map_or(0.0, |tick| width(&tick.label) * 0.75);
    let left = (widest(&y_ticks) + 40.0).max(beside);
    let area = Area { left, top: 46.0, height: HEIGHT.max(legend::height(chart)), x, y };
    let right = area.left + WIDTH + 20.0;
    let title = width(&chart.title) * 1.6 + 24.0;
    let sheet = (right + legend::breadth(chart) + 12.0).max(title);
    let mut canvas = Canvas::new(sheet.ceil(), &legend::rules(), legend::DARK);
    canvas.text(12.0, 26.0, "title", &chart.title);
    draw_axes(&mut canvas, chart, &area, (&x_ticks, &y_ticks), is_slanted, below);

    let line_styles = line_styles(chart);
    let look = |line: &Line| line_styles.get(line.name.as_str()).copied().unwrap_or(LineStyle(0));
    // From back to front: bounds, bars, lines, formulas, published points.
    let of = |origin: Origin| chart.lines.iter().filter(move |line| line.origin == origin);
    if !has_names {
        draw_bounds(&mut canvas, chart, &area);
    }
    if has_bars {
        draw_bars(&mut canvas, chart, &area, look);
    } else {
        for origin in [Origin::Modeled, Origin::Formula, Origin::Published] {
            for line in of(origin) {
                draw_line(&mut canvas, chart, &area, line, look(line));
            }
        }
    }
    if has_names {
        draw_bounds(&mut canvas, chart, &area);
    }
    draw_marks(&mut canvas, chart, &area);
    legend::draw(&mut canvas, chart, has_bars, right, area.top);
    canvas.finish((area.bottom() + below + 26.0).ceil(), &chart.title)
}

fn draw_axes(
    canvas: &mut Canvas,
    chart: &Chart,
    area: &Area<'_>,
    (x_ticks, y_ticks): (&[Tick], &[Tick]),
    is_slanted: bool,
    below: f64,
) {
    let (left, bottom) = (area.left, area.bottom());
    let mut grid = String::new();
    for tick in y_ticks {
        let y = area.top + area.height * (1.0 - tick.place);
        grid += &format!("M{} {}h{}", number(left), number(y), number(WIDTH));
        canvas.text(left - 6.0, y + 4.0, "end", &tick.label);
    }
    let has_names = matches!(chart.x.scale, Scale::Names(_));
    for tick in x_ticks {
        let x = left + WIDTH * tick.place;
        if !has_names {
            grid += &format!("M{} {}v{}", number(x), number(area.top), number(area.height));
        }
        if is_slanted {
            let turn = format!("rotate(-45 {} {})", number(x), number(bottom + 14.0));
            let text = element("text").with("x", number(x)).with("y", number(bottom + 14.0));
            canvas.add(text.with("class", "end").with("transform", turn).with_text(&tick.label));
        } else {
            canvas.text(x, bottom + 15.0, "mid", &tick.label);
        }
    }
    canvas.add(path("grid", &grid));
    let frame = element("rect").with("x", number(left)).with("y", number(area.top));
    let frame = frame.with("width", number(WIDTH)).with("height", number(area.height));
    canvas.add(frame.with("class", "frame"));
    canvas.text(left + WIDTH / 2.0, bottom + below + 14.0, "mid", &chart.x.title());
    let middle = area.top + area.height / 2.0;
    let turn = format!("rotate(-90 16 {})", number(middle));
    let text = element("text").with("x", "16").with("y", number(middle)).with("class", "mid");
    canvas.add(text.with("transform", turn).with_text(&chart.y.title()));
}

/// Returns the path through the points of a line.
fn line_path(area: &Area<'_>, line: &Line) -> String {
    let points: Vec<(f64, f64)> = line.points.iter().map(|point| area.place(*point)).collect();
    polyline(&points)
}

/// Returns the tooltip of a point.
fn point_tooltip(chart: &Chart, line: &Line, point: [f64; 2]) -> String {
    let [x, y] = [figure(&chart.x, point[0]), figure(&chart.y, point[1])];
    format!("{} ({}): {x}, {y}", line.name, line.origin.name())
}

/// Formats a coordinate: a number with the unit of its axis, or a name.
fn figure(axis: &Axis, number: f64) -> String {
    match axis.scale {
        Scale::Names(_) => axis.label(number),
        _ => format!("{} {}", format_short(number), axis.unit).trim_end().to_owned(),
    }
}

/// Draws the bounds: lines, labelled at their ends if there are several; on an axis of names short strokes.
fn draw_bounds(canvas: &mut Canvas, chart: &Chart, area: &Area<'_>) {
    let bounds: Vec<&Line> = chart.lines.iter().filter(|line| line.origin == Origin::Bound).collect();
    let has_names = matches!(chart.x.scale, Scale::Names(_));
    let half = WIDTH * area.x.unit() * BAR_FRACTION / 2.0;
    for line in &bounds {
        if has_names {
            for point in &line.points {
                let (x, y) = area.place(*point);
                let stroke = LineStyle(0).line(Origin::Bound, &polyline(&[(x - half, y), (x + half, y)]));
                canvas.add(stroke.with_tooltip(&point_tooltip(chart, line, *point)));
            }
        } else {
            canvas.add(LineStyle(0).line(Origin::Bound, &line_path(area, line)).with_tooltip(&line.name));
            if let (Some(last), true) = (line.points.last(), bounds.len() > 1) {
                let (x, y) = area.place(*last);
                canvas.text(x - 4.0, y + 12.0, "small end", &line.name);
            }
        }
    }
}

fn draw_line(canvas: &mut Canvas, chart: &Chart, area: &Area<'_>, line: &Line, look: LineStyle) {
    // Points on an axis of names are not connected.
    let is_way = !matches!(chart.x.scale, Scale::Names(_));
    if is_way {
        canvas.add(look.line(line.origin, &line_path(area, line)).with_tooltip(&line.name));
    }
    let size = if line.points.len() > MAX_POINTS_WITH_LARGE_MARKERS {
        legend::SMALL_MARKER_SIZE
    } else {
        legend::MARKER_SIZE
    };
    for point in &line.points {
        let (x, y) = area.place(*point);
        let mark = match line.origin {
            Origin::Published => look.hollow(x, y),
            Origin::Modeled => look.point(size, x, y),
            Origin::Formula if !is_way => look.over(x, y),
            Origin::Formula | Origin::Bound => continue,
        };
        canvas.add(mark.with_tooltip(&point_tooltip(chart, line, *point)));
    }
}

/// Draws modeled values as groups of bars, one group per name of the axis. Formulas and published values are markers
/// over the bar of the same line name.
fn draw_bars(canvas: &mut Canvas, chart: &Chart, area: &Area<'_>, look: impl Fn(&Line) -> LineStyle) {
    let modeled = || chart.lines.iter().filter(|line| line.origin == Origin::Modeled);
    let room = WIDTH * area.x.unit() * BAR_FRACTION;
    let width = room / modeled().count().max(1) as f64;
    // Bars start at 0, or at the bottom of the plot if 0 is not in the range.
    let foot = if area.y.has_zero() { area.place([0.0, 0.0]).1 } else { area.bottom() };
    for (nth, line) in modeled().enumerate() {
        for point in &line.points {
            let (x, y) = area.place(*point);
            let left = x - room / 2.0 + nth as f64 * width;
            let bar = look(line).bar(left, y.min(foot), width * 0.92, (y - foot).abs());
            canvas.add(bar.with_tooltip(&point_tooltip(chart, line, *point)));
        }
    }
    let others =
        chart.lines.iter().filter(|line| [Origin::Formula, Origin::Published].contains(&line.origin));
    for line in others {
        let place = modeled().position(|other| other.name == line.name);
        let shift = place.map_or(0.0, |nth| (nth as f64 + 0.46) * width - room / 2.0);
        for point in &line.points {
            let (x, y) = area.place(*point);
            canvas.add(look(line).over(x + shift, y).with_tooltip(&point_tooltip(chart, line, *point)));
        }
    }
}

fn draw_marks(canvas: &mut Canvas, chart: &Chart, area: &Area<'_>) {
    // For each text line of labels, counted from the bottom of the plot: the right end of its last label.
    let mut ends: Vec<f64> = Vec::new();
    for crossover in &chart.marks {
        let (x, y) = area.place(crossover.at);
        let data = format!("M{} {}V{}", number(x), number(y), number(area.bottom()));
        let (from, to) = (&crossover.from, &crossover.to);
        let told = format!("from {} on {to} is lower than {from}", figure(&chart.x, crossover.at[0]));
        canvas.add(path("cross", &data).with_tooltip(&told));
        let circle = element("circle").with("cx", number(x)).with("cy", number(y)).with("r", "6");
        canvas.add(circle.with("class", "frame").with_tooltip(&told));
        let label = area.x.label(crossover.at[0].round());
        let line = ends.iter().position(|end| *end < x).unwrap_or(ends.len());
        let end = x + 6.0 + width(&label);
        match ends.get_mut(line) {
            Some(last) => *last = end,
            None => ends.push(end),
        }
        canvas.text(x + 3.0, area.bottom() - 5.0 - 11.0 * line as f64, "small", &label);
    }
}
