//! From loads and places to the drawing: the network once, and over it in each panel the links by their classes.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use svg::node::element::Element;

use super::{
    super::canvas::{Canvas, Compose, counted, element, number, path, rectangle, rounded, way},
    Heat, Measure,
    layout::{Layout, Point},
    scale::{self, CLASSES},
};
use crate::{
    report::LinkReport,
    time::Span,
    topology::{Link, Topology, Vertex},
    units::format_bytes,
};

/// The width of the sheet in pixels.
const WIDTH: f64 = 1000.0;

/// The number of links of a panel that have tooltips, that are drawn, and up to which those without load are.
const MOST_TOLD: usize = 400;
const MOST_DRAWN: usize = 20_000;

/// Panels are side by side if the network is no more than so many times as wide as high.
const WIDEST: f64 = 1.5;

/// The longest distance between the nearest neighbours, the shortest with half arrows rather than lines, and the largest
/// height of a panel, in pixels.
const LONGEST: f64 = 72.0;
const ARROWS: f64 = 12.0;
const HIGHEST: f64 = 600.0;

/// The shortest font that can be read, in pixels.
const LEAST_FONT: f64 = 5.5;

/// Parts drawn by `use` have classes of their own, without the root before them: where they are used the root is no ancestor.
const LIGHT: &str = ".mc-net{stroke:#8886;stroke-width:.6;fill:none}.mc-node{fill:#fff;stroke:#555;stroke-width:.8}\
                     .mc-switch{fill:#ddd;stroke:#555;stroke-width:.8}.mc-dot{fill:#666}";
const DARK: &str = ".mc-node{fill:#16181b;stroke:#bbb}.mc-switch{fill:#444;stroke:#bbb}.mc-dot{fill:#999}.mc-label{fill:#ddd}";

/// A link that carried a message, and for how long several at once, if that is known.
#[derive(Debug)]
pub(super) struct Loaded<'a> {
    pub(super) link: &'a LinkReport,
    pub(super) shared: Option<Span>,
}

impl Loaded<'_> {
    fn figure(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Bytes => self.link.load.bytes,
            Measure::Busy => self.link.load.busy.as_picos(),
            Measure::Shared => self.shared.unwrap_or_default().as_picos(),
        }
    }

    /// All that is known of it, for a tooltip.
    fn says(&self) -> String {
        let LinkReport { link: Link { from, to }, load, .. } = self.link;
        let (bytes, messages) = (format_bytes(load.bytes), counted(load.messages, "message"));
        let mut text = format!("{from} to {to}: {bytes} in {messages}, busy {}", load.busy);
        if let Some(shared) = self.shared.filter(|shared| !shared.is_zero()) {
            let _ = write!(text, ", shared {shared}, at most {} at once", load.most_flows);
        }
        text
    }
}

/// The network on a panel: where things are, in pixels, and how large.
struct Panel {
    layout: Layout,
    scale: f64,
    origin: Point,
    width: f64,
    height: f64,
    /// The radius of nodes, and the largest width of a link.
    radius: f64,
    thickest: f64,
    nearest: f64,
}

