//! The shape of a machine: nodes, directed links, and the one fixed route of every ordered pair of nodes.
//!
//! A [`Topology`] is pure geometry. It computes routes instead of storing them, so that a machine of thousands
//! of nodes costs nothing to describe. Every physical link is two directed ones, one each way, that do not
//! disturb each other.
//!
//! ```
//! use multicomputer::topology::{self, Topology};
//!
//! let mesh = topology::parse("mesh:2x3")?;
//! let mut route = Vec::new();
//! mesh.route(0, 5, &mut route);
//! let hops: Vec<String> = route.iter().map(|&link| mesh.link(link).to_string()).collect();
//! assert_eq!(hops, ["node 0 -> node 1", "node 1 -> node 2", "node 2 -> node 5"]);
//! # Ok::<(), topology::TopologyError>(())
//! ```
//!
//! Each topology is one file: it implements the trait and describes how it is spelled (`KIND`). To add one, add
//! the file, its `mod` line and its line in the registry (`KINDS`).

use std::{
    fmt::{self, Debug, Display},
    str::FromStr,
    sync::Arc,
};

use serde::Serialize;
use thiserror::Error;

use crate::rank::Rank;

mod line;
mod mesh;

pub use line::Line;
pub use mesh::Mesh;

/// The number of a directed link: 0 to `links() - 1`, without gaps.
pub type LinkId = usize;

/// The most nodes a topology can have, 536,870,911: node and link numbers then fit in 32 bits.
pub const MAX_NODES: usize = (u32::MAX / 8) as usize;

/// Nodes, directed links, and the one fixed route of every ordered pair of nodes.
pub trait Topology: Send + Sync + Debug {
    /// The topology as the command line spells it and [`parse`] reads it: `mesh:10x10`, `line:8`.
    fn name(&self) -> String;

    /// The number of nodes; their ranks are 0 to `nodes() - 1`.
    fn nodes(&self) -> usize;

    /// The number of directed links.
    fn links(&self) -> usize;

    /// The two ends of a directed link.
    ///
    /// # Panics
    /// If `link` is not below [`links`](Topology::links).
    fn link(&self, link: LinkId) -> Link;

    /// Appends the links of the route between two nodes to `route`, in the order in which a message takes them;
    /// nothing if `from` and `to` are the same node. Allocates nothing beyond what `route` needs to grow.
    ///
    /// # Panics
    /// If a rank is not below [`nodes`](Topology::nodes).
    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>);

    /// The capacity in bytes per second of a link that differs from the machine's other links; `None` for a link
    /// like all others, whose capacity is a parameter of the machine.
    fn capacity(&self, _link: LinkId) -> Option<f64> {
        None
    }

    /// The rows and columns of what is a two-dimensional grid in row-major rank order; a line is `1 x n`.
    fn grid(&self) -> Option<Grid> {
        None
    }
}

/// One end of a link: a node, or a switch that is not a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Vertex {
    /// The node of this rank, with its router.
    Node(Rank),
    /// A switch of the network, by a number of its own.
    Switch(usize),
}

impl Display for Vertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Vertex::Node(rank) => write!(f, "node {rank}"),
            Vertex::Switch(number) => write!(f, "switch {number}"),
        }
    }
}

/// A directed link, which carries messages from one vertex to a neighbouring one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Link {
    /// The end at which messages enter.
    pub from: Vertex,
    /// The end at which messages leave.
    pub to: Vertex,
}

impl Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.from, self.to)
    }
}

/// The rows and columns of a two-dimensional grid of nodes, ranked in row-major order.
///
/// ```
/// use multicomputer::topology::Grid;
///
/// let grid: Grid = "7x13".parse()?;
/// assert_eq!(grid.nodes(), 91);
/// assert_eq!(grid.rank(2, 5), 31);
/// assert_eq!(grid.coordinates(31), (2, 5));
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Grid {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
}

