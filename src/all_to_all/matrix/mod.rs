//! The communication matrix: the bytes that every node has for every other node.

mod error;
mod figures;
mod file;
mod generator;
mod picture;
mod read;

use std::{
    cmp::Ordering,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    sync::OnceLock,
};

pub use self::{
    error::MatrixError,
    figures::Figures,
    file::{MatrixFileError, MatrixFileProblem},
    generator::{Generator, GeneratorError},
    read::MatrixReader,
};
use crate::rank::Rank;

/// Exclusive upper limit of the total bytes that a node sends, and of the total bytes that it receives.
const MAX_TOTAL_BYTES: u64 = 1 << 60;

/// The bytes `m(i, j)` that node `i` has for node `j`.
///
/// The rows are the *send vectors* of the nodes and the columns their *receive vectors*. As in the paper, the data of a node for itself
/// counts, although it is not sent.
///
/// ```
/// use multicomputer::all_to_all::Matrix;
///
/// let matrix: Matrix = "0,3,1\n2,0,0\n0,4,0\n".parse()?;
/// assert_eq!(matrix.get(0, 1), 3);
/// assert_eq!((matrix.sent(0), matrix.received(1)), (4, 7));
/// assert_eq!((matrix.fan_out(0), matrix.fan_in(1)), (2, 2));
/// assert_eq!(matrix.traffic(), 7);
/// # Ok::<(), multicomputer::all_to_all::MatrixError>(())
/// ```
///
/// Source: Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, section 2.
#[derive(Clone)]
pub struct Matrix {
    nodes: usize,
    /// Entries row by row. They never change, so that the cached summary stays valid.
    bytes: Vec<u64>,
    summary: OnceLock<Summary>,
}

/// Properties of a matrix that every call needs, computed once.
#[derive(Clone, Copy)]
struct Summary {
    digest: u64,
    longest: u64,
}

impl Matrix {
    fn of_bytes(nodes: usize, bytes: Vec<u64>) -> Matrix {
        Matrix { nodes, bytes, summary: OnceLock::new() }
    }

    /// Creates the matrix from send vectors, one for each node.
    ///
    /// # Errors
    ///
    /// [`MatrixError`] if there is no node, if a row does not have one entry for each node, or if a node would send or receive 2^60 bytes
    /// or more.
    pub fn new(rows: &[Vec<u64>]) -> Result<Matrix, MatrixError> {
        let nodes = rows.len();
        if let Some((row, entries)) = rows.iter().enumerate().find(|(_, row)| row.len() != nodes) {
            return Err(MatrixError::NotSquare { nodes, row, entries: entries.len() });
        }
        Matrix::of(nodes, |from, to| rows[from][to])
    }

    /// Creates the matrix from a function of the sender and the receiver.
    ///
    /// # Errors
    ///
    /// Same errors as [`new`](Matrix::new).
    pub fn of(nodes: usize, bytes: impl Fn(Rank, Rank) -> u64) -> Result<Matrix, MatrixError> {
        if nodes == 0 {
            return Err(MatrixError::Empty);
        }
        let places = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
        let matrix = Matrix::of_bytes(nodes, places.map(|(from, to)| bytes(from, to)).collect());
        let is_too_much =
            |&node: &Rank| !fits(matrix.row(node).iter().copied()) || !fits(matrix.column(node));
        if let Some(node) = (0..nodes).find(is_too_much) {
            return Err(MatrixError::TooMuch { node });
        }
        Ok(matrix)
    }

    /// Returns the matrix of figure 1 of the paper: eight nodes with a traffic of 10 bytes each.
    pub fn figure_1() -> Matrix {
        const ROWS: [[u64; 8]; 8] = [
            [0, 3, 1, 0, 2, 1, 2, 1],
            [1, 0, 2, 2, 1, 1, 3, 0],
            [4, 1, 0, 2, 0, 2, 0, 1],
            [0, 2, 0, 0, 0, 3, 1, 4],
            [3, 0, 4, 0, 0, 2, 1, 0],
            [1, 2, 1, 2, 0, 0, 0, 4],
            [0, 2, 1, 0, 7, 0, 0, 0],
            [1, 0, 1, 4, 0, 1, 3, 0],
        ];
        Matrix::of_bytes(8, ROWS.concat())
    }

    /// Returns the number of nodes, `p`.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Returns the bytes that node `from` has for node `to`, `m(from, to)`.
    ///
    /// # Panics
    ///
    /// Panics if a node is out of range.
    pub fn get(&self, from: Rank, to: Rank) -> u64 {
        assert!(to < self.nodes, "node {to} of {}", self.nodes);
        self.bytes[from * self.nodes + to]
    }

    /// Returns the send vector of a node.
    ///
    /// # Panics
    ///
    /// Panics if the node is out of range.
    pub fn row(&self, from: Rank) -> &[u64] {
        &self.bytes[from * self.nodes..][..self.nodes]
    }

