//! Draws a diagram as SVG.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use multicomputer::{Rank, Span, Time, units::format_bytes};

use super::{
    super::{
        canvas::{
            Canvas, ElementBuilder, counted, decimal, element, number, path, rectangle, rounded, width,
        },
        critical::Stretch,
        sample::{Candidate, Sample},
        traffic,
    },
    SpaceTime,
    bands::{self, Bands},
    bars::{Activity, Bar, bars},
    critical_path, is_shown,
    messages::{Class, Message, messages},
    plot::{MIN_BAR_LENGTH, Plot},
    rows::Rows,
    ticks::Ticks,
};

/// Maximum number of bars with separate tooltips.
const MAX_BARS_WITH_TOOLTIPS: usize = 1000;

/// Maximum number of messages with lines; more lines would be indistinguishable.
const MAX_LINES: usize = 1500;

/// Maximum number of messages with tooltips. If more are drawn, only the `MAX_DELAYED_WITH_TOOLTIPS` most delayed ones have tooltips.
const MAX_MESSAGES_WITH_TOOLTIPS: usize = 600;
const MAX_DELAYED_WITH_TOOLTIPS: usize = 300;

const LANE: f64 = 16.0;

const LIGHT: &str = ".mc .p-computing{fill:#009e73}.mc .p-overhead{fill:#e69f00}.mc .p-sending{fill:#0072b2}\
    .mc .p-receiving{fill:#8ccdf2}.mc .p-waiting{fill:#e4e4e4}.mc .ink{stroke:#0006;fill:none}\
    .mc .b-computing{fill:url(#mc-computing)}.mc .b-overhead{fill:url(#mc-overhead)}\
    .mc .b-sending{fill:url(#mc-sending)}.mc .b-receiving{fill:url(#mc-receiving)}.mc .b-waiting{fill:url(#mc-waiting)}\
    .mc .m{stroke:#000;stroke-width:.9;fill:none;opacity:.85}.mc .la{stroke:#d00;stroke-width:1.2;opacity:1}\
    .mc .key{stroke-width:1.4;opacity:1}.mc .sh{stroke-dasharray:5 2.5}.mc .pale{opacity:.4}.mc .head{fill:#000}.mc .la-head{fill:#d00}\
    .mc .base{stroke:#999;fill:none}.mc .band0{fill:#8884}.mc .band1{fill:#8887}.mc .tiny{font-size:8px}\
    .mc .mark{stroke:#000;stroke-width:1.6;fill:none}\
    .mc .crit{stroke:#000;stroke-width:2.2;fill:none}";

const DARK: &str = ".mc .p-waiting{fill:#3c4046}.mc .p-sending{fill:#3a8fd0}.mc .ink{stroke:#0009}.mc .m{stroke:#eee}\
    .mc .la{stroke:#ff6b5e}.mc .head{fill:#eee}.mc .la-head{fill:#ff6b5e}.mc .mark{stroke:#fff}\
    .mc .crit{stroke:#fff}";

