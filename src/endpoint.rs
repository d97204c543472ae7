//! The interface between programs and machines: [`Endpoint`], through which one node communicates with the others.
//!
//! Programs and libraries ([`comm`](crate::comm) and everything above it) use a machine only through this trait. Each implementation is in
//! one folder of [`runtime`](crate::runtime): `modeled` gives messages the times of the timing model, `host` delivers them as fast as the
//! host allows. An endpoint is created on the thread of its node and stays there.
//!
//! Nodes are identified by their rank in the world, groups by a [`Context`], messages by a [`Label`], receives by a [`Selector`]: see
//! [`wire`](crate::wire). Ranks of groups, tags of libraries, element types and errors about arguments belong to `comm`.

use std::{fmt, sync::Arc};

use crate::{
    error::CommError,
    model::Description,
    payload::Payload,
    rank::Rank,
    record::{Change, Part},
    time::{Span, Time},
    wire::{Context, Label, Labeled, MessageId, NodeId, Parcel, RequestId, Selector},
};

mod call;

pub(crate) use crate::plan::Cache;
pub(crate) use call::Call;

/// A message with its data.
#[derive(Debug)]
pub(crate) struct Envelope {
    pub(crate) id: MessageId,
    pub(crate) label: Label,
    pub(crate) payload: Payload,
}

impl Labeled for Envelope {
    fn label(&self) -> Label {
        self.label
    }
}

/// The index of the first complete request of several, with its message (of a receive) or the error that ended it.
pub(crate) type First = (usize, Result<Option<Envelope>, CommError>);

/// An event other than a call that the report or the trace of a run shows.
#[derive(Clone, Debug)]
pub(crate) enum Mark {
    /// A phase of the program begins.
    PhaseBegin(Arc<str>),
    /// A phase of the program ends.
    PhaseEnd(Arc<str>),
    /// A part of a library call begins: a slice of the trace.
    PartBegin(Part),
    /// The innermost part ends.
    PartEnd,
    /// The node's data of a library call has changed.
    Holds(Box<Change>),
}

/// The data that all nodes of a run share, with the two tables that groups need.
pub(crate) trait Shared {
    /// The machine: its shape and its parameters. Where time is not modeled, the parameters serve only for planning.
    fn machine(&self) -> &Description;

    /// The cache that libraries share among all nodes and across runs.
    fn cache(&self) -> &Cache;

    /// Whether the run records marks of parts for a trace.
    fn is_traced(&self) -> bool;

    /// Returns the context of a group: equal on all members that make the `nth` group of these nodes under `parent`, and different from all
    /// other groups. `name` is used in messages.
    fn context(&self, parent: Context, members: &[Rank], nth: u32, name: &dyn Fn() -> String) -> Context;
}

/// The communication interface of one node.
///
/// Times are times of the run's clock, modeled or the host's, since the common start of all programs. Messages from one sender are matched
/// in the order of sending. A receive takes the first available message that its selector accepts; a message goes to the first posted
/// receive that accepts it.
///
/// # Errors
/// Every call fails with [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over, and with [`CommError::Died`] once the node
/// is dead; after many failed calls the program is unwound.
pub(crate) trait Endpoint: fmt::Debug {
    /// The rank of this node in the world.
    fn id(&self) -> NodeId;

    /// The time at which this node died, if it is dead.
    fn died(&self) -> Option<Time>;

    /// The data that all nodes of the run share.
    fn shared(&self) -> &dyn Shared;

    // Messages.

    /// Sends a message and returns when it has left.
    fn send(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError>;

    /// Receives a message.
    fn recv(&self, select: Selector) -> Result<Envelope, CommError>;

    /// Receives a message; returns `None` at the deadline.
    fn recv_until(&self, select: Selector, deadline: Time) -> Result<Option<Envelope>, CommError>;

    /// Sends and receives at the same time.
    fn send_recv(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError>;

    /// Returns label and length of a message that can be received; waits for one if `blocking`.
    fn probe(&self, select: Selector, blocking: bool) -> Result<Option<(Label, u64)>, CommError>;

    // Requests.

    /// Starts a send.
    fn isend(&self, parcel: Parcel, payload: Payload) -> Result<RequestId, CommError>;

    /// Posts a receive.
    fn irecv(&self, select: Selector) -> Result<RequestId, CommError>;

    /// Waits for a request; returns the message of a receive.
    fn wait(&self, request: RequestId) -> Result<Option<Envelope>, CommError>;

    /// Waits for the first of several requests; returns `None` for it at the deadline. Also returns the node's clock.
    fn wait_any_until(
        &self,
        requests: Box<[RequestId]>,
        deadline: Time,
    ) -> Result<(Time, Option<First>), CommError>;

    /// Tests whether a request is complete; also returns the node's clock. `is_poll` marks a call that the program may repeat without other
    /// work (livelock detection).
    fn test(&self, request: RequestId, is_poll: bool) -> Result<(Time, Option<Option<Envelope>>), CommError>;

    /// Drops a request. A receive stays posted, and the program loses the message that the receive takes.
    fn forget(&self, request: RequestId);

    /// Cancels a posted receive from any source; a message that it has taken becomes available to other receives.
    fn withdraw(&self, request: RequestId);

    // Time.

    /// The node's clock.
    fn now(&self) -> Result<Time, CommError>;

    /// Keeps the node's CPU busy.
    fn compute(&self, span: Span) -> Result<(), CommError>;

    /// Charges the modeled time of a library's real work, such as combining and copying. Does nothing where time is not modeled.
    fn charge(&self, span: Span) -> Result<(), CommError>;

    /// Computes until an instant, or longer because of noise, but stops when a receive is complete. Returns the node's clock, and after an
    /// interruption the message and the time computed.
    fn compute_until(
        &self,
        deadline: Time,
        request: RequestId,
    ) -> Result<(Time, Option<(Envelope, Span)>), CommError>;

    /// Waits in the machine's hardware barrier for all nodes. Not every machine has one.
    fn barrier(&self) -> Result<(), CommError>;

    /// Announces the `nth` collective call of a group by its member `rank` of `size`. Fails with [`CommError::Mismatch`] if another member
    /// is known to make a different call; where time is modeled, a mismatch is detected later and ends the run.
    fn agree(
        &self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call<'_>,
    ) -> Result<(), CommError>;

    // Reports and traces.

    /// Begins a library call: all calls until [`leave`](Endpoint::leave) are one call to the program, named `name` in reports. Library
    /// calls may be nested.
    fn enter(&self, name: &'static str);

    /// Ends the innermost library call. In real time the call returns when it is due, unless the program panics.
    fn leave(&self) -> Result<(), CommError>;

    /// Records the beginning or the end of a phase or part.
    fn mark(&self, mark: Mark) -> Result<(), CommError>;
}
