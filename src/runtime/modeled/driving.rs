//! Driving the discrete-event kernel: modeled time advances as fast as the programs make calls.
//!
//! Node threads wait for the kernel only if they need its result. They put their calls into their outboxes and continue. Data goes directly
//! from the sender's thread into the receiver's channel, where a receive with a named source finds it, whatever the modeled times are. A
//! thread drives the kernel if it needs a reply, if its outbox is full, if it goes to sleep while another thread waits for a reply, or if
//! it is the last thread awake. In the last case only the kernel can make progress; if it has nothing to do, the run has ended or is
//! deadlocked.

use std::sync::atomic::{Ordering, fence};

use super::world::{Modeled, Outboxes};
use crate::{
    kernel::{CallMismatch, Progress},
    runtime::run_state::Cause,
    time::Time,
    topology::catch_route_error,
    wire::NodeId,
};

/// The number of calls in a node's outbox from which its thread drives the kernel before a wait.
const DRIVE_THRESHOLD: usize = 32;

/// The largest number of calls in a node's outbox; at this number the node waits for the kernel.
pub(super) const MAX_CALLS: usize = 4096;

/// The largest number of bytes in the messages of a node's outbox; at this number the node waits for the kernel.
pub(super) const MAX_BYTES: u64 = 64 << 20;

impl Modeled {
    /// Drives the kernel for a thread that is about to sleep, if a reply is awaited or the outbox is long.
    pub(super) fn drive_if_useful(&self, node: NodeId) {
        let full = || self.mailboxes[node as usize].outbox.lock().calls.len() >= DRIVE_THRESHOLD;
        if self.awaiting_replies.load(Ordering::Acquire) > 0 || full() {
            self.drive(false);
        }
    }

    /// Decrements the count of awake threads, for a thread that goes to sleep or ends. The last one drives the kernel, which wakes another
    /// thread or ends the run.
    pub(super) fn retire(&self) {
        if self.run_state.awake.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.drive(true);
        }
    }

    /// Drives the kernel until it needs calls that are not known yet. If another thread is driving, this thread returns and the other one
    /// repeats the loop; with `wait` this thread waits for the lock instead.
    pub(super) fn drive(&self, wait: bool) {
        let mut claimed = Vec::new();
        self.drive_again.store(true, Ordering::SeqCst);
        loop {
            // Either this thread finds the lock free, or the holder sees `drive_again` after releasing the lock.
            fence(Ordering::SeqCst);
            let kernel = if wait { Some(self.kernel.lock()) } else { self.kernel.try_lock() };
            let Some(mut kernel) = kernel else { return };
            if self.run_state.is_stopped() {
                return;
            }
            self.drive_again.store(false, Ordering::SeqCst);
            // Read before the kernel is driven: a node that gets its reply below may make its next call and sleep again before the kernel
            // is done. If all threads already sleep and none waits for the pacer, all their calls are in the outboxes.
            let nothing_held = self.pacing.as_ref().is_none_or(|pacing| pacing.has_no_waiting_node());
            let mut silence = nothing_held && self.run_state.awake.load(Ordering::Acquire) == 0;
            while let Ok(node) = self.queries.1.try_recv() {
                kernel.has_calls(node);
            }
            let advance = || kernel.advance(Time::MAX, &mut Outboxes(&self.mailboxes));
            let progress = match catch_route_error(advance) {
                Ok(progress) => progress,
                Err(error) => return self.run_state.stop(Cause::Topology(error)),
            };
            for (node, reply) in kernel.take_replies() {
                silence = false;
                self.answer(node, reply, &mut claimed);
            }
            match progress {
                Progress::Failed(node) => self.run_state.stop(Cause::Failed(node)),
                Progress::Overflow(node) => self.run_state.stop(Cause::Overflow(node)),
                Progress::Differs => {
                    if let Some(CallMismatch { context, nth, ranks }) = kernel.mismatch() {
                        let counts = |rank| ranks.binary_search(&rank).is_ok();
                        self.run_state.stop(Cause::Mismatch(self.run_state.mismatch(context, nth, counts)));
                    }
                }
                Progress::Stalled(_) | Progress::Until(_) | Progress::Quiet => {
                    // All threads that have not ended are asleep, and none has got a reply.
                    if silence && !kernel.all_finished() {
                        let (blocked, unreceived) = (self.blocked_in(&kernel), kernel.unreceived());
                        let report =
                            self.run_state.deadlock(blocked, unreceived, |rank| kernel.is_dead(rank));
                        let end = |rank| (kernel.finished(rank as NodeId), self.run_state.last_call(rank));
                        let report = report.with_awaited(end);
                        self.run_state.stop(Cause::Deadlock(report));
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
