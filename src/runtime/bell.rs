//! The bell of a node thread, by which it goes to sleep and is woken; it records the event that the thread sleeps
//! for.
//!
//! A sleeper first announces the event that would wake it ([`Bell::prepare`]), then looks once more whether the event
//! has come, and only then sleeps. A thread that brings something first puts it where the sleeper looks and then
//! [claims](Bell::claim) the sleeper if it sleeps for that. Both steps on the bell are read-modify-writes of one
//! word, so one of the two comes first: either the sleeper sees what was brought, or the bringer sees that it sleeps.
//! And a thread that sleeps for something else is left alone, which saves most of the thread switches of a busy
//! machine.

use std::sync::OnceLock;

use super::sync::{AtomicU32, AtomicUsize, Ordering, Thread, current, park};

const AWAKE: u32 = u32::MAX;

/// The state of a thread that sleeps until the kernel has answered; a state that is none of these constants is the rank
/// of the node from which data is awaited.
pub(super) const FOR_THE_KERNEL: u32 = u32::MAX - 1;

/// The state of a thread that sleeps until the kernel has answered and the answer is due.
pub(super) const WHEN_DUE: u32 = u32::MAX - 2;

/// The bell of one thread.
#[derive(Debug)]
pub(super) struct Bell {
    state: AtomicU32,
    sleeper: OnceLock<Thread>,
}

impl Bell {
    /// Creates a bell whose owner is awake, or has not begun.
    pub(super) fn new() -> Bell {
        Bell { state: AtomicU32::new(AWAKE), sleeper: OnceLock::new() }
    }

    /// Makes the current thread the owner; to be done before anything else.
    pub(super) fn own(&self) {
        self.sleeper.get_or_init(current);
    }

    /// Announces that the owner is about to sleep, and the event `what_for` that it sleeps for. It must look for that
    /// once more before it [sleeps](Bell::sleep).
    pub(super) fn prepare(&self, what_for: u32) {
        self.state.swap(what_for, Ordering::AcqRel);
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

    /// Claims the owner if it sleeps, or is about to, for `what`; the claimer must [ring](Bell::ring). The owner is
    /// counted in `running` before it can know that it has been claimed, so that it is never counted out twice.
    pub(super) fn claim(&self, what: u32, running: &AtomicUsize) -> bool {
        // An addition of nothing, but a write: it takes its place in the order of this word.
        if !self.sleeps_for(what) {
            return false;
        }
        running.fetch_add(1, Ordering::AcqRel);
        let claimed = self.state.compare_exchange(what, AWAKE, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if !claimed {
            running.fetch_sub(1, Ordering::AcqRel);
        }
        claimed
    }

    /// Whether the owner sleeps, or is about to, for `what`. If not, it will find what has been brought before.
    pub(super) fn sleeps_for(&self, what: u32) -> bool {
        self.state.fetch_add(0, Ordering::AcqRel) == what
    }

    /// Claims the owner whatever it sleeps for.
    pub(super) fn claim_for_anything(&self) -> bool {
        self.state.swap(AWAKE, Ordering::AcqRel) != AWAKE
    }

    /// Wakes the claimed owner.
    pub(super) fn ring(&self) {
        if let Some(sleeper) = self.sleeper.get() {
            sleeper.unpark();
        }
    }
}

#[cfg(all(test, loom))]
#[path = "bell_tests.rs"]
mod tests;
