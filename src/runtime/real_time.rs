//! Real time: the kernel is paced against the monotonic clock of the host.
//!
//! One thread, the caller's, is the pacer: it lets the network go as far as the wall clock has come and wakes each
//! node when the answer to its call is due; in between it sleeps. Node threads hand their calls in and sleep until
//! woken. None of them spins, and none waits for a lock: a node that finds the kernel busy leaves its call to
//! whoever is at it.

use std::{
    cmp::Reverse,
    sync::atomic::{Ordering, fence},
    thread::{current, park, park_timeout},
    time::{Duration, Instant},
};

use super::{
    GRACE,
    shared::{Cause, Core, Pace, Shared, Submission, silent},
};
use crate::{
    error::DeadlockReport,
    kernel::{Call, NoCalls, NodeId, Op, Progress},
    time::{Span, Time},
};

/// After all threads have been started, modeled time starts at the latest so much later, though there are programs that
/// have made no call yet.
const PATIENCE: Duration = Duration::from_millis(5);

impl Shared {
    /// A program has made its first call. When all have, modeled time starts: to start threads takes the host its time,
    /// which is not the machine's.
    pub(super) fn first_call(&self) {
        if self.silent.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.begin();
        }
    }

    fn begin(&self) {
        self.epoch.get_or_init(Instant::now);
        self.wake_pacer();
    }

    /// Hands in a call of a node, and before it the real computation since its last call, if that was more than
    /// what a late node may catch up with.
    pub(super) fn call_in_real_time(&self, node: NodeId, op: Op, computed: Option<Span>) {
        // The receiver lives as long as this.
        let _ = self.submissions.0.send(Submission { node, op, computed, at: self.modeled_now() });
        self.take_submissions(false);
    }

    /// Has the kernel carry out the calls that were handed in, unless another thread is at it, which then looks
    /// again; with `wait` waits for its turn. Finds out whether the run is deadlocked.
    fn take_submissions(&self, wait: bool) {
        let mut claimed = Vec::new();
        loop {
            // Either this finds the lock free, or who has it finds the submission when it has given it back.
            fence(Ordering::SeqCst);
            let core = if wait { Some(self.core.lock()) } else { self.core.try_lock() };
            let Some(mut core) = core else { return };
            // To be looked at first: a node that is answered now may have made its next call and be asleep again when
            // the step is over.
            let asleep = self.running.load(Ordering::Acquire) == 0;
            let paced = core.paced;
            let next = self.step(&mut core, paced, self.modeled_now(), &mut claimed);
            // While the pacer sleeps, it may have to be woken earlier than it meant to.
            let earlier = next < core.pacer_sleeps_until;
            if earlier {
                core.pacer_sleeps_until = Time::ZERO;
            }
            if asleep && next == Time::MAX && claimed.is_empty() {
                self.end_in_silence(&core);
            }
            drop(core);
            if earlier {
                self.wake_pacer();
            }
            self.ring_all(&mut claimed);
            fence(Ordering::SeqCst);
            if self.submissions.1.is_empty() && !self.drive_again.swap(false, Ordering::SeqCst) {
                return;
            }
        }
    }

    /// All threads sleep and nothing will wake one: those that have not ended would wait for ever.
    fn end_in_silence(&self, core: &Core) {
        if !core.kernel.all_finished() && !self.is_stopped() {
            self.stop(Cause::Deadlock(DeadlockReport::new(self.blocked(&core.kernel))));
        }
    }

    /// Takes the calls that were handed in, lets the network go up to `until` and gives the answers due at `now`;
    /// when something is to be done next.
    fn step(&self, core: &mut Core, until: Time, now: Time, claimed: &mut Vec<NodeId>) -> Time {
        let Core { kernel, due, answers, paced, .. } = core;
        while let Ok(Submission { node, op, computed, at }) = self.submissions.1.try_recv() {
            if let Some(span) = computed {
                kernel.call(node, silent(Op::Compute { span }));
            }
            // Where the network has gone already, nothing can enter it.
            kernel.call(node, Call { op, reply: true, not_before: at.max(*paced) });
        }
        let progress = if self.is_stopped() { Progress::Quiet } else { kernel.advance(until, &mut NoCalls) };
        *paced = until.max(*paced);
        for (node, reply) in kernel.take_replies() {
            if reply.clock <= now {
                self.answer(node, reply, claimed);
            } else {
                answers[node as usize] = Some(reply);
                due.push(Reverse((reply.clock, node)));
            }
        }
        while let Some(&Reverse((at, node))) = due.peek() {
            if at > now {
                break;
            }
            due.pop();
            if let Some(reply) = answers[node as usize].take() {
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
        if self.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.take_submissions(true);
        }
    }

    /// Paces the network until all threads have ended; `limit` is the wall-clock instant at which to give up.
    pub(super) fn pace(&self, limit: Option<(Instant, Duration)>) {
        let Pace::Real(dilation) = self.pace else { return };
        self.pacer.get_or_init(current);
        let mut claimed = Vec::new();
        let latest_start = Instant::now() + PATIENCE;
        while !self.is_stopped() && self.threads.lock().ended < self.seats.len() {
            let mut core = self.core.lock();
            let now = self.modeled_now();
            let asleep = self.running.load(Ordering::Acquire) == 0;
            let next = self.step(&mut core, now, now, &mut claimed);
            if asleep && next == Time::MAX && claimed.is_empty() {
                // The last message has come, and nobody waits for it.
                self.end_in_silence(&core);
            }
            core.pacer_sleeps_until = if claimed.is_empty() { next } else { Time::ZERO };
            drop(core);
            fence(Ordering::SeqCst);
            let again = self.drive_again.swap(false, Ordering::SeqCst);
            if again || !claimed.is_empty() || !self.submissions.1.is_empty() {
                self.ring_all(&mut claimed);
                continue;
            }
            let due = self.epoch.get().filter(|_| next < Time::MAX).and_then(|epoch| {
                epoch.checked_add(Duration::try_from_secs_f64(next.as_secs_f64() * dilation).ok()?)
            });
            let start = Some(latest_start).filter(|_| self.epoch.get().is_none());
            if start.is_some_and(|start| start <= Instant::now()) {
                self.begin();
                continue;
            }
            let patience = self.threads.lock().failed.map(|failed| failed + GRACE);
            if patience.is_some_and(|patience| patience <= Instant::now()) {
                if let Some(node) = self.threads.lock().faults.keys().next().copied() {
                    self.stop(Cause::Failed(node));
                }
                continue;
            }
            match due.into_iter().chain(start).chain(patience).chain(limit.map(|(at, _)| at)).min() {
                Some(until) => park_timeout(until.saturating_duration_since(Instant::now())),
                None => park(),
            }
            if limit.is_some_and(|(limit, _)| Instant::now() >= limit) && !self.is_stopped() {
                let core = self.core.lock();
                let blocked = self.blocked(&core.kernel);
                drop(core);
                self.stop(Cause::WallLimit(blocked));
            }
        }
    }
}
