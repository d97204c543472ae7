//! Neighborhood collectives: messages along the edges of a communicator's topology (MPI 5.0, section 8.6).

use std::rc::Rc;

use multicomputer::Rank;

use super::{
    Comm, Task, forms,
    rounds::{Round, one_round},
};
use crate::{
    abi,
    buffer::{Blocks, Buffer, Data},
    communicator::Communicator,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::{Array, Handle, Integer},
};

functions! {
    MPI_Neighbor_allgather: allgather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm);
    MPI_Neighbor_allgather_c: allgather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm);
    MPI_Ineighbor_allgather: iallgather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, request);
    MPI_Ineighbor_allgather_c: iallgather(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, request);
    MPI_Neighbor_allgather_init: allgather_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, info, request);
    MPI_Neighbor_allgather_init_c: allgather_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, info, request);
    MPI_Neighbor_allgatherv: allgatherv::<i32, i32>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm);
    MPI_Neighbor_allgatherv_c: allgatherv::<i64, i64>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm);
    MPI_Ineighbor_allgatherv: iallgatherv::<i32, i32>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm, request);
    MPI_Ineighbor_allgatherv_c: iallgatherv::<i64, i64>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm, request);
    MPI_Neighbor_allgatherv_init: allgatherv_init::<i32, i32>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm, info, request);
    MPI_Neighbor_allgatherv_init_c: allgatherv_init::<i64, i64>(sendbuf/sendcount/sendtype, recvbuf/recvcounts/displs/recvtype, comm, info, request);
    MPI_Neighbor_alltoall: alltoall(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm);
    MPI_Neighbor_alltoall_c: alltoall(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm);
    MPI_Ineighbor_alltoall: ialltoall(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, request);
    MPI_Ineighbor_alltoall_c: ialltoall(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, request);
    MPI_Neighbor_alltoall_init: alltoall_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, info, request);
    MPI_Neighbor_alltoall_init_c: alltoall_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, info, request);
    MPI_Neighbor_alltoallv: alltoallv::<i32, i32>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm);
    MPI_Neighbor_alltoallv_c: alltoallv::<i64, i64>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm);
    MPI_Ineighbor_alltoallv: ialltoallv::<i32, i32>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm, request);
    MPI_Ineighbor_alltoallv_c: ialltoallv::<i64, i64>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm, request);
    MPI_Neighbor_alltoallv_init: alltoallv_init::<i32, i32>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm, info, request);
    MPI_Neighbor_alltoallv_init_c: alltoallv_init::<i64, i64>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm, info, request);
    MPI_Neighbor_alltoallw: alltoallw::<i32, i64>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm);
    MPI_Neighbor_alltoallw_c: alltoallw::<i64, i64>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm);
    MPI_Ineighbor_alltoallw: ialltoallw::<i32, i64>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm, request);
    MPI_Ineighbor_alltoallw_c: ialltoallw::<i64, i64>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm, request);
    MPI_Neighbor_alltoallw_init: alltoallw_init::<i32, i64>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm, info, request);
    MPI_Neighbor_alltoallw_init_c: alltoallw_init::<i64, i64>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm, info, request);
}

forms! { allgather_task = "neighborhood all-gather": allgather iallgather allgather_init
(sent: Data, received: Data) }
forms! { allgatherv_task = "neighborhood all-gather": allgatherv iallgatherv allgatherv_init <C, D>
(sent: Data, received: Blocks<C, D>) }
forms! { alltoall_task = "neighborhood all-to-all": alltoall ialltoall alltoall_init
(sent: Data, received: Data) }
forms! { alltoallv_task = "neighborhood all-to-all": alltoallv ialltoallv alltoallv_init <C, D>
(sent: Blocks<C, D>,
 received: Blocks<C, D>) }
forms! { alltoallw_task = "neighborhood all-to-all": alltoallw ialltoallw alltoallw_init <C, D>
(sent: Blocks<C, D, Array<Handle>>,
 received: Blocks<C, D, Array<Handle>>) }

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
        let text = format!("{} has no topology", comm.shown_name());
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
    comm: &Comm<'n>,
    neighbors: &Neighbors,
    from: &[Buffer],
    into: Vec<Buffer>,
) -> Task<'n> {
    let sends = neighbors.destinations.iter().zip(from);
    let sends = sends
        .filter_map(|(&(to, number), block)| Some((to?, number, process.outgoing_block(block))))
        .collect();
    let present = neighbors
        .sources
        .iter()
        .zip(into)
        .filter_map(|(&(source, number), block)| Some(((source?, number), block)));
    let (receives, into): (Vec<_>, Vec<Buffer>) = present.unzip();
    let sources: Vec<Rank> = receives.iter().map(|&(source, _)| comm.node_of(source)).collect();
    let site = process.site();
    one_round(Round { sends, receives }, move |process, received| {
        into.iter().zip(&sources).zip(&received).try_for_each(|((block, &source), data)| {
            process.block_arrived(source, data, block, site);
            block.store_fitting(process, data)
        })
    })
}

/// The same block for each edge. Without an edge the buffer is not used.
fn same(data: Data, edges: usize) -> Result<Vec<Buffer>> {
    if edges == 0 {
        return Ok(Vec::new());
    }
    Ok(vec![data.buffer()?; edges])
}

/// One block of a buffer for each edge.
fn each(data: Data, edges: usize) -> Result<Vec<Buffer>> {
    let blocks = same(data, edges)?.into_iter().zip(0..);
    Ok(blocks.map(|(block, edge)| block.at(edge * block.count, block.count)).collect())
}

fn allgather_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Data,
    received: Data,
) -> Result<Task<'n>> {
    let near = neighbors(comm)?;
    let from = same(sent, near.destinations.len())?;
    let into = each(received, near.sources.len())?;
    Ok(exchange(process, comm, &near, &from, into))
}

fn allgatherv_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Data,
    received: Blocks<C, D>,
) -> Result<Task<'n>> {
    let near = neighbors(comm)?;
    let from = same(sent, near.destinations.len())?;
    let into = received.buffers(process, near.sources.len(), "recvcounts")?;
    Ok(exchange(process, comm, &near, &from, into))
}

fn alltoall_task<'n>(process: &Process<'n>, comm: &Comm<'n>, sent: Data, received: Data) -> Result<Task<'n>> {
    let near = neighbors(comm)?;
    let from = each(sent, near.destinations.len())?;
    let into = each(received, near.sources.len())?;
    Ok(exchange(process, comm, &near, &from, into))
}

fn alltoallv_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Blocks<C, D>,
    received: Blocks<C, D>,
) -> Result<Task<'n>> {
    let near = neighbors(comm)?;
    let from = sent.buffers(process, near.destinations.len(), "sendcounts")?;
    let into = received.buffers(process, near.sources.len(), "recvcounts")?;
    Ok(exchange(process, comm, &near, &from, into))
}

fn alltoallw_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Blocks<C, D, Array<Handle>>,
    received: Blocks<C, D, Array<Handle>>,
) -> Result<Task<'n>> {
    let near = neighbors(comm)?;
    let from = sent.buffers(process, near.destinations.len(), "sendcounts")?;
    let into = received.buffers(process, near.sources.len(), "recvcounts")?;
    Ok(exchange(process, comm, &near, &from, into))
}
