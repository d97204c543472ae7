//! One thing that a node did, with its place in modeled time.

use std::sync::Arc;

use crate::{
    rank::{Rank, Tag},
    time::Time,
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

/// What a node did. A message is named by its sender and the number of messages which that had sent before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// Sent a message; a blocking send ends when the message has left, a non-blocking one after its overhead.
    Send {
        /// The receiver, as a rank of the world.
        to: Rank,
        /// The length of the message.
        bytes: u64,
        /// Its tag.
        tag: Tag,
        /// How many messages the node had sent before.
        seq: u64,
    },
    /// Received a message, waiting for it included.
    Recv {
        /// The sender, as a rank of the world.
        from: Rank,
        /// The length of the message.
        bytes: u64,
        /// Its tag.
        tag: Tag,
        /// How many messages the sender had sent before.
        seq: u64,
    },
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
}
