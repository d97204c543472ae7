//! Executing a schedule with real messages: the code of a collective operation on a node.

use std::mem;

use thiserror::Error;

use super::{Group, Request, SendRequest};
use crate::{
    error::CommError,
    pattern::{Action, Message, Schedule, Step},
    payload::{Payload, PayloadError},
    rank::{Rank, Tag},
    record::{Change, Part},
    text::{are, count},
};

/// Executes this node's part of a schedule. All nodes of the group must call it with the same schedule.
///
/// `blocks[k]` is this node's data of block `k`: the data if the node starts with the block, anything otherwise. On return it is the data
/// that the schedule delivered. Data is concatenated and split by reference and never copied. Where the schedule prescribes a copy, the
/// modeled time of the copy is charged.
///
/// On a machine with [rendezvous](crate::MachineBuilder::rendezvous) a node that sends and receives in one iteration does both
/// concurrently, so that schedules do not deadlock.
///
/// Messages use `tag`, which separates them from other messages of the program. Hardware barriers are used where the group is the whole of
/// a machine that has one.
///
/// # Errors
///
/// [`WalkError`] if the sizes of group and schedule differ, if blocks here or at another node have other lengths than the schedule
/// prescribes, or if a message cannot be sent or received.
#[track_caller]
pub fn walk(
    group: &Group<'_>,
    schedule: &Schedule,
    tag: Tag,
    blocks: &mut [Payload],
) -> Result<(), WalkError> {
    walk_with(group, schedule, tag, blocks, &mut |_, came| Ok(came))
}

/// Executes this node's part of a schedule like [`walk`]; the schedule may also combine versions of a block. `combine` combines the left
/// and the right operand.
///
/// # Errors
///
/// As [`walk`], and the errors of `combine`.
#[track_caller]
pub fn walk_combining(
    group: &Group<'_>,
    schedule: &Schedule,
    tag: Tag,
    blocks: &mut [Payload],
    mut combine: impl FnMut(Payload, Payload) -> Result<Payload, PayloadError>,
) -> Result<(), WalkError> {
    walk_with(group, schedule, tag, blocks, &mut combine)
}

/// A function that combines a left and a right operand.
pub type Combine<'c> = dyn FnMut(Payload, Payload) -> Result<Payload, PayloadError> + 'c;

/// Performs [`walk_combining`] with `combine` as a trait object, so that the code is compiled once and not for every operator.
#[track_caller]
pub(crate) fn walk_with(
    group: &Group<'_>,
    schedule: &Schedule,
    tag: Tag,
    blocks: &mut [Payload],
    combine: &mut Combine<'_>,
) -> Result<(), WalkError> {
    check(group, schedule, blocks)?;
    group.library_call("a schedule", || {
        let (rank, mut started) = (group.rank(), Vec::new());
        begins(group, schedule, tag, blocks);
        let mut all = AllBlocks { rank, sizes: schedule.sizes(), blocks, combine };
        follow(group, schedule, tag, &mut all, &mut started)?;
        Request::wait_all(started)?;
        Ok(())
    })
}

/// Records in the trace the blocks that this node holds before the schedule.
pub(super) fn begins(group: &Group<'_>, schedule: &Schedule, tag: Tag, blocks: &[Payload]) {
    group.holds(|| Change::Begins {
        members: group.members(),
        tag,
        sizes: schedule.shared_sizes(),
        blocks: (0..).zip(blocks).filter(|(_, block)| !block.is_empty()).map(|(number, _)| number).collect(),
    });
}

/// The source and destination of the data of a node's messages.
pub(crate) trait Cargo {
    /// Returns the data of a message to send.
    fn give(&mut self, message: &Message) -> Result<Payload, PayloadError>;

    /// Whether the data consists of the schedule's blocks. If so, a trace records which node holds which block.
    fn is_blocks(&self) -> bool {
        false
    }

    /// Takes the data of a received message; its length is the expected one.
    fn take(&mut self, message: &Message, came: Payload) -> Result<(), PayloadError>;

    /// Returns a more precise error for a message with data of the wrong length, if there is one.
    fn misfit(&self, _message: &Message) -> Option<WalkError> {
        None
    }

    /// Combines two blocks into a third one, for schedules with such steps. Does nothing by default.
    fn merge(&mut self, _left: usize, _right: usize, _into: usize) -> Result<(), PayloadError> {
        Ok(())
    }
}