impl Panel {
    fn new(topology: &dyn Topology, panels: usize) -> (Panel, bool) {
        let layout = Layout::of(topology);
        let vertices =
            || layout.of_nodes().iter().copied().chain(layout.of_switches().map(|(_, place)| place));
        let range = |coordinate: fn(Point) -> f64| {
            let values = || vertices().map(coordinate);
            (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max))
        };
        let ((left, right), (top, bottom)) = (range(|point| point.0), range(|point| point.1));
        // Links that close lines begin and end outside.
        let margin = if layout.has_closed_lines() { 0.8 } else { 0.4 };
        let (width, height) = (right - left + 2.0 * margin, bottom - top + 2.0 * margin);
        let nearest = layout.nearest(topology);
        let beside = nearest > 0.5 && width <= WIDEST * height;
        let columns = if beside { panels as f64 } else { 1.0 };
        let room = (WIDTH - 24.0 - 24.0 * (columns - 1.0)) / columns;
        let scale = (room / width).min(LONGEST / nearest).min(HIGHEST / height);
        let panel = Panel {
            origin: (left - margin, top - margin),
            width: room,
            height: height * scale,
            radius: (nearest * scale * 0.19).clamp(0.8, 10.0),
            thickest: (nearest * scale * 0.13).clamp(0.9, 6.0),
            nearest: nearest * scale,
            layout,
            scale,
        };
        (panel, beside)
    }

    fn at(&self, (x, y): Point) -> Point {
        ((x - self.origin.0) * self.scale, (y - self.origin.1) * self.scale)
    }

    /// The font size of the numbers of vertices, which fit into them; `None` if they could not be read.
    fn font(&self) -> Option<f64> {
        let letters = |name: String| name.len();
        let node = letters((self.layout.of_nodes().len() - 1).to_string());
        let switch = self.layout.of_switches().last().map_or(0, |(number, _)| letters(format!("s{number}")));
        let size = self.radius * [1.6, 1.4, 1.05, 0.8].get(node.max(switch) - 1).copied().unwrap_or(0.0);
        (size >= LEAST_FONT).then_some(size.min(11.0))
    }

    fn has_arrows(&self) -> bool {
        self.nearest >= ARROWS
    }

    /// The width of links of a class: in print it has to do without colours.
    fn width_of(&self, class: usize) -> f64 {
        self.thickest * (0.3 + 0.7 * class as f64 / (CLASSES - 1) as f64)
    }

    /// The middle line of a link: one stretch, or two halves of one that closes a line.
    fn stretches(&self, link: Link) -> Vec<[Point; 2]> {
        let [from, to] = [link.from, link.to].map(|vertex| self.at(self.layout.place(vertex)));
        match self.layout.closes(link) {
            Some((x, y)) => {
                let half = (0.7 * x * self.scale, 0.7 * y * self.scale);
                vec![[from, (from.0 + half.0, from.1 + half.1)], [(to.0 - half.0, to.1 - half.1), to]]
            }
            None => vec![[from, to]],
        }
    }

    /// The outline of a link of a class, or the line that it is where there is little room: to the right of the middle.
    fn shape(&self, link: Link, class: usize) -> String {
        let width = self.width_of(class);
        let stretches = self.stretches(link);
        let mut data = String::new();
        for (nth, &[from, to]) in stretches.iter().enumerate() {
            let (x, y) = (to.0 - from.0, to.1 - from.1);
            let length = (x * x + y * y).sqrt().max(1e-6);
            let (x, y) = (x / length, y / length);
            let (begins, ends) = (nth == 0, nth + 1 == stretches.len());
            // Not over the nodes, unless they are as near as that.
            let gap = if length > 3.0 * self.radius { self.radius } else { 0.0 };
            let (start, end) = (if begins { gap } else { 0.0 }, length - if ends { gap } else { 0.0 });
            let point =
                |along: f64, aside: f64| (from.0 + along * x - aside * y, from.1 + along * y + aside * x);
            if self.has_arrows() {
                let (inner, outer) = (0.5, 0.5 + width);
                let head = if ends { (1.6 * width).min((end - start) / 2.0) } else { 0.0 };
                let neck = end - head;
                let mut outline = vec![point(start, inner), point(start, outer), point(neck, outer)];
                if ends {
                    outline.push(point(neck, outer + 0.6 * width));
                }
                outline.push(point(end, inner));
                data += &way(&outline);
                data.push('z');
            } else {
                let aside = 0.2 + width / 2.0;
                data += &way(&[point(start, aside), point(end, aside)]);
            }
        }
        data
    }
}

