//! Errors of the exchange calls of programs.

use thiserror::Error;

use super::{ExchangeError, InstanceError, MatrixError, PlanError};
use crate::{
    collective::CollectiveError,
    comm::MAX_MESSAGE,
    error::CommError,
    payload::{ElementType, PayloadError},
    rank::Rank,
    text::are,
};

/// Reason why a call of [`ManyToMany`](super::ManyToMany) fails on a rank.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The number of vectors differs from the number of ranks.
    #[error(
        "{} given for a group of {size} ranks: give one for each rank (it may be empty)",
        are(*given, "vector")
    )]
    Vectors {
        /// Number of vectors given.
        given: usize,
        /// Number of ranks in the group.
        size: usize,
    },
    /// The elements cannot be divided into one block for each rank.
    #[error(
        "{} given in a group of {size}: there must be a multiple of {size}, with one block of equal length for each rank",
        are(*given, "element")
    )]
    Blocks {
        /// Number of elements given.
        given: usize,
        /// Number of ranks in the group.
        size: usize,
    },
    /// A payload has another length than the payload for rank 0.
    #[error(
        "{} given for rank {to} and {expected} for rank 0: give equal lengths, or call `all_to_allv_payloads`",
        are(*given as usize, "byte")
    )]
    Unequal {
        /// The receiver.
        to: Rank,
        /// Bytes given.
        given: u64,
        /// Bytes given for rank 0.
        expected: u64,
    },
    /// A vector is longer than the maximum message.
    #[error("the message for rank {to} has {given} bytes: the maximum is {MAX_MESSAGE}")]
    TooLong {
        /// The receiver.
        to: Rank,
        /// Bytes given.
        given: u64,
    },
    /// The element type has size 0.
    #[error("{element} has size 0: use an element type of at least one byte")]
    NoBytes {
        /// The type given.
        element: ElementType,
    },
    /// The collected matrix is invalid: a node would send or receive too many bytes.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// The matrix does not match the group.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// No plan can be made, for example because the algorithm does not support the matrix.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Carrying out the plan fails.
    #[error(transparent)]
    Exchange(ExchangeError),
    /// Collecting the lengths fails.
    #[error(transparent)]
    Collective(CollectiveError),
    /// A message cannot be sent or received, another member makes another call, or the run is over.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// Received data cannot be converted to the requested element type.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

/// An error of communication inside the exchange stays [`CallError::Comm`].
impl From<ExchangeError> for CallError {
    fn from(error: ExchangeError) -> CallError {
        match error {
            ExchangeError::Comm(error) => CallError::Comm(error),
            error => CallError::Exchange(error),
        }
    }
}

/// An error of communication inside the all-gather of the lengths stays [`CallError::Comm`].
impl From<CollectiveError> for CallError {
    fn from(error: CollectiveError) -> CallError {
        match error {
            CollectiveError::Comm(error) => CallError::Comm(error),
            error => CallError::Collective(error),
        }
    }
}
