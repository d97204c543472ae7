//! Forests: messages from one or several sources are distributed over several spanning trees, in proportions that the network can carry.
//!
//! An edge of a tree is a message between two nodes. The message occupies several [resources](super::network), each for some time per byte.
//!
//! **Lower bound.** [`broadcast_lower_bound()`] computes a lower bound on the time of any broadcast, with trees or otherwise. In any
//! broadcast, the messages between nodes contain trees for all bytes: from each set of nodes to the others at least as many bytes are sent
//! as the sources in the set have, and by Edmonds' theorem on disjoint branchings such trees then exist. (For several sources, add a node
//! that sends each source its message.) The same holds if nodes send sums of bytes instead of bytes. Give every resource a price per
//! second. All sent bytes together cost at least as much as all messages down their cheapest trees, and no resource earns more than its
//! price in each second; with prices that sum to 1 the cost is therefore a lower bound. Reversed in time, the bound holds for combining at
//! one node: the contribution of each node to an element must reach the root, so the messages with partial results of the element contain a
//! tree.
//!
//! **Trees.** An optimal packing has many trees, with edges between many different pairs of nodes. If ports are saturated, their messages
//! delay each other and the planned rate is not reached. Few trees that are nearly optimal perform much better. Therefore [trees](grow())
//! of one source, and [cycles](cycles()) for several sources, are grown edge by edge with the lower bound as the target: first one, then
//! more while the time exceeds the target.
//!
//! **Source.** J. Edmonds, "Edge-disjoint branchings", Combinatorial Algorithms, 1973, for the theorem; L. Zhao, A. Krishnamurthy,
//! "ForestColl: Throughput-optimal collective communications on heterogeneous network fabrics", arXiv 2402.06787, for the idea, on networks
//! with free routing where only links count. Here routes are fixed and nodes have ports, so trees are found by prices, not by removing
//! switches.

mod arborescence;
mod cycles;
mod growth;
mod lower_bound;

pub(crate) use self::{cycles::cycles, growth::grow, lower_bound::broadcast_lower_bound};
use super::network::Network;
use crate::rank::Rank;

/// A tree for a share of a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SourceTree {
    /// The index of the source.
    pub(crate) source: usize,
    /// The parent of each node; the source is its own parent.
    pub(crate) parents: Vec<Rank>,
}

impl Network {
    /// Returns the time in seconds for which the busiest resource is occupied, if the given number of bytes goes down each tree.
    pub(crate) fn busiest<'a>(&self, trees: impl IntoIterator<Item = (&'a [Rank], u64)>) -> f64 {
        let mut loads = vec![0.0; self.resources()];
        for (parents, bytes) in trees {
            for (from, to) in edges(parents) {
                let uses = self.pair(from, to);
                uses.iter()
                    .for_each(|&(resource, seconds)| loads[resource as usize] += seconds * bytes as f64);
            }
        }
        loads.into_iter().fold(0.0, f64::max)
    }
}

/// Returns the edges of a tree, each from a parent to a child.
pub(crate) fn edges(parents: &[Rank]) -> impl Iterator<Item = (Rank, Rank)> {
    parents.iter().enumerate().map(|(to, &from)| (from, to)).filter(|&(from, to)| from != to)
}

/// The resource loads, as fractions of the target time.
struct Loads<'a> {
    network: &'a Network,
    loads: Vec<f64>,
    /// The number of resources visited by the local search.
    work: usize,
}

/// The number of passes in which all trees or cycles are grown.
const ROUNDS: usize = 3;

/// The maximum number of resources visited by the local search.
const MAX_WORK: usize = 4_000_000;

impl Loads<'_> {
    fn none(network: &Network) -> Loads<'_> {
        Loads { network, loads: vec![0.0; network.resources()], work: 0 }
    }

    /// Counts the work of `edges` edges like the given one; returns whether work is left.
    fn spend_work(&mut self, from: Rank, to: Rank, edges: usize) -> bool {
        self.work += self.network.pair(from, to).len() * edges;
        self.work < MAX_WORK
    }

    /// Returns the price of adding `amount`, in bytes per second of the target time, to an edge.
    fn price(&self, from: Rank, to: Rank, amount: f64) -> f64 {
        let added = |&(resource, seconds): &(u32, f64)| {
            let load = self.loads[resource as usize];
            weight(load + seconds * amount) - weight(load)
        };
        self.network.pair(from, to).iter().map(added).sum()
    }

    fn add(&mut self, from: Rank, to: Rank, amount: f64) {
        for &(resource, seconds) in self.network.pair(from, to) {
            self.loads[resource as usize] += seconds * amount;
        }
    }

    /// Returns the busiest resource.
    fn busiest(&self) -> Option<u32> {
        let busier = |one: &usize, other: &usize| {
            self.loads[*one].total_cmp(&self.loads[*other]).then_with(|| other.cmp(one))
        };
        (0..self.loads.len()).max_by(busier).map(|resource| resource as u32)
    }

    fn uses(&self, from: Rank, to: Rank, resource: u32) -> bool {
        self.network.pair(from, to).iter().any(|&(used, _)| used == resource)
    }
}

