//! *Bruck*: few long messages instead of many short ones, for messages that are hardly longer than nothing.
//!
//! **What it does.** The way that a message has to go around the ring is written in digits of a radix `r`. For each
//! digit, the lowest first, and each value `d` that it can have, every node sends to the one `d r^k` further on, as one
//! message, all that it has whose digit `k` is `d`: its own and what has come in earlier rounds. With radix 2 these are
//! the fewest messages; a larger one sends more, and each byte fewer times. On a mesh whose rows have `r` nodes the two
//! digits of radix `r` are the way along the row and along the column, nearly.
//!
//! **Restrictions.** None.
//!
//! **Cost.** With radix 2 `ceil(log2 p) alpha + ceil(log2 p) p/2 s beta` for messages of `s` bytes, each of which moves
//! up to `log2 p` times; with radix `r` about `log_r p (r - 1) (alpha + p/r s beta)`. What is sent together is copied
//! together first.
//!
//! **Source.** Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", IEEE TPDS 8(11), 1997.

use std::sync::Arc;

use super::{
    super::{
        Instance, Matrix,
        planner::Variant,
        procedure::Draft,
        rounds::{
            closed_form::ClosedForm,
            digits::{self, Axis},
            parts,
            stage::{COUNT, Stage},
            style::Style,
        },
    },
    Algorithm, Entry, of,
};
use crate::{pattern::Exchange, rank::Rank, time::Span};

/// The most radices that are tried.
const MOST_RADICES: usize = 3;

/// The ways in which a node sends and receives; the first is more often the fastest.
pub(super) const EXCHANGES: [Exchange; 3] = [Exchange::InTurn, Exchange::Together, Exchange::Overlapped];

static BRUCK: Entry = Entry::new("bruck", |planning| {
    // Where only one style is tried, one way is as well.
    let ways = if planning.workspace.styles().len() == 1 { 1 } else { EXCHANGES.len() };
    Ok(variants(planning.problem, &EXCHANGES[..ways]))
})
.about("few long messages, passed on by others, instead of many short ones")
.source("Bruck and others 1997")
.cost("with radix `r` about `log_r p (r - 1) (alpha + p/r s beta)`");

impl Algorithm {
    /// Bruck's few long messages.
    pub const BRUCK: Algorithm = of(&BRUCK);
}

/// With several radices, and each of them in several ways.
pub(super) fn variants(instance: &Instance, exchanges: &[Exchange]) -> Vec<Variant> {
    let with = |radix: usize| {
        let floor = floor(instance, radix);
        let of = move |&exchange: &Exchange| {
            let name = format!("bruck (radix {radix}{})", Style::Each(exchange).name());
            let make =
                move |instance: &Instance| Ok(Draft::by(stage(instance.matrix().clone(), radix, exchange)));
            Variant::new(name, make).at_least(floor)
        };
        exchanges.iter().map(of).collect::<Vec<Variant>>()
    };
    radices(instance, MOST_RADICES).into_iter().flat_map(with).collect()
}

/// All messages of a matrix, with a radix of at least 2.
pub(super) fn stage(matrix: impl Into<Arc<Matrix>>, radix: usize, exchange: Exchange) -> Stage {
    let matrix = matrix.into();
    let ranks: Vec<Rank> = (0..matrix.nodes()).collect();
    let schedule = digits::schedule(&matrix, &ranks, &[ring(matrix.nodes(), radix)], exchange);
    Stage::passed_on(matrix, schedule)
}

/// The exchange of counts, after which every node knows how much is to come from each other one.
pub(super) fn counts(nodes: usize) -> Stage {
    let matrix = Matrix::of(nodes, |_, _| COUNT);
    stage(matrix.unwrap_or_else(|_| unreachable!("four bytes a node are few")), 2, Exchange::InTurn)
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
    Span::from_secs_f64(costs(instance)[0].0)
}

/// About the time with each of the radices that are worth a try, links included, in the order of the variants; `Span::MAX`
/// for one that is near another that takes less, with which messages are much the same.
pub(super) fn estimates(instance: &Instance) -> Vec<Span> {
    let ranks: Vec<Rank> = (0..instance.size()).collect();
    let form = ClosedForm::of(instance, &ranks);
    let with = |&radix: &usize| Span::from_secs_f64(form.time(&[ring(instance.size(), radix)]));
    let radices = radices(instance, MOST_RADICES);
    let times: Vec<Span> = radices.iter().map(with).collect();
    let is_near = |one: usize, other: usize| 4 * one.max(other) < 5 * one.min(other);
    let is_better = |one: usize, other: usize| (times[one], one) < (times[other], other);
    let estimate = |nth: usize| {
        let is_left_out = |other: usize| is_near(radices[nth], radices[other]) && is_better(other, nth);
        if (0..radices.len()).any(is_left_out) { Span::MAX } else { times[nth] }
    };
    (0..radices.len()).map(estimate).collect()
}

/// The radices that are worth a try, at most `most`: those of the least cost where all messages are of their mean
/// length.
pub(super) fn radices(instance: &Instance, most: usize) -> Vec<usize> {
    costs(instance).into_iter().take(most).map(|(_, radix)| radix).collect()
}

/// The seconds with each radix where all messages are of their mean length, and the radix: the least first.
fn costs(instance: &Instance) -> Vec<(f64, usize)> {
    let (parameters, nodes) = (instance.parameters(), instance.size());
    let bytes: u64 = parts(instance.matrix()).map(|part| part.bytes).sum();
    let mean = bytes as f64 / (nodes * nodes) as f64 * 2.0 / parameters.duplex();
    let cost = |radix: usize| {
        let (mut weight, mut cost) = (1, 0.0);
        while weight < nodes {
            for digit in 1..radix.min(nodes.div_ceil(weight)) {
                let moved = (0..nodes).filter(|way| way / weight % radix == digit).count() as f64;
                cost +=
                    parameters.alpha().as_secs_f64() + moved * mean * (parameters.beta() + parameters.copy());
            }
            weight = weight.saturating_mul(radix);
        }
        cost
    };
    let all = (2..nodes.max(3)).take_while(|&radix| radix <= 4 || radix * radix <= 2 * nodes);
    let mut all: Vec<(f64, usize)> = all.map(|radix| (cost(radix), radix)).collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    all
}
