//! The interface between programs and machines: [`Endpoint`], through which one node communicates with the others.
//!
//! Programs and libraries ([`comm`](crate::comm) and everything above it) use a machine only through this trait. Each implementation is in
//! one folder of [`runtime`](crate::runtime): `modeled` gives messages the times of the timing model, `host` delivers them as fast as the
//! host allows. An endpoint is created on the thread of its node and stays there.
//!
//! Nodes are identified by their rank in the world, groups by a [`Context`], messages by a [`Label`], receives by a [`Selector`]: see
//! [`wire`](crate::wire). Ranks of groups, tags of libraries, element types and errors about arguments belong to `comm`.

use std::{fmt, panic::Location, sync::Arc};

use crate::{
    error::CommError,
    model::MachineSpec,
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

/// A message that a [probe](Endpoint::probe_claim) has set aside. It takes part in no further matching; only the receive that gets this claim
/// receives it.
#[derive(Debug)]
#[must_use = "the message is lost unless it is received"]
pub(crate) struct Claim(MessageId);

impl Claim {
    /// Creates the claim of a message that an endpoint has set aside.
    pub(crate) fn of(message: MessageId) -> Claim {
        Claim(message)
    }

    /// The identity of the message.
    pub(crate) fn message(&self) -> MessageId {
        self.0
    }
}

/// What a remote memory access does to the memory of its target, at an instant; returns the data for the origin, and the instant from which
/// on it travels back.
pub(crate) type Effect = Box<dyn FnOnce(Time) -> (Payload, Time) + Send>;

/// The index of the first complete request of several, with its message (of a receive) or the error that ended it.
pub(crate) type First = (usize, Result<Option<Envelope>, CommError>);

/// An event other than a call that the report or the trace of a run shows.
#[derive(Clone, Debug)]
pub(crate) enum Mark {
    /// A phase of the program begins.
    PhaseBegin(Arc<str>),
    /// A phase of the program ends.
    PhaseEnd(Arc<str>),
    /// A library operation, or one of its steps, begins; a trace shows it as a slice.
    PartBegin(Part),
    /// The innermost operation or step ends.
    PartEnd,
    /// The set of blocks that the node holds in a library call has changed.
    Holds(Box<Change>),
}

/// The data shared by all nodes of a run: the machine, the cache of plans, and the contexts of groups.
pub(crate) trait Shared {
    /// The machine: its shape and its parameters. Where time is not modeled, the parameters serve only for planning.
    fn machine(&self) -> &MachineSpec;

    /// The cache of plans, shared by all nodes and kept across runs.
    fn cache(&self) -> &Cache;

    /// Whether the run records operations and steps of libraries for a trace.
    fn is_traced(&self) -> bool;

    /// Returns the context of a group: equal on all members that make the `nth` group of these nodes under `parent`, and different from all
    /// other groups. `name` returns the group's name for reports and errors.
    fn context(&self, parent: Context, members: &[Rank], nth: u32, name: &dyn Fn() -> String) -> Context;

    /// Whether a context is a private one of a group, whose messages the program does not see.
    fn is_private(&self, context: Context) -> bool;
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

    /// Sends a message and returns when the message has left the node.
    fn send(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError>;

    /// Receives a message.
    fn recv(&self, select: Selector) -> Result<Envelope, CommError>;

    /// Receives a message; returns `None` at the deadline.
    fn recv_until(&self, select: Selector, deadline: Time) -> Result<Option<Envelope>, CommError>;

    /// Sends and receives at the same time.
    fn send_recv(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError>;

    /// Returns the label and the length of a message that can be received; waits for a message if `blocking`.
    fn probe(&self, select: Selector, blocking: bool) -> Result<Option<(Label, u64)>, CommError>;

    /// Like [`probe`](Endpoint::probe), but also sets the message aside (MPI's `MPI_Mprobe`, and `MPI_Improbe` if not `blocking`): no other
    /// receive or probe finds it. It is the message that a receive with this selector, called now, would take. Its sender, if it waits for
    /// the receive (rendezvous), goes on waiting: the claim is not the match. A message that is never received appears in the report as not
    /// received.
    fn probe_claim(&self, select: Selector, blocking: bool)
    -> Result<Option<(Label, u64, Claim)>, CommError>;

    /// Receives a claimed message (MPI's `MPI_Mrecv`). The call has the costs of a receive that is posted now: it ends at its call + o_r, and
    /// the message counts as unexpected if it arrived earlier.
    fn recv_claimed(&self, claim: Claim) -> Result<Envelope, CommError>;

    // Requests.

    /// Posts the receive of a claimed message (MPI's `MPI_Imrecv`). The request is complete at once; the wait for it takes o_r.
    fn irecv_claimed(&self, claim: Claim) -> Result<RequestId, CommError>;

    /// Starts a send.
    fn isend(&self, parcel: Parcel, payload: Payload) -> Result<RequestId, CommError>;

    /// Posts a receive.
    fn irecv(&self, select: Selector) -> Result<RequestId, CommError>;

    /// Starts a remote memory access (a put, a get, an accumulation or an atomic operation), which needs no call of its target. The call costs
    /// what the start of a send costs. `parcel` describes the message that goes to the target: its `bytes` are the data that the access
    /// carries there, 0 for a get. At the arrival of this message `effect` is carried out, once, at that instant of modeled
    /// time: of several accesses that arrive at one instant, that of the lowest origin first, then in the order of issue. The accesses of
    /// one node to one target are carried out in the order of issue. `effect` runs on any thread of the run, while no other effect on the
    /// same target runs. It must not panic and must make no call of an endpoint.
    ///
    /// If `back` is `Some(bytes)`, this number of bytes travels back to the origin, sent by the network interface of the target; 0 is an
    /// acknowledgement. The request is complete when they have arrived; [`wait`](Endpoint::wait) and its like then return an envelope with
    /// the payload of `effect`, and take no receive overhead. If `back` is `None`, nothing returns: the request is complete when the message
    /// has left, as that of a send, and a wait returns no envelope.
    ///
    /// A wait for an access is a look, as a test, a probe and a wait for any of several requests are. In modeled time a program sees after a
    /// look the effects in its own memory of all accesses up to its clock, and of no later ones.
    ///
    /// # Errors
    /// Over MPI, [`CommError::NoSharedMemory`]: its nodes share no memory. If a fault loses the message or what returns, or the target is
    /// dead, then the request fails, as that of a message does.
    fn remote(&self, parcel: Parcel, back: Option<u64>, effect: Effect) -> Result<RequestId, CommError>;

    /// Waits for a request; returns the message of a receive, or what a remote memory access returned.
    fn wait(&self, request: RequestId) -> Result<Option<Envelope>, CommError>;

    /// Waits for the first complete request of several; `None` if none is complete at the deadline. Also returns the node's clock.
    fn wait_any_until(
        &self,
        requests: Box<[RequestId]>,
        deadline: Time,
    ) -> Result<(Time, Option<First>), CommError>;

    /// Tests whether a request is complete; also returns the node's clock. `is_poll` marks a call that the program may repeat without other
    /// work (livelock detection).
    fn test(&self, request: RequestId, is_poll: bool) -> Result<(Time, Option<Option<Envelope>>), CommError>;

    /// Drops a request. A send continues; a receive stays posted, and the message that it matches is lost. `unwaited` is the send that the
    /// report lists as never waited for, if any.
    fn forget(&self, request: RequestId, unwaited: Option<Parcel>);

    /// Cancels a posted receive, as if it had never been posted: a message that it has matched becomes available to other receives, at its
    /// place in the order of arrival. The request is gone.
    fn withdraw(&self, request: RequestId);

    /// Cancels a posted receive unless a message has been matched with it at the node's clock (MPI's `MPI_Cancel`). Returns `true` if the
    /// receive was withdrawn: the request is gone, and later messages are matched as if it had never been posted. Returns `false` if a
    /// message has been matched, if a fault has ended the receive, or if the request is a send: the request stays open, and the program
    /// waits for it as for any other. The call takes no modeled time. Its result depends on the instant: the node waits until the network
    /// has reached its clock, and a message that arrives at this very instant has been matched.
    fn cancel(&self, request: RequestId) -> Result<bool, CommError>;

    // Time.

    /// The node's clock.
    fn now(&self) -> Result<Time, CommError>;

    /// Keeps the node's CPU busy for `span`.
    fn compute(&self, span: Span) -> Result<(), CommError>;

    /// Charges `span` of modeled time for work that a library performs itself, such as combining and copying. Does nothing where time is
    /// not modeled.
    fn charge(&self, span: Span) -> Result<(), CommError>;

    /// Computes until `deadline`, or longer because of noise, but stops when the receive `request` is complete. Returns the node's clock
    /// and, if it stopped early, the message and the time computed.
    fn compute_until(
        &self,
        deadline: Time,
        request: RequestId,
    ) -> Result<(Time, Option<(Envelope, Span)>), CommError>;

    /// Waits in the hardware barrier for all nodes. Not every machine has a hardware barrier.
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

    /// Notes that a call begins which may wait until all `members` of a group have made it too: the `nth` such call of these members under the context
    /// `group`. If not `waits`, only the others may wait. Only explorations use it; see [`explore`](crate::explore).
    fn may_wait_for_all(
        &self,
        group: Context,
        nth: u64,
        members: &[Rank],
        waits: bool,
    ) -> Result<(), CommError> {
        let _ = (group, nth, members, waits);
        Ok(())
    }

    /// Makes the current thread the one that sleeps for this node. Does nothing over MPI, where a node does not sleep.
    fn move_here(&self);

    // Reports and traces.

    /// Sets the place in the program of the call that it makes now, for errors and reports; does nothing inside a library call.
    fn set_place(&self, place: &'static Location<'static>);

    /// Begins a library call: all calls until [`leave`](Endpoint::leave) are one call to the program, named `name` in reports. Library
    /// calls may be nested.
    fn enter(&self, name: &'static str);

    /// Ends the innermost library call. In real time it returns when the end of the library call is due, unless the program panics.
    fn leave(&self) -> Result<(), CommError>;

    /// Records a mark for the report or the trace.
    fn mark(&self, mark: Mark) -> Result<(), CommError>;
}
