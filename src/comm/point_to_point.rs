//! What a collective needs from a machine.

use super::{Call, Memo, Message, Payload};
use crate::{
    error::CommError,
    model::Description,
    rank::{Destination, Rank, Select, Tag},
    record::Part,
    time::Span,
};

/// Sending and receiving among the ranks 0 to `size - 1` of a group: all that a collective may use, so that it runs
/// on every machine that has this.
///
/// Destinations and selections are written as they are thought: `send(3, ..)`, `send((3, Tag(7)), ..)`, `recv(3)`,
/// `recv(ANY_SOURCE)`, `recv((3, Tag(7)))`. What is sent is anything that turns into a [`Payload`]: a slice or a
/// vector of plain elements, `Bytes`, or a payload that was received.
///
/// Times are those of the timing model: a send costs its CPU o_s and blocks until the message has left, a receive
/// returns o_r after the message has arrived.
///
/// # Errors
/// Every call fails with [`CommError::NoSuchRank`] or [`CommError::TooLong`] if its arguments are out of range, and
/// with [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over.
pub trait PointToPoint {
    /// A send or receive under way.
    type Request<'a>
    where
        Self: 'a;

    /// This node's rank in the group.
    fn rank(&self) -> Rank;

    /// The number of ranks in the group.
    fn size(&self) -> usize;

    /// The machine: its shape and its parameters.
    fn machine(&self) -> &Description;

    /// Sends a message and returns when it has left.
    fn send(&self, to: impl Into<Destination>, data: impl Into<Payload>) -> Result<(), CommError>;

    /// Receives a message.
    fn recv(&self, from: impl Into<Select>) -> Result<Message, CommError>;

    /// Sends and receives at the same time; returns when both are done.
    fn sendrecv(
        &self,
        to: impl Into<Destination>,
        data: impl Into<Payload>,
        from: impl Into<Select>,
    ) -> Result<Message, CommError>;

    /// Starts a send and returns after its overhead.
    fn isend(
        &self,
        to: impl Into<Destination>,
        data: impl Into<Payload>,
    ) -> Result<Self::Request<'_>, CommError>;

    /// Posts a receive and returns at once.
    fn irecv(&self, from: impl Into<Select>) -> Result<Self::Request<'_>, CommError>;

    /// Waits until a request is complete. A receive costs its overhead here, and gives its message.
    fn wait(&self, request: Self::Request<'_>) -> Result<Option<Message>, CommError>;

    /// Waits for each of the requests in turn.
    fn wait_all<'a>(
        &self,
        requests: impl IntoIterator<Item = Self::Request<'a>>,
    ) -> Result<Vec<Option<Message>>, CommError>
    where
        Self: 'a,
    {
        self.library_call("a wait for several requests", || {
            requests.into_iter().map(|request| self.wait(request)).collect()
        })
    }

    /// The node of the machine that has this rank; any node if there is no such rank.
    fn place(&self, rank: Rank) -> Rank;

    /// The same members, for messages that the program does not see: they mix with no others.
    fn behind_the_scenes(&self) -> Self
    where
        Self: Sized;

    /// Says that this member makes a collective call, behind the scenes, and returns the tag for its messages. Every
    /// member makes the same calls in the same order.
    ///
    /// Fails with [`CommError::Mismatch`] where the machine can tell that another member makes another call.
    fn agree(&self, call: &Call) -> Result<Tag, CommError>;

    /// What is kept on the machine for all its nodes.
    fn memo(&self) -> &Memo;

    /// Several calls that are one to the program: `name` is what reports call it, such as `collect`. In real time the
    /// program is held until the last of them has ended, and nothing that is done meanwhile counts as its work.
    fn library_call<T, E: From<CommError>>(
        &self,
        name: &'static str,
        calls: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E>;

    /// Does a part of a call, which the trace of a run shows as a slice around all that is done in it. Takes no modeled
    /// time, and `part` is not asked for where nothing is traced: unless overridden, nothing is.
    fn as_part<T>(&self, part: impl FnOnce() -> Part, work: impl FnOnce() -> T) -> T {
        drop(part);
        work()
    }

    /// Keeps the CPU busy: for combining, copying and other work whose cost the machine's parameters give.
    fn compute(&self, time: Span) -> Result<(), CommError>;
}
