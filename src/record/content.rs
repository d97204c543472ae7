//! The data that nodes hold during library calls, as reported by the calls.

use std::sync::Arc;

use crate::{
    rank::{Rank, Tag},
    time::Time,
};

/// A change of the set of blocks of a [schedule](crate::pattern::Schedule) that a node holds. Recorded in modeled time
/// for every call that executes a schedule with all of its blocks.
///
/// A block remains held for the rest of the call: sending a block does not remove it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Content {
    /// The node, as a rank of the world.
    pub rank: Rank,
    /// The node's clock.
    pub at: Time,
    /// The number of messages that the node had sent before.
    pub sent: u64,
    /// The change.
    pub change: Change,
}

/// The kind of change of the blocks that a node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A call begins, and the node holds its own blocks. All members of a group make the same calls in the same order.
    Begins {
        /// The members of the group, as ranks of the world.
        members: Arc<[Rank]>,
        /// The tag of the messages of the call.
        tag: Tag,
        /// The sizes of all blocks in bytes.
        sizes: Arc<[u64]>,
        /// The blocks that the node has at the start; for combining operations, its own contribution to each.
        blocks: Arc<[u32]>,
    },
    /// The next message of the node carries these blocks.
    Gives {
        /// The blocks in the message, in order.
        blocks: Arc<[u32]>,
    },
    /// A message has arrived.
    Takes {
        /// The sender, as a rank of the world.
        from: Rank,
        /// The number of messages that the sender had sent before.
        seq: u64,
        /// The numbers of the blocks at this node, in the order of the blocks in the message.
        blocks: Arc<[u32]>,
        /// Whether the received blocks are combined with the node's own versions instead of replacing them.
        combined: bool,
    },
    /// A block is combined from two others.
    Merges {
        /// The left operand.
        left: u32,
        /// The right operand.
        right: u32,
        /// The resulting block.
        into: u32,
    },
}
