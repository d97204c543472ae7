//! Timers of the host that expire on time.

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
