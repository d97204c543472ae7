//! Rank labels where nodes are too small to contain them: at the edges of a lattice, or beside every k-th node.

use std::collections::BTreeMap;

use svg::node::element::Element;

use super::{
    super::canvas::{ElementBuilder, element, number},
    layout::Point,
    panel::{LABEL_MARGIN, Panel},
};

/// The font size of labels, and the width of a digit, in pixels.
const FONT: f64 = 8.0;
const DIGIT: f64 = 5.0;

/// Labels have separate classes, like all elements instantiated by `use`. For viewers that treat the root as an
/// ancestor of instances, a second rule takes precedence over the rule of all texts.
pub(super) const LIGHT: &str = ".mc-rank{font:8px sans-serif;fill:#222;text-anchor:middle;stroke:#fff;stroke-width:2px;\
    paint-order:stroke}.mc-row{font:8px sans-serif;fill:#222;text-anchor:end}.mc .mc-rank,.mc .mc-row{font-size:8px}";
pub(super) const DARK: &str = ".mc-rank{fill:#ddd;stroke:#16181b}.mc-row{fill:#ddd}";

/// The placement of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Labels {
    /// Nodes contain their numbers.
    Inside,
    /// Every `every_column`-th column and `every_row`-th row of a lattice is labelled with the rank of its first node.
    Edges { columns: usize, rows: usize, every_column: usize, every_row: usize },
    /// Every `every`-th node has its rank beside it.
    Beside { every: usize },
}

impl Labels {
    pub(super) fn of(panel: &Panel) -> Labels {
        if panel.font().is_some() {
            return Labels::Inside;
        }
        let nodes = panel.layout.of_nodes().len();
        let width = room((nodes - 1).to_string().len());
        if let Some((columns, rows)) = panel.layout.plane() {
            let column = room((columns - 1).to_string().len());
            let every = |needed: f64| power_of_two(|every| every as f64 * panel.nearest >= needed);
            return Labels::Edges {
                columns,
                rows,
                every_column: every(column),
                every_row: every(FONT + 2.0),
            };
        }
        let every = power_of_two(|every| {
            let places: Vec<Point> = (0..nodes).step_by(every).map(|rank| beside(panel, rank)).collect();
            lie_apart(&places, (width, FONT + 1.0))
        });
        Labels::Beside { every }
    }

    /// Adds the labels to the group of vertices.
    pub(super) fn draw(self, panel: &Panel, group: Element) -> Element {
        let text = |class: &str, (x, y): Point, rank: usize| {
            let text = element("text").with("x", number(x)).with("y", number(y + 0.36 * FONT));
            text.with("class", class).with_text(&rank.to_string())
        };
        let nodes = panel.layout.of_nodes();
        match self {
            Labels::Inside => group,
            Labels::Edges { columns, rows, every_column, every_row } => {
                let place = |rank: usize| panel.at(nodes[rank]);
                let top = LABEL_MARGIN / 2.0;
                let above = (0..columns)
                    .step_by(every_column)
                    .map(|column| text("mc-rank", (place(column).0, top), column));
                let first_rows = if rows > 1 { rows } else { 0 };
                let left = (0..first_rows).step_by(every_row).map(|row| {
                    let rank = row * columns;
                    text("mc-row", (LABEL_MARGIN - 3.0, place(rank).1), rank)
                });
                above.chain(left).fold(group, ElementBuilder::with_child)
            }
            Labels::Beside { every } => {
                let labels = (0..nodes.len()).step_by(every);
                labels
                    .map(|rank| text("mc-rank", beside(panel, rank), rank))
                    .fold(group, ElementBuilder::with_child)
            }
        }
    }

    /// Returns a note on the placement.
    pub(super) fn describe(self) -> Option<String> {
        match self {
            Labels::Inside => None,
            Labels::Edges { rows: 1, .. } => Some("Figures above: ranks.".to_owned()),
            Labels::Edges { .. } => Some(
                "A node's rank is the figure at the left of its row plus the figure above its column."
                    .to_owned(),
            ),
            Labels::Beside { every: 1 } => Some("Figures beside nodes: ranks.".to_owned()),
            Labels::Beside { every } => {
                Some(format!("Figures beside nodes: ranks 0, {every}, {}, ..", 2 * every))
            }
        }
    }
}

/// Returns the width of `digits` digits and a gap, in pixels.
fn room(digits: usize) -> f64 {
    digits as f64 * DIGIT + 3.0
}

/// Returns the smallest power of two that satisfies the monotonic condition `is_enough`.
fn power_of_two(is_enough: impl Fn(usize) -> bool) -> usize {
    let powers = std::iter::successors(Some(1_usize), |power| power.checked_mul(2));
    powers
        .take_while(|&power| power == 1 || power < usize::MAX / 4)
        .find(|&power| is_enough(power))
        .unwrap_or(1)
}

/// Returns the centre of the label of a node.
fn beside(panel: &Panel, rank: usize) -> Point {
    let ((x, y), (right, down)) = (panel.at(panel.layout.of_nodes()[rank]), panel.layout.outside(rank));
    let half_width = rank.to_string().len() as f64 * DIGIT / 2.0;
    (x + right * (panel.radius + 2.0 + half_width), y + down * (panel.radius + 2.0 + FONT / 2.0))
}

/// Returns whether boxes centred at these positions are disjoint. Each is compared only with boxes in the same or adjacent grid cells.
fn lie_apart(places: &[Point], (width, height): Point) -> bool {
    let mut cells: BTreeMap<(i64, i64), Vec<Point>> = BTreeMap::new();
    for &(x, y) in places {
        let (column, row) = ((x / width).floor() as i64, (y / height).floor() as i64);
        for near in
            (column - 1..=column + 1).flat_map(|column| (row - 1..=row + 1).map(move |row| (column, row)))
        {
            let meets =
                |&(other_x, other_y): &Point| (x - other_x).abs() < width && (y - other_y).abs() < height;
            if cells.get(&near).is_some_and(|others| others.iter().any(meets)) {
                return false;
            }
        }
        cells.entry((column, row)).or_default().push((x, y));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_lie_apart_or_meet() {
        let size = (10.0, 8.0);
        assert!(lie_apart(&[(0.0, 0.0), (10.0, 0.0), (0.0, 8.0), (-10.0, -8.0)], size));
        assert!(!lie_apart(&[(0.0, 0.0), (9.9, 7.9)], size));
        assert!(!lie_apart(&[(-0.5, -0.5), (0.5, 0.5)], size), "on either side of a border of cells");
    }
}
