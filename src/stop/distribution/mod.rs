//! Places of sources: the [`Distribution`]s of section 4 of the papers, and their [`picture`] as in Figure 1.
//!
//! All work on any mesh shape, also with more rows than columns, and for every number of sources from 1 to `p`; only a
//! block and a list have a number of their own. Lines (rows, columns, diagonals, bands) are spaced evenly: line `k` of
//! `n` starts at `floor(k * length / n)`, so the first is always used.
//!
//! The lines are laid out in `lines`, the two parts of a cross are found in `cross`, and `spelling` reads and prints
//! the names.

use std::sync::Arc;

use thiserror::Error;

use crate::{random::RandomNumbers, rank::Rank, text::count, topology::Grid};

mod cross;
mod lines;
mod spelling;

pub use self::spelling::ParseDistributionError;

/// A rule that places `s` sources on a mesh of `r` rows and `c` columns, `p` nodes in all.
///
/// The rules are those of section 4 of the papers. Where the report and the conference version differ this is the
/// conference version: there the number of *sources* is given, and they fill one line after the other, so that only the
/// last line may be incomplete. The report gives the number of *lines*, and says that two rows differ by at most one
/// source, which its own example of 27 sources on 10 x 10 (10 + 10 + 7) does not keep to. The papers count rows,
/// columns and processors from 1, this documentation from 0.
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
///
/// Spelled as [`Distribution::spellings`] says: `cross`, `block:3x10@2+4`, `random:7`, `list:0+5+17`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Distribution {
    /// `R(s)`: `ceil(s / c)` evenly spaced rows, the first row among them; every row is full except the last, which is
    /// filled from the left.
    Row,
    /// `C(s)`: `ceil(s / r)` evenly spaced columns, the first column among them; every column is full except the last,
    /// which is filled from the top.
    Column,
    /// `DR(s)`: `ceil(s / r)` evenly spaced diagonals that run down to the right, the main one from the top left corner
    /// among them; every diagonal is full except the last, which is filled from the top.
    ///
    /// Diagonal `d` is the nodes `(i, (i + d) mod c)` of all rows `i`: columns are counted modulo `c` (in the report
    /// diagonals do not wrap around, and are numbered from `-r` to `c - 1`). So each diagonal has one node in every
    /// row, on every mesh shape, and the diagonals 0 to `c - 1` share out all nodes.
    RightDiagonal,
    /// `DL(s)`: the mirror image of [`RightDiagonal`](Self::RightDiagonal), left for right: `ceil(s / r)` evenly spaced
    /// diagonals that run down to the left, the one from the top right corner among them. Diagonal `d` is the nodes
    /// `(i, (c - 1 - i - d) mod c)`.
    LeftDiagonal,
    /// `E(s)`: node 0 and, in row-major order, every `ceil(p / s)`-th or `floor(p / s)`-th node: those of rank
    /// `floor(k * p / s)`.
    ///
    /// For some `s`, `r` and `c` these are rows, columns or diagonals. In the report the distance of two sources is
    /// given, and the same throughout.
    Equal,
    /// `Cr(s)`: the union of a row distribution `R(a)` and a column distribution `C(b)` that has exactly `s` nodes, `a`
    /// and `b` being roughly equal. (In the report it is full rows and as many full columns.)
    ///
    /// The papers leave `a` and `b` open. Here `a` and `b` are at least 1 and such that the cross has as few lines as
    /// it can, `ceil(a / c) + ceil(b / r)`; of these the difference of `a` and `b` is the smallest; then `a` is. So 15
    /// sources on 8 x 8 are a row and a column, 58 on 15 x 16 two rows and two columns, and 30 on 10 x 10 `R(17)` and
    /// `C(17)`, two of each again; without the first condition they would have more lines, some of them short. Where
    /// few lines do not leave a choice `a` and `b` may differ much: on a single row `b` is 1. There is always a
    /// solution, for `C(1)` is part of every `R(s)`.
    Cross,
    /// `SB(s)`: a block of `ceil(sqrt(s))` columns at the top left corner, filled row by row. It is wider only if it
    /// would have more rows than the mesh, and narrower only if the mesh is.
    ///
    /// Conference version only; the report has [`Block`](Self::Block).
    SquareBlock,
    /// `B(s)`: as [`RightDiagonal`](Self::RightDiagonal), with `b = ceil(sqrt(s / r))` evenly spaced bands, each of
    /// `w = ceil(s / (b * r))` adjacent diagonals. Filled band after band, in each diagonal after diagonal to the
    /// right, each from the top; only the last diagonal may be incomplete, and the last band have fewer of them.
    ///
    /// Conference version only. Its text was at hand with the symbols of this formula lost: that there are bands whose
    /// number is the root of something over `r`, and whose width follows from `b` and `r`, is what is left of it; the
    /// formula as it stands here is a reading that fits.
    ///
    /// Band `k` starts at diagonal `floor(k * c / b)`. If the bands are too wide for that, `b * w > c`, band `k` starts
    /// at `k * w` instead: they touch and there is no gap left to spread. They never overlap either way, and every `s`
    /// up to `p` fits.
    Band,
    /// `B(i, j)`: all nodes of a block of `i` rows and `j` columns. Its number of sources is `i * j` and no other, and
    /// it must lie within the mesh.
    ///
    /// Report only; there `top` and `left` are 0 if not stated otherwise, and so they are if not spelled out.
    Block {
        /// Rows of the block.
        rows: usize,
        /// Columns of the block.
        columns: usize,
        /// The row of the mesh that is the block's first.
        top: usize,
        /// The column of the mesh that is the block's first.
        left: usize,
    },
    /// Nodes at random, the same on every host and with every version of this library: each rank has a key, and the
    /// sources are those with the `s` smallest keys. So the sources of a smaller `s` are among those of a larger one.
    ///
    /// The keys are the output of ChaCha8 in words of 64 bits, little-endian, one for each rank in turn, with a nonce
    /// of 0 and, as the cipher's key, the seed in its first eight bytes, little-endian, and zeros in the others. Equal
    /// keys are ordered by rank. Not from the papers.
    Random {
        /// Other seeds give other nodes.
        seed: u64,
    },
    /// These nodes, in any order. Their number is the only number of sources; each must be on the mesh, and be listed
    /// once. Not from the papers.
    Listed(Arc<[Rank]>),
}

