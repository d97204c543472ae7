//! *Linear permutation*: in round `k` every node exchanges with the nodes at distance `k`.
//!
//! **What it does.** If the number of nodes is a power of two, rank `i` exchanges with `i xor k`. Otherwise it sends to `i + k` and
//! receives from `i - k`, modulo the number of nodes. *Linear* is for uniform messages. *Modified* is for messages of any lengths: nodes
//! first exchange the lengths, omit empty messages, and wait at a barrier after every round (the hardware barrier if the machine has
//! one). *Pairwise* has neither the exchange of lengths nor barriers.
//!
//! **Restrictions.** *Linear* needs messages of one length between all pairs of nodes.
//!
//! **Cost.** `(p - 1) (alpha + s beta)` for messages of `s` bytes; for different lengths up to `p alpha + p t beta`, as each round of
//! *modified* takes as long as its longest message.
//!
//! **Source.** Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, section 4
//! and figure 3; S. H. Bokhari, "Complete exchange on the iPSC/860", ICASE 91-4, 1991.

use std::sync::Arc;

use super::{
    super::{
        Instance, Matrix, PlanError,
        planner::Variant,
        procedure::Draft,
        rounds::{
            permutation,
            stage::Stage,
            style::{Barrier, Style},
        },
    },
    Algorithm, Entry, Planning, bruck, of,
};
use crate::{pattern::Exchange, plan::Restriction, time::Span};

static LINEAR: Entry = Entry::new("linear", linear)
    .about("linear permutation: in round k each rank sends k ranks further; equal lengths only")
    .source("Ranka, Shankar, Alsabti 1995, section 4")
    .cost("`(p - 1) (alpha + s beta)`")
    .only_if(&[Restriction {
        text: "messages of the same length between all pairs of ranks (`modified` has no such limit)",
        is_met: |instance, _| {
            let [least, most] = instance.lengths();
            least == most
        },
        found: |instance, _| {
            let [least, most] = instance.lengths();
            format!("lengths from {least} to {most} bytes")
        },
    }]);

static MODIFIED: Entry = Entry::new("modified", modified)
    .about("linear permutation for any lengths: exchanges lengths first; barrier after each round")
    .source("Ranka, Shankar, Alsabti 1995, section 4")
    .cost("each round `alpha + s beta` and a barrier, where `s` is the round's longest message: up to `p (alpha + t beta)`; plus `ceil(log2 p) (alpha + 2 p beta)` to exchange the lengths");

static PAIRWISE: Entry = Entry::new("pairwise", pairwise)
    .about("linear permutation for lengths that all ranks know; no barriers")
    .source("Ranka, Shankar, Alsabti 1995, section 4; Bokhari 1991")
    .cost("up to `p (alpha + t beta)`");

impl Algorithm {
    /// Linear permutation, for messages of one length between all pairs of nodes.
    pub const LINEAR: Algorithm = of(&LINEAR);
    /// Modified linear permutation: counts are exchanged first, and a barrier follows each round.
    pub const MODIFIED: Algorithm = of(&MODIFIED);
    /// Linear permutation without an exchange of counts and without barriers.
    pub const PAIRWISE: Algorithm = of(&PAIRWISE);
}

fn linear(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let planner = planning.workspace.with_styles(&[Style::Each(Exchange::Together)]);
    Ok(planner.in_styles_as("linear", "pairwise", |planner| Ok(planner.linear())))
}

fn modified(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let planner = planning.workspace;
    let floor = barriers(planning.problem, planner.linear().len()).max(planner.direct_bound());
    let make = |instance: &Instance| Ok(Draft::by(synchronized(instance, instance.matrix().clone())));
    Ok(vec![Variant::new("", make).at_least(floor)])
}

fn pairwise(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    Ok(planning.workspace.in_styles("pairwise", |planner| Ok(planner.linear())))
}

/// Returns the stage of modified linear permutation of a matrix among the members of an instance.
pub(super) fn synchronized(instance: &Instance, matrix: impl Into<Arc<Matrix>>) -> Stage {
    let matrix = matrix.into();
    let barrier = if instance.has_barrier() { Barrier::Hardware } else { Barrier::Messages };
    let rounds = permutation::rounds(&matrix);
    let counts = bruck::counts(matrix.nodes());
    Stage::rounds(matrix, &rounds, Style::Synchronized(barrier)).after(counts)
}

/// Returns a lower bound on the time of the barriers of `rounds` rounds.
pub(super) fn barriers(instance: &Instance, rounds: usize) -> Span {
    let parameters = instance.parameters();
    let one = match parameters.barrier() {
        Some(barrier) if instance.has_barrier() => barrier,
        _ => {
            let exchange = parameters.send_overhead() + parameters.receive_overhead();
            exchange.times(u64::from(instance.size().next_power_of_two().ilog2()))
        }
    };
    one.times(rounds as u64)
}
