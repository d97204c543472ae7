//! Algorithm *Auto*: predicts every schedule that the other algorithms come in, and takes the fastest.
//!
//! **What it does.** Since all nodes know the machine, the sources and the lengths, each can compute the same modeled
//! time of every candidate, conflicts on the links included, and all take the same one; no message is needed to agree.
//! The work is done once, when the plan is made. A candidate is given up as soon as it is seen to be slower than the
//! best one so far: before its schedule is made, where its algorithm knows a lower limit; when its busiest node alone
//! takes longer; or when its prediction has come to that instant.
//!
//! **Restrictions.** None. It is never slower than any other algorithm here, if all nodes start at the same instant and
//! nothing else is under way.
//!
//! **Cost.** That of the algorithm chosen.
//!
//! **Source.** The papers leave it open: "none of our algorithms tries to analyze the input distribution" (conference
//! version, section 5.2).

use super::{Algorithm, Base, Instance, Plan, variant::Variant};
use crate::{
    choice::{self, busiest_node},
    predict::predict_until,
    time::Time,
};

/// Whose variants are candidates. Those most likely to be the fastest come first, so that others are soon given up.
pub(super) fn algorithms(instance: &Instance) -> Vec<Algorithm> {
    let every_node_is_a_source = instance.sources().len() == instance.nodes();
    // Then the messages stay where they are, and only *Br_xy_source* may take another dimension first than without.
    let is_the_same_as_its_base = |algorithm| {
        every_node_is_a_source && matches!(algorithm, Algorithm::Repos(base) if base != Base::BrXySource)
    };
    let algorithms = Algorithm::BEYOND.into_iter().chain(Algorithm::PAPER);
    algorithms.filter(|&algorithm| !is_the_same_as_its_base(algorithm)).collect()
}

/// A variant and the algorithm that it is of.
type Candidate = (Algorithm, Variant);

/// The plan of the fastest candidate, of equally fast ones the first; `None` if none ends within modeled time.
pub(super) fn fastest(instance: &Instance, candidates: &[Candidate]) -> Option<Plan> {
    let attempt = |index: usize, limit| within(instance, &candidates[index], limit);
    choice::fastest(candidates.len(), attempt).map(|(_, plan)| plan)
}

/// The candidate's plan and its time, if that is at most `limit`.
fn within(instance: &Instance, candidate: &Candidate, limit: Time) -> Option<(Time, Plan)> {
    let (algorithm, variant) = candidate;
    if variant.floor > limit.since_start() {
        return None;
    }
    let draft = variant.draft(instance);
    if busiest_node(&draft.schedule, instance.parameters()) > limit.since_start() {
        return None;
    }
    let prediction = predict_until(instance.machine(), &draft.schedule, limit)?;
    let time = prediction.modeled;
    Some((time, Plan::new(instance, *algorithm, variant.name.clone(), draft, Some(prediction))))
}
