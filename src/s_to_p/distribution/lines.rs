//! Distributions made of lines. Each function returns the sources in the order in which the lines are filled.

use super::ceil_sqrt;
use crate::{rank::Rank, topology::Grid};

/// Returns the position at which line `index` of `lines` starts, if the lines are spaced evenly over `length` positions.
pub(super) fn start(index: usize, lines: usize, length: usize) -> usize {
    index * length / lines
}

pub(super) fn row(grid: Grid, sources: usize) -> impl Iterator<Item = Rank> {
    let Grid { rows, columns, .. } = grid;
    let lines = sources.div_ceil(columns);
    (0..sources).map(move |index| grid.rank(start(index / columns, lines, rows), index % columns))
}

pub(super) fn column(grid: Grid, sources: usize) -> impl Iterator<Item = Rank> {
    let Grid { rows, columns, .. } = grid;
    let lines = sources.div_ceil(rows);
    (0..sources).map(move |index| grid.rank(index % rows, start(index / rows, lines, columns)))
}

pub(super) fn right_diagonal(grid: Grid, sources: usize) -> impl Iterator<Item = Rank> {
    let lines = sources.div_ceil(grid.rows);
    diagonals(grid, sources, move |line| start(line, lines, grid.columns))
}

/// Returns the mirror image of the right diagonals.
pub(super) fn left_diagonal(grid: Grid, sources: usize) -> impl Iterator<Item = Rank> {
    right_diagonal(grid, sources).map(move |rank| {
        let (row, column) = grid.coordinates(rank);
        grid.rank(row, grid.columns - 1 - column)
    })
}

pub(super) fn band(grid: Grid, sources: usize) -> impl Iterator<Item = Rank> {
    let lines = sources.div_ceil(grid.rows);
    let bands = ceil_sqrt(lines); // equal to ceil(sqrt(sources / rows))
    let width = lines.div_ceil(bands);
    // The second operand is larger only if the evenly spaced bands would overlap.
    let first = move |band| start(band, bands, grid.columns).max(band * width);
    diagonals(grid, sources, move |line| first(line / width) + line % width)
}

/// Returns diagonals that run down to the right, each filled from the top; `column` maps a diagonal to its column in row 0.
fn diagonals(grid: Grid, sources: usize, column: impl Fn(usize) -> usize) -> impl Iterator<Item = Rank> {
    let Grid { rows, columns, .. } = grid;
    (0..sources).map(move |index| {
        let row = index % rows;
        grid.rank(row, (row + column(index / rows)) % columns)
    })
}
