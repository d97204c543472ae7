//! The events of nodes, with their places on the nodes' clocks.

use std::sync::Arc;

use crate::{
    rank::{Rank, Tag},
    time::{Span, Time},
};

/// An event: an action of one node from `start` to `end` on its own clock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The node.
    pub rank: Rank,
    /// The node's clock when the call was made.
    pub start: Time,
    /// The node's clock when the call returned.
    pub end: Time,
    /// The kind of action.
    pub kind: EventKind,
}

/// The kind of an [`Event`]. A message is identified by its sender and the number of messages that the sender had
/// sent before; its [`Transfer`](super::Transfer) has the times at which it was under way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// Sent a message: the overhead, and the time until the message left if the node waited for that.
    Send {
        /// The receiver, as a rank of the world.
        to: Rank,
        /// The length of the message.
        bytes: u64,
        /// The tag of the message.
        tag: Tag,
        /// The number of messages that the node had sent before.
        seq: u64,
        /// The CPU time of the node, at the beginning; all of the send under the [host's clock](crate::Clock::Host), where
        /// none waits.
        overhead: Span,
    },
    /// Received a message: the wait for it, and then the overhead.
    Recv {
        /// The sender, as a rank of the world.
        from: Rank,
        /// The length of the message.
        bytes: u64,
        /// The tag of the message.
        tag: Tag,
        /// The number of messages that the sender had sent before.
        seq: u64,
        /// The CPU time of the node, at the end; 0 under the [host's clock](crate::Clock::Host), where it is not told from
        /// the wait.
        overhead: Span,
    },
    /// Sent a message and received another at the same time. Both have events of their own within this one: the node
    /// waits first for its message to leave, then for the other one to arrive, and for the receive of its own at the end
    /// where it waits for that.
    SendRecv,
    /// Computed.
    Compute,
    /// Did work for a call of a library, which charged it: combined elements or copied data.
    Charge,
    /// Waited, and took no message then: for a request of its own send, in a probe, or without success.
    Wait {
        /// The reason why the wait ended.
        until: WaitEnd,
    },
    /// Was in a hardware barrier.
    Barrier,
    /// Was in a named phase.
    Phase {
        /// The name of the phase.
        name: Arc<str>,
    },
    /// Carried out a part of a call of the library.
    Part(Part),
}

/// The reason why a [wait](EventKind::Wait) ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitEnd {
    /// A message of the node itself had left.
    Left {
        /// The number of messages that the node had sent before that one.
        seq: u64,
    },
    /// A message of the node itself had left, and been matched with a receive, for which the node waited on a machine with
    /// [rendezvous](crate::MachineBuilder::rendezvous).
    Met {
        /// The number of messages that the node had sent before that one.
        seq: u64,
    },
    /// A message had arrived, which a probe found.
    Arrived {
        /// The sender, as a rank of the world.
        from: Rank,
        /// The number of messages that the sender had sent before.
        seq: u64,
    },
    /// A deadline had passed.
    Deadline,
    /// A fault of the machine ended it.
    Failure,
}

/// A part of a library call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The whole call: the name of the operation and of its algorithm.
    Operation(Arc<str>),
    /// One step of its schedule, counted from 1.
    Step(usize),
}

impl Part {
    /// The whole of a call with this name.
    pub fn operation(name: impl Into<Arc<str>>) -> Part {
        Part::Operation(name.into())
    }
}
