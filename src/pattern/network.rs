//! Networks: the time for which one byte between two nodes occupies ports and links.
//!
//! A message follows the route of the machine from its sender to its receiver. Each byte occupies the sender's out-port, the receiver's
//! in-port and every link of the route for some time. Ports and links are the *resources*. An out-port carries one message at a time: a
//! byte occupies it for as long as it occupies the slowest link of the route.

use std::collections::BTreeMap;

use crate::rank::Rank;

/// The resources that a message between each pair of nodes occupies.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    nodes: usize,
    resources: usize,
    /// The pairs, ordered by sender and then by receiver.
    pairs: Vec<Pair>,
}

/// The resources that a message between two nodes occupies, with the time in seconds per byte.
pub(crate) type Pair = Vec<(u32, f64)>;

impl Network {
    /// Creates a network of `nodes` nodes. `pair` returns the resources of a message from a sender to a receiver; resource numbers are
    /// arbitrary.
    pub(crate) fn new(nodes: usize, mut pair: impl FnMut(Rank, Rank) -> Pair) -> Network {
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let mut numbered = |(resource, seconds)| {
            let next = numbers.len() as u32;
            (*numbers.entry(resource).or_insert(next), seconds)
        };
        let pairs = (0..nodes * nodes).map(|index| match (index / nodes, index % nodes) {
            (from, to) if from == to => Pair::new(),
            (from, to) => pair(from, to).into_iter().map(&mut numbered).collect(),
        });
        let pairs = pairs.collect();
        Network { nodes, pairs, resources: numbers.len() }
    }

    /// Returns the number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Returns the number of resources.
    pub(crate) fn resources(&self) -> usize {
        self.resources
    }

    /// Returns the resources that a message from one node to another occupies; empty if both are the same node.
    pub(crate) fn pair(&self, from: Rank, to: Rank) -> &Pair {
        &self.pairs[from * self.nodes + to]
    }

    /// Returns the total number of resource entries over all pairs.
    pub(crate) fn uses(&self) -> usize {
        self.pairs.iter().map(Vec::len).sum()
    }

    /// Returns the shortest positive time in seconds per byte over all resources; infinite if there is none.
    pub(crate) fn quickest(&self) -> f64 {
        let all = self.pairs.iter().flatten().map(|&(_, seconds)| seconds);
        all.filter(|&seconds| seconds > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// Returns the cost of a byte between each pair of nodes, given the price of each resource per second.
    pub(crate) fn costs(&self, prices: &[f64]) -> Vec<f64> {
        let cost =
            |pair: &Pair| pair.iter().map(|&(resource, seconds)| prices[resource as usize] * seconds).sum();
        self.pairs.iter().map(cost).collect()
    }
}
