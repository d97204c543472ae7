//! A group as libraries of collective operations use it: private contexts, agreement, what reports and traces call
//! things.

use std::sync::Arc;

use super::{Group, Private};
use crate::{
    endpoint::{Cache, Call, Endpoint, Mark},
    error::CommError,
    rank::{Rank, Tag},
    record::{Change, Part},
    time::Span,
};

impl<'n> Group<'n> {
    /// The same members in a context of their own, whose messages mix with no others.
    pub(crate) fn with_context(&self, user: Private, name: impl Fn() -> String) -> Group<'n> {
        let new = || self.endpoint.shared().context(self.context, &[], user as u32, &name);
        let context = match user {
            Private::Collective => *self.private.get_or_init(new),
            Private::Nx | Private::Active | Private::Split => new(),
        };
        Group::new(self.endpoint, self.name.clone(), context, self.rank, self.members.clone())
    }

    /// The same members in the private context of collective operations.
    pub(crate) fn private(&self) -> Group<'n> {
        self.with_context(Private::Collective, || format!("collective calls in {}", self.name))
    }

    /// The nodes of the world that are its members, by rank.
    pub(crate) fn members(&self) -> Arc<[Rank]> {
        self.nodes.get_or_init(|| (0..self.size()).map(|rank| self.node(rank)).collect()).clone()
    }

    /// Says that this member makes a collective call, in the private context, and returns the tag for its messages. Every
    /// member makes the same calls in the same order.
    ///
    /// Fails with [`CommError::Mismatch`] if another member is known to make another call.
    pub(crate) fn agree(&self, call: &Call<'_>) -> Result<Tag, CommError> {
        let nth = self.calls.get();
        self.calls.set(nth + 1);
        if self.size() > 1 {
            self.endpoint.agree(self.context, nth, self.size(), self.rank, call)?;
        }
        Ok(Tag::of_call(call.operation(), nth))
    }

    /// Makes calls that are so many to [`agree`](Group::agree) when all goes well. If one of them fails the rest counts as made, too,
    /// so that the next call of this member has the number that it has on others.
    pub(crate) fn numbered<T, E>(&self, number: u64, calls: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let next = self.calls.get() + number;
        let result = calls();
        debug_assert!(result.is_err() || self.calls.get() == next, "{} calls were made", self.calls.get());
        self.calls.set(next);
        result
    }

    /// The values that libraries keep on the machine for all its nodes.
    pub(crate) fn cache(&self) -> &Cache {
        self.endpoint.shared().cache()
    }

    /// Charges the modeled time of work that is really done: combining, copying. Nothing where nothing is modeled.
    pub(crate) fn charge(&self, time: Span) -> Result<(), CommError> {
        self.endpoint.charge(time)
    }

    /// Makes several calls that are one to the program; `name` is what reports call it, such as `collect`. In real time
    /// the program is held until the last of them has ended, and nothing that is done meanwhile counts as its work.
    pub(crate) fn library_call<T, E: From<CommError>>(
        &self,
        name: &'static str,
        calls: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.endpoint.enter(name);
        let unwinding = LeaveOnPanic(self.endpoint);
        let result = calls();
        std::mem::forget(unwinding);
        self.endpoint.leave()?;
        result
    }

    /// Does a part of a call, which the trace of a run shows as a slice around all that is done in it. Takes no time, and
    /// `part` is not asked for where nothing is traced.
    pub(crate) fn as_part<T>(&self, part: impl FnOnce() -> Part, work: impl FnOnce() -> T) -> T {
        if !self.endpoint.shared().is_traced() {
            return work();
        }
        // After the end of the run there is nobody to tell.
        let _ = self.endpoint.mark(Mark::PartBegin(part()));
        let done = work();
        let _ = self.endpoint.mark(Mark::PartEnd);
        done
    }

    /// Tells the trace what this member holds from now on.
    pub(in crate::comm) fn holds(&self, change: impl FnOnce() -> Change) {
        if self.endpoint.shared().is_traced() {
            // After the end of the run there is nobody to tell.
            let _ = self.endpoint.mark(Mark::Holds(Box::new(change())));
        }
    }
}

/// Ends a library call in which something has panicked.
struct LeaveOnPanic<'n>(&'n dyn Endpoint);

impl Drop for LeaveOnPanic<'_> {
    fn drop(&mut self) {
        let _ = self.0.leave();
    }
}
