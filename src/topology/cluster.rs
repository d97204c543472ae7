//! A cluster: servers of several processors behind a fast switch, with network adapters, and any network between the adapters. A
//! processor, such as a GPU, is a node of the machine and has a rank.
//!
//! ```text
//!   processor --+                      +-- adapter --+
//!   processor --+-- switch of a server --+             +-- network
//!   processor --+                      +-- adapter --+
//!   processor --+                      (of other servers, too)
//! ```
//!
//! With P processors and A adapters per server, processors 0 to P - 1 are on the first server, and so on. Processor i of a server
//! sends and receives through adapter floor(i A / P) of the server. The nodes of the network are the adapters in the same order:
//! adapters of a server are neighbours in the network. The network is any topology, also another cluster, so a machine can have
//! more than two levels.
//!
//! A message within a server takes two links, to the switch and from it. A message between servers takes two more, to the sender's
//! adapter and from the receiver's adapter, and between them the route of the network. All links of processors have one bandwidth
//! per direction, and all links of adapters another. Links of the network have the bandwidth of adapters unless they have their own
//! capacity, because they are cables of the adapters. The machine's common link capacity is not used. A processor's messages move
//! no faster than its port, 1/beta, even if its link has a larger capacity.
//!
//! # Differences from machines
//!
//! * A processor uses one adapter. Libraries split a long message over all adapters of a server, or forward it within the server to
//!   a processor whose adapter is nearer to the receiver's ("rails"). Algorithms can do the same here; the network does not.
//! * If the processors of a server are linked pair by pair without a switch, the bandwidth of one pair is less than that of
//!   a link here.
//!
//! Switches are numbered in this order: switches of servers, adapters, switches of the network. Directed links are numbered in this
//! order: by processor, to the switch and back; by adapter, to the adapter and back; then as in the network.

use std::sync::Arc;

use super::{
    Link, LinkId, NameContext, Topology, TopologyError, TopologyKind, Vertex,
    bandwidth::{check_bandwidth, megabytes, read_megabytes},
    check_extents, check_links, read_extent,
    validation::{Seal, Validation, validate, validated},
};
use crate::{rank::Rank, time::Span};

/// The registry entry of the cluster, spelled `cluster:8x4:450000,50000:clos:32:16`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "cluster",
    shape: "PROCESSORSxADAPTERS:MB/S,MB/S:TOPOLOGY",
    read: |shape, context| Ok(Arc::new(read(shape, context)?)),
};

/// Servers of several processors behind a switch, and a network between their adapters.
///
/// ```
/// use std::sync::Arc;
/// use multicomputer::topology::{Clos, Cluster, Topology};
///
/// // Four servers of eight processors, 450 GB/s each, and two adapters, 50 GB/s each, on one switch of eight ports.
/// let network = Arc::new(Clos::new(8, 8, 1)?);
/// let cluster = Cluster::new(8, 2, 450e9, 50e9, network)?;
/// assert_eq!((cluster.nodes(), cluster.links()), (32, 2 * (32 + 8 + 8)));
/// assert_eq!(cluster.name(), "cluster:8x2:450000,50000:clos:8:8");
///
/// let hops = |from, to| {
///     let mut route = Vec::new();
///     cluster.route(from, to, &mut route);
///     route.into_iter().map(|link| cluster.link(link).to_string()).collect::<Vec<_>>()
/// };
/// assert_eq!(hops(0, 7), ["node 0 -> switch 0", "switch 0 -> node 7"]);
/// assert_eq!(
///     hops(0, 31),
///     [
///         "node 0 -> switch 0",
///         "switch 0 -> switch 4",   // the first adapter of all
///         "switch 4 -> switch 12",  // the switch of the network
///         "switch 12 -> switch 11", // the last adapter
///         "switch 11 -> switch 3",
///         "switch 3 -> node 31",
///     ]
/// );
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The number of processors of a server.
    processors: usize,
    /// The number of adapters of a server.
    adapters: usize,
    /// The bandwidths of a processor's link (`inside`) and of an adapter's link (`adapter`), in bytes/s.
    inside: f64,
    adapter: f64,
    network: Arc<dyn Topology>,
    /// The latencies of all links, if the network has any.
    latencies: Vec<Span>,
}

