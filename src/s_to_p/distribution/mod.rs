//! Placement of sources: the [`Distribution`]s of section 4 of the papers, and their [`picture`] as in Figure 1.
//!
//! All distributions work on any mesh shape, also with more rows than columns, and for every number of sources from 1 to `p`; only a block
//! and a list have a fixed number of sources. Lines (rows, columns, diagonals, bands) are spaced evenly: line `k` of `n` starts at
//! `floor(k * length / n)`, so the first line is always used.
//!
//! `lines` computes the lines, `cross` finds the two parts of a cross, and `spelling` parses and prints the names.

use std::sync::Arc;

use thiserror::Error;

use crate::{random::RandomNumbers, rank::Rank, text::count, topology::Grid};

mod cross;
mod lines;
mod spelling;

pub use self::spelling::ParseDistributionError;

/// A rule that places `s` sources on a mesh of `r` rows and `c` columns, `p` nodes in all.
///
/// The rules follow section 4 of the papers. Where the report and the conference version differ, this is the conference version: it gives
/// the number of *sources*, which fill one line after the other, so that only the last line may be incomplete. The report gives the number
/// of *lines* and says that two rows differ by at most one source, but its own example of 27 sources on 10 x 10 (10 + 10 + 7) violates
/// this. The papers count rows, columns and processors from 1, this documentation from 0.
///
/// ```
/// use multicomputer::{s_to_p::{Distribution, picture}, topology::Grid};
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
///
/// Text forms, see [`Distribution::spellings`]: `cross`, `block:3x10@2+4`, `random:7`, `list:0+5+17`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Distribution {
    /// `R(s)`: `ceil(s / c)` evenly spaced rows, including the first row; every row is full except the last, which is filled from the left.
    Row,
    /// `C(s)`: `ceil(s / r)` evenly spaced columns, including the first column; every column is full except the last, which is filled from
    /// the top.
    Column,
    /// `DR(s)`: `ceil(s / r)` evenly spaced diagonals that run down to the right, including the main diagonal from the top left corner;
    /// every diagonal is full except the last, which is filled from the top.
    ///
    /// Diagonal `d` consists of the nodes `(i, (i + d) mod c)` of all rows `i`: columns are counted modulo `c`. (In the report diagonals do
    /// not wrap around and are numbered from `-r` to `c - 1`.) Each diagonal therefore has one node in every row, on every mesh shape, and
    /// the diagonals 0 to `c - 1` partition the nodes.
    RightDiagonal,
    /// `DL(s)`: the left-right mirror image of [`RightDiagonal`](Self::RightDiagonal): `ceil(s / r)` evenly spaced diagonals that run down
    /// to the left, including the one from the top right corner. Diagonal `d` consists of the nodes `(i, (c - 1 - i - d) mod c)`.
    LeftDiagonal,
    /// `E(s)`: node 0 and, in row-major order, every `ceil(p / s)`-th or `floor(p / s)`-th node: the nodes of rank `floor(k * p / s)`.
    ///
    /// For some `s`, `r` and `c` these are rows, columns or diagonals. In the report the distance between two sources is given and
    /// constant.
    Equal,
    /// `Cr(s)`: the union of a row distribution `R(a)` and a column distribution `C(b)` that has exactly `s` nodes, with `a` and `b`
    /// roughly equal. (In the report it consists of full rows and the same number of full columns.)
    ///
    /// The papers do not define `a` and `b`. Here both are at least 1, and they minimize first the number of lines of the cross,
    /// `ceil(a / c) + ceil(b / r)`, then the difference of `a` and `b`, then `a`. So 15 sources on 8 x 8 are a row and a column, 58 on 15 x
    /// 16 two rows and two columns, and 30 on 10 x 10 `R(17)` and `C(17)`, again two of each; without the first criterion they would have
    /// more lines, some of them short. `a` and `b` may differ much where the minimum number of lines leaves no choice: on a single row `b`
    /// is 1. A solution always exists, because `C(1)` is contained in every `R(s)`.
    Cross,
    /// `SB(s)`: a block of `ceil(sqrt(s))` columns at the top left corner, filled row by row. It is wider only if it would otherwise have
    /// more rows than the mesh, and narrower only if the mesh is narrower.
    ///
    /// In the conference version only; the report has [`Block`](Self::Block).
    SquareBlock,
    /// `B(s)`: like [`RightDiagonal`](Self::RightDiagonal), with `b = ceil(sqrt(s / r))` evenly spaced bands, each of
    /// `w = ceil(s / (b * r))` adjacent diagonals. Bands are filled one after the other, within a band the diagonals from left to right,
    /// within a diagonal from the top. Only the last diagonal may be incomplete, and the last band may have fewer diagonals.
    ///
    /// In the conference version only. In the available text the symbols of this formula are lost. What remains is that the number of bands
    /// is the root of something over `r`, and that their width follows from `b` and `r`; the formula here is a reading that fits.
    ///
    /// Band `k` starts at diagonal `floor(k * c / b)`. If the bands are too wide for this spacing, `b * w > c`, band `k` starts at `k * w`
    /// instead, and the bands touch without gaps. Bands never overlap, and every `s` up to `p` fits.
    Band,
    /// `B(i, j)`: all nodes of a block of `i` rows and `j` columns. The number of sources must be `i * j`, and the block must lie within
    /// the mesh.
    ///
    /// In the report only, where `top` and `left` are 0 unless stated otherwise. They are also 0 if the text form omits them.
    Block {
        /// Rows of the block.
        rows: usize,
        /// Columns of the block.
        columns: usize,
        /// The first row of the block, as a row of the mesh.
        top: usize,
        /// The first column of the block, as a column of the mesh.
        left: usize,
    },
    /// Random nodes, the same on every host and with every version of this library: each rank has a random key, and the sources are the `s`
    /// ranks with the smallest keys. The sources for a smaller `s` are therefore a subset of those for a larger one.
    ///
    /// The keys are the output of ChaCha8 in 64-bit little-endian words, one word for each rank in order. The nonce is 0; the cipher's key
    /// is the seed in its first eight bytes, little-endian, followed by zeros. Equal keys are ordered by rank. Not from the papers.
    Random {
        /// The seed; different seeds select different nodes.
        seed: u64,
    },
    /// The listed nodes, in any order. The number of sources must be the length of the list; each node must be on the mesh and be listed
    /// once. Not from the papers.
    Listed(Arc<[Rank]>),
}