/// Draws the panels.
pub(super) fn draw(heat: &Heat<'_>, measures: &[Measure], links: &[Loaded<'_>]) -> String {
    let topology = &**heat.machine.topology();
    let (panel, beside) = Panel::new(topology, measures.len());
    let mut canvas = Canvas::new(WIDTH, &style(&panel, measures, true), &style(&panel, measures, false));
    canvas.text(12.0, 24.0, "title", &heat.title);
    canvas.text(12.0, 42.0, "", &about(heat, links.len(), topology.links()));
    let lines = lines(&panel, topology).with("id", "mc-lines");
    canvas.add(element("defs").around(lines).around(vertices(&panel).with("id", "mc-vertices")));
    let (mut x, mut y) = (12.0, 54.0);
    let below = 58.0 + panel.height;
    let mut told = 0;
    for &measure in measures {
        let place = format!("translate({} {})", number(x), number(y));
        let (drawing, tooltips) = draw_panel(&panel, measure, links);
        told = told.max(tooltips);
        canvas.add(drawing.with("transform", place));
        if beside { x += panel.width + 24.0 } else { y += below }
    }
    let bottom = if beside { y + below } else { y };
    let foot = canvas.paragraphs(bottom + 18.0, &notes(&panel, topology, links.len(), told));
    let version = concat!("multicomputer ", env!("CARGO_PKG_VERSION"));
    canvas.text(WIDTH - 12.0, foot, "small end", version);
    canvas.finish(foot + 12.0, &heat.title)
}

/// The rules of classes and labels, for a light display or for a dark one: there the largest class is the lightest.
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
        let size = number(panel.font().unwrap_or(LEAST_FONT));
        let _ = write!(style, ".mc-label{{font:{size}px sans-serif;fill:#222;text-anchor:middle}}");
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

/// Machine, time, and how many links were used.
fn about(heat: &Heat<'_>, used: usize, links: usize) -> String {
    let report = heat.report;
    let (nodes, time) = (counted(heat.machine.nodes() as u64, "node"), report.modeled.since_start());
    let (messages, bytes) = (counted(report.messages, "message"), format_bytes(report.bytes));
    let mut about =
        format!("{}, {nodes}: {} modeled; {messages} with {bytes}", report.machine, rounded(time));
    let _ = write!(about, "; {used} of {} carried one", counted(links as u64, "directed link"));
    if !report.lost_to_sharing.is_zero() {
        let _ = write!(about, "; {} lost to sharing", rounded(report.lost_to_sharing));
    }
    about
}

/// The lines between vertices, which all panels have beneath their links.
fn lines(panel: &Panel, topology: &dyn Topology) -> Element {
    let mut lines = String::new();
    if topology.links() <= MOST_DRAWN {
        let mut seen = BTreeSet::new();
        for link in (0..topology.links()).map(|link| topology.link(link)) {
            if !seen.insert((link.from.min(link.to), link.from.max(link.to))) {
                continue;
            }
            for stretch in panel.stretches(link) {
                lines += &way(&stretch);
            }
        }
    }
    path("mc-net", &lines)
}

/// Nodes and switches, which all panels have over their links.
fn vertices(panel: &Panel) -> Element {
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
        return group.around(path("mc-dot", &format!("{dots}{switches}")));
    }
    let font = panel.font();
    for (number_of, place, is_node) in nodes
        .iter()
        .enumerate()
        .map(|(rank, &place)| (rank, place, true))
        .chain(panel.layout.of_switches().map(|(number, place)| (number, place, false)))
    {
        let (x, y) = panel.at(place);
        group = group.around(if is_node {
            let circle = element("circle").with("cx", number(x)).with("cy", number(y));
            circle.with("r", number(radius)).with("class", "mc-node")
        } else {
            rectangle(x - radius, y - radius, 2.0 * radius, 2.0 * radius).with("class", "mc-switch")
        });
        if let Some(font) = font {
            let name = if is_node { number_of.to_string() } else { format!("s{number_of}") };
            let text = element("text").with("x", number(x)).with("y", number(y + 0.36 * font));
            group = group.around(text.with("class", "mc-label").says(&name));
        }
    }
    group
}

