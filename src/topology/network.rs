//! A network described in a TOML file: arbitrary nodes, switches and links, with given routes or shortest routes.
//!
//! # The file
//!
//! | key | value |
//! | --- | --- |
//! | `nodes` | the number of nodes: 0, 1, 2, .. |
//! | `switches` | optional: the number of switches: `"s0"`, `"s1"`, .. |
//! | `[[links]]` | one table for each link; shortest routes prefer links that are listed earlier |
//! | `links.between` | the two ends of a link, which is two directed links, one for each direction |
//! | `links.from`, `links.to` | instead of `between`: one directed link |
//! | `links.capacity` | optional: the bandwidth in each direction, if it differs from the machine's link capacity: `"100 MB/s"`, `1e8` |
//! | `links.latency` | optional: the time that a message takes over the link, in addition to the machine's `hop`: `"1.5 us"`, `1.5e-6` |
//! | `[[routes]]` | optional: one table for each ordered pair of nodes whose route is given |
//! | `routes.path` | the vertices of the route, both ends included: `[0, "s0", 3]` |
//!
//! Unknown keys are refused. There is at most one link from one vertex to another, none from a vertex to itself, and at
//! least one to or from each switch. Messages may pass through nodes. Every node must be able to reach every other.
//!
//! # Routes
//!
//! A table in `routes` sets the route of its pair in that direction only; the path visits no vertex twice. All other routes have the fewest
//! possible links. Of several shortest routes the emulator uses the route that takes, at every vertex, the link that is listed first in the
//! file among the links that lead closer to the receiver. The order of the links thus determines the routes: if the links along the rows
//! are listed first, a mesh is routed along the row, then along the column.
//!
//! Routes are computed on demand. The first message to a node starts a breadth-first search, which finds the next
//! link from every vertex towards that node. The result is stored: four bytes for each vertex, for each node that
//! receives messages. The result depends only on the file.

use std::{collections::BTreeMap, path::Path, sync::Arc, sync::OnceLock};

use roxmltree::{Document, ParsingOptions};

use super::{
    Link, LinkId, Topology, TopologyError, TopologyKind, Vertex, distances,
    validation::{Seal, Validation},
};
use crate::{input, rank::Rank, text::shown, time::Span};

mod file;
mod nccl;
mod simgrid;
mod xml;

pub use file::NetworkProblem;
pub(crate) use file::{NetworkTable, key_of};

/// The registry entry of networks from files, spelled `file:network.toml`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "file",
    shape: "PATH",
    read: |path, context| Ok(Arc::new(Network::from_file(context.folder.join(path))?)),
};

/// A network of nodes, switches and links, read from a file.
///
/// ```
/// use multicomputer::topology::{Network, Topology, Vertex};
///
/// // Two pairs of nodes, and a slow line between them.
/// let network = Network::from_toml("dumbbell", r#"
///     nodes = 4
///     switches = 2                  # "s0" and "s1"
///
///     [[links]]
///     between = [0, "s0"]           # two directed links, one each way ..
///     [[links]]
///     between = [1, "s0"]
///     [[links]]
///     between = ["s1", 2]
///     [[links]]
///     between = ["s1", 3]
///     [[links]]
///     between = ["s0", "s1"]
///     capacity = "2.5 MB/s"         # .. that are not like the others
///     [[links]]
///     from = 0                      # one directed link
///     to = 3
///
///     [[routes]]
///     path = [0, "s0", "s1", 3]     # instead of the shortest, the link from 0 to 3
/// "#)?;
/// assert_eq!((network.nodes(), network.switches(), network.links()), (4, 2, 11));
/// assert_eq!((network.capacity(0), network.capacity(8)), (None, Some(2.5e6)));
///
/// let links = |from, to| {
///     let mut route = Vec::new();
///     network.route(from, to, &mut route);
///     route.into_iter().map(|link| network.link(link).to_string()).collect::<Vec<_>>()
/// };
/// assert_eq!(links(2, 1), ["node 2 -> switch 1", "switch 1 -> switch 0", "switch 0 -> node 1"]);
/// assert_eq!(links(0, 3), ["node 0 -> switch 0", "switch 0 -> switch 1", "switch 1 -> node 3"]);
/// // Over node 3 the way would be as short, but the link from 0 to s0 stands before the one from 0 to 3.
/// assert_eq!(links(0, 2), ["node 0 -> switch 0", "switch 0 -> switch 1", "switch 1 -> node 2"]);
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
///
/// Links are numbered in the order of their tables. A table with `between` has two numbers, first for the direction
/// from its first vertex to its second. The first route to a node allocates the stored search result for that node;
/// later routes allocate nothing.
#[derive(Debug)]
pub struct Network {
    name: String,
    nodes: usize,
    switches: usize,
    /// The two ends of each directed link: a node by its rank, a switch by its number plus the number of nodes.
    links: Vec<(u32, u32)>,
    /// The capacities in bytes/s; `None` for a link of the machine's common capacity.
    capacities: Vec<Option<f64>>,
    /// The latency of each directed link; empty if no link has one.
    latencies: Vec<Span>,
    /// The routes that are given in the file.
    given: Paths,
    /// The links into each vertex.
    into: AdjacencyLists,
    /// For each node to which a route was requested: the next link towards the node, from every vertex.
    next: Box<[OnceLock<Box<[u32]>>]>,
}

