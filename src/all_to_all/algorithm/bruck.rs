//! *Bruck*: combines very short messages into few longer ones, which are forwarded.
//!
//! **What it does.** The distance of a message around the ring is written in digits of radix `r`. For each digit, the lowest first, and
//! each nonzero value `d`, every node sends one message to the node `d r^k` further on. This message combines all its data whose digit
//! `k` is `d`: its own and the data received in earlier rounds. Radix 2 gives the fewest messages. A larger radix gives more messages,
//! and each byte is sent fewer times. On a mesh whose rows have `r` nodes, the two digits of radix `r` are approximately the distances
//! along the row and along the column.
//!
//! The `r - 1` messages of a digit are sent one after the other, by one of three kinds of exchange, or all are started *at once* and then
//! received. At once, start-ups overlap with the transfer of bytes, and the network latencies of the messages overlap. With radices above
//! 2 this is mostly the fastest.
//!
//! **Restrictions.** None.
//!
//! **Cost.** With radix 2 `ceil(log2 p) alpha + ceil(log2 p) p/2 s beta` for messages of `s` bytes, each of which is sent up to `log2 p`
//! times; with radix `r` about `log_r p (r - 1) (alpha + p/r s beta)`, and at once
//! `log_r p ((r - 1) max(o_s + o_r + o_x, p/r s beta) + L + hop)`. Data sent as one message is first copied together.
//!
//! **Source.** Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport message-passing
//! systems", IEEE TPDS 8(11), 1997, for nodes with several ports. At once with one port: this project.

use std::sync::Arc;

use super::{
    super::{
        Instance, Matrix,
        planner::{Planner, Variant},
        rounds::{
            closed_form::{ClosedForm, Times},
            digits::{self, Axis, Pace},
            shape::{Shape, mean_port_time},
            stage::{COUNT, Stage},
        },
    },
    Algorithm, Entry, of,
};
use crate::{pattern::Exchange, rank::Rank, time::Span};

/// Maximum number of radices tried.
const MAX_RADICES: usize = 3;

static BRUCK: Entry = Entry::new("bruck", |planning| {
    // *Auto* first tries each algorithm in one style. Then only one pace is tried.
    let are_all = planning.workspace.styles().len() > 1;
    Ok(variants(planning.workspace, are_all))
})
.about("aggregates data in about log_r p rounds: few long messages instead of many short ones")
.source("Bruck and others 1997")
.cost("with radix `r` about `log_r p ((r - 1) max(o_s + o_r + o_x, p/r s beta) + L + hop)`");

impl Algorithm {
    /// Bruck's algorithm: combines messages into few longer messages, which are forwarded.
    pub const BRUCK: Algorithm = of(&BRUCK);
}

/// Returns variants with several radices, each at the probably fastest pace, or at all paces if `are_all`.
pub(super) fn variants(planner: &Planner, are_all: bool) -> Vec<Variant> {
    shapes(planner).iter().flat_map(|shape| shape.variants(planner.instance(), are_all)).collect()
}

/// Returns the shapes with the radices of least estimated cost.
pub(super) fn shapes(planner: &Planner) -> &[Shape] {
    let instance = planner.instance();
    planner.ring_shapes(|| {
        let ranks: Arc<[Rank]> = (0..instance.size()).collect();
        let form = ClosedForm::of(instance, &ranks);
        let with = |radix: usize| {
            let axes = [ring(instance.size(), radix)];
            Shape::new("bruck", format!("radix {radix}"), &ranks, axes, form.times(&axes))
        };
        costs(instance).into_iter().take(MAX_RADICES).map(|(radix, _)| with(radix)).collect()
    })
}

/// Returns the stage that moves all messages of a matrix, with a radix of at least 2.
pub(super) fn stage(matrix: impl Into<Arc<Matrix>>, radix: usize, pace: Pace) -> Stage {
    let matrix = matrix.into();
    let ranks: Vec<Rank> = (0..matrix.nodes()).collect();
    let schedule = digits::schedule(&matrix, &ranks, &[ring(matrix.nodes(), radix)], pace);
    Stage::forwarded(matrix, schedule)
}

/// Returns the exchange of counts, which gives every node the length of each incoming message.
pub(super) fn counts(nodes: usize) -> Stage {
    let matrix = Matrix::of(nodes, |_, _| COUNT);
    stage(
        matrix.unwrap_or_else(|_| unreachable!("four bytes a node are few")),
        2,
        Pace::Each(Exchange::InTurn),
    )
}

/// Returns the axis of all ranks in one ring.
fn ring(nodes: usize, radix: usize) -> Axis {
    Axis { extent: nodes, stride: 1, radix }
}

/// Returns a lower bound on the time of Bruck's algorithm with a given radix.
pub(super) fn port_bound(instance: &Instance, radix: usize) -> Span {
    let ranks: Vec<Rank> = (0..instance.size()).collect();
    mean_port_time(instance, &ranks, &[ring(instance.size(), radix)])
}

/// Returns the estimated time of Bruck's algorithm with the best radix, without link contention.
pub(super) fn estimate(instance: &Instance) -> Span {
    costs(instance)[0].1.fastest()
}

/// Returns the radix of least estimated cost without link contention, and its probably fastest pace.
pub(super) fn best(instance: &Instance) -> (usize, Pace) {
    let (radix, times) = costs(instance)[0];
    (radix, times.pace())
}

/// Returns the radices in order of estimated cost, with the times of each for messages of mean length without link contention.
fn costs(instance: &Instance) -> Vec<(usize, Times)> {
    let nodes = instance.size();
    let form = ClosedForm::of(instance, &[]);
    let all = (2..nodes.max(3)).take_while(|&radix| radix <= 4 || radix * radix <= 2 * nodes);
    let mut all: Vec<(usize, Times)> =
        all.map(|radix| (radix, form.contention_free(&[ring(nodes, radix)]))).collect();
    all.sort_by_key(|(_, times)| times.fastest());
    all
}
