//! Timers of the host that expire on time.

/// A guard: until it is dropped, timers of the current thread expire on time instead of up to 50 us later.
pub(super) struct PreciseTimers {
    #[cfg(target_os = "linux")]
    slack: Option<u64>,
}

impl PreciseTimers {
    #[cfg(target_os = "linux")]
    pub(super) fn set() -> PreciseTimers {
        let slack = rustix::thread::current_timer_slack().ok();
        // If the host refuses the call, timers are slightly late.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        PreciseTimers { slack }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn set() -> PreciseTimers {
        PreciseTimers {}
    }
}

impl PreciseTimers {
    /// Sets precise timers for the current thread permanently.
    pub(super) fn set_permanently() {
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
