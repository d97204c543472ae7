//! Operations that move data: broadcast, gather, scatter, all-gather, and their forms for different lengths.

use std::rc::Rc;

use multicomputer::{
    Payload,
    collective::{Job, Lengths, Operation},
};

use super::{
    Comm, Task, cut, forms, inter, is_in_place, root_of,
    rounds::{Round, one_round},
    storing,
};
use crate::{
    buffer::{Blocks, Buffer, Data},
    communicator::Communicator,
    datatype::Datatype,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::Integer,
};

functions! {
    MPI_Bcast: bcast(buffer/count/datatype, root, comm);
    MPI_Bcast_c: bcast(buffer/count/datatype, root, comm);
    MPI_Ibcast: ibcast(buffer/count/datatype, root, comm, request);
    MPI_Ibcast_c: ibcast(buffer/count/datatype, root, comm, request);
    MPI_Bcast_init: bcast_init(buffer/count/datatype, root, comm, info, request);
    MPI_Bcast_init_c: bcast_init(buffer/count/datatype, root, comm, info, request);
    MPI_Gather: gather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm);
    MPI_Gather_c: gather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm);
    MPI_Igather: igather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm, request);
    MPI_Igather_c: igather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm, request);
    MPI_Gather_init: gather_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm, info, request);
    MPI_Gather_init_c: gather_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm, info, request);
    MPI_Gatherv: gatherv::<i32, i32>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, root, comm);
    MPI_Gatherv_c: gatherv::<i64, i64>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, root, comm);
    MPI_Igatherv: igatherv::<i32, i32>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, root, comm, request);
    MPI_Igatherv_c: igatherv::<i64, i64>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, root, comm, request);
    MPI_Gatherv_init: gatherv_init::<i32, i32>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, root, comm, info, request);
    MPI_Gatherv_init_c: gatherv_init::<i64, i64>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, root, comm, info, request);
    MPI_Scatter: scatter(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm);
    MPI_Scatter_c: scatter(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm);
    MPI_Iscatter: iscatter(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm, request);
    MPI_Iscatter_c: iscatter(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm, request);
    MPI_Scatter_init: scatter_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm, info, request);
    MPI_Scatter_init_c: scatter_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, root, comm, info, request);
    MPI_Scatterv: scatterv::<i32, i32>(sendbuf/sendcounts/displs/sendtype, recvbuf/recvcount/recvtype, root, comm);
    MPI_Scatterv_c: scatterv::<i64, i64>(sendbuf/sendcounts/displs/sendtype, recvbuf/recvcount/recvtype, root, comm);
    MPI_Iscatterv: iscatterv::<i32, i32>(sendbuf/sendcounts/displs/sendtype, recvbuf/recvcount/recvtype, root, comm, request);
    MPI_Iscatterv_c: iscatterv::<i64, i64>(sendbuf/sendcounts/displs/sendtype, recvbuf/recvcount/recvtype, root, comm, request);
    MPI_Scatterv_init: scatterv_init::<i32, i32>(sendbuf/sendcounts/displs/sendtype, recvbuf/recvcount/recvtype, root, comm, info, request);
    MPI_Scatterv_init_c: scatterv_init::<i64, i64>(sendbuf/sendcounts/displs/sendtype, recvbuf/recvcount/recvtype, root, comm, info, request);
    MPI_Allgather: allgather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm);
    MPI_Allgather_c: allgather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm);
    MPI_Iallgather: iallgather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, request);
    MPI_Iallgather_c: iallgather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, request);
    MPI_Allgather_init: allgather_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, info, request);
    MPI_Allgather_init_c: allgather_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, info, request);
    MPI_Allgatherv: allgatherv::<i32, i32>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm);
    MPI_Allgatherv_c: allgatherv::<i64, i64>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm);
    MPI_Iallgatherv: iallgatherv::<i32, i32>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm, request);
    MPI_Iallgatherv_c: iallgatherv::<i64, i64>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm, request);
    MPI_Allgatherv_init: allgatherv_init::<i32, i32>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm, info, request);
    MPI_Allgatherv_init_c: allgatherv_init::<i64, i64>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm, info, request);
}

