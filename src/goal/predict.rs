//! The times of a program on a machine, worked out by the kernel on one thread and without data.

use std::collections::VecDeque;

use super::{
    error::{PredictError, TooManyRanks},
    program::{Operation, Program},
    turns::{Sends, Turn, Turns},
};
use crate::{
    error::DeadlockReport,
    kernel::{AnyOf, Call, Calls, Kernel, Op, Outcome, Progress, Reply, blocked_nodes},
    model::Description,
    rank::Rank,
    time::Time,
    topology::contained,
    wire::{NodeId, Parcel, Selector},
};

/// The most operations that are handed to the kernel at a time.
const AT_A_TIME: usize = 4;

/// The predicted times of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Predicted {
    /// The time at which the last rank is done, if all start at time 0.
    pub modeled: Time,
    /// The time at which each rank is done.
    pub finished: Vec<Time>,
    /// The number of messages that nobody has received.
    pub unreceived: u64,
}

/// Predicts the times of a program on a machine, with its noise and its faults: rank `i` is node `i`, and nodes without a rank
/// do nothing. It is the time of [`Program::play`] in virtual time, to the picosecond.
///
/// Costs the host some microseconds for each message, more where a rank has many receives open at a time, and no threads.
///
/// # Errors
/// [`PredictError`] if the machine has too few nodes, receives wait for messages that nobody sends, messages have other lengths
/// than the receives of their rank say, added up, or a fault of the machine makes an operation fail.
pub fn predict(machine: &Description, program: &Program, sends: Sends) -> Result<Predicted, PredictError> {
    machine.check()?;
    contained(|| predict_on(machine, program, sends))?
}

/// Predicts on a machine whose topology is sound, or panics within [`contained`].
fn predict_on(machine: &Description, program: &Program, sends: Sends) -> Result<Predicted, PredictError> {
    let (ranks, nodes) = (program.ranks(), machine.nodes());
    if ranks > nodes {
        return Err(TooManyRanks { ranks, nodes }.into());
    }
    let line = |rank| Line { turns: Turns::new(program.part(rank), sends, machine), state: State::Going };
    let mut script = Script { lines: (0..ranks).map(line).collect() };
    let mut kernel = Kernel::for_times(machine);
    if let Progress::Overflow(node) = kernel.advance(Time::MAX, &mut script) {
        return Err(PredictError::TimeOverflow { rank: node as Rank });
    }
    if kernel.has_failed() {
        return Err(PredictError::Fault);
    }
    if !kernel.all_finished() {
        let blocked = blocked_nodes(&kernel, |_| "the world".to_owned());
        let returned =
            (0..nodes).filter(|&rank| blocked.binary_search_by_key(&rank, |node| node.rank).is_err());
        let returned = returned.collect();
        return Err(PredictError::Deadlock(DeadlockReport::new(blocked, returned)));
    }
    let outcomes = kernel.outcomes();
    for (rank, node) in outcomes.nodes.iter().enumerate().take(ranks) {
        let expected = program.operations(rank).iter().map(|operation| match operation {
            Operation::Recv { bytes, .. } => u64::from(*bytes),
            _ => 0,
        });
        let (given, expected) = (node.bytes_received, expected.sum());
        if given != expected {
            return Err(PredictError::Length { rank, given, expected });
        }
    }
    let finished: Vec<Time> = outcomes.nodes.iter().take(ranks).map(|node| node.finished).collect();
    let modeled = finished.iter().copied().max().unwrap_or_default();
    Ok(Predicted { modeled, finished, unreceived: outcomes.unreceived.len() as u64 })
}

/// The calls of all nodes.
struct Script<'p> {
    lines: Vec<Line<'p>>,
}

/// The calls of a node.
struct Line<'p> {
    turns: Turns<'p>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Going,
    /// It waits for the first of several, and is to be told which it was.
    Asking,
    /// All calls have been handed over.
    Over,
}

impl Script<'_> {
    /// Tells a node the outcome of its wait.
    fn answer(&mut self, node: NodeId, outcome: Outcome) {
        let line = &mut self.lines[node as usize];
        line.state = match outcome {
            Outcome::Completed { index, .. } | Outcome::FailedAmong { index, .. } => {
                line.turns.ended_at(index);
                State::Going
            }
            // A wait ends in another way only by a fault, and then there is no prediction.
            _ => State::Over,
        };
    }
}

impl Calls for Script<'_> {
    fn fetch(&mut self, node: NodeId, replies: &mut Vec<(NodeId, Reply)>, calls: &mut VecDeque<Call>) {
        // A node whose wait has ended is asked for its next calls at once, so no answer is overlooked.
        for (node, reply) in replies.drain(..) {
            self.answer(node, reply.outcome);
        }
        let Some(line) = self.lines.get_mut(node as usize) else {
            return calls.push_back(call(Op::Finish));
        };
        if line.state != State::Going {
            return;
        }
        for _ in 0..AT_A_TIME {
            match line.turns.next() {
                Turn::Begin(operation) => begin(&line.turns, operation, calls),
                Turn::Wait(operation) => {
                    return calls.push_back(call(Op::Wait { request: operation }));
                }
                Turn::WaitAny => {
                    let requests = line.turns.open().into();
                    let wait = AnyOf { requests, deadline: Time::MAX, computing: false };
                    line.state = State::Asking;
                    return calls.push_back(Call { op: Op::WaitAny(wait), reply: true });
                }
                Turn::End => {
                    line.state = State::Over;
                    return calls.push_back(call(Op::Finish));
                }
            }
        }
    }
}

/// The calls of an operation; its number is that of its request.
fn begin(turns: &Turns<'_>, operation: u32, calls: &mut VecDeque<Call>) {
    let request = operation;
    match *turns.operation(operation) {
        Operation::Send { to, tag, bytes } => {
            let parcel = Parcel { target: to, context: 0, tag, bytes: u64::from(bytes), active: false };
            calls.push_back(call(match turns.is_open(operation) {
                true => Op::Send { parcel, request: Some(request) },
                false => Op::Launch { parcel },
            }));
        }
        Operation::Recv { from, tag, .. } => {
            let select = Selector { context: 0, source: from, tag };
            calls.push_back(call(Op::Recv { select, request: Some(request) }));
        }
        Operation::Calc(span) => calls.push_back(call(Op::Compute { span })),
    }
}

fn call(op: Op) -> Call {
    Call { op, reply: false }
}
