//! The content of a network file, and the errors in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, iter,
    sync::OnceLock,
};

use serde::{Deserialize, Deserializer, de};
use thiserror::Error;

use super::{AdjacencyLists, Network, Paths};
use crate::{
    rank::Rank,
    time::Span,
    topology::{Link, LinkId, MAX_LINKS, MAX_NODES, Vertex},
    units::{self, Quantity},
};

/// Maximum latency of a link in seconds, as of the times of a machine.
const MAX_LATENCY: f64 = 1e6;

/// A network file, or the table `network` of a machine file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of nodes, switches, links and routes")]
pub(crate) struct NetworkTable {
    nodes: usize,
    #[serde(default)]
    switches: usize,
    #[serde(default)]
    links: Vec<LinkTable>,
    #[serde(default)]
    routes: Vec<RouteTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of a link")]
struct LinkTable {
    between: Option<Vec<VertexName>>,
    from: Option<VertexName>,
    to: Option<VertexName>,
    capacity: Option<Quantity>,
    latency: Option<Quantity>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of a route")]
struct RouteTable {
    path: Vec<VertexName>,
}

/// A vertex as the file spells it: a number is a node, `"s3"` is a switch.
#[derive(Clone, Copy, Debug)]
struct VertexName(Vertex);

impl<'de> Deserialize<'de> for VertexName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<VertexName, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = VertexName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a node such as 3 or a switch such as \"s3\"")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<VertexName, E> {
                let rank = Rank::try_from(number);
                rank.map(|rank| VertexName(Vertex::Node(rank)))
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<VertexName, E> {
                let number =
                    text.strip_prefix('s').filter(|number| number.bytes().all(|b| b.is_ascii_digit()));
                let number = number.and_then(|number| number.parse().ok());
                number
                    .map(|number| VertexName(Vertex::Switch(number)))
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

/// A directed link of a file in another format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: Vertex,
    pub(super) to: Vertex,
    /// The bandwidth in bytes/s.
    pub(super) bandwidth: f64,
    /// The latency in seconds.
    pub(super) latency: f64,
}

impl NetworkTable {
    /// Creates a table of directed links.
    pub(super) fn of_links(
        nodes: usize,
        switches: usize,
        links: impl IntoIterator<Item = Edge>,
    ) -> NetworkTable {
        let link = |Edge { from, to, bandwidth, latency }: Edge| LinkTable {
            between: None,
            from: Some(VertexName(from)),
            to: Some(VertexName(to)),
            capacity: Some(Quantity::Number(bandwidth)),
            latency: Some(Quantity::Number(latency)),
        };
        NetworkTable { nodes, switches, links: links.into_iter().map(link).collect(), routes: Vec::new() }
    }

    /// Reads the text of a network file.
    pub(super) fn read(text: &str) -> Result<NetworkTable, NetworkProblem> {
        toml::from_str(text).map_err(|cause| {
            match key_of(text, &["name", "topology", "preset", "parameters", "network"]) {
                Some(key) => NetworkProblem::MachineFile { key },
                None => NetworkProblem::Syntax(cause.to_string().trim_end().to_owned()),
            }
        })
    }

