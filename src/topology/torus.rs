//! The torus of two or three dimensions: a mesh whose lines are closed to rings. In three dimensions it is the
//! network of the Cray T3D.
//!
//! Ranks are row-major: by plane, row and column. Routing is dimension-ordered, as on the T3D: a message first goes
//! along its row to the column of the receiver (X), then to its row (Y), then to its plane (Z). In each dimension it
//! takes the shorter direction; if both are equally long, the direction towards higher coordinates.
//!
//! The directed links are numbered in two blocks for each dimension: X up, X down, Y up, Y down, Z up, Z down, where
//! up is towards higher coordinates and, from the last, to coordinate 0. Within a block a link has the rank of its
//! lower end: the node that a link up leaves and that a link down reaches. A line of two nodes has one physical link,
//! so its second node is not counted; a line of a single node has none.

use std::sync::Arc;

use super::{
    Grid, Link, LinkId, Topology, TopologyError, TopologyKind,
    lattice::{self, Boundary, Lattice},
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// The registry entry of the torus, spelled `torus:4x8` or `torus:4x4x8`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "torus",
    shape: lattice::SHAPE,
    read: |shape, _| {
        Ok(Arc::new(match lattice::read_shape(shape)? {
            (None, rows, columns) => Torus::new(rows, columns)?,
            (Some(planes), rows, columns) => Torus::new_3d(planes, rows, columns)?,
        }))
    },
};

/// A torus of nodes of two or three dimensions with dimension-ordered routing, in the shorter direction of each
/// dimension.
///
/// ```
/// use multicomputer::topology::{Topology, Torus};
///
/// let torus = Torus::new_3d(4, 4, 8)?;
/// assert_eq!((torus.nodes(), torus.links()), (128, 6 * 128));
/// assert_eq!(torus.name(), "torus:4x4x8");
/// assert_eq!(torus.extents(), [4, 4, 8]);
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torus {
    lattice: Lattice,
}

impl Torus {
    /// Creates a two-dimensional torus of `rows` rows and `columns` columns, each at least 1, with at most
    /// [`MAX_NODES`](super::MAX_NODES) nodes.
    ///
    /// # Errors
    /// [`TopologyError::Empty`] without a row or a column, [`TopologyError::TooLarge`] with too many nodes.
    pub fn new(rows: usize, columns: usize) -> Result<Torus, TopologyError> {
        Ok(Torus { lattice: Lattice::new([rows, columns], Boundary::Closed)? })
    }

    /// Creates a three-dimensional torus of `planes` planes, `rows` rows and `columns` columns.
    ///
    /// # Errors
    /// As [`Torus::new`], and [`TopologyError::TooManyLinks`] with more than [`MAX_LINKS`](super::MAX_LINKS) links.
    pub fn new_3d(planes: usize, rows: usize, columns: usize) -> Result<Torus, TopologyError> {
        Ok(Torus { lattice: Lattice::new([planes, rows, columns], Boundary::Closed)? })
    }
}

impl Topology for Torus {
    fn name(&self) -> String {
        format!("{}:{}", KIND.name, self.lattice)
    }

    fn nodes(&self) -> usize {
        self.lattice.nodes()
    }

    fn links(&self) -> usize {
        self.lattice.links()
    }

    fn link(&self, link: LinkId) -> Link {
        self.lattice.link(link, || self.name())
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        self.lattice.route(from, to, route, || self.name());
    }

    fn longest_route(&self) -> Option<usize> {
        Some(self.lattice.longest_route())
    }

    fn grid(&self) -> Option<Grid> {
        self.lattice.grid()
    }

    fn extents(&self) -> Vec<usize> {
        self.lattice.extents()
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Mesh3d, tests::visited};

    #[test]
    fn a_route_takes_the_shorter_way_round_in_each_dimension() {
        let torus = Torus::new(5, 5).unwrap();
        assert_eq!(visited(&torus, 0, 12), [0, 1, 2, 7, 12]);
        assert_eq!(visited(&torus, 0, 18), [0, 4, 3, 23, 18]);
        assert_eq!(visited(&torus, 18, 0), [18, 19, 15, 20, 0]);
        let torus = Torus::new_3d(4, 4, 4).unwrap();
        assert_eq!(visited(&torus, 0, 63), [0, 3, 15, 63]);
    }

    /// Tests distances of two in lines of four, where both directions are equally long, in each dimension and from both
    /// ends.
    #[test]
    fn ties_are_broken_towards_higher_coordinates() {
        let torus = Torus::new(4, 4).unwrap();
        assert_eq!(visited(&torus, 0, 10), [0, 1, 2, 6, 10]);
        assert_eq!(visited(&torus, 10, 0), [10, 11, 8, 12, 0]);
    }

    #[test]
    fn lines_of_at_most_two_nodes_are_open() {
        let mesh = Mesh3d::new(1, 2, 2).unwrap();
        let torus = Torus::new_3d(1, 2, 2).unwrap();
        assert_eq!(torus.links(), 8);
        assert!((0..8).all(|link| torus.link(link) == mesh.link(link)));
        assert_eq!(Torus::new(1, 1).unwrap().links(), 0);
        assert_eq!(Torus::new(2, 3).unwrap().links(), 2 * (6 + 3));
    }

    #[test]
    fn the_diameter_is_half_of_each_extent() {
        let torus = Torus::new_3d(4, 5, 6).unwrap();
        let longest = (0..torus.nodes()).map(|to| visited(&torus, 0, to).len() - 1).max();
        assert_eq!(longest, Some(2 + 2 + 3));
    }

    #[test]
    fn a_two_dimensional_torus_is_a_grid() {
        assert_eq!(Torus::new(2, 3).unwrap().grid(), Some(Grid { rows: 2, columns: 3 }));
        assert_eq!(Torus::new(2, 3).unwrap().extents(), [2, 3]);
        assert_eq!(Torus::new_3d(1, 2, 3).unwrap().grid(), None);
        assert_eq!(Torus::new_3d(1, 2, 3).unwrap().extents(), [1, 2, 3]);
    }

    #[test]
    fn too_many_links_are_refused() {
        assert_eq!(
            Torus::new_3d(1 << 9, 1 << 10, 700),
            Err(TopologyError::TooManyLinks { given: "512x1024x700".to_owned() })
        );
        assert_eq!(Torus::new(0, 4), Err(TopologyError::Empty { given: "0x4".to_owned() }));
    }
}
