//! Driving the kernel: modeled time advances as fast as the calls of the programs come in.
//!
//! Node threads do not wait for the kernel unless they must know what it says. They leave their calls in their
//! outboxes and run on: data goes straight from the sender's thread into the receiver's channel, where a receive that
//! names its source finds it, whatever the modeled time will turn out to be. The kernel is driven by whichever thread
//! finds a reason to: it needs an answer, its outbox is full, or it is the last one awake. Then everything is asleep
//! but the kernel, and if that has nothing to do either, the run has ended or is deadlocked.

use std::sync::atomic::{Ordering, fence};

use super::world::{Modeled, Outboxes};
use crate::{
    kernel::{Difference, Progress},
    runtime::crew::Cause,
    time::Time,
    topology::catch_route_error,
    wire::NodeId,
};

/// The number of calls in a node's outbox from which on its thread drives the kernel when it has to wait anyway.
const WORTH_DRIVING: usize = 32;

/// The largest number of calls in a node's outbox; a node with as many waits for the kernel.
pub(super) const MOST_CALLS: usize = 4096;

/// The largest number of bytes in the messages of a node's outbox; a node with as many waits for the kernel.
pub(super) const MOST_BYTES: u64 = 64 << 20;

impl Modeled {
    /// Drives the kernel if that is worth while, for a thread that is about to sleep.
    pub(super) fn help(&self, node: NodeId) {
        let full = || self.mailboxes[node as usize].outbox.lock().calls.len() >= WORTH_DRIVING;
        if self.awaiting_replies.load(Ordering::Acquire) > 0 || full() {
            self.drive(false);
        }
    }

    /// Counts a thread out that goes to sleep or ends. The last one makes sure that another goes on, or that the run
    /// ends.
    pub(super) fn retire(&self) {
        if self.crew.awake.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.drive(true);
        }
    }

    /// Carries out all calls and events that can be carried out. If another thread is doing so already, that thread
    /// looks again, or with `wait` this one waits for its turn.
    pub(super) fn drive(&self, wait: bool) {
        let mut claimed = Vec::new();
        self.drive_again.store(true, Ordering::SeqCst);
        loop {
            // Either this finds the lock free, or who has it finds `drive_again` when it has given it back.
            fence(Ordering::SeqCst);
            let kernel = if wait { Some(self.kernel.lock()) } else { self.kernel.try_lock() };
            let Some(mut kernel) = kernel else { return };
            if self.crew.is_stopped() {
                return;
            }
            self.drive_again.store(false, Ordering::SeqCst);
            // To be looked at first: a node that is answered now may have made its next call and be asleep again when
            // the kernel is through. If all are asleep already, and the pacer wakes none, all their calls are there.
            let nothing_held = self.pacing.as_ref().is_none_or(|pacing| pacing.holds_nothing());
            let mut silence = nothing_held && self.crew.awake.load(Ordering::Acquire) == 0;
            while let Ok(node) = self.asking.1.try_recv() {
                kernel.has_calls(node);
            }
            let advance = || kernel.advance(Time::MAX, &mut Outboxes(&self.mailboxes));
            let progress = match catch_route_error(advance) {
                Ok(progress) => progress,
                Err(error) => return self.crew.stop(Cause::Topology(error)),
            };
            for (node, reply) in kernel.take_replies() {
                silence = false;
                self.answer(node, reply, &mut claimed);
            }
            match progress {
                Progress::Failed(node) => self.crew.stop(Cause::Failed(node)),
                Progress::Overflow(node) => self.crew.stop(Cause::Overflow(node)),
                Progress::Differs => {
                    if let Some(Difference { context, nth, ranks }) = kernel.difference() {
                        let counts = |rank| ranks.binary_search(&rank).is_ok();
                        self.crew.stop(Cause::Mismatch(self.crew.mismatch(context, nth, counts)));
                    }
                }
                Progress::Stalled(_) | Progress::Until(_) | Progress::Quiet => {
                    // Asleep are all threads that have not ended, and nobody has been answered.
                    if silence && !kernel.all_finished() {
                        let report =
                            self.crew.deadlock(self.blocked_in(&kernel), |rank| kernel.is_dead(rank));
                        self.crew.stop(Cause::Deadlock(report));
                    }
                }
            }
            if let Some(pacing) = &self.pacing {
                pacing.stalled(if let Progress::Stalled(node) = progress { Some(node) } else { None });
            }
            drop(kernel);
            self.wake_all(&mut claimed);
            fence(Ordering::SeqCst);
            if !self.drive_again.load(Ordering::SeqCst) {
                return;
            }
        }
    }
}
