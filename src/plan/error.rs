//! The error of planning.

use thiserror::Error;

use crate::wire::MAX_MESSAGE;

/// The error of an algorithm that has no plan for a problem.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The algorithm is one for other kinds of problems.
    #[error("{algorithm} is no algorithm for a {kind}")]
    OtherKind {
        /// The algorithm.
        algorithm: String,
        /// The kind of the problem.
        kind: String,
    },
    /// A restriction of the algorithm is not met.
    #[error("{text}")]
    Restricted {
        /// The algorithm.
        algorithm: String,
        /// The restriction, in a sentence.
        text: String,
    },
    /// A message would be longer than one may be.
    #[error(
        "a message of {given} bytes would be sent: at most {MAX_MESSAGE} are allowed; cut the data, or take another \
         algorithm"
    )]
    MessageTooLong {
        /// Its length.
        given: u64,
    },
    /// It takes longer than modeled time can tell.
    #[error("{algorithm} takes longer than modeled time can tell, some 213 days")]
    TooLong {
        /// The algorithm.
        algorithm: String,
    },
}

crate::text::debug_as_text!(PlanError);
