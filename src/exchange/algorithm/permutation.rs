//! *Linear permutation*: in round `k` everybody exchanges with the node `k` away.
//!
//! **What it does.** On a power of two nodes rank `i` exchanges with `i xor k`; on any other number it sends to `i + k`
//! and receives from `i - k`, around the ring. *Linear* is for uniform messages. *Modified* is for others: the nodes
//! first tell each other how much is to come, send only what there is, and wait for all others after every round, by
//! the barrier of the machine where it has one. *Pairwise* is the same without telling and without barriers.
//!
//! **Restrictions.** *Linear* needs messages of one length from everybody to everybody else.
//!
//! **Cost.** `(p - 1) (alpha + s beta)` for messages of `s` bytes; of different lengths up to `p alpha + p t beta`, as
//! each round of *modified* takes as long as its longest message.
//!
//! **Source.** Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, section 4
//! and figure 3; S. H. Bokhari, "Complete exchange on the iPSC/860", ICASE 91-4, 1991.

use std::sync::Arc;

use super::super::{
    Instance, Matrix, PlanError,
    planner::{Planner, Variant},
    rounds::{
        permutation,
        stage::Stage,
        style::{Barrier, Style},
    },
};
use super::bruck;
use crate::{pattern::Exchange, time::Span};

/// *Linear*: for messages of one length.
pub(super) fn linear(planner: &Planner) -> Result<Vec<Variant>, PlanError> {
    let matrix = planner.matrix();
    let lengths = || {
        let pairs = (0..matrix.nodes())
            .flat_map(|from| matrix.row(from).iter().enumerate().map(move |to| (from, to)));
        pairs.filter(|&(from, (to, _))| from != to).map(|(_, (_, &bytes))| bytes)
    };
    if let (Some(least), Some(most)) = (lengths().min(), lengths().max())
        && least < most
    {
        return Err(PlanError::NotUniform { least, most });
    }
    let planner = planner.with_styles(&[Style::Each(Exchange::Together)]);
    let rounds = planner.clone();
    Ok(planner.in_styles("linear", move || Ok(rounds.linear())))
}

/// *Modified*: after an exchange of counts, with a barrier after every round.
pub(super) fn modified(planner: &Planner) -> Result<Vec<Variant>, PlanError> {
    let (instance, floor) =
        (planner.instance().clone(), barriers(planner.instance(), planner.linear().len()));
    let make = move || Ok(synchronized(&instance, instance.matrix().clone()));
    Ok(vec![Variant::new("modified".to_owned(), make).at_least(floor)])
}

/// *Pairwise*: in rounds alone.
pub(super) fn pairwise(planner: &Planner) -> Result<Vec<Variant>, PlanError> {
    let rounds = planner.clone();
    Ok(planner.in_styles("pairwise", move || Ok(rounds.linear())))
}

/// Modified linear permutation of a matrix among the members of an instance.
pub(super) fn synchronized(instance: &Instance, matrix: impl Into<Arc<Matrix>>) -> Stage {
    let matrix = matrix.into();
    let barrier = if instance.has_barrier() { Barrier::Hardware } else { Barrier::Messages };
    let rounds = permutation::rounds(&matrix);
    let counts = bruck::counts(matrix.nodes());
    Stage::rounds(matrix, &rounds, Style::Synchronized(barrier)).after(counts)
}

/// A lower limit of the time of the barriers of so many rounds.
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
