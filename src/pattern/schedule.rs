//! The [`Schedule`] of a collective operation: the sender, the receiver and the blocks of every message.
//!
//! The data of the operation is cut into *blocks*. Each block has a size and a rank that holds it initially. A schedule lists the steps of
//! every rank. It is plain data, constructed once and shared: the node threads [execute](crate::comm::walk) it with real messages, the
//! [predictor](crate::plan::predict()) evaluates it in modeled time, and tests check its shape.
//!
//! A [`Builder`] constructs a schedule iteration by iteration. Nodes are *not* synchronized between iterations during execution: each node
//! continues as soon as it has finished its own steps.

mod blocks;
mod builder;
mod combiner;
mod cut;
mod dual;
mod growth;
mod hoisted;
mod rendezvous;
mod time_triggered;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

pub use blocks::Blocks;
pub use builder::{Builder, Exchange, Transfer};
pub use combiner::{Combiner, Fold};
pub use growth::Growth;

use crate::{rank::Rank, time::Span};

/// The steps of all nodes, and the sizes of the blocks. A schedule does not record which blocks a node holds initially.
///
/// ```
/// use multicomputer::pattern::{Action, Builder, Exchange, Transfer};
///
/// // Block 0, of 100 bytes, is at rank 1; block 1, of 50, at rank 0. They are exchanged.
/// let mut builder = Builder::new(2, &[1, 0], &[100, 50], Exchange::Together);
/// builder.iteration([
///     Transfer { from: 1, to: 0, blocks: [0].into() },
///     Transfer { from: 0, to: 1, blocks: [1].into() },
/// ]);
/// let schedule = builder.finish();
/// let [step] = schedule.steps(0) else { panic!("one step") };
/// let Action::Exchange { send, recv } = &step.action else { panic!("both ways at once") };
/// assert_eq!((send.peer, send.bytes, recv.peer, recv.bytes), (1, 50, 1, 100));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    sizes: Arc<[u64]>,
    /// The size of an element in bytes, for combining.
    element: u64,
    steps: Vec<Vec<Step>>,
    iterations: usize,
}

/// The ranks that hold a block initially.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// One rank holds the block.
    At(Rank),
    /// Every rank has its own version of the block; the versions are to be combined.
    Everywhere,
    /// No rank holds the block initially: it is made from other blocks.
    Nowhere,
}

impl Origin {
    /// Returns whether `rank` initially holds the block, or its own version of the block.
    pub fn is_at(self, rank: Rank) -> bool {
        match self {
            Origin::At(origin) => origin == rank,
            Origin::Everywhere => true,
            Origin::Nowhere => false,
        }
    }
}

/// One step of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The iteration of the step, counted from 0. A send that was moved ahead may have an earlier iteration than its receive.
    pub iteration: usize,
    /// The action of the step.
    pub action: Action,
}

/// The action of a node in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Sends a message and continues when the message has left the node.
    Send(Message),
    /// Starts a send and continues immediately; the node waits for all started sends at a [`WaitAll`](Action::WaitAll) and after its last
    /// step.
    Start(Message),
    /// Waits until all started messages have left the node.
    WaitAll,
    /// Receives a message.
    Recv(Message),
    /// Sends one message and receives another one at the same time.
    Exchange {
        /// The message sent.
        send: Message,
        /// The message received.
        recv: Message,
    },
    /// Copies this number of bytes into contiguous memory, because the blocks of the next message are not adjacent.
    Pack(u64),
    /// Combines this number of received bytes with the node's own version.
    Combine(u64),
    /// Idles for this time, to stay synchronized with other nodes.
    Pause(Span),
    /// Waits for all nodes of the machine at the hardware barrier.
    Barrier,
    /// Makes a block by combining two other blocks.
    Merge {
        /// The left operand.
        left: u32,
        /// The right operand.
        right: u32,
        /// The block that is made.
        into: u32,
    },
}

/// One message of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The node at the other end.
    pub peer: Rank,
    /// The blocks in the message.
    pub blocks: Blocks,
    /// The length of the message.
    pub bytes: u64,
    /// At the receiver: whether the message is combined with the receiver's own version instead of filling an empty block. The version of
    /// the lower rank is the left operand.
    pub combined: bool,
}

impl Action {
    /// Returns the message that the node sends, if any.
    pub fn sent(&self) -> Option<&Message> {
        match self {
            Action::Send(message) | Action::Start(message) | Action::Exchange { send: message, .. } => {
                Some(message)
            }
            _ => None,
        }
    }

    /// Returns the message that the node receives, if any.
    pub fn received(&self) -> Option<&Message> {
        match self {
            Action::Recv(message) | Action::Exchange { recv: message, .. } => Some(message),
            _ => None,
        }
    }

