//! The errors of reading schedules of MSCCL.

use thiserror::Error;

use crate::{
    rank::Rank,
    text::{count, debug_as_text},
    topology::MAX_NODES,
    wire::MAX_MESSAGE,
};

/// The error of a text that is no schedule of MSCCL.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is no XML.
    #[error("the text is no XML without a DTD: {0}")]
    Xml(String),
    /// Something in it is wrong.
    #[error("line {line}: {problem}")]
    Text {
        /// The line, from 1.
        line: u32,
        /// The fault.
        problem: Problem,
    },
    /// It does not do what its operation says.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

debug_as_text!(ReadError);

/// A fault of an element of the text.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Another element is wanted.
    #[error("the element is <{given}>, where only <{allowed}> is allowed")]
    Element {
        /// Its name.
        given: String,
        /// The name that is allowed.
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
    #[error("{attribute}=\"{given}\": allowed is {allowed}")]
    Value {
        /// The attribute.
        attribute: &'static str,
        /// Its value.
        given: String,
        /// All that is allowed.
        allowed: String,
    },
    /// The number of processors is 0, or too large.
    #[error("{given} processors are not possible: allowed are 1 to {MAX_NODES}")]
    Ranks {
        /// The number.
        given: usize,
    },
    /// Two thread blocks of a rank send to, or receive from, the same rank by the same channel.
    #[error("another thread block {verb} rank {peer} by channel {channel} as well: allowed is one")]
    SharedConnection {
        /// The direction: `sends to` or `receives from`.
        verb: &'static str,
        /// The other rank.
        peer: Rank,
        /// The channel.
        channel: u32,
    },
}

debug_as_text!(Problem);

/// A schedule that does not do what its operation says.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FlowError {
    /// A step takes a chunk that holds nothing then.
    #[error(
        "line {line}: chunk {chunk} of the buffer `{buffer}` of rank {rank} holds nothing when this step takes it"
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
    /// A step names a chunk that is not there.
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
        /// The chunks of the buffer.
        chunks: u64,
    },
    /// A step combines what does not belong together.
    #[error("line {line}: this step of rank {rank} combines {}", if *is_twice { "what has parts of the same rank" } else { "different parts of the vector" })]
    Combined {
        /// The line of the step.
        line: u32,
        /// The rank.
        rank: Rank,
        /// Whether both have the part of some rank.
        is_twice: bool,
    },
    /// A message has another number of chunks than the step that receives it.
    #[error("line {line}: this step of rank {rank} receives {}, and a message of {given} comes", count(u64::from(*expected), "chunk"))]
    Count {
        /// The line of the step.
        line: u32,
        /// The rank.
        rank: Rank,
        /// The chunks of the message.
        given: u32,
        /// The chunks that it says.
        expected: u32,
    },
    /// A step never begins.
    #[error("line {line}: this step of rank {rank} waits for ever, for {}", if *is_for_message { "a message that does not come" } else { "a step that does not end" })]
    Stuck {
        /// The line of the step.
        line: u32,
        /// The rank.
        rank: Rank,
        /// Whether it waits for a message, rather than for another step.
        is_for_message: bool,
    },
    /// A message is never received.
    #[error("line {line}: what this step of rank {rank} sends is never received")]
    Unreceived {
        /// The line of the step.
        line: u32,
        /// The sender.
        rank: Rank,
    },
    /// It goes well in one order of thread blocks, and not in another.
    #[error("in another order of thread blocks, which no dependency excludes: {0}")]
    OutOfOrder(Box<FlowError>),
    /// In the end a rank has not what the operation says.
    #[error(
        "in the end chunk {chunk} of the output of rank {rank} is not what {collective} says: it holds {holds}"
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

debug_as_text!(FlowError);

/// A message of a schedule would be too long.
#[derive(Clone, PartialEq, Eq, Error)]
#[error("a message of {} is too long: allowed are {MAX_MESSAGE}", count(*given, "byte"))]
pub struct LengthError {
    /// Its length.
    pub given: u64,
}

debug_as_text!(LengthError);

/// A schedule of this library that cannot be said in MSCCL.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// MSCCL has no such operation.
    #[error(
        "MSCCL has no {operation}: it has combine-to-all, collect, distributed combine, and exchanges of equal lengths"
    )]
    Operation {
        /// The operation.
        operation: String,
    },
    /// The ranks have blocks of different lengths, or of none.
    #[error("MSCCL has blocks of equal lengths of at least one byte, and rank {rank} has {given} of {} in all", count(*bytes, "byte"))]
    Uneven {
        /// The first rank whose block is shorter or longer than its part.
        rank: Rank,
        /// The bytes of its block.
        given: u64,
        /// The bytes of all.
        bytes: u64,
    },
    /// Vectors are to be combined in rank order.
    #[error("MSCCL combines in any order, and this is to be done in rank order")]
    Order,
    /// The schedule cuts the vector into more chunks than a schedule may have.
    #[error("the schedule cuts the vector into {given} chunks of equal length: allowed are 1 to {allowed}")]
    Chunks {
        /// The chunks.
        given: u64,
        /// The most that are allowed.
        allowed: u32,
    },
    /// The schedule has hardware barriers.
    #[error("the schedule has hardware barriers, which MSCCL does not know")]
    Barrier,
    /// The algorithm has no schedule of blocks that go to their places.
    #[error("{algorithm} has no schedule of whole messages that could be said in MSCCL")]
    Unscheduled {
        /// The plan.
        algorithm: String,
    },
    /// The text would not do what the operation says.
    #[error("what would be written does not do what the operation says: {0}")]
    Flow(#[from] FlowError),
}

debug_as_text!(WriteError);
