//! A way to do something: by an algorithm of the libraries, or by MPI itself.

use std::fmt;

/// An algorithm or a plan of the libraries, or what stands for it where MPI's own operation is compared with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Implementation<O, M = ()> {
    Ours(O),
    Mpi(M),
}

impl<O, M> Implementation<O, M> {
    /// The algorithm of the libraries, if it is one.
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