/// Draws a diagram with these rows.
pub(super) fn draw(
    diagram: &SpaceTime<'_>,
    window: Option<(Time, Time)>,
    rows: &Rows,
    path: &[Stretch],
) -> String {
    let trace = diagram.trace;
    let Rows { ranks, .. } = rows;
    let places: BTreeMap<Rank, usize> = ranks.iter().enumerate().map(|(row, &rank)| (rank, row)).collect();
    let mut bands = bands::bands(trace);
    bands.bands.retain(|band| is_shown(window, band.start, band.end));
    let is_drawn = |bar: &Bar<'_>| places.contains_key(&bar.rank) && is_shown(window, bar.start, bar.end);
    let bars: Vec<Bar<'_>> = bars(trace).into_iter().filter(is_drawn).collect();
    let mut messages = messages(trace, diagram.machine);
    messages.retain(|message| is_shown(window, message.leaves, message.arrives));
    let candidate = |message: &Message| Candidate {
        delay: message.lost,
        is_between_rows: places.contains_key(&message.from) && places.contains_key(&message.to),
    };
    let candidates: Vec<Candidate> = messages.iter().map(candidate).collect();
    let sample = Sample::of(&candidates, MAX_LINES);
    let drawn = messages.iter().zip(&sample.is_drawn).filter(|(_, is_drawn)| **is_drawn);
    let shown: Vec<&Message> = drawn.map(|(message, _)| message).collect();

    let mut canvas = Canvas::new(f64::from(diagram.width), LIGHT, DARK).with_theme(diagram.theme);
    patterns(&mut canvas);
    canvas.text(12.0, 24.0, "title", &diagram.title);
    canvas.text(12.0, 42.0, "", &caption(diagram, messages.len()));
    let label = ranks.iter().map(|rank| width(&format!("node {rank}"))).fold(0.0, f64::max);
    let left = label + 20.0;
    let pitch = match ranks.len() {
        0..=8 => 36.0,
        9..=16 => 28.0,
        17..=32 => 20.0,
        33..=64 => 14.0,
        _ => 11.0,
    };
    let mut plot = Plot {
        left,
        width: canvas.width() - left - 24.0,
        top: 0.0,
        pitch,
        bar: pitch * 0.5,
        steps: if pitch >= 28.0 { 9.0 } else { 0.0 },
        first: window.map_or(Time::ZERO, |(from, _)| from),
        last: window.map_or(diagram.report.makespan, |(_, to)| to),
        is_cut: window.is_some(),
        rows: places,
    };
    let y = legend(&mut canvas, &plot, diagram, &bars, &shown, !path.is_empty());
    plot.top = y + bands.lanes as f64 * LANE + 24.0;
    draw_bands(&mut canvas, y, &plot, &bands);
    let unit = axis(&mut canvas, &plot);
    labels(&mut canvas, diagram, ranks, &plot);
    let (has_tooltips, too_short) = draw_bars(&mut canvas, &plot, &bars);
    let steps = draw_steps(&mut canvas, diagram, &plot);
    critical_path::draw(&mut canvas, &plot, path);
    draw_marks(&mut canvas, diagram, &plot);
    let tooltips = draw_messages(&mut canvas, &plot, &shown);

    let lines = match diagram.report.is_modeled {
        true => "from the instant at which a message starts to leave its sender to its arrival",
        false => "from the start of a send to the end of its receive",
    };
    let mut notes = vec![format!("Time in {unit}. Each line runs {lines}.")];
    if let Some((from, to)) = window {
        notes.push(format!("Only the time from {from} to {to} is shown; bars and lines are cut there."));
    }
    notes.extend(traffic::delayed(diagram.report));
    notes.extend(rows.describe(diagram.machine.nodes()));
    notes.extend(sample.note);
    if shown.iter().any(|message| !is_inside(message, &plot)) {
        notes.push("A pale line begins or ends between rows, at a rank without a row.".to_owned());
    }
    if path.iter().any(|stretch| !plot.has_row(stretch.from)) {
        notes.push("Between rows the critical path is at ranks without a row.".to_owned());
    }
    if !has_tooltips {
        notes.push("Tooltips of bars: total time of one kind on a row.".to_owned());
    }
    if (1..shown.len()).contains(&tooltips) {
        let what = counted(tooltips as u64, "message");
        notes.push(format!("Tooltips of lines: the {what} with the largest delay."));
    }
    if too_short > 0 {
        let are = if too_short == 1 { "is" } else { "are" };
        let bars = counted(too_short as u64, "bar");
        notes.push(format!("{bars} narrower than {MIN_BAR_LENGTH} px {are} not drawn."));
    }
    notes.extend(bands.says_left_out("above the rows"));
    if steps {
        notes.push("The numbers under the bars are steps of the schedule.".to_owned());
    }
    let foot = canvas.paragraphs(plot.bottom() + 38.0, &notes);
    let version = concat!("multicomputer ", env!("CARGO_PKG_VERSION"));
    canvas.text(canvas.width() - 12.0, foot, "small end", version);
    canvas.finish(foot + 12.0, &diagram.title)
}

/// Describes the machine, the time, and the messages.
fn caption(diagram: &SpaceTime<'_>, drawn: usize) -> String {
    let report = diagram.report;
    let clock = if report.is_modeled { "modeled" } else { "on the wall clock" };
    let (nodes, time) = (counted(diagram.machine.nodes() as u64, "node"), report.makespan.since_start());
    let messages = counted(drawn.max(report.messages as usize) as u64, "message");
    let mut about = format!("{}, {nodes}: {} {clock}; {messages}", report.machine, rounded(time));
    let _ = write!(about, " with {}", format_bytes(report.bytes));
    about
}