impl Cluster {
    /// Creates a cluster of servers with `processors` processors, at least one, and `adapters` adapters each, at least one and at
    /// most `processors`. `inside` and `adapter` are the bandwidths in bytes/s of a processor's and an adapter's link, above 0 and
    /// finite. The nodes of `network` are the adapters of all servers: a multiple of `adapters`.
    ///
    /// # Errors
    /// [`TopologyError::Empty`], [`TopologyError::TooLarge`], [`TopologyError::TooManyLinks`], [`TopologyError::Bandwidth`] and
    /// [`TopologyError::OutOfRange`] for values outside these limits.
    pub fn new(
        processors: usize,
        adapters: usize,
        inside: f64,
        adapter: f64,
        network: Arc<dyn Topology>,
    ) -> Result<Cluster, TopologyError> {
        let network = validated(network);
        validate(&*network)?;
        let given = format!("{processors}x{adapters}");
        check_extents(&given, &[processors, adapters])?;
        let range = |what, given, allowed| Err(TopologyError::OutOfRange { what, given, allowed });
        if adapters > processors {
            return range(
                "number of adapters of a server",
                adapters,
                format!("1 to {processors}, as processors"),
            );
        }
        let ends = network.nodes();
        if !ends.is_multiple_of(adapters) {
            let allowed = format!("multiples of {adapters}, the adapters of a server");
            return range("number of adapters in all, the nodes of the network", ends, allowed);
        }
        check_extents(&given, &[processors, ends / adapters])?;
        let links = 2 * (ends / adapters * processors) + 2 * ends;
        check_links(&given, links.checked_add(network.links()))?;
        let (inside, adapter) = (check_bandwidth(inside)?, check_bandwidth(adapter)?);
        let latencies = match network.latencies() {
            [] => Vec::new(),
            of_network => std::iter::repeat_n(Span::ZERO, links).chain(of_network.iter().copied()).collect(),
        };
        Ok(Cluster { processors, adapters, inside, adapter, network, latencies })
    }

    /// Returns the number of servers.
    fn servers(&self) -> usize {
        self.network.nodes() / self.adapters
    }

    /// Returns the adapter of a processor, numbered over all servers.
    fn adapter_of(&self, processor: Rank) -> usize {
        let (server, nth) = (processor / self.processors, processor % self.processors);
        server * self.adapters + nth * self.adapters / self.processors
    }

    /// The number of the first link of an adapter, and of the first link of the network.
    fn first_links(&self) -> [LinkId; 2] {
        let processors = 2 * self.nodes();
        [processors, processors + 2 * self.network.nodes()]
    }

    /// Returns a vertex of the network as a switch of the cluster.
    fn of_network(&self, vertex: Vertex) -> Vertex {
        let servers = self.servers();
        Vertex::Switch(match vertex {
            Vertex::Node(adapter) => servers + adapter,
            Vertex::Switch(switch) => servers + self.network.nodes() + switch,
        })
    }
}

impl Topology for Cluster {
    fn name(&self) -> String {
        let Cluster { processors, adapters, inside, adapter, network, .. } = self;
        let (inside, adapter) = (megabytes(*inside), megabytes(*adapter));
        format!("{}:{processors}x{adapters}:{inside},{adapter}:{}", KIND.name, network.name())
    }

    fn nodes(&self) -> usize {
        self.servers() * self.processors
    }

    fn switches(&self) -> usize {
        self.servers() + self.network.nodes() + self.network.switches()
    }

    fn links(&self) -> usize {
        let [_, first] = self.first_links();
        first + self.network.links()
    }

