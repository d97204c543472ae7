//! Real time: the real computation of a program between its calls, by the CPU time of its thread.

use std::{
    fs,
    time::{Duration, Instant},
};

use super::pacing::Pacing;
use crate::time::Span;

/// The CPU time between two calls from which on a program counts as computing. Less is what an interrupt may take, or
/// a hypervisor that takes the core away: on a busy host programs that did nothing have been seen to take 2 ms.
const COMPUTES: Duration = Duration::from_millis(5);

/// A thread that runs its program, with the start of that on the wall clock and on the clock of its CPU time.
#[derive(Debug)]
pub(super) struct Away {
    since: Instant,
    cpu: Duration,
    /// The time that its node has been charged already.
    charged: Span,
    /// The number of the thread on this host.
    thread: Option<i32>,
}

impl Away {
    /// Records that the current thread, which has this number, returns to its program.
    pub(super) fn now(thread: Option<i32>) -> Away {
        Away { since: Instant::now(), cpu: cpu_time(), charged: Span::ZERO, thread }
    }

    /// Whether the node has been charged with something while its program ran.
    pub(super) fn was_followed(&self) -> bool {
        !self.charged.is_zero()
    }

    /// The computing time of the current thread that has not been charged yet, as it makes its next call. The time
    /// that the host has let it wait for a core is not the node's.
    pub(super) fn computed(&self, pacing: &Pacing) -> Span {
        // No thread has had a core for longer than the wall clock says, which is cheaper to ask; and before modeled time
        // has started nothing counts.
        let Some(epoch) = pacing.epoch() else { return Span::ZERO };
        let passed = self.since.max(epoch).elapsed();
        if passed < COMPUTES {
            return Span::ZERO;
        }
        self.not_charged(pacing, cpu_time().saturating_sub(self.cpu).min(passed))
    }

    /// The computing time that a program which is still running has certainly used, and that has not been charged yet:
    /// it is now.
    pub(super) fn progress(&mut self, pacing: &Pacing) -> Span {
        let Some(epoch) = pacing.epoch() else { return Span::ZERO };
        let passed = self.since.max(epoch).elapsed();
        if passed < COMPUTES {
            return Span::ZERO;
        }
        let Some(cpu) = self.thread.and_then(cpu_time_of) else { return Span::ZERO };
        let span = self.not_charged(pacing, cpu.saturating_sub(self.cpu).min(passed));
        self.charged += span;
        span
    }

    fn not_charged(&self, pacing: &Pacing, computed: Duration) -> Span {
        if computed < COMPUTES {
            return Span::ZERO;
        }
        let span = pacing.modeled(computed);
        if span > self.charged { span - self.charged } else { Span::ZERO }
    }
}

/// The CPU time of this thread.
#[cfg(unix)]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Zero: where the host does not tell the CPU time of a thread, only time charged by `compute` counts.
#[cfg(not(unix))]
fn cpu_time() -> Duration {
    Duration::ZERO
}

/// The number of this thread on a host that tells the CPU time of other threads.
#[cfg(target_os = "linux")]
pub(super) fn thread_number() -> Option<i32> {
    Some(rustix::thread::gettid().as_raw_nonzero().get())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn thread_number() -> Option<i32> {
    None
}

/// A lower bound on the CPU time of another thread of this process: on Linux it is brought up to date whenever the
/// scheduler looks, some hundred times a second. Elsewhere it is not known.
fn cpu_time_of(thread: i32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}