/// Reason why [`Distribution::place`] fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DistributionError {
    /// There is no source, or there are more sources than nodes.
    #[error("{} on a mesh of {} x {}: 1 to {} can be placed", count(*sources as u64, "source"), .grid.rows, .grid.columns, .grid.nodes())]
    NumberOfSources {
        /// Number of sources requested; for a block or a list, its own number.
        sources: usize,
        /// The mesh.
        grid: Grid,
    },
    /// The number of sources differs from the fixed number of the block or list.
    #[error("{} for a {name} of {}: {fixed} must be placed", count(*sources as u64, "source"), count(*fixed as u64, "node"))]
    FixedNumber {
        /// Number of sources requested.
        sources: usize,
        /// The name of the distribution, see [`Distribution::name`].
        name: &'static str,
        /// The fixed number of sources.
        fixed: usize,
    },
    /// The block has no node, or has nodes outside the mesh.
    #[error(
        "a block of {rows} x {columns} with its corner at row {top}, column {left} (counted from 0) of a mesh of {} x \
         {}: it must have at least a row and a column, and lie within the mesh",
        .grid.rows, .grid.columns
    )]
    BlockOutsideMesh {
        /// Rows of the block.
        rows: usize,
        /// Columns of the block.
        columns: usize,
        /// Its first row.
        top: usize,
        /// Its first column.
        left: usize,
        /// The mesh.
        grid: Grid,
    },
    /// A rank in the list is outside the mesh.
    #[error("rank {rank} of the list is outside the mesh: its ranks are below {nodes}")]
    OutsideMesh {
        /// The rank.
        rank: Rank,
        /// Number of nodes of the mesh.
        nodes: usize,
    },
    /// A rank is in the list twice.
    #[error("rank {rank} is in the list twice: each node can be listed once")]
    Twice {
        /// The rank.
        rank: Rank,
    },
}

impl Distribution {
    /// The distributions without arguments, which work for every number of sources.
    pub const ALL: [Distribution; 8] = [
        Distribution::Row,
        Distribution::Column,
        Distribution::RightDiagonal,
        Distribution::LeftDiagonal,
        Distribution::Equal,
        Distribution::Cross,
        Distribution::SquareBlock,
        Distribution::Band,
    ];

