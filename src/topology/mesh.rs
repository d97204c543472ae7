//! The two-dimensional mesh without wraparound links, the network of the Intel Paragon and the Touchstone Delta.
//!
//! Ranks are row-major. Routing is dimension-ordered: a message goes along its row to the column of the receiver
//! (X) and then along that column (Y).
//!
//! The directed links are numbered in four blocks, one for each direction: east, west, south, north. In the blocks east
//! and west a link has the number of its west end, counted without the last column; in the blocks south and north it
//! has the rank of its north end. The numbers of consecutive links of a row or column are therefore an arithmetic
//! progression, and the ends of a link are computed from its number without a table.

use std::sync::Arc;

use super::{
    Grid, Link, LinkId, Mesh3d, Topology, TopologyError, TopologyKind, Vertex, lattice,
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// The registry entry of the mesh, spelled `mesh:16x32` or [`mesh:8x16x32`](Mesh3d).
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "mesh",
    shape: lattice::SHAPE,
    read: |shape, _| {
        Ok(match lattice::read_shape(shape)? {
            (None, rows, columns) => Arc::new(Mesh::new(rows, columns)?),
            (Some(planes), rows, columns) => Arc::new(Mesh3d::new(planes, rows, columns)?),
        })
    },
};

/// A two-dimensional mesh of nodes with X-then-Y routing and no wraparound links.
///
/// ```
/// use multicomputer::topology::{Mesh, Topology};
///
/// let mesh = Mesh::new(16, 32)?;
/// assert_eq!((mesh.nodes(), mesh.links()), (512, 1952));
/// assert_eq!(mesh.name(), "mesh:16x32");
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mesh {
    grid: Grid,
}

impl Mesh {
    /// Creates a mesh of `rows` rows and `columns` columns, each at least 1, with at most
    /// [`MAX_NODES`](super::MAX_NODES) nodes.
    ///
    /// # Errors
    /// [`TopologyError::Empty`] without a row or a column, [`TopologyError::TooLarge`] with too many nodes.
    pub fn new(rows: usize, columns: usize) -> Result<Mesh, TopologyError> {
        Ok(Mesh { grid: Grid::new(rows, columns)? })
    }

    /// The number of physical links within one row.
    fn row_links(&self) -> usize {
        self.grid.columns - 1
    }

    /// The first links of the blocks west, south and north, and the end of the block north. The block east begins at 0.
    fn blocks(&self) -> (LinkId, LinkId, LinkId, LinkId) {
        let horizontal = self.grid.rows * self.row_links();
        let vertical = (self.grid.rows - 1) * self.grid.columns;
        (horizontal, 2 * horizontal, 2 * horizontal + vertical, 2 * (horizontal + vertical))
    }
}

impl Topology for Mesh {
    fn name(&self) -> String {
        format!("{}:{}", KIND.name, self.grid)
    }

    fn nodes(&self) -> usize {
        self.grid.nodes()
    }

    fn links(&self) -> usize {
        let (.., end) = self.blocks();
        end
    }

    fn link(&self, link: LinkId) -> Link {
        let (west, south, north, end) = self.blocks();
        assert!(link < end, "link {link} of {}, which has {end} links", self.name());
        let horizontal = |number: usize| {
            let rank = self.grid.rank(number / self.row_links(), number % self.row_links());
            (rank, rank + 1)
        };
        let vertical = |rank: Rank| (rank, rank + self.grid.columns);
        let forward = |(from, to)| Link { from: Vertex::Node(from), to: Vertex::Node(to) };
        let backward = |(to, from)| forward((from, to));
        if link < west {
            forward(horizontal(link))
        } else if link < south {
            backward(horizontal(link - west))
        } else if link < north {
            forward(vertical(link - south))
        } else {
            backward(vertical(link - north))
        }
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        let nodes = self.nodes();
        assert!(from < nodes && to < nodes, "a route from {from} to {to} on {}", self.name());
        let (west, south, north, _) = self.blocks();
        let (row, column) = self.grid.coordinates(from);
        let (to_row, to_column) = self.grid.coordinates(to);

        let first = row * self.row_links();
        if column <= to_column {
            route.extend(first + column..first + to_column);
        } else {
            route.extend((west + first + to_column..west + first + column).rev());
        }

        let columns = self.grid.columns;
        if row <= to_row {
            route.extend((row..to_row).map(|row| south + row * columns + to_column));
        } else {
            route.extend((to_row..row).rev().map(|row| north + row * columns + to_column));
        }
    }

