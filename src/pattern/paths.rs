//! A lower bound by multicommodity flow on the time of an exchange in which nodes may forward messages for others.
//!
//! **Method.** [`least()`] evaluates the dual problem. Each resource has a price per second; the prices sum to 1. A byte that reaches its
//! receiver has followed some path of nodes and has cost at least as much as the cheapest path. A resource earns at most its price in each
//! second. The cost of all messages on cheapest paths is therefore a lower bound on the time, for any prices. Good prices are derived from
//! a well-balanced flow. Initially all messages go directly. In each round the prices are a high power of the resource loads, averaged with
//! the best prices so far; then a fraction of all messages moves to the cheapest paths (a Frank-Wolfe step), with a line search for the
//! fraction that minimizes the sum of the powers of the loads.
//!
//! **Cost.** A round takes `O(p^3)` time for `p` nodes, plus the resource entries of all pairs. The search ends after a fixed number of
//! rounds, or when the flow takes no longer than the known bound.
//!
//! **Source.** P. Basu and others, "Efficient all-to-all collective communication schedules for direct-connect topologies", arXiv
//! 2309.13541, for the bound by multicommodity flow, where only links count; M. Frank, P. Wolfe, "An algorithm for quadratic programming",
//! Naval Research Logistics Quarterly 3, 1956, for the search.

use super::network::Network;
use crate::rank::Rank;

/// The powers of the loads, in the order in which they are used.
const POWERS: [i32; 4] = [8, 16, 32, 64];

/// The number of rounds with each power.
const ROUNDS: usize = 24;

/// Maximum ratio of the time of the flow to the lower bound at which the search ends.
const CONVERGED: f64 = 1.001;

/// Number of bisection steps of the line search.
const STEPS: usize = 20;

/// Returns a lower bound in seconds on any exchange of these messages, without start-ups. The search ends early if the bound cannot exceed
/// `known`, a known lower bound.
pub(crate) fn least(network: &Network, messages: &[(Rank, Rank, u64)], known: f64) -> f64 {
    let mut by_source = vec![Vec::new(); network.nodes()];
    messages.iter().for_each(|&(from, to, bytes)| by_source[from].push((to, bytes as f64)));
    let mut loads = vec![0.0; network.resources()];
    for &(from, to, bytes) in messages {
        add(network, &mut loads, from, to, bytes as f64);
    }
    let (mut bound, mut best) = (0.0_f64, Vec::new());
    for power in POWERS {
        for _ in 0..ROUNDS {
            let busiest = loads.iter().copied().fold(0.0, f64::max);
            // An infinite load (a link without bandwidth) cannot be bounded.
            if busiest == 0.0 || !busiest.is_finite() {
                return 0.0;
            }
            let mut prices: Vec<f64> = loads.iter().map(|load| (load / busiest).powi(power - 1)).collect();
            let whole: f64 = prices.iter().sum();
            prices.iter_mut().for_each(|price| *price /= whole);
            // Averaging with the best prices so far improves the prices.
            prices.iter_mut().zip(&best).for_each(|(price, best)| *price = 0.5 * (*price + best));
            let cheapest = cheapest(network, &by_source, &network.costs(&prices));
            let cost = cheapest.iter().zip(&prices).map(|(load, price)| load * price).sum();
            if cost > bound {
                (bound, best) = (cost, prices);
            }
            if busiest <= CONVERGED * bound.max(known) {
                return bound;
            }
            let step = best_step(&loads, &cheapest, power);
            loads.iter_mut().zip(&cheapest).for_each(|(load, other)| *load += step * (other - *load));
        }
    }
    bound
}

fn add(network: &Network, loads: &mut [f64], from: Rank, to: Rank, bytes: f64) {
    for &(resource, seconds) in network.pair(from, to) {
        loads[resource as usize] += seconds * bytes;
    }
}

/// Returns the resource loads if all messages follow the cheapest paths.
fn cheapest(network: &Network, by_source: &[Vec<(Rank, f64)>], costs: &[f64]) -> Vec<f64> {
    let nodes = network.nodes();
    let mut loads = vec![0.0; network.resources()];
    for (source, messages) in by_source.iter().enumerate().filter(|(_, messages)| !messages.is_empty()) {
        let (order, before) = paths(nodes, source, costs);
        let mut bytes = vec![0.0; nodes];
        messages.iter().for_each(|&(to, amount)| bytes[to] += amount);
        for &to in order.iter().rev().filter(|&&to| to != source) {
            let amount = bytes[to];
            if amount > 0.0 {
                add(network, &mut loads, before[to], to, amount);
                bytes[before[to]] += amount;
            }
        }
    }
    loads
}

