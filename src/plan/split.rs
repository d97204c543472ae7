//! Partition of messages by length: long and short messages get separate schedules, one after the other.
//!
//! A schedule for long messages costs short messages many start-ups; a schedule for short messages transfers long ones
//! too often. If lengths differ much, two consecutive schedules can be faster than any single one.
//!
//! The messages are split at a length threshold; the candidates follow from the lengths (`places`). Each part is a
//! separate problem, for which the fastest schedule is searched. The two parts are concatenated in both orders. Parts
//! are split further as long as the whole becomes faster. There is no synchronization between parts: each node starts
//! the next part as soon as it has finished the previous one.

mod places;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub(crate) use self::places::places;
use super::{
    effort::Budget,
    error::PlanError,
    predict::predict_among,
    problem::{Draft, Problem},
    registry::{Algorithm, Planning, Predicted, Variant},
    search::{check_messages, fastest},
};
use crate::{
    text::count,
    time::{Span, Time},
};

/// A problem of several messages that can be partitioned by length.
pub(crate) trait Divisible: Problem {
    /// The algorithm that partitions messages by length.
    const APART: Algorithm<Self>;

    /// Returns the variants of all other algorithms, the candidates for each part.
    fn unsplit_variants(&self) -> Result<Vec<Variant<Self>>, PlanError>;

    /// Returns the length of each message, 0 for messages without a destination; empty if the messages cannot be partitioned.
    fn lengths(&self) -> Vec<u64>;

    /// Returns the same problem with only some of the messages.
    fn part(&self, is_in: &[bool]) -> Self;

    /// Concatenates the drafts of parts, each with a mask of its messages. Every message is in exactly one part.
    fn joined(&self, parts: &[(&[bool], &Self::Draft)]) -> Self::Draft;

    /// Returns a lower bound that is cheap to compute.
    fn quick_lower_bound(&self) -> Span;

    /// Returns whether all messages have the same source or the same destination.
    fn has_root(&self) -> bool;
}

/// A variant with its draft and prediction.
type Found<P> = (Variant<P>, Predicted<P>);

/// Returns whether the lengths differ enough to partition the messages.
pub(crate) fn is_uneven<P: Divisible>(problem: &P) -> bool {
    !places(&problem.lengths()).is_empty()
}

/// Describes the lengths of messages, for an error when they are too similar to be partitioned.
pub(crate) fn lengths_in_words(lengths: &[u64]) -> String {
    let nonempty = || lengths.iter().filter(|&&length| length > 0);
    match (nonempty().min(), nonempty().max()) {
        (Some(shortest), Some(longest)) if shortest < longest => {
            format!("lengths from {shortest} to {longest} bytes")
        }
        (Some(length), _) => format!("all lengths {}", count(*length, "byte")),
        _ => "only empty messages".to_owned(),
    }
}

/// Returns the fastest partition by length, even if a single schedule is faster. The search first uses the fastest single schedule as
/// the incumbent, like [`fastest_partition`]; if nothing improves on it, the search starts again without an incumbent.
///
/// # Errors
///
/// [`PlanError::TooLong`] if no partition ends within the range of modeled time.
pub(crate) fn split_by_length<P: Divisible>(
    planning: &Planning<'_, P>,
    budget: &Budget,
) -> Result<Found<P>, PlanError> {
    let too_long = || PlanError::TooLong { algorithm: P::APART.called(planning.problem) };
    let problem = planning.problem;
    let whole =
        problem.unsplit_variants().and_then(|all| fastest(&P::APART, problem, &all, Time::MAX, budget));
    let given = whole.map_or(Time::MAX, |(_, found)| found.prediction.modeled);
    let found =
        fastest_partition(problem, given, budget).or_else(|| fastest_partition(problem, Time::MAX, budget));
    found.ok_or_else(too_long)
}

/// Returns the fastest partition by length, if it takes less than `given`, the time of the fastest single schedule.
pub(crate) fn fastest_partition<P: Divisible>(problem: &P, given: Time, budget: &Budget) -> Option<Found<P>> {
    PartitionSearch::new(problem, given, budget).improved()
}

/// A range of lengths: greater than the first bound, at most the second.
type Bounds = (u64, u64);

/// Solved parts, in execution order.
type Parts<P> = Vec<Arc<Part<P>>>;

