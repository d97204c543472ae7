//! Draws a chart: frame, ticks, lines, bars, points, crossovers, legend.

use super::{
    super::canvas::{Canvas, ElementBuilder, element, number, path, polyline, width},
    Axis, Chart, Line, Origin, Scale,
    axis::{Range, Tick, format_short},
    legend::{self, LineStyle, line_styles},
};

/// The width and the minimum height of the plot area of a single chart in pixels.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;

/// The width and the height of the plot area of each of several panels in pixels, and the space for its title.
const PANEL_WIDTH: f64 = 300.0;
const PANEL_HEIGHT: f64 = 210.0;
const PANEL_TITLE: f64 = 22.0;

/// The maximum number of panels beside each other.
const MAX_COLUMNS: usize = 3;

/// Lines with more points than this have small markers.
const MAX_POINTS_WITH_LARGE_MARKERS: usize = 40;

/// The space for a rotated label in pixels.
const ROTATED_LABEL: f64 = 12.0;

/// The fraction of the distance between names that the bars of a name occupy.
const BAR_FRACTION: f64 = 0.8;

/// The plot area with its axes.
struct Area<'a> {
    /// The left edge of the panel, to the left of the labels.
    edge: f64,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: Range<'a>,
    y: Range<'a>,
}

impl Area<'_> {
    fn place(&self, [x, y]: [f64; 2]) -> (f64, f64) {
        (self.left + self.width * self.x.place(x), self.top + self.height * (1.0 - self.y.place(y)))
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Draws one chart, or several as panels with common axes and one legend. All points are valid on the axes.
pub(super) fn draw(title: &str, charts: &[Chart]) -> String {
    let Some(all) = &union(title, charts) else { return String::new() };
    let lines = || all.lines.iter();
    let abscissas = lines().flat_map(|line| line.points.iter().map(|point| point[0]));
    let ordinates = lines()
        .flat_map(|line| line.points.iter().map(|point| point[1]).chain(line.band.iter().flatten().copied()));
    let has_names = matches!(all.x.scale, Scale::Names(_));
    let has_bars = has_names && all.y.scale != Scale::Logarithmic;
    let x = Range::of(&all.x, abscissas, false);
    let y = Range::of(&all.y, ordinates, true);
    let columns = match charts.len() {
        4 => 2,
        panels => panels.min(MAX_COLUMNS),
    };
    let (panel_width, panel_height) = match charts {
        [_] => (WIDTH, HEIGHT.max(legend::height(all))),
        _ => (PANEL_WIDTH, PANEL_HEIGHT),
    };
    let (mut x_ticks, y_ticks) = (x.ticks(), y.ticks());
    let widest = |ticks: &[Tick]| ticks.iter().map(|tick| width(&tick.label)).fold(0.0, f64::max);
    let is_slanted = (widest(&x_ticks) + 8.0) * x_ticks.len() as f64 > panel_width;
    if is_slanted {
        // Each rotated label needs one line height; if there are too many, only every n-th label is shown.
        let every = (x_ticks.len() as f64 * ROTATED_LABEL / panel_width).ceil().max(1.0) as usize;
        x_ticks = x_ticks.into_iter().step_by(every).collect();
    }
    let below = if is_slanted { widest(&x_ticks) * 0.75 + 16.0 } else { 20.0 };
    // The first rotated label begins to the left of the plot area.
    let beside = x_ticks.first().filter(|_| is_slanted).map_or(0.0, |tick| width(&tick.label) * 0.75);
    let left = (widest(&y_ticks) + 40.0).max(beside);
    let panel_title = if charts.len() > 1 { PANEL_TITLE } else { 0.0 };
    let [column, row] = [left + panel_width + 20.0, panel_title + panel_height + below + 26.0];
    let right = columns as f64 * column;
    let sheet = (right + legend::breadth(all) + 12.0).max(width(title) * 1.6 + 24.0);
    let mut canvas = Canvas::new(sheet.ceil(), &legend::rules(), legend::DARK);
    canvas.text(12.0, 26.0, "title", title);

    let line_styles = line_styles(all);
    let look = |line: &Line| line_styles.get(line.name.as_str()).copied().unwrap_or(LineStyle(0));
    for (nth, chart) in charts.iter().enumerate() {
        let [edge, top] = [(nth % columns) as f64 * column, 46.0 + (nth / columns) as f64 * row];
        let area = Area {
            edge,
            left: edge + left,
            top: top + panel_title,
            width: panel_width,
            height: panel_height,
            x: x.clone(),
            y: y.clone(),
        };
        if charts.len() > 1 {
            canvas.text(area.left + panel_width / 2.0, top + 14.0, "mid", &chart.title);
        }
        draw_axes(&mut canvas, chart, &area, (&x_ticks, &y_ticks), is_slanted, below);
        // From back to front: bounds, bars, lines, formulas, published points.
        if !has_names {
            draw_bounds(&mut canvas, chart, &area);
        }
        if has_bars {
            draw_bars(&mut canvas, chart, &area, look);
        } else {
            for origin in [Origin::Modeled, Origin::Formula, Origin::Published] {
                for line in chart.lines.iter().filter(|line| line.origin == origin) {
                    draw_line(&mut canvas, chart, &area, line, look(line));
                }
            }
        }
        if has_names {
            draw_bounds(&mut canvas, chart, &area);
        }
        draw_marks(&mut canvas, chart, &area);
    }
    let top = 46.0 + panel_title;
    legend::draw(&mut canvas, all, has_bars, right, top);
    let bottom = 46.0 + charts.len().div_ceil(columns) as f64 * row;
    canvas.finish(bottom.max(top + legend::height(all)).ceil(), title)
}

/// A chart with the lines of all charts, for the common axes and the legend; `None` without a chart.
fn union(title: &str, charts: &[Chart]) -> Option<Chart> {
    let first = charts.first()?;
    let lines = charts.iter().flat_map(|chart| chart.lines.iter().cloned()).collect();
    Some(Chart { title: title.to_owned(), x: first.x.clone(), y: first.y.clone(), lines, marks: Vec::new() })
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
        grid += &format!("M{} {}h{}", number(left), number(y), number(area.width));
        canvas.text(left - 6.0, y + 4.0, "end", &tick.label);
    }
    let has_names = matches!(chart.x.scale, Scale::Names(_));
    for tick in x_ticks {
        let x = left + area.width * tick.place;
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
    let frame = frame.with("width", number(area.width)).with("height", number(area.height));
    canvas.add(frame.with("class", "frame"));
    canvas.text(left + area.width / 2.0, bottom + below + 14.0, "mid", &chart.x.title());
    let middle = area.top + area.height / 2.0;
    let edge = number(area.edge + 16.0);
    let turn = format!("rotate(-90 {edge} {})", number(middle));
    let text = element("text").with("x", edge).with("y", number(middle)).with("class", "mid");
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
    let nth = line.points.iter().position(|other| *other == point);
    let interval = nth.and_then(|nth| line.band.get(nth)).map_or_else(String::new, |[low, high]| {
        format!(" ({} to {})", figure(&chart.y, *low), figure(&chart.y, *high))
    });
    format!("{} ({}): {x}, {y}{interval}", line.name, line.origin.name())
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
    let half = area.width * area.x.unit() * BAR_FRACTION / 2.0;
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
    let is_way = line.origin != Origin::Published && !matches!(chart.x.scale, Scale::Names(_));
    if is_way {
        canvas.add(look.line(line.origin, &line_path(area, line)).with_tooltip(&line.name));
    }
    let size = if line.points.len() > MAX_POINTS_WITH_LARGE_MARKERS {
        legend::SMALL_MARKER_SIZE
    } else {
        legend::MARKER_SIZE
    };
    draw_band(canvas, area, line, look, is_way);
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

/// Draws the intervals of the points: an area along a line, a vertical stroke at a point or a bar.
fn draw_band(canvas: &mut Canvas, area: &Area<'_>, line: &Line, look: LineStyle, is_area: bool) {
    let ends = |end: usize| {
        let ends = line.points.iter().zip(&line.band);
        ends.map(move |(point, band)| area.place([point[0], band[end]])).collect::<Vec<_>>()
    };
    let [low, high] = [ends(0), ends(1)];
    if is_area && !line.band.is_empty() {
        let around: Vec<(f64, f64)> = low.into_iter().chain(high.into_iter().rev()).collect();
        canvas.add(look.band(&polyline(&around)));
    } else {
        low.iter().zip(&high).for_each(|(low, high)| canvas.add(look.whisker(&polyline(&[*low, *high]))));
    }
}

/// Draws modeled values as groups of bars, one group per name of the axis. Formulas and published values are markers
/// over the bar of the same line name.
fn draw_bars(canvas: &mut Canvas, chart: &Chart, area: &Area<'_>, look: impl Fn(&Line) -> LineStyle) {
    let modeled = || chart.lines.iter().filter(|line| line.origin == Origin::Modeled);
    let room = area.width * area.x.unit() * BAR_FRACTION;
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
        for (point, band) in line.points.iter().zip(&line.band) {
            let middle = area.place(*point).0 - room / 2.0 + (nth as f64 + 0.46) * width;
            let [low, high] = band.map(|end| (middle, area.place([point[0], end]).1));
            canvas.add(look(line).whisker(&polyline(&[low, high])));
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