/// Executes this node's part of a schedule, for any cargo. A trace shows the steps of each iteration as one slice. Requests that must be
/// waited for at the end are added to `started`.
pub(crate) fn follow<'g>(
    group: &'g Group<'g>,
    schedule: &Schedule,
    tag: Tag,
    cargo: &mut dyn Cargo,
    started: &mut Vec<SendRequest<'g>>,
) -> Result<(), WalkError> {
    let steps = &*schedule.steps_under(group.rank(), group.machine().rendezvous());
    for same_iteration in steps.chunk_by(|one, next| one.iteration == next.iteration) {
        let iteration = same_iteration[0].iteration;
        group.as_part(
            || Part::Step(iteration + 1),
            || {
                same_iteration
                    .iter()
                    .try_for_each(|step| execute_step(group, schedule, step, tag, cargo, started))
            },
        )?;
    }
    Ok(())
}

/// Executes one step.
fn execute_step<'g>(
    group: &'g Group<'g>,
    schedule: &Schedule,
    step: &Step,
    tag: Tag,
    cargo: &mut dyn Cargo,
    started: &mut Vec<SendRequest<'g>>,
) -> Result<(), WalkError> {
    let (message, got) = match &step.action {
        Action::Send(message) => {
            return Ok(group.send((message.peer, tag), outgoing_payload(group, cargo, message)?)?);
        }
        Action::Start(message) => {
            started.push(group.isend((message.peer, tag), outgoing_payload(group, cargo, message)?)?);
            return Ok(());
        }
        Action::WaitAll => {
            Request::wait_all(mem::take(started))?;
            return Ok(());
        }
        Action::Recv(message) => (message, group.recv((message.peer, tag))?),
        Action::Exchange { send, recv } => {
            let data = outgoing_payload(group, cargo, send)?;
            (recv, group.sendrecv((send.peer, tag), data, (recv.peer, tag))?)
        }
        local => return execute_local(group, schedule, local, cargo),
    };
    take_message(group, cargo, message, got)
}

/// Executes a step without a message.
pub(super) fn execute_local(
    group: &Group<'_>,
    schedule: &Schedule,
    action: &Action,
    cargo: &mut dyn Cargo,
) -> Result<(), WalkError> {
    let parameters = group.machine().parameters();
    match action {
        Action::Pack(bytes) => group.charge(parameters.copying(*bytes))?,
        Action::Combine(bytes) => group.charge(parameters.combining(schedule.elements(*bytes)))?,
        Action::Pause(span) => group.charge(*span)?,
        Action::Barrier => barrier(group)?,
        Action::Merge { left, right, into } => {
            let [left, right, into] = [*left, *right, *into].map(|block| block as usize);
            group.charge(parameters.combining(schedule.elements(schedule.sizes()[into])))?;
            cargo.merge(left, right, into)?;
            if cargo.is_blocks() {
                let [left, right, into] = [left, right, into].map(|block| block as u32);
                group.holds(|| Change::Merges { left, right, into });
            }
        }
        Action::Send(_) | Action::Start(_) | Action::WaitAll | Action::Recv(_) | Action::Exchange { .. } => {}
    }
    Ok(())
}

/// Takes the data of a received message.
pub(super) fn take_message(
    group: &Group<'_>,
    cargo: &mut dyn Cargo,
    message: &Message,
    got: super::Message,
) -> Result<(), WalkError> {
    if got.len() != message.bytes {
        let (from, given, expected) = (message.peer, got.len(), message.bytes);
        return Err(WalkError::Received { from, given, expected });
    }
    let id = got.id;
    cargo.take(message, got.payload)?;
    if cargo.is_blocks() {
        let (from, blocks, combined) = (id.source as Rank, &message.blocks, message.combined);
        group.holds(|| Change::Takes { from, seq: id.seq, blocks: blocks.clone().into(), combined });
    }
    Ok(())
}

/// Returns the data of the next message to send, with the length that the schedule prescribes.
pub(super) fn outgoing_payload(
    group: &Group<'_>,
    cargo: &mut dyn Cargo,
    message: &Message,
) -> Result<Payload, WalkError> {
    let payload = cargo.give(message)?;
    if payload.len() == message.bytes {
        if cargo.is_blocks() {
            group.holds(|| Change::Gives { blocks: message.blocks.clone().into() });
        }
        return Ok(payload);
    }
    Err(cargo.misfit(message).unwrap_or(WalkError::Sent {
        to: message.peer,
        given: payload.len(),
        expected: message.bytes,
    }))
}

/// Waits for all nodes of the machine in its hardware barrier.
fn barrier(group: &Group<'_>) -> Result<(), WalkError> {
    let machine = group.machine();
    match machine.parameters().barrier() {
        Some(_) if group.size() == machine.nodes() => Ok(group.world_barrier()?),
        _ => Err(WalkError::Barrier),
    }
}

