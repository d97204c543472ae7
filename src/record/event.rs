//! One thing that a node did, with its place in modeled time.

use std::sync::Arc;

use crate::{
    rank::{Rank, Tag},
    time::{Span, Time},
};

/// Something that one node did from `start` to `end` on its own clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The node.
    pub rank: Rank,
    /// The node's clock when the call was made.
    pub start: Time,
    /// The node's clock when the call returned.
    pub end: Time,
    /// What it was.
    pub kind: EventKind,
}

/// What a node did. A message is named by its sender and the number of messages which that had sent before; its
/// [`Transfer`](super::Transfer) says when it was on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// Sent a message: its overhead, and if the node then waited for the message to leave, that.
    Send {
        /// The receiver, as a rank of the world.
        to: Rank,
        /// The length of the message.
        bytes: u64,
        /// Its tag.
        tag: Tag,
        /// How many messages the node had sent before.
        seq: u64,
        /// CPU time of the node, at the beginning.
        overhead: Span,
    },
    /// Received a message: waited for it, and then its overhead.
    Recv {
        /// The sender, as a rank of the world.
        from: Rank,
        /// The length of the message.
        bytes: u64,
        /// Its tag.
        tag: Tag,
        /// How many messages the sender had sent before.
        seq: u64,
        /// CPU time of the node, at the end.
        overhead: Span,
    },
    /// Sent a message and received one at the same time. The two have events of their own within this one: it waits
    /// first for the one to leave, then for the other to come.
    SendRecv,
    /// Computed.
    Compute,
    /// Waited for a request of its own send, or in vain.
    Wait,
    /// Was in a hardware barrier.
    Barrier,
    /// Was in a named phase.
    Phase {
        /// Its name.
        name: Arc<str>,
    },
    /// Carried out a part of a call of the library.
    Part(Part),
}

/// A part of what a call of the library does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// All of it: what it is, and by which algorithm.
    Operation(Arc<str>),
    /// One step of its schedule, counted from 1.
    Step(usize),
}

impl Part {
    /// All of a call that is called so.
    pub fn operation(name: impl Into<Arc<str>>) -> Part {
        Part::Operation(name.into())
    }
}
