//! The network of a machine: nodes, directed links, and one fixed route for every ordered pair of nodes.
//!
//! A [`Topology`] describes geometry only. It computes routes instead of storing them, so a machine of thousands of
//! nodes takes little memory. Every physical link is two directed links, one for each direction, which do not share
//! bandwidth.
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
//! Each topology is one file, which implements the trait and defines its spelling (`KIND`). To add a topology, add the
//! file, its `mod` line and its entry in the registry (`KINDS`, in `name.rs`).

use std::{
    fmt::{self, Debug, Display},
    str::FromStr,
};

use serde::Serialize;

use crate::{rank::Rank, time::Span};

mod bandwidth;
mod clos;
mod cluster;
mod complete;
pub(crate) mod detour;
mod distance;
mod dragonfly;
mod error;
mod fat_tree;
mod hosts;
mod hypercube;
mod lattice;
mod line;
mod mesh;
mod mesh_3d;
mod name;
mod network;
mod placed;
mod placement;
mod ring;
mod torus;
mod tree;
mod validation;

#[cfg(test)]
mod network_tests;

pub use clos::Clos;
pub use cluster::Cluster;
pub use complete::Complete;
pub use distance::distances;
pub use dragonfly::Dragonfly;
pub use error::TopologyError;
pub use fat_tree::FatTree;
pub use hosts::Hosts;
pub use hypercube::Hypercube;
pub use line::Line;
pub use mesh::Mesh;
pub use mesh_3d::Mesh3d;
#[cfg(test)]
use name::KINDS;
use name::{MAX_NESTING, NameContext, TopologyKind, read_extent};
pub(crate) use name::{canonical, known_names, parse_in, read_nodes};
pub use name::{parse, spellings};
pub use network::{Network, NetworkProblem};
pub(crate) use network::{NetworkTable, key_of};
pub use placed::Placed;
pub use placement::Placement;
pub use ring::Ring;
pub use torus::Torus;
pub use tree::Tree;
pub use validation::Defect;
pub(crate) use validation::{catch_route_error, validate, validated};

/// The number of a directed link: 0 to `links() - 1`, without gaps.
pub type LinkId = usize;

/// The largest number of nodes of a topology, 536,870,911: node and link numbers then fit in 32 bits.
pub const MAX_NODES: usize = (u32::MAX / 8) as usize;

/// The largest number of directed links of a topology, 2,147,483,647: the numbers of links and ports together then
/// fit in 32 bits.
pub const MAX_LINKS: usize = (u32::MAX / 2) as usize;

/// A network: nodes, directed links, and one fixed route for every ordered pair of nodes.
///
/// Implementations in other crates are validated. Properties and links are validated when the topology becomes part of a machine: at least
/// one node, at most [`MAX_NODES`] nodes and [`MAX_LINKS`] links, links between two different vertices, capacities above 0, a grid and
/// extents whose product is the number of nodes. A route is validated whenever it is used: it must lead from its source to its destination
/// over existing links. If a rule is violated or a method panics, the call that builds, plans for, predicts on or runs the machine returns
/// an error with the [`Defect`] ([`TopologyError::Invalid`]).
pub trait Topology: Send + Sync + Debug {
    /// The topology as the command line spells it and as [`parse`] reads it: `mesh:10x10`, `line:8`, `torus:4x4x8`.
    fn name(&self) -> String;

    /// The number of nodes; their ranks are 0 to `nodes() - 1`.
    fn nodes(&self) -> usize;

    /// The number of switches, which are vertices of the network that are not nodes; 0 by default. The number is for
    /// display only: no modeled time depends on it.
    fn switches(&self) -> usize {
        0
    }

    /// The number of directed links.
    fn links(&self) -> usize;

    /// The two ends of a directed link.
    ///
    /// # Panics
    /// If `link` is not below [`links`](Topology::links).
    fn link(&self, link: LinkId) -> Link;