/// A cargo of lengths only: sends phantom data and ignores received data.
pub(crate) struct Phantoms;

impl Cargo for Phantoms {
    fn give(&mut self, message: &Message) -> Result<Payload, PayloadError> {
        Ok(Payload::phantom(message.bytes))
    }

    fn take(&mut self, _: &Message, _: Payload) -> Result<(), PayloadError> {
        Ok(())
    }
}

/// A cargo in which every node has a slot for every block; versions of a block may be combined.
pub(super) struct AllBlocks<'a, 'c> {
    pub(super) rank: Rank,
    pub(super) sizes: &'a [u64],
    pub(super) blocks: &'a mut [Payload],
    pub(super) combine: &'a mut Combine<'c>,
}

impl Cargo for AllBlocks<'_, '_> {
    fn is_blocks(&self) -> bool {
        true
    }

    fn give(&mut self, message: &Message) -> Result<Payload, PayloadError> {
        Ok(Payload::concat(message.blocks.iter().map(|&block| self.blocks[block as usize].clone())))
    }

    fn misfit(&self, message: &Message) -> Option<WalkError> {
        message.blocks.iter().map(|&block| block as usize).find_map(|block| {
            let (given, expected) = (self.blocks[block].len(), self.sizes[block]);
            (given != expected).then_some(WalkError::Length { block, given, expected })
        })
    }

    fn take(&mut self, message: &Message, mut came: Payload) -> Result<(), PayloadError> {
        // Splits from the end, where a split is cheap.
        for &block in message.blocks.iter().rev() {
            let size = self.sizes[block as usize];
            let new = came.split_off(came.len().saturating_sub(size))?;
            let place = &mut self.blocks[block as usize];
            let own = std::mem::take(place);
            *place = match message.combined {
                false => new,
                true if message.peer < self.rank => (self.combine)(new, own)?,
                true => (self.combine)(own, new)?,
            };
        }
        Ok(())
    }

    fn merge(&mut self, left: usize, right: usize, into: usize) -> Result<(), PayloadError> {
        self.blocks[into] = (self.combine)(self.blocks[left].clone(), self.blocks[right].clone())?;
        Ok(())
    }
}

/// Checks that the group and the blocks fit the schedule.
pub(super) fn check(group: &Group<'_>, schedule: &Schedule, blocks: &[Payload]) -> Result<(), WalkError> {
    if schedule.nodes() != group.size() {
        return Err(WalkError::Nodes { schedule: schedule.nodes(), group: group.size() });
    }
    if schedule.sizes().len() != blocks.len() {
        return Err(WalkError::Blocks { given: blocks.len(), schedule: schedule.sizes().len() });
    }
    Ok(())
}

/// The error of a schedule that cannot be executed on a node.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WalkError {
    /// The schedule is for another number of nodes.
    #[error("the schedule is for {}, but the group has {group}", count(*schedule as u64, "node"))]
    Nodes {
        /// Nodes of the schedule.
        schedule: usize,
        /// Nodes of the group.
        group: usize,
    },
    /// The number of payloads differs from the number of blocks.
    #[error("{} given for a schedule of {schedule}", are(*given, "block"))]
    Blocks {
        /// Payloads given.
        given: usize,
        /// Blocks of the schedule.
        schedule: usize,
    },
    /// This node's data of a block has another length than the schedule prescribes.
    #[error("block {block} has {}: the schedule expects {expected}", count(*given, "byte"))]
    Length {
        /// The block.
        block: usize,
        /// The length of this node's data.
        given: u64,
        /// The length in the schedule.
        expected: u64,
    },
    /// Another node sent more or less than the schedule prescribes: it executes another schedule, for example of another custom algorithm
    /// with the same name.
    #[error(
        "rank {from} sent {} instead of {expected}: all ranks must execute the same schedule, so custom algorithms with one name must be one algorithm",
        count(*given, "byte")
    )]
    Received {
        /// The sender.
        from: Rank,
        /// The length of the received message.
        given: u64,
        /// The expected length.
        expected: u64,
    },
    /// This node has more or less data for another node than the schedule prescribes.
    #[error("the message for rank {to} has {}, but the schedule has {expected}", count(*given, "byte"))]
    Sent {
        /// The receiver.
        to: Rank,
        /// The length of the message.
        given: u64,
        /// The expected length.
        expected: u64,
    },
    /// The schedule has hardware barriers, but the machine has none or the group is not the whole machine.
    #[error("the schedule has hardware barriers: it needs all nodes of a machine with a hardware barrier")]
    Barrier,
    /// A message cannot be sent or received.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// Received data cannot be split.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}
