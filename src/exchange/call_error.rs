//! Errors of the calls of programs.

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
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The number of vectors is not the number of ranks.
    #[error(
        "{} given in a group of {size}: there must be one for each rank, and it may be empty",
        are(*given, "vector")
    )]
    Vectors {
        /// Vectors given.
        given: usize,
        /// Ranks of the group.
        size: usize,
    },
    /// A vector is longer than a message may be.
    #[error("{given} bytes are given for rank {to}: at most {MAX_MESSAGE} are allowed")]
    TooLong {
        /// The receiver.
        to: Rank,
        /// Bytes given.
        given: u64,
    },
    /// The elements have no bytes.
    #[error("{element} has no bytes: there is nothing to exchange")]
    NoBytes {
        /// The type given.
        element: ElementType,
    },
    /// The matrix that was collected cannot be one: a node would send or receive too much.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// The matrix does not fit the group.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// The algorithm does not work for the matrix.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The exchange itself fails.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// The lengths cannot be collected.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// Another member makes another call, or the run is over.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The data cannot be read as what is asked for.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

crate::text::debug_as_text!(CallError);