impl Grid {
    /// A grid of at least one row, one column and at most [`MAX_NODES`] nodes.
    ///
    /// # Errors
    /// [`TopologyError::Empty`] without a row or a column, [`TopologyError::TooLarge`] with too many nodes.
    pub fn new(rows: usize, columns: usize) -> Result<Grid, TopologyError> {
        let grid = Grid { rows, columns };
        check_extents(&grid, &[rows, columns])?;
        Ok(grid)
    }

    /// The number of nodes, rows times columns.
    pub fn nodes(&self) -> usize {
        self.rows * self.columns
    }

    /// The rank of the node in a row and a column, both counted from 0.
    pub fn rank(&self, row: usize, column: usize) -> Rank {
        debug_assert!(row < self.rows && column < self.columns, "({row}, {column}) in a {self} grid");
        row * self.columns + column
    }

    /// The row and the column of a node, both counted from 0.
    pub fn coordinates(&self, rank: Rank) -> (usize, usize) {
        debug_assert!(rank < self.nodes(), "rank {rank} in a {self} grid");
        (rank / self.columns, rank % self.columns)
    }
}

impl Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

/// Reads `ROWSxCOLUMNS`, such as `16x32`.
impl FromStr for Grid {
    type Err = TopologyError;

    fn from_str(text: &str) -> Result<Grid, TopologyError> {
        text.split_once('x')
            .and_then(|(rows, columns)| Some((read_extent(rows)?, read_extent(columns)?)))
            .ok_or_else(|| TopologyError::Shape {
                given: text.to_owned(),
                allowed: "ROWSxCOLUMNS, such as 16x32",
            })
            .and_then(|(rows, columns)| Grid::new(rows, columns))
    }
}

/// Reads a topology as it is spelled on the command line: `mesh:7x13` (rows, then columns), `line:8` (nodes).
///
/// # Errors
/// [`TopologyError`] says what was given and what is allowed: a known name, a shape it can read, at least one
/// node and at most [`MAX_NODES`].
pub fn parse(text: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    let unknown = || TopologyError::Unknown { given: text.to_owned() };
    let (name, shape) = text.split_once(':').ok_or_else(unknown)?;
    let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(unknown)?;
    (kind.read)(shape)
}

/// What [`parse`] reads, for help texts and error messages: `line:NODES, mesh:ROWSxCOLUMNS`.
pub fn spellings() -> String {
    KINDS.map(|kind| format!("{}:{}", kind.name, kind.shape)).join(", ")
}

/// The registry: every topology, in alphabetical order.
const KINDS: [Kind; 2] = [line::KIND, mesh::KIND];

/// How one topology is spelled and read.
struct Kind {
    /// What stands before the colon.
    name: &'static str,
    /// A picture of what stands behind it.
    shape: &'static str,
    /// Reads what stands behind it.
    read: fn(&str) -> Result<Arc<dyn Topology>, TopologyError>,
}

/// Why something is not a topology.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// Not the name of a topology, a colon and a shape.
    #[error("`{given}` names no topology; allowed are {}", spellings())]
    Unknown {
        /// What was given.
        given: String,
    },
    /// The shape cannot be read.
    #[error("`{given}` is not a shape; allowed is {allowed}")]
    Shape {
        /// What was given.
        given: String,
        /// The form that can be read.
        allowed: &'static str,
    },
    /// A number of rows, columns or nodes is zero.
    #[error("`{given}` has no nodes; every extent must be at least 1")]
    Empty {
        /// The shape that was given.
        given: String,
    },
    /// More than [`MAX_NODES`] nodes.
    #[error("`{given}` has too many nodes; allowed are at most {MAX_NODES}")]
    TooLarge {
        /// The shape that was given.
        given: String,
    },
}

/// Reads one extent of a shape: decimal digits alone. One that does not fit in a `usize` becomes the largest, which
/// is as far beyond [`MAX_NODES`] as the number itself.
fn read_extent(text: &str) -> Option<usize> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(usize::MAX))
}

