//! Turns: the operations of one rank in the order in which a node carries them out.
//!
//! A node does one thing at a time. Of what nothing keeps back it first posts receives, then it sends, then it computes, each in
//! the order of the text. If there is none of these it waits for the first of what it has started: a message for one of its
//! receives, or the end of a send that is not over with its overhead. (LogGOPSim, too, begins with the send where a send and a
//! computation can start at the same instant.)
//!
//! It is told by whoever makes the calls which of several has come to its end; nothing else depends on time. So the predictor
//! and a node's thread make the same calls.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::program::{MOST_OPERATIONS, Operation, Part};
use crate::model::Description;

/// When a send has ended, for operations that require it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sends {
    /// When its overhead o_s is paid, as LogGOPSim's messages up to its `-S`. The end of the program does not wait for messages
    /// to leave.
    #[default]
    Eager,
    /// When the message has left, as a blocking send of this library ends. A schedule that this library has
    /// [written](super::write()) takes its own time so.
    Blocking,
}

/// The next thing that a node is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Carry out an operation: post a receive, start a send, compute. What is [open](Turns::is_open) afterwards is to be
    /// waited for later.
    Begin(u32),
    /// Wait for the one operation that is open.
    Wait(u32),
    /// Wait for the first of [all that are open](Turns::open), and say which it [was](Turns::ended_at).
    WaitAny,
    /// Nothing: all is done.
    End,
}

/// The operations of a rank that are to be carried out.
#[derive(Debug)]
pub(super) struct Turns<'p> {
    part: Part<'p>,
    /// For each operation, of how many others it still waits for the start or the end.
    needs: Box<[u32]>,
    /// The operations that nothing keeps back: the kind of each above its number.
    free: BinaryHeap<Reverse<u32>>,
    /// The operations that have begun and not ended, in the order in which they began.
    open: Vec<u32>,
    sends: Sends,
    /// The length from which on messages are sent when they have met their receives.
    rendezvous: Option<u64>,
}

impl<'p> Turns<'p> {
    pub(super) fn new(part: Part<'p>, sends: Sends, machine: &Description) -> Turns<'p> {
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
            self.free.push(Reverse(kind * MOST_OPERATIONS as u32 + operation));
        }
    }

    pub(super) fn operation(&self, operation: u32) -> &'p Operation {
        &self.part.operations[operation as usize]
    }

    /// The operations that have begun and not ended, in the order in which they began.
    pub(super) fn open(&self) -> &[u32] {
        &self.open
    }

    /// Whether an operation is still to be waited for when its call has returned.
    pub(super) fn is_open(&self, operation: u32) -> bool {
        match *self.operation(operation) {
            Operation::Recv { .. } => true,
            Operation::Send { bytes, .. } => {
                self.sends == Sends::Blocking || self.rendezvous.is_some_and(|from| u64::from(bytes) >= from)
            }
            Operation::Calc(_) => false,
        }
    }

    /// The next turn. What it says is done when this is called again, except that the answer to a wait for the first of
    /// several is given before that.
    pub(super) fn next(&mut self) -> Turn {
        if let Some(Reverse(free)) = self.free.pop() {
            let operation = free % MOST_OPERATIONS as u32;
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

    /// Notes that the operation at a place among those that are open has ended.
    pub(super) fn ended_at(&mut self, place: usize) {
        let operation = self.open.remove(place);
        self.release(operation, false);
    }

    /// Lets those go on that wait for the start, or the end, of an operation.
    fn release(&mut self, operation: u32, started: bool) {
        for waiter in self.part.waiters(operation) {
            if waiter.is_for_start() == started {
                self.needs[waiter.operation() as usize] -= 1;
                self.free_if_ready(waiter.operation());
            }
        }
    }
}
