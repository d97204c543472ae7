//! The error of a call of a node program, before it becomes an exception.

use multicomputer::{
    all_to_all::{self, ExchangeError},
    collective::CollectiveError,
    comm::WalkError,
    error::CommError,
    goal::PlayError,
};

/// The error of a call of a node program.
#[derive(Debug)]
pub(crate) enum CallError {
    /// No node program runs on this thread.
    NoNode,
    /// A group or a request of another node, or of another run.
    OtherNode,
    /// A request that is complete.
    NoRequest,
    /// The run was interrupted.
    Interrupted,
    /// There is no element type of this name.
    Elements(String),
    /// The operator is not for these elements.
    Operator {
        operator: String,
        element: String,
    },
    Comm(CommError),
    Collective(CollectiveError),
    ManyToMany(all_to_all::CallError),
    Play(PlayError),
}

impl From<CollectiveError> for CallError {
    fn from(error: CollectiveError) -> CallError {
        match error {
            CollectiveError::Comm(error) | CollectiveError::Walk(WalkError::Comm(error)) => {
                CallError::Comm(error)
            }
            other => CallError::Collective(other),
        }
    }
}

impl From<all_to_all::CallError> for CallError {
    fn from(error: all_to_all::CallError) -> CallError {
        match error {
            all_to_all::CallError::Comm(error)
            | all_to_all::CallError::Exchange(ExchangeError::Comm(error)) => CallError::Comm(error),
            all_to_all::CallError::Collective(error) => error.into(),
            other => CallError::ManyToMany(other),
        }
    }
}

impl From<PlayError> for CallError {
    fn from(error: PlayError) -> CallError {
        match error {
            PlayError::Comm(error) => CallError::Comm(error),
            other => CallError::Play(other),
        }
    }
}
