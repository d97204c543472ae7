//! The linear array: nodes side by side, each linked to its two neighbours. It is a mesh of a single row.

use std::sync::Arc;

use super::{
    Grid, Link, LinkId, Mesh, Topology, TopologyError, TopologyKind, check_extents, read_nodes,
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// The registry entry of the line, spelled `line:8`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "line",
    shape: "NODES",
    read: |shape, _| Ok(Arc::new(Line::new(read_nodes(shape)?)?)),
};

/// A linear array of nodes.
///
/// ```
/// use multicomputer::topology::{Line, Topology};
///
/// let line = Line::new(8)?;
/// assert_eq!((line.nodes(), line.links()), (8, 14));
/// assert_eq!(line.grid().map(|grid| grid.to_string()).as_deref(), Some("1x8"));
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    row: Mesh,
}

impl Line {
    /// Creates a line of `nodes` nodes: at least 1, at most [`MAX_NODES`](super::MAX_NODES).
    ///
    /// # Errors
    /// [`TopologyError::Empty`] without a node, [`TopologyError::TooLarge`] with too many.
    pub fn new(nodes: usize) -> Result<Line, TopologyError> {
        check_extents(&nodes, &[nodes])?;
        Ok(Line { row: Mesh::new(1, nodes)? })
    }
}

impl Topology for Line {
    fn name(&self) -> String {
        format!("{}:{}", KIND.name, self.nodes())
    }

    fn nodes(&self) -> usize {
        self.row.nodes()
    }

    fn links(&self) -> usize {
        self.row.links()
    }

    fn link(&self, link: LinkId) -> Link {
        self.row.link(link)
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        self.row.route(from, to, route);
    }

    fn longest_route(&self) -> Option<usize> {
        self.row.longest_route()
    }

    fn grid(&self) -> Option<Grid> {
        self.row.grid()
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tests::checked_route;

    #[test]
    fn routes_use_the_links_between_the_two_nodes() {
        for nodes in 1..10 {
            let line = Line::new(nodes).unwrap();
            for from in 0..nodes {
                for to in 0..nodes {
                    assert_eq!(checked_route(&line, from, to).len(), from.abs_diff(to));
                }
            }
        }
    }

    #[test]
    fn a_single_node_has_no_links() {
        assert_eq!(Line::new(1).unwrap().links(), 0);
    }

    #[test]
    fn a_line_without_nodes_is_refused() {
        assert_eq!(Line::new(0), Err(TopologyError::Empty { given: "0".to_owned() }));
    }
}
