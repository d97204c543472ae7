//! Gossip: lower bound from start-ups if every receiver must hear from every contributor.
//!
//! Gossip takes longer than a broadcast or a reduction. Let `mu > 1` be the growth per second for which
//!
//! ```text
//! (mu^o_s - 1) mu^(L + hop) (mu^o_r - 1) = 1
//! ```
//!
//! Claim: if each of `r` receivers must hear from all `m` contributors, the time is at least `log_mu(m r)`. With
//! `o_s = o_r = alpha / 2` and no latency, `mu^(alpha / 2) = 2`, and `m = r = p` gives `log2(p) alpha`.
//!
//! *Proof.* Let `x` be the number of contributors from which a node has heard (whose data it has): at the start 1 for a contributor and 0
//! for other nodes, at the end `m` for a receiver. A message reports on at most as many contributors, `w`, as its sender had heard from
//! when the send began; its receiver has then heard from at most `x + w`. Give a node the potential `mu^-t x^2`, where `t` is its local
//! clock, and a message that arrives at `t` the potential `a mu^-t w^2`, where `a = (mu^o_s - 1) mu^(L + hop)`. Take the calls in any order
//! in which each message is sent before it is received. The order between nodes does not matter, as each has its local clock. No call
//! increases the sum of potentials:
//!
//! * waiting advances a clock, and dropping a message removes its potential;
//! * a send at `t` leaves at most `mu^-(t + o_s) (1 + a mu^-(L + hop)) x^2`, which is `mu^-t x^2`, because the clock
//!   advances by at least `o_s` and the message arrives at least `L + hop` after that;
//! * a receive that begins at `t`, after the message has arrived, finds at least `mu^-t (x^2 + a w^2)` and leaves at most
//!   `mu^-(t + o_r) (x + w)^2`. By the Cauchy-Schwarz inequality `(x + w)^2 <= (1 + 1/a) (x^2 + a w^2)`, and `1 + 1/a = mu^o_r`.
//!
//! The sum is `m` at the start, and at least `mu^-T r m^2` if all calls end by `T`; so `mu^T >= m r`.
//!
//! *Scan.* Contributors may have any weights `v` instead of 1. If the 0-1 matrix `A` states which receiver must hear
//! from which contributor, receivers end with `A v`, and the best `v` gives `log_mu` of the square of `A`'s largest
//! singular value: `sqrt(m r)` above, and `1 / (2 sin(pi / (4 p + 2)))` for the triangular matrix of a scan.
//!
//! *Combining.* A node holds a set of partial results of one element, which may be sent uncombined. Let `x` be the number of contributors
//! in `k` partial results, each counted once. These `k` have the potential `mu^-((k - 1) gamma) x^2`; a node or a message has the potential
//! of its best choice of partial results of one element. Combining two partial results increases no potential: the result replaces both,
//! and choosing either in addition adds no contributor. After a receive, if the best choice contains partial results of both sides, joining
//! the sides divides the potential by another `mu^gamma`, so `mu^(o_r + gamma) >= 1 + 1/a` suffices; if all come from the message,
//! `mu^o_r a >= 1` is needed. So the last factor above becomes the smaller of `mu^(o_r + gamma) - 1` and `mu^o_r`. Likewise `k` partial
//! results have at most the potential of one partial result after `(k - 1) gamma`, and each receive of a reduction to one node takes
//! `o_r + gamma`.
//!
//! *Rounding up.* Ignore all times except `o_s`, `o_r` and `L + hop` per message. The remaining schedule ends no later, has the same
//! bound (without `gamma`), and ends after a chain of `i` sends, `j` receives and `k` flights, `k <= min(i, j)`. So the bound can be
//! raised to the next `i o_s + j o_r + k (L + hop)`: from 6.64 to 7 alpha for 100 ranks on a Paragon.

use crate::{model::Parameters, time::Span};

/// Returns a lower bound on the time of gossip if the sum of potentials over all nodes must grow by the factor `pairs`.
/// `combine` is the time to combine received data. The proof is at the top of this file.
pub(crate) fn gossip(pairs: f64, parameters: &Parameters, combine: Span) -> Span {
    if pairs <= 1.0 {
        return Span::ZERO;
    }
    let (send, receive) = (parameters.send_overhead(), parameters.receive_overhead());
    let flight = parameters.latency() + parameters.hop();
    let whole = next_end(grown(pairs, send, flight, receive, Span::ZERO), send, flight, receive);
    if combine.is_zero() { whole } else { whole.max(grown(pairs, send, flight, receive, combine)) }
}

/// Returns the earliest time at which the sum of potentials can have grown by the factor `times`.
fn grown(times: f64, send: Span, flight: Span, receive: Span, combine: Span) -> Span {
    if send.is_zero() || (receive + combine).is_zero() {
        return Span::ZERO;
    }
    let [send, flight, receive, combine] = [send, flight, receive, combine].map(Span::as_secs_f64);
    // `rate` is the logarithm of mu. The bisection finds the smallest rate for which no call increases the sum.
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

/// Returns the earliest time from `least` on at which a chain of sends, flights and receives can end. `least` may have
/// been rounded up. Returns `least` if the number of chains would be too large.
fn next_end(least: Span, send: Span, flight: Span, receive: Span) -> Span {
    const MAX_CALLS: u64 = 1000;
    let from = least.as_picos().saturating_sub(1);
    let [send, flight, receive] = [send, flight, receive].map(Span::as_picos);
    if least.is_zero() || from / send.min(receive) > MAX_CALLS {
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
