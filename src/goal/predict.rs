//! Prediction of a program's times on a machine: the kernel runs on one thread, without data.

use std::collections::VecDeque;

use super::{
    error::{PredictError, TooManyRanks},
    program::{Operation, Program},
    turns::{Sends, Turn, Turns},
};
use crate::{
    error::DeadlockReport,
    kernel::{AnyOf, Call, Calls, Kernel, Op, Outcome, Progress, Reply, blocked_nodes},
    model::MachineSpec,
    rank::Rank,
    record::UnreceivedMessage,
    time::Time,
    topology::catch_route_error,
    wire::{MessageId, NodeId, Parcel, Selector},
};

/// Maximum number of operations handed to the kernel at a time.
const AT_A_TIME: usize = 4;

/// The predicted times of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Predicted {
    /// The time at which the last rank ends, if all start at time 0.
    pub modeled: Time,
    /// The time at which each rank ends.
    pub finished: Vec<Time>,
    /// The number of messages that were never received.
    pub unreceived: u64,
}

/// Predicts the times of a program on a machine, including its noise and faults. Rank `i` is node `i`; nodes without a
/// rank are idle. The result equals the time of [`Program::play`] in virtual time, to the picosecond.
///
/// Costs some microseconds of host time per message, more for ranks with many open receives, and starts no threads.
///
/// # Errors
/// [`PredictError`] if the machine has too few nodes, receives wait for messages that are never sent, a message differs
/// in length from its receive, or a fault of the machine makes an operation fail.
pub fn predict(machine: &MachineSpec, program: &Program, sends: Sends) -> Result<Predicted, PredictError> {
    machine.check()?;
    catch_route_error(|| predict_on(machine, program, sends))?
}

/// Predicts the times; must run inside [`catch_route_error`], because routes may be invalid.
fn predict_on(machine: &MachineSpec, program: &Program, sends: Sends) -> Result<Predicted, PredictError> {
    let (ranks, nodes) = (program.ranks(), machine.nodes());
    if ranks > nodes {
        return Err(TooManyRanks { ranks, nodes }.into());
    }
    let line = |rank| Line {
        turns: Turns::new(program.part(rank), sends, machine),
        state: State::Going,
        sent: Vec::new(),
    };
    let mut script = Script { lines: (0..ranks).map(line).collect(), mismatch: None };
    let mut kernel = Kernel::for_times(machine);
    let progress = kernel.advance(Time::MAX, &mut script);
    if let Some(LengthMismatch { rank, from, given, expected, .. }) = script.mismatch {
        return Err(PredictError::Length { rank, from, given, expected });
    }
    if let Progress::Overflow(node) = progress {
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
        let unreceived = kernel.unreceived().into_iter().map(|(to, label, bytes)| UnreceivedMessage {
            from: label.source as Rank,
            to: to as Rank,
            tag: label.tag,
            bytes,
            group: "the world".to_owned(),
        });
        let report = DeadlockReport::new(blocked, returned, unreceived.collect());
        return Err(PredictError::Deadlock(report));
    }
    let outcomes = kernel.outcomes();
    let finished: Vec<Time> = outcomes.nodes.iter().take(ranks).map(|node| node.finished).collect();
    let modeled = finished.iter().copied().max().unwrap_or_default();
    Ok(Predicted { modeled, finished, unreceived: outcomes.unreceived.len() as u64 })
}

/// The call sequences of all nodes.
struct Script<'p> {
    lines: Vec<Line<'p>>,
    /// The first receive, in modeled time, whose message differs in length.
    mismatch: Option<LengthMismatch>,
}

/// A receive whose message differs in length from what the receive specifies.
struct LengthMismatch {
    at: Time,
    rank: Rank,
    from: Rank,
    given: u32,
    expected: u32,
}

/// The call sequence of one node.
struct Line<'p> {
    turns: Turns<'p>,
    state: State,
    /// The lengths of the messages that the node has sent so far, by number.
    sent: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Going,
    /// The node waits for the receive with this number; the reply identifies the message.
    Receiving(u32),
    /// The node waits for the first of several operations; the reply identifies the operation.
    Asking,
    /// All calls have been handed to the kernel.
    Over,
}

impl Script<'_> {
    /// Processes the kernel's reply to a wait of a node.
    fn answer(&mut self, node: NodeId, Reply { clock, outcome }: Reply) {
        let line = &mut self.lines[node as usize];
        let waited = std::mem::replace(&mut line.state, State::Going);
        let (operation, taken) = match (waited, outcome) {
            (State::Receiving(operation), Outcome::Received(taken)) => (operation, Some(taken)),
            (State::Asking, Outcome::Completed { index, received }) => {
                let operation = line.turns.open()[index];
                line.turns.ended_at(index);
                (operation, received)
            }
            (State::Asking, Outcome::FailedAmong { index, .. }) => return line.turns.ended_at(index),
            // A fault causes any other outcome of a wait; the prediction then fails.
            _ => return line.state = State::Over,
        };
        let (Some(MessageId { source, seq }), &Operation::Recv { bytes: expected, .. }) =
            (taken, line.turns.operation(operation))
        else {
            return;
        };
        let given = self.lines[source as usize].sent[seq as usize];
        if given != expected {
            // The rank ends here, as in [`Program::play`]. The first mismatch in modeled time is reported.
            self.lines[node as usize].state = State::Over;
            let (rank, from) = (node as Rank, source as Rank);
            if self.mismatch.as_ref().is_none_or(|first| (clock, rank) < (first.at, first.rank)) {
                self.mismatch = Some(LengthMismatch { at: clock, rank, from, given, expected });
            }
        }
    }
}

impl Calls for Script<'_> {
    fn fetch(&mut self, node: NodeId, replies: &mut Vec<(NodeId, Reply)>, calls: &mut VecDeque<Call>) {
        // `replies` contains every reply once: the kernel fetches a node's next calls as soon as the node's wait has
        // ended.
        for (node, reply) in replies.drain(..) {
            self.answer(node, reply);
        }
        let Some(line) = self.lines.get_mut(node as usize) else {
            return calls.push_back(call(Op::Finish));
        };
        if line.state != State::Going {
            return;
        }
        for _ in 0..AT_A_TIME {
            match line.turns.next() {
                Turn::Begin(operation) => {
                    if let Operation::Send { bytes, .. } = line.turns.operation(operation) {
                        line.sent.push(*bytes);
                    }
                    begin(&line.turns, operation, calls);
                }
                Turn::Wait(operation) => {
                    let reply = matches!(line.turns.operation(operation), Operation::Recv { .. });
                    if reply {
                        line.state = State::Receiving(operation);
                    }
                    return calls.push_back(Call { op: Op::Wait { request: operation }, reply });
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

/// Appends the calls that begin an operation. A request has the number of its operation.
fn begin(turns: &Turns<'_>, operation: u32, calls: &mut VecDeque<Call>) {
    let request = operation;
    match *turns.operation(operation) {
        Operation::Send { to, tag, bytes } => {
            let parcel = Parcel {
                target: to,
                context: 0,
                tag,
                bytes: u64::from(bytes),
                active: false,
                synchronous: false,
            };
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