    fn longest_route(&self) -> Option<usize> {
        Some(self.grid.rows - 1 + self.grid.columns - 1)
    }

    fn grid(&self) -> Option<Grid> {
        Some(self.grid)
    }

    fn extents(&self) -> Vec<usize> {
        vec![self.grid.rows, self.grid.columns]
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::Index};

    use super::*;
    use crate::topology::tests::{checked_route, visited};

    /// Generates meshes of any shape: single nodes, rows, columns and other meshes are equally likely.
    fn meshes() -> impl Strategy<Value = Mesh> {
        prop_oneof![Just((1, 1)), (Just(1), 1..40_usize), (1..40_usize, Just(1)), (1..24_usize, 1..24_usize),]
            .prop_map(|(rows, columns)| Mesh::new(rows, columns).unwrap())
    }

    /// Returns the row and column of a vertex of a mesh.
    fn place(mesh: &Mesh, vertex: Vertex) -> (usize, usize) {
        match vertex {
            Vertex::Node(rank) => mesh.grid.coordinates(rank),
            Vertex::Switch(_) => panic!("a mesh has no switches"),
        }
    }

    proptest! {
        #[test]
        fn routes_are_shortest_and_go_along_the_row_first(
            mesh in meshes(), from in any::<Index>(), to in any::<Index>()
        ) {
            let (from, to) = (from.index(mesh.nodes()), to.index(mesh.nodes()));
            let route = checked_route(&mesh, from, to);

            let ((row, column), (to_row, to_column)) = (mesh.grid.coordinates(from), mesh.grid.coordinates(to));
            let (x, y) = (column.abs_diff(to_column), row.abs_diff(to_row));
            prop_assert_eq!(route.len(), x + y, "the Manhattan distance");
            for (step, &link) in route.iter().enumerate() {
                let Link { from, to } = mesh.link(link);
                let (from, to) = (place(&mesh, from), place(&mesh, to));
                prop_assert_eq!(from.0 == to.0, step < x, "step {} along the row", step);
            }
        }

        #[test]
        fn every_number_is_a_link_between_neighbours_and_every_link_has_one_number(mesh in meshes()) {
            let Grid { rows, columns } = mesh.grid;
            prop_assert_eq!(mesh.links(), 2 * (rows * (columns - 1) + (rows - 1) * columns));
            for number in 0..mesh.links() {
                let Link { from: Vertex::Node(from), to: Vertex::Node(to) } = mesh.link(number) else {
                    panic!("a mesh has no switches");
                };
                // Between neighbours the route is the link itself: numbers and links correspond one to one.
                prop_assert_eq!(checked_route(&mesh, from, to), vec![number]);
            }
        }
    }

    #[test]
    fn the_links_of_the_smallest_square() {
        let mesh = Mesh::new(2, 2).unwrap();
        let links: Vec<String> = (0..mesh.links()).map(|link| mesh.link(link).to_string()).collect();
        assert_eq!(
            links,
            [
                "node 0 -> node 1",
                "node 2 -> node 3",
                "node 1 -> node 0",
                "node 3 -> node 2",
                "node 0 -> node 2",
                "node 1 -> node 3",
                "node 2 -> node 0",
                "node 3 -> node 1",
            ]
        );
    }

    #[test]
    fn the_longest_route_connects_opposite_corners() {
        let mesh = Mesh::new(3, 3).unwrap();
        assert_eq!(visited(&mesh, 8, 0), [8, 7, 6, 3, 0]);
    }

    #[test]
    #[should_panic(expected = "link 8 of mesh:2x2, which has 8 links")]
    fn a_link_out_of_range_panics() {
        Mesh::new(2, 2).unwrap().link(8);
    }

    #[test]
    #[should_panic(expected = "a route from 0 to 4 on mesh:2x2")]
    fn a_rank_out_of_range_panics() {
        Mesh::new(2, 2).unwrap().route(0, 4, &mut Vec::new());
    }
}
