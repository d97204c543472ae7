//! Messages without groups: the plain, safe interface to a node, for crates that build another programming model on the library.
//!
//! [`comm`](super) has groups, typed messages and requests that borrow from their node. A [`Transport`] has none of these: nodes are
//! ranks of the world, messages are bytes under a [`Context`] and a tag, and a [`RequestId`] is a plain number. Groups and transports can be
//! mixed: a [`Group`] has a [context](Group::context) and gives the [ranks of nodes](Group::rank_of). A collective operation that proceeds
//! step by step, between other calls, is a [`Stepwise`](super::Stepwise) walk.
//!
//! ```
//! use multicomputer::{Machine, prelude::*, comm::transport::{From, To, Transport}};
//!
//! let run = Machine::paragon(1, 2).build()?.run(|node| {
//!     let (transport, context) = (Transport::of(node), node.world().context());
//!     let (other, tag) = (1 - node.rank(), Tag(7));
//!     let posted = transport.irecv(From { context, source: Some(other), tag: Some(tag) })?;
//!     let sent = transport.isend(To { rank: other, context, tag }, Payload::from([node.rank() as u8]))?;
//!     let message = transport.wait(posted)?.ok_or("a receive has a message")?;
//!     transport.wait(sent)?;
//!     Ok(message.to_vec::<u8>()?)
//! })?;
//! assert_eq!(run.outputs, [[1], [0]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{fmt, panic::Location};

use super::{Group, MAX_MESSAGE, Message, Node, group::as_library_call};
use crate::{
    endpoint::{self, Endpoint, Envelope},
    error::CommError,
    payload::Payload,
    rank::{Rank, Tag},
    time::{Span, Time},
    wire::{self, Label, Parcel, Selector},
};

/// The number that keeps the messages of one group apart from those of all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Context(pub(crate) wire::Context);

/// The number of a send or a receive in progress, valid on its node until a wait or a test has completed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId(pub(crate) wire::RequestId);

/// A message that a probe has set aside for a receive.
#[derive(Debug)]
#[must_use = "the message is lost unless it is received"]
pub struct Claim(endpoint::Claim);

/// The destination of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct To {
    /// The receiving node, as a rank of the world.
    pub rank: Rank,
    /// The context.
    pub context: Context,
    /// The tag.
    pub tag: Tag,
}

/// The messages that a receive or a probe accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct From {
    /// The context.
    pub context: Context,
    /// The sending node, as a rank of the world; `None` accepts any sender.
    pub source: Option<Rank>,
    /// The tag; `None` accepts any tag.
    pub tag: Option<Tag>,
}

/// A message that a probe has found: the sender as a rank of the world, the tag, and the length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The sending node, as a rank of the world.
    pub source: Rank,
    /// The tag.
    pub tag: Tag,
    /// The length in bytes.
    pub bytes: u64,
}

/// The calls of one node without groups. Sources of messages are ranks of the world.
///
/// # Errors
/// All calls fail with the errors common to all calls of a [`Group`]: [`CommError::Deadlock`] and [`CommError::Ended`] once the run is over,
/// [`CommError::Died`] once the node is dead, and with errors of faults.
#[derive(Clone, Copy)]
pub struct Transport<'n> {
    endpoint: &'n dyn Endpoint,
}

#[expect(clippy::missing_errors_doc, reason = "the errors of all calls are those of the type")]
impl<'n> Transport<'n> {
    /// The transport of a node.
    pub fn of(node: &Node<'n>) -> Transport<'n> {
        node.world().transport()
    }

    /// The rank of this node in the world.
    pub fn rank(self) -> Rank {
        self.endpoint.id() as Rank
    }

    /// Makes the current thread the one that calls and sleeps for this node. A transport cannot be sent to another thread; code that does it
    /// by unsafe means, with one thread at a time in a call, must call this first.
    pub fn move_here(self) {
        self.endpoint.move_here();
    }

    /// A group of all nodes, whose context is that of [`Node::world`].
    pub fn world(self) -> Group<'n> {
        Group::world(self.endpoint)
    }

