//! MPI's native collective operations, on the same data.

use multicomputer::collective::{Operation, Task};

use super::super::{
    compare::{Execution, Ran},
    data::{Content, adds_doubles},
    error::Error,
};

/// Returns the name of MPI's operation for a task, without `MPI_`, or the reason why there is none.
pub(super) fn name(task: &Task) -> Result<&'static str, String> {
    if task.members().iter().enumerate().any(|(rank, &node)| rank != node)
        || task.size() < task.machine().nodes()
    {
        return Err("MPI's operation is compared only for all ranks in rank order".to_owned());
    }
    if task.operation().combines() && !adds_doubles(task) {
        return Err("MPI's operation is compared only for sums of 8-byte numbers in any order".to_owned());
    }
    Ok(match task.operation() {
        Operation::Broadcast => "Bcast",
        Operation::Scatter => "Scatterv",
        Operation::Gather => "Gatherv",
        Operation::AllGather => "Allgatherv",
        Operation::Reduce => "Reduce",
        Operation::AllReduce => "Allreduce",
        Operation::ReduceScatter if counts(task).iter().all(|&count| count == counts(task)[0]) => {
            "Reduce_scatter_block"
        }
        Operation::ReduceScatter => {
            return Err(
                "MPI_Reduce_scatter_block needs blocks of equal length: choose a number of elements that is a \
                 multiple of the number of ranks"
                    .to_owned(),
            );
        }
        Operation::Scan => "Scan",
        other => return Err(format!("MPI has no {other}")),
    })
}

/// Returns the number of bytes of each rank's block.
fn counts(task: &Task) -> Vec<usize> {
    (0..task.size()).map(|rank| task.block(rank)).map(|block| (block.end - block.start) as usize).collect()
}

/// Runs MPI's operation, and checks every byte that this rank receives.
#[cfg(feature = "mpi")]
pub(super) fn run(task: &Task, content: Content, execution: Execution<'_>) -> Result<Ran, Error> {
    let (rank, root) = (execution.rank(), task.root());
    let given = content.given(task)[rank].to_bytes().unwrap_or_default();
    let [_, after] = multicomputer_study::data::before_and_after(task, rank);
    let fault = |got: &[u8]| {
        let payload = got.to_vec().into();
        let mut results = vec![None; task.size()];
        results[rank] = Some(&payload);
        let (rank, fault) = content.wrong_rank(task, &results)?;
        Some(format!("MPI delivered wrong data to rank {rank}: {fault}"))
    };
    if task.operation().combines() {
        let doubles = |bytes: &[u8]| {
            let double = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().unwrap_or_default());
            bytes.chunks_exact(size_of::<f64>()).map(double).collect::<Vec<f64>>()
        };
        let mine = doubles(&given);
        let mut sums = vec![0.0; (after.end - after.start) as usize / size_of::<f64>()];
        return execution.own(
            &mut sums,
            |native, sums| match task.operation() {
                Operation::Reduce => native.reduce(&mine, sums, root),
                Operation::AllReduce => native.all_reduce(&mine, sums),
                Operation::Scan => native.scan(&mine, sums),
                _ => native.reduce_scatter(&mine, sums),
            },
            |sums| fault(&sums.iter().flat_map(|sum| sum.to_ne_bytes()).collect::<Vec<u8>>()),
        );
    }
    let mut got = vec![0; (after.end - after.start) as usize];
    if task.operation() == Operation::Broadcast && rank == root {
        got.copy_from_slice(&given);
    }
    let counts = counts(task);
    execution.own(
        &mut got,
        |native, got| match task.operation() {
            Operation::Broadcast => native.broadcast(got, root),
            Operation::Scatter => native.scatter(&given, &counts, got, root),
            Operation::Gather => native.gather(&given, got, &counts, root),
            _ => native.all_gather(&given, got, &counts),
        },
        |got| fault(got),
    )
}

/// Returns an error: a build without MPI has no ranks.
#[cfg(not(feature = "mpi"))]
pub(super) fn run(_: &Task, _: Content, execution: Execution<'_>) -> Result<Ran, Error> {
    execution.without_ranks()
}
