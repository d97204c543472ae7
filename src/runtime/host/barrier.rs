//! The barrier of all nodes on the host: a counter of arrivals; the last node to arrive wakes the others.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{endpoint::HostNode, sleeping::BARRIER};
use crate::{
    error::CommError,
    runtime::{local::Local, waiting::AwaitedEvent},
    time::Time,
};

/// The state of the barrier.
#[derive(Debug, Default)]
pub(super) struct Barrier {
    arrived: AtomicUsize,
    /// The number of completed barriers.
    passed: AtomicUsize,
}

impl Barrier {
    /// Records the arrival of one of `size` nodes. Returns the number of the barrier, and whether this node is the last to arrive.
    pub(super) fn arrive(&self, size: usize) -> (usize, bool) {
        let nth = self.passed.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 < size {
            return (nth, false);
        }
        // No node can arrive at the next barrier before this one is passed.
        self.arrived.store(0, Ordering::Relaxed);
        self.passed.store(nth + 1, Ordering::Release);
        (nth, true)
    }

    /// Whether all nodes have arrived at the barrier with number `nth`.
    pub(super) fn is_passed(&self, nth: usize) -> bool {
        self.passed.load(Ordering::Acquire) > nth
    }
}

impl HostNode<'_> {
    /// Waits until all nodes have arrived.
    pub(super) fn pass_barrier(&self) -> Result<(), CommError> {
        let (host, run_state) = (self.host, &self.host.run_state);
        let (nth, is_last) = host.barrier.arrive(run_state.slots.len());
        if is_last {
            for slot in &run_state.slots {
                if slot.parker.claim(&[BARRIER], &run_state.awake) {
                    slot.parker.wake();
                }
            }
        } else {
            let passed = |_: &mut Local| host.barrier.is_passed(nth).then_some(());
            self.sleep_until(|_| AwaitedEvent::Barrier, Time::MAX, passed)?;
        }
        Ok(())
    }
}
