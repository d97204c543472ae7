//! The events of nodes, with their times.

use std::sync::Arc;

use crate::{
    rank::{Rank, Tag},
    time::{Span, Time},
};

/// An event: an action of one node from `start` to `end` on its own clock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The node, as a rank of the world.
    pub rank: Rank,
    /// The node's clock when the call was made.
    pub start: Time,
    /// The node's clock when the call returned.
    pub end: Time,
    /// The kind of action.
    pub kind: EventKind,
}

/// The kind of an [`Event`]. A message is identified by its sender and the number of messages that the sender had sent
/// before; its [`Transfer`](super::Transfer) has its times in the network.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A send: the overhead, then the wait for the message to leave, if the call is blocking.
    Send {
        /// The receiver, as a rank of the world.
        to: Rank,
        /// The length of the message, in bytes.
        bytes: u64,
        /// The tag of the message.
        tag: Tag,
        /// The number of messages that the node had sent before.
        seq: u64,
        /// The processor time at the start of the call; the whole call under the [host's clock](crate::Clock::Host),
        /// where sends do not wait.
        overhead: Span,
    },
    /// A receive: the wait for the message, then the overhead.
    Recv {
        /// The sender, as a rank of the world.
        from: Rank,
        /// The length of the message, in bytes.
        bytes: u64,
        /// The tag of the message.
        tag: Tag,
        /// The number of messages that the sender had sent before.
        seq: u64,
        /// The processor time at the end of the call; 0 under the [host's clock](crate::Clock::Host), where it is not
        /// measured separately from the wait.
        overhead: Span,
    },
    /// A combined send and receive. The send and the receive have separate events within this event: the node first waits for its message
    /// to leave, then for the other message to arrive, and, with the rendezvous protocol, at the end for the receive of its message.
    SendRecv,
    /// A computation.
    Compute,
    /// Library work charged to the node: combining elements or copying data.
    Charge,
    /// A wait that took no message: for a send request, in a probe, or without success.
    Wait {
        /// The reason why the wait ended.
        until: WaitEnd,
    },
    /// A hardware barrier.
    Barrier,
    /// A stay in a named phase, from entry to exit.
    Phase {
        /// The name of the phase.
        name: Arc<str>,
    },
    /// A part of a library call.
    Part(Part),
}

/// The reason why a [wait](EventKind::Wait) ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitEnd {
    /// A message of this node has left.
    Left {
        /// The number of messages that the node had sent before.
        seq: u64,
    },
    /// A message of this node has left and has matched a receive; on a machine with the [rendezvous
    /// protocol](crate::MachineBuilder::rendezvous), the node waits for both.
    Met {
        /// The number of messages that the node had sent before.
        seq: u64,
    },
    /// A message has arrived, and a probe has found it.
    Arrived {
        /// The sender, as a rank of the world.
        from: Rank,
        /// The number of messages that the sender had sent before.
        seq: u64,
    },
    /// A remote memory access of this node has returned.
    Returned {
        /// The target of the access, as a rank of the world.
        from: Rank,
        /// The number of the [transfer](super::Transfer) from the target that returned.
        seq: u64,
    },
    /// The deadline has passed.
    Deadline,
    /// A fault of the machine ended the wait.
    Failure,
}

/// A part of a library call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The whole call: the names of the operation and its algorithm.
    Operation(Arc<str>),
    /// One step of the schedule, counted from 1.
    Step(usize),
}

impl Part {
    /// Creates the part for a whole call with this name.
    pub fn operation(name: impl Into<Arc<str>>) -> Part {
        Part::Operation(name.into())
    }
}
