//! The operations of one rank, built one after the other.

use super::program::{MAX_OPERATIONS, Operation, Program, Waiter};
use crate::{
    model::MachineSpec,
    pattern::{Action, Message, Schedule},
    rank::{Rank, Tag},
};

/// The operations of a rank and their dependencies. A new operation depends on all operations that were appended or waited for since the
/// one before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    operations: Vec<Operation>,
    waits: Vec<(u32, Waiter)>,
    /// The operations that the next one depends on, and whether only on their start.
    after: Vec<(u32, bool)>,
}

impl Line {
    /// Appends an operation; the next one begins when it has ended.
    pub(crate) fn append(&mut self, operation: Operation) -> u32 {
        let number = self.start(operation);
        self.after = vec![(number, false)];
        number
    }

    /// Appends an operation; the next one begins when it has started.
    pub(crate) fn start(&mut self, operation: Operation) -> u32 {
        let number = self.operations.len() as u32;
        self.operations.push(operation);
        let after = std::mem::replace(&mut self.after, vec![(number, true)]);
        self.waits.extend(after.into_iter().map(|(on, for_start)| (on, Waiter::new(number, for_start))));
        number
    }

    /// Lets the next operation begin only when this one has ended, too.
    pub(crate) fn wait(&mut self, operation: u32) {
        self.after.push((operation, false));
        self.after.sort_unstable();
        self.after.dedup();
    }

    /// Returns the operations so far.
    pub(crate) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Returns the operations so far.
    pub(crate) fn operations_mut(&mut self) -> &mut [Operation] {
        &mut self.operations
    }

    /// Returns whether there are as many operations as a rank may have, or more.
    pub(crate) fn is_full(&self) -> bool {
        self.operations.len() >= MAX_OPERATIONS
    }

    /// Appends the steps of a rank of a schedule, with messages of this tag and without the times of combining. Returns `None` if the
    /// schedule has a hardware barrier.
    pub(crate) fn schedule(
        &mut self,
        schedule: &Schedule,
        machine: &MachineSpec,
        rank: Rank,
        tag: Tag,
    ) -> Option<()> {
        let parameters = machine.parameters();
        let send =
            |message: &Message| Operation::Send { to: message.peer as u32, tag, bytes: message.bytes as u32 };
        let recv = |message: &Message| Operation::Recv {
            from: Some(message.peer as u32),
            tag: Some(tag),
            bytes: message.bytes as u32,
        };
        let mut started = Vec::new();
        for step in schedule.steps(rank) {
            match &step.action {
                Action::Send(message) => drop(self.append(send(message))),
                Action::Start(message) => started.push(self.start(send(message))),
                Action::WaitAll => started.drain(..).for_each(|operation| self.wait(operation)),
                Action::Recv(message) => drop(self.append(recv(message))),
                Action::Exchange { send: sent, recv: received } if machine.rendezvous().is_some() => {
                    let sent = self.start(send(sent));
                    self.append(recv(received));
                    self.wait(sent);
                }
                Action::Exchange { send: sent, recv: received } => {
                    self.append(send(sent));
                    self.append(recv(received));
                    self.calc(Operation::Calc(parameters.exchange_overhead()));
                }
                Action::Pack(bytes) => self.calc(Operation::Calc(parameters.copying(*bytes))),
                Action::Combine(_) | Action::Merge { .. } => {}
                Action::Pause(span) => self.calc(Operation::Calc(*span)),
                Action::Barrier => return None,
            }
        }
        started.into_iter().for_each(|operation| self.wait(operation));
        Some(())
    }

    /// Appends a computation that takes time.
    pub(crate) fn calc(&mut self, operation: Operation) {
        if !matches!(operation, Operation::Calc(span) if span.is_zero()) {
            self.append(operation);
        }
    }
}

impl Program {
    /// Creates a program from the operations of each rank.
    pub(crate) fn of_lines(lines: &[Line]) -> Program {
        let mut program = Program::new(lines.len());
        for (rank, line) in (0..).zip(lines) {
            program.add(rank, &line.operations, &line.waits);
        }
        program
    }
}
