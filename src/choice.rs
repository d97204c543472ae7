//! Choosing the fastest of many candidates by predicting each of them.

use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use parking_lot::Mutex;

use crate::{
    model::Parameters,
    pattern::{Action, Schedule},
    time::{Span, Time},
};

/// The number of the fastest candidate, of equally fast ones the first, and what `attempt` made of it; `None` if none
/// ends within modeled time.
///
/// `attempt(index, limit)` says how long a candidate takes; it may give up when that is seen to be more than `limit`.
/// The candidates are shared out among the cores of the host. That changes which of them are given up, and when, but
/// not which is the fastest.
pub(crate) fn fastest<T: Send>(
    candidates: usize,
    attempt: impl Fn(usize, Time) -> Option<(Time, T)> + Sync,
) -> Option<(usize, T)> {
    let best: Mutex<Option<(Time, usize, T)>> = Mutex::new(None);
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= candidates {
                return;
            }
            let limit = best.lock().as_ref().map_or(Time::MAX, |(time, ..)| *time);
            let Some((time, found)) = attempt(index, limit) else { continue };
            let mut best = best.lock();
            if best.as_ref().is_none_or(|&(least, first, _)| (time, index) < (least, first)) {
                *best = Some((time, index, found));
            }
        }
    };
    let helpers = thread::available_parallelism().map_or(1, NonZero::get).min(candidates).saturating_sub(1);
    thread::scope(|scope| {
        // Where the host gives no more threads the work is done by this one.
        for _ in 0..helpers {
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    best.into_inner().map(|(_, index, found)| (index, found))
}

/// No run of the schedule takes less: what the messages of one node take its processor, and its ports. The kernel
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
        let ports = parameters.transfer(sent.max(received));
        let both = parameters.beta() * (sent as f64 + received as f64) / parameters.duplex();
        busy.max(ports.max(Span::from_secs_f64(both)) - Span::from_picos(messages))
    };
    (0..schedule.nodes()).map(node).max().unwrap_or(Span::ZERO)
}