forms! { bcast_task = "broadcast": bcast ibcast bcast_init (data: Data, root: i32) }
forms! { gather_task = "gather": gather igather gather_init
(sent: Data, received: Data, root: i32) }
forms! { gatherv_task = "gather": gatherv igatherv gatherv_init <C, D>
(sent: Data, received: Blocks<C, D>, root: i32) }
forms! { scatter_task = "scatter": scatter iscatter scatter_init
(sent: Data, received: Data, root: i32) }
forms! { scatterv_task = "scatter": scatterv iscatterv scatterv_init <C, D>
(sent: Blocks<C, D>, received: Data, root: i32) }
forms! { allgather_task = "all-gather": allgather iallgather allgather_init
(sent: Data, received: Data) }
forms! { allgatherv_task = "all-gather": allgatherv iallgatherv allgatherv_init <C, D>
(sent: Data, received: Blocks<C, D>) }

/// A job of the library that moves data of the given type in bytes.
fn job(operation: Operation, root: usize, lengths: Lengths, datatype: &Datatype) -> Job {
    let bytes = cut(datatype);
    let elements = |count: u64| count * datatype.size() / bytes;
    let lengths = match lengths {
        Lengths::Even(count) => Lengths::Even(elements(count)),
        Lengths::Blocks(blocks) => Lengths::Blocks(blocks.into_iter().map(elements).collect()),
        other => other,
    };
    Job::of_size(operation, root, lengths, bytes).root(root)
}

fn bcast_task<'n>(process: &Process<'n>, comm: &Comm<'n>, data: Data, root: i32) -> Result<Task<'n>> {
    let buffer = data.buffer()?;
    if comm.remote.is_some() {
        return inter::bcast(process, comm, buffer, root);
    }
    let root = root_of(comm, root)?;
    let is_root = comm.group.rank() == root;
    let job = job(Operation::Broadcast, root, Lengths::Even(buffer.count as u64), &buffer.datatype);
    let mine = if is_root { buffer.load(process) } else { Payload::empty() };
    let finish = storing((!is_root).then_some(buffer));
    Ok(Task::Planned { job, mine, reduction: None, finish })
}

/// The block of this process in a buffer with one block for each rank.
fn own_block(all: &Buffer, rank: usize) -> Buffer {
    all.at(rank as i64 * all.count, all.count)
}

/// The data that a process contributes: what it sends, or its own block of the receive buffer for `MPI_IN_PLACE`.
pub(super) fn contribution(sent: Data, own: &Buffer) -> Result<Buffer> {
    if is_in_place(sent.address) {
        return Ok(own.clone());
    }
    let mine = sent.buffer()?;
    mine.check_distinct(own)?;
    Ok(mine)
}

fn gather_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Data,
    received: Data,
    root: i32,
) -> Result<Task<'n>> {
    if comm.remote.is_some() {
        return inter::gather(process, comm, sent, received, root);
    }
    let root = root_of(comm, root)?;
    let (rank, size) = (comm.group.rank(), comm.group.size());
    let into = (rank == root).then(|| received.buffer()).transpose()?;
    let mine = match &into {
        Some(into) if is_in_place(sent.address) => own_block(into, rank),
        Some(into) => contribution(sent, into)?,
        None => sent.buffer()?,
    };
    let job = job(Operation::Gather, root, Lengths::Even(mine.count as u64 * size as u64), &mine.datatype);
    let finish = storing(into.map(|into| into.at(0, into.count * size as i64)));
    Ok(Task::Planned { job, mine: mine.load(process), reduction: None, finish })
}

fn scatter_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Data,
    received: Data,
    root: i32,
) -> Result<Task<'n>> {
    if comm.remote.is_some() {
        return inter::scatter(process, comm, sent, received, root);
    }
    let root = root_of(comm, root)?;
    let (is_root, size) = (comm.group.rank() == root, comm.group.size() as u64);
    let from = is_root.then(|| sent.buffer()).transpose()?;
    let into = match is_root && is_in_place(received.address) {
        true => None,
        false => Some(received.buffer()?),
    };
    if let (Some(from), Some(into)) = (&from, &into) {
        from.check_distinct(into)?;
    }
    let (count, datatype) = match (&from, &into) {
        (Some(from), _) => (from.count, &from.datatype),
        (None, Some(into)) => (into.count, &into.datatype),
        (None, None) => {
            return Err(Error::argument(Class::BUFFER, "recvbuf", "MPI_IN_PLACE is for the root"));
        }
    };
    let job = job(Operation::Scatter, root, Lengths::Even(count as u64 * size), datatype);
    let mine = from.map_or_else(Payload::empty, |from| from.at(0, from.count * size as i64).load(process));
    Ok(Task::Planned { job, mine, reduction: None, finish: storing(into) })
}