    /// Appends the links of the route between two nodes to `route`, in the order in which a message takes them; nothing
    /// if `from` and `to` are the same node. Should allocate only to grow `route`.
    ///
    /// # Panics
    /// If a rank is not below [`nodes`](Topology::nodes).
    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>);

    /// The capacity of a link in bytes/s, or `None` for a link of the common capacity, which is a parameter of the
    /// machine.
    fn capacity(&self, _link: LinkId) -> Option<f64> {
        None
    }

    /// The times in the network that messages take over single links, in addition to the machine's time for each link (`hop`): one for each
    /// link, in the order of their numbers, or none at all if no link has one.
    fn latencies(&self) -> &[Span] {
        &[]
    }

    /// The number of links of the longest route, or `None` if it is not known without examining every pair.
    fn longest_route(&self) -> Option<usize> {
        None
    }

    /// The rows and columns of a topology that is a two-dimensional grid in row-major rank order; a line is `1 x n`.
    /// `None` for all other topologies.
    fn grid(&self) -> Option<Grid> {
        None
    }

    /// The number of nodes along each dimension of a grid of any dimension in row-major rank order, where neighbours in
    /// the last dimension have consecutive ranks. The default, for a topology without dimensions, is one row of all
    /// nodes.
    fn extents(&self) -> Vec<usize> {
        vec![self.nodes()]
    }

    /// The state of the validation. No other crate can override this method.
    #[doc(hidden)]
    fn validation(&self, _: validation::Seal) -> validation::Validation {
        validation::Validation::Pending
    }
}

/// One end of a link: a node, or a switch that is not a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Vertex {
    /// The node of this rank, with its router.
    Node(Rank),
    /// The switch of this number; switches and nodes are numbered separately.
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
    /// Creates a grid of at least one row and one column, with at most [`MAX_NODES`] nodes.
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

    /// The number of the node, which is its rank in the world, in a row and a column, both counted from 0.
    pub fn rank(&self, row: usize, column: usize) -> Rank {
        debug_assert!(row < self.rows && column < self.columns, "({row}, {column}) in a {self} grid");
        row * self.columns + column
    }

    /// The row and the column of a node, given as a rank of the world; both are counted from 0.
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
            .map_err(|cause| cause.of_shape(text))
    }
}

/// Refuses a shape whose number of nodes, the product of its extents, is 0 or more than [`MAX_NODES`].
fn check_extents(given: &dyn Display, extents: &[usize]) -> Result<(), TopologyError> {
    if extents.contains(&0) {
        return Err(TopologyError::Empty { given: given.to_string() });
    }
    match extents.iter().try_fold(1_usize, |nodes, &extent| nodes.checked_mul(extent)) {
        Some(..=MAX_NODES) => Ok(()),
        _ => Err(TopologyError::TooLarge { given: given.to_string() }),
    }
}

