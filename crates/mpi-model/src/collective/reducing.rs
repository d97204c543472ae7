//! Operations that combine: reduce, all-reduce, reduce-scatter.

use std::rc::Rc;

use multicomputer::{
    Payload,
    collective::{Job, Lengths, Operation},
};

use super::{Comm, Reduction, Task, forms, inter, is_in_place, root_of, storing};
use crate::{
    buffer::Buffer,
    communicator::Communicator,
    datatype::Datatype,
    error::{Class, Error, Result},
    function::functions,
    op::Operator,
    process::Process,
    word::{Address, Array, Integer},
};

functions! {
    MPI_Reduce: reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
    MPI_Reduce_c: reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
    MPI_Ireduce: ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request);
    MPI_Ireduce_c: ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request);
    MPI_Reduce_init: reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
    MPI_Reduce_init_c: reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
    MPI_Allreduce: allreduce(sendbuf, recvbuf, count, datatype, op, comm);
    MPI_Allreduce_c: allreduce(sendbuf, recvbuf, count, datatype, op, comm);
    MPI_Iallreduce: iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request);
    MPI_Iallreduce_c: iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request);
    MPI_Allreduce_init: allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request);
    MPI_Allreduce_init_c: allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request);
    MPI_Reduce_scatter: reduce_scatter::<i32>(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    MPI_Reduce_scatter_c: reduce_scatter::<i64>(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    MPI_Ireduce_scatter: ireduce_scatter::<i32>(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
    MPI_Ireduce_scatter_c: ireduce_scatter::<i64>(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
    MPI_Reduce_scatter_init: reduce_scatter_init::<i32>(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
    MPI_Reduce_scatter_init_c: reduce_scatter_init::<i64>(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
    MPI_Reduce_scatter_block: reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm);
    MPI_Reduce_scatter_block_c: reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm);
    MPI_Ireduce_scatter_block: ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
    MPI_Ireduce_scatter_block_c: ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
    MPI_Reduce_scatter_block_init: reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
    MPI_Reduce_scatter_block_init_c: reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
}

forms! { reduce_task = "reduce": reduce ireduce reduce_init
(sendbuf: Address, recvbuf: Address, count: i64, datatype: Datatype, op: Operator, root: i32) }
forms! { allreduce_task = "all-reduce": allreduce iallreduce allreduce_init
(sendbuf: Address, recvbuf: Address, count: i64, datatype: Datatype, op: Operator) }
forms! { reduce_scatter_task = "reduce-scatter": reduce_scatter ireduce_scatter reduce_scatter_init <C>
(sendbuf: Address, recvbuf: Address, recvcounts: Array<C>, datatype: Datatype, op: Operator) }
forms! { reduce_scatter_block_task = "reduce-scatter": reduce_scatter_block ireduce_scatter_block reduce_scatter_block_init
(sendbuf: Address, recvbuf: Address, recvcount: i64, datatype: Datatype, op: Operator) }

/// The operands of this process: those of the receive buffer for `MPI_IN_PLACE`.
pub(super) fn operands(
    sendbuf: Address,
    recvbuf: Address,
    count: i64,
    datatype: &Datatype,
) -> Result<Buffer> {
    let from = if is_in_place(sendbuf) { recvbuf } else { sendbuf };
    let operands = Buffer::new(from, count, datatype.clone())?;
    if !is_in_place(sendbuf) {
        operands.check_distinct(&Buffer { address: recvbuf, ..operands.clone() })?;
    }
    Ok(operands)
}

/// A job of the library that combines elements of the given type.
pub(super) fn job(operation: Operation, root: usize, lengths: Lengths, datatype: &Datatype) -> Job {
    match datatype.size() {
        // Elements without data: nothing is combined.
        0 => Job::of_size(operation, root, 0, 1).root(root),
        size => Job::of_size(operation, root, lengths, size).root(root),
    }
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn reduce_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    recvbuf: Address,
    count: i64,
    datatype: Datatype,
    op: Operator,
    root: i32,
) -> Result<Task<'n>> {
    if comm.remote.is_some() {
        return inter::reduce(process, comm, (sendbuf, recvbuf, count), Reduction::new(op, datatype)?, root);
    }
    let root = root_of(comm, root)?;
    let is_root = comm.group.rank() == root;
    if !is_root && is_in_place(sendbuf) {
        return Err(Error::argument(Class::BUFFER, "sendbuf", "MPI_IN_PLACE is for the root"));
    }
    let mine = match is_root {
        true => operands(sendbuf, recvbuf, count, &datatype)?,
        false => Buffer::new(sendbuf, count, datatype.clone())?,
    };
    let finish = storing(is_root.then(|| Buffer::new(recvbuf, count, datatype.clone())).transpose()?);
    let job = job(Operation::Reduce, root, Lengths::Even(count as u64), &datatype);
    let reduction = Some(Reduction::new(op, datatype)?);
    Ok(Task::Planned { job, mine: mine.load(process), reduction, finish })
}

fn allreduce_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    recvbuf: Address,
    count: i64,
    datatype: Datatype,
    op: Operator,
) -> Result<Task<'n>> {
    if comm.remote.is_some() {
        return inter::allreduce(process, comm, (sendbuf, recvbuf, count), Reduction::new(op, datatype)?);
    }
    let mine = operands(sendbuf, recvbuf, count, &datatype)?;
    let finish = storing(Some(Buffer::new(recvbuf, count, datatype.clone())?));
    let job = job(Operation::AllReduce, 0, Lengths::Even(count as u64), &datatype);
    let reduction = Some(Reduction::new(op, datatype)?);
    Ok(Task::Planned { job, mine: mine.load(process), reduction, finish })
}

