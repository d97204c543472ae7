//! The ring: nodes in a circle, each linked to its two neighbours. It is a torus of one dimension.
//!
//! A message takes the shorter direction. If both directions are equally long it goes right: towards higher ranks, and
//! from the last node to node 0.
//!
//! With `n` nodes, link `i` leads from node `i` to its right neighbour, and link `n + i` leads from this neighbour to
//! node `i`. Two nodes have one physical link, links 0 and 1; a single node has none.

use std::sync::Arc;

use super::{
    Grid, Link, LinkId, Topology, TopologyError, TopologyKind,
    lattice::{Boundary, Lattice},
    read_nodes,
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// The registry entry of the ring, spelled `ring:8`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "ring",
    shape: "NODES",
    read: |shape, _| Ok(Arc::new(Ring::new(read_nodes(shape)?)?)),
};

/// A ring of nodes; a route takes the shorter direction.
///
/// ```
/// use multicomputer::topology::{Ring, Topology};
///
/// let ring = Ring::new(8)?;
/// assert_eq!((ring.nodes(), ring.links()), (8, 16));
/// assert_eq!(ring.grid().map(|grid| grid.to_string()).as_deref(), Some("1x8"));
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    circle: Lattice,
}

impl Ring {
    /// Creates a ring of `nodes` nodes: at least 1, at most [`MAX_NODES`](super::MAX_NODES).
    ///
    /// # Errors
    /// [`TopologyError::Empty`] without a node, [`TopologyError::TooLarge`] with too many.
    pub fn new(nodes: usize) -> Result<Ring, TopologyError> {
        Ok(Ring { circle: Lattice::new([nodes], Boundary::Closed)? })
    }
}

impl Topology for Ring {
    fn name(&self) -> String {
        format!("{}:{}", KIND.name, self.circle)
    }

    fn nodes(&self) -> usize {
        self.circle.nodes()
    }

    fn links(&self) -> usize {
        self.circle.links()
    }

    fn link(&self, link: LinkId) -> Link {
        self.circle.link(link, || self.name())
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        self.circle.route(from, to, route, || self.name());
    }

    fn longest_route(&self) -> Option<usize> {
        Some(self.circle.longest_route())
    }

    fn grid(&self) -> Option<Grid> {
        self.circle.grid()
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
    fn routes_go_the_shorter_way_round_and_right_if_both_are_equal() {
        let ring = Ring::new(6).unwrap();
        assert_eq!(visited(&ring, 1, 3), [1, 2, 3]);
        assert_eq!(visited(&ring, 3, 1), [3, 2, 1]);
        assert_eq!(visited(&ring, 5, 1), [5, 0, 1]);
        assert_eq!(visited(&ring, 1, 5), [1, 0, 5]);
        assert_eq!(visited(&ring, 1, 4), [1, 2, 3, 4], "both ways are three");
        assert_eq!(visited(&ring, 4, 1), [4, 5, 0, 1], "both ways are three");
    }

    #[test]
    fn links_are_numbered_by_the_node_on_their_left() {
        let ring = Ring::new(3).unwrap();
        let links: Vec<String> = (0..6).map(|link| ring.link(link).to_string()).collect();
        assert_eq!(
            links,
            [
                "node 0 -> node 1",
                "node 1 -> node 2",
                "node 2 -> node 0",
                "node 1 -> node 0",
                "node 2 -> node 1",
                "node 0 -> node 2",
            ]
        );
    }

    #[test]
    fn two_nodes_have_one_physical_link_and_one_has_none() {
        assert_eq!(Ring::new(2).unwrap().links(), 2);
        assert_eq!(Ring::new(1).unwrap().links(), 0);
    }

    #[test]
    fn a_ring_without_nodes_is_refused() {
        assert_eq!(Ring::new(0), Err(TopologyError::Empty { given: "0".to_owned() }));
    }
}
