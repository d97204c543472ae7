//! The operations of the library.

use std::fmt;

use crate::names;

/// A collective operation among `p` ranks; the names are InterCom's.
///
/// | operation | before | after |
/// | --- | --- | --- |
/// | broadcast | `x` at the root | `x` everywhere |
/// | scatter | `x` at the root | `x_j` at `j` |
/// | gather | `x_j` at `j` | `x` at the root |
/// | collect | `x_j` at `j` | `x` everywhere |
/// | combine-to-one | `y^(j)` at `j` | the sum of all `y^(i)` at the root |
/// | combine-to-all | `y^(j)` at `j` | the sum of all `y^(i)` everywhere |
/// | distributed combine | `y^(j)` at `j` | the sum of all `y_j^(i)` at `j` |
/// | scan | `y^(j)` at `j` | the sum of `y^(0)` to `y^(j)` at `j` |
///
/// `x` is a vector of `n` elements, cut into blocks `x_0` to `x_(p-1)` in rank order; "sum" stands for any associative
/// operator.
///
/// Source: Barnett et al., "Building a High-Performance Collective Communication Library", 1994, table 1. Scan is not
/// in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// From one to all.
    #[doc(alias = "bcast")]
    Broadcast,
    /// A block for each, from one.
    Scatter,
    /// A block from each, to one.
    Gather,
    /// A block from each, to all.
    #[doc(alias = "allgather")]
    Collect,
    /// A vector from each, combined at one.
    #[doc(alias = "reduce")]
    CombineToOne,
    /// A vector from each, combined everywhere.
    #[doc(alias = "allreduce")]
    CombineToAll,
    /// A vector from each, of which each gets one block combined.
    #[doc(alias = "reduce_scatter")]
    DistributedCombine,
    /// A vector from each, combined with those of all lower ranks.
    #[doc(alias = "prefix")]
    Scan,
}

