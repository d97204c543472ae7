//! The parker of a node thread, by which it goes to sleep and is woken; it records the event that the thread sleeps
//! for.
//!
//! A sleeper first announces the event that would wake it ([`Parker::prepare`]), then looks once more whether the event
//! has come, and only then sleeps. A thread that brings something first puts it where the sleeper looks and then
//! [claims](Parker::claim) the sleeper if it sleeps for that. Between its two steps each of them has a fence, and fences
//! are in one order: either the sleeper sees what was brought, or the bringer sees that it sleeps. A bringer only reads
//! the word of a thread that is awake, so that it costs that thread nothing. And a thread that sleeps for something else
//! is left alone, which saves most of the thread switches of a busy machine.
//!
//! Events are numbers, which those who sleep and those who bring agree on.

use std::{sync::OnceLock, time::Instant};

use super::sync::{AtomicU32, AtomicUsize, Ordering, Thread, current, fence, park, park_timeout};

const AWAKE: u32 = u32::MAX;

/// The parker of one thread.
#[derive(Debug)]
pub(super) struct Parker {
    state: AtomicU32,
    sleeper: OnceLock<Thread>,
}

impl Parker {
    /// Creates a parker whose owner is awake, or has not begun.
    pub(super) fn new() -> Parker {
        Parker { state: AtomicU32::new(AWAKE), sleeper: OnceLock::new() }
    }

    /// Makes the current thread the owner; to be done before anything else.
    pub(super) fn own(&self) {
        self.sleeper.get_or_init(current);
    }

    /// Announces that the owner is about to sleep, and the event `what_for` that it sleeps for. It must look for that
    /// once more before it [sleeps](Parker::sleep).
    pub(super) fn prepare(&self, what_for: u32) {
        self.state.store(what_for, Ordering::Release);
        fence(Ordering::SeqCst);
    }

    /// Withdraws the announcement, as the owner stays awake; false if it has been claimed meanwhile.
    pub(super) fn cancel(&self) -> bool {
        self.state.swap(AWAKE, Ordering::AcqRel) != AWAKE
    }

    /// Sleeps until claimed.
    pub(super) fn sleep(&self) {
        while self.state.load(Ordering::Acquire) != AWAKE {
            park();
        }
    }

    /// Sleeps until claimed, or until an instant; returns whether it has been claimed.
    pub(super) fn sleep_until(&self, instant: Instant) -> bool {
        while self.state.load(Ordering::Acquire) != AWAKE {
            let left = instant.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return !self.cancel();
            }
            park_timeout(left);
        }
        true
    }

    /// Claims the owner if it sleeps, or is about to, for one of these events; the claimer must [wake](Parker::wake) it.
    /// The owner is counted in `awake` before it can know that it has been claimed, so that it is never counted out
    /// twice.
    pub(super) fn claim(&self, events: &[u32], awake: &AtomicUsize) -> bool {
        fence(Ordering::SeqCst);
        let state = self.state.load(Ordering::Acquire);
        if !events.contains(&state) {
            return false;
        }
        awake.fetch_add(1, Ordering::AcqRel);
        let claimed = self.state.compare_exchange(state, AWAKE, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if !claimed {
            awake.fetch_sub(1, Ordering::AcqRel);
        }
        claimed
    }

    /// Whether the owner sleeps, or is about to, for `what`. If not, it will find what has been brought before.
    pub(super) fn sleeps_for(&self, what: u32) -> bool {
        fence(Ordering::SeqCst);
        self.state.load(Ordering::Acquire) == what
    }

    /// Claims the owner whatever it sleeps for.
    pub(super) fn claim_for_anything(&self) -> bool {
        fence(Ordering::SeqCst);
        self.state.swap(AWAKE, Ordering::AcqRel) != AWAKE
    }

    /// Wakes the claimed owner.
    pub(super) fn wake(&self) {
        if let Some(sleeper) = self.sleeper.get() {
            sleeper.unpark();
        }
    }
}

#[cfg(all(test, loom))]
#[path = "parker_tests.rs"]
mod tests;
