//! The common code of grids of one, two or three dimensions with open lines (meshes) or lines closed to rings (tori):
//! coordinates, link numbers, and dimension-ordered routes.
//!
//! Ranks are row-major: the last extent varies fastest. Dimensions are counted from the last extent: X, then Y, then
//! Z.
//!
//! The directed links are numbered in two blocks for each dimension, X first: up, towards higher coordinates, and down. Within a block a
//! link has the number of its lower end in row-major order of all lower ends. All nodes are lower ends if the lines are closed; otherwise
//! all nodes except the last of each line are. The link that closes a line has the last node as its lower end. The numbers of consecutive
//! links of a line are therefore an arithmetic progression, and the ends of a link are computed from its number without a table.

use std::fmt::{self, Display};

use super::{Grid, Link, LinkId, TopologyError, Vertex, check_extents, check_links, read_extent};
use crate::rank::Rank;

/// The pattern of a shape of two or three extents.
pub(super) const SHAPE: &str = "[PLANESx]ROWSxCOLUMNS";

/// Reads a shape of two or three extents, `4x8` or `2x4x8`: planes (optional), rows, columns.
pub(super) fn read_shape(text: &str) -> Result<(Option<usize>, usize, usize), TopologyError> {
    let mut extents = text.split('x').map(read_extent);
    let read = match (extents.next(), extents.next(), extents.next(), extents.next()) {
        (Some(Some(rows)), Some(Some(columns)), None, None) => Some((None, rows, columns)),
        (Some(Some(planes)), Some(Some(rows)), Some(Some(columns)), None) => {
            Some((Some(planes), rows, columns))
        }
        _ => None,
    };
    read.ok_or_else(|| TopologyError::Shape {
        given: text.to_owned(),
        allowed: "[PLANESx]ROWSxCOLUMNS, such as 16x32 or 8x16x32",
    })
}

/// Whether lines are closed to rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boundary {
    /// The ends of a line are not linked.
    Open,
    /// The ends of a line of more than two nodes are linked; the two ends of a shorter line are neighbours already.
    Closed,
}

/// One dimension of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    /// The number of nodes of a line.
    extent: usize,
    /// The difference between the ranks of neighbours.
    stride: usize,
    closed: bool,
    /// The first link up of this dimension.
    first: LinkId,
    /// The number of links up, which is also the number of links down.
    links: usize,
}

impl Axis {
    /// The number of nodes of a line that are lower ends of links of this dimension.
    fn lower_ends(&self) -> usize {
        if self.closed { self.extent } else { self.extent - 1 }
    }

    /// Appends the links from one position on a line to another: the only route on an open line; on a closed line the shorter direction, or
    /// up if both are equally long. `line` is the link up whose lower end is the first node of the line.
    fn walk(&self, line: LinkId, from: usize, to: usize, route: &mut Vec<LinkId>) {
        let up = if from <= to { to - from } else { to + self.extent - from };
        let is_up = if self.closed { 2 * up <= self.extent } else { from <= to };
        // A link up has the number of the position that it leaves, a link down the number of the position that it reaches. Positions are
        // counted past the end of the line and then wrapped, without a branch for each case: mispredicted branches dominate the cost of
        // short routes.
        let (links, begin, step, steps) = if is_up {
            (line, from, 1, up)
        } else {
            (line + self.links, from + self.extent - 1, usize::MAX, self.extent - up)
        };
        route.extend((0..steps).map(|hop| {
            let place = begin.wrapping_add(step.wrapping_mul(hop));
            let place = if place < self.extent { place } else { place - self.extent };
            links + place * self.stride
        }));
    }

    /// Returns the ranks of the ends, the lower end first, of the link up with this number within its dimension.
    fn ends(&self, number: usize) -> (Rank, Rank) {
        let layer = self.stride * self.lower_ends();
        let place = number % layer / self.stride;
        let lower = number + number / layer * self.stride * (self.extent - self.lower_ends());
        let upper = if place + 1 < self.extent { lower + self.stride } else { lower - place * self.stride };
        (lower, upper)
    }
}

