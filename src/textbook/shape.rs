//! The ranks of a group, arranged as a grid, for algorithms that work dimension by dimension.

use crate::{collective::Task, rank::Rank};

/// A grid of ranks: the extent of each dimension and the rank at each position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Number of positions along each dimension; the last dimension varies fastest.
    pub(super) extents: Vec<usize>,
    /// The rank at each position.
    pub(super) ranks: Vec<Rank>,
}

impl Shape {
    /// Returns all ranks as one line, as on rings, hypercubes and trees.
    pub(super) fn line(task: &Task) -> Shape {
        Shape { extents: vec![task.size()], ranks: (0..task.size()).collect() }
    }

    /// Returns the grid that the members of a task form on the machine: the whole grid of any dimension, or a rectangle of its rows and
    /// columns. Other groups, including single rows and columns of a machine, are arranged in rank order as the rectangle nearest to a
    /// square with no more rows than columns; a prime number of ranks is one row.
    pub(super) fn mesh(task: &Task) -> Shape {
        let layout = task.layout();
        let extents = task.machine().topology().extents();
        if extents.len() > 1 && layout.size() == task.machine().nodes() && layout.ranks.is_sorted() {
            return Shape { extents, ranks: layout.ranks };
        }
        if layout.grid.rows > 1 && layout.grid.columns > 1 {
            return Shape { extents: vec![layout.grid.rows, layout.grid.columns], ranks: layout.ranks };
        }
        let size = task.size();
        let divides = |&rows: &usize| rows * rows <= size && size.is_multiple_of(rows);
        let rows = (1..=size).take_while(|rows| rows * rows <= size).filter(divides).last().unwrap_or(1);
        Shape { extents: vec![rows, size / rows], ranks: (0..size).collect() }
    }

    /// Returns the distance in `ranks` between neighbours along a dimension.
    pub(super) fn stride(&self, dimension: usize) -> usize {
        self.extents[dimension + 1..].iter().product()
    }

    /// Returns the coordinate of the position `place` along a dimension.
    pub(super) fn coordinate(&self, place: usize, dimension: usize) -> usize {
        place / self.stride(dimension) % self.extents[dimension]
    }

    /// Returns the ranks of every line along a dimension.
    pub(super) fn lines(&self, dimension: usize) -> Vec<Vec<Rank>> {
        let (stride, extent) = (self.stride(dimension), self.extents[dimension]);
        (0..self.ranks.len())
            .filter(|&place| self.coordinate(place, dimension) == 0)
            .map(|first| (0..extent).map(|step| self.ranks[first + step * stride]).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::Operation;

    fn mesh(machine: &str, members: &[Rank]) -> Shape {
        let task = Task::builder(&machine.parse().unwrap(), Operation::Broadcast).members(members).build();
        Shape::mesh(&task.unwrap())
    }

    #[test]
    fn other_groups_get_nearly_square_grids() {
        let eight: Vec<Rank> = (0..8).collect();
        for line in ["line:8", "ring:8", "hypercube:8", "tree:8"] {
            assert_eq!(mesh(line, &eight).extents, [2, 4], "{line}");
        }
        assert_eq!(mesh("mesh:8x4", &[0, 4, 8, 12, 16, 20, 24, 28]).extents, [2, 4], "a column");
        assert_eq!(mesh("mesh:4x8", &eight).extents, [2, 4], "a row");
        let extents = |nodes: usize| mesh("line:40", &(0..nodes).collect::<Vec<_>>()).extents;
        assert_eq!([1, 7, 8, 12, 16, 33].map(extents), [[1, 1], [1, 7], [2, 4], [3, 4], [4, 4], [3, 11]]);
    }

    #[test]
    fn grids_are_those_of_the_machine() {
        let whole = [("mesh:2x5", &[2, 5][..]), ("mesh:1x4", &[1, 4]), ("torus:4x1", &[4, 1])];
        for (machine, extents) in whole {
            let all: Vec<Rank> = (0..extents.iter().product()).collect();
            assert_eq!(mesh(machine, &all).extents, extents);
        }
        assert_eq!(mesh("mesh:3x5", &[1, 2, 6, 7, 11, 12]).extents, [3, 2]);
    }

    #[test]
    fn lines_run_along_each_dimension() {
        let shape = Shape { extents: vec![2, 2, 3], ranks: (0..12).collect() };
        assert_eq!(shape.lines(2)[1], [3, 4, 5]);
        assert_eq!(shape.lines(1)[4], [7, 10]);
        assert_eq!(shape.lines(0)[5], [5, 11]);
        assert_eq!([0, 1, 2].map(|dimension| shape.lines(dimension).len()), [6, 6, 4]);
    }
}
