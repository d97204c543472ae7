//! Collective operations as rounds of direct messages.
//!
//! In a round a process sends to some peers and receives from some peers; when all messages of the round are there, the next round follows
//! from them. Messages travel in a context of their own, under the number of the call, so they match nothing else.

use std::{collections::VecDeque, iter, rc::Rc};

use multicomputer::{
    Payload, Tag,
    collective::{Job, Operation},
    comm::{
        Message,
        transport::{From, RequestId, To},
    },
};

use super::{Comm, Task, carried_out, forms};
use crate::{
    communicator::Communicator,
    error::{Error, Result},
    function::functions,
    process::Process,
    request::{Steps, Work},
    status::Status,
    word::Stored,
};

functions! {
    MPI_Barrier: barrier(comm);
    MPI_Ibarrier: ibarrier(comm, request);
    MPI_Barrier_init: barrier_init(comm, info, request);
}

/// The messages of one round. Peers are ranks of the remote group of an intercommunicator. Messages between two processes in one round are
/// told apart by a number below 256, and in the order of sending.
#[derive(Debug, Default)]
pub(crate) struct Round {
    pub(crate) sends: Vec<(usize, u32, Payload)>,
    pub(crate) receives: Vec<(usize, u32)>,
}

/// Returns the next round, given the data received in the last one in the order of `receives`; `None` when the operation is finished.
pub(crate) type Next<'n> = Box<dyn FnMut(&Process<'n>, Vec<Payload>) -> Result<Option<Round>> + 'n>;

/// An operation in rounds under way.
pub(crate) struct Rounds<'n> {
    comm: Rc<Communicator<'n>>,
    call: u32,
    next: Next<'n>,
    /// Requests of the round, with the index of a receive.
    pending: VecDeque<(RequestId, Option<usize>)>,
    received: Vec<Payload>,
    is_finished: bool,
}

impl<'n> Rounds<'n> {
    /// Begins an operation.
    pub(super) fn begin(process: &Process<'n>, comm: &Comm<'n>, next: Next<'n>) -> Result<Work<'n>> {
        let call = comm.next_call();
        let (pending, received, is_finished) = Default::default();
        let mut rounds = Rounds { comm: comm.clone(), call, next, pending, received, is_finished };
        rounds.proceed(process)?;
        Ok(if rounds.is_finished { Work::done(Status::EMPTY) } else { Work::Steps(Box::new(rounds)) })
    }

    /// Begins rounds until one waits for messages.
    fn proceed(&mut self, process: &Process<'n>) -> Result<()> {
        while self.pending.is_empty() && !self.is_finished {
            let received = std::mem::take(&mut self.received);
            let Some(round) = (self.next)(process, received)? else {
                self.is_finished = true;
                return Ok(());
            };
            let (transport, context) = (process.transport(), self.comm.library_context());
            let tag = |number: u32| Tag(self.call << 8 | number);
            self.received = vec![Payload::empty(); round.receives.len()];
            for (index, (peer, number)) in round.receives.into_iter().enumerate() {
                let source = Some(self.comm.node_of(peer));
                let id = transport.irecv(From { context, source, tag: Some(tag(number)) })?;
                self.pending.push_back((id, Some(index)));
            }
            for (peer, number, data) in round.sends {
                let to = To { rank: self.comm.node_of(peer), context, tag: tag(number) };
                self.pending.push_back((transport.isend(to, data)?, None));
            }
        }
        Ok(())
    }
}

impl<'n> Steps<'n> for Rounds<'n> {
    fn pending(&self) -> Vec<RequestId> {
        self.pending.iter().map(|&(id, _)| id).collect()
    }

    fn first_pending(&self) -> Option<RequestId> {
        self.pending.front().map(|&(id, _)| id)
    }

    fn complete(
        &mut self,
        process: &Process<'n>,
        request: RequestId,
        message: Option<Message>,
    ) -> Result<()> {
        let Some(at) = self.pending.iter().position(|&(id, _)| id == request) else { return Ok(()) };
        if let Some((_, Some(index))) = self.pending.remove(at) {
            self.received[index] = message.ok_or(Error::Leave)?.payload;
        }
        self.proceed(process)
    }
}

/// An operation of a single round.
pub(crate) fn one_round<'n>(
    round: Round,
    finish: impl FnOnce(&Process<'n>, Vec<Payload>) -> Result<()> + 'n,
) -> Task<'n> {
    let (mut round, mut finish) = (Some(round), Some(finish));
    Task::Rounds(Box::new(move |process, received| match round.take() {
        Some(round) => Ok(Some(round)),
        None => {
            if let Some(finish) = finish.take() {
                finish(process, received)?;
            }
            Ok(None)
        }
    }))
}

forms! { barrier_task = "barrier": barrier_in_rounds ibarrier barrier_init () }

/// The barrier of the library, which is the machine's where it has one for these nodes.
pub(crate) fn barrier<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>) -> Result<()> {
    if comm.remote.is_some() {
        return barrier_in_rounds(process, comm);
    }
    if !process.has_background() {
        return Ok(comm.group.barrier()?);
    }
    let Some(rounds) = comm.group.barrier_rounds()? else {
        // Nothing else can proceed while a node is in the machine's barrier.
        process.finish_background()?;
        return Ok(comm.group.barrier()?);
    };
    // The messages are those of members without operations in the background.
    for (to, from) in rounds {
        let transport = process.transport();
        let messages = vec![transport.irecv(from)?, transport.isend(to, Payload::empty())?];
        process.finish(Work::Steps(Box::new(Messages(messages))), None)?;
    }
    Ok(())
}

/// Messages without data.
struct Messages(Vec<RequestId>);

