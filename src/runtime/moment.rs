//! The clocks of the host that a node thread is measured by.

use std::time::{Duration, Instant};

/// A moment on the wall clock and on the clock of a thread's CPU time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) wall: Instant,
    pub(super) cpu: Duration,
}

impl Moment {
    pub(super) fn now() -> Moment {
        Moment { wall: Instant::now(), cpu: cpu_time() }
    }
}

/// How long this thread has had a core.
#[cfg(unix)]
pub(super) fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Where the host does not tell how long a thread has had a core, nothing counts but what is said with `compute`.
#[cfg(not(unix))]
pub(super) fn cpu_time() -> Duration {
    Duration::ZERO
}
