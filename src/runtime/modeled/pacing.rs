//! Real time: replies are held back until they are due on the wall clock.
//!
//! Modeled time is computed as in virtual time, ahead of the wall clock as far as the known calls allow. One modeled second takes
//! *dilation* wall-clock seconds, counted from the *epoch*: the instant at which all programs have made their first call, or, if it is
//! earlier, five milliseconds after all threads were started. A call returns when its modeled end is due, or as soon afterwards as the host
//! can. This *lateness* of the reply changes no modeled time.
//!
//! A thread whose due time is known sleeps with its own timer. A thread that waits for the kernel is woken immediately if its reply is due
//! much later, so that it can set its timer: the timers of many replies due at one instant expire with one interrupt. Otherwise the pacer,
//! which is the thread that called `run`, wakes the thread when its reply is due, which saves a context switch.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    sync::{
        OnceLock,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use crate::{
    time::{Span, Time},
    wire::NodeId,
};

/// The shortest time to the due instant for which a reply wakes its node immediately. The pacer wakes nodes with less time left.
const EARLY_DELIVERY: Duration = Duration::from_micros(200);

const NOBODY: u32 = u32::MAX;

/// The state of pacing; see the [module](self).
#[derive(Debug)]
pub(super) struct Pacing {
    pub(super) dilation: f64,
    /// The instant at which all threads had been started.
    pub(super) started: OnceLock<Instant>,
    pub(super) epoch: OnceLock<Instant>,
    /// The number of programs that have not made a call yet.
    pub(super) without_first_call: AtomicUsize,
    pub(super) waking: Mutex<Waking>,
    /// The node on whose next call all others waited when the kernel was last driven.
    pub(super) stalled: AtomicU32,
    pub(super) has_limit: bool,
    pub(super) announced: OnceLock<()>,
}

/// The nodes to be woken by the pacer, with their times.
#[derive(Debug)]
pub(super) struct Waking {
    pub(super) due: BinaryHeap<Reverse<(Time, NodeId)>>,
    /// The modeled time until which the pacer sleeps; `MAX` if no reply is pending.
    pub(super) next: Time,
}

impl Pacing {
    pub(super) fn new(dilation: f64, nodes: usize, has_limit: bool) -> Pacing {
        Pacing {
            dilation,
            started: OnceLock::new(),
            epoch: OnceLock::new(),
            without_first_call: AtomicUsize::new(nodes),
            waking: Mutex::new(Waking { due: BinaryHeap::new(), next: Time::MAX }),
            stalled: AtomicU32::new(NOBODY),
            has_limit,
            announced: OnceLock::new(),
        }
    }

    /// The wall-clock instant of modeled time zero; `None` before modeled time starts.
    pub(super) fn epoch(&self) -> Option<Instant> {
        self.epoch.get().copied()
    }

    /// Converts modeled time to real time.
    pub(super) fn real(&self, modeled: Span) -> Duration {
        self.wall(Time::ZERO + modeled)
    }

    /// Converts real time to modeled time.
    pub(super) fn modeled(&self, real: Duration) -> Span {
        Span::from_secs_f64(real.as_secs_f64() / self.dilation)
    }

    /// The modeled time that corresponds to the present wall-clock time.
    pub(super) fn now(&self) -> Time {
        self.epoch.get().map_or(Time::ZERO, |epoch| Time::ZERO + self.modeled(epoch.elapsed()))
    }

    /// The wall-clock instant at which an instant of modeled time is due; `None` before modeled time starts.
    pub(super) fn due(&self, at: Time) -> Option<Instant> {
        Some(*self.epoch.get()? + self.wall(at))
    }

    /// The time from the epoch to the wall-clock instant at which an instant of modeled time is due.
    pub(super) fn wall(&self, at: Time) -> Duration {
        Duration::try_from_secs_f64(at.as_secs_f64() * self.dilation).unwrap_or(FOREVER).min(FOREVER)
    }

    /// Whether the pacer must wake a node that sleeps until `at`: the instant is almost due, or modeled time has not started.
    pub(super) fn is_soon(&self, at: Time) -> bool {
        let Some(due) = self.due(at) else { return true };
        let wait = due.saturating_duration_since(Instant::now());
        !wait.is_zero() && wait < EARLY_DELIVERY
    }

    /// Whether no node waits for the pacer.
    pub(super) fn has_no_waiting_node(&self) -> bool {
        self.waking.lock().due.is_empty()
    }

    pub(super) fn stalled(&self, node: Option<NodeId>) {
        self.stalled.store(node.unwrap_or(NOBODY), Ordering::Relaxed);
    }
}

/// An upper limit of wall-clock times, about thirty years: longer than any run, and short enough that no clock overflows.
const FOREVER: Duration = Duration::from_secs(1 << 30);
