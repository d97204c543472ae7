//! The search for the fastest variant: best first, by exact prediction, with bounds.
//!
//! Since all members know the machine and the problem, each can work out the same modeled time of every variant, conflicts on the links
//! included, and all take the same one; no message is needed to agree. The fastest variant so far is the *incumbent*. A variant is pruned as
//! soon as a lower bound of its time exceeds the incumbent's: the bound known before its schedule is made; what its busiest node
//! takes; the time without conflicts; or the instant that its prediction has come to.
//!
//! Variants are tried in rounds, whose variants are predicted in parallel. The size of a round does not depend on the host, and what is
//! tried in it follows from the rounds before: so the same variants are tried on every host, and the same steps are counted against
//! the budget.

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
    effort::Budget,
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

/// The most variants in a round. Rounds begin with one and double, as the first incumbents prune most.
const ROUND: usize = 16;

/// Schedules of at most this number of messages are tried in the order of the list, and longer ones after them. Variants that need a
/// search are tried last, because a fast incumbent prunes most of that search.
const LIGHT: u64 = 1 << 15;

/// The fastest variant that ends by the limit, of equally fast ones the first: its number, and its draft with the
/// prediction. When the budget is spent, variants that are left are not tried; but if there is no limit one is always found.
///
/// # Errors
///
/// That of the first variant that cannot be made, or [`PlanError::TooLong`].
pub(crate) fn fastest<P: Problem>(
    algorithm: &Algorithm<P>,
    problem: &P,
    variants: &[Variant<P>],
    limit: Time,
    budget: &Budget,
) -> Result<(usize, Predicted<P>), PlanError> {
    let _search = debug_span!("search", variants = variants.len()).entered();
    let mut order: Vec<usize> = (0..variants.len()).collect();
    let cost = |nth: usize| (variants[nth].is_searched(), variants[nth].messages().max(LIGHT).ilog2());
    order.sort_by_key(|&nth| cost(nth));
    let mut left = order.into_iter();
    let mut cause: Option<(usize, PlanError)> = None;
    let mut incumbent: Option<(usize, Predicted<P>)> = None;
    let mut size = 1;
    loop {
        let bound = incumbent.as_ref().map_or(limit, |(_, found)| found.prediction.modeled);
        let can_be = |nth: &usize| Time::ZERO + variants[*nth].floor() <= bound;
        let next: Vec<usize> = left.by_ref().filter(can_be).take(size).collect();
        if next.is_empty() {
            break;
        }
        if budget.is_spent() && (incumbent.is_some() || limit < Time::MAX) {
            budget.leave(next.len() + left.filter(can_be).count());
            break;
        }
        size = (2 * size).min(ROUND);
        let round = Round {
            problem,
            variants,
            bound,
            left: budget.left(),
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

/// Variants that are tried in parallel.
struct Round<'a, P: Problem> {
    problem: &'a P,
    variants: &'a [Variant<P>],
    /// The time of the incumbent before the round, or the limit.
    bound: Time,
    /// The steps left of the budget before the round.
    left: u64,
    /// The steps of all schedules that were made.
    steps: AtomicU64,
    /// The number of variants that nested searches have left out because the budget was spent.
    left_out: AtomicUsize,
    /// The error of the first variant that could not be made, with its number.
    cause: Mutex<Option<(usize, PlanError)>>,
}

impl<P: Problem> Round<'_, P> {
    /// The fastest of these variants, of equally fast ones the first, if one ends by the bound. They are shared out among the cores of
    /// the host. That decides how far some are predicted, but not which is the fastest.
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
        // Whoever watches the search watches all threads.
        let (watching, span) = (get_default(Dispatch::clone), tracing::Span::current());
        let help = || with_default(&watching, || span.in_scope(work));
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            // Where the host gives no more threads the work is done by this one.
            for _ in 1..cores.min(round.len()) {
                let _ = thread::Builder::new().spawn_scoped(scope, help);
            }
            work();
        });
        best.into_inner()
    }

    /// A variant's draft with its prediction, if it ends by the bound.
    fn attempt(&self, nth: usize, bound: Time) -> Option<Predicted<P>> {
        // A variant with an invalid route cannot be made; the others are compared without it.
        let found = catch_route_error(|| self.tried(&self.variants[nth], bound));
        match found.map_err(PlanError::from).and_then(|tried| tried) {
            Ok(found) => found,
            // The variant's own search has found nothing that could improve on the incumbent.
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

    fn tried(&self, variant: &Variant<P>, bound: Time) -> Result<Option<Predicted<P>>, PlanError> {
        let problem = self.problem;
        let _tried = debug_span!("variant", name = variant.name(), estimate = %variant.estimate()).entered();
        // A variant's own search gets the incumbent and the budget from before the round: the steps that it spends must not depend on
        // the order in which threads finish.
        let own = Budget::of_steps(self.left);
        let draft = debug_span!("make").in_scope(|| variant.draft_within(problem, self.bound, &own));
        self.steps.fetch_add(self.left - own.left(), Ordering::Relaxed);
        self.left_out.fetch_add(own.left_out(), Ordering::Relaxed);
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

/// Whether every message of a schedule can be sent.
pub(super) fn check_messages(schedule: &Schedule) -> Result<(), PlanError> {
    match schedule.messages().map(|message| message.bytes).find(|&bytes| bytes > MAX_MESSAGE) {
        Some(given) => Err(PlanError::MessageTooLong { given }),
        None => Ok(()),
    }
}

/// A lower limit of every run of a schedule: what the messages of one node take its processor, and its ports. The kernel
/// rounds when a message has left to the nearest picosecond, so ports may be done up to one a message earlier.
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
        let ports = parameters.node_transfer(sent.max(received));
        let both = parameters.node_beta() * (sent as f64 + received as f64) / parameters.duplex();
        busy.max(ports.max(Span::from_secs_f64(both)) - Span::from_picos(messages))
    };
    (0..schedule.nodes()).map(node).max().unwrap_or(Span::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        plan::{effort::Effort, split::Divisible},
        stop::{Algorithm, Instance},
    };

    /// A search whose budget is spent ends with the incumbent, and says what it has left out.
    #[test]
    fn without_a_budget_one_is_tried() {
        let instance = Instance::new(&"paragon:3x3".parse().unwrap(), &[1, 5], &[2048; 2]).unwrap();
        let variants = instance.others().unwrap();
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
        // What has to end by a limit is not tried any more.
        assert!(search(first, &spent).is_err());
        let plan = Algorithm::AUTO.plan_with(&instance, Effort::Thorough).unwrap();
        assert!(plan.is_complete() && plan.prediction().modeled <= best);
    }
}