/// A grid of one, two or three dimensions, with open or closed lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lattice {
    /// X, Y and Z; axes beyond `dimensions` have one node per line.
    axes: [Axis; 3],
    dimensions: usize,
    nodes: usize,
    links: usize,
}

impl Lattice {
    /// Creates a lattice of these extents, X last. Refuses an empty lattice and too many nodes or links.
    pub(super) fn new<const N: usize>(
        extents: [usize; N],
        lines: Boundary,
    ) -> Result<Lattice, TopologyError> {
        const { assert!(0 < N && N <= 3, "there are one, two or three dimensions") };
        let given = FormattedExtents(&extents);
        check_extents(&given, &extents)?;
        let nodes = extents.iter().product();
        let mut axes = [Axis { extent: 1, stride: nodes, closed: false, first: 0, links: 0 }; 3];
        let (mut stride, mut first) = (1, 0);
        for (axis, &extent) in axes.iter_mut().zip(extents.iter().rev()) {
            *axis = Axis { extent, stride, closed: lines == Boundary::Closed && extent > 2, first, links: 0 };
            axis.links = nodes / extent * axis.lower_ends();
            stride *= extent;
            first += 2 * axis.links;
        }
        check_links(&given, Some(first))?;
        Ok(Lattice { axes, dimensions: N, nodes, links: first })
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    pub(super) fn links(&self) -> usize {
        self.links
    }

    /// The number of links of the longest route: across every open dimension, half way around every closed one.
    pub(super) fn longest_route(&self) -> usize {
        self.axes().iter().map(|axis| if axis.closed { axis.extent / 2 } else { axis.extent - 1 }).sum()
    }

    /// The axes in use, X first.
    fn axes(&self) -> &[Axis] {
        &self.axes[..self.dimensions]
    }

    /// The extents in the order in which they are given: X last.
    pub(super) fn extents(&self) -> Vec<usize> {
        self.axes().iter().rev().map(|axis| axis.extent).collect()
    }

    /// The rows and columns, if there are no more than two dimensions.
    pub(super) fn grid(&self) -> Option<Grid> {
        let [columns, rows, _] = self.axes.map(|axis| axis.extent);
        (self.dimensions <= 2).then_some(Grid { rows, columns })
    }

    /// Returns the ends of a link; `name` is the name of the topology, for the panic message.
    pub(super) fn link(&self, link: LinkId, name: impl FnOnce() -> String) -> Link {
        assert!(link < self.links, "link {link} of {}, which has {} links", name(), self.links);
        let mut number = link;
        for axis in self.axes() {
            if number < 2 * axis.links {
                let (lower, upper) = axis.ends(number % axis.links);
                let (from, to) = if number < axis.links { (lower, upper) } else { (upper, lower) };
                return Link { from: Vertex::Node(from), to: Vertex::Node(to) };
            }
            number -= 2 * axis.links;
        }
        unreachable!("the blocks of all dimensions hold all links")
    }

    /// Appends the route between two nodes: all steps in X, then in Y, then in Z. `name` is the name of the topology,
    /// for the panic message.
    pub(super) fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>, name: impl FnOnce() -> String) {
        assert!(from < self.nodes && to < self.nodes, "a route from {from} to {to} on {}", name());
        // `here` is the contribution of the dimensions passed so far to the rank of the node reached; `from` and `to`
        // hold the coordinates in the remaining dimensions.
        let (mut here, mut from, mut to) = (0, from, to);
        for axis in self.axes() {
            let (place, target) = (from % axis.extent, to % axis.extent);
            (from, to) = (from / axis.extent, to / axis.extent);
            if place != target {
                let line = axis.first + from * axis.stride * axis.lower_ends() + here;
                axis.walk(line, place, target, route);
            }
            here += target * axis.stride;
        }
    }
}

impl Display for Lattice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FormattedExtents(&self.extents()).fmt(f)
    }
}

/// Extents as they are spelled: `2x4x8`.
struct FormattedExtents<'a>(&'a [usize]);

impl Display for FormattedExtents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, extent) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "x" };
            write!(f, "{separator}{extent}")?;
        }
        Ok(())
    }
}
