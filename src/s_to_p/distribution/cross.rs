//! Crosses: a row and a column distribution whose union has a given number of nodes.
//!
//! With a given number of rows and columns, a cross is determined by how far its last row and its last column are filled. The union grows
//! with each of the two, by at most one node per step. A given number of lines can therefore make every number of nodes between its
//! smallest and its largest cross. For a given last row the matching last columns form an interval, which is found by bisection. The nodes
//! that rows and columns share are computed by a formula.

use super::lines;
use crate::{rank::Rank, topology::Grid};

/// Returns the sources of the cross, in increasing order.
pub(super) fn cross(grid: Grid, sources: usize) -> Vec<Rank> {
    let (row, column) = parts(grid, sources);
    let mut ranks: Vec<Rank> = lines::row(grid, row).chain(lines::column(grid, column)).collect();
    ranks.sort_unstable();
    ranks.dedup();
    assert_eq!(ranks.len(), sources, "R({row}) and C({column}) on {grid}");
    ranks
}

/// Returns the numbers of sources of the row and of the column distribution.
pub(super) fn parts(grid: Grid, sources: usize) -> (usize, usize) {
    let fewest_first = 2..=grid.rows + grid.columns;
    let best = fewest_first.into_iter().find_map(|lines| {
        let shapes = (1..lines).map(|rows| Shape { grid, rows, columns: lines - rows });
        let fitting = shapes.filter(|shape| shape.rows <= grid.rows && shape.columns <= grid.columns);
        fitting.filter_map(|shape| shape.most_equal_parts(sources)).min()
    });
    let (_, row, column) = best.expect("R(s) and C(1) make s nodes");
    (row, column)
}

/// The crosses with a given number of rows and columns.
#[derive(Clone, Copy)]
struct Shape {
    grid: Grid,
    rows: usize,
    columns: usize,
}

impl Shape {
    /// Returns difference, row part and column part of the best cross: the smallest difference, then the smallest row part.
    fn most_equal_parts(self, sources: usize) -> Option<(usize, usize, usize)> {
        let Grid { rows, columns, .. } = self.grid;
        if !(self.nodes(1, 1)..=self.nodes(columns, rows)).contains(&sources) {
            return None;
        }
        let last_columns: Vec<usize> = (1..=rows).collect();
        let parts = (1..=columns).filter_map(|last_row| {
            let first = last_columns.partition_point(|&last| self.nodes(last_row, last) < sources);
            let end = last_columns.partition_point(|&last| self.nodes(last_row, last) <= sources);
            let full_columns = (self.columns - 1) * rows;
            let row = (self.rows - 1) * columns + last_row;
            let right = last_columns[first..end].iter().map(|last| full_columns + last);
            right.map(|column| (row.abs_diff(column), row, column)).min()
        });
        parts.min()
    }

    /// Returns the number of nodes of a cross with the given numbers of nodes in its last row and column and with all other lines full.
    fn nodes(self, last_row: usize, last_column: usize) -> usize {
        let Grid { rows, columns, .. } = self.grid;
        let (full_rows, full_columns) = (self.rows - 1, self.columns - 1);
        // Line k of n starts at floor(k * length / n), and this is less than x if k < x * n / length.
        let rows_met = (last_column * self.rows).div_ceil(rows);
        let columns_met = (last_row * self.columns).div_ceil(columns);
        let ends_meet = rows_met == self.rows && columns_met == self.columns;
        let shared = full_rows * full_columns
            + rows_met.min(full_rows)
            + columns_met.min(full_columns)
            + usize::from(ends_meet);
        full_rows * columns + last_row + full_columns * rows + last_column - shared
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Applies the rule as documented, by trying all pairs.
    fn plain(grid: Grid) -> Vec<(usize, usize)> {
        let sources = 1..=grid.nodes();
        let mut best = vec![None; grid.nodes() + 1];
        for (row, column) in sources.clone().flat_map(|row| sources.clone().map(move |column| (row, column)))
        {
            let union: BTreeSet<Rank> = lines::row(grid, row).chain(lines::column(grid, column)).collect();
            let lines = row.div_ceil(grid.columns) + column.div_ceil(grid.rows);
            let candidate = Some((lines, row.abs_diff(column), row, column));
            let known = &mut best[union.len()];
            if known.is_none() || candidate < *known {
                *known = candidate;
            }
        }
        best.into_iter().flatten().map(|(_, _, row, column)| (row, column)).collect()
    }

    #[test]
    fn the_parts_equal_those_of_an_exhaustive_search() {
        for (rows, columns) in
            [(1, 1), (1, 7), (7, 1), (2, 2), (2, 9), (9, 2), (4, 6), (6, 4), (5, 5), (7, 8)]
        {
            let grid = Grid { rows, columns };
            let found: Vec<_> = (1..=grid.nodes()).map(|sources| parts(grid, sources)).collect();
            assert_eq!(found, plain(grid), "{grid}");
        }
    }

    #[test]
    fn few_lines_come_before_equal_parts() {
        for (grid, sources, expected) in [
            ("8x8", 15, (8, 8)),
            ("15x16", 58, (32, 30)),
            ("10x10", 30, (17, 17)),
            ("10x10", 19, (10, 10)),
            // 20 nodes are one more than a row and a column have, so the cross has two columns, and a is 10.
            ("10x10", 20, (10, 12)),
            ("10x10", 1, (1, 1)),
            ("10x10", 100, (10, 100)),
            ("1x9", 4, (4, 1)),
            ("9x1", 4, (1, 4)),
        ] {
            assert_eq!(parts(grid.parse().unwrap(), sources), expected, "{sources} on {grid}");
        }
    }

    #[test]
    fn large_meshes_are_fast() {
        let grid = Grid { rows: 64, columns: 64 };
        for sources in (1..=grid.nodes()).step_by(61) {
            assert_eq!(cross(grid, sources).len(), sources);
        }
    }
}
