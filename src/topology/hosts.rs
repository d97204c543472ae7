//! Hosts with several nodes each: messages within a host share its memory, messages between hosts share network cards.
//!
//! The ranks of an MPI job form such a machine. All messages within a host pass through its memory, which is one shared link. A message
//! between hosts passes through the outgoing card of the sender's host and the incoming card of the receiver's host. The network between
//! the cards has no shared links.
//!
//! ```text
//!   node --> out --memory--> in --> node         on each host
//!             |               ^
//!            card            card
//!             v               |
//!             +--- network ---+                  of several hosts
//! ```
//!
//! A route has three links within a host, and four between hosts. Directed links are numbered by node, first the link that leaves
//! the node; then by host: the memory and, with several hosts, the outgoing card and the incoming card.

use std::sync::Arc;

use super::{
    Link, LinkId, Topology, TopologyError, TopologyKind, Vertex,
    bandwidth::{check_bandwidth, megabytes, read_megabytes},
    check_extents, check_links, read_extent,
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// The registry entry, spelled `hosts:16:8000` for one host, `hosts:8+8:8000,1250` for several.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "hosts",
    shape: "NODES+NODES+..:MB/S[,MB/S]",
    read: |shape, _| Ok(Arc::new(read(shape)?)),
};

/// Nodes on hosts, which share the memory of their host and its network card.
///
/// ```
/// use multicomputer::topology::{Hosts, Topology};
///
/// // Two hosts of four nodes each, with 8 GB/s through a memory and 1 GB/s through a card.
/// let hosts = Hosts::new(&[4, 4], 8e9, 1e9)?;
/// assert_eq!((hosts.nodes(), hosts.switches(), hosts.links()), (8, 5, 22));
/// assert_eq!(hosts.name(), "hosts:4+4:8000,1000");
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hosts {
    /// The first node of each host, followed by the number of all nodes.
    first: Vec<usize>,
    memory: f64,
    card: f64,
}

impl Hosts {
    /// Creates hosts with the given numbers of nodes, in rank order: at least one host, and at least one node on each. `memory`
    /// is the bandwidth in bytes/s of the memory of each host, and `card` that of its network card per direction, which is
    /// ignored for a single host. Both are above 0 and finite.
    ///
    /// # Errors
    /// [`TopologyError::Empty`], [`TopologyError::TooLarge`], [`TopologyError::TooManyLinks`] and
    /// [`TopologyError::Bandwidth`] for values outside these limits.
    pub fn new(nodes: &[usize], memory: f64, card: f64) -> Result<Hosts, TopologyError> {
        let given = format_nodes(nodes);
        if nodes.is_empty() || nodes.contains(&0) {
            return Err(TopologyError::Empty { given });
        }
        let all = nodes.iter().try_fold(0_usize, |all, &nodes| all.checked_add(nodes)).unwrap_or(usize::MAX);
        check_extents(&given, &[all])?;
        check_links(&given, all.checked_mul(2).and_then(|links| links.checked_add(3 * nodes.len())))?;
        let used = [memory, card];
        let used = if nodes.len() == 1 { &used[..1] } else { &used };
        used.iter().try_for_each(|&given| check_bandwidth(given).map(drop))?;
        let mut first = vec![0];
        for &nodes in nodes {
            first.push(first[first.len() - 1] + nodes);
        }
        Ok(Hosts { first, memory, card: if nodes.len() == 1 { memory } else { card } })
    }

    fn hosts(&self) -> usize {
        self.first.len() - 1
    }

    /// Returns the host of a node.
    fn host(&self, node: Rank) -> usize {
        self.first.partition_point(|&first| first <= node) - 1
    }

    /// The number of links of a host: its memory and, with several hosts, its outgoing and incoming card.
    fn links_per_host(&self) -> usize {
        if self.hosts() == 1 { 1 } else { 3 }
    }

    /// Returns the number of the `nth` link of a host.
    fn of_host(&self, host: usize, nth: usize) -> LinkId {
        2 * self.nodes() + host * self.links_per_host() + nth
    }
}

impl Topology for Hosts {
    fn name(&self) -> String {
        let nodes: Vec<usize> = self.first.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let card = if nodes.len() > 1 { format!(",{}", megabytes(self.card)) } else { String::new() };
        format!("{}:{}:{}{card}", KIND.name, format_nodes(&nodes), megabytes(self.memory))
    }

    fn nodes(&self) -> usize {
        self.first[self.hosts()]
    }

    fn switches(&self) -> usize {
        2 * self.hosts() + usize::from(self.hosts() > 1)
    }

    fn links(&self) -> usize {
        self.of_host(self.hosts(), 0)
    }

