//! Messages split by length: the long ones by one schedule and the short ones by another, one after the other.
//!
//! A schedule that suits long messages costs short ones many start-ups, and one that suits short messages carries long ones
//! too often. Where lengths differ much, two schedules in a row can be faster than any single one.
//!
//! The messages are split at a length, of which a few follow from the lengths alone (`places`). Either part is a problem of its
//! own, for which the fastest schedule is searched. The parts are put one after the other in both orders. As long as that makes
//! the whole faster, parts are split again. No node waits in between: each goes on to the next part when it is done with the one
//! before.

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

/// A problem of several messages that can be split by length.
pub(crate) trait Divisible: Problem {
    /// The algorithm that treats messages apart.
    const APART: Algorithm<Self>;

    /// The variants of all other algorithms, among which that of a part is chosen.
    fn others(&self) -> Result<Vec<Variant<Self>>, PlanError>;

    /// The length of each message, 0 for those that have to go nowhere; nothing if there are no messages to be told apart.
    fn lengths(&self) -> Vec<u64>;

    /// The same problem with some of the messages alone.
    fn part(&self, is_in: &[bool]) -> Self;

    /// The drafts of parts one after the other, each with the messages that it is for: every message is in one of them.
    fn joined(&self, parts: &[(&[bool], &Self::Draft)]) -> Self::Draft;

    /// A lower bound that takes little time to find.
    fn least(&self) -> Span;

    /// Whether all messages come from one node, or all go to one.
    fn has_root(&self) -> bool;
}

/// A variant with its draft and the time that it takes.
type Found<P> = (Variant<P>, Predicted<P>);

/// Whether there are messages of which some are treated apart.
pub(crate) fn is_uneven<P: Divisible>(problem: &P) -> bool {
    !places(&problem.lengths()).is_empty()
}

/// The lengths of messages in words, where they are too much alike to be treated apart.
pub(crate) fn lengths_in_words(lengths: &[u64]) -> String {
    let some = || lengths.iter().filter(|&&length| length > 0);
    match (some().min(), some().max()) {
        (Some(least), Some(most)) if least < most => format!("they have {least} to {most} bytes"),
        (Some(length), _) => format!("all have {}", count(*length, "byte")),
        _ => "all are empty".to_owned(),
    }
}

/// The fastest way to treat messages apart, whether or not it is faster than to treat all alike. It is found as [`faster`] finds it;
/// only where that finds none does the row begin with a split that is slower.
///
/// # Errors
///
/// [`PlanError::TooLong`]: no way ends within modeled time.
pub(crate) fn apart<P: Divisible>(
    planning: &Planning<'_, P>,
    budget: &Budget,
) -> Result<Found<P>, PlanError> {
    let too_long = || PlanError::TooLong { algorithm: P::APART.called(planning.problem) };
    let problem = planning.problem;
    let whole = problem.others().and_then(|all| fastest(&P::APART, problem, &all, Time::MAX, budget));
    let given = whole.map_or(Time::MAX, |(_, found)| found.prediction.modeled);
    let found = faster(problem, given, budget).or_else(|| faster(problem, Time::MAX, budget));
    found.ok_or_else(too_long)
}

/// The fastest way to treat messages apart, if it takes less than the fastest way to treat all alike, whose time is given.
pub(crate) fn faster<P: Divisible>(problem: &P, given: Time, budget: &Budget) -> Option<Found<P>> {
    Row::new(problem, given, budget).improved()
}

/// The messages that are longer than one length and no longer than the other.
type Bounds = (u64, u64);

/// Parts that are solved, in a row.
type Parts<P> = Vec<Arc<Part<P>>>;

/// Parts one after the other, which are split as long as that makes them faster: a greedy search.
struct Row<'a, P: Problem> {
    problem: &'a P,
    lengths: Vec<u64>,
    budget: &'a Budget,
    /// The parts of the fastest row so far, at first all messages in one.
    parts: Vec<Bounds>,
    /// The time of that row, or what it has to take less than.
    incumbent: Time,
    found: Option<(Parts<P>, Predicted<P>)>,
    /// The parts that have been solved, or else the limits that they do not end by.
    known: BTreeMap<Bounds, Result<Arc<Part<P>>, Time>>,
    tried: BTreeSet<Vec<Bounds>>,
}

/// Some of the messages, with the fastest schedule for them alone.
struct Part<P: Problem> {
    name: String,
    is_in: Vec<bool>,
    variant: Variant<P>,
    draft: P::Draft,
    /// The time of the fastest schedule alone.
    time: Span,
}

