//! The parker of a node thread, which lets the thread sleep until it is woken. It holds the event that the thread sleeps for.
//!
//! A sleeper first announces the event that would wake it ([`Parker::prepare`]), then checks once more whether the event has happened, and
//! only then sleeps. A thread that delivers something first stores it where the sleeper checks for it, and then [claims](Parker::claim) the
//! sleeper if it sleeps for this event. Each of the two threads has a fence between its two steps, and fences are totally ordered. So
//! either the sleeper sees the delivery, or the delivering thread sees that the sleeper sleeps. For a delivery to a thread that is awake,
//! the delivering thread only reads the state, which costs the receiving thread nothing. A thread that sleeps for another event is not
//! woken, which saves most of the context switches of a busy machine.
//!
//! Events are numbers whose meaning sleepers and delivering threads share.

use std::time::Instant;

use parking_lot::Mutex;

use super::sync::{AtomicU32, AtomicUsize, Ordering, Thread, current, fence, park, park_timeout};

const AWAKE: u32 = u32::MAX;

/// The parker of one thread.
#[derive(Debug)]
pub(super) struct Parker {
    state: AtomicU32,
    owner: Mutex<Option<Thread>>,
}

impl Parker {
    /// Creates a parker whose owner is awake, or has not started.
    pub(super) fn new() -> Parker {
        Parker { state: AtomicU32::new(AWAKE), owner: Mutex::new(None) }
    }

    /// Makes the current thread the owner; must be called first, and not while the former owner sleeps.
    pub(super) fn set_owner(&self) {
        *self.owner.lock() = Some(current());
    }

    /// Announces that the owner is about to sleep for `event`. The owner must check for the event once more before it
    /// [sleeps](Parker::sleep).
    pub(super) fn prepare(&self, event: u32) {
        self.state.store(event, Ordering::Release);
        fence(Ordering::SeqCst);
    }

    /// Withdraws the announcement because the owner stays awake; returns false if the owner has been claimed meanwhile.
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

    /// Claims the owner if it sleeps, or is about to sleep, for one of these events; the claimer must [wake](Parker::wake) it. The owner is
    /// counted in `awake` before it can notice the claim, so that it is never counted out twice.
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

    /// Whether the owner sleeps, or is about to sleep, for `what`. If not, it will find everything that was delivered before this call.
    pub(super) fn sleeps_for(&self, what: u32) -> bool {
        fence(Ordering::SeqCst);
        self.state.load(Ordering::Acquire) == what
    }

    /// Claims the owner, whatever event it sleeps for.
    pub(super) fn claim_any(&self) -> bool {
        fence(Ordering::SeqCst);
        self.state.swap(AWAKE, Ordering::AcqRel) != AWAKE
    }

    /// Wakes the claimed owner.
    pub(super) fn wake(&self) {
        let owner = self.owner.lock().clone();
        if let Some(owner) = owner {
            owner.unpark();
        }
    }
}

#[cfg(all(test, loom))]
#[path = "parker_tests.rs"]
mod tests;