    fn link(&self, link: LinkId) -> Link {
        let links = self.links();
        assert!(link < links, "link {link} of {}, which has {links} links", self.name());
        let [first_of_adapters, first_of_network] = self.first_links();
        if let Some(link) = link.checked_sub(first_of_network) {
            let Link { from, to } = self.network.link(link);
            return Link { from: self.of_network(from), to: self.of_network(to) };
        }
        let (end, switch) = match link.checked_sub(first_of_adapters) {
            None => (Vertex::Node(link / 2), link / 2 / self.processors),
            Some(link) => (self.of_network(Vertex::Node(link / 2)), link / 2 / self.adapters),
        };
        let switch = Vertex::Switch(switch);
        // Even numbers lead out of the server: from a processor to the switch, from the switch to an adapter. Both blocks begin even.
        let is_out = link.is_multiple_of(2);
        let is_to_switch = is_out == (link < first_of_adapters);
        if is_to_switch { Link { from: end, to: switch } } else { Link { from: switch, to: end } }
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        let nodes = self.nodes();
        assert!(from < nodes && to < nodes, "a route from {from} to {to} on {}", self.name());
        if from == to {
            return;
        }
        route.push(2 * from);
        if from / self.processors != to / self.processors {
            let [first_of_adapters, first_of_network] = self.first_links();
            let (out, into) = (self.adapter_of(from), self.adapter_of(to));
            route.push(first_of_adapters + 2 * out);
            let before = route.len();
            self.network.route(out, into, route);
            route[before..].iter_mut().for_each(|link| *link += first_of_network);
            route.push(first_of_adapters + 2 * into + 1);
        }
        route.push(2 * to + 1);
    }

    fn capacity(&self, link: LinkId) -> Option<f64> {
        let [first_of_adapters, first_of_network] = self.first_links();
        Some(match link.checked_sub(first_of_network) {
            Some(link) => self.network.capacity(link).unwrap_or(self.adapter),
            None if link < first_of_adapters => self.inside,
            None => self.adapter,
        })
    }

    fn latencies(&self) -> &[Span] {
        &self.latencies
    }

    fn longest_route(&self) -> Option<usize> {
        match (self.servers(), self.processors) {
            (1, 1) => Some(0),
            (1, _) => Some(2),
            // With several adapters per server, the longest route of the network may be between adapters of one server.
            _ if self.adapters == 1 => Some(4 + self.network.longest_route()?),
            _ => None,
        }
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

/// Reads `8x4:450000,50000:clos:32:16`.
fn read(shape: &str, context: NameContext<'_>) -> Result<Cluster, TopologyError> {
    let unreadable = || TopologyError::Shape {
        given: shape.to_owned(),
        allowed: "PROCESSORSxADAPTERS:MB/S,MB/S:TOPOLOGY, such as 8x4:450000,50000:clos:32:16 for 8 servers with the bandwidths of \
                  processors and of adapters, which a topology connects",
    };
    let (extents, rest) = shape.split_once(':').ok_or_else(unreadable)?;
    let (bandwidths, network) = rest.split_once(':').ok_or_else(unreadable)?;
    let (processors, adapters) = extents.split_once('x').ok_or_else(unreadable)?;
    let (inside, adapter) = bandwidths.split_once(',').ok_or_else(unreadable)?;
    let [processors, adapters] = [processors, adapters].map(read_extent);
    let (processors, adapters) = processors.zip(adapters).ok_or_else(unreadable)?;
    let (inside, adapter) = (read_megabytes(inside)?, read_megabytes(adapter)?);
    Cluster::new(processors, adapters, inside, adapter, context.read_within(network)?)
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::Index};

    use super::*;
    use crate::topology::{
        network_tests::{check_links, check_routes, distances},
        parse,
        tests::checked_route,
    };

    /// Generates names of clusters with different networks.
    fn names() -> impl Strategy<Value = String> {
        let networks = ["ring", "complete", "line", "tree"];
        (1..7_usize, any::<Index>(), 1..8_usize, prop::sample::select(networks.to_vec())).prop_map(
            |(processors, adapters, servers, network)| {
                let adapters = 1 + adapters.index(processors);
                format!("cluster:{processors}x{adapters}:450000,50000:{network}:{}", servers * adapters)
            },
        )
    }

    proptest! {
        #[test]
        fn routes_are_shortest_between_the_adapters_of_both_ends(
            name in names(), from in any::<Index>(), to in any::<Index>()
        ) {
            let cluster = parse(&name).unwrap();
            prop_assert_eq!(cluster.name(), name);
            let (from, to) = (from.index(cluster.nodes()), to.index(cluster.nodes()));
            let route = checked_route(&*cluster, from, to);
            prop_assert!(cluster.longest_route().is_none_or(|longest| route.len() <= longest));
            // With one adapter per server every route out of a server uses the same adapter.
            if cluster.name().contains("x1:") {
                prop_assert_eq!(route.len(), distances(&*cluster, from)[&Vertex::Node(to)]);
            }
            check_links(&*cluster);
        }
    }

    #[test]
    fn routes_with_one_adapter_per_server_are_shortest_and_use_all_links() {
        for name in ["cluster:4x1:8,2:ring:5", "cluster:1x1:8,2:mesh:2x3", "cluster:3x1:8,2:clos:8:4"] {
            check_routes(&*parse(name).unwrap());
        }
    }

    #[test]
    fn network_links_default_to_the_adapter_capacity() {
        let cluster = parse("cluster:2x2:450000,50000:dragonfly:2x1x2:25000,100000").unwrap();
        let capacities: Vec<_> = (0..cluster.links()).map(|link| cluster.capacity(link).unwrap()).collect();
        // Two servers of two processors, four adapters, and the link between the two groups, in both directions.
        assert_eq!(capacities, [[450e9; 8].as_slice(), &[50e9; 8], &[50e9; 8], &[100e9; 2]].concat());
    }

    #[test]
    fn processors_share_the_adapters_of_their_server_evenly() {
        let cluster = Cluster::new(8, 4, 1e9, 1e9, parse("complete:8").unwrap()).unwrap();
        let adapters: Vec<usize> = (0..16).map(|processor| cluster.adapter_of(processor)).collect();
        assert_eq!(adapters, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]);
        let [first, _] = cluster.first_links();
        assert_eq!(checked_route(&cluster, 2, 15), [4, first + 2, first + 16 + 7 + 6, first + 15, 31]);
    }