/// Adds the patterns of bars and the arrowheads of messages.
fn patterns(canvas: &mut Canvas) {
    let mut definitions = element("defs");
    for activity in Activity::ALL {
        let ink = match activity {
            Activity::Computing => "",
            Activity::Overhead => "M1.5 0v6M4.5 0v6",
            Activity::Sending => "M-1 1l2-2M0 6l6-6M5 7l2-2",
            Activity::Receiving => "M-1 5l2 2M0 0l6 6M5-1l2 2",
            Activity::Waiting => "M0 3h1.5M3 0h1.5M3 6h1.5",
        };
        let name = activity.name();
        let ground = rectangle(0.0, 0.0, 6.0, 6.0).with("class", format!("p-{name}"));
        let pattern =
            element("pattern").with("id", format!("mc-{name}")).with("width", "6").with("height", "6");
        let pattern = pattern.with("patternUnits", "userSpaceOnUse").with_child(ground);
        definitions = definitions.with_child(if ink.is_empty() {
            pattern
        } else {
            pattern.with_child(path("ink", ink))
        });
    }
    for class in ["head", "la-head"] {
        let marker = element("marker").with("id", format!("mc-{class}")).with("viewBox", "0 0 6 6");
        let marker = marker.with("refX", "6").with("refY", "3").with("orient", "auto");
        let marker =
            marker.with("markerWidth", "6").with("markerHeight", "6").with("markerUnits", "userSpaceOnUse");
        definitions = definitions.with_child(marker.with_child(path(class, "M0 0.5L6 3L0 5.5z")));
    }
    canvas.add(definitions);
}

/// Draws the legend of the visible kinds; returns the vertical position at which the plot can begin.
fn legend(
    canvas: &mut Canvas,
    plot: &Plot,
    diagram: &SpaceTime<'_>,
    bars: &[Bar<'_>],
    messages: &[&Message],
    has_path: bool,
) -> f64 {
    let (mut x, mut y) = (12.0, 52.0);
    let mut place =
        |canvas: &mut Canvas, swatch: &dyn Fn(f64, f64) -> svg::node::element::Element, name: &str| {
            let needed = 30.0 + width(name) + 14.0;
            if x + needed > canvas.width() && x > 12.0 {
                (x, y) = (12.0, y + 18.0);
            }
            canvas.add(swatch(x, y));
            canvas.text(x + 30.0, y + 10.0, "", name);
            x += needed;
        };
    let drawn = bars.iter().filter(|bar| plot.is_seen(bar.start, bar.end));
    let used: BTreeSet<Activity> = drawn.map(|bar| bar.activity).collect();
    for activity in used {
        let class = format!("b-{}", activity.name());
        place(canvas, &|x, y| rectangle(x, y, 24.0, 12.0).with("class", class.clone()), activity.name());
    }
    let used: BTreeSet<Class> = messages.iter().map(|message| message.class()).collect();
    for class in used {
        // The line is centred in a row of pixels; on the boundary of two rows it would be blurred.
        let class_name = format!("{} key", class.name());
        let line = |x, y: f64| path(&class_name, &format!("M{} {}h24", number(x), number(y + 6.5)));
        place(canvas, &line, class.describe());
    }
    if has_path {
        let line = |x, y: f64| path("crit", &format!("M{} {}h24", number(x), number(y + 6.0)));
        place(canvas, &line, "critical path");
    }
    for marks in &diagram.marks {
        place(canvas, &|x, y| rectangle(x, y, 24.0, 12.0).with("class", "mark"), &marks.name);
    }
    y + 22.0
}

fn draw_bands(canvas: &mut Canvas, top: f64, plot: &Plot, bands: &Bands) {
    for (nth, band) in bands.bands.iter().enumerate() {
        let (from, to) = (plot.x(band.start), plot.x(band.end));
        let y = top + band.lane as f64 * LANE;
        let time = band.end.since(band.start);
        let tooltip = format!("{}: starts at {}, lasts {time} (first to last node)", band.name, band.start);
        let class = if nth % 2 == 0 { "band0" } else { "band1" };
        let ground = rectangle(from, y, (to - from).max(0.5), LANE - 2.0).with("class", class);
        canvas.add(ground.with_tooltip(&tooltip));
        let short = band.name.trim_start_matches("step ");
        for name in [&band.name, short] {
            if width(name) + 4.0 <= to - from {
                canvas.text((from + to) / 2.0, y + 10.5, "mid", name);
                break;
            }
        }
    }
}

/// Draws the axis above and below the rows, and grid lines through them; returns the unit.
fn axis(canvas: &mut Canvas, plot: &Plot) -> &'static str {
    let ticks = Ticks::of(plot.first, plot.last, plot.width);
    let (top, bottom) = (plot.top, plot.bottom());
    let mut lines = String::new();
    for (at, text) in &ticks.ticks {
        let x = number(plot.x(*at));
        let _ = write!(lines, "M{x} {}V{}", number(top - 4.0), number(bottom + 4.0));
        canvas.text(plot.x(*at), top - 8.0, "small mid", text);
        canvas.text(plot.x(*at), bottom + 15.0, "small mid", text);
    }
    canvas.add(path("grid", &lines));
    let (left, right) = (number(plot.left), number(plot.left + plot.width));
    canvas.add(path("axis", &format!("M{left} {}H{right}M{left} {}H{right}", number(top), number(bottom))));
    for y in [top - 8.0, bottom + 15.0] {
        canvas.text(plot.left - 10.0, y, "small end", ticks.unit);
    }
    ticks.unit
}

