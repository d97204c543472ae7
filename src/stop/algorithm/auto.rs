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

use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use parking_lot::Mutex;

use super::{Algorithm, Base, Instance, Plan, variant::Variant};
use crate::{
    model::Parameters,
    pattern::{Action, Schedule},
    predict::predict_until,
    time::{Span, Time},
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
///
/// The candidates are shared out among the cores of the host. That changes which of them are given up, and when, but
/// not which is the fastest.
pub(super) fn fastest(instance: &Instance, candidates: &[Candidate]) -> Option<Plan> {
    let best: Mutex<Option<(Time, usize, Plan)>> = Mutex::new(None);
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((index, candidate)) = take(&next, candidates) {
            let limit = best.lock().as_ref().map_or(Time::MAX, |(time, ..)| *time);
            let Some((time, plan)) = within(instance, candidate, limit) else { continue };
            let mut best = best.lock();
            if best.as_ref().is_none_or(|&(least, first, _)| (time, index) < (least, first)) {
                *best = Some((time, index, plan));
            }
        }
    };
    let helpers =
        thread::available_parallelism().map_or(1, NonZero::get).min(candidates.len()).saturating_sub(1);
    thread::scope(|scope| {
        // Where the host gives no more threads the work is done by this one.
        for _ in 0..helpers {
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    best.into_inner().map(|(.., plan)| plan)
}

/// The next candidate that nobody has taken.
fn take<'a>(next: &AtomicUsize, candidates: &'a [Candidate]) -> Option<(usize, &'a Candidate)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    candidates.get(index).map(|candidate| (index, candidate))
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

/// No run of the schedule takes less: what the messages of one node take its processor, and its ports. The kernel
/// rounds when a message has left to the nearest picosecond, so ports may be done up to one a message earlier.
pub(super) fn busiest_node(schedule: &Schedule, parameters: &Parameters) -> Span {
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
            if matches!(step.action, Action::Exchange { .. }) {
                busy += parameters.exchange_overhead();
            }
        }
        let ports = parameters.transfer(sent.max(received));
        let both = parameters.beta() * (sent as f64 + received as f64) / parameters.duplex();
        busy.max(ports.max(Span::from_secs_f64(both)) - Span::from_picos(messages))
    };
    (0..schedule.nodes()).map(node).max().unwrap_or(Span::ZERO)
}
