//! The collective operations of the library.

use std::fmt;

use crate::names;

/// A collective operation among `p` ranks; with the names of MPI. InterCom calls four of them *collect*, *combine-to-one*,
/// *combine-to-all* and *distributed combine*; [`Operation::named`] knows all names.
///
/// | operation | before | after |
/// | --- | --- | --- |
/// | broadcast | `x` at the root | `x` everywhere |
/// | scatter | `x` at the root | `x_j` at `j` |
/// | gather | `x_j` at `j` | `x` at the root |
/// | all-gather | `x_j` at `j` | `x` everywhere |
/// | reduce | `y^(j)` at `j` | the sum of all `y^(i)` at the root |
/// | all-reduce | `y^(j)` at `j` | the sum of all `y^(i)` everywhere |
/// | reduce-scatter | `y^(j)` at `j` | the sum of all `y_j^(i)` at `j` |
/// | scan | `y^(j)` at `j` | the sum of `y^(0)` to `y^(j)` at `j` |
///
/// `x` is a vector of `n` elements, cut into blocks `x_0` to `x_(p-1)` in rank order; "sum" stands for any associative operator.
///
/// Source: Barnett et al., "Building a High-Performance Collective Communication Library", 1994, table 1, which does not include scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// The root's vector goes to all ranks.
    #[doc(alias = "bcast")]
    Broadcast,
    /// Each rank gets its block of the root's vector.
    Scatter,
    /// The root gets a block from each rank.
    Gather,
    /// All ranks get a block from each rank.
    #[doc(alias = "collect")]
    AllGather,
    /// The root gets the combined vectors of all ranks.
    #[doc(alias = "combine_to_one")]
    Reduce,
    /// All ranks get the combined vectors of all ranks.
    #[doc(alias = "combine_to_all")]
    AllReduce,
    /// Each rank gets one block of the combined vectors of all ranks.
    #[doc(alias = "distributed_combine")]
    ReduceScatter,
    /// Each rank gets the combined vectors of all ranks up to and including itself.
    #[doc(alias = "prefix")]
    Scan,
}

impl Operation {
    /// All operations, in the order of the paper's table, then scan.
    pub const ALL: [Operation; 8] = [
        Operation::Broadcast,
        Operation::Scatter,
        Operation::Gather,
        Operation::AllGather,
        Operation::Reduce,
        Operation::AllReduce,
        Operation::ReduceScatter,
        Operation::Scan,
    ];

    /// The name of the operation on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Broadcast => "broadcast",
            Operation::Scatter => "scatter",
            Operation::Gather => "gather",
            Operation::AllGather => "all-gather",
            Operation::Reduce => "reduce",
            Operation::AllReduce => "all-reduce",
            Operation::ReduceScatter => "reduce-scatter",
            Operation::Scan => "scan",
        }
    }

    /// Other names of the operation: InterCom's, and those of the calls of MPI that do the same with lengths of their own.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Operation::Broadcast => &["bcast"],
            Operation::Scatter => &["scatterv"],
            Operation::Gather => &["gatherv"],
            Operation::AllGather => &["collect", "allgatherv"],
            Operation::Reduce => &["combine-to-one"],
            Operation::AllReduce => &["combine-to-all"],
            Operation::ReduceScatter => &["distributed-combine", "reduce_scatter_block"],
            Operation::Scan => &["prefix"],
        }
    }

    /// The operation of this name or [alias](Operation::aliases). Case, hyphens, underscores and blanks are ignored, and the
    /// prefix `MPI_` is optional.
    ///
    /// ```
    /// use multicomputer::collective::Operation;
    ///
    /// for name in ["combine-to-all", "allreduce", "all-reduce", "all_reduce", "AllReduce", "MPI_Allreduce"] {
    ///     assert_eq!(Operation::named(name), Some(Operation::AllReduce));
    /// }
    /// assert_eq!(Operation::named("alltoall"), None);
    /// ```
    pub fn named(name: &str) -> Option<Operation> {
        let plain_name = names::normalized(name);
        let plain_name = plain_name.strip_prefix("mpi").unwrap_or(&plain_name);
        let is_called = |operation: &Operation| {
            let mut all = operation.aliases().iter().copied().chain([operation.name()]);
            all.any(|alias| names::normalized(alias) == plain_name)
        };
        Operation::ALL.into_iter().find(is_called)
    }

    /// The bus bandwidth of this operation among `ranks` ranks divided by its algorithm bandwidth, as the benchmark nccl-tests defines
    /// them. The algorithm bandwidth is the length of the whole vector divided by the time. The bus bandwidth is the minimum number of
    /// bytes that each rank sends or receives, divided by the time; it compares to the bandwidth of a port for any number of ranks. `None`
    /// for scan, which nccl-tests does not have.
    ///
    /// | operation | factor among p ranks |
    /// | --- | --- |
    /// | all-reduce | 2 (p - 1) / p |
    /// | all-gather, reduce-scatter, scatter, gather | (p - 1) / p |
    /// | broadcast, reduce | 1 |
    ///
    /// Source: nccl-tests, `doc/PERFORMANCE.md`; for scatter and gather `src/scatter.cu` and `src/gather.cu`.
    ///
    /// ```
    /// use multicomputer::collective::Operation;
    ///
    /// assert_eq!(Operation::AllReduce.bus_factor(8), Some(1.75));
    /// assert_eq!(Operation::Scan.bus_factor(8), None);
    /// ```
    pub fn bus_factor(self, ranks: usize) -> Option<f64> {
        let other_fraction = ranks.saturating_sub(1) as f64 / ranks.max(1) as f64;
        match self {
            Operation::AllReduce => Some(2.0 * other_fraction),
            Operation::AllGather | Operation::ReduceScatter | Operation::Scatter | Operation::Gather => {
                Some(other_fraction)
            }
            Operation::Broadcast | Operation::Reduce => Some(1.0),
            Operation::Scan => None,
        }
    }

    /// Whether the operation distinguishes one rank, the root.
    pub fn has_root(self) -> bool {
        use Operation::{Broadcast, Gather, Reduce, Scatter};
        matches!(self, Broadcast | Scatter | Gather | Reduce)
    }

    /// Whether the operation combines vectors and needs an operator.
    pub fn combines(self) -> bool {
        use Operation::{AllReduce, Reduce, ReduceScatter, Scan};
        matches!(self, Reduce | AllReduce | ReduceScatter | Scan)
    }

    /// Whether each rank has its own block of the vector.
    pub fn has_blocks(self) -> bool {
        use Operation::{AllGather, Gather, ReduceScatter, Scatter};
        matches!(self, Scatter | Gather | AllGather | ReduceScatter)
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
        use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter};
        for (names, operation) in [
            (&["bcast", "Bcast", "MPI_Bcast", "mpi-bcast", "BROADCAST"][..], Broadcast),
            (&["MPI_Scatter", "scatterv"], Scatter),
            (&["MPI_Gather", "gather_v"], Gather),
            (&["allgather", "all-gather", "all_gather", "AllGather", "MPI_Allgatherv"], AllGather),
            (&["reduce", "MPI_Reduce", "combine to one"], Reduce),
            (&["allreduce", "all-reduce", "MPI_Allreduce", "AllReduce"], AllReduce),
            (
                &["reduce_scatter", "reduce-scatter", "ReduceScatter", "MPI_Reduce_scatter_block"],
                ReduceScatter,
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
