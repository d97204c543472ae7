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

use super::world::{Modeled, WHEN_DUE};
use crate::{
    runtime::crew::Cause,
    time::{Span, Time},
    wire::NodeId,
};

/// The longest time from the start of all threads to the start of modeled time, if some programs have made no call
/// yet.
const PATIENCE: Duration = Duration::from_millis(5);

/// The interval at which the pacer checks the progress of a computing program for whose next call all others wait.
const TICK: Duration = Duration::from_millis(1);

/// The longest wait for the next answer in a run without a limit of its own; a run with a longer one is refused.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// The time before its due instant at which an answer is early enough to be told to its node at once.
const LONG_BEFORE: Duration = Duration::from_micros(200);

/// The shortest wait that is announced in the log.
const LONG_WAIT: Duration = Duration::from_secs(10);

const NOBODY: u32 = u32::MAX;

/// The state of pacing; see the [module](self).
#[derive(Debug)]
pub(super) struct Pacing {
    dilation: f64,
    /// The instant at which all threads had been started.
    started: OnceLock<Instant>,
    epoch: OnceLock<Instant>,
    /// The number of programs that have made no call yet.
    unheard: AtomicUsize,
    waking: Mutex<Waking>,
    /// The node for whose next call all others waited when the kernel was last driven.
    stalled: AtomicU32,
    has_limit: bool,
    announced: OnceLock<()>,
}

/// The nodes to be woken by the pacer, with their times.
#[derive(Debug)]
struct Waking {
    due: BinaryHeap<Reverse<(Time, NodeId)>>,
    /// The modeled time until which the pacer sleeps; `MAX` if it waits for nothing that is due.
    next: Time,
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
    fn wall(&self, at: Time) -> Duration {
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

impl Modeled {
    /// Records that a program has made its first call. When all have, modeled time starts: to start threads takes the
    /// host its time, which is not the machine's.
    pub(super) fn first_call(&self, pacing: &Pacing) {
        if pacing.unheard.fetch_sub(1, Ordering::AcqRel) == 1 {
            pacing.epoch.get_or_init(Instant::now);
            self.crew.caller.unpark();
        }
    }

    /// Registers a node to be woken by the pacer at an instant of modeled time, if it sleeps for that instant then.
    pub(super) fn wake_when_due(&self, pacing: &Pacing, node: NodeId, at: Time) {
        self.refuse_endless_wait(pacing, at);
        let mut waking = pacing.waking.lock();
        waking.due.push(Reverse((at, node)));
        let earlier = at < waking.next;
        if earlier {
            waking.next = at;
        }
        drop(waking);
        if earlier {
            self.crew.caller.unpark();
        }
    }

    /// Ends a run whose next answer is due too late to be waited for, and announces a long wait in the log.
    pub(super) fn refuse_endless_wait(&self, pacing: &Pacing, at: Time) {
        let wait =
            pacing.wall(at).saturating_sub(pacing.epoch().map_or(Duration::ZERO, |epoch| epoch.elapsed()));
        if wait >= LONGEST_WAIT && !pacing.has_limit {
            self.crew.stop(Cause::TooSlow { at, wait });
        } else if wait >= LONG_WAIT && pacing.announced.set(()).is_ok() {
            tracing::warn!(parent: None, %at, wall = ?wait, "the next answer is due only then");
        }
    }

    /// Wakes the nodes whose answers are due; returns the instant of the next check.
    pub(super) fn pace(&self, pacing: &Pacing) -> Instant {
        let Some(epoch) = pacing.epoch() else {
            let latest = *pacing.started.get_or_init(Instant::now) + PATIENCE;
            if Instant::now() < latest {
                return latest;
            }
            pacing.epoch.get_or_init(Instant::now);
            return Instant::now();
        };
        let (mut claimed, mut nobody) = (Vec::new(), false);
        let next = {
            let mut waking = pacing.waking.lock();
            let now = epoch.elapsed();
            while let Some(&Reverse((at, node))) = waking.due.peek() {
                if pacing.wall(at) > now {
                    break;
                }
                waking.due.pop();
                match self.crew.seat(node).parker.claim(&[WHEN_DUE], &self.crew.awake) {
                    true => claimed.push(node),
                    false => nobody = true,
                }
            }
            waking.next = waking.due.peek().map_or(Time::MAX, |&Reverse((at, _))| at);
            waking.next
        };
        self.wake_all(&mut claimed);
        // Whoever fell asleep last may have left it to this one to find out that nobody will wake any more.
        if nobody && self.crew.awake.load(Ordering::Acquire) == 0 {
            self.drive(true);
        }
        let tick = self.follow(pacing).then(|| Instant::now() + TICK);
        let due = epoch + pacing.wall(next);
        tick.map_or(due, |tick| tick.min(due))
    }

    /// Follows the clock of a program that computes while all others wait for its next call: the time that it has
    /// certainly computed is as good as a call. Returns whether a program may have to be followed soon.
    fn follow(&self, pacing: &Pacing) -> bool {
        if self.crew.awake.load(Ordering::Acquire) == 0 {
            return false;
        }
        // Behind the one that everybody waited for there may be another.
        for _ in 0..self.mailboxes.len() {
            let node = pacing.stalled.load(Ordering::Relaxed);
            let Some(mailbox) = self.mailboxes.get(node as usize) else { break };
            if !mailbox.outbox.lock().follow(pacing) {
                break;
            }
            self.let_go();
            self.drive(false);
        }
        true
    }
}

/// A setting that lets timers of the current thread expire on time, and not up to 50 us later, until this is dropped.
pub(super) struct PreciseTimers {
    #[cfg(target_os = "linux")]
    slack: Option<u64>,
}

impl PreciseTimers {
    #[cfg(target_os = "linux")]
    pub(super) fn set() -> PreciseTimers {
        let slack = rustix::thread::current_timer_slack().ok();
        // A host that does not allow it is a little late.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        PreciseTimers { slack }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn set() -> PreciseTimers {
        PreciseTimers {}
    }
}

impl PreciseTimers {
    /// The same for a thread that keeps them.
    pub(super) fn set_for_good() {
        std::mem::forget(PreciseTimers::set());
    }
}

impl Drop for PreciseTimers {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(slack) = self.slack {
            let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(slack));
        }
    }
}
