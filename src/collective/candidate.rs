//! Candidates: possible schedules of a task, each with a closed-form time; the cheapest candidates become variants.

use std::{collections::BTreeSet, sync::Arc};

use super::{Draft, Task, draft::Tuning};
use crate::{pattern::Exchange, plan::Variant, time::Span};

/// Minimum and maximum number of candidates of an algorithm for which a time is predicted, the cheapest first.
const MIN_CANDIDATES: usize = 2;
const MAX_CANDIDATES: usize = 24;

/// Total number of messages, estimated, at which the list of predicted candidates ends.
const MAX_MESSAGES: usize = 100_000;

/// Makes the schedule of a candidate.
type Make = Box<dyn Fn(&Task, Tuning) -> Draft + Send + Sync>;

/// Returns a lower bound of a candidate's time before its schedule is made.
type LowerBoundFn = Box<dyn Fn(&Task, Tuning) -> Span + Send + Sync>;

/// A possible schedule of a task, in one or several tunings.
pub(super) struct Candidate {
    pub(super) name: String,
    /// The closed-form time.
    pub(super) estimate: Span,
    /// Approximate number of messages that each rank sends.
    pub(super) messages: usize,
    pub(super) tunings: Vec<Tuning>,
    /// Lower bound of the time; `None` if none is known.
    pub(super) lower_bound: Option<LowerBoundFn>,
    pub(super) make: Make,
}

/// Makes the variants of the cheapest candidates in each of their tunings, the cheapest first.
pub(super) fn variants_of_cheapest(task: &Task, mut candidates: Vec<Candidate>) -> Vec<Variant<Task>> {
    candidates.sort_by_key(|candidate| candidate.estimate);
    let (mut nth, mut messages) = (0, 0);
    candidates.retain(|candidate| {
        nth += 1;
        messages += candidate.messages * candidate.tunings.len() * task.size();
        nth <= MIN_CANDIDATES || nth <= MAX_CANDIDATES && messages <= MAX_MESSAGES
    });
    without_duplicates(candidates.into_iter().flat_map(|candidate| variants(task, candidate)).collect())
}

/// Removes each variant that has the same identity as an earlier one.
pub(super) fn without_duplicates(mut variants: Vec<Variant<Task>>) -> Vec<Variant<Task>> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    variants.retain(|variant| variant.identity().is_none_or(|identity| seen.insert(identity.to_owned())));
    variants
}

fn variants(task: &Task, candidate: Candidate) -> Vec<Variant<Task>> {
    let Candidate { name, estimate, messages, tunings, lower_bound, make } = candidate;
    let messages = (messages * task.size()) as u64;
    let make = Arc::new(make);
    let is_single = tunings.len() == 1;
    let variant = |tuning: Tuning| {
        let make = make.clone();
        let identity = format!("{name} ({})", tuning.name());
        let draft = move |task: &Task| {
            let draft = make(task, tuning);
            Ok(if tuning.exchange == Exchange::Overlapped { draft.hoisted() } else { draft })
        };
        let shown = if is_single { name.clone() } else { identity.clone() };
        let lower_bound = lower_bound.as_ref().map_or(Span::ZERO, |lower_bound| lower_bound(task, tuning));
        let variant =
            Variant::new(shown, draft).at_least(lower_bound).estimated(estimate).identified(identity);
        // Cutting blocks into segments multiplies the number of messages.
        variant.of_messages(messages * tuning.segments as u64)
    };
    tunings.into_iter().map(variant).collect()
}

#[cfg(test)]
#[path = "candidate_tests.rs"]
mod tests;
