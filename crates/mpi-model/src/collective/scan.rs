//! Prefix combinations: scan and exclusive scan.

use std::rc::Rc;

use multicomputer::{
    Payload, Tag,
    collective::{Lengths, Operation},
    comm::transport::{From, To},
};

use super::{
    Comm, Reduction, Task, forms, planned,
    reducing::{job, operands},
    rounds::Round,
    storing,
};
use crate::{
    buffer::Buffer,
    communicator::Communicator,
    datatype::Datatype,
    error::{Class, Error, Result},
    function::functions,
    op::Operator,
    process::Process,
    word::Address,
};

functions! {
    MPI_Scan: scan(sendbuf, recvbuf, count, datatype, op, comm);
    MPI_Scan_c: scan(sendbuf, recvbuf, count, datatype, op, comm);
    MPI_Iscan: iscan(sendbuf, recvbuf, count, datatype, op, comm, request);
    MPI_Iscan_c: iscan(sendbuf, recvbuf, count, datatype, op, comm, request);
    MPI_Scan_init: scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request);
    MPI_Scan_init_c: scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request);
    MPI_Exscan: exscan(sendbuf, recvbuf, count, datatype, op, comm);
    MPI_Exscan_c: exscan(sendbuf, recvbuf, count, datatype, op, comm);
    MPI_Iexscan: iexscan(sendbuf, recvbuf, count, datatype, op, comm, request);
    MPI_Iexscan_c: iexscan(sendbuf, recvbuf, count, datatype, op, comm, request);
    MPI_Exscan_init: exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request);
    MPI_Exscan_init_c: exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

forms! { scan_task = "scan": scan iscan scan_init
(sendbuf: Address, recvbuf: Address, count: i64, datatype: Datatype, op: Operator) }
forms! { exscan_task = "exclusive-scan": exscan_in_rounds iexscan exscan_init
(sendbuf: Address, recvbuf: Address, count: i64, datatype: Datatype, op: Operator) }

/// Refuses an intercommunicator.
fn check_intra(comm: &Communicator<'_>) -> Result<()> {
    match comm.remote {
        None => Ok(()),
        Some(_) => {
            Err(Error::argument(Class::COMM, "comm", "an intercommunicator was given, which has no scan"))
        }
    }
}

fn scan_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    recvbuf: Address,
    count: i64,
    datatype: Datatype,
    op: Operator,
) -> Result<Task<'n>> {
    check_intra(comm)?;
    let mine = operands(sendbuf, recvbuf, count, &datatype)?;
    let finish = storing(Some(Buffer::new(recvbuf, count, datatype.clone())?));
    let job = job(Operation::Scan, 0, Lengths::Even(count as u64), &datatype);
    let reduction = Some(Reduction::new(op, datatype)?);
    Ok(Task::Planned { job, mine: mine.load(process), reduction, finish })
}

/// The blocking operation is the library's: a scan, then a message from each process to the next.
fn exscan<'n>(
    process: &Process<'n>,
    sendbuf: Address,
    recvbuf: Address,
    count: i64,
    datatype: Datatype,
    op: Operator,
    comm: Comm<'n>,
) -> Result<()> {
    check_intra(&comm)?;
    if process.has_background() {
        return exscan_in_rounds(process, sendbuf, recvbuf, count, datatype, op, comm);
    }
    let mine = operands(sendbuf, recvbuf, count, &datatype)?;
    let into = Buffer { address: recvbuf, ..mine.clone() };
    let job = job(Operation::Scan, 0, Lengths::Even(count as u64), &datatype);
    let reduction = Reduction::new(op, datatype)?;
    process.transport().library_call("exclusive-scan", || {
        let inclusive = planned(process, &comm, &job, &mine.load(process), Some(&reduction))?;
        let (transport, rank) = (process.transport(), comm.group.rank());
        let (context, tag) = (comm.library_context(), Tag(comm.next_call() << 8));
        let next = (rank + 1 < comm.group.size()).then(|| To { rank: comm.node_of(rank + 1), context, tag });
        let previous = rank.checked_sub(1);
        let previous =
            previous.map(|rank| From { context, source: Some(comm.node_of(rank)), tag: Some(tag) });
        let before = match (next, previous) {
            (Some(next), Some(previous)) => transport.send_recv(next, inclusive, previous)?,
            (Some(next), None) => return Ok(transport.send(next, inclusive)?),
            (None, Some(previous)) => transport.recv(previous)?,
            (None, None) => return Ok(()),
        };
        into.store(process, &before.payload);
        Ok(())
    })
}

/// Recursive doubling: before round k, a rank has the combination of up to 2^k ranks that end with itself; it sends this to rank + 2^k and
/// takes that of rank - 2^k. (W. D. Hillis, G. L. Steele, "Data parallel algorithms", CACM 1986.)
fn exscan_task<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sendbuf: Address,
    recvbuf: Address,
    count: i64,
    datatype: Datatype,
    op: Operator,
) -> Result<Task<'n>> {
    check_intra(comm)?;
    let mine = operands(sendbuf, recvbuf, count, &datatype)?;
    let into = Buffer { address: recvbuf, ..mine.clone() };
    let reduction = Reduction::new(op, datatype)?;
    let (rank, size) = (comm.group.rank(), comm.group.size());
    let mut inclusive = mine.load(process);
    let mut before: Option<Payload> = None;
    let mut distance = 1;
    let failed = |error: multicomputer::PayloadError| Error::new(Class::INTERN, error.to_string());
    Ok(Task::Rounds(Box::new(move |process, received| {
        if let [left] = &received[..] {
            before = Some(match &before {
                None => left.clone(),
                Some(before) => reduction.combine(process, left, before).map_err(failed)?,
            });
            inclusive = reduction.combine(process, left, &inclusive).map_err(failed)?;
        }
        if distance >= size {
            if let Some(before) = &before {
                into.store(process, before);
            }
            return Ok(None);
        }
        let sends =
            if rank + distance < size { vec![(rank + distance, 0, inclusive.clone())] } else { vec![] };
        let receives = rank.checked_sub(distance).map(|peer| (peer, 0)).into_iter().collect();
        distance *= 2;
        Ok(Some(Round { sends, receives }))
    })))
}
