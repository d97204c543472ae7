//! The collective operations of MSCCL.

use std::fmt;

use crate::names;

/// A collective operation of MSCCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Collective {
    /// `allreduce`: all-reduce.
    AllReduce,
    /// `allgather`: all-gather.
    AllGather,
    /// `reduce_scatter`: reduce-scatter.
    ReduceScatter,
    /// `alltoall`: an exchange in which every rank sends the same number of bytes to every other rank.
    AllToAll,
}

impl Collective {
    /// All collective operations.
    pub(super) const ALL: [Collective; 4] =
        [Collective::AllReduce, Collective::AllGather, Collective::ReduceScatter, Collective::AllToAll];

    /// Returns the name in MSCCL.
    pub fn name(self) -> &'static str {
        match self {
            Collective::AllReduce => "allreduce",
            Collective::AllGather => "allgather",
            Collective::ReduceScatter => "reduce_scatter",
            Collective::AllToAll => "alltoall",
        }
    }

    /// Returns the operation with this name; case, underscores and a prefix `MPI_` are ignored.
    pub(super) fn named(name: &str) -> Option<Collective> {
        let name = names::normalized(name);
        let name = name.strip_prefix("mpi").unwrap_or(&name);
        Collective::ALL.into_iter().find(|collective| names::normalized(collective.name()) == name)
    }

    /// Returns whether the vector has a block for each rank.
    pub(super) fn has_blocks(self) -> bool {
        self != Collective::AllReduce
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
