//! Trees that are grown edge by edge.
//!
//! **Method.** A tree starts at its source and repeatedly adds the cheapest edge to a further node. An edge costs the increase of the
//! weights of its resources. Weights are large for resources that are occupied longer than the target time, so nodes with free ports become
//! parents and routes over free links are preferred. Optionally depth has a cost: without this cost trees are chains, with it they are as
//! shallow as the target allows. Then a local search moves nodes below the busiest resource to other parents while a move reduces the
//! weight, and each tree is grown again given the others.
//!
//! **Cost.** `O(p^2 log p)` for a tree, and `O(k p^2 h)` for each move in `k` trees of height `h`; at most `2 p` moves after each of three
//! passes, until a fixed amount of work is done.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{Loads, Network, ROUNDS, SourceTree, edges};
use crate::rank::Rank;

/// Returns `count` trees of one source, which each carry an equal part of the message of `bytes` bytes. `aim` is the target time in seconds
/// of the busiest resource. With `is_low`, depth has a cost.
pub(crate) fn grow(
    network: &Network,
    root: Rank,
    bytes: u64,
    count: usize,
    aim: f64,
    is_low: bool,
) -> Vec<SourceTree> {
    let amount = bytes as f64 / count as f64 / aim;
    let depth = if is_low { 1.0 } else { 0.0 };
    let mut growth = Growth { loads: Loads::none(network), amount, depth };
    let mut trees: Vec<Vec<Rank>> = Vec::new();
    for round in 0..ROUNDS {
        for nth in 0..count {
            if round > 0 {
                edges(&trees[nth]).for_each(|(from, to)| growth.loads.add(from, to, -amount));
                trees[nth] = growth.tree(root);
            } else {
                trees.push(growth.tree(root));
            }
        }
        growth.improve(&mut trees);
    }
    trees.into_iter().map(|parents| SourceTree { source: 0, parents }).collect()
}

struct Growth<'a> {
    loads: Loads<'a>,
    /// The bytes per tree, per second of the target time.
    amount: f64,
    /// The cost of one level of depth.
    depth: f64,
}

/// A price with a total order.
#[derive(Clone, Copy, PartialEq)]
struct Price(f64);

impl Eq for Price {}

impl PartialOrd for Price {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Price {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Growth<'_> {
    /// Returns the parents of a tree that is grown by repeatedly adding the cheapest edge to a further node.
    fn tree(&mut self, root: Rank) -> Vec<Rank> {
        let nodes = self.loads.network.nodes();
        let mut parents: Vec<Option<Rank>> = vec![None; nodes];
        let mut depths = vec![0; nodes];
        let mut cheapest: BinaryHeap<Reverse<(Price, Rank, Rank)>> = BinaryHeap::new();
        let mut last = Some(root);
        parents[root] = Some(root);
        let price = |growth: &Self, depths: &[usize], from: Rank, to: Rank| {
            growth.loads.price(from, to, growth.amount) + growth.depth * (depths[from] + 1) as f64
        };
        loop {
            if let Some(from) = last.take() {
                let candidates = (0..nodes).filter(|&to| parents[to].is_none());
                cheapest
                    .extend(candidates.map(|to| Reverse((Price(price(self, &depths, from, to)), from, to))));
            }
            let Some(Reverse((Price(before), from, to))) = cheapest.pop() else { break };
            if parents[to].is_some() {
                continue;
            }
            // Prices only rise as the tree grows, so an entry of the heap whose price has not risen is the minimum.
            let now = price(self, &depths, from, to);
            if now > before {
                cheapest.push(Reverse((Price(now), from, to)));
                continue;
            }
            self.loads.add(from, to, self.amount);
            (parents[to], depths[to], last) = (Some(from), depths[from] + 1, Some(to));
        }
        parents.into_iter().map(|parent| parent.unwrap_or(root)).collect()
    }

    /// Moves nodes below the busiest resource to other parents, while a move reduces the weight.
    fn improve(&mut self, trees: &mut [Vec<Rank>]) {
        let (nodes, amount) = (self.loads.network.nodes(), self.amount);
        for _ in 0..2 * nodes {
            let Some(busiest) = self.loads.busiest() else { return };
            let mut best: Option<(f64, usize, Rank, Rank)> = None;
            for (nth, parents) in trees.iter().enumerate() {
                for (from, to) in edges(parents) {
                    if !self.loads.uses(from, to, busiest) {
                        continue;
                    }
                    if !self.loads.spend_work(from, to, nodes) {
                        return;
                    }
                    self.loads.add(from, to, -amount);
                    let before = self.loads.price(from, to, amount);
                    let candidates =
                        (0..nodes).filter(|&other| other != from && !is_above(parents, to, other));
                    for other in candidates {
                        let change = self.loads.price(other, to, amount) - before;
                        if change < best.map_or(-1e-9, |(least, ..)| least) {
                            best = Some((change, nth, to, other));
                        }
                    }
                    self.loads.add(from, to, amount);
                }
            }
            let Some((_, nth, to, other)) = best else { return };
            self.loads.add(trees[nth][to], to, -amount);
            self.loads.add(other, to, amount);
            trees[nth][to] = other;
        }
    }
}

/// Returns whether `node` is `other` or an ancestor of `other`.
fn is_above(parents: &[Rank], node: Rank, mut other: Rank) -> bool {
    while other != node && parents[other] != other {
        other = parents[other];
    }
    other == node
}
