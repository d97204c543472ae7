//! Start-ups: the speed at which data can spread from one node, or be gathered at one.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::time::{Span, Time};

/// The earliest time at which the last of `nodes` nodes can know a datum that one node knew, if a sender is busy for
/// `busy` and a receiver knows the datum `informed` after the sender began: the number of nodes reached grows no
/// faster than `N(x) = N(x - busy) + N(x - informed)`.
///
/// Read backwards in time it is also the least time in which one node hears from all the others, if a receiver is
/// busy for `busy` and a sender must have begun `informed` before the receive ends.
///
/// Source: Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993.
pub(crate) fn start_up(nodes: usize, busy: Span, informed: Span) -> Span {
    let mut free = BinaryHeap::from([Reverse(Time::ZERO)]);
    let mut last = Time::ZERO;
    for _ in 1..nodes {
        let Some(Reverse(begin)) = free.pop() else { break };
        last = last.max(begin + informed);
        free.push(Reverse(begin + busy));
        free.push(Reverse(begin + informed));
    }
    last.since_start()
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
