//! *Bruck*: few long messages instead of many short ones, for messages that are hardly longer than nothing.
//!
//! **What it does.** The way that a message has to go around the ring is written in digits of a radix `r`. For each
//! digit, the lowest first, and each value `d` that it can have, every node sends to the one `d r^k` further on, as one
//! message, all that it has whose digit `k` is `d`: its own and what has come in earlier rounds. With radix 2 these are
//! the fewest messages; a larger one sends more, and each byte fewer times. On a mesh whose rows have `r` nodes the two
//! digits of radix `r` are the way along the row and along the column, nearly.
//!
//! The `r - 1` messages of a digit follow each other, each sent and received in one of three ways; or all of them are started *at
//! once*, and then as many are received. So start-ups hide behind bytes, and messages that take long in the network are
//! under way at the same time. That is mostly the fastest, with radices above 2.
//!
//! **Restrictions.** None.
//!
//! **Cost.** With radix 2 `ceil(log2 p) alpha + ceil(log2 p) p/2 s beta` for messages of `s` bytes, each of which moves
//! up to `log2 p` times; with radix `r` about `log_r p (r - 1) (alpha + p/r s beta)`, and at once
//! `log_r p ((r - 1) max(o_s + o_r + o_x, p/r s beta) + L + hop)`. What is sent together is copied together first.
//!
//! **Source.** Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", IEEE TPDS 8(11), 1997, whose nodes have several ports; at once with one port: this project.

use std::sync::Arc;

use super::{
    super::{
        Instance, Matrix,
        planner::{Planner, Variant},
        rounds::{
            closed_form::{ClosedForm, Times},
            digits::{self, Axis, Pace},
            shape::{Shape, mean_ports},
            stage::{COUNT, Stage},
        },
    },
    Algorithm, Entry, of,
};
use crate::{pattern::Exchange, rank::Rank, time::Span};

/// The most radices that are tried.
const MOST_RADICES: usize = 3;

static BRUCK: Entry = Entry::new("bruck", |planning| {
    // Where only one style is tried, one pace is as well.
    let are_all = planning.workspace.styles().len() > 1;
    Ok(variants(planning.workspace, are_all))
})
.about("few long messages, passed on by others, instead of many short ones")
.source("Bruck and others 1997")
.cost("with radix `r` about `log_r p ((r - 1) max(o_s + o_r + o_x, p/r s beta) + L + hop)`");

impl Algorithm {
    /// Bruck's few long messages.
    pub const BRUCK: Algorithm = of(&BRUCK);
}

/// With several radices, each at the likely pace or at all.
pub(super) fn variants(planner: &Planner, are_all: bool) -> Vec<Variant> {
    shapes(planner).iter().flat_map(|shape| shape.variants(planner.instance(), are_all)).collect()
}

/// The radices of the least cost.
pub(super) fn shapes(planner: &Planner) -> &[Shape] {
    let instance = planner.instance();
    planner.ring(|| {
        let ranks: Arc<[Rank]> = (0..instance.size()).collect();
        let form = ClosedForm::of(instance, &ranks);
        let with = |radix: usize| {
            let axes = [ring(instance.size(), radix)];
            Shape::new("bruck", format!("radix {radix}"), &ranks, axes, form.times(&axes))
        };
        costs(instance).into_iter().take(MOST_RADICES).map(|(radix, _)| with(radix)).collect()
    })
}

/// Those without the ones near another that takes less, with which messages are much the same.
pub(super) fn distinct(planner: &Planner) -> impl Iterator<Item = &Shape> {
    let shapes = shapes(planner);
    let radix = |shape: &Shape| shape.axes()[0].radix;
    let is_near =
        move |one: &Shape, other: &Shape| 4 * radix(one).max(radix(other)) < 5 * radix(one).min(radix(other));
    let cost = move |shape: &Shape| (shape.times().least(), radix(shape));
    let is_left_out =
        move |one: &&Shape| shapes.iter().any(|other| is_near(one, other) && cost(other) < cost(one));
    shapes.iter().filter(move |shape| !is_left_out(shape))
}

/// All messages of a matrix, with a radix of at least 2.
pub(super) fn stage(matrix: impl Into<Arc<Matrix>>, radix: usize, pace: Pace) -> Stage {
    let matrix = matrix.into();
    let ranks: Vec<Rank> = (0..matrix.nodes()).collect();
    let schedule = digits::schedule(&matrix, &ranks, &[ring(matrix.nodes(), radix)], pace);
    Stage::passed_on(matrix, schedule)
}

/// The exchange of counts, after which every node knows how much is to come from each other one.
pub(super) fn counts(nodes: usize) -> Stage {
    let matrix = Matrix::of(nodes, |_, _| COUNT);
    stage(
        matrix.unwrap_or_else(|_| unreachable!("four bytes a node are few")),
        2,
        Pace::Each(Exchange::InTurn),
    )
}

/// All ranks, around a ring.
fn ring(nodes: usize, radix: usize) -> Axis {
    Axis { extent: nodes, stride: 1, radix }
}

/// A lower limit of the time with a radix.
pub(super) fn floor(instance: &Instance, radix: usize) -> Span {
    let ranks: Vec<Rank> = (0..instance.size()).collect();
    mean_ports(instance, &ranks, &[ring(instance.size(), radix)])
}

/// About the time with the best radix if no link is short of anything.
pub(super) fn least(instance: &Instance) -> Span {
    costs(instance)[0].1.least()
}

/// The radix of the least cost if no link is short of anything, and its likely pace.
pub(super) fn best(instance: &Instance) -> (usize, Pace) {
    let (radix, times) = costs(instance)[0];
    (radix, times.pace())
}

/// The radices, the least cost first, and the times with each if all messages are of their mean length and no link is short of anything.
fn costs(instance: &Instance) -> Vec<(usize, Times)> {
    let nodes = instance.size();
    let form = ClosedForm::of(instance, &[]);
    let all = (2..nodes.max(3)).take_while(|&radix| radix <= 4 || radix * radix <= 2 * nodes);
    let mut all: Vec<(usize, Times)> = all.map(|radix| (radix, form.least(&[ring(nodes, radix)]))).collect();
    all.sort_by_key(|(_, times)| times.least());
    all
}
