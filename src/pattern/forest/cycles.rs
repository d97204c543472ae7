//! Cycles through all nodes, shared by the messages of several sources.
//!
//! **Method.** On a cycle each node has one sender and one receiver for all sources, so that no two messages arrive at a port at the same
//! time; with a different tree for each source, messages often collide. A cycle is built greedily: it starts at a source and continues to
//! the node with the cheapest edge, as in [growth](super::growth). Then a local search moves nodes at the ends of the busiest resource to
//! the place that reduces the weight most, until no move improves.
//!
//! **Restrictions.** The depth of a cycle is the number of nodes: cycles are suitable for long messages.
//!
//! **Cost.** `O(p^2)` for a cycle, and `O(k p^2)` for each move in `k` cycles; at most `2 p` moves after each of three passes, until a
//! fixed amount of work is done.

use super::{Loads, Network, ROUNDS, SourceTree};
use crate::rank::Rank;

/// Returns `count` trees for each source, ordered by source. Each tree follows one of `count` cycles and carries an equal part of the
/// message. `bytes` is the total size of all messages; `aim` is the target time in seconds of the busiest resource.
pub(crate) fn cycles(
    network: &Network,
    sources: &[Rank],
    bytes: u64,
    count: usize,
    aim: f64,
) -> Vec<SourceTree> {
    let amount = bytes as f64 / count as f64 / aim;
    let mut loads = Loads::none(network);
    let mut cycles: Vec<Vec<Rank>> = Vec::new();
    for round in 0..ROUNDS {
        for nth in 0..count {
            let start = sources[nth % sources.len()];
            if round == 0 {
                cycles.push(laid(&mut loads, start, amount));
            } else {
                around(&cycles[nth]).for_each(|(from, to)| loads.add(from, to, -amount));
                cycles[nth] = laid(&mut loads, start, amount);
            }
        }
        improve(&mut loads, &mut cycles, amount);
    }
    let share = |(source, cycle): (usize, &Vec<Rank>)| {
        let mut parents = vec![sources[source]; network.nodes()];
        around(cycle).filter(|&(_, to)| to != sources[source]).for_each(|(from, to)| parents[to] = from);
        SourceTree { source, parents }
    };
    (0..sources.len()).flat_map(|source| cycles.iter().map(move |cycle| share((source, cycle)))).collect()
}

/// Returns the edges of a cycle.
fn around(cycle: &[Rank]) -> impl Iterator<Item = (Rank, Rank)> {
    cycle.iter().zip(cycle.iter().cycle().skip(1)).map(|(&from, &to)| (from, to))
}

/// Builds a cycle greedily: it continues to the node with the cheapest edge.
fn laid(loads: &mut Loads<'_>, start: Rank, amount: f64) -> Vec<Rank> {
    let mut left: Vec<Rank> = (0..loads.network.nodes()).filter(|&node| node != start).collect();
    let mut cycle = vec![start];
    let mut here = start;
    while !left.is_empty() {
        let prices = left.iter().map(|&to| loads.price(here, to, amount)).enumerate();
        let Some((nth, _)) = prices.min_by(|one, other| one.1.total_cmp(&other.1)) else { break };
        let to = left.remove(nth);
        loads.add(here, to, amount);
        cycle.push(to);
        here = to;
    }
    loads.add(here, start, amount);
    cycle
}

/// Moves nodes at the ends of the busiest resource to other places of their cycles, while a move reduces the weight.
fn improve(loads: &mut Loads<'_>, cycles: &mut [Vec<Rank>], amount: f64) {
    let nodes = loads.network.nodes();
    if nodes < 4 {
        return;
    }
    for _ in 0..2 * nodes {
        let Some(busiest) = loads.busiest() else { return };
        let mut best: Option<(f64, usize, usize, usize)> = None;
        for (nth, cycle) in cycles.iter().enumerate() {
            for place in 0..nodes {
                let [before, node, after] = [nodes - 1, 0, 1].map(|step| cycle[(place + step) % nodes]);
                if !loads.uses(before, node, busiest) && !loads.uses(node, after, busiest) {
                    continue;
                }
                if !loads.spend_work(before, node, 6 * nodes) {
                    return;
                }
                let old = exchange(loads, &[(before, node), (node, after)], &[(before, after)], amount);
                for step in 1..nodes - 1 {
                    let [one, other] = [0, 1].map(|more| cycle[(place + step + more) % nodes]);
                    let change =
                        old + exchange(loads, &[(one, other)], &[(one, node), (node, other)], amount);
                    if change < best.map_or(-1e-9, |(least, ..)| least) {
                        best = Some((change, nth, place, step));
                    }
                    exchange(loads, &[(one, node), (node, other)], &[(one, other)], amount);
                }
                exchange(loads, &[(before, after)], &[(before, node), (node, after)], amount);
            }
        }
        let Some((_, nth, place, step)) = best else { return };
        let cycle = &mut cycles[nth];
        around(cycle).for_each(|(from, to)| loads.add(from, to, -amount));
        cycle.rotate_left(place);
        let node = cycle.remove(0);
        cycle.insert(step, node);
        around(cycle).for_each(|(from, to)| loads.add(from, to, amount));
    }
}

/// Replaces edges by other edges and returns the change of the price.
fn exchange(loads: &mut Loads<'_>, old: &[(Rank, Rank)], new: &[(Rank, Rank)], amount: f64) -> f64 {
    let mut change = 0.0;
    for &(from, to) in old {
        loads.add(from, to, -amount);
        change -= loads.price(from, to, amount);
    }
    for &(from, to) in new {
        change += loads.price(from, to, amount);
        loads.add(from, to, amount);
    }
    change
}