/// Returns the weight of a load: small below the target, and very large above it. The linear term favours routes with few resources.
fn weight(load: f64) -> f64 {
    let square = load * load;
    let fourth = square * square;
    fourth * fourth + 0.01 * load
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::network::Pair, *};

    /// Creates a network of ports with 1 s per byte, and the resources that `links` gives for a pair.
    fn ports(nodes: usize, mut links: impl FnMut(Rank, Rank) -> Pair) -> Network {
        Network::new(nodes, |from, to| {
            let mut uses = vec![(from as u32, 1.0), ((nodes + to) as u32, 1.0)];
            uses.extend(links(from, to));
            uses
        })
    }

    fn is_spanning(share: &SourceTree, root: Rank) -> bool {
        let reaches = |mut node: Rank| {
            (0..share.parents.len()).for_each(|_| node = share.parents[node]);
            node == root
        };
        (0..share.parents.len()).all(reaches)
    }

    fn busiest(network: &Network, trees: &[SourceTree], bytes: impl Fn(usize) -> u64) -> f64 {
        network.busiest(trees.iter().map(|tree| (&tree.parents[..], bytes(tree.source))))
    }

    /// Tests a network in which only ports matter: a chain is optimal for one source, and a cycle for several, as each node receives all
    /// data of other nodes.
    #[test]
    fn trees_are_chains_where_ports_limit() {
        let network = ports(6, |_, _| Pair::new());
        assert!((broadcast_lower_bound(&network, &[(2, 60)]) - 60.0).abs() < 0.1);
        let trees = grow(&network, 2, 60, 1, 60.0, false);
        assert!(is_spanning(&trees[0], 2));
        assert_eq!(busiest(&network, &trees, |_| 60), 60.0);
        let sources = [(0, 20), (3, 20), (4, 20)];
        assert!((broadcast_lower_bound(&network, &sources) - 60.0).abs() < 0.1);
        let trees = cycles(&network, &[0, 3, 4], 60, 1, 60.0);
        assert!(trees.iter().all(|tree| is_spanning(tree, sources[tree.source].0)));
        assert_eq!(busiest(&network, &trees, |_| 20), 60.0);
    }

    /// Tests two halves of four nodes with two links from one half to the other, each for two of the senders, at a quarter of the port
    /// speed: one tree crosses one link, two trees cross both.
    #[test]
    fn several_trees_use_several_links() {
        let network =
            ports(
                8,
                |from, to| {
                    if from / 4 == to / 4 { Pair::new() } else { vec![(16 + (from % 4 / 2) as u32, 4.0)] }
                },
            );
        let aim = broadcast_lower_bound(&network, &[(0, 80)]);
        assert!((aim - 160.0).abs() < 0.2, "{aim}");
        let load = |count: usize| {
            let trees = grow(&network, 0, 80, count, aim, true);
            assert!(trees.iter().all(|tree| is_spanning(tree, 0)) && trees.len() == count);
            busiest(&network, &trees, |_| 80 / count as u64)
        };
        assert_eq!([1, 2].map(load), [320.0, 160.0]);
    }

    /// Tests that a slow leaf allows shallow trees: its in-link takes as long as two messages occupy a port.
    #[test]
    fn trees_are_low_where_resources_are_idle() {
        let network = ports(15, |_, to| if to == 14 { vec![(30, 2.0)] } else { Pair::new() });
        let height = |is_low: bool| {
            let trees = grow(&network, 0, 10, 1, 20.0, is_low);
            assert_eq!(busiest(&network, &trees, |_| 10), 20.0);
            let depth = |mut node: Rank| {
                let up = std::iter::from_fn(|| (node != 0).then(|| node = trees[0].parents[node]));
                up.count()
            };
            (0..15).map(depth).max()
        };
        assert!(height(true) <= Some(7) && height(false) > height(true), "{:?}", height(true));
    }

    #[test]
    fn links_without_bandwidth_have_no_bound() {
        let network = ports(3, |_, _| vec![(6, f64::MAX)]);
        assert_eq!(broadcast_lower_bound(&network, &[(0, 1000)]), 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// Tests that no grown tree beats the lower bound, and that the bound is at least the bytes that some node must receive, up to the
        /// tolerance of the search.
        #[test]
        fn no_forest_beats_the_lower_bound(
            nodes in 2..9_usize,
            shared in prop::collection::vec((0..6_u32, 1..40_u32), 81),
            lengths in prop::collection::vec(0..1000_u64, 1..4),
            count in 1..4_usize,
        ) {
            let network = ports(nodes, |from, to| {
                let (link, seconds) = shared[from * 9 + to];
                vec![(2 * nodes as u32 + link, f64::from(seconds) / 10.0)]
            });
            let sources: Vec<(Rank, u64)> = lengths.iter().copied().enumerate().take(nodes).collect();
            let total: u64 = sources.iter().map(|&(_, bytes)| bytes).sum();
            let lower_bound = broadcast_lower_bound(&network, &sources);
            let intake = total - sources.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0);
            prop_assert!(lower_bound >= intake as f64 * 0.998, "{} for {}", lower_bound, intake);
            let aim = if lower_bound > 0.0 { lower_bound } else { 1.0 };
            let roots: Vec<Rank> = sources.iter().map(|&(root, _)| root).collect();
            let around = cycles(&network, &roots, total, count, aim);
            prop_assert!(around.iter().all(|tree| is_spanning(tree, roots[tree.source])));
            prop_assert!(count as f64 * lower_bound <= busiest(&network, &around, |source| sources[source].1) * (1.0 + 1e-9));
            let only = self::broadcast_lower_bound(&network, &sources[..1]);
            for is_low in [false, true] {
                let trees = grow(&network, 0, lengths[0], count, aim, is_low);
                prop_assert!(trees.iter().all(|tree| is_spanning(tree, 0)));
                prop_assert!(count as f64 * only <= busiest(&network, &trees, |_| lengths[0]) * (1.0 + 1e-9));
            }
        }
    }
}