    /// Returns the number of sources if the distribution fixes it, as a [`Block`](Self::Block) or a [`Listed`](Self::Listed) does,
    /// otherwise `None`.
    pub fn sources(&self) -> Option<usize> {
        match self {
            Distribution::Block { rows, columns, .. } => Some(rows.saturating_mul(*columns)),
            Distribution::Listed(ranks) => Some(ranks.len()),
            _ => None,
        }
    }

    /// Returns the ranks of `sources` sources on the mesh, in increasing order.
    ///
    /// # Errors
    ///
    /// Returns [`DistributionError`] if there is no source, or more sources than nodes; if a block or a list has a different number of
    /// sources or is not within the mesh; or if a list contains a rank twice.
    pub fn place(&self, grid: Grid, sources: usize) -> Result<Vec<Rank>, DistributionError> {
        self.check(grid, sources)?;
        let mut ranks: Vec<Rank> = match self {
            Distribution::Row => lines::row(grid, sources).collect(),
            Distribution::Column => lines::column(grid, sources).collect(),
            Distribution::RightDiagonal => lines::right_diagonal(grid, sources).collect(),
            Distribution::LeftDiagonal => lines::left_diagonal(grid, sources).collect(),
            Distribution::Equal => {
                (0..sources).map(|index| lines::start(index, sources, grid.nodes())).collect()
            }
            Distribution::Cross => cross::cross(grid, sources),
            Distribution::SquareBlock => {
                let width = ceil_sqrt(sources).min(grid.columns).max(sources.div_ceil(grid.rows));
                (0..sources).map(|index| grid.rank(index / width, index % width)).collect()
            }
            Distribution::Band => lines::band(grid, sources).collect(),
            Distribution::Block { columns, top, left, .. } => {
                (0..sources).map(|index| grid.rank(top + index / columns, left + index % columns)).collect()
            }
            Distribution::Random { seed } => random(grid, sources, *seed),
            Distribution::Listed(ranks) => ranks.to_vec(),
        };
        ranks.sort_unstable();
        Ok(ranks)
    }

    fn check(&self, grid: Grid, sources: usize) -> Result<(), DistributionError> {
        match *self {
            Distribution::Block { rows, columns, top, left } => {
                let within = |first: usize, length: usize, end: usize| {
                    length > 0 && first.checked_add(length).is_some_and(|last| last <= end)
                };
                if !within(top, rows, grid.rows) || !within(left, columns, grid.columns) {
                    return Err(DistributionError::BlockOutsideMesh { rows, columns, top, left, grid });
                }
            }
            Distribution::Listed(ref ranks) => check_list(ranks, grid.nodes())?,
            _ => {}
        }
        let placed = self.sources().unwrap_or(sources);
        if !(1..=grid.nodes()).contains(&placed) {
            return Err(DistributionError::NumberOfSources { sources: placed, grid });
        }
        if placed != sources {
            return Err(DistributionError::FixedNumber { sources, name: self.name(), fixed: placed });
        }
        Ok(())
    }
}

/// Checks that every rank of a list is a node and is listed once.
fn check_list(ranks: &[Rank], nodes: usize) -> Result<(), DistributionError> {
    let mut listed = vec![false; nodes];
    for &rank in ranks {
        match listed.get_mut(rank) {
            None => return Err(DistributionError::OutsideMesh { rank, nodes }),
            Some(true) => return Err(DistributionError::Twice { rank }),
            Some(listed) => *listed = true,
        }
    }
    Ok(())
}

fn random(grid: Grid, sources: usize, seed: u64) -> Vec<Rank> {
    let mut keys = RandomNumbers::new(seed);
    let mut keyed: Vec<(u64, Rank)> = (0..grid.nodes()).map(|rank| (keys.next(), rank)).collect();
    keyed.sort_unstable();
    keyed.into_iter().take(sources).map(|(_, rank)| rank).collect()
}

fn ceil_sqrt(n: usize) -> usize {
    let floor = n.isqrt();
    if floor * floor == n { floor } else { floor + 1 }
}

/// Draws the mesh with its sources, one text line per row, as in Figure 1 of the papers: `●` is a source, `·` any other node. Ranks outside
/// the mesh are not shown.
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
mod tests;
