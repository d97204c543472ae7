//! Draws the heat map: the network, defined once for all panels, and over it in each panel the links in the style of their class.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use multicomputer::{
    Span,
    report::LinkReport,
    topology::{Link, Topology, Vertex},
    units::format_bytes,
};
use svg::node::element::Element;

use super::{
    super::{
        canvas::{Canvas, ElementBuilder, counted, element, number, path, polyline, rectangle, rounded},
        traffic,
    },
    Heat, Measure,
    labels::{self, Labels},
    layout::Point,
    panel::{MIN_FONT, Panel, WIDTH},
    scale::{self, CLASSES, Scale},
};

/// Maximum numbers of links per panel with tooltips and drawn; networks with more than `MAX_DRAWN` links omit idle links.
const MAX_TOOLTIPS: usize = 400;
const MAX_DRAWN: usize = 20_000;

/// The width of a class in the scale, in pixels: six digits and a gap.
const CLASS_WIDTH: f64 = 46.0;

/// Elements instantiated by `use` need classes without the root selector, because the root is not an ancestor of the instances.
const LIGHT: &str = ".mc-net{stroke:#8886;stroke-width:.6;fill:none}.mc-node{fill:#fff;stroke:#555;stroke-width:.8}\
                     .mc-switch{fill:#ddd;stroke:#555;stroke-width:.8}.mc-dot{fill:#666}";
const DARK: &str = ".mc-node{fill:#16181b;stroke:#bbb}.mc-switch{fill:#444;stroke:#bbb}.mc-dot{fill:#999}.mc-label{fill:#ddd}";

/// A link that carried a message, and the time for which messages shared it; `None` without a trace.
#[derive(Debug)]
pub(super) struct Loaded<'a> {
    pub(super) link: &'a LinkReport,
    pub(super) shared: Option<Span>,
}

impl Loaded<'_> {
    pub(super) fn figure(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Bytes => self.link.load.bytes,
            Measure::Busy => self.link.load.busy.as_picos(),
            Measure::Shared => self.shared.unwrap_or_default().as_picos(),
        }
    }

    /// Describes the link for a tooltip.
    fn describe(&self, scales: &BTreeMap<Measure, Scale>) -> String {
        let LinkReport { link: Link { from, to }, load, .. } = self.link;
        let figure =
            |measure| scales.get(&measure).map_or(String::new(), |scale| scale.exact(self.figure(measure)));
        let (bytes, messages) = (figure(Measure::Bytes), counted(load.messages, "message"));
        let mut text = format!("{from} to {to}: {bytes} in {messages}, busy {}", figure(Measure::Busy));
        if self.figure(Measure::Shared) > 0 {
            let _ = write!(text, ", shared {}, at most {} at once", figure(Measure::Shared), load.most_flows);
        }
        text
    }
}

/// Draws the panels of the measures with a nonzero value; for the other measures a line of text states why there is none.
pub(super) fn draw(heat: &Heat<'_>, measures: &[Measure], links: &[Loaded<'_>]) -> String {
    let topology = &**heat.machine.topology();
    let largest = |measure| links.iter().map(|link| link.figure(measure)).max().unwrap_or(0);
    let scales: BTreeMap<Measure, Scale> =
        Measure::ALL.into_iter().map(|measure| (measure, Scale::of(measure, largest(measure)))).collect();
    let (shown, empty): (Vec<Measure>, Vec<Measure>) =
        measures.iter().partition(|&&measure| largest(measure) > 0);
    let (panel, beside) = Panel::new(topology, shown.len().max(1));
    let labels = Labels::of(&panel);
    let mut canvas = Canvas::new(WIDTH, &style(&panel, &shown, true), &style(&panel, &shown, false))
        .with_theme(heat.theme);
    canvas.text(12.0, 24.0, "title", &heat.title);
    let mut lines = vec![caption(heat, links.len(), topology.links())];
    match links {
        [] => lines.push("No traffic: no message crossed a link, so no network is drawn.".to_owned()),
        _ => lines.extend(
            empty
                .into_iter()
                .map(|measure| format!("{}: none, {}", scale::name(measure), scale::absence(measure))),
        ),
    }
    for (nth, line) in lines.iter().enumerate() {
        canvas.text(12.0, 42.0 + 16.0 * nth as f64, "", line);
    }
    let (mut x, mut y) = (12.0, 38.0 + 16.0 * lines.len() as f64);
    let mut notes = Vec::new();
    if !shown.is_empty() {
        let lines = lines_of(&panel, topology).with("id", "mc-lines");
        let vertices = vertices(&panel, &labels).with("id", "mc-vertices");
        canvas.add(element("defs").with_child(lines).with_child(vertices));
        let below = 58.0 + panel.height;
        let mut with_tooltips = 0;
        for measure in shown {
            let place = format!("translate({} {})", number(x), number(y));
            let (drawing, tooltips) = draw_panel(&panel, measure, links, &scales);
            with_tooltips = with_tooltips.max(tooltips);
            canvas.add(drawing.with("transform", place));
            if beside { x += panel.width + 24.0 } else { y += below }
        }
        if beside {
            y += below;
        }
        notes = notes_of(&panel, topology, links.len(), with_tooltips);
        notes.extend(labels.describe());
    }
    notes.extend(traffic::delayed(heat.report));
    let foot = canvas.paragraphs(y + 18.0, &notes);
    let version = concat!("multicomputer ", env!("CARGO_PKG_VERSION"));
    canvas.text(WIDTH - 12.0, foot, "small end", version);
    canvas.finish(foot + 12.0, &heat.title)
}