/// A sequence of parts, which are split as long as the sequence becomes faster: a greedy search.
struct PartitionSearch<'a, P: Problem> {
    problem: &'a P,
    lengths: Vec<u64>,
    budget: &'a Budget,
    /// The parts of the incumbent; initially one part with all messages.
    parts: Vec<Bounds>,
    /// The time of the incumbent, or the initial upper bound.
    incumbent: Time,
    found: Option<(Parts<P>, Predicted<P>)>,
    /// The solved parts, or the limit that an unsolved part exceeds.
    known: BTreeMap<Bounds, Result<Arc<Part<P>>, Time>>,
    tried: BTreeSet<Vec<Bounds>>,
}

/// Some of the messages, with the fastest schedule found for them.
struct Part<P: Problem> {
    name: String,
    is_in: Vec<bool>,
    variant: Variant<P>,
    draft: P::Draft,
    /// The time of the fastest schedule for the part by itself.
    time: Span,
}

impl<'a, P: Divisible> PartitionSearch<'a, P> {
    fn new(problem: &'a P, given: Time, budget: &'a Budget) -> PartitionSearch<'a, P> {
        let all = (0, u64::MAX);
        let (lengths, known, tried) = (problem.lengths(), BTreeMap::new(), BTreeSet::new());
        PartitionSearch {
            problem,
            lengths,
            budget,
            parts: vec![all],
            incumbent: given,
            found: None,
            known,
            tried,
        }
    }

    /// Returns the fastest sequence of at least two parts that takes less than the given time.
    fn improved(mut self) -> Option<Found<P>> {
        while self.improve() {}
        let (parts, predicted) = self.found?;
        Some((sequence_variant(parts), predicted))
    }

    /// Tries all splits of all parts; returns whether the sequence has become faster.
    fn improve(&mut self) -> bool {
        let (sequence, before) = (self.parts.clone(), self.incumbent);
        for (nth, &(over, up_to)) in sequence.iter().enumerate() {
            let inside = |&&length: &&u64| over < length && length <= up_to;
            let lengths: Vec<u64> = self.lengths.iter().filter(inside).copied().collect();
            for place in places(&lengths) {
                self.split(&sequence, nth, [(over, place), (place, up_to)]);
            }
        }
        self.incumbent < before
    }

    /// Replaces a part of the sequence by two, in both orders.
    fn split(&mut self, sequence: &[Bounds], nth: usize, halves: [Bounds; 2]) {
        let other_parts = sequence.iter().filter(|&part| *part != sequence[nth]);
        let other_time: Span = other_parts.filter_map(|&part| self.time(part)).sum();
        let max_summed_time = max_summed_time(self.problem, self.incumbent.since_start());
        let lower_bounds = halves.map(|half| self.subproblem(half).quick_lower_bound());
        // The half with the larger bound is solved first: the second half then has the tightest limit.
        let [first, second] = if lower_bounds[0] >= lower_bounds[1] { [0, 1] } else { [1, 0] };
        let limit = Time::ZERO + (max_summed_time - other_time - lower_bounds[second]);
        if !self.solve(halves[first], limit) {
            return;
        }
        let limit =
            Time::ZERO + (max_summed_time - other_time - self.time(halves[first]).unwrap_or_default());
        if !self.solve(halves[second], limit) {
            return;
        }
        for order in [halves, [halves[1], halves[0]]] {
            let mut parts = sequence.to_vec();
            parts.splice(nth..=nth, order);
            if self.tried.insert(parts.clone()) {
                self.attempt(&parts, None);
                if self.problem.has_root() {
                    halves.iter().for_each(|&half| self.try_variants(&parts, half));
                }
            }
        }
    }

    /// Tries all variants of a part in the sequence. Where parts overlap much, the variant that is the fastest by itself need not give the
    /// fastest sequence.
    fn try_variants(&mut self, sequence: &[Bounds], bounds: Bounds) {
        let problem = self.subproblem(bounds);
        let Some(time) = self.time(bounds) else { return };
        let variants = problem.unsplit_variants().unwrap_or_default();
        let all = variants.len();
        for (nth, variant) in variants.into_iter().enumerate() {
            if self.budget.is_spent() {
                return self.budget.leave(all - nth);
            }
            if Time::ZERO + variant.floor() >= self.incumbent {
                continue;
            }
            let Ok(draft) = variant.draft(&problem) else { continue };
            if draft.schedule().is_none_or(|schedule| check_messages(schedule).is_err()) {
                continue;
            }
            let part = Arc::new(self.part(bounds, variant, draft, time));
            if self.attempt(sequence, Some((bounds, &part))) {
                self.known.insert(bounds, Ok(part));
            }
        }
    }

    /// Predicts a sequence of solved parts, optionally with a replacement for one; returns whether it improves on the incumbent.
    fn attempt(&mut self, bounds: &[Bounds], other: Option<(Bounds, &Arc<Part<P>>)>) -> bool {
        let solved = |part: &Bounds| match other {
            Some((replaced, other)) if replaced == *part => Some(other.clone()),
            _ => self.known.get(part)?.as_ref().ok().cloned(),
        };
        let Some(parts) = bounds.iter().map(solved).collect::<Option<Vec<_>>>() else { return false };
        let sequence: Vec<_> = parts.iter().map(|part| (&*part.is_in, &part.draft)).collect();
        let draft = self.problem.joined(&sequence);
        let Some(schedule) = draft.schedule() else { return false };
        self.budget.spend(schedule.steps_in_all() as u64);
        let (machine, members) = (self.problem.machine(), self.problem.members());
        let prediction = predict_among(machine, members, schedule, self.incumbent);
        let Some(prediction) = prediction.filter(|found| found.modeled < self.incumbent) else {
            return false;
        };
        self.incumbent = prediction.modeled;
        self.parts = bounds.to_vec();
        self.found = Some((parts, Predicted { draft, prediction }));
        true
    }

    /// Finds the fastest schedule of a part by itself; returns whether it ends by the limit.
    fn solve(&mut self, bounds: Bounds, limit: Time) -> bool {
        match self.known.get(&bounds) {
            Some(Ok(part)) => return Time::ZERO + part.time <= limit,
            Some(Err(refused)) if limit <= *refused => return false,
            _ => {}
        }
        let part = self.solved(bounds, limit);
        let is_solved = part.is_some();
        self.known.insert(bounds, part.map(Arc::new).ok_or(limit));
        is_solved
    }

    fn solved(&self, bounds: Bounds, limit: Time) -> Option<Part<P>> {
        let problem = self.subproblem(bounds);
        let mut variants = problem.unsplit_variants().ok()?;
        let (nth, found) = fastest(&P::APART, &problem, &variants, limit, self.budget).ok()?;
        let time = found.prediction.modeled.since_start();
        Some(self.part(bounds, variants.swap_remove(nth), found.draft, time))
    }

    fn part(&self, bounds: Bounds, variant: Variant<P>, draft: P::Draft, time: Span) -> Part<P> {
        let algorithm = variant.algorithm().map_or_else(String::new, Algorithm::to_string);
        let which = match bounds {
            (over, u64::MAX) => format!("over {over} B"),
            (0, up_to) => format!("up to {up_to} B"),
            (over, up_to) => format!("over {over} up to {up_to} B"),
        };
        let name = format!("{which} by {}", P::plan_name(algorithm, variant.name()));
        Part { name, is_in: self.is_in(bounds), variant, draft, time }
    }

    fn is_in(&self, (over, up_to): Bounds) -> Vec<bool> {
        self.lengths.iter().map(|&length| (over == 0 || over < length) && length <= up_to).collect()
    }

    fn subproblem(&self, bounds: Bounds) -> P {
        self.problem.part(&self.is_in(bounds))
    }

    /// Returns the time of a part by itself, if it is solved.
    fn time(&self, bounds: Bounds) -> Option<Span> {
        Some(self.known.get(&bounds)?.as_ref().ok()?.time)
    }
}

