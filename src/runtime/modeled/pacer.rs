//! The pacer: the thread that called `run` wakes the nodes whose replies are due, and follows the clocks of computing programs.

use std::{
    cmp::Reverse,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use super::{
    pacing::Pacing,
    world::{Modeled, REPLY_DUE},
};
use crate::{runtime::run_state::Cause, time::Time, wire::NodeId};

/// The longest time from the start of all threads to the start of modeled time, if some programs have not made a call yet.
const PATIENCE: Duration = Duration::from_millis(5);

/// The interval at which the pacer checks the progress of a computing program on whose next call all others wait.
const TICK: Duration = Duration::from_millis(1);

/// The longest wait for the next reply in a run without a time limit; a run with a longer wait is refused.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// The shortest wait that is announced in the log.
const LONG_WAIT: Duration = Duration::from_secs(10);

impl Modeled {
    /// Records the first call of a program. Modeled time starts when all programs have made their first call, so that it does not include
    /// the time that the host takes to start threads.
    pub(super) fn first_call(&self, pacing: &Pacing) {
        if pacing.without_first_call.fetch_sub(1, Ordering::AcqRel) == 1 {
            pacing.epoch.get_or_init(Instant::now);
            self.run_state.caller.unpark();
        }
    }

    /// Registers a node that the pacer wakes at an instant of modeled time, if the node then sleeps for it.
    pub(super) fn wake_when_due(&self, pacing: &Pacing, node: NodeId, at: Time) {
        self.refuse_endless_wait(pacing, at);
        let mut waking = pacing.waking.lock();
        waking.due.push(Reverse((at, node)));
        let earlier = at < waking.next;
        if earlier {
            waking.next = at;
        }
        drop(waking);
        if earlier {
            self.run_state.caller.unpark();
        }
    }

    /// Ends a run whose next reply is due too late, and announces a long wait in the log.
    pub(super) fn refuse_endless_wait(&self, pacing: &Pacing, at: Time) {
        let wait =
            pacing.wall(at).saturating_sub(pacing.epoch().map_or(Duration::ZERO, |epoch| epoch.elapsed()));
        if wait >= LONGEST_WAIT && !pacing.has_limit {
            self.run_state.stop(Cause::TooSlow { at, wait });
        } else if wait >= LONG_WAIT && pacing.announced.set(()).is_ok() {
            tracing::warn!(parent: None, %at, wall = ?wait, "the next reply is due far in the future");
        }
    }

    /// Wakes the nodes whose replies are due; returns the instant of the next check.
    pub(super) fn pace(&self, pacing: &Pacing) -> Instant {
        let Some(epoch) = pacing.epoch() else {
            let latest = *pacing.started.get_or_init(Instant::now) + PATIENCE;
            if Instant::now() < latest {
                return latest;
            }
            pacing.epoch.get_or_init(Instant::now);
            return Instant::now();
        };
        let (mut claimed, mut unclaimed) = (Vec::new(), false);
        let next = {
            let mut waking = pacing.waking.lock();
            let now = epoch.elapsed();
            while let Some(&Reverse((at, node))) = waking.due.peek() {
                if pacing.wall(at) > now {
                    break;
                }
                waking.due.pop();
                match self.run_state.slot(node).parker.claim(&[REPLY_DUE], &self.run_state.awake) {
                    true => claimed.push(node),
                    false => unclaimed = true,
                }
            }
            waking.next = waking.due.peek().map_or(Time::MAX, |&Reverse((at, _))| at);
            waking.next
        };
        self.wake_all(&mut claimed);
        // A deadlock is not reported while nodes wait for the pacer. If the pacer has woken none and all threads sleep, it must check.
        if unclaimed && self.run_state.awake.load(Ordering::Acquire) == 0 {
            self.drive(true);
        }
        let tick = self.charge_progress(pacing).then(|| Instant::now() + TICK);
        let due = epoch + pacing.wall(next);
        tick.map_or(due, |tick| tick.min(due))
    }

    /// Follows the clock of a program that computes while all others wait for its next call: the computing time so far is a lower bound on
    /// the time of this call. Returns whether to check again soon.
    fn charge_progress(&self, pacing: &Pacing) -> bool {
        if self.run_state.awake.load(Ordering::Acquire) == 0 {
            return false;
        }
        // When the kernel no longer waits for one node, it may wait for the next call of another.
        for _ in 0..self.mailboxes.len() {
            let node = pacing.stalled.load(Ordering::Relaxed);
            let Some(mailbox) = self.mailboxes.get(node as usize) else { break };
            if !mailbox.outbox.lock().charge_progress(pacing) {
                break;
            }
            self.release_threads();
            self.drive(false);
        }
        true
    }
}
