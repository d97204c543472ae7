//! Candidates: ways to carry out a task, each with what its closed form says; the cheapest become variants.

use std::{collections::BTreeSet, sync::Arc};

use super::{Draft, Task, draft::Tuning};
use crate::{pattern::Exchange, plan::Variant, time::Span};

/// The cheapest candidates of an algorithm are predicted, at least so many, at most so many ..
const LEAST: usize = 2;
const MOST: usize = 24;

/// .. and until that has taken about so many messages.
const MESSAGES: usize = 100_000;

/// Makes the schedule of a candidate.
type Make = Box<dyn Fn(&Task, Tuning) -> Draft + Send + Sync>;

/// The time that a candidate takes at least, known before its schedule is made.
type Least = Box<dyn Fn(&Task, Tuning) -> Span + Send + Sync>;

/// One way to do it, in one or several tunings.
pub(super) struct Candidate {
    pub(super) name: String,
    /// The time by the closed form.
    pub(super) estimate: Span,
    /// About as many messages as each rank sends.
    pub(super) messages: usize,
    pub(super) tunings: Vec<Tuning>,
    /// A lower limit of its time; none is known if that is empty.
    pub(super) least: Option<Least>,
    pub(super) make: Make,
}

/// The cheapest of them in each of their tunings, the cheapest first.
pub(super) fn offered(task: &Task, mut candidates: Vec<Candidate>) -> Vec<Variant<Task>> {
    candidates.sort_by_key(|candidate| candidate.estimate);
    let (mut nth, mut messages) = (0, 0);
    candidates.retain(|candidate| {
        nth += 1;
        messages += candidate.messages * candidate.tunings.len() * task.size();
        nth <= LEAST || nth <= MOST && messages <= MESSAGES
    });
    each_once(candidates.into_iter().flat_map(|candidate| variants(task, candidate)).collect())
}

/// The same without those that make what another one before them makes.
pub(super) fn each_once(mut variants: Vec<Variant<Task>>) -> Vec<Variant<Task>> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    variants.retain(|variant| variant.identity().is_none_or(|identity| seen.insert(identity.to_owned())));
    variants
}

fn variants(task: &Task, candidate: Candidate) -> Vec<Variant<Task>> {
    let Candidate { name, estimate, messages, tunings, least, make } = candidate;
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
        let least = least.as_ref().map_or(Span::ZERO, |least| least(task, tuning));
        let variant = Variant::new(shown, draft).at_least(least).estimated(estimate).identified(identity);
        // What goes around in pieces is so many times as many messages.
        variant.of_messages(messages * tuning.segments as u64)
    };
    tunings.into_iter().map(variant).collect()
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
