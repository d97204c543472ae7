//! The error of planning.

use thiserror::Error;

use crate::{pattern::DeliveryError, topology::TopologyError, wire::MAX_MESSAGE};

/// The error of an algorithm that has no plan for a problem.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The algorithm is one for other kinds of problems.
    #[error("{algorithm} is no algorithm for a {kind}: those with a name are {}", known.join(", "))]
    OtherKind {
        /// The algorithm.
        algorithm: String,
        /// The kind of the problem.
        kind: String,
        /// The names of the algorithms that are.
        known: Vec<&'static str>,
    },
    /// A restriction of the algorithm is not met.
    #[error("{text}{}", and(found))]
    Restricted {
        /// The algorithm.
        algorithm: String,
        /// The restriction, in a sentence.
        text: String,
        /// The state of the problem, such as `there are 6`; empty if the restriction says it all.
        found: String,
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
    /// The topology of the machine is invalid.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The function of a custom algorithm panicked.
    #[error("the function of the custom algorithm `{algorithm}` panicked: {message}")]
    Panicked {
        /// Its name.
        algorithm: String,
        /// The message of the panic.
        message: String,
    },
    /// An algorithm of one's own says that it has nothing for the problem.
    #[error("{algorithm} has no schedule here: {cause}")]
    NoDraft {
        /// Its name.
        algorithm: String,
        /// The error of its function.
        cause: String,
    },
    /// The schedule of an algorithm of one's own does not do what the problem says.
    #[error("the schedule of {algorithm} does not deliver: {cause}")]
    Undelivered {
        /// Its name.
        algorithm: String,
        /// The fault.
        cause: Box<DeliveryError>,
    },
    /// It takes longer than modeled time can tell.
    #[error("{algorithm} takes longer than modeled time can tell, some 213 days")]
    TooLong {
        /// The algorithm.
        algorithm: String,
    },
}

crate::text::debug_as_text!(PlanError);

/// The state that was found, behind a sentence.
fn and(found: &str) -> String {
    if found.is_empty() { String::new() } else { format!(", and {found}") }
}
