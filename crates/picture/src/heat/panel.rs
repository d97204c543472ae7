//! Geometry of a panel in pixels: the scale, the positions of vertices, and the outlines of links.

use multicomputer::topology::{Link, Topology};

use super::{
    super::canvas::polyline,
    layout::{Layout, Point},
    scale::CLASSES,
};

/// The width of the picture in pixels.
pub(super) const WIDTH: f64 = 1000.0;

/// The space for labels around a network whose nodes have no labels inside, in pixels.
pub(super) const LABEL_MARGIN: f64 = 22.0;

/// Maximum ratio of width to height of networks whose panels are side by side.
const MAX_ASPECT_RATIO: f64 = 1.5;

/// In pixels: maximum distance between the nearest neighbours, minimum distance for half arrows instead of lines, and
/// maximum height of a panel.
const MAX_PITCH: f64 = 72.0;
const MIN_ARROW_PITCH: f64 = 12.0;
const MAX_HEIGHT: f64 = 600.0;

/// The smallest legible font size in pixels.
pub(super) const MIN_FONT: f64 = 5.5;

/// The network on a panel: positions and sizes in pixels.
pub(super) struct Panel {
    pub(super) layout: Layout,
    scale: f64,
    origin: Point,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The radius of nodes; `thickest` is the maximum width of a link, `nearest` the shortest distance between neighbours.
    pub(super) radius: f64,
    thickest: f64,
    pub(super) nearest: f64,
}

impl Panel {
    pub(super) fn new(topology: &dyn Topology, panels: usize) -> (Panel, bool) {
        let layout = Layout::of(topology);
        let vertices =
            || layout.of_nodes().iter().copied().chain(layout.of_switches().map(|(_, place)| place));
        let range = |coordinate: fn(Point) -> f64| {
            let values = || vertices().map(coordinate);
            (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max))
        };
        let ((left, right), (top, bottom)) = (range(|point| point.0), range(|point| point.1));
        // Wraparound links extend beyond the lattice.
        let margin = if layout.has_closed_lines() { 0.8 } else { 0.4 };
        let (width, height) = (right - left + 2.0 * margin, bottom - top + 2.0 * margin);
        let nearest = layout.nearest(topology);
        let beside = nearest > 0.5 && width <= MAX_ASPECT_RATIO * height;
        let columns = if beside { panels as f64 } else { 1.0 };
        let room = (WIDTH - 24.0 - 24.0 * (columns - 1.0)) / columns;
        let fit = |layout: Layout, edge: f64| {
            // A lattice has labels on the left and above; other networks may have labels on all sides.
            let edges = edge * if layout.plane().is_some() { 1.0 } else { 2.0 };
            let scale = ((room - edges) / width).min(MAX_PITCH / nearest).min(MAX_HEIGHT / height);
            Panel {
                origin: (left - margin - edge / scale, top - margin - edge / scale),
                width: room,
                height: height * scale + edges,
                radius: (nearest * scale * 0.19).clamp(0.8, 10.0),
                thickest: (nearest * scale * 0.13).clamp(0.9, 6.0),
                nearest: nearest * scale,
                layout,
                scale,
            }
        };
        let panel = fit(layout, 0.0);
        // If labels do not fit inside nodes, they are outside.
        let panel = if panel.font().is_some() { panel } else { fit(panel.layout, LABEL_MARGIN) };
        (panel, beside)
    }

    pub(super) fn at(&self, (x, y): Point) -> Point {
        ((x - self.origin.0) * self.scale, (y - self.origin.1) * self.scale)
    }

    /// Returns the font size with which the numbers of vertices fit inside them; `None` if illegible.
    pub(super) fn font(&self) -> Option<f64> {
        let letters = |name: String| name.len();
        let node = letters((self.layout.of_nodes().len() - 1).to_string());
        let switch = self.layout.of_switches().last().map_or(0, |(number, _)| letters(format!("s{number}")));
        let size = self.radius * [1.6, 1.4, 1.05, 0.8].get(node.max(switch) - 1).copied().unwrap_or(0.0);
        (size >= MIN_FONT).then_some(size.min(11.0))
    }

    pub(super) fn has_arrows(&self) -> bool {
        self.nearest >= MIN_ARROW_PITCH
    }

    /// Returns the width of links of a class; in black and white only the width shows the class.
    pub(super) fn width_of(&self, class: usize) -> f64 {
        self.thickest * (0.3 + 0.7 * class as f64 / (CLASSES - 1) as f64)
    }

    /// Returns the centre line of a link: one segment, or two halves of a wraparound link.
    pub(super) fn stretches(&self, link: Link) -> Vec<[Point; 2]> {
        let [from, to] = [link.from, link.to].map(|vertex| self.at(self.layout.place(vertex)));
        match self.layout.closes(link) {
            Some((x, y)) => {
                let half = (0.7 * x * self.scale, 0.7 * y * self.scale);
                vec![[from, (from.0 + half.0, from.1 + half.1)], [(to.0 - half.0, to.1 - half.1), to]]
            }
            None => vec![[from, to]],
        }
    }

    /// Returns the path of a link on the right-hand side of its direction: the outline of half an arrow, or a line if there is little
    /// space.
    pub(super) fn shape(&self, link: Link, class: usize) -> String {
        let width = self.width_of(class);
        let stretches = self.stretches(link);
        let mut data = String::new();
        for (nth, &[from, to]) in stretches.iter().enumerate() {
            let (x, y) = (to.0 - from.0, to.1 - from.1);
            let length = (x * x + y * y).sqrt().max(1e-6);
            let (x, y) = (x / length, y / length);
            let (begins, ends) = (nth == 0, nth + 1 == stretches.len());
            // The link ends at the edges of the nodes, unless the nodes are very close.
            let gap = if length > 3.0 * self.radius { self.radius } else { 0.0 };
            let (start, end) = (if begins { gap } else { 0.0 }, length - if ends { gap } else { 0.0 });
            let point =
                |along: f64, aside: f64| (from.0 + along * x - aside * y, from.1 + along * y + aside * x);
            if self.has_arrows() {
                let (inner, outer) = (0.5, 0.5 + width);
                let head = if ends { (1.6 * width).min((end - start) / 2.0) } else { 0.0 };
                let head_start = end - head;
                let mut outline = vec![point(start, inner), point(start, outer), point(head_start, outer)];
                if ends {
                    outline.push(point(head_start, outer + 0.6 * width));
                }
                outline.push(point(end, inner));
                data += &polyline(&outline);
                data.push('z');
            } else {
                let aside = 0.2 + width / 2.0;
                data += &polyline(&[point(start, aside), point(end, aside)]);
            }
        }
        data
    }
}
