//! The faults of schedules that [`Delivery`](super::Delivery) detects.

use thiserror::Error;

use crate::{
    rank::Rank,
    text::{are, count},
};

/// The fault of a schedule that does not deliver all data correctly. Steps are counted from 0 in the order of
/// [`Schedule::steps`](super::Schedule::steps), or on a machine with rendezvous in the execution order there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeliveryError {
    /// The schedule was made for another number of ranks.
    #[error("the schedule is for {}, but there are {ranks}", count(*schedule as u64, "rank"))]
    Ranks {
        /// The number of ranks of the schedule.
        schedule: usize,
        /// The number of ranks of the problem.
        ranks: usize,
    },
    /// The number of data pieces differs from the number of blocks.
    #[error("{} given for a schedule of {}", are(*given, "piece"), count(*blocks as u64, "block"))]
    Pieces {
        /// The number of pieces given.
        given: usize,
        /// The number of blocks of the schedule.
        blocks: usize,
    },
    /// The length of a block differs from the length of its data piece.
    #[error("block {block} has {} in the schedule, but its piece has {expected}", count(*given, "byte"))]
    Size {
        /// The block.
        block: u32,
        /// The length of the block in the schedule.
        given: u64,
        /// The length of its piece.
        expected: u64,
    },
    /// The piece of a block is outside the data, or outside the data of the rank that is its origin.
    #[error("the piece of block {block} does not fit: {problem}")]
    Piece {
        /// The block.
        block: u32,
        /// A description of the fault.
        problem: String,
    },
    /// The pieces of the result have a gap or an overlap.
    #[error("the result of rank {rank} has byte {byte} {}", if *is_twice { "twice" } else { "in no piece" })]
    Covered {
        /// The rank.
        rank: Rank,
        /// The first byte of the data in a gap or an overlap.
        byte: u64,
        /// Whether two pieces contain the byte (overlap) or none does (gap).
        is_twice: bool,
    },
    /// A rank sends or combines a block that it does not hold yet.
    #[error("step {step} of rank {rank} uses block {block}, which the rank does not hold at that step")]
    NotHeld {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The block.
        block: u32,
    },
    /// The blocks of a message differ from the blocks that its receiver expects: in number, in length, or in the part of the data.
    #[error("step {step} of rank {rank} receives blocks that differ from those that rank {from} sends")]
    OtherBlocks {
        /// The receiver.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The sender.
        from: Rank,
    },
    /// The peer of a message is outside the schedule, or is the rank itself.
    #[error(
        "step {step} of rank {rank} has rank {peer} as its partner; allowed are the other ranks below {ranks}"
    )]
    Peer {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The peer that the step names.
        peer: Rank,
        /// The number of ranks.
        ranks: usize,
    },
    /// The length of a message differs from the total length of its blocks.
    #[error("step {step} of rank {rank} sends {}, but its blocks have {expected}", count(*given, "byte"))]
    Length {
        /// The sender.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The length of the message.
        given: u64,
        /// The total length of its blocks.
        expected: u64,
    },
    /// The two blocks that a step combines and the block for the result do not all hold contributions to the same part of the data.
    #[error(
        "step {step} of rank {rank} combines blocks {left} and {right} to block {into}: they cover different parts of the data"
    )]
    OtherParts {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The left operand.
        left: u32,
        /// The right operand.
        right: u32,
        /// The block for the result.
        into: u32,
    },
    /// A step is a hardware barrier, but the machine has none or not all of its nodes take part.
    #[error(
        "step {step} of rank {rank} is a hardware barrier, which needs all nodes of a machine with a hardware barrier"
    )]
    NoBarrier {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
    },
    /// A rank waits forever.
    #[error("step {step} of rank {rank} waits forever for {}", waits_for(*peer, *receives))]
    Stuck {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The rank for which it waits; `None` for all ranks, at a barrier.
        peer: Option<Rank>,
        /// Whether it waits for a message, rather than for the receive of its own message.
        receives: bool,
    },
    /// A message is never received.
    #[error("the message that step {step} of rank {rank} sends to rank {to} is never received")]
    Unreceived {
        /// The sender.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The receiver.
        to: Rank,
    },
    /// The version of a rank would be combined twice.
    #[error(
        "step {step} of rank {rank} combines in block {block} two operands that contain data of the same rank"
    )]
    CombinedTwice {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The block.
        block: u32,
    },
    /// The combined versions do not cover contiguous ranks, but versions must be combined in rank order.
    #[error("step {step} of rank {rank} combines block {block} out of rank order")]
    OutOfOrder {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The block.
        block: u32,
    },
    /// A rank does not end with the wanted versions.
    #[error("rank {rank} ends with {holds} in block {block}, expected {wanted}")]
    Undelivered {
        /// The rank.
        rank: Rank,
        /// The block.
        block: u32,
        /// The versions that it holds, in words.
        holds: String,
        /// The wanted versions, in words.
        wanted: String,
    },
    /// Ranks combined the same versions in different groupings, but all must have the same result of an operator that depends on the
    /// grouping, such as a sum of floating-point numbers.
    #[error(
        "rank {rank} combines block {block} in another grouping than other ranks: floating-point results could differ"
    )]
    Grouped {
        /// The rank.
        rank: Rank,
        /// The block.
        block: u32,
    },
}

fn waits_for(peer: Option<Rank>, receives: bool) -> String {
    match peer {
        Some(peer) if receives => format!("a message from rank {peer}"),
        Some(peer) => format!("rank {peer} to receive"),
        None => "all other ranks to reach a barrier".to_owned(),
    }
}
