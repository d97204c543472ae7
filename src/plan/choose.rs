//! The choice among variants: the fastest, found by predicting those that could be.
//!
//! Since all members know the machine and the problem, each can work out the same modeled time of every variant,
//! conflicts on the links included, and all take the same one; no message is needed to agree. A variant is given up as
//! soon as it is seen to be slower than the best one so far: before its schedule is made, where a lower limit is known;
//! when its busiest node alone takes longer; when it would take longer without a single conflict; or when its prediction has come
//! to that instant. Those of many messages are tried last, as most of them are hopeless by then.

use std::{
    collections::BTreeMap,
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use parking_lot::Mutex;
use tracing::{
    Dispatch, debug_span,
    dispatcher::{get_default, with_default},
};

use super::{
    PlanError, Problem,
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

/// The fastest variant that ends by the limit, of equally fast ones the first: its number, and its draft with the
/// prediction. Among more than [`FEW`] nodes variants that [follow](Variant::after) others are tried only when one of these has
/// come near the fastest.
///
/// # Errors
///
/// That of the first variant that cannot be made, or [`PlanError::TooLong`].
pub(crate) fn fastest<P: Problem>(
    algorithm: &Algorithm<P>,
    problem: &P,
    variants: &[Variant<P>],
    limit: Time,
) -> Result<(usize, Predicted<P>), PlanError> {
    fastest_with(algorithm, problem, variants, |_| false, limit)
}

/// The same if some variants are likely to be the fastest, which are tried first: others are soon given up then.
///
/// # Errors
///
/// Those of [`fastest`].
pub(crate) fn fastest_with<P: Problem>(
    algorithm: &Algorithm<P>,
    problem: &P,
    variants: &[Variant<P>],
    is_likely: impl Fn(&Variant<P>) -> bool,
    limit: Time,
) -> Result<(usize, Predicted<P>), PlanError> {
    let _choice = debug_span!("choose", variants = variants.len()).entered();
    let cause: Mutex<Option<(usize, PlanError)>> = Mutex::new(None);
    let leads =
        if problem.members().len() > FEW { leads(variants) } else { vec![Vec::new(); variants.len()] };
    let mut is_lead = vec![false; variants.len()];
    leads.iter().flatten().for_each(|&lead| is_lead[lead] = true);
    // The times of leads that have come near the fastest.
    let times = Mutex::new(vec![Time::MAX; variants.len()]);
    let mut best: Option<(usize, Predicted<P>)> = None;
    let mut left: Vec<usize> = (0..variants.len()).collect();
    loop {
        let bound = best.as_ref().map_or(limit, |(_, found)| found.prediction.modeled);
        let near_enough = near(bound);
        let is_near = |&lead: &usize| times.lock()[lead] <= near_enough;
        let is_next = |&nth: &usize| best.is_none() || leads[nth].iter().any(is_near);
        let mut stage: Vec<usize> = left.extract_if(.., |nth| leads[*nth].is_empty()).collect();
        if stage.is_empty() {
            stage = left.extract_if(.., |nth| is_next(nth)).collect();
        }
        if stage.is_empty() {
            break;
        }
        // What takes long to make and to predict is hopeless more often when the others have been tried.
        stage.sort_by_cached_key(|&nth| {
            (!is_likely(&variants[nth]), variants[nth].messages().max(LIGHT).ilog2())
        });
        let attempt = |nth: usize, least: Time| {
            let bound = bound.min(least);
            let limit = if is_lead[nth] { near(bound) } else { bound };
            // A variant with an invalid route cannot be made; the others are compared without it.
            let found = catch_route_error(|| tried(problem, &variants[nth], limit));
            match found.map_err(PlanError::from).and_then(|tried| tried) {
                Ok(found) => {
                    let found = found?;
                    times.lock()[nth] = found.prediction.modeled;
                    Some((found.prediction.modeled, found))
                }
                Err(error) => {
                    let mut cause = cause.lock();
                    if cause.as_ref().is_none_or(|&(first, _)| nth < first) {
                        *cause = Some((nth, error));
                    }
                    None
                }
            }
        };
        if let Some((nth, found)) = fastest_among(&stage, attempt) {
            let time = found.prediction.modeled;
            let is_better =
                |(first, best): &(usize, Predicted<P>)| (time, nth) < (best.prediction.modeled, *first);
            if time <= limit && best.as_ref().is_none_or(is_better) {
                best = Some((nth, found));
            }
        }
    }
    let too_long = || PlanError::TooLong { algorithm: algorithm.called(problem) };
    best.ok_or_else(|| cause.into_inner().map_or_else(too_long, |(_, cause)| cause))
}

/// The numbers of those variants that each one follows, as far as they are there.
fn leads<P: Problem>(variants: &[Variant<P>]) -> Vec<Vec<usize>> {
    let known: BTreeMap<_, usize> = variants
        .iter()
        .enumerate()
        .map(|(nth, variant)| ((variant.algorithm(), variant.name()), nth))
        .collect();
    let number = |variant: &Variant<P>, name: &str| known.get(&(variant.algorithm(), name)).copied();
    let followed =
        |variant: &Variant<P>| variant.leads().iter().filter_map(|name| number(variant, name)).collect();
    variants.iter().map(followed).collect()
}

/// A time that is near another one.
pub(super) fn near(time: Time) -> Time {
    times(time, NEAR)
}

/// So many times a time, which may be without end.
pub(super) fn times(time: Time, factor: f64) -> Time {
    if time == Time::MAX { time } else { Time::ZERO + Span::from_secs_f64(time.as_secs_f64() * factor) }
}

/// A variant's draft with its prediction, if it ends by the limit.
fn tried<P: Problem>(
    problem: &P,
    variant: &Variant<P>,
    limit: Time,
) -> Result<Option<Predicted<P>>, PlanError> {
    let is_hopeless = |least: Span| least > limit.since_start();
    if is_hopeless(variant.floor()) {
        return Ok(None);
    }
    let _tried = debug_span!("variant", name = variant.name(), estimate = %variant.estimate()).entered();
    let draft = debug_span!("make").in_scope(|| variant.draft(problem))?;
    let Some(schedule) = draft.schedule() else { return Ok(None) };
    if is_hopeless(busiest_node(schedule, problem.machine().parameters())) {
        return Ok(None);
    }
    check_messages(schedule)?;
    let _predicted = debug_span!("predict").entered();
    let prediction = predict_among(problem.machine(), problem.members(), schedule, limit);
    Ok(prediction.map(|prediction| Predicted { draft, prediction }))
}

/// Among up to so many nodes planning takes no time to speak of, and nothing is left out.
pub(super) const FEW: usize = 64;

/// Schedules of up to so many messages are tried in the order in which they are listed; longer ones come behind them.
const LIGHT: u64 = 1 << 15;

/// A time is near another one if it is at most so many times as long.
const NEAR: f64 = 1.3;

/// Whether every message of a schedule can be sent.
pub(super) fn check_messages(schedule: &Schedule) -> Result<(), PlanError> {
    match schedule.messages().map(|message| message.bytes).find(|&bytes| bytes > MAX_MESSAGE) {
        Some(given) => Err(PlanError::MessageTooLong { given }),
        None => Ok(()),
    }
}

/// The number of the fastest of these candidates, of equally fast ones the lowest, and what `attempt` made of it; `None` if none
/// ends within modeled time. They are tried in the order given.
///
/// `attempt(index, limit)` says how long a candidate takes; it may give up when that is seen to be more than `limit`.
/// The candidates are shared out among the cores of the host. That changes which of them are given up, and when, but
/// not which is the fastest.
fn fastest_among<T: Send>(
    candidates: &[usize],
    attempt: impl Fn(usize, Time) -> Option<(Time, T)> + Sync,
) -> Option<(usize, T)> {
    let best: Mutex<Option<(Time, usize, T)>> = Mutex::new(None);
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let Some(&index) = candidates.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            let limit = best.lock().as_ref().map_or(Time::MAX, |(time, ..)| *time);
            let Some((time, found)) = attempt(index, limit) else { continue };
            let mut best = best.lock();
            if best.as_ref().is_none_or(|&(least, first, _)| (time, index) < (least, first)) {
                *best = Some((time, index, found));
            }
        }
    };
    // Whoever watches the choice watches all threads.
    let (watching, span) = (get_default(Dispatch::clone), tracing::Span::current());
    let help = || with_default(&watching, || span.in_scope(work));
    let helpers =
        thread::available_parallelism().map_or(1, NonZero::get).min(candidates.len()).saturating_sub(1);
    thread::scope(|scope| {
        // Where the host gives no more threads the work is done by this one.
        for _ in 0..helpers {
            let _ = thread::Builder::new().spawn_scoped(scope, help);
        }
        work();
    });
    best.into_inner().map(|(_, index, found)| (index, found))
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
