//! MPI's native all-to-all for a matrix, `MPI_Alltoallv`.

use multicomputer::all_to_all::Instance;
#[cfg(feature = "mpi")]
use multicomputer_study::checked;

use super::super::{
    compare::{Execution, Ran},
    data::Content,
    error::Error,
};

/// Runs `MPI_Alltoallv`, and checks every byte that this rank receives.
#[cfg(feature = "mpi")]
pub(super) fn run(instance: &Instance, content: Content, execution: Execution<'_>) -> Result<Ran, Error> {
    let matrix = instance.matrix();
    let rank = execution.rank();
    let bytes = |from, to| checked::pair(content, matrix, from, to).to_bytes().unwrap_or_default();
    let ranks = || 0..matrix.nodes();
    let counts = |of: &dyn Fn(usize) -> u64| ranks().map(|rank| of(rank) as usize).collect::<Vec<_>>();
    let (to_counts, from_counts) =
        (counts(&|to| matrix.get(rank, to)), counts(&|from| matrix.get(from, rank)));
    let given: Vec<u8> = ranks().flat_map(|to| bytes(rank, to)).collect();
    let mut got = vec![0; from_counts.iter().sum()];
    execution.own(
        &mut got,
        |native, got| native.all_to_allv(&given, &to_counts, got, &from_counts),
        |got| {
            let mut rest = &got[..];
            ranks().find_map(|from| {
                let (part, others) = rest.split_at(from_counts[from]);
                rest = others;
                let is_wrong = part != bytes(from, rank);
                is_wrong.then(|| format!("MPI delivered wrong data from rank {from} to rank {rank}"))
            })
        },
    )
}

/// Returns an error: a build without MPI has no ranks.
#[cfg(not(feature = "mpi"))]
pub(super) fn run(_: &Instance, _: Content, execution: Execution<'_>) -> Result<Ran, Error> {
    execution.without_ranks()
}