/// The error of sources that cannot be placed.
#[derive(Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DistributionError {
    /// No source, or more than nodes.
    #[error("{} on a mesh of {} x {}: 1 to {} can be placed", count(*sources as u64, "source"), .grid.rows, .grid.columns, .grid.nodes())]
    NumberOfSources {
        /// Sources asked for; of a block or a list the number that it has.
        sources: usize,
        /// The mesh.
        grid: Grid,
    },
    /// Another number of sources than the block or the list has.
    #[error("{} for a {name} of {}: {fixed} must be placed", count(*sources as u64, "source"), count(*fixed as u64, "node"))]
    FixedNumber {
        /// Sources asked for.
        sources: usize,
        /// The distribution, as [`Distribution::name`] says.
        name: &'static str,
        /// The number that it has.
        fixed: usize,
    },
    /// A block without a node, or with nodes that are not on the mesh.
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
    /// A rank in the list is not a node.
    #[error("rank {rank} of the list is outside the mesh: its ranks are below {nodes}")]
    OutsideMesh {
        /// The rank.
        rank: Rank,
        /// Nodes of the mesh.
        nodes: usize,
    },
    /// A rank is in the list twice.
    #[error("rank {rank} is in the list twice: each node can be listed once")]
    Twice {
        /// The rank.
        rank: Rank,
    },
}

crate::text::debug_as_text!(DistributionError);

impl Distribution {
    /// The distributions that need no argument and work for every number of sources.
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

    /// The number of sources, if the distribution has one of its own: that of a [`Block`](Self::Block) or a
    /// [`Listed`](Self::Listed), no other.
    pub fn sources(&self) -> Option<usize> {
        match self {
            Distribution::Block { rows, columns, .. } => Some(rows.saturating_mul(*columns)),
            Distribution::Listed(ranks) => Some(ranks.len()),
            _ => None,
        }
    }

    /// The ranks of `sources` sources on the mesh, in increasing order.
    ///
    /// # Errors
    ///
    /// [`DistributionError`] if there is no source, or more than nodes; if a block or a list has another number of
    /// sources, or is not within the mesh; if a list has a rank twice.
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

/// Refuses a list with a rank that is no node, or is there twice.
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
mod tests;
