//! Start-ups: lower bounds on the time to spread data from one node or to gather data at one node.

use std::{cmp::Reverse, collections::BinaryHeap, iter};

use super::Links;
use crate::{
    model::Parameters,
    rank::Rank,
    time::{Span, Time},
};

/// Returns the earliest time at which the last of `nodes` nodes can have a datum of one node. A sender is busy for
/// `busy`; a receiver has the datum `informed` after the sender began. The number of nodes reached grows no faster than
/// `N(x) = N(x - busy) + N(x - informed)`.
///
/// Backwards in time, it is the shortest time in which one node hears from all others, if a receiver is busy for `busy`
/// and a sender must have begun `informed` before the receive ends.
///
/// Source: Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993.
pub(crate) fn start_up(nodes: usize, busy: Span, informed: Span) -> Span {
    reached(busy, informed).nth(nodes.saturating_sub(1)).unwrap_or(Span::ZERO)
}

/// Returns the earliest times at which successive nodes can have a datum, beginning with its source at 0.
fn reached(busy: Span, informed: Span) -> impl Iterator<Item = Span> {
    let mut free = BinaryHeap::from([Reverse(Time::ZERO)]);
    let mut last = Time::ZERO;
    let next = iter::from_fn(move || {
        let Reverse(begin) = free.pop()?;
        last = last.max(begin + informed);
        free.push(Reverse(begin + busy));
        free.push(Reverse(begin + informed));
        Some(last.since_start())
    });
    iter::once(Span::ZERO).chain(next)
}

/// Start-up bounds that include the distances between nodes.
pub(crate) struct Far<'a> {
    pub(crate) links: &'a Links,
    pub(crate) parameters: &'a Parameters,
}

impl Far<'_> {
    /// Returns the earliest time at which `targets` can have a datum of one of `origins`, including the hop time of every
    /// link between them; backwards, the earliest time at which one of `origins` can have heard from all `targets`. Only
    /// the first and the last of `origins` are examined, because they are likely to be far from others. A sender, or a
    /// receiver, is busy for `busy`, and a message takes `alpha` without links.
    ///
    /// *Proof.* Remove the time of links, and let every node send its messages in the same order as early as possible. A node reached
    /// by messages over `h` links in total then gets the datum at least `h hop` earlier: by induction over the chain of messages. A
    /// path to a node at distance `d` has at least `d` links. So if all nodes are reached by `T`, the nodes at distance `d` or more are
    /// reached by `T - d hop` without links, which takes [`start_up`] for these nodes and the source.
    pub(crate) fn start_up(
        &self,
        origins: &[Rank],
        targets: &[Rank],
        is_backwards: bool,
        busy: Span,
        alpha: Span,
    ) -> Span {
        let hop = self.parameters.hop();
        if hop.is_zero() {
            return Span::ZERO;
        }
        let of = |&one: &Rank| {
            let distances = self.links.distances(one, is_backwards);
            let targets = targets.iter().filter(|&&other| other != one);
            let mut far: Vec<u64> = targets.filter_map(|&other| distances[other].map(u64::from)).collect();
            far.sort_unstable_by_key(|&distance| Reverse(distance));
            let times = far.into_iter().zip(reached(busy, alpha).skip(1));
            times.map(|(distance, time)| hop.times(distance) + time).max().unwrap_or(Span::ZERO)
        };
        let ends = [origins.first(), origins.last()];
        ends.into_iter().take(origins.len()).flatten().map(of).max().unwrap_or(Span::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Parameters;

    /// Tests that without latency and with o_s = o_r the numbers of nodes reached are Fibonacci numbers; 512 nodes take 14 half start-ups.
    #[test]
    fn start_ups_grow_as_fibonacci_numbers() {
        let half = Parameters::hockney().send_overhead();
        for (nodes, halves) in [(1, 0), (2, 2), (3, 3), (5, 4), (8, 5), (9, 6), (377, 13), (512, 14)] {
            assert_eq!(start_up(nodes, half, half.times(2)), half.times(halves), "{nodes}");
        }
    }
}
