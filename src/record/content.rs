//! The holdings of nodes, of the data that a library call moves: as the call itself tells them.

use std::sync::Arc;

use crate::{
    rank::{Rank, Tag},
    time::Time,
};

/// A change of what a node holds of the blocks that a [schedule](crate::pattern::Schedule) moves: recorded of every call that
/// walks one with all of its blocks, in modeled time.
///
/// A node holds what it has had at any time: blocks do not leave it when they are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Content {
    /// The node.
    pub rank: Rank,
    /// The node's clock.
    pub at: Time,
    /// The number of messages that the node had sent before.
    pub sent: u64,
    /// The change.
    pub change: Change,
}

/// The change of what a node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A call begins, and the node holds what it has itself. All members of a group make the same calls in the same order.
    Begins {
        /// The members of the group, as ranks of the world.
        members: Arc<[Rank]>,
        /// The tag of the messages of the call.
        tag: Tag,
        /// The sizes of all blocks in bytes.
        sizes: Arc<[u64]>,
        /// The blocks that the node has, or its own version of each.
        blocks: Arc<[u32]>,
    },
    /// The next message of the node carries blocks.
    Gives {
        /// The blocks in the message, in order.
        blocks: Arc<[u32]>,
    },
    /// A message has come.
    Takes {
        /// The sender, as a rank of the world.
        from: Rank,
        /// The number of messages that the sender had sent before.
        seq: u64,
        /// The blocks that those in the message become here, in the same order.
        blocks: Arc<[u32]>,
        /// Whether they are combined with the node's own versions, rather than taking their places.
        combined: bool,
    },
    /// A block is made of two others.
    Merges {
        /// The left operand.
        left: u32,
        /// The right operand.
        right: u32,
        /// The block that is made.
        into: u32,
    },
}