    /// Checks the whole table and builds the network that it describes.
    pub(crate) fn network(self, name: String) -> Result<Network, NetworkProblem> {
        let NetworkTable { nodes, switches, links: tables, routes } = self;
        if !(1..=MAX_NODES).contains(&nodes) {
            return Err(NetworkProblem::Nodes { given: nodes });
        }
        if switches > MAX_NODES {
            return Err(NetworkProblem::Switches { given: switches });
        }
        let links = Links::read(tables, VertexCounts { nodes, switches })?;
        let given = links.routes(routes)?;
        links.check_ends()?;

        let Links { extent, links, capacities, mut latencies, .. } = links;
        if latencies.iter().all(|latency| latency.is_zero()) {
            latencies = Vec::new();
        }
        let (from, to) = (|| links.iter().map(|link| link.0), || links.iter().map(|link| link.1));
        let vertices = nodes + switches;
        let into = AdjacencyLists::of(vertices, to());
        let out_of = AdjacencyLists::of(vertices, from());
        // If all nodes are reached from node 0 and reach it, every node reaches every other.
        let reached = out_of.distances(0, |link| links[link].1);
        let reaching = into.distances(0, |link| links[link].0);
        let none = |distances: &[Option<u32>]| distances[..extent.nodes].iter().position(Option::is_none);
        if let Some(to) = none(&reached) {
            return Err(NetworkProblem::NoPath { from: 0, to });
        }
        if let Some(from) = none(&reaching) {
            return Err(NetworkProblem::NoPath { from, to: 0 });
        }
        let next = iter::repeat_with(OnceLock::new).take(nodes).collect();
        Ok(Network { name, nodes, switches, links, capacities, latencies, given, into, next })
    }
}

/// Returns the first of `keys` at the top level of a TOML text; such a key identifies a file of another kind.
pub(crate) fn key_of(text: &str, keys: &[&'static str]) -> Option<&'static str> {
    let table: toml::Table = toml::from_str(text).ok()?;
    keys.iter().copied().find(|&key| table.contains_key(key))
}

/// The numbers of nodes and switches.
#[derive(Clone, Copy)]
struct VertexCounts {
    nodes: usize,
    switches: usize,
}

impl VertexCounts {
    /// The number of a vertex, nodes first, then switches; `None` if the network does not have it.
    fn number(self, vertex: Vertex) -> Option<u32> {
        let VertexCounts { nodes, switches } = self;
        match vertex {
            Vertex::Node(rank) => (rank < nodes).then_some(rank as u32),
            Vertex::Switch(number) => (number < switches).then(|| (nodes + number) as u32),
        }
    }
}

/// The directed links of a file, in the order of the file.
struct Links {
    extent: VertexCounts,
    links: Vec<(u32, u32)>,
    capacities: Vec<Option<f64>>,
    latencies: Vec<Span>,
    /// The number of each link, by its ends.
    numbers: BTreeMap<(u32, u32), LinkId>,
}

impl Links {
    fn read(tables: Vec<LinkTable>, extent: VertexCounts) -> Result<Links, NetworkProblem> {
        let mut read = Links {
            extent,
            links: Vec::new(),
            capacities: Vec::new(),
            latencies: Vec::new(),
            numbers: BTreeMap::new(),
        };
        for (entry, table) in (1..).zip(tables) {
            let (VertexName(from), VertexName(to), both_ways) =
                match (table.between.as_deref(), table.from, table.to) {
                    (Some(&[one, other]), None, None) => (one, other, true),
                    (None, Some(from), Some(to)) => (from, to, false),
                    _ => return Err(NetworkProblem::Ends { entry }),
                };
            let capacity = match table.capacity {
                None => None,
                Some(quantity) => Some(read_capacity(quantity, entry)?),
            };
            let latency = table.latency.map_or(Ok(Span::ZERO), |quantity| read_latency(quantity, entry))?;
            read.add(Link { from, to }, capacity, latency, entry)?;
            if both_ways {
                read.add(Link { from: to, to: from }, capacity, latency, entry)?;
            }
        }
        Ok(read)
    }

    fn add(
        &mut self,
        link: Link,
        capacity: Option<f64>,
        latency: Span,
        entry: usize,
    ) -> Result<(), NetworkProblem> {
        let ends = (self.number(link.from, "links", entry)?, self.number(link.to, "links", entry)?);
        if ends.0 == ends.1 {
            return Err(NetworkProblem::Loop { entry, vertex: link.from });
        }
        if self.links.len() == MAX_LINKS {
            return Err(NetworkProblem::Links);
        }
        if self.numbers.insert(ends, self.links.len()).is_some() {
            return Err(NetworkProblem::LinkTwice { entry, link });
        }
        self.links.push(ends);
        self.capacities.push(capacity);
        self.latencies.push(latency);
        Ok(())
    }

    fn number(&self, vertex: Vertex, list: &'static str, entry: usize) -> Result<u32, NetworkProblem> {
        let VertexCounts { nodes, switches } = self.extent;
        let unknown = NetworkProblem::Vertex { list, entry, vertex, nodes, switches };
        self.extent.number(vertex).ok_or(unknown)
    }

    /// Checks the given routes and returns their links.
    fn routes(&self, tables: Vec<RouteTable>) -> Result<Paths, NetworkProblem> {
        let mut routes = Paths::new();
        for (entry, RouteTable { path }) in (1..).zip(tables) {
            let path: Vec<Vertex> = path.into_iter().map(|VertexName(vertex)| vertex).collect();
            let [Vertex::Node(from), .., Vertex::Node(to)] = path[..] else {
                return Err(NetworkProblem::PathEnds { entry });
            };
            let mut visited = BTreeSet::new();
            for &vertex in &path {
                self.number(vertex, "routes", entry)?;
                if !visited.insert(vertex) {
                    return Err(NetworkProblem::PathVisitsTwice { entry, vertex });
                }
            }
            let number = |pair: &[Vertex]| {
                let ends = (self.number(pair[0], "routes", entry)?, self.number(pair[1], "routes", entry)?);
                let link = Link { from: pair[0], to: pair[1] };
                self.numbers.get(&ends).copied().ok_or(NetworkProblem::PathWithoutLink { entry, link })
            };
            let links = path.windows(2).map(number).collect::<Result<_, _>>()?;
            if routes.insert((from, to), links).is_some() {
                return Err(NetworkProblem::PathTwice { entry, from, to });
            }
        }
        Ok(routes)
    }

    /// Refuses nodes and switches without links. After this check there are at most as many vertices as link ends, so a
    /// short file cannot request much memory.
    fn check_ends(&self) -> Result<(), NetworkProblem> {
        let VertexCounts { nodes, switches } = self.extent;
        let from: BTreeSet<u32> = self.links.iter().map(|link| link.0).collect();
        let to: BTreeSet<u32> = self.links.iter().map(|link| link.1).collect();
        let other = |node: Rank| if node == 0 { 1 } else { 0 };
        match (first_missing(&from, 0, nodes), first_missing(&to, 0, nodes)) {
            _ if nodes == 1 => {}
            (Some(node), _) => return Err(NetworkProblem::NoPath { from: node, to: other(node) }),
            (_, Some(node)) => return Err(NetworkProblem::NoPath { from: other(node), to: node }),
            (None, None) => {}
        }
        let any = &from | &to;
        match first_missing(&any, nodes, switches) {
            None => Ok(()),
            Some(switch) => Err(NetworkProblem::SwitchWithoutLinks { switch }),
        }
    }
}

/// The smallest k below `count` for which `first + k` is not in a set.
fn first_missing(set: &BTreeSet<u32>, first: usize, count: usize) -> Option<usize> {
    let present =
        set.range(first as u32..).zip(first as u32..).take_while(|(there, wanted)| *there == wanted);
    let present = present.count();
    (present < count).then_some(present)
}

/// Reads a bandwidth, which must be positive.
fn read_capacity(quantity: Quantity, entry: usize) -> Result<f64, NetworkProblem> {
    let given = quantity.to_string();
    let refused = |cause: String| NetworkProblem::Capacity { entry, cause };
    let capacity =
        quantity.read(units::parse_bytes_per_second).map_err(|cause| refused(cause.to_string()))?;
    if capacity > 0.0 && capacity.is_finite() {
        Ok(capacity)
    } else {
        Err(refused(format!("invalid bandwidth `{given}`; allowed is a finite number above 0")))
    }
}

/// Reads a time of at most [`MAX_LATENCY`] seconds.
fn read_latency(quantity: Quantity, entry: usize) -> Result<Span, NetworkProblem> {
    let given = quantity.to_string();
    let refused = |cause: String| NetworkProblem::Latency { entry, cause };
    let latency = quantity.read(units::parse_seconds).map_err(|cause| refused(cause.to_string()))?;
    if (0.0..=MAX_LATENCY).contains(&latency) {
        Ok(Span::from_secs_f64(latency))
    } else {
        Err(refused(format!("invalid time `{given}`; allowed are 0 to {MAX_LATENCY} s")))
    }
}

/// An error in a network file. Tables are counted from 1, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NetworkProblem {
    /// The file cannot be read.
    #[error("cannot be read: {cause}")]
    Unreadable {
        /// The message of the operating system.
        cause: String,
    },
    /// The file is not TOML, or a key is missing, unknown or of the wrong type.
    #[error("{0}")]
    Syntax(String),
    /// The file is XML, and an element is missing, unknown or wrong.
    #[error("line {line}: {problem}")]
    Xml {
        /// The line, from 1.
        line: u32,
        /// What was given, and what is allowed.
        problem: String,
    },
    /// The file is a machine file.
    #[error(
        "this is a machine file (it has the key `{key}`): read it with `MachineSpec::from_file`, or on the command \
         line give it without `file:`"
    )]
    MachineFile {
        /// A key that a network file does not have.
        key: &'static str,
    },
    /// No nodes, or more than [`MAX_NODES`].
    #[error("nodes: {given} is out of range; it must be from 1 to {MAX_NODES}")]
    Nodes {
        /// The number that was given.
        given: usize,
    },
    /// More than [`MAX_NODES`] switches.
    #[error("switches: {given} is out of range; it must be from 0 to {MAX_NODES}")]
    Switches {
        /// The number that was given.
        given: usize,
    },
    /// More than [`MAX_LINKS`] directed links.
    #[error("links: there are too many; the maximum is {MAX_LINKS}, counting each direction")]
    Links,
    /// A link table that does not give exactly two ends.
    #[error("links, table {entry}: it must have either two vertices in `between` or both `from` and `to`")]
    Ends {
        /// The number of the table in `links`.
        entry: usize,
    },
    /// A vertex that the network does not have.
    #[error("{list}, table {entry}: {vertex} does not exist; allowed are {}", vertices(*nodes, *switches))]
    Vertex {
        /// The name of the list: `links` or `routes`.
        list: &'static str,
        /// The number of the table in that list.
        entry: usize,
        /// The vertex that was given.
        vertex: Vertex,
        /// The number of nodes of the network.
        nodes: usize,
        /// The number of switches of the network.
        switches: usize,
    },
    /// A link from a vertex to itself.
    #[error("links, table {entry}: it connects {vertex} with itself; allowed are links between two vertices")]
    Loop {
        /// The number of the table in `links`.
        entry: usize,
        /// The vertex.
        vertex: Vertex,
    },
    /// A second link from one vertex to another.
    #[error("links, table {entry}: link {link} is given twice; give one link with the total capacity")]
    LinkTwice {
        /// The number of the table in `links`.
        entry: usize,
        /// The directed link.
        link: Link,
    },
    /// A capacity that is not a positive bandwidth.
    #[error("links, table {entry}, capacity: {cause}")]
    Capacity {
        /// The number of the table in `links`.
        entry: usize,
        /// The value that was given, and the values that are allowed.
        cause: String,
    },
    /// A latency that is not a time.
    #[error("links, table {entry}, latency: {cause}")]
    Latency {
        /// The number of the table in `links`.
        entry: usize,
        /// The value that was given, and the values that are allowed.
        cause: String,
    },
    /// A switch without any link.
    #[error("switches: switch {switch} has no links; allowed are switches with at least one")]
    SwitchWithoutLinks {
        /// The number of the switch.
        switch: usize,
    },
    /// A node that cannot reach another node.
    #[error("links: no path leads from node {from} to node {to}; every node must reach every other")]
    NoPath {
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
    },
    /// A path that does not lead from a node to a node.
    #[error("routes, table {entry}: the path must begin with a node and end with another")]
    PathEnds {
        /// The number of the table in `routes`.
        entry: usize,
    },
    /// A path with a loop.
    #[error("routes, table {entry}: the path visits {vertex} twice; a path may visit each vertex once")]
    PathVisitsTwice {
        /// The number of the table in `routes`.
        entry: usize,
        /// The vertex.
        vertex: Vertex,
    },
    /// A path over a link that does not exist.
    #[error("routes, table {entry}: link {link} does not exist; a path must follow links")]
    PathWithoutLink {
        /// The number of the table in `routes`.
        entry: usize,
        /// The missing link.
        link: Link,
    },
    /// A second path for the same pair.
    #[error("routes, table {entry}: the path from node {from} to node {to} is given twice; give one")]
    PathTwice {
        /// The number of the table in `routes`.
        entry: usize,
        /// The first node of the path.
        from: Rank,
        /// The last node of the path.
        to: Rank,
    },
}

/// Lists the existing vertices in words, for an error message.
fn vertices(nodes: usize, switches: usize) -> String {
    match switches {
        0 => format!("nodes 0 to {}", nodes - 1),
        _ => format!("nodes 0 to {} and switches s0 to s{}", nodes - 1, switches - 1),
    }
}
