//! Services of a group for libraries of collective operations: private contexts, agreement, and names for reports and traces.

use std::sync::Arc;

use super::{Group, Private, called};
use crate::{
    endpoint::{Cache, Call, Endpoint, Mark},
    error::CommError,
    rank::{Rank, Tag},
    record::{Change, Part},
    time::Span,
};

impl<'n> Group<'n> {
    /// Returns a group of the same members with a separate context, so that its messages match no others.
    pub(crate) fn with_context(&self, user: Private, name: impl Fn() -> String) -> Group<'n> {
        let new = || self.endpoint.shared().context(self.context, &[], user as u32, &name);
        let context = match user {
            Private::Collective => *self.private.get_or_init(new),
            Private::Nx | Private::Active | Private::Split | Private::Outside => new(),
        };
        Group::new(self.endpoint, self.name.clone(), context, self.rank, self.members.clone())
    }

    /// Returns a group of the same members with the private context of collective operations.
    pub(crate) fn private(&self) -> Group<'n> {
        self.with_context(Private::Collective, || format!("collective calls in {}", self.name))
    }

    /// The members as nodes of the world, in the order of their ranks.
    pub(crate) fn members(&self) -> Arc<[Rank]> {
        self.nodes.get_or_init(|| (0..self.size()).map(|rank| self.node(rank)).collect()).clone()
    }

    /// Announces a collective call of this member in the private context, and returns the tag for its messages. Every member makes the same
    /// calls in the same order.
    ///
    /// Fails with [`CommError::Mismatch`] if another member is known to make a different call.
    pub(crate) fn agree(&self, call: &Call<'_>) -> Result<Tag, CommError> {
        let nth = self.calls.get();
        self.calls.set(nth + 1);
        if self.size() > 1 {
            self.endpoint.agree(self.context, nth, self.size(), self.rank, call)?;
        }
        Ok(Tag::of_call(call.operation(), nth))
    }

    /// Runs `calls`, which makes `number` calls of [`agree`](Group::agree) if it succeeds. After a failure the counter advances by `number`
    /// all the same, so that the next call has the same number on all members.
    pub(crate) fn numbered<T, E>(&self, number: u64, calls: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let next = self.calls.get() + number;
        let result = calls();
        debug_assert!(result.is_err() || self.calls.get() == next, "{} calls were made", self.calls.get());
        self.calls.set(next);
        result
    }

    /// The values that libraries cache on the machine for all its nodes.
    pub(crate) fn cache(&self) -> &Cache {
        self.endpoint.shared().cache()
    }

    /// Charges the modeled time of work that a library does on real data: combining, copying. Does nothing where time is not modeled.
    pub(crate) fn charge(&self, time: Span) -> Result<(), CommError> {
        self.endpoint.charge(time)
    }

    /// Charges the call overhead of the machine, once for each member and collective operation, before its first message.
    pub(crate) fn charge_call(&self) -> Result<(), CommError> {
        match self.machine().parameters().call_overhead() {
            none if none.is_zero() => Ok(()),
            overhead => self.charge(overhead),
        }
    }

    /// Runs several calls as one library call; reports show it as `name`, such as `all-gather`. In real time the call returns when the last
    /// internal call is due, and the work in between is not charged to the program.
    #[track_caller]
    pub(crate) fn library_call<T, E: From<CommError>>(
        &self,
        name: &'static str,
        calls: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        as_library_call(self.endpoint, name, calls)
    }

    /// Runs `work` as a part of a library call: the trace shows a slice that encloses the calls of `work`. The slice takes no time; `part`
    /// is called only if the run is traced.
    pub(crate) fn as_part<T>(&self, part: impl FnOnce() -> Part, work: impl FnOnce() -> T) -> T {
        if !self.endpoint.shared().is_traced() {
            return work();
        }
        // An error means that the run has ended: the mark is no longer needed.
        let _ = self.endpoint.mark(Mark::PartBegin(part()));
        let done = work();
        let _ = self.endpoint.mark(Mark::PartEnd);
        done
    }

    /// Records in the trace a change of the data that this member holds.
    pub(in crate::comm) fn holds(&self, change: impl FnOnce() -> Change) {
        if self.endpoint.shared().is_traced() {
            // An error means that the run has ended: the mark is no longer needed.
            let _ = self.endpoint.mark(Mark::Holds(Box::new(change())));
        }
    }
}

/// Runs several calls of a node as one library call: see [`Group::library_call`].
#[track_caller]
pub(in crate::comm) fn as_library_call<T, E: From<CommError>>(
    endpoint: &dyn Endpoint,
    name: &'static str,
    calls: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    called(endpoint).enter(name);
    let unwinding = LeaveOnPanic(endpoint);
    let result = calls();
    std::mem::forget(unwinding);
    endpoint.leave()?;
    result
}

/// Ends a library call after a panic inside it.
struct LeaveOnPanic<'n>(&'n dyn Endpoint);

impl Drop for LeaveOnPanic<'_> {
    fn drop(&mut self) {
        let _ = self.0.leave();
    }
}
