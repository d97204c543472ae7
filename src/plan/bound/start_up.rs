//! Start-ups: the speed at which data can spread from one node, or be gathered at one.

use std::{cmp::Reverse, collections::BinaryHeap, iter};

use super::Links;
use crate::{
    model::Parameters,
    rank::Rank,
    time::{Span, Time},
};

/// The earliest time at which the last of `nodes` nodes can know a datum that one node knew, if a sender is busy for
/// `busy` and a receiver knows the datum `informed` after the sender began: the number of nodes reached grows no
/// faster than `N(x) = N(x - busy) + N(x - informed)`.
///
/// Read backwards in time it is also the least time in which one node hears from all the others, if a receiver is
/// busy for `busy` and a sender must have begun `informed` before the receive ends.
///
/// Source: Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993.
pub(crate) fn start_up(nodes: usize, busy: Span, informed: Span) -> Span {
    reached(busy, informed).nth(nodes.saturating_sub(1)).unwrap_or(Span::ZERO)
}

/// The earliest times at which one node after the other can know a datum, that which has it first.
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

/// Who is to know something of one node, or to tell it something, and how far the two are from each other.
pub(crate) struct Far<'a> {
    pub(crate) links: &'a Links,
    pub(crate) parameters: &'a Parameters,
}

impl Far<'_> {
    /// The earliest time at which `others` can know a datum that one of these nodes knew, which pays for every link between them; backwards,
    /// that at which the one can have heard from all of them. The first and the last of the `ones` are asked, which are likely to be far from
    /// others. A sender, or a receiver, is busy for `busy`, and a message takes `alpha` without links.
    ///
    /// *Proof.* Leave out what links take, and let every node send its messages in the same order as soon as it can. Who came to know
    /// the datum by messages over `h` links does so `h hop` earlier at least: it is true of the first node, and of any other if it is
    /// true of the one that told it. To a node at distance `d` there are `d` links at least. So if all are reached at `T`, those at
    /// distance `d` or more are reached at `T - d hop` without links, and that takes [`start_up`] for as many and the one that knew.
    pub(crate) fn start_up(
        &self,
        ones: &[Rank],
        others: &[Rank],
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
            let others = others.iter().filter(|&&other| other != one);
            let mut far: Vec<u64> = others.filter_map(|&other| distances[other]).collect();
            far.sort_unstable_by_key(|&distance| Reverse(distance));
            let times = far.into_iter().zip(reached(busy, alpha).skip(1));
            times.map(|(distance, time)| hop.times(distance) + time).max().unwrap_or(Span::ZERO)
        };
        let ends = [ones.first(), ones.last()];
        ends.into_iter().take(ones.len()).flatten().map(of).max().unwrap_or(Span::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Parameters;

    /// Tests o_s = o_r without latency: the numbers of nodes reached are Fibonacci numbers, and 512 nodes take 14
    /// half start-ups.
    #[test]
    fn start_ups_grow_as_fibonacci_numbers() {
        let half = Parameters::hockney().send_overhead();
        for (nodes, halves) in [(1, 0), (2, 2), (3, 3), (5, 4), (8, 5), (9, 6), (377, 13), (512, 14)] {
            assert_eq!(start_up(nodes, half, half.times(2)), half.times(halves), "{nodes}");
        }
    }
}
