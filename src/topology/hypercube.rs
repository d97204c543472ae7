//! The hypercube: `2^d` nodes, where two nodes are neighbours if their ranks differ in a single bit. It is the
//! network of the Intel iPSC/860 and of the nCUBE.
//!
//! Routing is e-cube, as on both machines: a message crosses the dimensions in which the ranks of its ends differ,
//! the lowest bit first.
//!
//! The directed links are numbered in `d` blocks, one for each dimension, the lowest first. Within a block a link has
//! the rank of the node that it leaves.

use std::sync::Arc;

use super::{
    Link, LinkId, Topology, TopologyError, TopologyKind, Vertex, check_extents, check_links, read_nodes,
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// The registry entry of the hypercube, spelled `hypercube:8`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "hypercube",
    shape: "NODES",
    read: |shape, _| Ok(Arc::new(Hypercube::new(read_nodes(shape)?)?)),
};

/// A hypercube of nodes with e-cube routing.
///
/// ```
/// use multicomputer::topology::{Hypercube, Topology};
///
/// let cube = Hypercube::new(8)?;
/// assert_eq!((cube.nodes(), cube.links()), (8, 24));
///
/// let mut route = Vec::new();
/// cube.route(0b001, 0b100, &mut route);
/// let hops: Vec<String> = route.iter().map(|&link| cube.link(link).to_string()).collect();
/// assert_eq!(hops, ["node 1 -> node 0", "node 0 -> node 4"]);
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hypercube {
    dimensions: u32,
}

impl Hypercube {
    /// Creates a hypercube of `nodes` nodes: a power of two, with at most [`MAX_LINKS`](super::MAX_LINKS) links.
    ///
    /// # Errors
    /// [`TopologyError::Nodes`] if `nodes` is no power of two, [`TopologyError::Empty`] without a node,
    /// [`TopologyError::TooLarge`] with too many, [`TopologyError::TooManyLinks`] with too many links.
    pub fn new(nodes: usize) -> Result<Hypercube, TopologyError> {
        check_extents(&nodes, &[nodes])?;
        if !nodes.is_power_of_two() {
            return Err(TopologyError::Nodes { topology: KIND.name, given: nodes, allowed: "powers of two" });
        }
        let dimensions = nodes.ilog2();
        check_links(&nodes, nodes.checked_mul(dimensions as usize))?;
        Ok(Hypercube { dimensions })
    }
}

impl Topology for Hypercube {
    fn name(&self) -> String {
        format!("{}:{}", KIND.name, self.nodes())
    }

    fn nodes(&self) -> usize {
        1 << self.dimensions
    }

    fn links(&self) -> usize {
        (self.dimensions as usize) << self.dimensions
    }

    fn link(&self, link: LinkId) -> Link {
        let links = self.links();
        assert!(link < links, "link {link} of {}, which has {links} links", self.name());
        let (dimension, from) = (link >> self.dimensions, link & (self.nodes() - 1));
        Link { from: Vertex::Node(from), to: Vertex::Node(from ^ (1 << dimension)) }
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        let nodes = self.nodes();
        assert!(from < nodes && to < nodes, "a route from {from} to {to} on {}", self.name());
        let mut here = from;
        while here != to {
            let dimension = (here ^ to).trailing_zeros();
            route.push(((dimension as usize) << self.dimensions) | here);
            here ^= 1 << dimension;
        }
    }

    fn longest_route(&self) -> Option<usize> {
        Some(self.dimensions as usize)
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tests::visited;

    #[test]
    fn the_lowest_differing_dimension_is_crossed_first() {
        let cube = Hypercube::new(16).unwrap();
        assert_eq!(visited(&cube, 0b0000, 0b1011), [0b0000, 0b0001, 0b0011, 0b1011]);
        assert_eq!(visited(&cube, 0b1011, 0b0000), [0b1011, 0b1010, 0b1000, 0b0000]);
        assert_eq!(visited(&cube, 0b0110, 0b0011), [0b0110, 0b0111, 0b0011]);
    }

    #[test]
    fn route_length_is_the_hamming_distance() {
        let cube = Hypercube::new(32).unwrap();
        for from in 0..32_usize {
            for to in 0..32 {
                assert_eq!(visited(&cube, from, to).len() - 1, (from ^ to).count_ones() as usize);
            }
        }
    }

    #[test]
    fn links_are_numbered_by_dimension_and_then_by_node() {
        let cube = Hypercube::new(4).unwrap();
        let ends: Vec<(Vertex, Vertex)> =
            (0..8).map(|link| (cube.link(link).from, cube.link(link).to)).collect();
        let expected = [(0, 1), (1, 0), (2, 3), (3, 2), (0, 2), (1, 3), (2, 0), (3, 1)];
        assert_eq!(ends, expected.map(|(from, to)| (Vertex::Node(from), Vertex::Node(to))));
    }

    #[test]
    fn a_single_node_has_no_links() {
        assert_eq!(Hypercube::new(1).unwrap().links(), 0);
    }

    #[test]
    fn invalid_numbers_of_nodes_are_refused() {
        let refusal = |nodes| Hypercube::new(nodes).unwrap_err();
        assert_eq!(refusal(12).to_string(), "a hypercube cannot have 12 nodes; allowed are powers of two");
        assert_eq!(refusal(0), TopologyError::Empty { given: "0".to_owned() });
        assert!(Hypercube::new(1 << 26).is_ok());
        assert_eq!(refusal(1 << 27), TopologyError::TooManyLinks { given: (1 << 27).to_string() });
        assert_eq!(refusal(1 << 29), TopologyError::TooLarge { given: (1 << 29).to_string() });
    }
}
