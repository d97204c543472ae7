//! The pacing boundary between a program and its machine, which every call crosses twice.
//!
//! A library call is paced as a whole: the program does not see its internal calls. In virtual time the boundary does nothing. In real time
//! entering a call charges the real computation of the program, and the call returns only when its modeled end is due on the wall clock.
//! Between the two, internal calls run ahead of the wall clock as in virtual time.

use std::{
    cell::Cell,
    thread::park_timeout,
    time::{Duration, Instant},
};

use super::super::{
    compute_meter::ComputeMeter,
    lateness::{Lateness, LatenessStats},
    outbox::without_reply,
    pacing::Pacing,
    world::REPLY_DUE,
};
use super::NodeThread;
use crate::{error::CommError, kernel::Op, rank::Rank, time::Time};

/// The largest lateness that is not counted as late, unless the send overhead is larger: the time that a host needs to wake a thread.
const WAKE_UP: Duration = Duration::from_micros(100);

/// A guard that reduces the depth of calls by 1 when it is dropped, also during unwinding.
struct Within<'a>(&'a Cell<u32>);

impl Drop for Within<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// The depth added by a library call: larger than 1, the depth of a direct call of the program, which is held until it is due.
const LIBRARY_CALL: u32 = 2;

/// The effect of a call on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeEffect {
    /// The call may take time.
    TakesTime,
    /// The call takes no time and does not count as a poll.
    ZeroTime,
    /// The call is a poll: it returns the state at the node's clock, without waiting.
    Poll,
}

impl NodeThread<'_> {
    /// Makes a call of the program, or of a library that the program has called. Two unsuccessful polls without a
    /// call that takes time in between are a polling loop; from then on, in real time, the node's clock follows the wall clock.
    pub(super) fn call<T>(
        &self,
        effect: TimeEffect,
        make: impl FnOnce() -> Result<T, CommError>,
    ) -> Result<T, CommError> {
        let begin = self.enter(effect);
        self.unsuccessful_poll.set(None);
        let result = {
            self.depth.set(self.depth.get() + 1);
            let _within = Within(&self.depth);
            make()
        };
        match (effect, self.unsuccessful_poll.get()) {
            _ if self.clock.get() > begin => self.polled.set(false),
            (_, Some(false)) => self.polled.set(false),
            (TimeEffect::Poll, Some(true)) => self.polled.set(true),
            _ => {}
        }
        self.leave().and(result)
    }

    /// Begins a library call: several calls that are one to the program.
    pub(super) fn enter_library(&self, name: &'static str) {
        self.enter(TimeEffect::TakesTime);
        if self.depth.get() == 0 {
            *self.world.run_state.slot(self.id).within.lock() = Some(name);
        }
        self.depth.set(self.depth.get() + LIBRARY_CALL);
    }

    /// Ends the innermost library call.
    pub(super) fn leave_library(&self) -> Result<(), CommError> {
        self.depth.set(self.depth.get() - LIBRARY_CALL);
        if self.depth.get() == 0 {
            *self.world.run_state.slot(self.id).within.lock() = None;
        }
        // A panicking program need not be held.
        if std::thread::panicking() { Ok(()) } else { self.leave() }
    }

    /// Whether the current call returns directly to a program that is held until the call is due.
    pub(super) fn is_held(&self) -> bool {
        self.depth.get() == 1 && self.world.pacing.is_some()
    }

    /// The lateness of this node's replies.
    pub(crate) fn lateness(&self) -> LatenessStats {
        self.lateness.get()
    }

    /// Enters a call; returns the clock at which the call begins, as far as this thread knows the clock.
    pub(super) fn enter(&self, effect: TimeEffect) -> Time {
        let clock = self.clock.get();
        let Some(pacing) = self.world.pacing.as_ref().filter(|_| self.depth.get() == 0) else {
            return clock;
        };
        let meter = self.world.mailboxes[self.id as usize].outbox.lock().meter.take();
        let was_charged = meter.as_ref().is_some_and(ComputeMeter::was_charged);
        let mut span = meter.map(|meter| meter.computed(pacing)).unwrap_or_default();
        let computed = was_charged || !span.is_zero();
        let polls = !computed && self.polled.get() && effect == TimeEffect::Poll;
        if computed || effect == TimeEffect::TakesTime {
            self.polled.set(false);
        }
        if polls {
            span = pacing.now().since(clock);
        }
        if computed || polls {
            // The threads may still be bound to a common core, but a program that computes or polls may need a separate one.
            self.world.release_threads();
        }
        if was_charged || !span.is_zero() {
            self.push(without_reply(Op::Compute { span }), 0);
            self.notified.set(true);
        }
        if !self.called.replace(true) {
            self.world.first_call(pacing);
        }
        clock + span
    }

    /// Leaves a call. In real time, first waits until the modeled end of the call is due, if the call returns to the program.
    fn leave(&self) -> Result<(), CommError> {
        let Some(pacing) = self.world.pacing.as_ref().filter(|_| self.depth.get() == 0) else {
            return Ok(());
        };
        if self.notified.get() {
            self.depth.set(1);
            let _within = Within(&self.depth);
            self.query(Op::Sync)?;
        }
        let held = self.hold_until_due(pacing, self.clock.get());
        self.world.mailboxes[self.id as usize].outbox.lock().meter = Some(ComputeMeter::start(self.thread));
        held
    }

    /// Sleeps until an instant of modeled time is due.
    fn hold_until_due(&self, pacing: &Pacing, at: Time) -> Result<(), CommError> {
        while !self.world.run_state.is_stopped() {
            let Some(due) = pacing.due(at) else {
                // Modeled time has not started, and the thread that starts it does not wake all others: the pacer wakes this one.
                self.world.wake_when_due(pacing, self.id, at);
                self.sleep_until(REPLY_DUE, |_| pacing.due(at))?;
                continue;
            };
            let now = Instant::now();
            if let Some(by) = now.checked_duration_since(due) {
                let overhead = self.world.run_state.machine.parameters().send_overhead();
                let allowed = WAKE_UP.max(pacing.real(overhead));
                let mut lateness = self.lateness.get();
                lateness.add(Lateness { by, rank: self.id as Rank, at }, allowed);
                self.lateness.set(lateness);
                return Ok(());
            }
            self.world.refuse_endless_wait(pacing, at);
            park_timeout(due - now);
        }
        Err(self.world.run_state.ended())
    }
}
