//! The search for the fastest variant: branch and bound with exact prediction.
//!
//! All members know the machine and the problem, so each computes the same modeled time of every variant, link contention included, and
//! all choose the same variant without communication. The fastest variant so far is the *incumbent*. A variant is pruned as soon as a
//! lower bound on its time exceeds the incumbent's: the bound known before its schedule is made, the load of its busiest node, its
//! contention-free time, or the simulated time of its prediction.
//!
//! Variants are tried in rounds. The variants of a round are predicted in parallel. The size of a round does not depend
//! on the host, and the content of a round depends only on earlier rounds. Therefore every host tries the same variants
//! and counts the same steps against the budget.

use std::{
    num::NonZero,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    thread,
};

use parking_lot::Mutex;
use tracing::{
    Dispatch, debug_span,
    dispatcher::{get_default, with_default},
};

use super::{
    PlanError, Problem,
    bound::port_load,
    effort::{Budget, Counts},
    predict::predict_among,
    problem::Draft,
    registry::{Algorithm, Predicted, Variant},
};
use crate::{
    model::Parameters,
    pattern::{Action, Schedule},
    time::{Span, Time},
    topology::catch_route_error,
    wire::MAX_MESSAGE,
};

/// Maximum number of variants in a round. Rounds start with one variant and double, because the first incumbents prune most.
const MAX_ROUND: usize = 16;

/// Schedules with at most this number of messages are tried in list order, longer ones after them. Variants with a
/// nested search come last, because a fast incumbent prunes most of their search.
const MAX_MESSAGES_IN_LIST_ORDER: u64 = 1 << 15;

/// Returns the number of the fastest variant that ends by the limit, with its draft and prediction; the first wins a
/// tie. When the budget is spent, the remaining variants are skipped; but without a limit at least one is tried.
///
/// # Errors
///
/// The error of the first variant that cannot be made, or [`PlanError::TooLong`].
pub(crate) fn fastest<P: Problem>(
    algorithm: &Algorithm<P>,
    problem: &P,
    variants: &[Variant<P>],
    limit: Time,
    budget: &Budget,
) -> Result<(usize, Predicted<P>), PlanError> {
    let _search = debug_span!("search", variants = variants.len()).entered();
    budget.counts().list(variants.len());
    let mut order: Vec<usize> = (0..variants.len()).collect();
    let cost = |nth: usize| {
        (variants[nth].is_searched(), variants[nth].messages().max(MAX_MESSAGES_IN_LIST_ORDER).ilog2())
    };
    order.sort_by_key(|&nth| cost(nth));
    let mut left = order.into_iter();
    let mut cause: Option<(usize, PlanError)> = None;
    let mut incumbent: Option<(usize, Predicted<P>)> = None;
    let mut size = 1;
    loop {
        let bound = incumbent.as_ref().map_or(limit, |(_, found)| found.prediction.modeled);
        let may_improve = |nth: &usize| Time::ZERO + variants[*nth].floor() <= bound;
        let next: Vec<usize> = left.by_ref().filter(may_improve).take(size).collect();
        if next.is_empty() {
            break;
        }
        if budget.is_spent() && (incumbent.is_some() || limit < Time::MAX) {
            budget.leave(next.len() + left.filter(may_improve).count());
            break;
        }
        size = (2 * size).min(MAX_ROUND);
        let round = Round {
            problem,
            variants,
            bound,
            left: budget.left(),
            counts: budget.counts(),
            steps: AtomicU64::new(0),
            left_out: AtomicUsize::new(0),
            cause: Mutex::new(None),
        };
        let found = round.fastest(&next);
        budget.spend(round.steps.into_inner());
        budget.leave(round.left_out.into_inner());
        let first = |cause: &(usize, PlanError)| cause.0;
        cause = cause.into_iter().chain(round.cause.into_inner()).min_by_key(first);
        let is_better = |(nth, found): &(usize, Predicted<P>)| {
            incumbent.as_ref().is_none_or(|(first, best)| {
                (found.prediction.modeled, nth) < (best.prediction.modeled, first)
            })
        };
        if let Some(found) = found.filter(is_better) {
            incumbent = Some(found);
        }
    }
    let too_long = || PlanError::TooLong { algorithm: algorithm.called(problem) };
    incumbent.ok_or_else(|| cause.map_or_else(too_long, |(_, cause)| cause))
}

/// A set of variants that are tried in parallel.
struct Round<'a, P: Problem> {
    problem: &'a P,
    variants: &'a [Variant<P>],
    /// The time of the incumbent before the round, or the limit.
    bound: Time,
    /// The remaining budget before the round, in steps.
    left: u64,
    counts: &'a Counts,
    /// The steps of all schedules that were made.
    steps: AtomicU64,
    /// The number of variants skipped by nested searches because the budget was spent.
    left_out: AtomicUsize,
    /// The number and the error of the first variant that could not be made.
    cause: Mutex<Option<(usize, PlanError)>>,
}

