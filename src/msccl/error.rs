//! The errors of reading schedules of MSCCL.

use thiserror::Error;

use crate::{rank::Rank, text::count, topology::MAX_NODES, wire::MAX_MESSAGE};

/// The error of a text that is not a valid MSCCL schedule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not XML.
    #[error("invalid XML (a DTD is not allowed): {0}")]
    Xml(String),
    /// An element of the text is invalid.
    #[error("line {line}: {problem}")]
    Text {
        /// The line, from 1.
        line: u32,
        /// The problem.
        problem: Problem,
    },
    /// The schedule does not perform its operation.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// A problem with an element of the text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Another element is expected here.
    #[error("found element <{given}>, expected <{allowed}>")]
    Element {
        /// The name of the given element.
        given: String,
        /// The name of the allowed element.
        allowed: &'static str,
    },
    /// An attribute is missing.
    #[error("<{element}> needs the attribute `{attribute}`")]
    Missing {
        /// The name of the element.
        element: &'static str,
        /// The attribute.
        attribute: &'static str,
    },
    /// An attribute has a value that is not allowed.
    #[error("invalid {attribute}=\"{given}\"; allowed is {allowed}")]
    Value {
        /// The attribute.
        attribute: &'static str,
        /// The given value.
        given: String,
        /// A description of the allowed values.
        allowed: String,
    },
    /// The number of processors is 0, or too large.
    #[error("{given} processors are given; allowed are 1 to {MAX_NODES}")]
    Ranks {
        /// The given number.
        given: usize,
    },
    /// Two thread blocks of a rank use the same channel to send to, or to receive from, the same rank.
    #[error("another thread block also {verb} rank {peer} on channel {channel}; allowed is one")]
    SharedConnection {
        /// The direction: `sends to` or `receives from`.
        verb: &'static str,
        /// The other rank.
        peer: Rank,
        /// The channel.
        channel: u32,
    },
}

/// A schedule that does not perform its operation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FlowError {
    /// A step uses a chunk that is empty at that time.
    #[error(
        "line {line}: chunk {chunk} of the buffer `{buffer}` of rank {rank} is empty when this step reads it"
    )]
    Empty {
        /// The line of the step.
        line: u32,
        /// The rank.
        rank: Rank,
        /// The buffer: `i`, `o` or `s`.
        buffer: char,
        /// The chunk.
        chunk: u32,
    },
    /// A step names a chunk that does not exist.
    #[error("line {line}: the buffer `{buffer}` of rank {rank} has no chunk {chunk}: it has {}", count(*chunks, "chunk"))]
    Outside {
        /// The line of the step.
        line: u32,
        /// The rank.
        rank: Rank,
        /// The buffer: `i`, `o` or `s`.
        buffer: char,
        /// The chunk.
        chunk: u64,
        /// The number of chunks of the buffer.
        chunks: u64,
    },
    /// A step combines chunks that must not be combined.
    #[error("line {line}: this step of rank {rank} combines {}", if *is_twice { "operands that both contain data of the same rank" } else { "different parts of the vector" })]
    Combined {
        /// The line of the step.
        line: u32,
        /// The rank.
        rank: Rank,
        /// Whether both operands include the contribution of some rank; otherwise they are different parts of the vector.
        is_twice: bool,
    },
    /// A message differs in its number of chunks from the step that receives it.
    #[error("line {line}: this step of rank {rank} receives {}, but a message of {given} arrives", count(u64::from(*expected), "chunk"))]
    Count {
        /// The line of the step.
        line: u32,
        /// The rank.
        rank: Rank,
        /// The number of chunks of the message.
        given: u32,
        /// The number of chunks that the step expects.
        expected: u32,
    },
    /// A step never begins.
    #[error("line {line}: this step of rank {rank} waits forever for {}", if *is_for_message { "a message that is never sent" } else { "a step that does not end" })]
    Stuck {
        /// The line of the step.
        line: u32,
        /// The rank.
        rank: Rank,
        /// Whether the step waits for a message, rather than for another step.
        is_for_message: bool,
    },
    /// A message is never received.
    #[error("line {line}: the message of this step of rank {rank} is never received")]
    Unreceived {
        /// The line of the step.
        line: u32,
        /// The sender.
        rank: Rank,
    },
    /// The schedule is valid for one execution order of thread blocks, and not for another.
    #[error("no dependency excludes an order of thread blocks with this error: {0}")]
    OutOfOrder(Box<FlowError>),
    /// At the end a rank does not hold the result of the operation.
    #[error(
        "at the end, chunk {chunk} of the output of rank {rank} is not the result of {collective}: it holds {holds}"
    )]
    Undelivered {
        /// The rank.
        rank: Rank,
        /// The chunk of its output.
        chunk: u32,
        /// The operation.
        collective: &'static str,
        /// The content of the chunk in words.
        holds: String,
    },
}

/// A message of a schedule would exceed the maximum length.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a message of {} is too long: the maximum is {MAX_MESSAGE}", count(*given, "byte"))]
pub struct LengthError {
    /// The length of the message in bytes.
    pub given: u64,
}

/// A schedule of this library that MSCCL cannot express.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// MSCCL does not have this operation.
    #[error(
        "MSCCL has no {operation}; it has all-reduce, all-gather, reduce-scatter, and all-to-all of equal lengths"
    )]
    Operation {
        /// The operation.
        operation: String,
    },
    /// The blocks of the ranks differ in length or are empty.
    #[error("MSCCL needs blocks of equal length of at least one byte, but rank {rank} has {given} of {} in total", count(*bytes, "byte"))]
    Uneven {
        /// The first rank whose block is shorter or longer than an equal share.
        rank: Rank,
        /// The length of its block in bytes.
        given: u64,
        /// The total length of all blocks in bytes.
        bytes: u64,
    },
    /// The operation must combine vectors in rank order.
    #[error(
        "MSCCL combines in any order, but this operation must combine in rank order: if its operator is commutative, leave out `in_order`"
    )]
    Order,
    /// The vector would have more chunks than this library allows for MSCCL schedules.
    #[error("the schedule cuts the vector into {given} chunks of equal length; allowed are 1 to {allowed}")]
    Chunks {
        /// The number of chunks.
        given: u64,
        /// The maximum number of chunks.
        allowed: u32,
    },
    /// The schedule has hardware barriers.
    #[error("the schedule has hardware barriers, which MSCCL cannot express")]
    Barrier,
    /// The algorithm has no schedule that moves whole blocks to their final positions.
    #[error("{algorithm} has no schedule of whole messages that MSCCL can express")]
    Unscheduled {
        /// The name of the algorithm.
        algorithm: String,
    },
    /// The written schedule would not perform the operation.
    #[error("the MSCCL program would not perform the operation: {0}")]
    Flow(#[from] FlowError),
}
