//! Exchanges: all-to-all with blocks of one length, of many lengths, of many types.

use std::rc::Rc;

use multicomputer::{
    Payload,
    all_to_all::{CallError, ExchangeError, ManyToMany},
};

use super::{
    Comm, Task, forms, is_in_place,
    moving::contribution,
    rounds::{Round, one_round},
};
use crate::{
    buffer::{Blocks, Buffer, Data},
    communicator::Communicator,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::{Address, Array, Handle, Integer},
};

functions! {
    MPI_Alltoall: alltoall(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm);
    MPI_Alltoall_c: alltoall(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm);
    MPI_Ialltoall: ialltoall(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, request);
    MPI_Ialltoall_c: ialltoall(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, request);
    MPI_Alltoall_init: alltoall_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, info, request);
    MPI_Alltoall_init_c: alltoall_init(sendbuf/sendcount/sendtype, recvbuf/recvcount/recvtype, comm, info, request);
    MPI_Alltoallv: alltoallv::<i32, i32>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm);
    MPI_Alltoallv_c: alltoallv::<i64, i64>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm);
    MPI_Ialltoallv: ialltoallv::<i32, i32>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm, request);
    MPI_Ialltoallv_c: ialltoallv::<i64, i64>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm, request);
    MPI_Alltoallv_init: alltoallv_init::<i32, i32>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm, info, request);
    MPI_Alltoallv_init_c: alltoallv_init::<i64, i64>(sendbuf/sendcounts/sdispls/sendtype, recvbuf/recvcounts/rdispls/recvtype, comm, info, request);
    MPI_Alltoallw: alltoallw::<i32, i32>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm);
    MPI_Alltoallw_c: alltoallw::<i64, i64>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm);
    MPI_Ialltoallw: ialltoallw::<i32, i32>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm, request);
    MPI_Ialltoallw_c: ialltoallw::<i64, i64>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm, request);
    MPI_Alltoallw_init: alltoallw_init::<i32, i32>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm, info, request);
    MPI_Alltoallw_init_c: alltoallw_init::<i64, i64>(sendbuf/sendcounts/sdispls/sendtypes, recvbuf/recvcounts/rdispls/recvtypes, comm, info, request);
}

forms! { alltoall_task = "all-to-all": alltoall_in_a_round ialltoall alltoall_init
(sent: Data, received: Data) }
forms! { alltoallv_task = "all-to-all": alltoallv ialltoallv alltoallv_init <C, D>
(sent: Blocks<C, D>,
 received: Blocks<C, D>) }
forms! { alltoallw_task = "all-to-all": alltoallw ialltoallw alltoallw_init <C, D>
(sent: Blocks<C, D, Array<Handle>>,
 received: Blocks<C, D, Array<Handle>>) }

/// One block of a buffer for each peer.
fn each(buffer: &Buffer, peers: usize) -> Vec<Buffer> {
    (0..peers as i64).map(|peer| buffer.at(peer * buffer.count, buffer.count)).collect()
}

/// Checks that no block is sent that is received into, unless the operation is in place.
fn check_distinct(sendbuf: Address, from: &[Buffer], into: &[Buffer]) -> Result<()> {
    match is_in_place(sendbuf) {
        true => Ok(()),
        false => from.iter().zip(into).try_for_each(|(from, into)| from.check_distinct(into)),
    }
}

/// The blocking operation on blocks of one length is the library's.
fn alltoall<'n>(process: &Process<'n>, sent: Data, received: Data, comm: Comm<'n>) -> Result<()> {
    if comm.remote.is_some() || process.has_background() {
        return alltoall_in_a_round(process, sent, received, comm);
    }
    let into = received.buffer()?;
    let from = contribution(sent, &into)?;
    let size = comm.group.size();
    let all = from.at(0, from.count * size as i64).load(process);
    let block = from.bytes();
    let failed = |error: multicomputer::PayloadError| Error::new(Class::INTERN, error.to_string());
    let outgoing: Vec<Payload> = (0..size as u64)
        .map(|peer| all.slice(peer * block..(peer + 1) * block).map_err(failed))
        .collect::<Result<_>>()?;
    let exchanged = comm.group.using(process.exchange_algorithm()).all_to_all_payloads(outgoing);
    let incoming = exchanged.map_err(|error| match error {
        CallError::Comm(error) | CallError::Exchange(ExchangeError::Comm(error)) => error.into(),
        CallError::Collective(error) => super::error_of(error),
        error => Error::new(Class::OTHER, error.to_string()),
    })?;
    each(&into, size).iter().zip(&incoming).try_for_each(|(block, data)| block.store_fitting(process, data))
}

fn alltoall_task<'n>(process: &Process<'n>, comm: &Comm<'n>, sent: Data, received: Data) -> Result<Task<'n>> {
    let into = received.buffer()?;
    let from = contribution(sent, &into)?;
    Ok(exchange(process, comm, &each(&from, comm.peers()), each(&into, comm.peers())))
}

fn alltoallv_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Blocks<C, D>,
    received: Blocks<C, D>,
) -> Result<Task<'n>> {
    let size = comm.peers();
    let into = received.buffers(process, size, "recvcounts")?;
    let from = match is_in_place(sent.address) {
        true => into.clone(),
        false => sent.buffers(process, size, "sendcounts")?,
    };
    check_distinct(sent.address, &from, &into)?;
    Ok(exchange(process, comm, &from, into))
}

fn alltoallw_task<'n, C: Integer, D: Integer>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Blocks<C, D, Array<Handle>>,
    received: Blocks<C, D, Array<Handle>>,
) -> Result<Task<'n>> {
    let size = comm.peers();
    let into = received.buffers(process, size, "recvcounts")?;
    let from = match is_in_place(sent.address) {
        true => into.clone(),
        false => sent.buffers(process, size, "sendcounts")?,
    };
    check_distinct(sent.address, &from, &into)?;
    Ok(exchange(process, comm, &from, into))
}

/// Sends a block to each peer and receives one from each, the peers after this process first, as the messages of all processes then go to
/// different processes. A process copies its block for itself.
fn exchange<'n>(process: &Process<'n>, comm: &Comm<'n>, from: &[Buffer], into: Vec<Buffer>) -> Task<'n> {
    let (rank, peers) = (comm.group.rank(), comm.peers());
    let own = comm.remote.is_none().then_some(rank);
    let others = |peer: &usize| Some(*peer) != own;
    let to: Vec<usize> = (1..=peers).map(|step| (rank + step) % peers).filter(others).collect();
    let sources: Vec<usize> =
        (1..=peers).map(|step| (rank + (peers - 1) * step) % peers).filter(others).collect();
    let sends = to.into_iter().map(|peer| (peer, 0, process.outgoing_block(&from[peer]))).collect();
    let receives = sources.iter().map(|&peer| (peer, 0)).collect();
    let kept = own.map(|rank| process.outgoing_block(&from[rank]));
    let (of, site) = (comm.clone(), process.site());
    one_round(Round { sends, receives }, move |process, received| {
        let kept = own.iter().zip(&kept);
        kept.chain(sources.iter().zip(&received)).try_for_each(|(&peer, data)| {
            process.block_arrived(of.node_of(peer), data, &into[peer], site);
            into[peer].store_fitting(process, data)
        })
    })
}