/// Returns the style rules of classes and labels for a light or a dark display; on a dark one the largest class is the lightest.
fn style(panel: &Panel, measures: &[Measure], is_light: bool) -> String {
    let mut style = if is_light { LIGHT.to_owned() } else { DARK.to_owned() };
    for &measure in measures {
        for (class, colour) in scale::colours(measure).iter().enumerate() {
            let class = if is_light { class } else { CLASSES - 1 - class };
            let name = class_name(measure, class);
            if panel.has_arrows() {
                let _ = write!(style, ".mc .{name}{{fill:{colour}}}");
            } else {
                let width = number(panel.width_of(class));
                let _ = write!(style, ".mc .{name}{{fill:none;stroke:{colour};stroke-width:{width}}}");
            }
            let _ = write!(style, ".mc .{name}k{{fill:{colour}}}");
        }
    }
    if is_light {
        let size = number(panel.font().unwrap_or(MIN_FONT));
        let _ = write!(style, ".mc-label{{font:{size}px sans-serif;fill:#222;text-anchor:middle}}");
        // Some viewers treat the root as an ancestor of elements instantiated by `use`. There the common rule `.mc text` applies too and
        // takes precedence over the rule above, so the size is repeated with the root selector.
        let _ = write!(style, ".mc .mc-label{{font-size:{size}px}}");
        style += labels::LIGHT;
    } else {
        style += labels::DARK;
    }
    style
}

fn class_name(measure: Measure, class: usize) -> String {
    let letter = match measure {
        Measure::Bytes => 'b',
        Measure::Busy => 't',
        Measure::Shared => 's',
    };
    format!("{letter}{class}")
}

/// Describes the machine, the time, and the number of used links.
fn caption(heat: &Heat<'_>, used: usize, links: usize) -> String {
    let report = heat.report;
    let (nodes, time) = (counted(heat.machine.nodes() as u64, "node"), report.makespan.since_start());
    let (messages, bytes) = (counted(report.messages, "message"), format_bytes(report.bytes));
    let mut about =
        format!("{}, {nodes}: {} modeled; {messages} with {bytes}", report.machine, rounded(time));
    let _ = write!(about, "; {used} of {} carried one", counted(links as u64, "directed link"));
    about
}

/// Returns one line for each pair of linked vertices, or none if there are more than `MAX_DRAWN` links. All panels share these lines and
/// draw the coloured links over them.
fn lines_of(panel: &Panel, topology: &dyn Topology) -> Element {
    let mut lines = String::new();
    if topology.links() <= MAX_DRAWN {
        let mut seen = BTreeSet::new();
        for link in (0..topology.links()).map(|link| topology.link(link)) {
            if !seen.insert((link.from.min(link.to), link.from.max(link.to))) {
                continue;
            }
            for stretch in panel.stretches(link) {
                lines += &polyline(&stretch);
            }
        }
    }
    path("mc-net", &lines)
}

/// Returns the nodes and switches, shared by all panels and drawn over the links.
fn vertices(panel: &Panel, labels: &Labels) -> Element {
    let mut group = element("g");
    let radius = panel.radius;
    let square = |(x, y): Point, half: f64| {
        let size = number(2.0 * half);
        format!("M{} {}h{size}v{size}h-{size}z", number(x - half), number(y - half))
    };
    let nodes = panel.layout.of_nodes();
    if radius < 2.5 {
        let dots: String = nodes.iter().map(|&place| square(panel.at(place), 0.8 * radius)).collect();
        let switches: String =
            panel.layout.of_switches().map(|(_, place)| square(panel.at(place), radius)).collect();
        return labels.draw(panel, group.with_child(path("mc-dot", &format!("{dots}{switches}"))));
    }
    let font = panel.font();
    for (number_of, place, is_node) in nodes
        .iter()
        .enumerate()
        .map(|(rank, &place)| (rank, place, true))
        .chain(panel.layout.of_switches().map(|(number, place)| (number, place, false)))
    {
        let (x, y) = panel.at(place);
        group = group.with_child(if is_node {
            let circle = element("circle").with("cx", number(x)).with("cy", number(y));
            circle.with("r", number(radius)).with("class", "mc-node")
        } else {
            rectangle(x - radius, y - radius, 2.0 * radius, 2.0 * radius).with("class", "mc-switch")
        });
        if let Some(font) = font {
            let name = if is_node { number_of.to_string() } else { format!("s{number_of}") };
            let text = element("text").with("x", number(x)).with("y", number(y + 0.36 * font));
            group = group.with_child(text.with("class", "mc-label").with_text(&name));
        }
    }
    labels.draw(panel, group)
}