impl<P: Problem> Round<'_, P> {
    /// Returns the fastest of these variants that ends by the bound; the first wins a tie. The variants are distributed
    /// over the host's cores. The distribution affects how far some variants are predicted, but not the result.
    fn fastest(&self, round: &[usize]) -> Option<(usize, Predicted<P>)> {
        let best: Mutex<Option<(usize, Predicted<P>)>> = Mutex::new(None);
        let time =
            |best: &Option<(usize, Predicted<P>)>| best.as_ref().map(|(_, found)| found.prediction.modeled);
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(&nth) = round.get(next.fetch_add(1, Ordering::Relaxed)) {
                let bound = time(&best.lock()).unwrap_or(self.bound);
                let Some(found) = self.attempt(nth, bound) else { continue };
                let mut best = best.lock();
                if best.as_ref().is_none_or(|(first, best)| {
                    (found.prediction.modeled, nth) < (best.prediction.modeled, *first)
                }) {
                    *best = Some((nth, found));
                }
            }
        };
        // The tracing subscriber of the calling thread also gets the events of the other threads.
        let (watching, span) = (get_default(Dispatch::clone), tracing::Span::current());
        let worker = || with_default(&watching, || span.in_scope(work));
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            // If the host refuses more threads, this thread does their work.
            for _ in 1..cores.min(round.len()) {
                let _ = thread::Builder::new().spawn_scoped(scope, worker);
            }
            work();
        });
        best.into_inner()
    }

    /// Returns a variant's draft with its prediction, if it ends by the bound.
    fn attempt(&self, nth: usize, bound: Time) -> Option<Predicted<P>> {
        // A variant with an invalid route cannot be made; the others are still compared.
        let found = catch_route_error(|| self.predicted(&self.variants[nth], bound));
        self.counts.try_one();
        match found.map_err(PlanError::from).and_then(|tried| tried) {
            Ok(found) => found,
            // The nested search found nothing that improves on the incumbent.
            Err(PlanError::TooLong { .. }) if self.variants[nth].is_searched() => None,
            Err(error) => {
                let mut cause = self.cause.lock();
                if cause.as_ref().is_none_or(|&(first, _)| nth < first) {
                    *cause = Some((nth, error));
                }
                None
            }
        }
    }

    fn predicted(&self, variant: &Variant<P>, bound: Time) -> Result<Option<Predicted<P>>, PlanError> {
        let problem = self.problem;
        let _tried = debug_span!("variant", name = variant.name(), estimate = %variant.estimate()).entered();
        // A nested search gets the incumbent and the budget from before the round, because the steps that it spends
        // must not depend on the order in which threads finish.
        let nested = Budget::of_steps(self.left, self.counts.clone());
        let draft = debug_span!("make").in_scope(|| variant.draft_within(problem, self.bound, &nested));
        self.steps.fetch_add(self.left - nested.left(), Ordering::Relaxed);
        self.left_out.fetch_add(nested.left_out(), Ordering::Relaxed);
        let draft = draft?;
        let Some(schedule) = draft.schedule() else { return Ok(None) };
        self.steps.fetch_add(schedule.steps_in_all() as u64, Ordering::Relaxed);
        if Time::ZERO + busiest_node(schedule, problem.machine().parameters()) > bound {
            return Ok(None);
        }
        check_messages(schedule)?;
        let _predicted = debug_span!("predict").entered();
        let prediction = predict_among(problem.machine(), problem.members(), schedule, bound);
        Ok(prediction.map(|prediction| Predicted { draft, prediction }))
    }
}

/// Checks that no message of a schedule is too long.
pub(super) fn check_messages(schedule: &Schedule) -> Result<(), PlanError> {
    match schedule.messages().map(|message| message.bytes).find(|&bytes| bytes > MAX_MESSAGE) {
        Some(given) => Err(PlanError::MessageTooLong { given }),
        None => Ok(()),
    }
}

/// Returns a lower bound on the time of a schedule: the processor and port time of its busiest node. The kernel rounds
/// the departure of each message to a picosecond, so port times are reduced by one picosecond per message.
pub(crate) fn busiest_node(schedule: &Schedule, parameters: &Parameters) -> Span {
    let node = |rank| {
        let (mut busy, mut sent, mut received, mut messages) = (Span::ZERO, 0_u64, 0_u64, 0);
        for step in schedule.steps(rank) {
            if let Some(message) = step.action.sent() {
                busy += parameters.send_overhead();
                sent = sent.saturating_add(message.bytes);
                messages += 1;
            }
            if let Some(message) = step.action.received() {
                busy += parameters.receive_overhead();
                received = received.saturating_add(message.bytes);
                messages += 1;
            }
            match &step.action {
                Action::Exchange { .. } => busy += parameters.exchange_overhead(),
                Action::Pause(span) => busy += *span,
                Action::Pack(bytes) => busy += parameters.copying(*bytes),
                Action::Combine(bytes) => busy += parameters.combining(schedule.elements(*bytes)),
                _ => {}
            }
        }
        let ports = Span::from_secs_f64(parameters.node_beta() * port_load(parameters, sent, received));
        busy.max(ports - Span::from_picos(messages))
    };
    (0..schedule.nodes()).map(node).max().unwrap_or(Span::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        plan::{effort::Effort, split::Divisible},
        s_to_p::{Algorithm, Instance},
    };

    /// Tests that a search without budget returns the first variant tried and counts the skipped ones.
    #[test]
    fn without_a_budget_one_variant_is_tried() {
        let instance = Instance::new(&"paragon:3x3".parse().unwrap(), &[1, 5], &[2048; 2]).unwrap();
        let variants = instance.unsplit_variants().unwrap();
        let search = |limit: Time, budget: &Budget| {
            fastest(&Algorithm::AUTO, &instance, &variants, limit, budget)
                .map(|(_, found)| found.prediction.modeled)
        };
        let spent = Budget::of(Effort::Quick);
        spent.spend(u64::MAX);
        let first = search(Time::MAX, &spent).unwrap();
        assert!((1..variants.len()).contains(&spent.left_out()));
        let thorough = Budget::of(Effort::Thorough);
        let best = search(Time::MAX, &thorough).unwrap();
        assert_eq!(thorough.left_out(), 0);
        assert!(best <= first);
        // With a limit and no budget, nothing is tried.
        assert!(search(first, &spent).is_err());
        let plan = Algorithm::AUTO.plan_with(&instance, Effort::Thorough).unwrap();
        assert!(plan.is_complete() && plan.prediction().modeled <= best);
    }
}
