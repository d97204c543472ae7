//! Gossip: the time that start-ups alone take where all must hear from all.
//!
//! Such a gossip takes longer than to spread from one or to gather at one. Let `mu > 1`
//! be the growth per second for which
//!
//! ```text
//! (mu^o_s - 1) mu^(L + hop) (mu^o_r - 1) = 1
//! ```
//!
//! Claim: if `r` receivers must each hear from all of `m` contributors, this takes `log_mu(m r)` at least. With
//! `o_s = o_r = alpha / 2` and no latency `mu^(alpha / 2) = 2`, and `m = r = p` gives `log2(p) alpha`.
//!
//! *Proof.* Let `x` be the number of contributors of which a node has heard: 1 for a contributor and 0 for others at
//! the start, `m` for a receiver in the end. A message tells of at most as many, `w`, as its sender had heard of when
//! the send began, and its receiver has then heard of `x + w` at most. Count a node at `mu^-t x^2`, where `t` is its
//! own clock, and a message that arrives at `t` at `a mu^-t w^2`, where `a = (mu^o_s - 1) mu^(L + hop)`. Take the calls
//! in any order in which no message is received before it is sent; the order between nodes does not matter, as each has
//! its own clock. No call makes the sum of all counts larger:
//!
//! * to wait moves a clock on, and to drop a message takes its count away;
//! * a send at `t` leaves at most `mu^-(t + o_s) (1 + a mu^-(L + hop)) x^2`, which is `mu^-t x^2`, since the clock
//!   moves by `o_s` or more and the message arrives `L + hop` after that or later;
//! * a receive that begins at `t`, when the message has come and the clock is there, finds at least
//!   `mu^-t (x^2 + a w^2)` and leaves at most `mu^-(t + o_r) (x + w)^2`. By the inequality of Cauchy and Schwarz
//!   `(x + w)^2 <= (1 + 1/a) (x^2 + a w^2)`, and `1 + 1/a = mu^o_r`.
//!
//! The sum is `m` at the start, and at least `mu^-T r m^2` if all is done at `T`; so `mu^T >= m r`.
//!
//! *Scan.* Contributors may have any weights `v` instead of 1. If `A` tells who must hear from whom, receivers end with
//! `A v`, and the best `v` gives `log_mu` of the square of `A`'s largest singular value: `sqrt(m r)` above, and
//! `1 / (2 sin(pi / (4 p + 2)))` for the triangle of a scan.
//!
//! *Combining.* What a node has of one element is a set of partial results, which may be sent on uncombined. Let `x` be
//! the number of contributors in `k` of them, each counted once; count these `k` at `mu^-((k - 1) gamma) x^2`, and a
//! node or a message as its best choice of partial results of one element. To combine two makes no count larger: the
//! result stands for the two that it is made of, and beside either of them these add nothing. After a receive, if the
//! best choice has some of both sides, their being together divides the count by another `mu^gamma`, so that
//! `mu^(o_r + gamma) >= 1 + 1/a` is enough; if it is all from the message, `mu^o_r a >= 1` is needed. So the last
//! factor above becomes the smaller of `mu^(o_r + gamma) - 1` and `mu^o_r`. In the same way `k` partial results now are
//! worth no more than one after `(k - 1) gamma`, and each receive of a combination at one takes `o_r + gamma`.
//!
//! *Between.* Leave out all that takes time beyond `o_s`, `o_r` and `L + hop` a message. What remains ends no later, is
//! bounded likewise (without `gamma`), and ends after a chain of `i` sends, `j` receives and `k` flights,
//! `k <= min(i, j)`. So the limit can be raised to the next `i o_s + j o_r + k (L + hop)`: from 6.64 to 7 alpha for 100
//! ranks on a Paragon.

use crate::{model::Parameters, time::Span};

/// Lower bound on the time until nodes have heard from each other, if the weighted sum of the proof, over all nodes
/// and their knowledge of others, has to grow by the factor `pairs`; `combine` is the time of combining data on its
/// way. The proof is at the top of this file.
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
