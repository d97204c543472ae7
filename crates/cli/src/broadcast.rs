//! An s-to-p broadcast that is run and checked, and MPI's own, `MPI_Allgatherv` with nothing from those that are no sources.
//!
//! The data is made before the run and checked after it, so that neither takes host time from the nodes while the
//! clock is running: in real time what a program computes counts. Every node's program returns what it holds, and each
//! byte of it is compared with what its source had, made afresh: the nodes pass data on by reference, and the copy that
//! it is compared with is not part of what they share.

use multicomputer::{
    Payload,
    comm::Node,
    model::MachineSpec,
    s_to_p::{Instance, Plan},
};

use super::{
    compare::{Execution, Ran},
    data::Content,
    error::Error,
};

/// The default number of sources: 30, or all nodes of a smaller machine.
pub(super) fn default_sources(machine: &MachineSpec) -> usize {
    machine.nodes().min(30)
}

/// Broadcasts, and checks what every node has in the end.
pub(super) fn broadcast(plan: &Plan, content: Content, execution: Execution<'_>) -> Result<Ran, Error> {
    let instance = plan.instance();
    let sources = || instance.sources().iter().zip(instance.lengths());
    let messages: Vec<Payload> =
        sources().map(|(&source, &length)| content.message(source, length)).collect();
    let program = |node: &Node<'_>| {
        let source = instance.sources().iter().position(|&source| source == node.rank());
        let mine = source.map(|source| messages[source].clone());
        Ok(plan.broadcast(node.world(), mine)?)
    };
    execution.run(program, |outputs| {
        sources().enumerate().find_map(|(block, (&source, &length))| {
            let expected = content.message(source, length);
            outputs.iter().find_map(|(rank, received)| {
                let fault = content.fault(received.get(block), &expected)?;
                Some(format!("node {rank} has wrong data of source {source}: {fault}"))
            })
        })
    })
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
