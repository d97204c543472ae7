//! The seam between programs and machines: [`Endpoint`], by which one node reaches the others.
//!
//! All that programs and libraries call ([`comm`](crate::comm) and everything above it) stands on this trait and on
//! nothing else of a machine. Every way to carry messages is one implementation, in one folder of
//! [`runtime`](crate::runtime): `modeled` gives messages the times of the timing model, `host` hands them over as fast as the
//! host can. An endpoint is made on the thread of its node and stays there.
//!
//! Nodes are named by their rank in the world, groups by a [`Context`], messages by a [`Label`], receives by a
//! [`Selector`]: see [`wire`](crate::wire). Ranks of groups, tags of libraries, element types and errors about arguments
//! are the business of `comm`.

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

/// The index of the first complete request of several, and its message if it was a receive, or the error that has ended it.
pub(crate) type First = (usize, Result<Option<Envelope>, CommError>);

/// Something that the report or the trace of a run shows, beside calls.
#[derive(Clone, Debug)]
pub(crate) enum Mark {
    /// A phase of the program begins.
    PhaseBegin(Arc<str>),
    /// It ends.
    PhaseEnd(Arc<str>),
    /// A part of a library call begins: a slice of the trace.
    PartBegin(Part),
    /// The part that began last ends.
    PartEnd,
    /// The node holds more, or something else, of the data of a library call.
    Holds(Box<Change>),
}

/// All that the nodes of a run have in common: plain data, and two tables that their groups need.
pub(crate) trait Shared {
    /// The machine: its shape and its parameters. Where nothing is modeled the parameters only serve planning.
    fn machine(&self) -> &Description;

    /// The cache that libraries keep for all nodes, from one run to the next.
    fn cache(&self) -> &Cache;

    /// Whether marks of parts are kept, for a trace.
    fn is_traced(&self) -> bool;

    /// The number of a group: equal on all members that make the `nth` group of these nodes under `parent`, and of no
    /// other group. `name` is for messages about it.
    fn context(&self, parent: Context, members: &[Rank], nth: u32, name: &dyn Fn() -> String) -> Context;
}

/// One node's way to the others.
///
/// Times are those of the run's clock, modeled or the host's, since the common start of all programs. Messages from one
/// sender are matched in the order in which they were sent; a receive takes the first message there that its selector
/// accepts, and a message goes to the first posted receive that accepts it.
///
/// # Errors
/// Every call fails with [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over, and with [`CommError::Died`]
/// once the node is dead; after many such calls the program is unwound.
pub(crate) trait Endpoint: fmt::Debug {
    /// The rank of this node in the world.
    fn id(&self) -> NodeId;

    /// When this node died, if it is dead.
    fn died(&self) -> Option<Time>;

    /// All that the nodes of the run have in common.
    fn shared(&self) -> &dyn Shared;

    // Messages.

    /// Sends a message and returns when it has left.
    fn send(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError>;

    /// Receives a message.
    fn recv(&self, select: Selector) -> Result<Envelope, CommError>;

    /// Receives a message, or gives up with `None` at a deadline.
    fn recv_until(&self, select: Selector, deadline: Time) -> Result<Option<Envelope>, CommError>;

    /// Sends and receives at the same time.
    fn send_recv(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError>;

    /// Label and length of a message that could be received; waits for one if `blocking`.
    fn probe(&self, select: Selector, blocking: bool) -> Result<Option<(Label, u64)>, CommError>;

    // Requests.

    /// Starts a send.
    fn isend(&self, parcel: Parcel, payload: Payload) -> Result<RequestId, CommError>;

    /// Posts a receive.
    fn irecv(&self, select: Selector) -> Result<RequestId, CommError>;

    /// Waits for a request; gives the message of a receive.
    fn wait(&self, request: RequestId) -> Result<Option<Envelope>, CommError>;

    /// Waits for the first of several requests, or gives up with `None` at a deadline; with the clock of the node then.
    fn wait_any_until(
        &self,
        requests: Box<[RequestId]>,
        deadline: Time,
    ) -> Result<(Time, Option<First>), CommError>;

    /// Looks whether a request is complete; with the clock of the node. `looks` tells that the program may do nothing
    /// else until it is.
    fn test(&self, request: RequestId, looks: bool) -> Result<(Time, Option<Option<Envelope>>), CommError>;

    /// Drops a request. A receive stays posted, and the message that it takes is lost to the program.
    fn forget(&self, request: RequestId);

    /// Takes a posted receive from any source back; a message that it has taken is there for others.
    fn withdraw(&self, request: RequestId);

    // Time.

    /// The node's clock.
    fn now(&self) -> Result<Time, CommError>;

    /// Keeps the node's CPU busy.
    fn compute(&self, span: Span) -> Result<(), CommError>;

    /// Charges the modeled time of work that a library really does, such as combining and copying. Nothing where nothing
    /// is modeled.
    fn charge(&self, span: Span) -> Result<(), CommError>;

    /// Computes until an instant, or longer where noise prolongs it, but stops when a receive is complete; the clock of the
    /// node then, the message, and the time for which it has computed.
    fn compute_until(
        &self,
        deadline: Time,
        request: RequestId,
    ) -> Result<(Time, Option<(Envelope, Span)>), CommError>;

    /// The machine's own barrier for all nodes, which not every machine has.
    fn barrier(&self) -> Result<(), CommError>;

    /// Announces the `nth` collective call of a member, `rank` of `size`, of a group. Fails with [`CommError::Mismatch`] if another
    /// member is known to make a different one; where time is modeled, this is found out later and ends the run.
    fn agree(
        &self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call<'_>,
    ) -> Result<(), CommError>;

    // Reports and traces.

    /// Begins a library call: what is called until [`leave`](Endpoint::leave) is one call to the program, named `name` in
    /// reports. Library calls may be nested.
    fn enter(&self, name: &'static str);

    /// Ends the library call that began last; in real time the program is held until it is due, unless it panics.
    fn leave(&self) -> Result<(), CommError>;

    /// Notes the beginning or the end of a phase or part.
    fn mark(&self, mark: Mark) -> Result<(), CommError>;
}
