//! Execution order of the operations of one rank on its node.
//!
//! A node performs one operation at a time. Among the ready operations it first posts receives, then sends, then computes, each in the
//! order of the text. If none is ready, it waits for the first of the open operations: a message for one of its receives, or the end of
//! a send that outlasts its overhead. (LogGOPSim also prefers the send where a send and a computation can start at the same instant.)
//!
//! The caller reports which of several open operations has ended. The execution order depends on time only through these reports, so the
//! predictor and a node's thread make the same calls.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::program::{MAX_OPERATIONS, Operation, Part};
use crate::model::MachineSpec;

/// The instant at which a send ends, for operations that depend on its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sends {
    /// The send ends when its overhead o_s is paid, as in LogGOPSim for messages up to its `-S`. The end of the program
    /// does not wait for messages to leave.
    #[default]
    Eager,
    /// The send ends when the message has left, as a blocking send of this library does. In this mode a program [written](super::write())
    /// from a schedule takes the time of the schedule.
    Blocking,
}

/// The next action of a node, as decided by [`Turns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Perform an operation: post a receive, start a send, or compute. If the operation is [open](Turns::is_open)
    /// afterwards, a later turn waits for it.
    Begin(u32),
    /// Wait for the only open operation.
    Wait(u32),
    /// Wait for the first of [all open operations](Turns::open), and report [which one ended](Turns::ended_at).
    WaitAny,
    /// All operations have ended.
    End,
}

/// Execution state of the operations of a rank.
#[derive(Debug)]
pub(super) struct Turns<'p> {
    part: Part<'p>,
    /// For each operation, the number of its unmet dependencies.
    needs: Box<[u32]>,
    /// The ready operations: the kind in the high bits, the number in the low bits.
    free: BinaryHeap<Reverse<u32>>,
    /// The operations that have begun and not ended, in the order of their start.
    open: Vec<u32>,
    sends: Sends,
    /// Minimum length in bytes of messages under the rendezvous protocol.
    rendezvous: Option<u64>,
}

impl<'p> Turns<'p> {
    pub(super) fn new(part: Part<'p>, sends: Sends, machine: &MachineSpec) -> Turns<'p> {
        let mut turns = Turns {
            part,
            needs: part.needs.into(),
            free: BinaryHeap::new(),
            open: Vec::new(),
            sends,
            rendezvous: machine.rendezvous(),
        };
        for operation in 0..part.operations.len() as u32 {
            turns.free_if_ready(operation);
        }
        turns
    }

    fn free_if_ready(&mut self, operation: u32) {
        if self.needs[operation as usize] == 0 {
            let kind = match self.operation(operation) {
                Operation::Recv { .. } => 0,
                Operation::Send { .. } => 1,
                Operation::Calc(_) => 2,
            };
            self.free.push(Reverse(kind * MAX_OPERATIONS as u32 + operation));
        }
    }

    pub(super) fn operation(&self, operation: u32) -> &'p Operation {
        &self.part.operations[operation as usize]
    }

    /// Returns the operations that have begun and not ended, in the order of their start.
    pub(super) fn open(&self) -> &[u32] {
        &self.open
    }

    /// Returns whether an operation is still open when the call that begins it has returned.
    pub(super) fn is_open(&self, operation: u32) -> bool {
        match *self.operation(operation) {
            Operation::Recv { .. } => true,
            Operation::Send { bytes, .. } => {
                self.sends == Sends::Blocking || self.rendezvous.is_some_and(|from| u64::from(bytes) >= from)
            }
            Operation::Calc(_) => false,
        }
    }

    /// Returns the next turn. The caller must have completed the previous turn; after [`Turn::WaitAny`] it must also have called
    /// [`Turns::ended_at`].
    pub(super) fn next(&mut self) -> Turn {
        if let Some(Reverse(free)) = self.free.pop() {
            let operation = free % MAX_OPERATIONS as u32;
            self.release(operation, true);
            if self.is_open(operation) {
                self.open.push(operation);
            } else {
                self.release(operation, false);
            }
            return Turn::Begin(operation);
        }
        match self.open[..] {
            [] => Turn::End,
            [operation] => {
                self.ended_at(0);
                Turn::Wait(operation)
            }
            _ => Turn::WaitAny,
        }
    }

    /// Records the end of the open operation at index `place`.
    pub(super) fn ended_at(&mut self, place: usize) {
        let operation = self.open.remove(place);
        self.release(operation, false);
    }

    /// Decrements the counters of operations that wait for the start, or the end, of an operation.
    fn release(&mut self, operation: u32, started: bool) {
        for waiter in self.part.waiters(operation) {
            if waiter.is_for_start() == started {
                self.needs[waiter.operation() as usize] -= 1;
                self.free_if_ready(waiter.operation());
            }
        }
    }
}