    fn link(&self, link: LinkId) -> Link {
        let links = self.links();
        assert!(link < links, "link {link} of {}, which has {links} links", self.name());
        let (node, ways) = (link / 2, |host: usize| [2 * host, 2 * host + 1].map(Vertex::Switch));
        if node < self.nodes() {
            let [out, into] = ways(self.host(node));
            return match link % 2 {
                0 => Link { from: Vertex::Node(node), to: out },
                _ => Link { from: into, to: Vertex::Node(node) },
            };
        }
        let nth = link - 2 * self.nodes();
        let [out, into] = ways(nth / self.links_per_host());
        let network = Vertex::Switch(2 * self.hosts());
        match nth % self.links_per_host() {
            0 => Link { from: out, to: into },
            1 => Link { from: out, to: network },
            _ => Link { from: network, to: into },
        }
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        let nodes = self.nodes();
        assert!(from < nodes && to < nodes, "a route from {from} to {to} on {}", self.name());
        if from == to {
            return;
        }
        route.push(2 * from);
        match (self.host(from), self.host(to)) {
            (one, other) if one == other => route.push(self.of_host(one, 0)),
            (one, other) => route.extend([self.of_host(one, 1), self.of_host(other, 2)]),
        }
        route.push(2 * to + 1);
    }

    fn capacity(&self, link: LinkId) -> Option<f64> {
        let nth = link.checked_sub(2 * self.nodes())?;
        Some(if nth % self.links_per_host() == 0 { self.memory } else { self.card })
    }

    fn longest_route(&self) -> Option<usize> {
        Some(match (self.hosts(), self.nodes()) {
            (1, 1) => 0,
            (1, _) => 3,
            _ => 4,
        })
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

/// Spells the numbers of nodes, such as `8+8`.
fn format_nodes(nodes: &[usize]) -> String {
    nodes.iter().map(usize::to_string).collect::<Vec<_>>().join("+")
}

/// Parses the number of nodes of each host, a colon, and the bandwidths in MB/s, such as `16:8000` or `8+8:8000,1250`.
fn read(shape: &str) -> Result<Hosts, TopologyError> {
    let unreadable = || TopologyError::Shape {
        given: shape.to_owned(),
        allowed: "NODES+NODES+..:MB/S,MB/S, such as 16:8000 for one host, 8+8:8000,1250 for two with a network between them",
    };
    let (nodes, bandwidths) = shape.split_once(':').ok_or_else(unreadable)?;
    let nodes: Vec<usize> =
        nodes.split('+').map(read_extent).collect::<Option<_>>().ok_or_else(unreadable)?;
    let bandwidths: Vec<f64> = bandwidths.split(',').map(read_megabytes).collect::<Result<_, _>>()?;
    match (nodes.len(), &bandwidths[..]) {
        (1, &[memory]) => Hosts::new(&nodes, memory, memory),
        (2.., &[memory, card]) => Hosts::new(&nodes, memory, card),
        _ => Err(unreadable()),
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::{
        network_tests::check_routes,
        parse,
        tests::{checked_route, visited},
    };

    #[test]
    fn messages_within_a_host_share_its_memory() {
        let host = parse("hosts:4:8000").unwrap();
        assert_eq!((host.nodes(), host.switches(), host.links()), (4, 2, 9));
        for (from, to) in [(0, 1), (1, 0), (3, 2)] {
            assert_eq!(checked_route(&*host, from, to), [2 * from, 8, 2 * to + 1]);
        }
        assert_eq!((host.capacity(8), host.capacity(3)), (Some(8e9), None));
    }

    #[test]
    fn messages_between_hosts_pass_both_cards() {
        let hosts = parse("hosts:2+1+3:8000,1250").unwrap();
        assert_eq!(hosts.name(), "hosts:2+1+3:8000,1250");
        assert_eq!(checked_route(&*hosts, 1, 5), [2, 13, 20, 11]);
        assert_eq!(
            (hosts.capacity(13), hosts.capacity(12), hosts.capacity(20)),
            (Some(1.25e9), Some(8e9), Some(1.25e9))
        );
        assert_eq!(visited(&*hosts, 2, 2), [2]);
        assert_eq!(hosts.longest_route(), Some(4));
    }

    #[test]
    fn routes_are_shortest_and_use_all_links() {
        for name in ["hosts:2:1", "hosts:5:8000", "hosts:2+2+3:8000,1250"] {
            check_routes(&*parse(name).unwrap());
        }
        let names = ["hosts:1:5", "hosts:3+1:8000.5,0.25"];
        assert_eq!(names.map(|name| parse(name).unwrap().name()), names, "read and spelled");
    }

    #[test]
    fn invalid_shapes_are_refused() {
        for text in [
            "hosts:4",
            "hosts:4:1,2",
            "hosts:2+2:8000",
            "hosts:2+x:1,2",
            "hosts:2+0:1,2",
            "hosts:3:0",
            "hosts:2+2:1,2,3",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