fn allgather_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Data,
    received: Data,
) -> Result<Task<'n>> {
    let into = received.buffer()?;
    if comm.remote.is_some() {
        let mine = sent.buffer()?;
        return inter::allgather(
            process,
            comm,
            &mine,
            (0..comm.peers()).map(|peer| own_block(&into, peer)).collect(),
        );
    }
    let (rank, size) = (comm.group.rank(), comm.group.size());
    let mine = contribution(sent, &own_block(&into, rank))?;
    let job = job(Operation::AllGather, 0, Lengths::Even(mine.count as u64 * size as u64), &mine.datatype);
    let finish = storing(Some(into.at(0, into.count * size as i64)));
    Ok(Task::Planned { job, mine: mine.load(process), reduction: None, finish })
}

fn allgatherv_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Data,
    received: Blocks<C, D>,
) -> Result<Task<'n>> {
    let into = received.buffers(process, comm.peers(), "recvcounts")?;
    if comm.remote.is_some() {
        return inter::allgather(process, comm, &sent.buffer()?, into);
    }
    let mine = contribution(sent, &into[comm.group.rank()])?;
    let counts = Lengths::Blocks(into.iter().map(|block| block.count as u64).collect());
    let job = job(Operation::AllGather, 0, counts, &received.datatype.given()?);
    let finish = move |process: &Process<'n>, result: &Payload| store_blocks(process, &into, result);
    Ok(Task::Planned { job, mine: mine.load(process), reduction: None, finish: Box::new(finish) })
}

/// Stores data that has the blocks one after the other.
fn store_blocks(process: &Process<'_>, blocks: &[Buffer], data: &Payload) {
    let data = data.to_bytes().unwrap_or_default();
    let mut from = 0;
    for block in blocks {
        let to = (from + block.bytes() as usize).min(data.len());
        block.store_bytes(process, &data[from..to]);
        from = to;
    }
}

/// Only the root knows all lengths, so the messages go directly to it.
fn gatherv_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Data,
    received: Blocks<C, D>,
    root: i32,
) -> Result<Task<'n>> {
    let at_root = |process: &Process<'n>| received.buffers(process, comm.peers(), "recvcounts");
    if comm.remote.is_some() {
        return inter::gatherv(process, comm, sent, at_root, root);
    }
    let root = root_of(comm, root)?;
    let rank = comm.group.rank();
    if rank != root {
        let mine = sent.buffer()?.load(process);
        return Ok(one_round(Round { sends: vec![(root, 0, mine)], receives: vec![] }, |_, _| Ok(())));
    }
    let into = at_root(process)?;
    if !is_in_place(sent.address) {
        let mine = contribution(sent, &into[rank])?;
        into[rank].store_fitting(process, &mine.load(process))?;
    }
    let others: Vec<usize> = (0..comm.group.size()).filter(|&peer| peer != rank).collect();
    let receives = others.iter().map(|&peer| (peer, 0)).collect();
    Ok(one_round(Round { sends: vec![], receives }, move |process, received| {
        others.iter().zip(&received).try_for_each(|(&peer, data)| into[peer].store_fitting(process, data))
    }))
}

fn scatterv_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Blocks<C, D>,
    received: Data,
    root: i32,
) -> Result<Task<'n>> {
    let at_root = |process: &Process<'n>| sent.buffers(process, comm.peers(), "sendcounts");
    if comm.remote.is_some() {
        return inter::scatterv(process, comm, at_root, received, root);
    }
    let root = root_of(comm, root)?;
    let rank = comm.group.rank();
    if rank != root {
        let into = received.buffer()?;
        let round = Round { sends: vec![], receives: vec![(root, 0)] };
        return Ok(one_round(round, move |process, received| into.store_fitting(process, &received[0])));
    }
    let from = at_root(process)?;
    if !is_in_place(received.address) {
        let into = received.buffer()?;
        from[rank].check_distinct(&into)?;
        into.store_fitting(process, &from[rank].load(process))?;
    }
    let others = (0..comm.group.size()).filter(|&peer| peer != rank);
    let sends = others.map(|peer| (peer, 0, from[peer].load(process))).collect();
    Ok(one_round(Round { sends, receives: vec![] }, |_, _| Ok(())))
}