/// Refuses a shape that has no nodes or more than [`MAX_NODES`]: the product of its extents.
fn check_extents(given: &dyn Display, extents: &[usize]) -> Result<(), TopologyError> {
    if extents.contains(&0) {
        return Err(TopologyError::Empty { given: given.to_string() });
    }
    match extents.iter().try_fold(1_usize, |nodes, &extent| nodes.checked_mul(extent)) {
        Some(..=MAX_NODES) => Ok(()),
        _ => Err(TopologyError::TooLarge { given: given.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what holds for the route of a pair in every topology, and returns it: it starts at `from`, ends at
    /// `to`, consecutive links join, and what was in the buffer before stays there.
    pub(super) fn checked_route(topology: &dyn Topology, from: Rank, to: Rank) -> Vec<LinkId> {
        let before = LinkId::MAX;
        let mut route = vec![before];
        topology.route(from, to, &mut route);
        assert_eq!(route.remove(0), before, "the route is appended");
        let end = route.iter().fold(Vertex::Node(from), |here, &link| {
            assert_eq!(topology.link(link).from, here, "{} from {from} to {to}: a gap", topology.name());
            topology.link(link).to
        });
        assert_eq!(end, Vertex::Node(to), "{} from {from} to {to}: it ends elsewhere", topology.name());
        route
    }

    #[test]
    fn every_topology_reads_its_own_name() {
        for name in ["mesh:7x13", "mesh:1x1", "line:8"] {
            assert_eq!(parse(name).unwrap().name(), name);
        }
    }

    #[test]
    fn refusals_say_what_was_given_and_what_is_allowed() {
        let refusal = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            refusal("ball:3"),
            "`ball:3` names no topology; allowed are line:NODES, mesh:ROWSxCOLUMNS"
        );
        assert_eq!(refusal("mesh"), "`mesh` names no topology; allowed are line:NODES, mesh:ROWSxCOLUMNS");
        assert_eq!(refusal("mesh:7"), "`7` is not a shape; allowed is ROWSxCOLUMNS, such as 16x32");
        assert_eq!(refusal("mesh:7x+3"), "`7x+3` is not a shape; allowed is ROWSxCOLUMNS, such as 16x32");
        assert_eq!(refusal("line:x"), "`x` is not a shape; allowed is NODES, such as 8");
        assert_eq!(refusal("mesh:0x3"), "`0x3` has no nodes; every extent must be at least 1");
        assert_eq!(refusal("line:0"), "`0` has no nodes; every extent must be at least 1");
        assert_eq!(
            refusal("mesh:65536x65536"),
            "`65536x65536` has too many nodes; allowed are at most 536870911"
        );
        assert_eq!(
            refusal("line:536870912"),
            "`536870912` has too many nodes; allowed are at most 536870911"
        );
        assert!(matches!(parse("line:99999999999999999999999"), Err(TopologyError::TooLarge { .. })));
        assert!(matches!(Grid::new(usize::MAX, usize::MAX), Err(TopologyError::TooLarge { .. })));
        assert!(Grid::new(1, MAX_NODES).is_ok());
    }

    #[test]
    fn a_grid_is_row_major() {
        let grid = Grid::new(3, 4).unwrap();
        let ranks: Vec<Rank> =
            (0..3).flat_map(|row| (0..4).map(move |column| grid.rank(row, column))).collect();
        assert_eq!(ranks, (0..12).collect::<Vec<_>>());
        assert!((0..12).all(|rank| {
            let (row, column) = grid.coordinates(rank);
            grid.rank(row, column) == rank
        }));
    }

    #[test]
    fn vertices_and_links_are_shown_in_words() {
        let link = Link { from: Vertex::Node(3), to: Vertex::Switch(4) };
        assert_eq!(link.to_string(), "node 3 -> switch 4");
        assert_eq!(serde_json::to_string(&link).unwrap(), r#"{"from":{"node":3},"to":{"switch":4}}"#);
    }
}
