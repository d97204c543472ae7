//! The three-dimensional mesh without wraparound links, spelled as a [mesh](super::Mesh) of three extents.
//!
//! Ranks are row-major: by plane, row and column. Routing is dimension-ordered, as on the two-dimensional mesh: a
//! message goes along its row to the column of the receiver (X), then to its row (Y), then to its plane (Z).
//!
//! The directed links are numbered in six blocks, one for each direction: X up, X down, Y up, Y down, Z up, Z down,
//! where up is towards higher coordinates. Within a block a link has the number of its lower end in row-major order,
//! counted without the last node of each line of that dimension, which has no link up.

use super::{
    Link, LinkId, Topology, TopologyError,
    lattice::{Boundary, Lattice},
    mesh,
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// A three-dimensional mesh of nodes with X-then-Y-then-Z routing and no wraparound links.
///
/// ```
/// use multicomputer::topology::{Mesh3d, Topology};
///
/// let mesh = Mesh3d::new(2, 4, 8)?;
/// assert_eq!((mesh.nodes(), mesh.links()), (64, 2 * (56 + 48 + 32)));
/// assert_eq!(mesh.name(), "mesh:2x4x8");
/// assert_eq!(mesh.extents(), [2, 4, 8]);
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mesh3d {
    lattice: Lattice,
}

impl Mesh3d {
    /// Creates a mesh of `planes` planes, `rows` rows and `columns` columns, each at least 1, with at most
    /// [`MAX_NODES`](super::MAX_NODES) nodes.
    ///
    /// # Errors
    /// [`TopologyError::Empty`] without a plane, a row or a column, [`TopologyError::TooLarge`] with too many nodes,
    /// [`TopologyError::TooManyLinks`] with too many links.
    pub fn new(planes: usize, rows: usize, columns: usize) -> Result<Mesh3d, TopologyError> {
        Ok(Mesh3d { lattice: Lattice::new([planes, rows, columns], Boundary::Open)? })
    }
}

impl Topology for Mesh3d {
    fn name(&self) -> String {
        format!("{}:{}", mesh::KIND.name, self.lattice)
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
    use crate::topology::{Mesh, tests::visited};

    #[test]
    fn a_route_goes_along_the_row_then_to_the_row_then_to_the_plane() {
        let mesh = Mesh3d::new(3, 3, 3).unwrap();
        assert_eq!(visited(&mesh, 0, 26), [0, 1, 2, 5, 8, 17, 26]);
        assert_eq!(visited(&mesh, 26, 0), [26, 25, 24, 21, 18, 9, 0]);
    }

    #[test]
    fn one_plane_is_a_two_dimensional_mesh_link_for_link() {
        for (rows, columns) in [(1, 1), (1, 5), (5, 1), (3, 4), (4, 3)] {
            let flat = Mesh::new(rows, columns).unwrap();
            let mesh = Mesh3d::new(1, rows, columns).unwrap();
            assert_eq!(mesh.links(), flat.links());
            assert!((0..flat.links()).all(|link| mesh.link(link) == flat.link(link)));
        }
    }

    #[test]
    fn the_links_of_the_smallest_cube() {
        let mesh = Mesh3d::new(2, 2, 2).unwrap();
        let links: Vec<String> = (0..mesh.links()).map(|link| mesh.link(link).to_string()).collect();
        let up =
            [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
        let expected = up.chunks(4).flat_map(|block| {
            let towards = |from, to| format!("node {from} -> node {to}");
            let up = block.iter().map(move |&[low, high]| towards(low, high));
            up.chain(block.iter().map(move |&[low, high]| towards(high, low)))
        });
        assert!(links.iter().eq(expected.collect::<Vec<_>>().iter()), "{links:?}");
    }

    #[test]
    fn too_many_links_are_refused() {
        assert!(Mesh3d::new(1, 1 << 14, 1 << 14).is_ok());
        assert_eq!(
            Mesh3d::new(1 << 9, 1 << 10, (1 << 10) - 1),
            Err(TopologyError::TooManyLinks { given: "512x1024x1023".to_owned() })
        );
    }
}
