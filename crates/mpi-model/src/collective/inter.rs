//! Collective operations of intercommunicators: one round of direct messages between the groups.
//!
//! In operations with a root, the root gives `MPI_ROOT`, the other processes of its group give `MPI_PROC_NULL` and take no part, and the
//! processes of the other group give the root's rank.

use multicomputer::Payload;

use super::{
    Comm, Reduction, Task,
    reducing::combined,
    rounds::{Round, one_round},
};
use crate::{
    abi,
    buffer::{Buffer, Data},
    error::{Class, Error, Result},
    process::Process,
    word::Address,
};

/// The part of a process in an operation with a root.
enum Part {
    Root,
    Nothing,
    With(usize),
}

fn part(comm: &Comm<'_>, root: i32) -> Result<Part> {
    match usize::try_from(root) {
        Ok(root) if root < comm.peers() => Ok(Part::With(root)),
        _ if root == abi::ROOT => Ok(Part::Root),
        _ if root == abi::PROC_NULL => Ok(Part::Nothing),
        _ => {
            let text =
                format!("{root} is no rank of the remote group: its ranks are 0 to {}", comm.peers() - 1);
            Err(Error::argument(Class::ROOT, "root", text))
        }
    }
}

fn nothing<'n>() -> Task<'n> {
    one_round(Round::default(), |_, _| Ok(()))
}

fn send_to<'n>(sends: Vec<(usize, u32, Payload)>) -> Task<'n> {
    one_round(Round { sends, receives: vec![] }, |_, _| Ok(()))
}

/// Receives one block of each of these peers.
fn receive_from<'n>(peers: Vec<usize>, into: Vec<Buffer>) -> Task<'n> {
    let receives = peers.into_iter().map(|peer| (peer, 0)).collect();
    one_round(Round { sends: vec![], receives }, move |process, received| {
        into.iter().zip(&received).try_for_each(|(block, data)| block.store_fitting(process, data))
    })
}

pub(super) fn bcast<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    buffer: Buffer,
    root: i32,
) -> Result<Task<'n>> {
    Ok(match part(comm, root)? {
        Part::Nothing => nothing(),
        Part::With(root) => receive_from(vec![root], vec![buffer]),
        Part::Root => {
            let data = buffer.load(process);
            send_to((0..comm.peers()).map(|peer| (peer, 0, data.clone())).collect())
        }
    })
}

/// One block of a buffer for each peer.
fn blocks(buffer: &Buffer, peers: usize) -> Vec<Buffer> {
    (0..peers as i64).map(|peer| buffer.at(peer * buffer.count, buffer.count)).collect()
}

pub(super) fn gather<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Data,
    received: Data,
    root: i32,
) -> Result<Task<'n>> {
    gatherv(process, comm, sent, |_| Ok(blocks(&received.buffer()?, comm.peers())), root)
}

pub(super) fn gatherv<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Data,
    at_root: impl FnOnce(&Process<'n>) -> Result<Vec<Buffer>>,
    root: i32,
) -> Result<Task<'n>> {
    Ok(match part(comm, root)? {
        Part::Nothing => nothing(),
        Part::With(root) => send_to(vec![(root, 0, sent.buffer()?.load(process))]),
        Part::Root => receive_from((0..comm.peers()).collect(), at_root(process)?),
    })
}

pub(super) fn scatter<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    sent: Data,
    received: Data,
    root: i32,
) -> Result<Task<'n>> {
    scatterv(process, comm, |_| Ok(blocks(&sent.buffer()?, comm.peers())), received, root)
}

pub(super) fn scatterv<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    at_root: impl FnOnce(&Process<'n>) -> Result<Vec<Buffer>>,
    received: Data,
    root: i32,
) -> Result<Task<'n>> {
    Ok(match part(comm, root)? {
        Part::Nothing => nothing(),
        Part::With(root) => receive_from(vec![root], vec![received.buffer()?]),
        Part::Root => {
            let from = at_root(process)?;
            send_to(from.iter().enumerate().map(|(peer, block)| (peer, 0, block.load(process))).collect())
        }
    })
}

pub(super) fn allgather<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    mine: &Buffer,
    into: Vec<Buffer>,
) -> Result<Task<'n>> {
    let data = mine.load(process);
    let sends = (0..comm.peers()).map(|peer| (peer, 0, data.clone())).collect();
    let receives = (0..comm.peers()).map(|peer| (peer, 0)).collect();
    Ok(one_round(Round { sends, receives }, move |process, received| {
        into.iter().zip(&received).try_for_each(|(block, data)| block.store_fitting(process, data))
    }))
}

pub(super) fn reduce<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    (sendbuf, recvbuf, count): (Address, Address, i64),
    reduction: Reduction,
    root: i32,
) -> Result<Task<'n>> {
    Ok(match part(comm, root)? {
        Part::Nothing => nothing(),
        Part::With(root) => {
            let mine = Buffer::new(sendbuf, count, reduction.datatype.clone())?;
            send_to(vec![(root, 0, mine.load(process))])
        }
        Part::Root => {
            let into = Buffer::new(recvbuf, count, reduction.datatype.clone())?;
            let receives = (0..comm.peers()).map(|peer| (peer, 0)).collect();
            one_round(Round { sends: vec![], receives }, move |process, received| {
                into.store(process, &combined(process, &reduction, &received)?);
                Ok(())
            })
        }
    })
}

pub(super) fn allreduce<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    (sendbuf, recvbuf, count): (Address, Address, i64),
    reduction: Reduction,
) -> Result<Task<'n>> {
    let data = Buffer::new(sendbuf, count, reduction.datatype.clone())?.load(process);
    let into = Buffer::new(recvbuf, count, reduction.datatype.clone())?;
    let sends = (0..comm.peers()).map(|peer| (peer, 0, data.clone())).collect();
    let receives = (0..comm.peers()).map(|peer| (peer, 0)).collect();
    Ok(one_round(Round { sends, receives }, move |process, received| {
        into.store(process, &combined(process, &reduction, &received)?);
        Ok(())
    }))
}

/// Every process gets all data of the remote group, and keeps its block of the combination, after `before` elements.
pub(super) fn reduce_scatter<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    mine: &Buffer,
    before: i64,
    into: Buffer,
    reduction: Reduction,
) -> Result<Task<'n>> {
    let before = before as u64 * reduction.datatype.size();
    let data = mine.load(process);
    let sends = (0..comm.peers()).map(|peer| (peer, 0, data.clone())).collect();
    let receives = (0..comm.peers()).map(|peer| (peer, 0)).collect();
    Ok(one_round(Round { sends, receives }, move |process, received| {
        let all = combined(process, &reduction, &received)?;
        let end = (before + into.bytes()).min(all.len());
        if let Ok(block) = all.slice(before.min(end)..end) {
            into.store(process, &block);
        }
        Ok(())
    }))
}