/// Draws the labels of rows, and a line from the start to the time at which the node finished.
fn labels(canvas: &mut Canvas, diagram: &SpaceTime<'_>, rows: &[Rank], plot: &Plot) {
    let mut lines = String::new();
    for (row, &rank) in rows.iter().enumerate() {
        let middle = plot.top_of(row) + plot.pitch / 2.0;
        let node = &diagram.report.nodes[rank];
        let label = element("text").with("x", number(plot.left - 6.0)).with("y", number(middle + 3.5));
        let class = if plot.pitch < 14.0 { "small end" } else { "end" };
        let tooltip = format!(
            "node {rank}: computing {}, overhead {}, waiting {}; finished at {}",
            node.computing, node.overhead, node.waiting, node.finished
        );
        canvas.add(label.with("class", class).with_text(&format!("node {rank}")).with_tooltip(&tooltip));
        let _ = write!(lines, "M{} {}H{}", number(plot.left), number(middle), number(plot.x(node.finished)));
    }
    canvas.add(path("base", &lines));
}

/// Draws the bars; returns whether each bar has a tooltip, and the number of bars that are too short to be drawn.
fn draw_bars(canvas: &mut Canvas, plot: &Plot, bars: &[Bar<'_>]) -> (bool, usize) {
    let height = plot.bar;
    let outline = |bar: &Bar<'_>| {
        let (from, to) = (plot.x(bar.start), plot.x(bar.end));
        let y = plot.top_of(plot.rows[&bar.rank]) + (plot.pitch - height) / 2.0;
        let (x, length) = (decimal(from, 2), decimal(to - from, 2));
        plot.is_seen(bar.start, bar.end)
            .then(|| format!("M{x} {}h{length}v{}h-{length}z", number(y), number(height)))
    };
    let class = |activity: Activity| format!("b-{}", activity.name());
    let outlines: Vec<Option<String>> = bars.iter().map(outline).collect();
    let too_short = outlines.iter().filter(|outline| outline.is_none()).count();
    if bars.len() - too_short <= MAX_BARS_WITH_TOOLTIPS {
        for (bar, outline) in bars.iter().zip(&outlines) {
            if let Some(outline) = outline {
                canvas.add(path(&class(bar.activity), outline).with_tooltip(&bar.describe()));
            }
        }
        return (true, too_short);
    }
    let mut sums: BTreeMap<(usize, Activity), (String, Span)> = BTreeMap::new();
    for (bar, outline) in bars.iter().zip(&outlines) {
        let (all, sum) = sums.entry((plot.rows[&bar.rank], bar.activity)).or_default();
        *sum += plot.cut(bar.end).since(plot.cut(bar.start));
        all.push_str(outline.as_deref().unwrap_or_default());
    }
    let ranks: BTreeMap<usize, Rank> = plot.rows.iter().map(|(&rank, &row)| (row, rank)).collect();
    for ((row, activity), (outlines, sum)) in sums.iter().filter(|(_, (outlines, _))| !outlines.is_empty()) {
        let tooltip = format!("node {}: {}, {sum} in total", ranks[row], activity.name());
        canvas.add(path(&class(*activity), outlines).with_tooltip(&tooltip));
    }
    (false, too_short)
}

