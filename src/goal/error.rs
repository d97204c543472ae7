//! The errors of reading, timing, running and writing GOAL programs.

use std::io;

use thiserror::Error;

use crate::{
    error::{CommError, DeadlockReport},
    input::TextError,
    payload::PayloadError,
    rank::Rank,
    text::count,
    time::Time,
    topology::{MAX_NODES, TopologyError},
    wire::MAX_MESSAGE,
};

/// The error of a text that is not a GOAL program.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text cannot be read.
    #[error("the text cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A file in binary GOAL is invalid.
    #[error("byte {byte}: {problem}")]
    Binary {
        /// The position in the file, from 0.
        byte: u64,
        /// The problem.
        problem: Problem,
    },
    /// The file begins like a binary file of a known kind.
    #[error(transparent)]
    KnownBinary(#[from] TextError),
    /// A line of the text is invalid.
    #[error("line {line}, column {column}: {problem}")]
    Text {
        /// The line, from 1.
        line: u64,
        /// The character in the line, from 1.
        column: u64,
        /// The problem.
        problem: Problem,
    },
}

/// A problem at a position of a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file is not a text file.
    #[error("a binary file, not a text file: control character {byte:#04x}")]
    Binary {
        /// The control character.
        byte: u8,
    },
    /// A line is too long.
    #[error("the line is too long: the maximum is {allowed} bytes")]
    LongLine {
        /// Maximum length of a line in bytes.
        allowed: usize,
    },
    /// A word, or the end of the line or of the text, where something else is expected.
    #[error("found {}, expected {allowed}", given.as_ref().map_or("the end".to_owned(), |given| format!("`{given}`")))]
    Unexpected {
        /// The given word; `None` at the end of the line or of the text.
        given: Option<String>,
        /// A list of the allowed words.
        allowed: &'static str,
    },
    /// The number of ranks is 0, or too large.
    #[error("{given} ranks are given; allowed are 1 to {MAX_NODES}")]
    Ranks {
        /// The given number.
        given: u64,
    },
    /// The rank is out of range.
    #[error("rank {given} does not exist: ranks are 0 to {}", ranks - 1)]
    NoSuchRank {
        /// The given rank.
        given: u64,
        /// The number of ranks.
        ranks: usize,
    },
    /// A rank is described twice.
    #[error("rank {rank} is described twice: describe each rank once")]
    SecondRank {
        /// The rank.
        rank: Rank,
    },
    /// A message is too long.
    #[error("a message of {given} bytes is too long: the maximum is {MAX_MESSAGE}")]
    LongMessage {
        /// The length of the message in bytes.
        given: u64,
    },
    /// Two operations of a rank have the same label.
    #[error("the label `{label}` is used twice: labels must be unique within a rank")]
    SecondLabel {
        /// The label.
        label: String,
    },
    /// No operation of the rank has this label.
    #[error("this rank has no operation with the label `{label}`")]
    NoLabel {
        /// The label.
        label: String,
    },
    /// Operations depend on each other in a cycle.
    #[error("cyclic dependency: this operation requires itself, directly or indirectly")]
    Cycle,
    /// A rank has too many operations.
    #[error("too many operations: the maximum is {} per rank", super::program::MAX_OPERATIONS)]
    TooMany,
    /// A binary file ends early.
    #[error("the file ends here, within a number")]
    Truncated,
    /// The section of a rank does not begin behind the one before, or its length differs from its content.
    #[error("the section of rank {rank} has {given} as its begin or end, expected {expected}")]
    Section {
        /// The rank.
        rank: Rank,
        /// The position in the table of the file, counted from behind the magic number.
        given: u64,
        /// The position that follows from the content.
        expected: u64,
    },
    /// A dependant does not exist.
    #[error("operation {given} does not exist: the rank has {operations}")]
    NoOperation {
        /// The number of the operation.
        given: u32,
        /// The number of operations of the rank.
        operations: u32,
    },
    /// The number of dependencies of an operation contradicts the lists of dependants.
    #[error("the operation has {given} as its number of dependencies, and {expected} name it")]
    Dependencies {
        /// The number in the file.
        given: u32,
        /// The number of operations that name it as a dependant.
        expected: u32,
    },
}

/// The error of a program whose time cannot be predicted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PredictError {
    /// The topology of the machine is invalid.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The machine has too few nodes.
    #[error(transparent)]
    Ranks(#[from] TooManyRanks),
    /// Receives wait for messages that are never sent (deadlock).
    #[error("{0}")]
    Deadlock(DeadlockReport),
    /// A message differs in length from its receive; the first such message in modeled time is reported.
    #[error("rank {rank} receives {} from rank {from}, but its receive expects {expected}", count(u64::from(*given), "byte"))]
    Length {
        /// The receiver.
        rank: Rank,
        /// The sender.
        from: Rank,
        /// The length of the message in bytes.
        given: u32,
        /// The length that the receive specifies, in bytes.
        expected: u32,
    },
    /// A fault of the machine makes an operation fail.
    #[error("an operation fails because a link or a node of the machine dies: use a machine without faults")]
    Fault,
    /// The program exceeds the range of modeled time.
    #[error("the clock of node {rank} passed {}, the end of modeled time", Time::MAX)]
    TimeOverflow {
        /// The node.
        rank: Rank,
    },
}

/// A machine has fewer nodes than a program has ranks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the program has {}, but the machine has {nodes}: use a machine with one node per rank", count(*ranks as u64, "rank"))]
pub struct TooManyRanks {
    /// The number of ranks of the program.
    pub ranks: usize,
    /// The number of nodes of the machine.
    pub nodes: usize,
}

/// The error of the execution of a rank on its node.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The machine has too few nodes.
    #[error(transparent)]
    Ranks(#[from] TooManyRanks),
    /// A message differs in length from its receive.
    #[error("received {} from rank {from}, but the receive expects {expected}", count(*given, "byte"))]
    Length {
        /// The sender.
        from: Rank,
        /// The length of the message in bytes.
        given: u64,
        /// The length that the receive specifies, in bytes.
        expected: u64,
    },
    /// The bytes received differ from the bytes sent.
    #[error("the data of a message from rank {from} differs from the data that was sent")]
    Content {
        /// The sender.
        from: Rank,
    },
    /// A message cannot be sent or received.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The payload of a message cannot be read as bytes.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

/// The error of a schedule or a run that cannot be written in GOAL.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The schedule has hardware barriers, which GOAL cannot express.
    #[error("the schedule has hardware barriers, which GOAL cannot express")]
    Barrier,
    /// The machine has noise or faults, which prolong the calls of a run.
    #[error("GOAL cannot express a run with noise or faults: use the machine without them")]
    Disturbed,
    /// The run has remote memory accesses that return something.
    #[error("the run has one-sided accesses, which GOAL cannot express")]
    Remote,
    /// A receive was posted before its message arrived and waited for later, on a machine where that matters.
    #[error(
        "GOAL cannot express receives that are posted early on a machine where unexpected messages cost time: use \
         the machine with unexpected_overhead and unexpected_copy 0"
    )]
    Unexpected,
    /// Nothing was recorded, or times are not modeled: the reason.
    #[error("{0}")]
    Unrecorded(String),
    /// The machine uses the rendezvous protocol. GOAL cannot express the end of a combined send and receive under it.
    #[error(
        "GOAL cannot express schedules for a machine with the rendezvous protocol: use the machine without it"
    )]
    Rendezvous,
    /// The text cannot be written.
    #[error("the text cannot be written: {0}")]
    Io(#[from] io::Error),
}