    /// Returns the receive vector of a node.
    ///
    /// # Panics
    ///
    /// Panics if the node is out of range.
    pub fn column(&self, to: Rank) -> impl Iterator<Item = u64> + '_ {
        assert!(to < self.nodes, "node {to} of {}", self.nodes);
        self.bytes[to..].iter().step_by(self.nodes).copied()
    }

    /// Returns the bytes that a node sends, `r_i`.
    pub fn sent(&self, from: Rank) -> u64 {
        self.row(from).iter().sum()
    }

    /// Returns the bytes that a node receives, `c_j`.
    pub fn received(&self, to: Rank) -> u64 {
        self.column(to).sum()
    }

    /// Returns the traffic `t`: the maximum bytes that any node sends or receives.
    pub fn traffic(&self) -> u64 {
        self.most(|node| self.sent(node).max(self.received(node)))
    }

    /// Returns the number of nodes that a node sends to, `f_i`.
    pub fn fan_out(&self, from: Rank) -> u64 {
        self.row(from).iter().filter(|&&bytes| bytes > 0).count() as u64
    }

    /// Returns the number of nodes that a node receives from, `g_j`.
    pub fn fan_in(&self, to: Rank) -> u64 {
        self.column(to).filter(|&bytes| bytes > 0).count() as u64
    }

    /// Returns the fan `h`: the maximum number of messages that any node sends or receives.
    pub fn fan(&self) -> u64 {
        self.most(|node| self.fan_out(node).max(self.fan_in(node)))
    }

    /// Returns the maximum of a per-node figure over all nodes.
    pub fn most(&self, figure: impl Fn(Rank) -> u64) -> u64 {
        (0..self.nodes).map(figure).max().unwrap_or(0)
    }

    /// Returns the messages that are not empty, ordered by sender, then receiver.
    pub fn messages(&self) -> impl Iterator<Item = (Rank, Rank, u64)> + '_ {
        let place = |place: usize| (place / self.nodes, place % self.nodes);
        let message = move |(at, &bytes): (usize, &u64)| (place(at).0, place(at).1, bytes);
        self.bytes.iter().enumerate().map(message).filter(|&(.., bytes)| bytes > 0)
    }

    /// Returns the matrix restricted to messages whose length passes `is_kept`.
    pub(super) fn filtered(&self, is_kept: impl Fn(u64) -> bool) -> Matrix {
        let kept = |&bytes: &u64| if is_kept(bytes) { bytes } else { 0 };
        Matrix::of_bytes(self.nodes, self.bytes.iter().map(kept).collect())
    }

    /// Returns the matrix without the messages of nodes to themselves.
    #[must_use]
    pub fn without_own(&self) -> Matrix {
        let mut rest = self.bytes.clone();
        rest.iter_mut().step_by(self.nodes + 1).for_each(|own| *own = 0);
        Matrix::of_bytes(self.nodes, rest)
    }

    /// Returns the kind of communication, and whether all messages are equally long. Messages of nodes to themselves are ignored.
    pub fn class(&self) -> (Class, bool) {
        let others = self.without_own();
        let all = self.nodes as u64 - 1;
        let every = |holds: &dyn Fn(Rank) -> bool| (0..self.nodes).all(holds);
        let class = if every(&|node| others.fan_out(node) == all) {
            Class::AllToAll
        } else if every(&|node| others.fan_out(node) > 0) {
            Class::AllToMany
        } else if every(&|node| [0, all].contains(&others.fan_out(node)))
            && every(&|node| others.fan_in(node) > 0)
        {
            Class::ManyToAll
        } else {
            Class::ManyToMany
        };
        let mut sizes = others.messages().map(|(.., bytes)| bytes);
        let first = sizes.next();
        (class, sizes.all(|bytes| Some(bytes) == first))
    }

    /// Returns a 64-bit digest, which differs for almost all different matrices; members of a group compare it. It is computed once.
    pub(super) fn digest(&self) -> u64 {
        self.summary().digest
    }

    /// Returns the length of the longest message, including messages of nodes to themselves. It is computed once.
    pub(super) fn longest(&self) -> u64 {
        self.summary().longest
    }

    fn summary(&self) -> Summary {
        *self.summary.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            self.bytes.hash(&mut hasher);
            Summary { digest: hasher.finish(), longest: self.bytes.iter().copied().max().unwrap_or(0) }
        })
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matrix").field("nodes", &self.nodes).field("bytes", &self.bytes).finish()
    }
}

impl PartialEq for Matrix {
    fn eq(&self, other: &Matrix) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Matrix {}

impl PartialOrd for Matrix {
    fn partial_cmp(&self, other: &Matrix) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Orders by the number of nodes, then lexicographically by the entries.
impl Ord for Matrix {
    fn cmp(&self, other: &Matrix) -> Ordering {
        (self.nodes, &self.bytes).cmp(&(other.nodes, &other.bytes))
    }
}

/// Hashes the digest, which is computed once.
impl Hash for Matrix {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest().hash(state);
    }
}

/// Returns whether the sum is below `MAX_TOTAL_BYTES`.
fn fits(mut bytes: impl Iterator<Item = u64>) -> bool {
    bytes.try_fold(0_u64, |sum, bytes| sum.checked_add(bytes).filter(|&sum| sum < MAX_TOTAL_BYTES)).is_some()
}

/// Kind of communication of a matrix. Messages of nodes to themselves are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Every node sends to every other node.
    AllToAll,
    /// Every node sends to at least one other node.
    AllToMany,
    /// Some nodes send, each to every other node, and every node receives.
    ManyToAll,
    /// Any other matrix: some nodes send, each to some nodes.
    ManyToMany,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::AllToAll => "all-to-all",
            Class::AllToMany => "all-to-many",
            Class::ManyToAll => "many-to-all",
            Class::ManyToMany => "many-to-many",
        })
    }
}

/// Reads a text as [`MatrixReader`] does.
impl std::str::FromStr for Matrix {
    type Err = MatrixError;

    fn from_str(text: &str) -> Result<Matrix, MatrixError> {
        MatrixReader::new().read(text)
    }
}
