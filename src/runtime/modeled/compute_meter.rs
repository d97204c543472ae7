//! Real time: measures how long a program really computes between its calls, by the CPU time of its thread.

use std::{
    fs,
    time::{Duration, Instant},
};

use super::pacing::Pacing;
use crate::time::Span;

/// The minimum CPU time between two calls that counts as computation by the program. Shorter times may be caused by an interrupt, or by a
/// hypervisor that takes the core away: on a busy host idle programs have shown 2 ms.
const MIN_COMPUTE_TIME: Duration = Duration::from_millis(5);

/// A meter of the computation of one thread between two calls: the wall-clock time and the CPU time of the thread at its start.
#[derive(Debug)]
pub(super) struct ComputeMeter {
    since: Instant,
    cpu: Duration,
    /// The computing time already charged to the node.
    charged: Span,
    /// The operating system's number of the thread.
    thread: Option<i32>,
}

impl ComputeMeter {
    /// Starts a meter when the current thread, whose number is `thread`, returns to its program.
    pub(super) fn start(thread: Option<i32>) -> ComputeMeter {
        ComputeMeter { since: Instant::now(), cpu: cpu_time(), charged: Span::ZERO, thread }
    }

    /// Whether the node has been charged while its program ran.
    pub(super) fn was_charged(&self) -> bool {
        !self.charged.is_zero()
    }

    /// Returns the computing time of the current thread that has not been charged yet, when it makes its next call. Time spent waiting for
    /// a core does not count.
    pub(super) fn computed(&self, pacing: &Pacing) -> Span {
        // The CPU time is at most the wall-clock time, which is cheaper to read. Time before the epoch does not count.
        let Some(epoch) = pacing.epoch() else { return Span::ZERO };
        let passed = self.since.max(epoch).elapsed();
        if passed < MIN_COMPUTE_TIME {
            return Span::ZERO;
        }
        self.uncharged(pacing, cpu_time().saturating_sub(self.cpu).min(passed))
    }

    /// Returns a lower bound on the computing time of a running program that has not been charged yet, and marks it as charged.
    pub(super) fn charge_progress(&mut self, pacing: &Pacing) -> Span {
        let Some(epoch) = pacing.epoch() else { return Span::ZERO };
        let passed = self.since.max(epoch).elapsed();
        if passed < MIN_COMPUTE_TIME {
            return Span::ZERO;
        }
        let Some(cpu) = self.thread.and_then(cpu_time_of) else { return Span::ZERO };
        let span = self.uncharged(pacing, cpu.saturating_sub(self.cpu).min(passed));
        self.charged += span;
        span
    }

    fn uncharged(&self, pacing: &Pacing, computed: Duration) -> Span {
        if computed < MIN_COMPUTE_TIME {
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

/// Returns zero: on hosts without CPU times of threads only the time charged by `compute` counts.
#[cfg(not(unix))]
fn cpu_time() -> Duration {
    Duration::ZERO
}

/// The number of this thread, on a host that reports the CPU time of other threads.
#[cfg(target_os = "linux")]
pub(super) fn thread_number() -> Option<i32> {
    Some(rustix::thread::gettid().as_raw_nonzero().get())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn thread_number() -> Option<i32> {
    None
}

/// A lower bound on the CPU time of another thread of this process. Linux updates it at each scheduler tick, some hundred times a second.
/// `None` on other hosts.
fn cpu_time_of(thread: i32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}