/// A panel: its name, its scale, and the links by their classes over the network. Also how many tooltips it has.
fn draw_panel(panel: &Panel, measure: Measure, links: &[Loaded<'_>]) -> (Element, usize) {
    let mut order: Vec<&Loaded<'_>> = links.iter().filter(|link| link.figure(measure) > 0).collect();
    order.sort_by_key(|link| Reverse(link.figure(measure)));
    order.truncate(MOST_DRAWN);
    let largest = order.first().map_or(0, |link| link.figure(measure));
    let title = match order.first() {
        Some(link) => {
            let figure = match measure {
                Measure::Bytes => format_bytes(largest),
                _ => rounded(Span::from_picos(largest)),
            };
            let [from, to] = [link.link.link.from, link.link.link.to].map(|vertex| match vertex {
                Vertex::Node(rank) => rank.to_string(),
                Vertex::Switch(number) => format!("s{number}"),
            });
            format!(": {figure} at most, from {from} to {to}")
        }
        None => ": none".to_owned(),
    };
    let title = format!("{}{title}", scale::name(measure));
    let text = |x: f64, y: f64, class: &str, text: &str| {
        let element = element("text").with("x", number(x)).with("y", number(y));
        if class.is_empty() { element.says(text) } else { element.with("class", class).says(text) }
    };
    let mut group = element("g").around(text(0.0, 10.0, "", &title));
    if largest > 0 {
        let (borders, unit) = scale::borders(measure, largest);
        for (class, border) in borders.iter().enumerate() {
            let (x, height) = (class as f64 * 38.0, panel.width_of(class).max(2.0) * 1.3);
            let key = rectangle(x, 22.0 - height / 2.0, 36.0, height);
            group = group.around(key.with("class", format!("{}k", class_name(measure, class))));
            group = group.around(text(x + 36.0, 38.0, "small end", border));
        }
        group = group.around(text(CLASSES as f64 * 38.0 + 4.0, 38.0, "small", unit));
    }
    let mut drawing = element("g").with("transform", "translate(0 46)");
    drawing = drawing.around(element("use").with("href", "#mc-lines"));
    let mut together: BTreeMap<usize, String> = BTreeMap::new();
    let mut told = Vec::new();
    for (nth, link) in order.iter().enumerate() {
        let Some(class) = scale::class(link.figure(measure), largest) else { continue };
        let shape = panel.shape(link.link.link, class);
        if nth < MOST_TOLD {
            told.push(path(&class_name(measure, class), &shape).tells(&link.says()));
        } else {
            together.entry(class).or_default().push_str(&shape);
        }
    }
    let count = told.len();
    let others = together.iter().map(|(&class, shapes)| path(&class_name(measure, class), shapes));
    drawing = others.chain(told.into_iter().rev()).fold(drawing, Compose::around);
    drawing = drawing.around(element("use").with("href", "#mc-vertices"));
    (group.around(drawing), count)
}

/// The notes: what the drawing is, and what of it is left out.
fn notes(panel: &Panel, topology: &dyn Topology, loaded: usize, told: usize) -> Vec<String> {
    let what = if panel.has_arrows() { "half an arrow" } else { "a line" };
    let mut notes = vec![format!(
        "Drawn as {}. Each direction of a link is {what} on the right-hand side of its way; colour and width are its class, \
         whose largest figure is under the scale.",
        panel.layout.shape
    )];
    if topology.links() > MOST_DRAWN {
        notes.push(format!("Of {} links only those with a load are drawn.", topology.links()));
    }
    if loaded > MOST_DRAWN {
        notes.push(format!("In each panel the {MOST_DRAWN} links with the largest figures are drawn."));
    }
    if loaded > told {
        notes.push(format!("The {MOST_TOLD} links with the largest figures of a panel have tooltips."));
    }
    notes
}
