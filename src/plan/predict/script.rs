//! The calls of all nodes of a schedule, passed to the kernel a few steps at a time. The kernel's memory therefore does
//! not grow with the schedule, and steps not yet fetched count as remaining work.

use std::{borrow::Cow, collections::VecDeque, mem, ops::Range};

use super::remaining_work::RemainingWork;
use crate::{
    kernel::{Call, Calls, Op, Reply},
    model::MachineSpec,
    pattern::{Action, Message, Schedule, Step},
    rank::{Rank, Tag},
    wire::{NodeId, Parcel, RequestId, Selector},
};

/// Number of steps that each fetch passes to the kernel.
const STEPS_PER_FETCH: usize = 4;

const TAG: Tag = Tag(0);

/// The calls of all nodes.
pub(super) struct Script<'a> {
    machine: &'a MachineSpec,
    members: &'a [Rank],
    /// The rank in the schedule of each node of the machine; `None` for nodes that are not members.
    ranks: Vec<Option<Rank>>,
    schedule: &'a Schedule,
    rank_steps: Vec<RankSteps<'a>>,
    remaining: Option<RemainingWork<'a>>,
}

/// The steps of a rank.
struct RankSteps<'a> {
    steps: Cow<'a, [Step]>,
    /// The number of steps passed to the kernel.
    fetched: usize,
    /// The number of nonblocking sends started.
    started: RequestId,
    /// The number of started sends for which waits have been passed.
    waited: RequestId,
    /// Whether all steps have been passed.
    is_finished: bool,
}

impl<'a> Script<'a> {
    /// Creates the calls of a schedule among some nodes; `None` if one of them is not on the machine. `remaining` is updated
    /// with the steps passed.
    pub(super) fn new(
        machine: &'a MachineSpec,
        members: &'a [Rank],
        schedule: &'a Schedule,
        remaining: Option<RemainingWork<'a>>,
    ) -> Option<Script<'a>> {
        let mut ranks = vec![None; machine.nodes()];
        for (rank, &node) in members.iter().enumerate() {
            *ranks.get_mut(node)? = Some(rank);
        }
        let rank_steps = |rank| RankSteps {
            steps: schedule.steps_under(rank, machine.rendezvous()),
            fetched: 0,
            started: 0,
            waited: 0,
            is_finished: false,
        };
        let rank_steps = (0..schedule.nodes()).map(rank_steps).collect();
        Some(Script { machine, members, ranks, schedule, rank_steps, remaining })
    }

    /// Returns the remaining work, if it is tracked.
    pub(super) fn remaining(&self) -> Option<&RemainingWork<'a>> {
        self.remaining.as_ref()
    }

    fn combining(&self, bytes: u64) -> Op {
        Op::Charge { span: self.machine.parameters().combining(self.schedule.elements(bytes)) }
    }

    fn parcel(&self, message: &Message) -> Parcel {
        let target = self.members[message.peer] as NodeId;
        Parcel { target, context: 0, tag: TAG, bytes: message.bytes, active: false, synchronous: false }
    }

    fn selector(&self, message: &Message) -> Selector {
        let source = self.members[message.peer] as NodeId;
        Selector { context: 0, source: Some(source), tag: Some(TAG) }
    }

    /// Returns the call of an action; `None` for [`Action::WaitAll`], which is one call per started send.
    fn op(&self, action: &Action, started: &mut RequestId) -> Option<Op> {
        Some(match action {
            Action::WaitAll => return None,
            Action::Send(message) => Op::Send { parcel: self.parcel(message), request: None },
            Action::Start(message) => {
                *started += 1;
                Op::Send { parcel: self.parcel(message), request: Some(*started - 1) }
            }
            Action::Recv(message) => Op::Recv { select: self.selector(message), request: None },
            Action::Exchange { send, recv } => {
                Op::SendRecv { parcel: self.parcel(send), select: self.selector(recv) }
            }
            Action::Pack(bytes) => Op::Charge { span: self.machine.parameters().copying(*bytes) },
            Action::Barrier => Op::Barrier,
            Action::Pause(span) => Op::Charge { span: *span },
            Action::Combine(bytes) => self.combining(*bytes),
            Action::Merge { into, .. } => self.combining(self.schedule.sizes()[*into as usize]),
        })
    }
}

impl Calls for Script<'_> {
    fn fetch(&mut self, node: NodeId, _: &mut Vec<(NodeId, Reply)>, calls: &mut VecDeque<Call>) {
        let Some(rank) = self.ranks[node as usize] else {
            return calls.push_back(call(Op::Finish));
        };
        let RankSteps { fetched, mut started, mut waited, is_finished, .. } = self.rank_steps[rank];
        if is_finished {
            return;
        }
        let steps = &self.rank_steps[rank].steps;
        let end = (fetched + STEPS_PER_FETCH).min(steps.len());
        let waits = |sends: Range<RequestId>| sends.map(|request| call(Op::Wait { request }));
        for step in &steps[fetched..end] {
            match self.op(&step.action, &mut started) {
                Some(op) => calls.push_back(call(op)),
                None => calls.extend(waits(mem::replace(&mut waited, started)..started)),
            }
        }
        if end == steps.len() {
            calls.extend(waits(waited..started));
            calls.push_back(call(Op::Finish));
        }
        if let Some(remaining) = &mut self.remaining {
            remaining.take(rank, &steps[fetched..end]);
        }
        let is_finished = end == steps.len();
        let rank_steps = &mut self.rank_steps[rank];
        (rank_steps.fetched, rank_steps.started, rank_steps.waited, rank_steps.is_finished) =
            (end, started, waited, is_finished);
    }
}

fn call(op: Op) -> Call {
    Call { op, reply: false }
}