    #[track_caller]
    fn called(self) -> &'n dyn Endpoint {
        self.endpoint.set_place(Location::caller());
        self.endpoint
    }

    /// Sends a message and returns when it has left.
    #[track_caller]
    pub fn send(self, to: To, payload: Payload) -> Result<(), CommError> {
        self.called().send(self.parcel(to, &payload)?, payload)
    }

    /// Sends a message in synchronous mode: returns when it has left and a receive has taken it.
    #[track_caller]
    pub fn ssend(self, to: To, payload: Payload) -> Result<(), CommError> {
        let parcel = Parcel { synchronous: true, ..self.parcel(to, &payload)? };
        self.called().send(parcel, payload)
    }

    /// Receives a message.
    #[track_caller]
    pub fn recv(self, from: From) -> Result<Message, CommError> {
        Ok(message(self.called().recv(selector(from))?))
    }

    /// Sends and receives at the same time.
    #[track_caller]
    pub fn send_recv(self, to: To, payload: Payload, from: From) -> Result<Message, CommError> {
        Ok(message(self.called().send_recv(self.parcel(to, &payload)?, payload, selector(from))?))
    }

    /// Starts a send.
    #[track_caller]
    pub fn isend(self, to: To, payload: Payload) -> Result<RequestId, CommError> {
        self.called().isend(self.parcel(to, &payload)?, payload).map(RequestId)
    }

    /// Starts a send in synchronous mode.
    #[track_caller]
    pub fn issend(self, to: To, payload: Payload) -> Result<RequestId, CommError> {
        let parcel = Parcel { synchronous: true, ..self.parcel(to, &payload)? };
        self.called().isend(parcel, payload).map(RequestId)
    }

    /// Posts a receive.
    #[track_caller]
    pub fn irecv(self, from: From) -> Result<RequestId, CommError> {
        self.called().irecv(selector(from)).map(RequestId)
    }

    /// Starts a remote memory access, which needs no call of its target. `bytes` travel to the target; at their arrival `effect` is carried out,
    /// once, at that instant of modeled time: of several accesses that arrive at one instant, that of the lowest origin first, then in the
    /// order of issue. The accesses of one node to one target are carried out in the order of issue. `effect` runs on any thread of the run,
    /// while no other effect on the same target runs; it must not panic.
    ///
    /// If `back` is `Some(bytes)`, this number of bytes travels back to the origin; 0 is an acknowledgement. The request is complete when they have
    /// arrived, and its message has the payload of `effect`. If `back` is `None`, the request is complete when the message has left.
    ///
    /// After a wait, a test or a probe a program sees in its own memory the effects of all accesses up to its clock, and no later ones.
    ///
    /// # Errors
    /// Over MPI, [`CommError::NoSharedMemory`].
    #[track_caller]
    pub fn remote(
        self,
        to: To,
        bytes: u64,
        back: Option<u64>,
        effect: impl FnOnce() -> Payload + Send + 'static,
    ) -> Result<RequestId, CommError> {
        self.remote_until(to, bytes, back, move |at| (effect(), at))
    }

    /// Starts a remote memory access whose effect takes time: it is told the instant at which it is carried out, and returns the instant from
    /// which on its payload travels back, as if the access arrived only then. It models a server at the target, such as a disk.
    ///
    /// # Errors
    /// As [`remote`](Transport::remote).
    #[track_caller]
    pub fn remote_until(
        self,
        to: To,
        bytes: u64,
        back: Option<u64>,
        effect: impl FnOnce(Time) -> (Payload, Time) + Send + 'static,
    ) -> Result<RequestId, CommError> {
        let parcel = Parcel { bytes, ..self.parcel(to, &Payload::empty())? };
        if bytes > MAX_MESSAGE {
            return Err(CommError::TooLong { given: bytes, most: MAX_MESSAGE });
        }
        self.called().remote(parcel, back, Box::new(effect)).map(RequestId)
    }

    /// Waits for a request; returns the message of a receive, or what a remote memory access has returned.
    #[track_caller]
    pub fn wait(self, request: RequestId) -> Result<Option<Message>, CommError> {
        Ok(self.called().wait(request.0)?.map(message))
    }

    /// Waits like [`wait`](Transport::wait), but returns `None` and leaves the request as it is if it is not complete at an instant.
    #[track_caller]
    pub fn wait_until(
        self,
        request: RequestId,
        deadline: Time,
    ) -> Result<Option<Option<Message>>, CommError> {
        let (_, complete) = self.called().wait_any_until(Box::new([request.0]), deadline)?;
        complete.map(|(_, received)| Ok(received?.map(message))).transpose()
    }

    /// Waits for the first complete request of several: returns its index in the list, and the message of a receive. Of several complete
    /// requests the first in modeled time is returned, then the first in the list.
    #[track_caller]
    pub fn wait_any(self, requests: &[RequestId]) -> Result<(usize, Option<Message>), CommError> {
        if requests.is_empty() {
            return Err(CommError::NothingToWaitFor);
        }
        let requests = requests.iter().map(|request| request.0).collect();
        let (_, complete) = self.called().wait_any_until(requests, Time::MAX)?;
        let (index, received) = complete.ok_or(CommError::Ended)?;
        Ok((index, received?.map(message)))
    }

    /// Tests whether a request is complete at this instant of the node's clock. If it is, the call acts as a [`wait`](Transport::wait).
    ///
    /// A program that only tests and probes without success never advances its clock: it fails with [`CommError::Livelock`] after many such
    /// calls.
    #[track_caller]
    pub fn test(self, request: RequestId) -> Result<Option<Option<Message>>, CommError> {
        let (_, complete) = self.called().test(request.0, true)?;
        Ok(complete.map(|received| received.map(message)))
    }

    /// Withdraws a posted receive that no message has matched at this instant of the node's clock. Returns whether it is withdrawn; if not,
    /// it is complete, and a wait returns its message.
    #[track_caller]
    pub fn cancel(self, request: RequestId) -> Result<bool, CommError> {
        self.called().cancel(request.0)
    }

    /// Gives up a send: the message is sent all the same, and nothing tells when it has left. A receive that is given up loses its message.
    pub fn forget(self, request: RequestId) {
        self.endpoint.forget(request.0, None);
    }

    /// Waits for a message, and returns what it is without receiving it.
    #[track_caller]
    pub fn probe(self, from: From) -> Result<Found, CommError> {
        self.called().probe(selector(from), true)?.map(found).ok_or(CommError::Ended)
    }

    /// Returns what a message is that can be received at this instant of the node's clock, without receiving it.
    #[track_caller]
    pub fn try_probe(self, from: From) -> Result<Option<Found>, CommError> {
        Ok(self.called().probe(selector(from), false)?.map(found))
    }

    /// Waits for a message and claims it: no other receive or probe finds it. A receive of the claim receives it.
    #[track_caller]
    pub fn claim(self, from: From) -> Result<(Found, Claim), CommError> {
        self.called().probe_claim(selector(from), true)?.map(claimed).ok_or(CommError::Ended)
    }

    /// Claims a message that can be received at this instant of the node's clock.
    #[track_caller]
    pub fn try_claim(self, from: From) -> Result<Option<(Found, Claim)>, CommError> {
        Ok(self.called().probe_claim(selector(from), false)?.map(claimed))
    }

    /// Receives a claimed message.
    #[track_caller]
    pub fn recv_claimed(self, claim: Claim) -> Result<Message, CommError> {
        Ok(message(self.called().recv_claimed(claim.0)?))
    }

    /// Posts the receive of a claimed message.
    #[track_caller]
    pub fn irecv_claimed(self, claim: Claim) -> Result<RequestId, CommError> {
        self.called().irecv_claimed(claim.0).map(RequestId)
    }

    /// The node's clock.
    #[track_caller]
    pub fn now(self) -> Result<Time, CommError> {
        self.called().now()
    }

    /// Keeps the node's CPU busy.
    #[track_caller]
    pub fn compute(self, span: Span) -> Result<(), CommError> {
        self.called().compute(span)
    }

    /// Lets time pass while the node waits.
    #[track_caller]
    pub fn sleep(self, span: Span) -> Result<(), CommError> {
        let endpoint = self.called();
        if span.is_zero() {
            return Ok(());
        }
        let deadline = endpoint.now()? + span;
        endpoint.wait_any_until([].into(), deadline).map(drop)
    }

    /// Charges modeled time for work that a library does itself, such as combining and copying. Does nothing where time is not modeled.
    #[track_caller]
    pub fn charge(self, span: Span) -> Result<(), CommError> {
        self.called().charge(span)
    }

    /// Notes that a call begins which may wait until all `members` of a group have made it too, or not, as collective calls of MPI: the `nth` such
    /// call of these nodes under a context. Explorations of [orders of arrival](crate::explore) look for deadlocks if it waits; otherwise nothing happens.
    /// With `waits` false only the others may wait for this call: as if operations in progress went on during the wait, which it has to let happen.
    #[track_caller]
    pub fn may_wait_for_all(
        self,
        context: Context,
        nth: u64,
        members: &[Rank],
        waits: bool,
    ) -> Result<(), CommError> {
        self.called().may_wait_for_all(context.0, nth, members, waits)
    }

    /// Runs several calls as one call of a library, which reports show as `name`. In real time it returns when its last internal call is due.
    #[track_caller]
    pub fn library_call<T, E>(self, name: &'static str, calls: impl FnOnce() -> Result<T, E>) -> Result<T, E>
    where
        E: std::convert::From<CommError>,
    {
        as_library_call(self.endpoint, name, calls)
    }

    fn parcel(self, to: To, payload: &Payload) -> Result<Parcel, CommError> {
        let To { rank, context, tag } = to;
        let size = self.endpoint.shared().machine().nodes();
        if rank >= size {
            return Err(CommError::NoSuchRank { given: rank, size, group: "the world".into() });
        }
        let bytes = payload.len();
        if bytes > MAX_MESSAGE {
            return Err(CommError::TooLong { given: bytes, most: MAX_MESSAGE });
        }
        Ok(Parcel { target: rank as u32, context: context.0, tag, bytes, active: false, synchronous: false })
    }
}

