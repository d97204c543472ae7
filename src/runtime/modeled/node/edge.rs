//! The edge between a program and its machine, which every call crosses twice.
//!
//! A program makes a call of one of the libraries, or a call of its own; what a library calls in turn, the program does
//! not see. In virtual time nothing happens here. In real time the way in charges what the program has really computed,
//! and the way back is barred until the modeled end of the call is due on the wall clock. Between the two, calls run
//! ahead of the wall clock as they do in virtual time.

use std::{
    cell::Cell,
    thread::park_timeout,
    time::{Duration, Instant},
};

use super::super::{
    away::Away,
    outbox::silent,
    pacing::Pacing,
    slip::{Slip, Slips},
    world::WHEN_DUE,
};
use super::NodeThread;
use crate::{error::CommError, kernel::Op, rank::Rank, time::Time};

/// The largest lateness that is not counted as late, unless the send overhead is larger: a host needs this time to
/// wake a thread.
const WAKE_UP: Duration = Duration::from_micros(100);

/// Counts a call until it is over, even if it unwinds.
struct Within<'a>(&'a Cell<u32>);

impl Drop for Within<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// The depth that a library call adds: more than a call of the program itself, which is held until it is due.
const LIBRARY_CALL: u32 = 2;

/// The effect of a call on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// The call may take time.
    Takes,
    /// The call takes no time, and tells nothing about it.
    AtOnce,
    /// The call tells the state at the node's clock, without waiting.
    Looks,
}

impl NodeThread<'_> {
    /// Makes a call of the program, or of a library that it has called. A program that looks in vain, and looks again
    /// when nothing between has taken time, is polling, and lives by the wall clock.
    pub(super) fn call<T>(
        &self,
        manner: Manner,
        make: impl FnOnce() -> Result<T, CommError>,
    ) -> Result<T, CommError> {
        let begin = self.enter(manner);
        self.in_vain.set(None);
        let result = {
            self.depth.set(self.depth.get() + 1);
            let _within = Within(&self.depth);
            make()
        };
        match (manner, self.in_vain.get()) {
            _ if self.clock.get() > begin => self.looked.set(false),
            (_, Some(false)) => self.looked.set(false),
            (Manner::Looks, Some(true)) => self.looked.set(true),
            _ => {}
        }
        self.leave().and(result)
    }

    /// A library call begins: several calls that are one to the program.
    pub(super) fn enter_library(&self, name: &'static str) {
        self.enter(Manner::Takes);
        if self.depth.get() == 0 {
            *self.world.crew.seat(self.id).within.lock() = Some(name);
        }
        self.depth.set(self.depth.get() + LIBRARY_CALL);
    }

    /// The library call that began last ends.
    pub(super) fn leave_library(&self) -> Result<(), CommError> {
        self.depth.set(self.depth.get() - LIBRARY_CALL);
        if self.depth.get() == 0 {
            *self.world.crew.seat(self.id).within.lock() = None;
        }
        // A program that panics need not be held.
        if std::thread::panicking() { Ok(()) } else { self.leave() }
    }

    /// Whether the call under way returns to a program that is held until it may.
    pub(super) fn is_held(&self) -> bool {
        self.depth.get() == 1 && self.world.pacing.is_some()
    }

    /// The lateness of the answers of this node.
    pub(crate) fn slips(&self) -> Slips {
        self.slips.get()
    }

    /// Enters a call; returns the clock at which the call begins, as far as it is known here.
    pub(super) fn enter(&self, manner: Manner) -> Time {
        let clock = self.clock.get();
        let Some(pacing) = self.world.pacing.as_ref().filter(|_| self.depth.get() == 0) else {
            return clock;
        };
        let away = self.world.mailboxes[self.id as usize].outbox.lock().away.take();
        let was_followed = away.as_ref().is_some_and(Away::was_followed);
        let mut span = away.map(|away| away.computed(pacing)).unwrap_or_default();
        let computed = was_followed || !span.is_zero();
        let polls = !computed && self.looked.get() && manner == Manner::Looks;
        if computed || manner == Manner::Takes {
            self.looked.set(false);
        }
        if polls {
            span = pacing.now().since(clock);
        }
        if computed || polls {
            // It may need a core of its own.
            self.world.let_go();
        }
        if was_followed || !span.is_zero() {
            self.push(silent(Op::Compute { span }), 0);
            self.told.set(true);
        }
        if !self.called.replace(true) {
            self.world.first_call(pacing);
        }
        clock + span
    }

    /// Leaves a call.
    fn leave(&self) -> Result<(), CommError> {
        let Some(pacing) = self.world.pacing.as_ref().filter(|_| self.depth.get() == 0) else {
            return Ok(());
        };
        if self.told.get() {
            self.depth.set(1);
            let _within = Within(&self.depth);
            self.ask(Op::Sync)?;
        }
        let held = self.hold(pacing, self.clock.get());
        self.world.mailboxes[self.id as usize].outbox.lock().away = Some(Away::now(self.thread));
        held
    }

    /// Sleeps until an instant of modeled time is due.
    fn hold(&self, pacing: &Pacing, at: Time) -> Result<(), CommError> {
        while !self.world.crew.is_stopped() {
            let Some(due) = pacing.due(at) else {
                // Modeled time has not started: who starts it does not wake everybody.
                self.world.wake_when_due(pacing, self.id, at);
                self.sleep_until(WHEN_DUE, |_| pacing.due(at))?;
                continue;
            };
            let now = Instant::now();
            if let Some(by) = now.checked_duration_since(due) {
                let overhead = self.world.crew.machine.parameters().send_overhead();
                let allowed = WAKE_UP.max(pacing.real(overhead));
                let mut slips = self.slips.get();
                slips.add(Slip { by, rank: self.id as Rank, at }, allowed);
                self.slips.set(slips);
                return Ok(());
            }
            self.world.refuse_endless_wait(pacing, at);
            park_timeout(due - now);
        }
        Err(self.world.crew.ended())
    }
}