    #[test]
    fn clusters_can_be_nested() {
        let name = "cluster:4x1:400000,100000:cluster:2x1:100000,50000:ring:3";
        let racks = parse(name).unwrap();
        assert_eq!((racks.nodes(), &*racks.name()), (24, name));
        // To the same server, to the same rack, to another rack.
        assert_eq!([3, 7, 8].map(|to| checked_route(&*racks, 0, to).len()), [2, 6, 9]);
        let nested = |levels: usize| parse(&("cluster:1x1:1,1:".repeat(levels) + "line:2"));
        assert!(nested(7).is_ok());
        let refused = nested(8).unwrap_err().to_string();
        assert_eq!(refused, "`line:2` is nested too deeply in other networks; the maximum is 8 levels");
    }

    #[test]
    fn invalid_clusters_are_refused() {
        let refusal = |shape: &str| parse(&format!("cluster:{shape}")).unwrap_err().to_string();
        for shape in ["8", "8x1", "8x1:1,1", "8:1,1:line:2", "8x1:1:line:2", "ax1:1,1:line:2"] {
            assert!(refusal(shape).starts_with(&format!("invalid shape `{shape}`; allowed is PROCESSORSx")));
        }
        assert_eq!(
            refusal("2x3:1,1:line:3"),
            "invalid number of adapters of a server: 3; allowed are 1 to 2, as processors"
        );
        assert_eq!(
            refusal("4x2:1,1:line:3"),
            "invalid number of adapters in all, the nodes of the network: 3; allowed are multiples of 2, the adapters of a \
             server"
        );
        assert!(refusal("4x2:1,0:line:4").starts_with("invalid bandwidth `0 MB/s`"));
        assert!(refusal("4x2:1,1:ball:4").starts_with("unknown topology `ball:4`"));
        assert!(refusal("0x0:1,1:line:4").contains("has no nodes"));
        assert!(refusal("4000x1:1,1:line:400000").contains("too many nodes"));
    }
}