    /// Returns the sent message and the received message.
    fn ends_mut(&mut self) -> (Option<&mut Message>, Option<&mut Message>) {
        match self {
            Action::Send(message) | Action::Start(message) => (Some(message), None),
            Action::Recv(message) => (None, Some(message)),
            Action::Exchange { send, recv } => (Some(send), Some(recv)),
            _ => (None, None),
        }
    }

    /// Returns all messages of the action.
    fn messages_mut(&mut self) -> impl Iterator<Item = &mut Message> {
        let (sent, received) = self.ends_mut();
        sent.into_iter().chain(received)
    }
}

impl Schedule {
    /// Creates a schedule from the steps of every rank whose messages have lengths but no blocks, for callers that track the contents of
    /// messages themselves.
    pub(crate) fn of_lengths(steps: Vec<Vec<Step>>) -> Schedule {
        let last = steps.iter().filter_map(|steps| steps.last()).map(|step| step.iteration + 1).max();
        Schedule { sizes: [].into(), element: 1, steps, iterations: last.unwrap_or(0) }
    }

    /// Creates a schedule from the steps of every rank, with blocks of these sizes and elements of `element` bytes.
    pub(crate) fn of_blocks(sizes: Vec<u64>, element: u64, steps: Vec<Vec<Step>>) -> Schedule {
        Schedule { sizes: sizes.into(), element: element.max(1), ..Schedule::of_lengths(steps) }
    }

    /// Returns the same schedule with messages that have lengths only. Schedules with different blocks can then be
    /// [concatenated](Schedule::then).
    #[must_use]
    pub(crate) fn without_blocks(mut self) -> Schedule {
        let nothing: Blocks = [].into();
        let steps = self.steps.iter_mut().flatten();
        steps
            .flat_map(|step| step.action.messages_mut())
            .for_each(|message| message.blocks = nothing.clone());
        Schedule::of_lengths(self.steps)
    }

    /// Returns the sender, receiver and length of each message, and the same schedule in which each message consists of one block of its
    /// own.
    pub(crate) fn with_a_block_a_message(&self) -> (Vec<(Rank, Rank, u64)>, Schedule) {
        let (mut messages, mut schedule) = (Vec::new(), self.clone());
        // The blocks of messages between two ranks, in the order of sending, which is the order of receiving.
        let mut between: BTreeMap<(Rank, Rank), VecDeque<u32>> = BTreeMap::new();
        for (from, steps) in schedule.steps.iter_mut().enumerate() {
            for message in steps.iter_mut().filter_map(|step| step.action.ends_mut().0) {
                let block = messages.len() as u32;
                messages.push((from, message.peer, message.bytes));
                between.entry((from, message.peer)).or_default().push_back(block);
                message.blocks = [block].into();
            }
        }
        for (to, steps) in schedule.steps.iter_mut().enumerate() {
            for message in steps.iter_mut().filter_map(|step| step.action.ends_mut().1) {
                let blocks = between.get_mut(&(message.peer, to));
                message.blocks =
                    blocks.and_then(VecDeque::pop_front).map_or_else(Blocks::default, Blocks::one);
            }
        }
        schedule.sizes = messages.iter().map(|&(.., bytes)| bytes).collect();
        (messages, schedule)
    }

    /// Returns the number of nodes that the schedule is for.
    pub fn nodes(&self) -> usize {
        self.steps.len()
    }

    /// Returns the same schedule with elements of `bytes` bytes, at least 1. The element size affects only the time of combining.
    #[must_use]
    pub fn with_elements_of(self, bytes: u64) -> Schedule {
        Schedule { element: bytes.max(1), ..self }
    }

    /// Returns the number of elements in `bytes` bytes.
    pub fn elements(&self, bytes: u64) -> u64 {
        bytes / self.element
    }

    /// Returns the size of each block in bytes.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Returns the block sizes as a shared array.
    pub(crate) fn shared_sizes(&self) -> Arc<[u64]> {
        self.sizes.clone()
    }

    /// Returns the number of iterations.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Returns the steps of `rank` in execution order; empty for a rank outside the schedule.
    pub fn steps(&self, rank: Rank) -> &[Step] {
        self.steps.get(rank).map_or(&[], Vec::as_slice)
    }

    /// Returns the total number of steps of all ranks.
    pub(crate) fn steps_in_all(&self) -> usize {
        self.steps.iter().map(Vec::len).sum()
    }

    /// Returns all messages, in no particular order.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.steps.iter().flatten().filter_map(|step| step.action.sent())
    }
}
