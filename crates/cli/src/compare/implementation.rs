//! Implementation of an operation: an algorithm of the libraries, or MPI's native operation.

use std::fmt;

/// An algorithm or plan of the libraries, or its counterpart for MPI's native operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Implementation<O, M = ()> {
    Ours(O),
    Mpi(M),
}

impl<O, M> Implementation<O, M> {
    /// Returns the algorithm or plan of the libraries; `None` for MPI's native operation.
    pub(crate) fn ours(&self) -> Option<&O> {
        match self {
            Implementation::Ours(ours) => Some(ours),
            Implementation::Mpi(_) => None,
        }
    }
}

impl<O: fmt::Display> fmt::Display for Implementation<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Implementation::Ours(ours) => ours.fmt(f),
            Implementation::Mpi(()) => f.write_str("mpi"),
        }
    }
}