impl<'a, P: Divisible> Row<'a, P> {
    fn new(problem: &'a P, given: Time, budget: &'a Budget) -> Row<'a, P> {
        let all = (0, u64::MAX);
        let (lengths, known, tried) = (problem.lengths(), BTreeMap::new(), BTreeSet::new());
        Row { problem, lengths, budget, parts: vec![all], incumbent: given, found: None, known, tried }
    }

    /// The fastest row of at least two parts that takes less than the given time.
    fn improved(mut self) -> Option<Found<P>> {
        while self.improve() {}
        let (parts, predicted) = self.found?;
        Some((in_a_row(parts), predicted))
    }

    /// Splits a part, where that gains most; tells whether it makes the row faster.
    fn improve(&mut self) -> bool {
        let (row, before) = (self.parts.clone(), self.incumbent);
        for (nth, &(over, up_to)) in row.iter().enumerate() {
            let inside = |&&length: &&u64| over < length && length <= up_to;
            let lengths: Vec<u64> = self.lengths.iter().filter(inside).copied().collect();
            for place in places(&lengths) {
                self.split(&row, nth, [(over, place), (place, up_to)]);
            }
        }
        self.incumbent < before
    }

    /// Replaces a part of a row by two, in both orders.
    fn split(&mut self, row: &[Bounds], nth: usize, halves: [Bounds; 2]) {
        let others = row.iter().filter(|&part| *part != row[nth]);
        let others: Span = others.filter_map(|&part| self.time(part)).sum();
        let alone = alone(self.problem, self.incumbent.since_start());
        let least = halves.map(|half| self.subproblem(half).least());
        // The half that takes longer comes first: it leaves the other one the least.
        let [first, second] = if least[0] >= least[1] { [0, 1] } else { [1, 0] };
        let limit = Time::ZERO + (alone - others - least[second]);
        if !self.solve(halves[first], limit) {
            return;
        }
        let limit = Time::ZERO + (alone - others - self.time(halves[first]).unwrap_or_default());
        if !self.solve(halves[second], limit) {
            return;
        }
        for order in [halves, [halves[1], halves[0]]] {
            let mut parts = row.to_vec();
            parts.splice(nth..=nth, order);
            if self.tried.insert(parts.clone()) {
                self.attempt(&parts, None);
                if self.problem.has_root() {
                    halves.iter().for_each(|&half| self.suit(&parts, half));
                }
            }
        }
    }

    /// Tries all variants of a part in the row: where parts overlap much, the fastest one alone need not be the fastest there.
    fn suit(&mut self, row: &[Bounds], bounds: Bounds) {
        let problem = self.subproblem(bounds);
        let Some(time) = self.time(bounds) else { return };
        let variants = problem.others().unwrap_or_default();
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
            if self.attempt(row, Some((bounds, &part))) {
                self.known.insert(bounds, Ok(part));
            }
        }
    }

    /// Predicts a row of parts that are solved, or with another schedule for one of them; tells whether it is faster.
    fn attempt(&mut self, bounds: &[Bounds], other: Option<(Bounds, &Arc<Part<P>>)>) -> bool {
        let solved = |part: &Bounds| match other {
            Some((replaced, other)) if replaced == *part => Some(other.clone()),
            _ => self.known.get(part)?.as_ref().ok().cloned(),
        };
        let Some(parts) = bounds.iter().map(solved).collect::<Option<Vec<_>>>() else { return false };
        let row: Vec<_> = parts.iter().map(|part| (&*part.is_in, &part.draft)).collect();
        let draft = self.problem.joined(&row);
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

    /// Finds the fastest schedule of a part alone, if that ends by the limit; tells whether there is one.
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
        let mut variants = problem.others().ok()?;
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

    /// The time of a part alone, if it is solved.
    fn time(&self, bounds: Bounds) -> Option<Span> {
        Some(self.known.get(&bounds)?.as_ref().ok()?.time)
    }
}

/// The variant of parts one after the other.
fn in_a_row<P: Divisible>(parts: Parts<P>) -> Variant<P> {
    let name = parts.iter().map(|part| part.name.clone()).collect::<Vec<_>>().join(", then ");
    let make = move |problem: &P| {
        let draft = |part: &Arc<Part<P>>| part.variant.draft(&problem.part(&part.is_in));
        let drafts: Vec<P::Draft> = parts.iter().map(draft).collect::<Result<_, _>>()?;
        let row: Vec<_> = parts.iter().zip(&drafts).map(|(part, draft)| (&*part.is_in, draft)).collect();
        Ok(problem.joined(&row))
    };
    Variant::new(name, make).by(P::APART)
}

/// The time that parts may take one after the other, if they are to be done in this time in a row: nodes that are done with one
/// begin with the next. A root's messages may all be under way at the same time. Other parts hardly overlap: of 52 fastest ways
/// among up to 64 nodes, 49 took at most 4 % less than their parts one after the other, and the others up to 14 %.
fn alone<P: Divisible>(problem: &P, time: Span) -> Span {
    let overlap = if problem.has_root() { 2.0 } else { 1.1 };
    Span::from_secs_f64(time.as_secs_f64() * overlap)
}
