//! The default number of sources of s-to-p broadcasts, and MPI's own operation for them: `MPI_Allgatherv`, to which ranks that are not
//! sources contribute no data.

use multicomputer::{model::MachineSpec, s_to_p::Instance};
#[cfg(feature = "mpi")]
use multicomputer_study::checked::Runner;

use super::{
    compare::{Execution, Ran},
    data::Content,
    error::Error,
};

/// The default number of sources: 30, or all nodes of a smaller machine.
pub(super) fn default_sources(machine: &MachineSpec) -> usize {
    machine.nodes().min(30)
}

/// Broadcasts by MPI's own operation, and checks every byte that this rank gets.
#[cfg(feature = "mpi")]
pub(super) fn own_broadcast(
    instance: &Instance,
    content: Content,
    execution: Execution<'_>,
) -> Result<Ran, Error> {
    let rank = execution.rank();
    let message = |source, length| content.message(source, length).to_bytes().unwrap_or_default();
    let sources =
        || instance.sources().iter().zip(instance.lengths()).map(|(&source, &length)| (source, length));
    let mut counts = vec![0; execution.nodes()];
    sources().for_each(|(source, length)| counts[source] = length as usize);
    let mine = message(rank, counts[rank] as u64);
    let begin = |source: usize| counts[..source].iter().sum::<usize>();
    let mut all = vec![0; counts.iter().sum()];
    execution.own(
        &mut all,
        |native, all| native.all_gather(&mine, all, &counts),
        |all| {
            sources().find_map(|(source, length)| {
                let part = &all[begin(source)..begin(source + 1)];
                let is_wrong = part != message(source, length);
                is_wrong.then(|| format!("MPI delivered wrong data of source {source} to rank {rank}"))
            })
        },
    )
}

/// There are no ranks without MPI.
#[cfg(not(feature = "mpi"))]
pub(super) fn own_broadcast(_: &Instance, _: Content, execution: Execution<'_>) -> Result<Ran, Error> {
    execution.without_ranks()
}