/// Refuses a shape with more than [`MAX_LINKS`] links; `None` is a number of links that overflows a `usize`.
fn check_links(given: &dyn Display, links: Option<usize>) -> Result<(), TopologyError> {
    match links {
        Some(..=MAX_LINKS) => Ok(()),
        _ => Err(TopologyError::TooManyLinks { given: given.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Returns small samples of every topology except `hosts`: smallest, odd-sized and flat shapes.
    pub(super) fn samples() -> Vec<Arc<dyn Topology>> {
        let mut names: Vec<String> = Vec::new();
        for nodes in [1, 2, 3, 4, 5, 8, 9, 16, 17] {
            names.extend(["complete", "line", "ring"].map(|name| format!("{name}:{nodes}")));
        }
        for nodes in [1, 2, 4, 8, 16, 32] {
            names.push(format!("hypercube:{nodes}"));
        }
        for shape in ["1x1", "1x2", "1x7", "6x1", "2x2", "2x5", "3x3", "4x4", "5x6"] {
            names.extend(["mesh", "torus"].map(|name| format!("{name}:{shape}")));
        }
        for nodes in [1, 2, 3, 4, 6, 8, 11, 16] {
            names.push(format!("tree:{nodes}"));
        }
        for shape in ["8:4", "16:4", "5:8", "12:6:2"] {
            names.push(format!("clos:{shape}"));
        }
        for shape in ["1x1x2", "1x3x2", "2x3x1", "3x2x2", "5x1x3"] {
            names.extend(["", ":8,2"].map(|capacities| format!("dragonfly:{shape}{capacities}")));
        }
        names.extend(["cluster:3x1:8,2:mesh:2x3", "placed:random:7:mesh:3x4"].map(str::to_owned));
        for shape in ["1", "4", "5", "16", "19", "9:3:2,1", "10:2:1", "7:8:0.25"] {
            names.push(format!("fat-tree:{shape}"));
        }
        names.push("file:tests/data/network.toml".to_owned());
        for shape in ["1x1x1", "1x1x5", "1x4x1", "3x1x1", "2x2x2", "3x2x5", "3x3x3", "4x5x2"] {
            names.extend(["mesh", "torus"].map(|name| format!("{name}:{shape}")));
        }
        names.iter().map(|name| parse(name).unwrap()).collect()
    }

    /// Returns the route of a pair after checking the properties that hold in every topology: the route starts at
    /// `from`, ends at `to`, has no gap and visits no vertex twice, and the earlier content of the buffer is kept.
    pub(super) fn checked_route(topology: &dyn Topology, from: Rank, to: Rank) -> Vec<LinkId> {
        let before = LinkId::MAX;
        let mut route = vec![before];
        topology.route(from, to, &mut route);
        assert_eq!(route.remove(0), before, "the route is appended");
        let mut visited = vec![Vertex::Node(from)];
        for &link in &route {
            let link = topology.link(link);
            assert_eq!(Some(&link.from), visited.last(), "{} from {from} to {to}: a gap", topology.name());
            visited.push(link.to);
        }
        assert_eq!(visited.last(), Some(&Vertex::Node(to)), "{} from {from} to {to}", topology.name());
        visited.sort_unstable();
        assert!(
            visited.is_sorted_by(|one, next| one < next),
            "{} from {from} to {to}: a loop",
            topology.name()
        );
        route
    }

    /// The nodes on the route of a pair, both ends included, in a topology without switches.
    pub(super) fn visited(topology: &dyn Topology, from: Rank, to: Rank) -> Vec<Rank> {
        let reached =
            checked_route(topology, from, to).into_iter().map(|link| match topology.link(link).to {
                Vertex::Node(rank) => rank,
                Vertex::Switch(_) => panic!("{} has switches", topology.name()),
            });
        std::iter::once(from).chain(reached).collect()
    }

    #[test]
    fn every_topology_reads_its_own_name() {
        let mut samples = samples();
        // `hosts` has links without an opposite link, so it is not in the samples of the other tests.
        samples.push(parse("hosts:2+3:8000,1250").unwrap());
        for topology in &samples {
            assert_eq!(parse(&topology.name()).unwrap().name(), topology.name());
        }
        for kind in KINDS {
            assert!(
                samples.iter().any(|topology| topology.name().starts_with(kind.name)),
                "no {}",
                kind.name
            );
        }
    }

    #[test]
    fn names_are_read_in_any_spelling_and_their_errors_have_examples() {
        assert_eq!(parse("Fat_Tree:32").unwrap().name(), "fat-tree:32");
        for kind in KINDS {
            let refusal = parse(kind.name).unwrap_err().to_string();
            assert_eq!(parse(&format!("{}:", kind.name)).unwrap_err().to_string(), refusal);
            let example = refusal.rsplit('`').nth(1).unwrap();
            assert!(kind.name == "file" || parse(example).is_ok(), "{refusal}");
        }
        let refusal = parse("ring8").unwrap_err().to_string();
        assert!(refusal.starts_with("unknown topology `ring8`; did you mean `ring:8`? Known: "), "{refusal}");
    }

    #[test]
    fn topologies_are_listed_in_alphabetical_order() {
        assert!(KINDS.is_sorted_by(|one, other| one.name < other.name), "{}", spellings());
    }

    #[test]
    fn refusals_say_what_was_given_and_what_is_allowed() {
        let refusal = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            refusal("mesh"),
            "`mesh` needs rows and columns, or planes, rows and columns: write `mesh:4x4`"
        );
        for text in ["ball:3", "ball", ":8", ""] {
            assert_eq!(refusal(text), format!("unknown topology `{text}`. Known: {}", spellings()));
        }
        for shape in ["7", "7x+3", "7x", "2x3x4x5"] {
            let allowed = "[PLANESx]ROWSxCOLUMNS, such as 16x32 or 8x16x32";
            for name in ["mesh", "torus"] {
                let refused = refusal(&format!("{name}:{shape}"));
                assert_eq!(refused, format!("invalid shape `{shape}`; allowed is {allowed}"));
            }
        }
        assert_eq!(
            "7x8x9".parse::<Grid>().unwrap_err().to_string(),
            "invalid shape `7x8x9`; allowed is ROWSxCOLUMNS, such as 16x32"
        );
        assert_eq!(refusal("line:x"), "invalid shape `x`; allowed is NODES, such as 8");
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
        assert_eq!(refusal("complete:46342"), "`46342` has too many links; allowed are at most 2147483647");
        assert_eq!(refusal("hypercube:12"), "a hypercube cannot have 12 nodes; allowed are powers of two");
        for shape in
            ["ring:99999999999999999999", "line:99999999999999999999999", "hypercube:99999999999999999999"]
        {
            let (_, given) = shape.split_once(':').unwrap();
            assert_eq!(
                refusal(shape),
                format!("`{given}` has too many nodes; allowed are at most 536870911")
            );
        }
        assert_eq!(
            "2x99999999999999999999".parse::<Grid>().unwrap_err().to_string(),
            "`2x99999999999999999999` has too many nodes; allowed are at most 536870911"
        );
        assert!(refusal("net.toml").ends_with(". Write a network file as `file:net.toml`"));
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
