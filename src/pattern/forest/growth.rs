//! Trees that are grown edge by edge.
//!
//! **What it does.** A tree begins with its source, and takes the cheapest edge to a further node each time. An edge costs what it
//! adds to the weights of its resources, and these weigh much once they are taken for longer than the time aimed at; so nodes
//! whose ports are free are taken for parents, and links that are free for ways. Depth costs as well, if it is asked for: trees are
//! chains without that, and as low as the aim allows with it. Then nodes behind the busiest resource are hung elsewhere as long as
//! that takes weight away, and each tree is grown anew among the others.
//!
//! **Cost.** `O(p^2 log p)` for a tree, and `O(k p^2 h)` to hang a node of `k` trees of height `h` elsewhere, which is done up to
//! `2 p` times after each of three rounds, until a fixed amount of work is done.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{Loads, Network, ROUNDS, Share, edges};
use crate::rank::Rank;

/// Trees of one source, for a part of its message each; `bytes` go down them in all, and `aim` is the time in seconds for which
/// the busiest resource should be taken. The trees are low, if that is asked for.
pub(crate) fn grow(
    network: &Network,
    root: Rank,
    bytes: u64,
    count: usize,
    aim: f64,
    is_low: bool,
) -> Vec<Share> {
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
    trees.into_iter().map(|parents| Share { source: 0, parents }).collect()
}

struct Growth<'a> {
    loads: Loads<'a>,
    /// The bytes of a tree for each second of the aim.
    amount: f64,
    /// The cost of a further edge between the source and a node.
    depth: f64,
}

/// A price, which can be ordered.
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
    /// The parents of a tree that takes the cheapest edge to a further node each time.
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
                let others = (0..nodes).filter(|&to| parents[to].is_none());
                cheapest.extend(others.map(|to| Reverse((Price(price(self, &depths, from, to)), from, to))));
            }
            let Some(Reverse((Price(before), from, to))) = cheapest.pop() else { break };
            if parents[to].is_some() {
                continue;
            }
            // Prices only rise as the tree grows, so that one that has not risen is the least.
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

    /// Hangs nodes behind the busiest resource elsewhere, as long as that takes weight away.
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
                    if !self.loads.has_work_left(from, to, nodes) {
                        return;
                    }
                    self.loads.add(from, to, -amount);
                    let before = self.loads.price(from, to, amount);
                    let others = (0..nodes).filter(|&other| other != from && !is_above(parents, to, other));
                    for other in others {
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

/// Whether a node is on the way from the root to another one, or is that.
fn is_above(parents: &[Rank], node: Rank, mut other: Rank) -> bool {
    while other != node && parents[other] != other {
        other = parents[other];
    }
    other == node
}