/// Returns the nodes in order of their path cost (Dijkstra's algorithm), and for each node its predecessor.
fn paths(nodes: usize, source: Rank, costs: &[f64]) -> (Vec<Rank>, Vec<Rank>) {
    let mut distance = costs[source * nodes..][..nodes].to_vec();
    distance[source] = 0.0;
    let mut before = vec![source; nodes];
    let mut left: Vec<Rank> = (0..nodes).filter(|&node| node != source).collect();
    let mut order = vec![source];
    while let Some(place) =
        (0..left.len()).min_by(|&one, &other| distance[left[one]].total_cmp(&distance[left[other]]))
    {
        let near = left.swap_remove(place);
        order.push(near);
        let onwards = &costs[near * nodes..][..nodes];
        for &node in &left {
            let through = distance[near] + onwards[node];
            if through < distance[node] {
                (distance[node], before[node]) = (through, near);
            }
        }
    }
    (order, before)
}

/// Returns the fraction of all messages to move, which minimizes the sum of the powers of the loads.
fn best_step(loads: &[f64], targets: &[f64], power: i32) -> f64 {
    let busiest = loads.iter().chain(targets).copied().fold(0.0, f64::max);
    let grows_at = |step: f64| {
        let growth = |(load, other): (&f64, &f64)| {
            let (load, other) = (load / busiest, other / busiest);
            (load + step * (other - load)).powi(power - 1) * (other - load)
        };
        loads.iter().zip(targets).map(growth).sum::<f64>() > 0.0
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if grows_at(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::network::Pair;

    /// Creates a ring with fast ports. Links to the right take one second per byte, links to the left `left` seconds.
    fn ring(nodes: usize, left: f64) -> Network {
        Network::new(nodes, |from, to| {
            let right = (to + nodes - from) % nodes;
            let mut uses = vec![(from as u32, 0.001), ((nodes + to) as u32, 0.001)];
            if 2 * right <= nodes {
                uses.extend((0..right).map(|step| ((2 * nodes + (from + step) % nodes) as u32, 1.0)));
            } else {
                let step = |step: usize| ((3 * nodes + (from + nodes - step) % nodes) as u32, left);
                uses.extend((0..nodes - right).map(step));
            }
            uses
        })
    }

    /// Tests that forwarded messages can use both directions, although direct messages over half the ring all go to the right.
    #[test]
    fn messages_avoid_busy_links() {
        let network = ring(8, 1.0);
        let all: Vec<(Rank, Rank, u64)> =
            (0..64).filter(|pair| pair / 8 != pair % 8).map(|pair| (pair / 8, pair % 8, 1000)).collect();
        // The distances of each node sum to 16, and each node has two links.
        let least = least(&network, &all, 0.0);
        assert!((7920.0..=8000.0).contains(&least), "{least}");
        // A single message is split and uses both directions.
        let across = super::least(&network, &[(0, 4, 1000)], 0.0);
        assert!((495.0..=500.0).contains(&across), "{across}");
        // Three links of 1 s/B to the right carry x bytes; five links of 3 s/B to the left carry 1000 - x bytes.
        let slow = super::least(&ring(8, 3.0), &[(0, 3, 1000)], 0.0);
        assert!((742.0..=750.0).contains(&slow), "{slow}");
    }

    #[test]
    fn the_search_stops_at_a_known_bound() {
        let network = ring(8, 1.0);
        let across = least(&network, &[(0, 4, 1000)], 1000.0);
        assert!(across > 0.0 && across <= 500.0, "{across}");
        assert_eq!(least(&network, &[], 0.0), 0.0);
        assert_eq!(least(&network, &[(1, 1, 1000)], 0.0), 0.0);
        let stuck = Network::new(3, |_, _| Pair::from([(0, f64::MAX)]));
        assert_eq!(least(&stuck, &[(0, 1, 1000)], 0.0), 0.0);
    }
}
