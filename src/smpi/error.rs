//! Errors of traces.

use thiserror::Error;

use crate::{goal::TooManyRanks, rank::Rank, topology::MAX_NODES, wire::MAX_MESSAGE};

/// The error of a text that is not a time-independent trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct ReadError {
    /// The number of the text, from 0.
    pub text: usize,
    /// The line of the text, from 1.
    pub line: usize,
    /// The problem.
    pub problem: Problem,
}

/// A problem in a line of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The line does not begin with a rank.
    #[error("`{given}` is not a rank; a line is a rank, an action and numbers; ranks are 0 to {}", MAX_NODES - 1)]
    Rank {
        /// The given word.
        given: String,
    },
    /// The action is unknown.
    #[error("unknown action `{given}`; known are {known}")]
    Action {
        /// The given word.
        given: String,
        /// The known actions.
        known: &'static str,
    },
    /// The action has too few words.
    #[error("`{action}` needs {needs} after the rank and the name, and has {given}")]
    Words {
        /// The action.
        action: String,
        /// The numbers that it needs.
        needs: usize,
        /// The numbers that it has.
        given: usize,
    },
    /// A word is not a number that is allowed there.
    #[error("`{given}` is not {allowed}")]
    Number {
        /// The given word.
        given: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A message is too long.
    #[error("a message of {given} bytes is too long: the maximum is {MAX_MESSAGE}")]
    LongMessage {
        /// The length in bytes.
        given: u64,
    },
    /// A rank does not exist.
    #[error("rank {given} has no actions: ranks are 0 to {}", ranks - 1)]
    NoSuchRank {
        /// The given rank.
        given: i64,
        /// The number of ranks.
        ranks: usize,
    },
}

/// The error of a trace that cannot be converted to a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The trace has no actions.
    #[error("the trace has no actions")]
    Empty,
    /// The machine has too few nodes.
    #[error(transparent)]
    Ranks(#[from] TooManyRanks),
    /// The trace computes, and no rate is given.
    #[error(
        "rank {rank}, line {line}: the trace has computations in flops: give the flop/s of a node (`--flops`)"
    )]
    NoRate {
        /// The rank.
        rank: Rank,
        /// The line.
        line: usize,
    },
    /// A time is too long.
    #[error("rank {rank}, line {line}: a time of {seconds} s is out of range")]
    Time {
        /// The rank.
        rank: Rank,
        /// The line.
        line: usize,
        /// The time in seconds.
        seconds: String,
    },
    /// A wait names no request.
    #[error("rank {rank}, line {line}: no request from rank {from} to rank {to} with tag {tag} is open")]
    NoRequest {
        /// The rank.
        rank: Rank,
        /// The line.
        line: usize,
        /// The sender.
        from: i64,
        /// The receiver.
        to: i64,
        /// The tag.
        tag: i64,
    },
    /// Ranks call different collective operations.
    #[error(
        "rank {rank}, line {line}: {given}, while rank 0 calls {expected}: all ranks call the same collective operations"
    )]
    Mismatch {
        /// The rank.
        rank: Rank,
        /// The line; of the last action, if the rank makes no more call.
        line: usize,
        /// The call of the rank.
        given: String,
        /// The call of rank 0.
        expected: String,
    },
    /// A receive with any tag could take a message of a collective operation.
    #[error(
        "rank {rank}, line {line}: a receive with any tag cannot be told apart from the messages of collective operations"
    )]
    AnyTag {
        /// The rank.
        rank: Rank,
        /// The line.
        line: usize,
    },
    /// A collective operation cannot be planned.
    #[error("{call}: {cause}")]
    Plan {
        /// The operation.
        call: String,
        /// The reason.
        cause: String,
    },
    /// A rank has too many operations.
    #[error("rank {rank} has too many operations")]
    TooMany {
        /// The rank.
        rank: Rank,
    },
}
