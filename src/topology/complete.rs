//! The complete graph: one link for every ordered pair of nodes, so messages of different pairs never share a link.
//!
//! A message takes the link to its receiver.
//!
//! The directed links are numbered by the node that they leave, and then by the node that they reach, where the node
//! that they leave is not counted.

use std::sync::Arc;

use super::{
    Link, LinkId, Topology, TopologyError, TopologyKind, Vertex, check_extents, check_links, read_nodes,
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// The registry entry of the complete graph, spelled `complete:8`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "complete",
    shape: "NODES",
    read: |shape, _| Ok(Arc::new(Complete::new(read_nodes(shape)?)?)),
};

/// A complete graph of nodes.
///
/// ```
/// use multicomputer::topology::{Complete, Topology};
///
/// let complete = Complete::new(8)?;
/// assert_eq!((complete.nodes(), complete.links()), (8, 56));
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complete {
    nodes: usize,
}

impl Complete {
    /// Creates a complete graph of `nodes` nodes: at least 1, at most 46,341, so that there are at most
    /// [`MAX_LINKS`](super::MAX_LINKS) links.
    ///
    /// # Errors
    /// [`TopologyError::Empty`] without a node, [`TopologyError::TooLarge`] with too many,
    /// [`TopologyError::TooManyLinks`] with too many links.
    pub fn new(nodes: usize) -> Result<Complete, TopologyError> {
        check_extents(&nodes, &[nodes])?;
        check_links(&nodes, nodes.checked_mul(nodes - 1))?;
        Ok(Complete { nodes })
    }

    /// The number of links that leave one node.
    fn others(&self) -> usize {
        self.nodes - 1
    }
}

impl Topology for Complete {
    fn name(&self) -> String {
        format!("{}:{}", KIND.name, self.nodes)
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn links(&self) -> usize {
        self.nodes * self.others()
    }

    fn link(&self, link: LinkId) -> Link {
        let links = self.links();
        assert!(link < links, "link {link} of {}, which has {links} links", self.name());
        let (from, other) = (link / self.others(), link % self.others());
        let to = if other < from { other } else { other + 1 };
        Link { from: Vertex::Node(from), to: Vertex::Node(to) }
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        assert!(from < self.nodes && to < self.nodes, "a route from {from} to {to} on {}", self.name());
        if from != to {
            let other = if to < from { to } else { to - 1 };
            route.push(from * self.others() + other);
        }
    }

    fn longest_route(&self) -> Option<usize> {
        Some(self.others().min(1))
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
    fn every_other_node_is_one_link_away() {
        let complete = Complete::new(5).unwrap();
        for from in 0..5 {
            for to in (0..5).filter(|&to| to != from) {
                assert_eq!(visited(&complete, from, to), [from, to]);
            }
        }
    }

    #[test]
    fn links_are_numbered_by_their_ends() {
        let complete = Complete::new(3).unwrap();
        let ends: Vec<(Vertex, Vertex)> =
            (0..6).map(|link| (complete.link(link).from, complete.link(link).to)).collect();
        let expected = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
        assert_eq!(ends, expected.map(|(from, to)| (Vertex::Node(from), Vertex::Node(to))));
    }

    #[test]
    fn a_single_node_has_no_links() {
        assert_eq!(Complete::new(1).unwrap().links(), 0);
    }

    #[test]
    fn too_many_links_are_refused() {
        assert!(Complete::new(46_341).is_ok());
        assert_eq!(Complete::new(46_342), Err(TopologyError::TooManyLinks { given: "46342".to_owned() }));
        assert_eq!(Complete::new(0), Err(TopologyError::Empty { given: "0".to_owned() }));
    }
}
