//! Start-ups: the speed at which data can spread from one node, be gathered at one, or come from all to all.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    model::Parameters,
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

/// Lower bound on the time until nodes have heard from each other, if the weighted sum of the proof, over all nodes
/// and their knowledge of others, has to grow by the factor `pairs`; `combine` is the time of combining data on its
/// way. The proof is at the top of `src/collective/bound.rs`.
pub(crate) fn gossip(pairs: f64, parameters: &Parameters, combine: Span) -> Span {
    if pairs <= 1.0 {
        return Span::ZERO;
    }
    let (send, receive) = (parameters.send_overhead(), parameters.receive_overhead());
    let flight = parameters.latency() + parameters.hop();
    let whole = next_end(grown(pairs, send, flight, receive, Span::ZERO), send, flight, receive);
    if combine.is_zero() { whole } else { whole.max(grown(pairs, send, flight, receive, combine)) }
}

/// The earliest time at which the sum of counts can have grown by the factor `times`.
fn grown(times: f64, send: Span, flight: Span, receive: Span, combine: Span) -> Span {
    if send.is_zero() || (receive + combine).is_zero() {
        return Span::ZERO;
    }
    let [send, flight, receive, combine] = [send, flight, receive, combine].map(Span::as_secs_f64);
    // The rate is the logarithm of mu: the search finds the smallest rate for which no call makes the sum larger.
    let is_enough = |rate: f64| {
        let together = (rate * (receive + combine)).exp_m1().min((rate * receive).exp());
        (rate * send).exp_m1() * (rate * flight).exp() * together >= 1.0
    };
    let mut low = 0.0;
    let mut high = (send + flight + receive + combine).recip();
    while !is_enough(high) {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if is_enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Span::from_secs_f64(times.ln() / high)
}

/// The first instant from `least` on at which a chain of sends, flights and receives can end. `least` may have been
/// rounded up. Returns `least` if too many chains would have to be tried.
fn next_end(least: Span, send: Span, flight: Span, receive: Span) -> Span {
    const MOST_CALLS: u64 = 1000;
    let from = least.as_picos().saturating_sub(1);
    let [send, flight, receive] = [send, flight, receive].map(Span::as_picos);
    if least.is_zero() || from / send.min(receive) > MOST_CALLS {
        return least;
    }
    let ends = (0..=from.div_ceil(send)).flat_map(|sends| {
        (0..=sends).map(move |flights| {
            let left = from.saturating_sub(sends * send + flights * flight);
            let receives = left.div_ceil(receive).max(flights);
            sends * send + flights * flight + receives * receive
        })
    });
    ends.min().map_or(least, |end| least.max(Span::from_picos(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
