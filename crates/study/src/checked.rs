//! Runs of plans with data that every node checks.
//!
//! The data is made before the run and checked after it, so that neither takes host time from the nodes while the clock is running: in real
//! time the computation of a program counts. The expected data is generated again: nodes pass data on by reference, so the comparison must
//! not share memory with it.

use multicomputer::{
    Machine, Payload, Rank, Span, Tag, Time, all_to_all, collective,
    comm::Node,
    error::{Failure, RunError},
    s_to_p,
};

use crate::data::Content;

/// Runs a program on every node of a machine, or on every rank of an MPI job.
pub trait Runner {
    /// The figures of a run.
    type Ran;
    /// The error of a run that failed, or delivered wrong data.
    type Error;

    /// Returns the number of nodes.
    fn nodes(&self) -> usize;

    /// Returns whether the run is over MPI.
    fn is_over_mpi(&self) -> bool;

    /// Runs the program and checks its outputs: `fault` says what is wrong with them. It gets the outputs of the nodes in this process.
    ///
    /// # Errors
    ///
    /// If the run fails, or if `fault` finds wrong outputs.
    fn run<T: Send>(
        self,
        program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
        fault: impl Fn(&[(Rank, &T)]) -> Option<String>,
    ) -> Result<Self::Ran, Self::Error>;
}

/// Runs an s-to-p broadcast and checks every byte on every node.
///
/// # Errors
///
/// Those of the runner.
pub fn s_to_p<R: Runner>(plan: &s_to_p::Plan, content: Content, runner: R) -> Result<R::Ran, R::Error> {
    let instance = plan.instance();
    let sources = || instance.sources().iter().zip(instance.lengths());
    let messages: Vec<Payload> =
        sources().map(|(&source, &length)| content.message(source, length)).collect();
    let program = |node: &Node<'_>| {
        let source = instance.sources().iter().position(|&source| source == node.rank());
        let mine = source.map(|source| messages[source].clone());
        Ok(plan.broadcast(node.world(), mine)?)
    };
    runner.run(program, |outputs| {
        sources().enumerate().find_map(|(block, (&source, &length))| {
            let expected = content.message(source, length);
            outputs.iter().find_map(|(rank, received)| {
                let fault = content.fault(received.get(block), &expected)?;
                Some(format!("node {rank} has wrong data of source {source}: {fault}"))
            })
        })
    })
}

/// Runs a collective operation and checks the result of every member.
///
/// # Errors
///
/// Those of the runner.
pub fn collective<R: Runner>(
    plan: &collective::Plan,
    content: Content,
    runner: R,
) -> Result<R::Ran, R::Error> {
    let task = plan.task();
    let given = content.given(task);
    let mut ranks: Vec<Option<Rank>> = vec![None; runner.nodes()];
    task.members().iter().enumerate().for_each(|(rank, &node)| ranks[node] = Some(rank));
    // Creating a group over MPI takes time, and MPI's own operations do not create one.
    let is_of_world = runner.is_over_mpi() && task.members().iter().copied().eq(0..runner.nodes());
    let program = |node: &Node<'_>| {
        let Some(rank) = ranks[node.rank()] else { return Ok(None) };
        let combine = |left: Payload, right: Payload| content.combine(task, left, right);
        if is_of_world {
            return Ok(Some(plan.carry_out(node.world(), Tag(0), &given[rank], combine)?));
        }
        let group = node.world().subgroup(task.members())?;
        Ok(Some(plan.carry_out(&group, Tag(0), &given[rank], combine)?))
    };
    runner.run(program, |outputs| {
        let mut results = vec![None; task.size()];
        for (node, result) in outputs {
            if let Some(rank) = ranks[*node] {
                results[rank] = result.as_ref();
            }
        }
        let (rank, fault) = content.wrong_rank(task, &results)?;
        Some(format!("rank {rank} has wrong data: {fault}"))
    })
}

/// Runs an all-to-all and checks every byte on every node.
///
/// # Errors
///
/// Those of the runner.
pub fn all_to_all<R: Runner>(
    plan: &all_to_all::Plan,
    content: Content,
    runner: R,
) -> Result<R::Ran, R::Error> {
    let matrix = plan.instance().matrix();
    let message = |from: Rank, to: Rank| pair(content, matrix, from, to);
    let ranks = || 0..matrix.nodes();
    let given: Vec<Vec<Payload>> =
        ranks().map(|from| ranks().map(|to| message(from, to)).collect()).collect();
    let program = |node: &Node<'_>| Ok(plan.carry_out(node.world(), given[node.rank()].clone())?);
    runner.run(program, |outputs| {
        ranks().flat_map(|from| outputs.iter().map(move |output| (from, output))).find_map(
            |(from, &(to, output))| {
                let fault = content.fault(output.get(from), &message(from, to))?;
                Some(format!("node {to} has wrong data from node {from}: {fault}"))
            },
        )
    })
}

/// Returns the message of one node for another in an all-to-all.
pub fn pair(content: Content, matrix: &all_to_all::Matrix, from: Rank, to: Rank) -> Payload {
    content.message(from * matrix.nodes() + to, matrix.get(from, to))
}

/// The number of calls that [`median_call`] times.
pub const TIMED_CALLS: usize = 9;

/// Returns the median time of [`TIMED_CALLS`] calls of a program on the threads of this host, after one warm-up call. Every call starts
/// after a barrier; its time is from the first node's start to the last node's end. A single call would mostly measure the start of the
/// threads.
///
/// # Errors
///
/// If a run fails.
pub fn median_call<T>(
    machine: &Machine,
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> Result<Span, RunError> {
    let run = machine.run(|node| {
        program(node)?;
        let timed = |_| -> Result<[Time; 2], Failure> {
            node.world().barrier()?;
            let begin = node.now()?;
            program(node)?;
            Ok([begin, node.now()?])
        };
        (0..TIMED_CALLS).map(timed).collect::<Result<Vec<[Time; 2]>, Failure>>()
    })?;
    let call = |nth: usize| {
        let first = run.outputs.iter().map(|calls| calls[nth][0]).min().unwrap_or(Time::ZERO);
        let last = run.outputs.iter().map(|calls| calls[nth][1]).max().unwrap_or(Time::ZERO);
        last.since(first)
    };
    let mut calls: Vec<Span> = (0..TIMED_CALLS).map(call).collect();
    calls.sort_unstable();
    Ok(calls[TIMED_CALLS / 2])
}
