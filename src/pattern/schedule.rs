//! The [`Schedule`] of a collective operation: the sender, the receiver and the blocks of every message.
//!
//! The data of the operation is cut into *blocks*, each with a size and a rank that has it in the beginning. A
//! schedule lists for every rank the steps that it takes. It is plain data, made once and read by everyone: the code
//! on the node threads [executes](crate::comm::walk) it with real messages, the [predictor](crate::plan::predict()) evaluates
//! it in modeled time, and tests check its shape.
//!
//! A schedule is made iteration by iteration by a [`Builder`]. Nodes are *not* synchronized between iterations when it
//! is carried out: each goes on as soon as it has done its own steps.

mod blocks;
mod builder;
mod clocked;
mod combiner;
mod cut;
mod dual;
mod growth;
mod hoisted;
mod meeting;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

pub use blocks::Blocks;
pub use builder::{Builder, Exchange, Transfer};
pub use combiner::{Combiner, Fold};
pub use growth::Growth;

use crate::{rank::Rank, time::Span};

/// The steps of all nodes, and the sizes of the blocks. What a node starts with is known to those who made it.
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

/// The ranks that have a block in the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// One rank has the block.
    At(Rank),
    /// Every rank has its own version of the block; the versions are to be combined.
    Everywhere,
    /// No rank has the block: it is made from others on the way.
    Nowhere,
}

impl Origin {
    /// Whether `rank` has the block, or its own version of it, in the beginning.
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
    /// The iteration of the step, counted from 0. A send that was moved ahead may belong to an earlier one than its receive.
    pub iteration: usize,
    /// The action of the step.
    pub action: Action,
}

/// The action of a node in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Sends a message and goes on when it has left the node.
    Send(Message),
    /// Starts to send a message and goes on at once; the node waits for all started sends at a
    /// [`WaitAll`](Action::WaitAll) and after its last step.
    Start(Message),
    /// Waits until all messages that have been started have left the node.
    WaitAll,
    /// Receives a message.
    Recv(Message),
    /// Sends one message and receives another at the same time.
    Exchange {
        /// The message sent.
        send: Message,
        /// The message received.
        recv: Message,
    },
    /// Copies this number of bytes together, because the blocks of the next message do not lie side by side in
    /// memory.
    Pack(u64),
    /// Combines this number of received bytes with the node's own version of them.
    Combine(u64),
    /// Does nothing for this time, to keep in step with others.
    Pause(Span),
    /// Waits for all nodes of the machine, by its hardware barrier.
    Barrier,
    /// Makes a block by combining two others.
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
    /// At the receiver: whether the message is combined with the receiver's own version, which is the left operand if
    /// its rank is the lower one, instead of being put into an empty place.
    pub combined: bool,
}

impl Action {
    /// The message that the node sends, if it sends one.
    pub fn sent(&self) -> Option<&Message> {
        match self {
            Action::Send(message) | Action::Start(message) | Action::Exchange { send: message, .. } => {
                Some(message)
            }
            _ => None,
        }
    }

    /// The message that the node receives, if it receives one.
    pub fn received(&self) -> Option<&Message> {
        match self {
            Action::Recv(message) | Action::Exchange { recv: message, .. } => Some(message),
            _ => None,
        }
    }

    /// The message that it sends, and that which it receives.
    fn ends_mut(&mut self) -> (Option<&mut Message>, Option<&mut Message>) {
        match self {
            Action::Send(message) | Action::Start(message) => (Some(message), None),
            Action::Recv(message) => (None, Some(message)),
            Action::Exchange { send, recv } => (Some(send), Some(recv)),
            _ => (None, None),
        }
    }

    /// All its messages.
    fn messages_mut(&mut self) -> impl Iterator<Item = &mut Message> {
        let (sent, received) = self.ends_mut();
        sent.into_iter().chain(received)
    }
}

impl Schedule {
    /// Creates a schedule of the steps of every rank, for callers that know the content of the messages by other
    /// means: the messages have lengths, and no blocks.
    pub(crate) fn of_lengths(steps: Vec<Vec<Step>>) -> Schedule {
        let last = steps.iter().filter_map(|steps| steps.last()).map(|step| step.iteration + 1).max();
        Schedule { sizes: [].into(), element: 1, steps, iterations: last.unwrap_or(0) }
    }

    /// Creates a schedule of the steps of every rank, on blocks of these sizes with elements of so many bytes.
    pub(crate) fn of_blocks(sizes: Vec<u64>, element: u64, steps: Vec<Vec<Step>>) -> Schedule {
        Schedule { sizes: sizes.into(), element: element.max(1), ..Schedule::of_lengths(steps) }
    }

    /// The same with messages that have lengths alone: schedules of different blocks can be put
    /// [one after the other](Schedule::then) then.
    #[must_use]
    pub(crate) fn without_blocks(mut self) -> Schedule {
        let nothing: Blocks = [].into();
        let steps = self.steps.iter_mut().flatten();
        steps
            .flat_map(|step| step.action.messages_mut())
            .for_each(|message| message.blocks = nothing.clone());
        Schedule::of_lengths(self.steps)
    }

    /// The same with a block for each message, in place of what messages had; and sender, receiver and length of each block.
    pub(crate) fn with_a_block_a_message(&self) -> (Vec<(Rank, Rank, u64)>, Schedule) {
        let (mut messages, mut schedule) = (Vec::new(), self.clone());
        // The blocks between two ranks, in the order in which they are sent, and so received.
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

    /// The number of nodes of the machine.
    pub fn nodes(&self) -> usize {
        self.steps.len()
    }

    /// Returns the same schedule with elements of `bytes` bytes, at least 1; only the time of combining depends on
    /// it.
    #[must_use]
    pub fn with_elements_of(self, bytes: u64) -> Schedule {
        Schedule { element: bytes.max(1), ..self }
    }

    /// The number of elements in `bytes` bytes.
    pub fn elements(&self, bytes: u64) -> u64 {
        bytes / self.element
    }

    /// The size of each block in bytes.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The same sizes, shared.
    pub(crate) fn shared_sizes(&self) -> Arc<[u64]> {
        self.sizes.clone()
    }

    /// The number of iterations.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The steps of `rank`, in the order in which they are carried out; empty for a rank outside the machine.
    pub fn steps(&self, rank: Rank) -> &[Step] {
        self.steps.get(rank).map_or(&[], Vec::as_slice)
    }

    /// The number of steps of all ranks.
    pub(crate) fn steps_in_all(&self) -> usize {
        self.steps.iter().map(Vec::len).sum()
    }

    /// All messages, in no particular order.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.steps.iter().flatten().filter_map(|step| step.action.sent())
    }
}
