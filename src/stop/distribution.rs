//! Where the sources are: the [`Distribution`]s of section 4 of the papers, and their [`picture`] as in Figure 1.
//!
//! All work on any mesh shape, also with more rows than columns, and for every number of sources from 1 to `p`. Lines
//! (rows, diagonals) are spaced evenly: line `k` of `n` starts at `floor(k * length / n)`, so the first is always used.

use std::{fmt, str::FromStr};

use thiserror::Error;

use crate::{rank::Rank, topology::Grid};

/// A rule that places `s` sources on a mesh of `r` rows and `c` columns.
///
/// Where the report and the conference version differ this is the conference version: there the number of *sources* is
/// given, and they fill one line after the other, so that only the last line may be incomplete. The report gives the
/// number of *lines*, and says that two rows differ by at most one source, which its own example of 27 sources on
/// 10 x 10 (10 + 10 + 7) does not keep to.
///
/// ```
/// use multicomputer::{stop::{Distribution, picture}, topology::Grid};
/// let grid = Grid { rows: 4, columns: 5 };
/// let distribution: Distribution = "right-diagonal".parse()?;
/// let sources = distribution.place(grid, 7)?;
/// assert_eq!(sources, [0, 2, 6, 8, 12, 14, 18]);
/// assert_eq!(picture(grid, &sources), "\
/// ● · ● · ·
/// · ● · ● ·
/// · · ● · ●
/// · · · ● ·
/// ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Distribution {
    /// `R(s)`: `ceil(s / c)` evenly spaced rows, the first row among them; every row is full except the last, which is
    /// filled from the left.
    Row,
    /// `DR(s)`: `ceil(s / r)` evenly spaced diagonals that run down to the right, the main one from the top left corner
    /// among them; every diagonal is full except the last, which is filled from the top.
    ///
    /// Diagonal `d` is the nodes `(i, (i + d) mod c)` of all rows `i`: columns are counted modulo `c` (in the report
    /// diagonals do not wrap around, and are numbered from `-r` to `c - 1`). So each diagonal has one node in every
    /// row, on every mesh shape, and the diagonals 0 to `c - 1` share out all nodes.
    RightDiagonal,
    /// `SB(s)`: a block of `ceil(sqrt(s))` columns at the top left corner, filled row by row. It is wider only if it
    /// would have more rows than the mesh, and narrower only if the mesh is.
    SquareBlock,
}

/// The number of sources does not fit on the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{sources} sources on a mesh of {rows} x {columns}: 1 to {} can be placed", rows * columns)]
pub struct DistributionError {
    /// Sources asked for.
    pub sources: usize,
    /// Rows of the mesh.
    pub rows: usize,
    /// Columns of the mesh.
    pub columns: usize,
}

/// A name that is none of a [`Distribution`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no distribution is called {name:?}: the names are {}", Distribution::ALL.map(Distribution::name).join(", "))]
pub struct ParseDistributionError {
    /// The name given.
    pub name: String,
}

impl Distribution {
    /// All distributions.
    pub const ALL: [Distribution; 3] =
        [Distribution::Row, Distribution::RightDiagonal, Distribution::SquareBlock];

    /// The name, as it is parsed and displayed.
    pub const fn name(self) -> &'static str {
        match self {
            Distribution::Row => "row",
            Distribution::RightDiagonal => "right-diagonal",
            Distribution::SquareBlock => "square-block",
        }
    }

    /// The ranks of `sources` sources on the mesh, in increasing order.
    ///
    /// # Errors
    ///
    /// [`DistributionError`] if there is no source, or more than nodes.
    pub fn place(self, grid: Grid, sources: usize) -> Result<Vec<Rank>, DistributionError> {
        let Grid { rows, columns, .. } = grid;
        if !(1..=grid.nodes()).contains(&sources) {
            return Err(DistributionError { sources, rows, columns });
        }
        let mut ranks: Vec<Rank> = (0..sources)
            .map(|index| {
                let (row, column) = self.cell(grid, sources, index);
                grid.rank(row, column)
            })
            .collect();
        ranks.sort_unstable();
        Ok(ranks)
    }

    /// Row and column of source `index`, in the order in which the distribution is filled.
    fn cell(self, grid: Grid, sources: usize, index: usize) -> (usize, usize) {
        let Grid { rows, columns, .. } = grid;
        match self {
            Distribution::Row => {
                let lines = sources.div_ceil(columns);
                (evenly(index / columns, lines, rows), index % columns)
            }
            Distribution::RightDiagonal => {
                let lines = sources.div_ceil(rows);
                let row = index % rows;
                (row, (row + evenly(index / rows, lines, columns)) % columns)
            }
            Distribution::SquareBlock => {
                let width = ceil_sqrt(sources).min(columns).max(sources.div_ceil(rows));
                (index / width, index % width)
            }
        }
    }
}

/// Where line `index` of `lines` starts, when they are spaced evenly over `length` places.
fn evenly(index: usize, lines: usize, length: usize) -> usize {
    index * length / lines
}

