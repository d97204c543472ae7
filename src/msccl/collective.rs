//! The collective operations of MSCCL.

use std::fmt;

use crate::names;

/// A collective operation, by its name in MSCCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Collective {
    /// `allreduce`: combine-to-all.
    AllReduce,
    /// `allgather`: collect.
    AllGather,
    /// `reduce_scatter`: distributed combine.
    ReduceScatter,
    /// `alltoall`: an exchange in which all ranks have as much for each other.
    AllToAll,
}

impl Collective {
    /// All of them.
    pub(super) const ALL: [Collective; 4] =
        [Collective::AllReduce, Collective::AllGather, Collective::ReduceScatter, Collective::AllToAll];

    /// The name in MSCCL.
    pub fn name(self) -> &'static str {
        match self {
            Collective::AllReduce => "allreduce",
            Collective::AllGather => "allgather",
            Collective::ReduceScatter => "reduce_scatter",
            Collective::AllToAll => "alltoall",
        }
    }

    /// The operation of this name, in any case, with or without the underscore and `MPI_`.
    pub(super) fn named(name: &str) -> Option<Collective> {
        let name = names::plain(name);
        let name = name.strip_prefix("mpi").unwrap_or(&name);
        Collective::ALL.into_iter().find(|collective| names::plain(collective.name()) == name)
    }

    /// Whether the vector has a block for each rank.
    pub(super) fn has_blocks(self) -> bool {
        self != Collective::AllReduce
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
