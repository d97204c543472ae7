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
        planner::Variant,
        procedure::Draft,
        rounds::{
            closed_form::{ClosedForm, Times},
            digits::{self, Axis, Pace, Shape},
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
    Ok(in_one(variants(planning.problem, are_all)))
})
.about("few long messages, passed on by others, instead of many short ones")
.source("Bruck and others 1997")
.cost("with radix `r` about `log_r p ((r - 1) max(o_s + o_r + o_x, p/r s beta) + L + hop)`");

impl Algorithm {
    /// Bruck's few long messages.
    pub const BRUCK: Algorithm = of(&BRUCK);
}

/// The variants along the same axes, and the pace of each: the likely one first.
pub(super) type Paced = Vec<(Pace, Variant)>;

/// All variants of all of them.
pub(super) fn in_one(all: Vec<Paced>) -> Vec<Variant> {
    all.into_iter().flatten().map(|(_, variant)| variant).collect()
}

/// With several radices, each at the likely pace or at all.
pub(super) fn variants(instance: &Instance, are_all: bool) -> Vec<Paced> {
    let ranks: Arc<[Rank]> = (0..instance.size()).collect();
    let with = |(radix, pace): (usize, Pace)| {
        let shape = Shape { axes: vec![ring(instance.size(), radix)], pace };
        at_paces(instance, &ranks, &shape, are_all, |pace| format!("bruck (radix {radix}{pace})"))
    };
    radices(instance, MOST_RADICES).into_iter().map(with).collect()
}

/// All messages along some axes, with the rank at each place, at the likely pace or at all; `name` is told what the pace is called.
pub(super) fn at_paces(
    instance: &Instance,
    ranks: &Arc<[Rank]>,
    shape: &Shape,
    are_all: bool,
    name: impl Fn(&str) -> String,
) -> Paced {
    let floor = mean_ports(instance, &digits::places(ranks), &shape.axes);
    let at = |pace: Pace| {
        let (ranks, axes) = (ranks.clone(), shape.axes.clone());
        let make = move |instance: &Instance| {
            let matrix = instance.matrix().clone();
            let schedule = digits::schedule(&matrix, &ranks, &axes, pace);
            Ok(Draft::by(Stage::passed_on(matrix, schedule)))
        };
        (pace, Variant::new(name(&pace.name()), make).at_least(floor))
    };
    shape.paces(are_all).map(at).collect()
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
    let places: Vec<usize> = (0..instance.size()).collect();
    mean_ports(instance, &places, &[ring(instance.size(), radix)])
}

/// The mean of what the ports of all ranks need if messages are passed on along some axes.
pub(super) fn mean_ports(instance: &Instance, places: &[usize], axes: &[Axis]) -> Span {
    let parameters = instance.parameters();
    let mean = digits::moved(instance.matrix(), places, axes) as f64 / instance.size() as f64;
    // A thousandth for what is rounded.
    Span::from_secs_f64(0.999 * mean * parameters.node_beta() * 2.0 / parameters.duplex())
}

/// About the time with the best radix if no link is short of anything.
pub(super) fn least(instance: &Instance) -> Span {
    costs(instance)[0].1
}

/// About the times with each of the radices that are worth a try, links included, in the order of the variants; none for one that is
/// near another that takes less, with which messages are much the same.
pub(super) fn estimates(instance: &Instance) -> Vec<Option<Times>> {
    let ranks: Vec<Rank> = (0..instance.size()).collect();
    let form = ClosedForm::of(instance, &ranks);
    let radices: Vec<usize> = radices(instance, MOST_RADICES).into_iter().map(|(radix, _)| radix).collect();
    let times: Vec<Times> =
        radices.iter().map(|&radix| form.times(&[ring(instance.size(), radix)])).collect();
    let is_near = |one: usize, other: usize| 4 * one.max(other) < 5 * one.min(other);
    let is_better = |one: usize, other: usize| (times[one].least(), one) < (times[other].least(), other);
    let estimate = |nth: usize| {
        let is_left_out = |other: usize| is_near(radices[nth], radices[other]) && is_better(other, nth);
        (!(0..radices.len()).any(is_left_out)).then(|| times[nth])
    };
    (0..radices.len()).map(estimate).collect()
}

/// The radices that are worth a try, at most `most`, and the likely pace of each: those of the least cost where all messages are of
/// their mean length.
pub(super) fn radices(instance: &Instance, most: usize) -> Vec<(usize, Pace)> {
    costs(instance).into_iter().take(most).map(|(radix, _, pace)| (radix, pace)).collect()
}

/// The radices, the time with each where all messages are of their mean length and links are not short of anything, and at which pace:
/// the least first.
fn costs(instance: &Instance) -> Vec<(usize, Span, Pace)> {
    let nodes = instance.size();
    let form = ClosedForm::of(instance, &[]);
    let with = |radix: usize| {
        let times = form.least(&[ring(nodes, radix)]);
        (radix, times.least(), times.pace())
    };
    let all = (2..nodes.max(3)).take_while(|&radix| radix <= 4 || radix * radix <= 2 * nodes);
    let mut all: Vec<(usize, Span, Pace)> = all.map(with).collect();
    all.sort_by_key(|&(_, time, _)| time);
    all
}
