//! Executing a schedule step by step, between other calls of the program: a nonblocking collective operation on a node.

use super::{
    Group, Message, WalkError,
    transport::RequestId,
    walk::{AllBlocks, Combine, begins, check, execute_local, outgoing_payload, take_message},
};
use crate::{
    error::CommError,
    pattern::{self, Action, Schedule, Step},
    payload::Payload,
    rank::Tag,
};

/// This node's part of a schedule under way.
///
/// The walk proceeds only in calls: [`proceed`](Stepwise::proceed) executes steps until one has to wait for requests. The caller completes
/// the [pending](Stepwise::pending) requests, by waits or tests of its own, hands each to [`complete`](Stepwise::complete), and proceeds. If
/// the caller does nothing else in between, the modeled times are those of [`walk`](super::walk()) with its blocking calls.
///
/// Hardware barriers of schedules are blocking calls.
#[derive(Debug)]
pub struct Stepwise<'n> {
    group: Group<'n>,
    tag: Tag,
    steps: Vec<Step>,
    next: usize,
    blocks: Vec<Payload>,
    /// The requests for which the current step waits, with the expected messages of receives.
    pending: Vec<(RequestId, Option<pattern::Message>)>,
    /// Sends that are waited for later.
    started: Vec<RequestId>,
    is_finished: bool,
}

impl<'n> Stepwise<'n> {
    /// Begins this node's part of a schedule, without any step. The arguments are those of [`walk`](super::walk()).
    ///
    /// # Errors
    /// [`WalkError`] if group, schedule and blocks do not fit together.
    pub fn new(
        group: Group<'n>,
        schedule: &Schedule,
        tag: Tag,
        blocks: Vec<Payload>,
    ) -> Result<Stepwise<'n>, WalkError> {
        check(&group, schedule, &blocks)?;
        begins(&group, schedule, tag, &blocks);
        let steps = schedule.steps_under(group.rank(), group.machine().rendezvous()).into_owned();
        let (next, pending, started, is_finished) = Default::default();
        Ok(Stepwise { group, tag, steps, next, blocks, pending, started, is_finished })
    }

    /// The requests for which the walk waits; none if it can proceed, or is finished.
    pub fn pending(&self) -> impl Iterator<Item = RequestId> {
        self.pending.iter().map(|&(request, _)| request)
    }

    /// Whether all steps have been executed.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The blocks, after the walk is finished.
    pub fn into_blocks(self) -> Vec<Payload> {
        self.blocks
    }

    /// Takes a request that the caller has completed, with its message if it is a receive. Requests of other walks are ignored.
    ///
    /// # Errors
    /// [`WalkError`] if the message has another length than the schedule prescribes, and the errors of `combine`.
    pub fn complete(
        &mut self,
        schedule: &Schedule,
        request: RequestId,
        message: Option<Message>,
        combine: &mut Combine<'_>,
    ) -> Result<(), WalkError> {
        let Some(at) = self.pending.iter().position(|&(pending, _)| pending == request) else {
            return Ok(());
        };
        if let (_, Some(expected)) = self.pending.remove(at) {
            let message = message.ok_or(CommError::Ended)?;
            let mut cargo = AllBlocks {
                rank: self.group.rank(),
                sizes: schedule.sizes(),
                blocks: &mut self.blocks,
                combine,
            };
            take_message(&self.group, &mut cargo, &expected, message)?;
        }
        Ok(())
    }

    /// Executes steps until one waits for requests, or all are executed. Does nothing while requests are pending.
    ///
    /// # Errors
    /// As [`walk`](super::walk()).
    #[track_caller]
    pub fn proceed(&mut self, schedule: &Schedule, combine: &mut Combine<'_>) -> Result<(), WalkError> {
        let Stepwise { group, tag, steps, next, blocks, pending, started, is_finished } = self;
        let transport = group.transport();
        let mut cargo = AllBlocks { rank: group.rank(), sizes: schedule.sizes(), blocks, combine };
        while pending.is_empty() && !*is_finished {
            let Some(step) = steps.get(*next) else {
                if started.is_empty() {
                    *is_finished = true;
                }
                pending.extend(started.drain(..).map(|request| (request, None)));
                continue;
            };
            *next += 1;
            match &step.action {
                Action::Send(message) => {
                    let data = outgoing_payload(group, &mut cargo, message)?;
                    pending.push((transport.isend(group.to(message.peer, *tag), data)?, None));
                }
                Action::Start(message) => {
                    let data = outgoing_payload(group, &mut cargo, message)?;
                    started.push(transport.isend(group.to(message.peer, *tag), data)?);
                }
                Action::WaitAll => pending.extend(started.drain(..).map(|request| (request, None))),
                Action::Recv(message) => {
                    let request = transport.irecv(group.from(message.peer, *tag))?;
                    pending.push((request, Some(message.clone())));
                }
                Action::Exchange { send, recv } => {
                    let request = transport.irecv(group.from(recv.peer, *tag))?;
                    pending.push((request, Some(recv.clone())));
                    let data = outgoing_payload(group, &mut cargo, send)?;
                    pending.push((transport.isend(group.to(send.peer, *tag), data)?, None));
                }
                local => execute_local(group, schedule, local, &mut cargo)?,
            }
        }
        Ok(())
    }
}
