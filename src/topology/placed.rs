//! A network with a placement of ranks on its nodes.
//!
//! Links, switches, capacities and routes are those of the network; only the nodes are renamed: each node has the number of the
//! rank that is [placed](super::Placement) on it. Everything that refers to ranks therefore follows the placement: routes, loads
//! of links, lower bounds, plans, pictures, and the nodes and links that faults name. A placed network has no rows and columns,
//! because its ranks are not in row-major order.

use std::{fmt, sync::Arc};

use super::{
    Link, LinkId, NameContext, Placement, Topology, TopologyError, TopologyKind, Vertex,
    validation::{Seal, Validation, validate, validated},
};
use crate::{rank::Rank, time::Span};

/// The registry entry, spelled `placed:random:7:torus:4x4`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "placed",
    shape: "PLACEMENT:TOPOLOGY",
    read: |shape, context| Ok(Arc::new(read(shape, context)?)),
};

/// A network with a placement of ranks on its nodes.
///
/// ```
/// use multicomputer::topology::{self, Topology};
///
/// // Ranks 0 and 1 are on different servers of four.
/// let placed = topology::parse("placed:round-robin:4:cluster:4x1:450000,50000:ring:2")?;
/// let hops = |from, to| {
///     let mut route = Vec::new();
///     placed.route(from, to, &mut route);
///     route.len()
/// };
/// assert_eq!((hops(0, 1), hops(0, 2)), (5, 2));
/// # Ok::<(), topology::TopologyError>(())
/// ```
#[derive(Clone)]
pub struct Placed {
    topology: Arc<dyn Topology>,
    placement: Placement,
    /// The node of each rank; `ranks` is the inverse, the rank of each node.
    nodes: Vec<Rank>,
    ranks: Vec<Rank>,
}

impl Placed {
    /// Creates a network with the ranks placed on its nodes.
    ///
    /// # Errors
    /// [`TopologyError::Placement`] if the placement does not fit the number of nodes, and the error of an invalid topology.
    pub fn new(topology: Arc<dyn Topology>, placement: Placement) -> Result<Placed, TopologyError> {
        let topology = validated(topology);
        validate(&*topology)?;
        let nodes = placement.order(topology.nodes())?;
        let mut ranks = vec![0; nodes.len()];
        nodes.iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
        Ok(Placed { topology, placement, nodes, ranks })
    }

    /// Returns a vertex of the original network under its name in the placed network.
    pub(crate) fn renamed(&self, vertex: Vertex) -> Vertex {
        match vertex {
            Vertex::Node(node) => Vertex::Node(self.ranks[node]),
            switch @ Vertex::Switch(_) => switch,
        }
    }
}

/// Shows only the name, because the lists have an entry per node.
impl fmt::Debug for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Placed({})", self.name())
    }
}

impl Topology for Placed {
    fn name(&self) -> String {
        format!("{}:{}:{}", KIND.name, self.placement, self.topology.name())
    }

    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn switches(&self) -> usize {
        self.topology.switches()
    }

    fn links(&self) -> usize {
        self.topology.links()
    }

    fn link(&self, link: LinkId) -> Link {
        let Link { from, to } = self.topology.link(link);
        Link { from: self.renamed(from), to: self.renamed(to) }
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        let nodes = self.nodes();
        assert!(from < nodes && to < nodes, "a route from {from} to {to} on {}", self.name());
        self.topology.route(self.nodes[from], self.nodes[to], route);
    }

    fn capacity(&self, link: LinkId) -> Option<f64> {
        self.topology.capacity(link)
    }

    fn latencies(&self) -> &[Span] {
        self.topology.latencies()
    }

    fn longest_route(&self) -> Option<usize> {
        self.topology.longest_route()
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

/// Reads `random:7:torus:4x4`.
fn read(shape: &str, context: NameContext<'_>) -> Result<Placed, TopologyError> {
    let unreadable = || TopologyError::Shape {
        given: shape.to_owned(),
        allowed: "PLACEMENT:TOPOLOGY, such as random:7:torus:4x4 or round-robin:2:tree:8",
    };
    let (word, rest) = shape.split_once(':').ok_or_else(unreadable)?;
    // All placements except `identity` have an argument.
    let length = match word {
        "identity" => word.len(),
        _ => word.len() + 1 + rest.find(':').ok_or_else(unreadable)?,
    };
    let (placement, network) = (&shape[..length], &shape[length + 1..]);
    let placement: Placement = placement.parse()?;
    Placed::new(context.read_within(network)?, placement.relative_to(context.folder))
}

#[cfg(test)]
mod tests {
    use crate::topology::{
        network_tests::{check_links, check_routes},
        parse,
        tests::visited,
    };

    #[test]
    fn routes_are_those_between_the_placed_nodes() {
        let placed = parse("placed:blocks:4x2:ring:8").unwrap();
        // Ranks 0 and 3 are on nodes 0 and 5, and the route visits nodes 0, 7, 6, 5.
        assert_eq!(visited(&*placed, 0, 3), [0, 7, 6, 3]);
        assert_eq!(placed.link(0).to_string(), "node 0 -> node 1");
        assert!(placed.grid().is_none());
    }

    #[test]
    fn placed_networks_pass_the_topology_checks() {
        for name in ["placed:random:3:mesh:3x4", "placed:round-robin:4:clos:8:4", "placed:identity:ring:5"] {
            let placed = parse(name).unwrap();
            assert_eq!(placed.name(), name);
            check_links(&*placed);
            check_routes(&*placed);
        }
    }

    #[test]
    fn invalid_placed_networks_are_refused() {
        let refusal = |shape: &str| parse(&format!("placed:{shape}")).unwrap_err().to_string();
        for shape in ["random", "random:7", "identity"] {
            assert!(
                refusal(shape)
                    .starts_with(&format!("invalid shape `{shape}`; allowed is PLACEMENT:TOPOLOGY"))
            );
        }
        assert!(
            refusal("snake:1:ring:4")
                .starts_with("unknown placement `snake:1`. Known: identity, random:SEED")
        );
        assert!(refusal("random:1:ball:4").starts_with("unknown topology `ball:4`"));
        assert!(
            refusal("round-robin:3:ring:4")
                .contains("the number of nodes is not a multiple of 3, the nodes per server")
        );
        let nested = "identity:placed:".repeat(9) + "identity:ring:4";
        assert!(refusal(&nested).contains("is nested too deeply in other networks; the maximum is 8 levels"));
    }
}