fn selector(from: From) -> Selector {
    Selector { context: from.context.0, source: from.source.map(|rank| rank as u32), tag: from.tag }
}

fn message(envelope: Envelope) -> Message {
    let Envelope { id, label, payload } = envelope;
    Message { source: label.source as Rank, tag: label.tag, payload, id }
}

fn claimed((label, bytes, claim): (Label, u64, endpoint::Claim)) -> (Found, Claim) {
    (found((label, bytes)), Claim(claim))
}

fn found((label, bytes): (Label, u64)) -> Found {
    Found { source: label.source as Rank, tag: label.tag, bytes }
}

impl fmt::Debug for Transport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transport({})", self.endpoint.id())
    }
}

impl<'n> Group<'n> {
    /// The node's calls without groups.
    pub fn transport(&self) -> Transport<'n> {
        Transport { endpoint: self.endpoint() }
    }

    /// The destination of a message to a member in this group's context. Panics if the rank is out of range.
    pub fn to(&self, rank: Rank, tag: Tag) -> To {
        To { rank: self.node(rank), context: self.context(), tag }
    }

    /// The messages of a member in this group's context. Panics if the rank is out of range.
    pub fn from(&self, rank: Rank, tag: Tag) -> From {
        From { context: self.context(), source: Some(self.node(rank)), tag: Some(tag) }
    }
}