/// The links of given routes, by source and destination.
type Paths = BTreeMap<(Rank, Rank), Box<[LinkId]>>;

/// The value for "no link" and for "no distance".
const ABSENT: u32 = u32::MAX;

impl Network {
    /// Reads a network from a file: TOML, or in XML a topology of NCCL or a platform of SimGrid. Its name is `file:` and the path.
    ///
    /// ```
    /// use multicomputer::topology::{self, Network, Topology};
    ///
    /// let network = Network::from_file("examples/network.toml")?;
    /// assert_eq!(network.name(), "file:examples/network.toml");
    /// # Ok::<(), topology::TopologyError>(())
    /// ```
    ///
    /// # Errors
    /// [`TopologyError::Network`] names the file and says why it cannot be read or what is wrong in it.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Network, TopologyError> {
        let path = path.as_ref();
        let name = format!("{}:{}", KIND.name, path.display());
        match input::read(path) {
            Ok(text) => Network::from_text(name, &text),
            Err(cause) => {
                let problem = Box::new(NetworkProblem::Unreadable { cause: cause.to_string() });
                Err(TopologyError::Network { name, problem })
            }
        }
    }

    /// Reads a network from the text of a file, as [`from_file`](Network::from_file) does. The name is for reports only.
    ///
    /// # Errors
    /// [`TopologyError::Network`], as for [`from_toml`](Network::from_toml); or the line, if an element of XML is wrong.
    pub fn from_text(name: impl Into<String>, text: &str) -> Result<Network, TopologyError> {
        if !text.trim_start().starts_with('<') {
            return Network::from_toml(name, text);
        }
        let name = name.into();
        let read = || {
            let document = Document::parse_with_options(
                text,
                ParsingOptions { allow_dtd: true, ..ParsingOptions::default() },
            )
            .map_err(|cause| NetworkProblem::Syntax(format!("the text is not XML: {cause}")))?;
            let root = document.root_element().tag_name().name();
            match root {
                nccl::ROOT => nccl::read(&document)?.network(name.clone()),
                simgrid::ROOT => simgrid::read(&document)?.network(name.clone()),
                root => Err(NetworkProblem::Xml {
                    line: 1,
                    problem: format!(
                        "<{}> is not a network; allowed are <{}> (NCCL), <{}> (SimGrid), and networks in TOML",
                        shown(root),
                        nccl::ROOT,
                        simgrid::ROOT
                    ),
                }),
            }
        };
        read().map_err(|problem| TopologyError::Network { name: name.clone(), problem: Box::new(problem) })
    }

    /// Reads a network from the text of a TOML file. The name is for reports only.
    ///
    /// # Errors
    /// [`TopologyError::Network`] names the table, what was given and what is allowed; or the line, if the text is
    /// not TOML or a key is missing, unknown or of the wrong type.
    pub fn from_toml(name: impl Into<String>, text: &str) -> Result<Network, TopologyError> {
        let name = name.into();
        NetworkTable::read(text)
            .and_then(|table| table.network(name.clone()))
            .map_err(|problem| TopologyError::Network { name, problem: Box::new(problem) })
    }

    /// Returns the vertex of this number: nodes first, then switches.
    fn vertex(&self, number: u32) -> Vertex {
        let number = number as usize;
        if number < self.nodes { Vertex::Node(number) } else { Vertex::Switch(number - self.nodes) }
    }

    /// Returns for every vertex the first link, in the order of the file, that leads closer to node `to`.
    fn next_links(&self, to: Rank) -> Box<[u32]> {
        let distances = self.into.distances(to, |link| self.links[link].0);
        let mut next = vec![ABSENT; distances.len()];
        for (number, &(from, to)) in self.links.iter().enumerate() {
            let (from, to) = (from as usize, to as usize);
            // Links from or to a vertex that cannot reach the node are skipped.
            let is_closer = distances[to].is_some_and(|links| distances[from] == Some(links + 1));
            if next[from] == ABSENT && is_closer {
                next[from] = number as u32;
            }
        }
        next.into()
    }
}