/// Draws a panel: its name, its scale, and the links by class over the network. Also returns its number of tooltips.
fn draw_panel(
    panel: &Panel,
    measure: Measure,
    links: &[Loaded<'_>],
    scales: &BTreeMap<Measure, Scale>,
) -> (Element, usize) {
    let mut order: Vec<&Loaded<'_>> = links.iter().filter(|link| link.figure(measure) > 0).collect();
    order.sort_by_key(|link| Reverse(link.figure(measure)));
    order.truncate(MAX_DRAWN);
    let scale = &scales[&measure];
    let mut title = format!("{}: {} at most", scale::name(measure), scale.largest());
    if let Some(most) = order.first() {
        let [from, to] = [most.link.link.from, most.link.link.to].map(|vertex| match vertex {
            Vertex::Node(rank) => rank.to_string(),
            Vertex::Switch(number) => format!("s{number}"),
        });
        let _ = write!(title, ", from {from} to {to}");
    }
    let text = |x: f64, y: f64, class: &str, text: &str| {
        let element = element("text").with("x", number(x)).with("y", number(y));
        if class.is_empty() { element.with_text(text) } else { element.with("class", class).with_text(text) }
    };
    let mut group = element("g").with_child(text(0.0, 10.0, "", &title));
    for (class, border) in scale.borders().iter().enumerate() {
        let (x, height) = (class as f64 * CLASS_WIDTH, panel.width_of(class).max(2.0) * 1.3);
        let key = rectangle(x, 22.0 - height / 2.0, CLASS_WIDTH - 2.0, height);
        group = group.with_child(key.with("class", format!("{}k", class_name(measure, class))));
        group = group.with_child(text(x + CLASS_WIDTH - 2.0, 38.0, "small end", border));
    }
    group = group.with_child(text(CLASSES as f64 * CLASS_WIDTH + 4.0, 38.0, "small", scale.unit()));
    let mut drawing = element("g").with("transform", "translate(0 46)");
    drawing = drawing.with_child(element("use").with("href", "#mc-lines"));
    let mut together: BTreeMap<usize, String> = BTreeMap::new();
    let mut with_tooltips = Vec::new();
    for (nth, link) in order.iter().enumerate() {
        let Some(class) = scale.class(link.figure(measure)) else { continue };
        let shape = panel.shape(link.link.link, class);
        if nth < MAX_TOOLTIPS {
            with_tooltips
                .push(path(&class_name(measure, class), &shape).with_tooltip(&link.describe(scales)));
        } else {
            together.entry(class).or_default().push_str(&shape);
        }
    }
    let count = with_tooltips.len();
    let others = together.iter().map(|(&class, shapes)| path(&class_name(measure, class), shapes));
    drawing = others.chain(with_tooltips.into_iter().rev()).fold(drawing, ElementBuilder::with_child);
    drawing = drawing.with_child(element("use").with("href", "#mc-vertices"));
    (group.with_child(drawing), count)
}

/// Returns the notes: how to read the drawing, and what is omitted.
fn notes_of(panel: &Panel, topology: &dyn Topology, loaded: usize, with_tooltips: usize) -> Vec<String> {
    let what = if panel.has_arrows() { "half an arrow" } else { "a line" };
    let mut notes = vec![format!(
        "Drawn as {}. Each direction of a link is {what} on the right-hand side of its route. Darker (on a dark display: lighter) \
         and wider means more; numbers are upper limits of each class.",
        panel.layout.shape
    )];
    if topology.links() > MAX_DRAWN {
        notes
            .push(format!("Links that carried nothing are not drawn: the network has {}.", topology.links()));
    }
    if loaded > MAX_DRAWN {
        notes.push(format!("In each panel the {MAX_DRAWN} links with the largest figures are drawn."));
    }
    if loaded > with_tooltips {
        notes.push(format!("Tooltips: in each panel the {MAX_TOOLTIPS} links with the largest figures."));
    }
    notes
}
