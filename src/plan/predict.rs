//! The predictor: the time of a schedule on a machine, without running it.
//!
//! It passes the calls that [`walk`](crate::comm::walk) makes on the nodes to the same kernel that times them in a
//! run, on one thread and without data. So a prediction *is* the modeled time of the run in virtual time, to the last
//! picosecond, conflicts on the links included, provided that all nodes start at the same instant and nothing else is
//! under way.

use std::{borrow::Cow, collections::VecDeque};

use crate::{
    kernel::{Call, Calls, Kernel, Op, Progress},
    model::Description,
    pattern::{Action, Message, Schedule, Step},
    rank::{Rank, Tag},
    time::Time,
    wire::{NodeId, Parcel, RequestId, Selector},
};

/// The predicted times of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prediction {
    /// The time at which the last node is done, if all start at time 0.
    pub modeled: Time,
    /// The time at which each node is done, in rank order.
    pub finished: Vec<Time>,
}

/// Predicts the time of a schedule on a machine, with its noise and its faults; `None` if the schedule has another number of
/// nodes than the machine, takes longer than the largest modeled time, or meets a fault that makes a call fail.
///
/// Costs the host about a microsecond per message, and some tens of them in large networks full of conflicts.
///
/// ```
/// use multicomputer::{model::Description, pattern::{Builder, Exchange, Transfer}, plan::predict};
///
/// let machine: Description = "hockney:1x4".parse()?;
/// let mut builder = Builder::new(4, &[0], &[1000], Exchange::Together);
/// builder.iteration([Transfer { from: 0, to: 1, blocks: [0].into() }]);
/// // o_s + n beta, and o_r more at the receiver.
/// let prediction = predict(&machine, &builder.finish()).unwrap();
/// assert_eq!(prediction.finished[0].to_string(), "115 us");
/// assert_eq!(prediction.modeled.to_string(), "180 us");
/// # Ok::<(), multicomputer::model::DescriptionError>(())
/// ```
pub fn predict(machine: &Description, schedule: &Schedule) -> Option<Prediction> {
    let everybody: Vec<Rank> = (0..machine.nodes()).collect();
    predict_as_is(machine, &everybody, schedule, Time::MAX)
}

/// Predicts, for a plan, a schedule among some nodes of the machine: rank `i` of the schedule is node `members[i]`. The
/// other nodes do nothing. Gives up, with `None`, when the schedule has not ended by `limit`.
///
/// A plan does not know the future: the machine is taken without its noise and its faults.
pub(crate) fn predict_among(
    machine: &Description,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
) -> Option<Prediction> {
    match machine.is_disturbed() {
        true => predict_as_is(&machine.undisturbed(), members, schedule, limit),
        false => predict_as_is(machine, members, schedule, limit),
    }
}

/// Predicts like [`predict_among`], on the machine with its noise and its faults.
fn predict_as_is(
    machine: &Description,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
) -> Option<Prediction> {
    if members.len() != schedule.nodes() {
        return None;
    }
    let mut ranks = vec![None; machine.nodes()];
    for (rank, &node) in members.iter().enumerate() {
        *ranks.get_mut(node)? = Some(rank);
    }
    let mut kernel = Kernel::for_times(machine);
    let mut calls =
        Script { machine, members, ranks, schedule, places: vec![Place::default(); machine.nodes()] };
    match kernel.advance(limit, &mut calls) {
        Progress::Quiet if kernel.all_finished() && !kernel.has_failed() => {
            let finished: Vec<Time> = members.iter().map(|&node| kernel.finished(node as NodeId)).collect();
            let modeled = finished.iter().copied().max().unwrap_or_default();
            (modeled <= limit).then_some(Prediction { modeled, finished })
        }
        _ => None,
    }
}

/// The calls of all nodes, known in advance. They are made when the kernel asks for them, a few at a time: all of them
/// together would take more memory than all else that a prediction needs.
struct Script<'a> {
    machine: &'a Description,
    members: &'a [Rank],
    /// The rank in the schedule of each node of the machine; `None` for nodes that are not members.
    ranks: Vec<Option<Rank>>,
    schedule: &'a Schedule,
    places: Vec<Place>,
}

/// How far a node has come.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The number of its steps whose calls have been made.
    steps: usize,
    /// The number of sends that it has started.
    started: RequestId,
    finished: bool,
}

impl Script<'_> {
    fn combining(&self, bytes: u64) -> Op {
        Op::Charge { span: self.machine.parameters().combining(self.schedule.elements(bytes)) }
    }

    fn parcel(&self, message: &Message) -> Parcel {
        let target = self.members[message.peer] as NodeId;
        Parcel { target, context: 0, tag: TAG, bytes: message.bytes, active: false }
    }

    fn selector(&self, message: &Message) -> Selector {
        let source = self.members[message.peer] as NodeId;
        Selector { context: 0, source: Some(source), tag: Some(TAG) }
    }
}

impl Script<'_> {
    /// Makes the call of a step of a node.
    fn call(&self, step: &Step, place: &mut Place) -> Call {
        place.steps += 1;
        call(match &step.action {
            Action::Send(message) => Op::Send { parcel: self.parcel(message), request: None },
            Action::Start(message) => {
                place.started += 1;
                Op::Send { parcel: self.parcel(message), request: Some(place.started - 1) }
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
    fn fetch(&mut self, node: NodeId, calls: &mut VecDeque<Call>) {
        let mut place = self.places[node as usize];
        if place.finished {
            return;
        }
        let steps = match self.ranks[node as usize] {
            Some(rank) => self.schedule.steps_under(rank, self.machine.rendezvous()),
            None => Cow::Borrowed(&[][..]),
        };
        let end = match &steps {
            Cow::Borrowed(steps) => steps.len().min(place.steps + AHEAD),
            // Steps that have been made for this machine are taken all at once, so as to be made once.
            Cow::Owned(steps) => steps.len(),
        };
        calls.extend(steps[place.steps..end].iter().map(|step| self.call(step, &mut place)));
        if place.steps == steps.len() {
            calls.extend((0..place.started).map(|request| call(Op::Wait { request })));
            calls.push_back(call(Op::Finish));
            place.finished = true;
        }
        self.places[node as usize] = place;
    }
}

/// The number of calls of a node that are made at a time: steps lie side by side in memory, and calls take less of it if they
/// are few.
const AHEAD: usize = 4;

const TAG: Tag = Tag(0);

fn call(op: Op) -> Call {
    Call { op, reply: false }
}