impl Operation {
    /// All of them, in the order of the paper's table; scan comes last.
    pub const ALL: [Operation; 8] = [
        Operation::Broadcast,
        Operation::Scatter,
        Operation::Gather,
        Operation::Collect,
        Operation::CombineToOne,
        Operation::CombineToAll,
        Operation::DistributedCombine,
        Operation::Scan,
    ];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Broadcast => "broadcast",
            Operation::Scatter => "scatter",
            Operation::Gather => "gather",
            Operation::Collect => "collect",
            Operation::CombineToOne => "combine-to-one",
            Operation::CombineToAll => "combine-to-all",
            Operation::DistributedCombine => "distributed-combine",
            Operation::Scan => "scan",
        }
    }

    /// The names of the operation in MPI, without `MPI_`, and in NCCL.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Operation::Broadcast => &["bcast"],
            Operation::Scatter => &["scatterv"],
            Operation::Gather => &["gatherv"],
            Operation::Collect => &["allgather", "allgatherv"],
            Operation::CombineToOne => &["reduce"],
            Operation::CombineToAll => &["allreduce"],
            Operation::DistributedCombine => &["reduce_scatter", "reduce_scatter_block"],
            Operation::Scan => &[],
        }
    }

    /// The operation of this name, InterCom's or [MPI's](Operation::aliases), in any case, with hyphens, underscores, blanks or
    /// nothing between its words, and with or without `MPI_`.
    ///
    /// ```
    /// use multicomputer::collective::Operation;
    ///
    /// for name in ["combine-to-all", "allreduce", "all-reduce", "all_reduce", "AllReduce", "MPI_Allreduce"] {
    ///     assert_eq!(Operation::named(name), Some(Operation::CombineToAll));
    /// }
    /// assert_eq!(Operation::named("alltoall"), None);
    /// ```
    pub fn named(name: &str) -> Option<Operation> {
        let plain_name = names::plain(name);
        let plain_name = plain_name.strip_prefix("mpi").unwrap_or(&plain_name);
        let is_called = |operation: &Operation| {
            let mut all = operation.aliases().iter().copied().chain([operation.name()]);
            all.any(|alias| names::plain(alias) == plain_name)
        };
        Operation::ALL.into_iter().find(is_called)
    }

    /// The bus bandwidth of this operation among so many ranks over its algorithm bandwidth, as the benchmark nccl-tests
    /// defines them. The algorithm bandwidth is the length of the whole vector over the time; the bus bandwidth is what each rank
    /// sends or receives at least, over the time, so that it can be compared with the bandwidth of a port, whatever the
    /// number of ranks. `None` for scan, which nccl-tests does not have.
    ///
    /// | operation | factor among p ranks |
    /// | --- | --- |
    /// | combine-to-all | 2 (p - 1) / p |
    /// | collect, distributed combine, scatter, gather | (p - 1) / p |
    /// | broadcast, combine-to-one | 1 |
    ///
    /// Source: nccl-tests, `doc/PERFORMANCE.md`; of scatter and gather `src/scatter.cu` and `src/gather.cu`.
    ///
    /// ```
    /// use multicomputer::collective::Operation;
    ///
    /// assert_eq!(Operation::CombineToAll.bus_factor(8), Some(1.75));
    /// assert_eq!(Operation::Scan.bus_factor(8), None);
    /// ```
    pub fn bus_factor(self, ranks: usize) -> Option<f64> {
        let others = ranks.saturating_sub(1) as f64 / ranks.max(1) as f64;
        match self {
            Operation::CombineToAll => Some(2.0 * others),
            Operation::Collect | Operation::DistributedCombine | Operation::Scatter | Operation::Gather => {
                Some(others)
            }
            Operation::Broadcast | Operation::CombineToOne => Some(1.0),
            Operation::Scan => None,
        }
    }

    /// Whether one rank, the root, has a part of its own.
    pub fn has_root(self) -> bool {
        use Operation::{Broadcast, CombineToOne, Gather, Scatter};
        matches!(self, Broadcast | Scatter | Gather | CombineToOne)
    }

    /// Whether vectors are combined, so that an operator is needed.
    pub fn combines(self) -> bool {
        use Operation::{CombineToAll, CombineToOne, DistributedCombine, Scan};
        matches!(self, CombineToOne | CombineToAll | DistributedCombine | Scan)
    }

    /// Whether each rank has a block of its own of the vector.
    pub fn has_blocks(self) -> bool {
        use Operation::{Collect, DistributedCombine, Gather, Scatter};
        matches!(self, Scatter | Gather | Collect | DistributedCombine)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for operation in Operation::ALL {
            assert_eq!(Operation::named(operation.name()), Some(operation));
        }
    }

    #[test]
    fn names_of_mpi_are_read_in_any_spelling() {
        use Operation::{
            Broadcast, Collect, CombineToAll, CombineToOne, DistributedCombine, Gather, Scan, Scatter,
        };
        for (names, operation) in [
            (&["bcast", "Bcast", "MPI_Bcast", "mpi-bcast", "BROADCAST"][..], Broadcast),
            (&["MPI_Scatter", "scatterv"], Scatter),
            (&["MPI_Gather", "gather_v"], Gather),
            (&["allgather", "all-gather", "all_gather", "AllGather", "MPI_Allgatherv"], Collect),
            (&["reduce", "MPI_Reduce", "combine to one"], CombineToOne),
            (&["allreduce", "all-reduce", "MPI_Allreduce", "CombineToAll"], CombineToAll),
            (
                &["reduce_scatter", "reduce-scatter", "ReduceScatter", "MPI_Reduce_scatter_block"],
                DistributedCombine,
            ),
            (&["MPI_Scan", "Scan"], Scan),
        ] {
            for name in names {
                assert_eq!(Operation::named(name), Some(operation), "{name}");
            }
        }
        for name in ["alltoall", "MPI", "", "exscan", "all"] {
            assert_eq!(Operation::named(name), None, "{name}");
        }
    }
}
