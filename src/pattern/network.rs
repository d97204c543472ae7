//! Networks: what a byte from one member to another takes of ports and links.
//!
//! A message goes on the route that the machine has for its sender and its receiver. A byte of it takes the sender's out-port, the
//! receiver's in-port and every link on the way for some time each. These are the *resources*. An out-port has one message at a
//! time: a byte takes it as long as the slowest link on the way does.

use std::collections::BTreeMap;

use crate::rank::Rank;

/// The resources that a message between each two members takes.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    nodes: usize,
    resources: usize,
    /// By sender, and for each of them by receiver.
    pairs: Vec<Pair>,
}

/// The resources that a message from one member to another takes, with the seconds for each byte.
pub(crate) type Pair = Vec<(u32, f64)>;

impl Network {
    /// A network of so many nodes, where a message takes what `pair` tells for its sender and receiver. Resources have any
    /// numbers.
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

    /// The number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// The number of resources.
    pub(crate) fn resources(&self) -> usize {
        self.resources
    }

    /// The ports and links that a message from one node to another takes; nothing if they are the same.
    pub(crate) fn pair(&self, from: Rank, to: Rank) -> &Pair {
        &self.pairs[from * self.nodes + to]
    }

    /// The resources that all pairs take, together.
    pub(crate) fn uses(&self) -> usize {
        self.pairs.iter().map(Vec::len).sum()
    }

    /// The fewest seconds that a byte takes a resource, of those that it takes at all; infinite if there are none.
    pub(crate) fn quickest(&self) -> f64 {
        let all = self.pairs.iter().flatten().map(|&(_, seconds)| seconds);
        all.filter(|&seconds| seconds > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// The price of a byte between each two nodes, by the price of each resource for a second.
    pub(crate) fn costs(&self, prices: &[f64]) -> Vec<f64> {
        let cost =
            |pair: &Pair| pair.iter().map(|&(resource, seconds)| prices[resource as usize] * seconds).sum();
        self.pairs.iter().map(cost).collect()
    }
}
