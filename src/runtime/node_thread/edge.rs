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

use super::NodeThread;
use crate::{
    error::CommError,
    kernel::Op,
    rank::Rank,
    runtime::{
        away::Away,
        bell::WHEN_DUE,
        pacing::Pacing,
        shared::silent,
        slip::{Slip, Slips},
    },
    time::Time,
};

/// An answer that comes late by no more than this, or than the send overhead, is not counted as late: a host needs so
/// much to wake a thread.
const WAKE_UP: Duration = Duration::from_micros(100);

/// Counts a call until it is over, even if it unwinds.
struct Within<'a>(&'a Cell<u32>);

impl Drop for Within<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl NodeThread<'_> {
    /// A call of the program, or of a library that it has called.
    pub(super) fn call<T>(&self, make: impl FnOnce() -> Result<T, CommError>) -> Result<T, CommError> {
        self.look(false, make)
    }

    /// As [`call`](NodeThread::call). If it `looks`, it does not wait, but tells how things are at the node's clock: a
    /// program that looks again, having done nothing else, is polling, and lives by the wall clock.
    pub(super) fn look<T>(
        &self,
        looks: bool,
        make: impl FnOnce() -> Result<T, CommError>,
    ) -> Result<T, CommError> {
        self.enter(looks);
        let before = self.clock.get();
        let result = {
            self.depth.set(self.depth.get() + 1);
            let _within = Within(&self.depth);
            make()
        };
        self.leave(looks && self.clock.get() == before).and(result)
    }

    /// Several calls that are one to the program; `name` is what reports call it.
    pub(crate) fn library_call<T, E: From<CommError>>(
        &self,
        name: &'static str,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let outermost = self.depth.get() == 0;
        self.enter(false);
        let within = &self.shared.seats[self.id as usize].within;
        if outermost {
            *within.lock() = Some(name);
        }
        let result = {
            // More than a call of the program itself counts for.
            self.depth.set(self.depth.get() + 2);
            let _within = (Within(&self.depth), Within(&self.depth));
            make()
        };
        if outermost {
            *within.lock() = None;
        }
        self.leave(false)?;
        result
    }

    /// Whether the call under way returns to a program that is held until it may.
    pub(super) fn is_held(&self) -> bool {
        self.depth.get() == 1 && self.shared.pacing.is_some()
    }

    /// How late the answers of this node were.
    pub(crate) fn slips(&self) -> Slips {
        self.slips.get()
    }

    /// The way in.
    pub(super) fn enter(&self, looks: bool) {
        let Some(pacing) = self.shared.pacing.as_ref().filter(|_| self.depth.get() == 0) else { return };
        let away = self.shared.seats[self.id as usize].outbox.lock().away.take();
        let was_followed = away.as_ref().is_some_and(Away::was_followed);
        let mut span = away.map(|away| away.computed(pacing)).unwrap_or_default();
        let polls = self.looked.replace(false) && looks;
        if was_followed || !span.is_zero() {
            self.shared.let_go();
        } else if polls {
            span = pacing.now().since(self.clock.get());
        }
        if was_followed || !span.is_zero() {
            self.push(silent(Op::Compute { span }), 0);
            self.told.set(true);
        }
        if !self.called.replace(true) {
            self.shared.first_call(pacing);
        }
    }

    /// The way back. `in_vain`: the call only looked, and the clock stands where it stood.
    fn leave(&self, in_vain: bool) -> Result<(), CommError> {
        let Some(pacing) = self.shared.pacing.as_ref().filter(|_| self.depth.get() == 0) else {
            return Ok(());
        };
        if self.told.get() {
            self.depth.set(1);
            let _within = Within(&self.depth);
            self.ask(Op::Sync)?;
        }
        let held = self.hold(pacing, self.clock.get());
        self.looked.set(in_vain);
        self.shared.seats[self.id as usize].outbox.lock().away = Some(Away::now(self.thread));
        held
    }

    /// Sleeps until an instant of modeled time is due.
    fn hold(&self, pacing: &Pacing, at: Time) -> Result<(), CommError> {
        while !self.shared.is_stopped() {
            let Some(due) = pacing.due(at) else {
                // Modeled time has not started: who starts it does not wake everybody.
                self.shared.wake_when_due(pacing, self.id, at);
                self.sleep_until(WHEN_DUE, |_| pacing.due(at))?;
                continue;
            };
            let now = Instant::now();
            if let Some(by) = now.checked_duration_since(due) {
                let overhead = self.shared.machine.parameters().send_overhead();
                let allowed = WAKE_UP.max(pacing.real(overhead));
                let mut slips = self.slips.get();
                slips.add(Slip { by, rank: self.id as Rank, at }, allowed);
                self.slips.set(slips);
                return Ok(());
            }
            self.shared.refuse_endless_wait(pacing, at);
            park_timeout(due - now);
        }
        Err(self.shared.ended())
    }
}
