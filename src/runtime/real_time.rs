//! Real time: the kernel is paced against the monotonic clock of the host.
//!
//! One thread, the caller's, is the pacer: it lets the network go as far as the wall clock has come and wakes each
//! node when the answer to its call is due; in between it sleeps. Node threads hand their calls in and sleep until
//! woken. None of them spins.

use std::{
    cmp::Reverse,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use parking_lot::MutexGuard;

use super::shared::{Cause, Core, Pace, Shared};
use crate::{
    error::DeadlockReport,
    kernel::{Call, NoCalls, NodeId, Op, Progress},
    time::{Span, Time},
};

impl Shared {
    /// Hands in a call of a node, and before it the real computation since its last call, if that was more than
    /// what a late node may catch up with.
    pub(super) fn call_in_real_time(&self, node: NodeId, op: Op, computed: Option<Span>) {
        let mut claimed = Vec::new();
        let mut core = self.core.lock();
        if self.is_stopped() {
            return;
        }
        if let Some(span) = computed {
            core.kernel.call(node, super::shared::silent(Op::Compute { span }));
        }
        let now = self.modeled_now();
        core.kernel.call(node, Call { op, reply: true, not_before: now });
        let paced = core.paced;
        let next = self.step(&mut core, paced, now, &mut claimed);
        // While the pacer sleeps, it may have to be woken earlier than it meant to.
        if next < core.pacer_sleeps_until {
            core.pacer_sleeps_until = Time::ZERO;
            self.pacer.notify_one();
        }
        drop(core);
        self.ring_all(&mut claimed);
    }

    /// Lets the network go up to `until` and gives the answers due at `now`; when something is to be done next.
    fn step(&self, core: &mut Core, until: Time, now: Time, claimed: &mut Vec<NodeId>) -> Time {
        let progress = core.kernel.advance(until, &mut NoCalls);
        let Core { kernel, due, answers, .. } = core;
        for (node, reply) in kernel.take_replies() {
            if reply.clock <= now {
                self.answer(node, reply, claimed);
            } else {
                answers.insert(node, reply);
                due.push(Reverse((reply.clock, node)));
            }
        }
        while let Some(&Reverse((at, node))) = due.peek() {
            if at > now {
                break;
            }
            due.pop();
            if let Some(reply) = answers.remove(&node) {
                self.answer(node, reply, claimed);
            }
        }
        let next_answer = due.peek().map_or(Time::MAX, |&Reverse((at, _))| at);
        match progress {
            Progress::Failed(node) => self.stop(Cause::Failed(node)),
            Progress::Overflow(node) => self.stop(Cause::Overflow(node)),
            Progress::Until(next) => return next.min(next_answer),
            Progress::Quiet | Progress::Stalled(_) => {}
        }
        next_answer
    }

    /// A thread goes to sleep or ends: if nobody and nothing is under way any more, the run has ended or is
    /// deadlocked.
    pub(super) fn retire_in_real_time(&self) {
        if self.running.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        let mut core = self.core.lock();
        let now = self.modeled_now();
        let paced = core.paced;
        let mut claimed = Vec::new();
        let next = self.step(&mut core, paced, now, &mut claimed);
        let silence = next == Time::MAX && self.running.load(Ordering::Acquire) == 0;
        if silence && !core.kernel.all_finished() && !self.is_stopped() {
            self.stop(Cause::Deadlock(DeadlockReport::new(self.blocked(&core.kernel))));
        }
        drop(core);
        self.ring_all(&mut claimed);
    }

    /// Paces the network until all threads have ended; `limit` is the wall-clock instant at which to give up.
    pub(super) fn pace(&self, limit: Option<(Instant, Duration)>) {
        let Pace::Real(dilation) = self.pace else { return };
        let mut claimed = Vec::new();
        let mut core = self.core.lock();
        while !self.is_stopped() && self.threads.lock().ended < self.seats.len() {
            let now = self.modeled_now();
            core.paced = now;
            core.pacer_sleeps_until = Time::ZERO;
            let next = self.step(&mut core, now, now, &mut claimed);
            if !claimed.is_empty() {
                MutexGuard::unlocked(&mut core, || self.ring_all(&mut claimed));
                continue;
            }
            core.pacer_sleeps_until = next;
            let wake = self.epoch.get().filter(|_| next < Time::MAX).and_then(|epoch| {
                epoch.checked_add(Duration::try_from_secs_f64(next.as_secs_f64() * dilation).ok()?)
            });
            let until = match (wake, limit) {
                (Some(wake), Some((limit, _))) => Some(wake.min(limit)),
                (wake, limit) => wake.or(limit.map(|(at, _)| at)),
            };
            match until {
                Some(until) => {
                    self.pacer.wait_until(&mut core, until);
                }
                None => self.pacer.wait(&mut core),
            }
            if limit.is_some_and(|(limit, _)| Instant::now() >= limit) {
                self.stop(Cause::WallLimit(self.blocked(&core.kernel)));
            }
        }
    }
}