impl<'n> Steps<'n> for Messages {
    fn pending(&self) -> Vec<RequestId> {
        self.0.clone()
    }

    fn complete(&mut self, _: &Process<'n>, request: RequestId, _: Option<Message>) -> Result<()> {
        self.0.retain(|pending| *pending != request);
        Ok(())
    }
}

/// Dissemination (Hensgen, Finkel and Manber 1988): in round k, rank r sends to rank r + 2^k and receives from rank r - 2^k, modulo the
/// size. Between the groups of an intercommunicator, every process sends to all of the other group.
fn barrier_task<'n>(_: &Process<'n>, comm: &Comm<'n>) -> Result<Task<'n>> {
    if comm.remote.is_some() {
        let sends = (0..comm.peers()).map(|peer| (peer, 0, Payload::empty())).collect();
        let receives = (0..comm.peers()).map(|peer| (peer, 0)).collect();
        return Ok(one_round(Round { sends, receives }, |_, _| Ok(())));
    }
    let (rank, size) = (comm.group.rank(), comm.group.size());
    let mut distances =
        iter::successors(Some(1), |distance| Some(2 * distance)).take_while(move |&it| it < size);
    Ok(Task::Rounds(Box::new(move |_, _| {
        Ok(distances.next().map(|distance| Round {
            sends: vec![((rank + distance) % size, 0, Payload::empty())],
            receives: vec![((rank + size - distance) % size, 0)],
        }))
    })))
}

/// Gathers bytes of one length from all processes of the local group.
pub(crate) fn all_gather_equal<'n>(
    process: &Process<'n>,
    comm: &Communicator<'n>,
    mine: Vec<u8>,
) -> Result<Vec<Vec<u8>>> {
    let (size, length) = (comm.group.size(), mine.len());
    let job = match length % 8 {
        0 => Job::of_size(Operation::AllGather, 0, size * length / 8, 8),
        _ => Job::bytes(Operation::AllGather, size * length),
    };
    let all = carried_out(process, comm, &job, Payload::from(mine))?;
    let all = all.to_bytes().unwrap_or_default();
    Ok((0..size).map(|rank| all[rank * length..(rank + 1) * length].to_vec()).collect())
}

/// Gathers one number of each process of the local group on the first process; returns none on the others.
pub(crate) fn gather_to_first<'n>(
    process: &Process<'n>,
    comm: &Communicator<'n>,
    mine: i64,
) -> Result<Vec<i64>> {
    let job = Job::of::<i64>(Operation::Gather, 0, comm.group.size());
    let all = carried_out(process, comm, &job, Payload::from([mine]))?;
    if comm.group.rank() != 0 {
        return Ok(Vec::new());
    }
    Ok(all.to_vec().unwrap_or_default())
}

/// Scatters one number for each process of the local group from the first process; `all` is empty on the others.
pub(crate) fn scatter_of_first<'n>(
    process: &Process<'n>,
    comm: &Communicator<'n>,
    all: Vec<i64>,
) -> Result<i64> {
    let job = Job::of::<i64>(Operation::Scatter, 0, comm.group.size());
    let mine = if comm.group.rank() == 0 { Payload::from(all) } else { Payload::empty() };
    Ok(carried_out(process, comm, &job, mine)?.to_value().unwrap_or_default())
}

/// Gathers bytes of any lengths from all processes of the local group: first the lengths, then the bytes.
pub(crate) fn all_gather_bytes<'n>(
    process: &Process<'n>,
    comm: &Communicator<'n>,
    mine: Vec<u8>,
) -> Result<Vec<Vec<u8>>> {
    let lengths = all_gather_equal(process, comm, (mine.len() as u64).to_ne_bytes().to_vec())?;
    let blocks: Vec<usize> = lengths.iter().map(|length| u64::load(length) as usize).collect();
    let job = Job::bytes(Operation::AllGather, blocks.clone());
    let all = carried_out(process, comm, &job, Payload::from(mine))?;
    let all = all.to_bytes().unwrap_or_default();
    let mut end = 0;
    let block = |&length: &usize| {
        end += length;
        all[end - length..end].to_vec()
    };
    Ok(blocks.iter().map(block).collect())
}

/// Broadcasts two numbers from the first process of the local group.
pub(crate) fn broadcast_pair<'n>(
    process: &Process<'n>,
    comm: &Communicator<'n>,
    mine: [i64; 2],
) -> Result<[i64; 2]> {
    let mine = if comm.group.rank() == 0 { Payload::from(mine) } else { Payload::empty() };
    let all = carried_out(process, comm, &Job::of::<i64>(Operation::Broadcast, 0, 2), mine)?;
    all.to_vec().ok().and_then(|all| all.try_into().ok()).ok_or(Error::Leave)
}

/// Broadcasts bytes, whose length only the root knows, in the local group.
pub(crate) fn broadcast_bytes<'n>(
    process: &Process<'n>,
    comm: &Communicator<'n>,
    root: usize,
    mine: Vec<u8>,
) -> Result<Vec<u8>> {
    let is_root = comm.group.rank() == root;
    let length = if is_root { Payload::from([mine.len() as u64]) } else { Payload::empty() };
    let length = carried_out(process, comm, &Job::of::<u64>(Operation::Broadcast, root, 1), length)?;
    let length = length.to_value::<u64>().unwrap_or_default() as usize;
    let data = if is_root { Payload::from(mine) } else { Payload::empty() };
    let job = Job::bytes(Operation::Broadcast, length).root(root);
    let all = carried_out(process, comm, &job, data)?;
    Ok(all.to_bytes().unwrap_or_default().to_vec())
}
