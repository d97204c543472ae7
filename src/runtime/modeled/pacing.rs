//! Real time: answers are held back until they are due on the wall clock.
//!
//! Modeled time is worked out as in virtual time, ahead of the wall clock as far as the known calls allow. One modeled
//! second takes as many wall seconds as the *dilation* says, counted from the *epoch*, when all programs have made their
//! first call. A call returns to its program when its modeled end is due, or as soon after it as the host can: by how
//! much it is late is its *slip*, which changes no modeled time.
//!
//! A thread that knows when it may go on sleeps by a timer of its own. One that waited for the kernel is woken at once if
//! its answer is not due for long, so that it can set its timer: when many answers are due at one instant, their timers go
//! off with one interrupt. Otherwise the pacer, which is the thread that called `run`, wakes it when its answer is due,
//! which saves a switch.

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

/// The time before its due instant at which an answer is early enough to be told to its node at once.
const LONG_BEFORE: Duration = Duration::from_micros(200);

const NOBODY: u32 = u32::MAX;

/// The state of pacing; see the [module](self).
#[derive(Debug)]
pub(super) struct Pacing {
    pub(super) dilation: f64,
    /// The instant at which all threads had been started.
    pub(super) started: OnceLock<Instant>,
    pub(super) epoch: OnceLock<Instant>,
    /// The number of programs that have made no call yet.
    pub(super) unheard: AtomicUsize,
    pub(super) waking: Mutex<Waking>,
    /// The node for whose next call all others waited when the kernel was last driven.
    pub(super) stalled: AtomicU32,
    pub(super) has_limit: bool,
    pub(super) announced: OnceLock<()>,
}

/// The nodes to be woken by the pacer, with their times.
#[derive(Debug)]
pub(super) struct Waking {
    pub(super) due: BinaryHeap<Reverse<(Time, NodeId)>>,
    /// The modeled time until which the pacer sleeps; `MAX` if it waits for nothing that is due.
    pub(super) next: Time,
}

impl Pacing {
    pub(super) fn new(dilation: f64, nodes: usize, has_limit: bool) -> Pacing {
        Pacing {
            dilation,
            started: OnceLock::new(),
            epoch: OnceLock::new(),
            unheard: AtomicUsize::new(nodes),
            waking: Mutex::new(Waking { due: BinaryHeap::new(), next: Time::MAX }),
            stalled: AtomicU32::new(NOBODY),
            has_limit,
            announced: OnceLock::new(),
        }
    }

    /// The wall-clock instant of modeled time zero, once it is known.
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

    /// The instant of the wall clock at which an instant of modeled time is due; `None` while modeled time has not
    /// started.
    pub(super) fn due(&self, at: Time) -> Option<Instant> {
        Some(*self.epoch.get()? + self.wall(at))
    }

    /// The time from the epoch to the wall-clock instant at which an instant of modeled time is due.
    pub(super) fn wall(&self, at: Time) -> Duration {
        Duration::try_from_secs_f64(at.as_secs_f64() * self.dilation).unwrap_or(FOREVER).min(FOREVER)
    }

    /// Whether a node that sleeps is left to the pacer, because an instant is about to be due or modeled time has not
    /// started.
    pub(super) fn is_soon(&self, at: Time) -> bool {
        let Some(due) = self.due(at) else { return true };
        let wait = due.saturating_duration_since(Instant::now());
        !wait.is_zero() && wait < LONG_BEFORE
    }

    /// Whether no node waits for the pacer.
    pub(super) fn holds_nothing(&self) -> bool {
        self.waking.lock().due.is_empty()
    }

    pub(super) fn stalled(&self, node: Option<NodeId>) {
        self.stalled.store(node.unwrap_or(NOBODY), Ordering::Relaxed);
    }
}

/// A limit of wall-clock time, about thirty years: longer than any run, and too short for any clock to overflow.
const FOREVER: Duration = Duration::from_secs(1 << 30);