impl Topology for Network {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn switches(&self) -> usize {
        self.switches
    }

    fn links(&self) -> usize {
        self.links.len()
    }

    fn link(&self, link: LinkId) -> Link {
        let links = self.links();
        assert!(link < links, "link {link} of {}, which has {links} links", self.name);
        let (from, to) = self.links[link];
        Link { from: self.vertex(from), to: self.vertex(to) }
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        let nodes = self.nodes;
        assert!(from < nodes && to < nodes, "a route from {from} to {to} on {}", self.name);
        if from == to {
            return;
        }
        if let Some(given) = self.given.get(&(from, to)) {
            route.extend_from_slice(given);
            return;
        }
        let next = self.next[to].get_or_init(|| self.next_links(to));
        let mut here = from;
        while here != to {
            // `next[here]` is a link: every node reaches every other, and so does every vertex of a route.
            let link = next[here] as LinkId;
            route.push(link);
            here = self.links[link].1 as usize;
        }
    }

    fn capacity(&self, link: LinkId) -> Option<f64> {
        self.capacities[link]
    }

    fn latencies(&self) -> &[Span] {
        &self.latencies
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

/// The links of each vertex: either the links that leave it or the links that enter it.
#[derive(Debug)]
struct AdjacencyLists {
    /// The index in `links` of the first link of each vertex; the last entry is the length of `links`.
    first: Vec<u32>,
    links: Vec<u32>,
}

impl AdjacencyLists {
    /// Sorts links by the vertex at one of their ends (counting sort); the links of one vertex keep their order.
    fn of(vertices: usize, ends: impl Iterator<Item = u32> + Clone) -> AdjacencyLists {
        let mut first = vec![0; vertices + 1];
        for end in ends.clone() {
            first[end as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            first[vertex + 1] += first[vertex];
        }
        let mut free = first.clone();
        let mut links = vec![0; first[vertices] as usize];
        for (link, end) in ends.enumerate() {
            links[free[end as usize] as usize] = link as u32;
            free[end as usize] += 1;
        }
        AdjacencyLists { first, links }
    }

    /// Returns the distance in links of each vertex from `start` over these links; `other` returns the far end of a link.
    fn distances(&self, start: usize, other: impl Fn(LinkId) -> u32) -> Vec<Option<u32>> {
        distances(self.first.len() - 1, start, |vertex| {
            let links = self.first[vertex] as usize..self.first[vertex + 1] as usize;
            self.links[links].iter().map(|&link| other(link as LinkId) as usize)
        })
    }
}

#[cfg(test)]
mod tests;
