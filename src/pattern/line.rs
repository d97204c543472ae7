//! Lines through a mesh: node orders for algorithms such as [`Halving`](super::Halving).

use crate::{rank::Rank, topology::Grid};

/// Returns the ranks of the mesh in snake order, in which neighbours on the line are neighbours in the mesh: the first row from left to
/// right, the second from right to left, and so on.
///
/// Source: Hambrusch, Khokhar, Liu, "S-to-P Broadcasting on Coarse-Grained Machines", CSD-TR-95-060, section 2.
///
/// ```
/// use multicomputer::{pattern::line, topology::Grid};
/// assert_eq!(line::snake(Grid { rows: 3, columns: 3 }), [0, 1, 2, 5, 4, 3, 6, 7, 8]);
/// ```
pub fn snake(grid: Grid) -> Vec<Rank> {
    let mut line = Vec::with_capacity(grid.nodes());
    for row in 0..grid.rows {
        let ranks = (0..grid.columns).map(|column| grid.rank(row, column));
        if row % 2 == 0 {
            line.extend(ranks);
        } else {
            line.extend(ranks.rev());
        }
    }
    line
}

/// Returns the rows of the mesh, each from left to right.
pub fn rows(grid: Grid) -> Vec<Vec<Rank>> {
    let row = |row| (0..grid.columns).map(|column| grid.rank(row, column)).collect();
    (0..grid.rows).map(row).collect()
}

/// Returns the columns of the mesh, each from top to bottom.
pub fn columns(grid: Grid) -> Vec<Vec<Rank>> {
    let column = |column| (0..grid.rows).map(|row| grid.rank(row, column)).collect();
    (0..grid.columns).map(column).collect()
}

/// Returns the position of each rank on a line of all ranks.
pub fn positions(line: &[Rank]) -> Vec<usize> {
    let mut positions = vec![0; line.len()];
    for (position, &rank) in line.iter().enumerate() {
        positions[rank] = position;
    }
    positions
}

/// Returns a line on which every segment of [`Halving`](super::Halving) is a compact part of the mesh: the nodes are cut in two across the
/// longer side of the area that they cover, where the first part is larger by at most one node; each part is cut recursively.
///
/// On this line, halving sends short messages over long distances and long messages over short distances. On a mesh whose sides are powers
/// of two all parts are rectangles.
///
/// ```
/// use multicomputer::{pattern::line, topology::Grid};
/// assert_eq!(line::bisection(Grid { rows: 2, columns: 4 }), [0, 1, 4, 5, 2, 3, 6, 7]);
/// ```
pub fn bisection(grid: Grid) -> Vec<Rank> {
    let mut line: Vec<Rank> = (0..grid.nodes()).collect();
    bisect(grid, &mut line);
    line
}

fn bisect(grid: Grid, part: &mut [Rank]) {
    if part.len() < 2 {
        return;
    }
    let extent = |along: fn((usize, usize)) -> usize| {
        let places = || part.iter().map(|&rank| along(grid.coordinates(rank)));
        places().max().unwrap_or(0) - places().min().unwrap_or(0)
    };
    if extent(|(row, _)| row) >= extent(|(_, column)| column) {
        part.sort_unstable_by_key(|&rank| grid.coordinates(rank));
    } else {
        part.sort_unstable_by_key(|&rank| {
            let (row, column) = grid.coordinates(rank);
            (column, row)
        });
    }
    let (first, second) = part.split_at_mut(part.len().div_ceil(2));
    bisect(grid, first);
    bisect(grid, second);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_every_node_once() {
        for (rows, columns) in [(1, 1), (1, 7), (6, 1), (3, 5), (8, 8), (7, 13)] {
            let grid = Grid { rows, columns };
            let all: Vec<Rank> = (0..grid.nodes()).collect();
            for mut line in
                [snake(grid), bisection(grid), super::rows(grid).concat(), super::columns(grid).concat()]
            {
                line.sort_unstable();
                assert_eq!(line, all, "{grid}");
            }
        }
    }

    #[test]
    fn bisection_makes_rectangles_of_powers_of_two() {
        let grid = Grid { rows: 8, columns: 8 };
        for (size, side) in [(32, [4, 8]), (16, [4, 4]), (8, [2, 4]), (4, [2, 2])] {
            for part in bisection(grid).chunks(size) {
                let covered = |along: fn((usize, usize)) -> usize| {
                    let places = || part.iter().map(|&rank| along(grid.coordinates(rank)));
                    places().max().unwrap() - places().min().unwrap() + 1
                };
                assert_eq!([covered(|(row, _)| row), covered(|(_, column)| column)], side);
            }
        }
    }
}
