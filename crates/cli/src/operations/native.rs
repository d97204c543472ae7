//! MPI's own operations, on the same data: `MPI_Bcast` and so on, `MPI_Allgatherv` for s-to-p broadcasts, to which ranks that are not sources
//! contribute no data, and `MPI_Alltoallv`.

use multicomputer::collective::{Operation, Task};
#[cfg(feature = "mpi")]
use multicomputer::{all_to_all, s_to_p};
use multicomputer_study::Problem;
#[cfg(feature = "mpi")]
use multicomputer_study::checked::{self, Runner};

use super::super::{
    compare::{Execution, Ran},
    data::{Content, adds_doubles},
    error::Error,
};

/// Returns the name of MPI's operation for a problem, without `MPI_`, or the reason why there is none.
pub(super) fn name(problem: &Problem) -> Result<&'static str, String> {
    match problem {
        Problem::Collective(task) => name_for(task),
        Problem::SToP(_) => Ok("Allgatherv"),
        Problem::AllToAll(_) => Ok("Alltoallv"),
    }
}

/// Runs MPI's operation, and checks every byte that this rank receives.
#[cfg(feature = "mpi")]
pub(super) fn run(problem: &Problem, content: Content, execution: Execution<'_>) -> Result<Ran, Error> {
    match problem {
        Problem::Collective(task) => collective(task, content, execution),
        Problem::SToP(instance) => s_to_p(instance, content, execution),
        Problem::AllToAll(instance) => all_to_all(instance, content, execution),
    }
}

/// Returns an error: a build without MPI has no ranks.
#[cfg(not(feature = "mpi"))]
pub(super) fn run(_: &Problem, _: Content, execution: Execution<'_>) -> Result<Ran, Error> {
    execution.without_ranks()
}

fn name_for(task: &Task) -> Result<&'static str, String> {
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

#[cfg(feature = "mpi")]
fn collective(task: &Task, content: Content, execution: Execution<'_>) -> Result<Ran, Error> {
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

#[cfg(feature = "mpi")]
fn s_to_p(instance: &s_to_p::Instance, content: Content, execution: Execution<'_>) -> Result<Ran, Error> {
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

#[cfg(feature = "mpi")]
fn all_to_all(
    instance: &all_to_all::Instance,
    content: Content,
    execution: Execution<'_>,
) -> Result<Ran, Error> {
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
