//! Errors of planning.

use thiserror::Error;

use crate::{pattern::DeliveryError, topology::TopologyError, wire::MAX_MESSAGE};

/// The reason why an algorithm has no plan for a problem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The algorithm is for other kinds of problems.
    #[error("algorithm `{algorithm}` is not for {kind}. Known for {kind}: {}", known.join(", "))]
    OtherKind {
        /// The algorithm.
        algorithm: String,
        /// The kind of the problem.
        kind: String,
        /// The names of the algorithms for this kind.
        known: Vec<String>,
    },
    /// A restriction of the algorithm is not met.
    #[error("{text}{}", here(found))]
    Restricted {
        /// The algorithm.
        algorithm: String,
        /// The restriction, as a sentence.
        text: String,
        /// How the problem violates the restriction, such as `6 ranks`; empty if the restriction needs no detail.
        found: String,
    },
    /// A message would exceed the maximum length.
    #[error(
        "the algorithm would send a message of {given} bytes; the maximum is {MAX_MESSAGE}: divide the data or use another algorithm"
    )]
    MessageTooLong {
        /// The length of the message, in bytes.
        given: u64,
    },
    /// The topology of the machine is invalid.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The function of a custom algorithm panicked.
    #[error("the function of the custom algorithm `{algorithm}` panicked: {message}")]
    Panicked {
        /// The name of the algorithm.
        algorithm: String,
        /// The message of the panic.
        message: String,
    },
    /// The function of a custom algorithm returned an error.
    #[error("{algorithm} has no schedule for this problem: {cause}")]
    NoDraft {
        /// The name of the algorithm.
        algorithm: String,
        /// The error of its function.
        cause: String,
    },
    /// The schedule of a custom algorithm does not deliver what the problem requires.
    #[error("the schedule of {algorithm} does not deliver the data: {cause}")]
    Undelivered {
        /// The name of the algorithm.
        algorithm: String,
        /// The delivery error.
        cause: Box<DeliveryError>,
    },
    /// The time exceeds the range of modeled time.
    #[error("{algorithm} takes longer than the maximum of modeled time, about 213 days")]
    TooLong {
        /// The algorithm.
        algorithm: String,
    },
}

/// Formats the violation as the end of a sentence.
fn here(found: &str) -> String {
    if found.is_empty() { String::new() } else { format!(" (here: {found})") }
}