fn reduce_scatter_task<'n, C: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    recvbuf: Address,
    recvcounts: Array<C>,
    datatype: Datatype,
    op: Operator,
) -> Result<Task<'n>> {
    let counts =
        recvcounts.read_counts(process, comm.group.size()).map_err(|error| error.of("recvcounts"))?;
    let counts: Vec<i64> = counts.into_iter().map(Integer::get).collect();
    scattered(process, comm, (sendbuf, recvbuf), &counts, datatype, op, "recvcounts")
}

fn reduce_scatter_block_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    recvbuf: Address,
    recvcount: i64,
    datatype: Datatype,
    op: Operator,
) -> Result<Task<'n>> {
    let counts = vec![recvcount; comm.group.size()];
    scattered(process, comm, (sendbuf, recvbuf), &counts, datatype, op, "recvcount")
}

/// A reduce-scatter with these lengths of blocks.
fn scattered<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    (sendbuf, recvbuf): (Address, Address),
    counts: &[i64],
    datatype: Datatype,
    op: Operator,
    argument: &'static str,
) -> Result<Task<'n>> {
    if let Some(count) = counts.iter().find(|&&count| count < 0) {
        return Err(Error::argument(Class::COUNT, argument, format!("{count} is negative")));
    }
    let all = counts.iter().sum();
    let into = Buffer::new(recvbuf, counts[comm.group.rank()], datatype.clone())?;
    if comm.remote.is_some() {
        let mine = Buffer::new(sendbuf, all, datatype.clone())?;
        let before = counts[..comm.group.rank()].iter().sum();
        return inter::reduce_scatter(process, comm, &mine, before, into, Reduction::new(op, datatype)?);
    }
    let mine = operands(sendbuf, recvbuf, all, &datatype)?;
    let is_even = counts.windows(2).all(|pair| pair[0] == pair[1]);
    let lengths = match is_even {
        true => Lengths::Even(all as u64),
        false => Lengths::Blocks(counts.iter().map(|&count| count as u64).collect()),
    };
    let job = job(Operation::ReduceScatter, 0, lengths, &datatype);
    let reduction = Some(Reduction::new(op, datatype)?);
    Ok(Task::Planned { job, mine: mine.load(process), reduction, finish: storing(Some(into)) })
}

/// Combines the contributions of several processes, in the order of their ranks.
pub(super) fn combined(process: &Process<'_>, reduction: &Reduction, all: &[Payload]) -> Result<Payload> {
    let Some((first, rest)) = all.split_first() else { return Ok(Payload::empty()) };
    rest.iter().try_fold(first.clone(), |left, right| {
        reduction.combine(process, &left, right).map_err(|error| Error::new(Class::INTERN, error.to_string()))
    })
}