/// Creates the variant that executes parts one after the other.
fn sequence_variant<P: Divisible>(parts: Parts<P>) -> Variant<P> {
    let name = parts.iter().map(|part| part.name.clone()).collect::<Vec<_>>().join(", then ");
    let make = move |problem: &P| {
        let draft = |part: &Arc<Part<P>>| part.variant.draft(&problem.part(&part.is_in));
        let drafts: Vec<P::Draft> = parts.iter().map(draft).collect::<Result<_, _>>()?;
        let sequence: Vec<_> = parts.iter().zip(&drafts).map(|(part, draft)| (&*part.is_in, draft)).collect();
        Ok(problem.joined(&sequence))
    };
    Variant::new(name, make).by(P::APART)
}

/// Returns the maximum sum of the parts' separate times if their sequence must end within `time`. Parts overlap, because a node starts
/// the next part as soon as it has finished one. All messages of a root may be in transit at once. Other parts hardly overlap: of 52
/// fastest partitions on up to 64 nodes, 49 took at most 4 % less than the sum of their parts, the others up to 14 %.
fn max_summed_time<P: Divisible>(problem: &P, time: Span) -> Span {
    let overlap = if problem.has_root() { 2.0 } else { 1.1 };
    Span::from_secs_f64(time.as_secs_f64() * overlap)
}