fn ceil_sqrt(n: usize) -> usize {
    let floor = n.isqrt();
    if floor * floor == n { floor } else { floor + 1 }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Distribution {
    type Err = ParseDistributionError;

    /// Takes a [`Distribution::name`], exactly.
    fn from_str(name: &str) -> Result<Distribution, ParseDistributionError> {
        let known = Distribution::ALL.into_iter().find(|distribution| distribution.name() == name);
        known.ok_or_else(|| ParseDistributionError { name: name.to_owned() })
    }
}

/// The mesh with its sources, a line for each row, as in Figure 1 of the papers: `●` is a source, `·` another node.
/// Ranks outside the mesh are not shown.
pub fn picture(grid: Grid, sources: &[Rank]) -> String {
    let mut is_source = vec![false; grid.nodes()];
    for &rank in sources {
        if let Some(node) = is_source.get_mut(rank) {
            *node = true;
        }
    }
    let mut picture = String::new();
    for row in 0..grid.rows {
        for column in 0..grid.columns {
            picture.push_str(if column == 0 { "" } else { " " });
            picture.push(if is_source[grid.rank(row, column)] { '●' } else { '·' });
        }
        picture.push('\n');
    }
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: Grid = Grid { rows: 10, columns: 10 };

    fn drawn(distribution: Distribution, grid: Grid, sources: usize) -> String {
        picture(grid, &distribution.place(grid, sources).unwrap()).replace(' ', "")
    }

    #[test]
    fn figure_1_row() {
        let expected = "\
●●●●●●●●●●
··········
··········
●●●●●●●●●●
··········
··········
●●●●●●●●●●
··········
··········
··········
";
        assert_eq!(drawn(Distribution::Row, TEN, 30), expected);
    }

    #[test]
    fn figure_1_right_diagonal() {
        let expected = "\
●··●··●···
·●··●··●··
··●··●··●·
···●··●··●
●···●··●··
·●···●··●·
··●···●··●
●··●···●··
·●··●···●·
··●··●···●
";
        assert_eq!(drawn(Distribution::RightDiagonal, TEN, 30), expected);
    }

    #[test]
    fn the_block_of_30_is_six_wide() {
        let expected = "●●●●●●····\n".repeat(5) + &"··········\n".repeat(5);
        assert_eq!(drawn(Distribution::SquareBlock, TEN, 30), expected);
    }

    #[test]
    fn only_the_last_line_is_incomplete() {
        let rows = Distribution::Row.place(TEN, 27).unwrap();
        let in_row = |row| rows.iter().filter(|&&rank| rank / 10 == row).count();
        assert_eq!([in_row(0), in_row(3), in_row(6)], [10, 10, 7]);
        assert_eq!(
            Distribution::RightDiagonal.place(TEN, 10).unwrap(),
            (0..100).step_by(11).collect::<Vec<_>>()
        );
        assert_eq!(Distribution::RightDiagonal.place(TEN, 12).unwrap()[..4], [0, 5, 11, 16]);
    }

    #[test]
    fn two_rows_of_ten_are_the_first_and_the_sixth() {
        let rows = Distribution::Row.place(TEN, 20).unwrap();
        assert!(rows.iter().all(|rank| matches!(rank / 10, 0 | 5)));
    }

    #[test]
    fn a_block_gives_way_to_a_narrow_mesh() {
        let grid = Grid { rows: 2, columns: 8 };
        assert_eq!(drawn(Distribution::SquareBlock, grid, 10), "●●●●●···\n●●●●●···\n");
        let grid = Grid { rows: 5, columns: 2 };
        assert_eq!(drawn(Distribution::SquareBlock, grid, 9), "●●\n●●\n●●\n●●\n●·\n");
    }

    #[test]
    fn every_number_of_sources_fits_on_every_shape() {
        for (rows, columns) in
            [(1, 1), (1, 9), (9, 1), (3, 5), (5, 3), (7, 13), (13, 7), (8, 8), (2, 12), (12, 2)]
        {
            let grid = Grid { rows, columns };
            for distribution in Distribution::ALL {
                for sources in 1..=grid.nodes() {
                    let ranks = distribution.place(grid, sources).unwrap();
                    assert_eq!(ranks.len(), sources);
                    assert_eq!(ranks[0], 0, "the top left node is always a source");
                    assert!(
                        ranks.is_sorted_by(|a, b| a < b),
                        "{distribution} {sources} on {rows} x {columns}"
                    );
                    assert!(ranks[sources - 1] < grid.nodes());
                }
            }
        }
    }

    #[test]
    fn too_few_and_too_many_are_errors() {
        for sources in [0, 101] {
            let error = DistributionError { sources, rows: 10, columns: 10 };
            assert_eq!(Distribution::Row.place(TEN, sources), Err(error));
        }
        let error = Distribution::Row.place(TEN, 101).unwrap_err().to_string();
        assert_eq!(error, "101 sources on a mesh of 10 x 10: 1 to 100 can be placed");
    }

    #[test]
    fn names_parse_and_print() {
        for distribution in Distribution::ALL {
            assert_eq!(distribution.to_string().parse(), Ok(distribution));
        }
        let error = "rows".parse::<Distribution>().unwrap_err().to_string();
        assert_eq!(
            error,
            "no distribution is called \"rows\": the names are row, right-diagonal, square-block"
        );
    }

    #[test]
    fn a_picture_ignores_ranks_outside() {
        assert_eq!(picture(Grid { rows: 1, columns: 3 }, &[1, 3, 99]), "· ● ·\n");
    }
}
