//! The faults of schedules that do not deliver.

use thiserror::Error;

use crate::{
    rank::Rank,
    text::{are, count, debug_as_text},
};

/// The fault of a schedule that does not bring everything where it is to be. Steps are numbered from 0, as
/// [`Schedule::steps`](super::Schedule::steps) lists them, or on a machine with rendezvous as they are carried out there.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeliveryError {
    /// The schedule is one for another number of ranks.
    #[error("the schedule is for {}, and there are {ranks}", count(*schedule as u64, "rank"))]
    Ranks {
        /// Ranks of the schedule.
        schedule: usize,
        /// Ranks of the problem.
        ranks: usize,
    },
    /// There is not one piece of data for each block.
    #[error("{} given for a schedule of {}", are(*given, "piece"), count(*blocks as u64, "block"))]
    Pieces {
        /// Pieces given.
        given: usize,
        /// Blocks of the schedule.
        blocks: usize,
    },
    /// A block has another length than its piece of the data.
    #[error("block {block} has {} in the schedule, and its piece has {expected}", count(*given, "byte"))]
    Size {
        /// The block.
        block: u32,
        /// Its length in the schedule.
        given: u64,
        /// The length of its piece.
        expected: u64,
    },
    /// The piece of a block is no part of the data, or not of that of the rank that is said to have it.
    #[error("the piece of block {block} does not fit: {problem}")]
    Piece {
        /// The block.
        block: u32,
        /// The fault of the piece in words.
        problem: String,
    },
    /// The pieces of the result leave something out, or have something twice.
    #[error("the result of rank {rank} has byte {byte} {}", if *is_twice { "twice" } else { "in no piece" })]
    Covered {
        /// The rank.
        rank: Rank,
        /// The first such byte of the data.
        byte: u64,
        /// Whether two pieces have it, rather than none.
        is_twice: bool,
    },
    /// A rank sends or combines a block that it does not have yet.
    #[error("step {step} of rank {rank} takes block {block}, which it does not hold then")]
    NotHeld {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The block.
        block: u32,
    },
    /// A message has other blocks than its receiver expects: another number, other lengths, or other parts of the data.
    #[error("step {step} of rank {rank} receives other blocks than rank {from} sends")]
    OtherBlocks {
        /// The receiver.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The sender.
        from: Rank,
    },
    /// A rank outside the schedule, or the rank itself, is named as the other end of a message.
    #[error(
        "step {step} of rank {rank} names rank {peer} as the other end of a message: allowed are others of {ranks}"
    )]
    Peer {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The rank that it names.
        peer: Rank,
        /// The number of ranks.
        ranks: usize,
    },
    /// A message has another length than its blocks together.
    #[error("step {step} of rank {rank} sends {}, and its blocks have {expected}", count(*given, "byte"))]
    Length {
        /// The sender.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The length of the message.
        given: u64,
        /// That of its blocks.
        expected: u64,
    },
    /// Blocks are combined that are no versions of the same part of the data.
    #[error(
        "step {step} of rank {rank} combines blocks {left} and {right} to block {into}: they are not the same part of the data"
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
    /// A step is a hardware barrier, where not all nodes of a machine that has one take part.
    #[error("step {step} of rank {rank} is a hardware barrier: it needs all nodes of a machine that has one")]
    NoBarrier {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
    },
    /// A rank waits for ever.
    #[error("step {step} of rank {rank} waits for ever, for {}", waits_for(*peer, *receives))]
    Stuck {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The rank that it waits for; `None` if that is all, at a barrier.
        peer: Option<Rank>,
        /// Whether it waits for a message, rather than for the receive of its own.
        receives: bool,
    },
    /// A message is never received.
    #[error("what step {step} of rank {rank} sends to rank {to} is never received")]
    Unreceived {
        /// The sender.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The receiver.
        to: Rank,
    },
    /// The version of some rank would be combined twice.
    #[error("step {step} of rank {rank} combines in block {block} what has parts of the same rank")]
    CombinedTwice {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The block.
        block: u32,
    },
    /// Versions are combined that are not those of neighbours, where only the order of ranks is allowed.
    #[error("step {step} of rank {rank} combines block {block} in another order than that of ranks")]
    OutOfOrder {
        /// The rank.
        rank: Rank,
        /// Its step.
        step: usize,
        /// The block.
        block: u32,
    },
    /// A rank ends without what it is to have.
    #[error("rank {rank} ends with {holds} in block {block}: wanted is {wanted}")]
    Undelivered {
        /// The rank.
        rank: Rank,
        /// The block.
        block: u32,
        /// The versions that it holds, in words.
        holds: String,
        /// Those that it is to hold, in words.
        wanted: String,
    },
    /// A rank has combined in another grouping than others, where all must have the same result of an operator that depends
    /// on it, such as a sum of floating point numbers.
    #[error(
        "rank {rank} ends with block {block} combined in another grouping than other ranks: sums would differ"
    )]
    Grouped {
        /// The rank.
        rank: Rank,
        /// The block.
        block: u32,
    },
}

debug_as_text!(DeliveryError);

fn waits_for(peer: Option<Rank>, receives: bool) -> String {
    match peer {
        Some(peer) if receives => format!("a message of rank {peer}"),
        Some(peer) => format!("rank {peer} to receive"),
        None => "all others to come to a barrier".to_owned(),
    }
}
