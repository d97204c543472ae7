//! Neighborhood collectives: messages along the edges of a communicator's topology (MPI 5.0, section 8.6).

use std::rc::Rc;

use super::{
    Comm, Task,
    exchange::typed_blocks,
    forms,
    moving::blocks,
    rounds::{Round, one_round},
};
use crate::{
    abi,
    buffer::{Buffer, Optional},
    communicator::Communicator,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::{Address, Array, Handle, Integer},
};

functions! {
    MPI_Neighbor_allgather: allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    MPI_Neighbor_allgather_c: allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    MPI_Ineighbor_allgather: iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
    MPI_Ineighbor_allgather_c: iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
    MPI_Neighbor_allgather_init: allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
    MPI_Neighbor_allgather_init_c: allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
    MPI_Neighbor_allgatherv: allgatherv::<i32, i32>(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    MPI_Neighbor_allgatherv_c: allgatherv::<i64, i64>(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    MPI_Ineighbor_allgatherv: iallgatherv::<i32, i32>(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
    MPI_Ineighbor_allgatherv_c: iallgatherv::<i64, i64>(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
    MPI_Neighbor_allgatherv_init: allgatherv_init::<i32, i32>(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request);
    MPI_Neighbor_allgatherv_init_c: allgatherv_init::<i64, i64>(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request);
    MPI_Neighbor_alltoall: alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    MPI_Neighbor_alltoall_c: alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    MPI_Ineighbor_alltoall: ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
    MPI_Ineighbor_alltoall_c: ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
    MPI_Neighbor_alltoall_init: alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
    MPI_Neighbor_alltoall_init_c: alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
    MPI_Neighbor_alltoallv: alltoallv::<i32, i32>(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    MPI_Neighbor_alltoallv_c: alltoallv::<i64, i64>(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    MPI_Ineighbor_alltoallv: ialltoallv::<i32, i32>(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
    MPI_Ineighbor_alltoallv_c: ialltoallv::<i64, i64>(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
    MPI_Neighbor_alltoallv_init: alltoallv_init::<i32, i32>(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request);
    MPI_Neighbor_alltoallv_init_c: alltoallv_init::<i64, i64>(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request);
    MPI_Neighbor_alltoallw: alltoallw::<i32, i64>(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    MPI_Neighbor_alltoallw_c: alltoallw::<i64, i64>(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    MPI_Ineighbor_alltoallw: ialltoallw::<i32, i64>(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
    MPI_Ineighbor_alltoallw_c: ialltoallw::<i64, i64>(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
    MPI_Neighbor_alltoallw_init: alltoallw_init::<i32, i64>(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request);
    MPI_Neighbor_alltoallw_init_c: alltoallw_init::<i64, i64>(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request);
}

forms! { allgather_task = "neighborhood all-gather": allgather iallgather allgather_init
(sendbuf: Address, sendcount: i64, sendtype: Optional, recvbuf: Address, recvcount: i64, recvtype: Optional) }
forms! { allgatherv_task = "neighborhood all-gather": allgatherv iallgatherv allgatherv_init <C, D>
(sendbuf: Address, sendcount: i64, sendtype: Optional, recvbuf: Address, recvcounts: Array<C>, displs: Array<D>, recvtype: Optional) }
forms! { alltoall_task = "neighborhood all-to-all": alltoall ialltoall alltoall_init
(sendbuf: Address, sendcount: i64, sendtype: Optional, recvbuf: Address, recvcount: i64, recvtype: Optional) }
forms! { alltoallv_task = "neighborhood all-to-all": alltoallv ialltoallv alltoallv_init <C, D>
(sendbuf: Address, sendcounts: Array<C>, sdispls: Array<D>, sendtype: Optional,
 recvbuf: Address, recvcounts: Array<C>, rdispls: Array<D>, recvtype: Optional) }
forms! { alltoallw_task = "neighborhood all-to-all": alltoallw ialltoallw alltoallw_init <C, D>
(sendbuf: Address, sendcounts: Array<C>, sdispls: Array<D>, sendtypes: Array<Handle>,
 recvbuf: Address, recvcounts: Array<C>, rdispls: Array<D>, recvtypes: Array<Handle>) }

/// The neighbors of this process: sources and destinations, with `None` for `MPI_PROC_NULL`, and the number that tells messages between the
/// same two processes apart.
struct Neighbors {
    sources: Vec<(Option<usize>, u32)>,
    destinations: Vec<(Option<usize>, u32)>,
}

/// In a Cartesian topology, what goes in the positive direction of a dimension comes from the negative one, also where both neighbors are
/// one process: so the direction is the number of the message. In graphs the order of the edges between two processes counts.
fn neighbors(comm: &Communicator<'_>) -> Result<Neighbors> {
    let Some(topology) = comm.topology.get() else {
        let text = format!("{} has no topology", comm.name.borrow());
        return Err(Error::argument(Class::TOPOLOGY, "comm", text));
    };
    let (sources, destinations) = topology.neighbors(comm.group.rank());
    let rank = |rank: i32| if rank == abi::PROC_NULL { None } else { usize::try_from(rank).ok() };
    let is_cartesian = topology.is_cartesian();
    let number = |place: usize| if is_cartesian { place as u32 & 255 } else { 0 };
    Ok(Neighbors {
        sources: sources
            .iter()
            .enumerate()
            .map(|(place, &source)| (rank(source), number(place ^ 1)))
            .collect(),
        destinations: destinations.iter().enumerate().map(|(place, &to)| (rank(to), number(place))).collect(),
    })
}

/// Sends blocks along the outgoing edges and receives blocks along the incoming edges.
fn exchange<'n>(
    process: &Process<'n>,
    neighbors: &Neighbors,
    from: &[Buffer],
    into: Vec<Buffer>,
) -> Task<'n> {
    let sends = neighbors.destinations.iter().zip(from);
    let sends = sends.filter_map(|(&(to, number), block)| Some((to?, number, block.load(process)))).collect();
    let present = neighbors
        .sources
        .iter()
        .zip(into)
        .filter_map(|(&(source, number), block)| Some(((source?, number), block)));
    let (receives, into): (Vec<_>, Vec<Buffer>) = present.unzip();
    one_round(Round { sends, receives }, move |process, received| {
        into.iter().zip(&received).try_for_each(|(block, data)| block.store_fitting(process, data))
    })
}

/// The same block for each edge. Without an edge the buffer is not used.
fn same(address: Address, count: i64, datatype: Optional, edges: usize) -> Result<Vec<Buffer>> {
    if edges == 0 {
        return Ok(Vec::new());
    }
    Ok(vec![Buffer::new(address, count, datatype)?; edges])
}

/// One block of a buffer for each edge.
fn each(address: Address, count: i64, datatype: Optional, edges: usize) -> Result<Vec<Buffer>> {
    let blocks = same(address, count, datatype, edges)?.into_iter().zip(0..);
    Ok(blocks.map(|(block, edge)| block.at(edge * count, count)).collect())
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn allgather_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    sendcount: i64,
    sendtype: Optional,
    recvbuf: Address,
    recvcount: i64,
    recvtype: Optional,
) -> Result<Task<'n>> {
    let near = neighbors(comm)?;
    let from = same(sendbuf, sendcount, sendtype, near.destinations.len())?;
    let into = each(recvbuf, recvcount, recvtype, near.sources.len())?;
    Ok(exchange(process, &near, &from, into))
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn allgatherv_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    sendcount: i64,
    sendtype: Optional,
    recvbuf: Address,
    recvcounts: Array<C>,
    displs: Array<D>,
    recvtype: Optional,
) -> Result<Task<'n>> {
    let near = neighbors(comm)?;
    let from = same(sendbuf, sendcount, sendtype, near.destinations.len())?;
    let into = blocks(process, recvbuf, (recvcounts, displs), &recvtype, near.sources.len(), "recvcounts")?;
    Ok(exchange(process, &near, &from, into))
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn alltoall_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    sendcount: i64,
    sendtype: Optional,
    recvbuf: Address,
    recvcount: i64,
    recvtype: Optional,
) -> Result<Task<'n>> {
    let near = neighbors(comm)?;
    let from = each(sendbuf, sendcount, sendtype, near.destinations.len())?;
    let into = each(recvbuf, recvcount, recvtype, near.sources.len())?;
    Ok(exchange(process, &near, &from, into))
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn alltoallv_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    sendcounts: Array<C>,
    sdispls: Array<D>,
    sendtype: Optional,
    recvbuf: Address,
    recvcounts: Array<C>,
    rdispls: Array<D>,
    recvtype: Optional,
) -> Result<Task<'n>> {
    let near = neighbors(comm)?;
    let from =
        blocks(process, sendbuf, (sendcounts, sdispls), &sendtype, near.destinations.len(), "sendcounts")?;
    let into = blocks(process, recvbuf, (recvcounts, rdispls), &recvtype, near.sources.len(), "recvcounts")?;
    Ok(exchange(process, &near, &from, into))
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn alltoallw_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    sendcounts: Array<C>,
    sdispls: Array<D>,
    sendtypes: Array<Handle>,
    recvbuf: Address,
    recvcounts: Array<C>,
    rdispls: Array<D>,
    recvtypes: Array<Handle>,
) -> Result<Task<'n>> {
    let near = neighbors(comm)?;
    let from = typed_blocks(
        process,
        sendbuf,
        (sendcounts, sdispls, sendtypes),
        near.destinations.len(),
        "sendcounts",
    )?;
    let into =
        typed_blocks(process, recvbuf, (recvcounts, rdispls, recvtypes), near.sources.len(), "recvcounts")?;
    Ok(exchange(process, &near, &from, into))
}