/// Draws the steps of each node, if there is space; returns whether any was drawn.
fn draw_steps(canvas: &mut Canvas, diagram: &SpaceTime<'_>, plot: &Plot) -> bool {
    if plot.steps == 0.0 {
        return false;
    }
    let mut are_any = false;
    for step in bands::steps(diagram.trace) {
        let Some(&row) = plot.rows.get(&step.rank) else { continue };
        let (from, to) = (plot.x(step.start), plot.x(step.end));
        if !plot.is_seen(step.start, step.end) {
            continue;
        }
        let y = plot.top_of(row) + plot.pitch - (plot.pitch - plot.bar) / 2.0 + 0.5;
        let height = plot.steps.min((plot.pitch - plot.bar) / 2.0 - 1.0);
        let class = if step.number % 2 == 0 { "band0" } else { "band1" };
        let (x, length) = (decimal(from, 2), decimal(to - from, 2));
        let outline = format!("M{x} {}h{length}v{}h-{length}z", number(y), number(height));
        canvas.add(path(class, &outline).with_tooltip(&format!("node {}: step {}", step.rank, step.number)));
        let number = step.number.to_string();
        if width(&number) <= to - from && height >= 6.0 {
            canvas.text((from + to) / 2.0, y + height - 0.8, "tiny mid", &number);
        }
        are_any = true;
    }
    are_any
}

/// Draws frames around marked periods.
fn draw_marks(canvas: &mut Canvas, diagram: &SpaceTime<'_>, plot: &Plot) {
    for marks in &diagram.marks {
        for &(rank, start, end) in &marks.pieces {
            let Some(&row) = plot.rows.get(&rank) else { continue };
            if !is_shown(diagram.window, start, end) {
                continue;
            }
            let (from, to) = (plot.x(start), plot.x(end));
            let y = plot.top_of(row) + (plot.pitch - plot.bar) / 2.0 - 1.0;
            let frame = rectangle(from, y, (to - from).max(0.5), plot.bar + 2.0).with("class", "mark");
            let tooltip = format!("{}: node {rank}, {} from {start}", marks.name, end.since(start));
            canvas.add(frame.with_tooltip(&tooltip));
        }
    }
}

fn is_inside(message: &Message, plot: &Plot) -> bool {
    plot.has_row(message.from) && plot.has_row(message.to)
}

/// Draws each message once; returns the number of messages with tooltips.
fn draw_messages(canvas: &mut Canvas, plot: &Plot, messages: &[&Message]) -> usize {
    let mut order: Vec<&Message> = messages.to_vec();
    let tooltip_count = match messages.len() {
        ..=MAX_MESSAGES_WITH_TOOLTIPS => messages.len(),
        _ => {
            order.sort_by_key(|message| Reverse(message.lost));
            order.iter().take(MAX_DELAYED_WITH_TOOLTIPS).filter(|message| !message.lost.is_zero()).count()
        }
    };
    let (tooltip_messages, others) = order.split_at(tooltip_count);
    let class = |message: &Message| {
        let pale = if is_inside(message, plot) { "" } else { " pale" };
        format!("{}{pale}", message.class().name())
    };
    // Arrowheads are drawn only where there is space, and not at ranks without a row.
    let head = |element: svg::node::element::Element, message: &Message| match is_inside(message, plot) {
        true if plot.pitch >= 14.0
            && message.from != message.to
            && plot.cut(message.arrives) == message.arrives =>
        {
            let head = if message.class().late { "url(#mc-la-head)" } else { "url(#mc-head)" };
            element.with("marker-end", head)
        }
        _ => element,
    };
    let mut together: BTreeMap<String, String> = BTreeMap::new();
    for message in others {
        together.entry(class(message)).or_default().push_str(&line(message, plot));
    }
    for (class, lines) in &together {
        canvas.add(path(class, lines));
    }
    // Delayed messages are drawn over the others.
    let mut tooltip_messages = tooltip_messages.to_vec();
    tooltip_messages.sort_by_key(|message| message.class());
    for message in tooltip_messages {
        canvas.add(
            head(path(&class(message), &line(message, plot)), message).with_tooltip(&message.describe()),
        );
    }
    tooltip_count
}

/// Returns the line of a message, from the edge of one bar to the edge of another. For a rank without a row the line
/// ends at the rank's position between rows. A message to the same node is a tick on the bar.
fn line(message: &Message, plot: &Plot) -> String {
    let Message { from, to, .. } = *message;
    let (y, below, half) = (plot.middle(from), plot.middle(to), plot.bar / 2.0);
    let direction = if from == to || y < below { half } else { -half };
    // A message to the same node crosses its bar from top to bottom; other lines connect the facing edges of two bars.
    let edge = |rank| {
        if !plot.has_row(rank) {
            0.0
        } else if from == to {
            -direction
        } else {
            direction
        }
    };
    let ends = plot.line((message.leaves, y + edge(from)), (message.arrives, below - edge(to)));
    let [begin, stop] = ends.map(|(x, y)| format!("{} {}", number(x), number(y)));
    format!("M{begin}L{stop}")
}
