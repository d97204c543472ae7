//! A program in memory: the operations of each rank and their dependencies.

use std::ops::Range;

use crate::{
    rank::{Rank, Tag},
    time::Span,
};

/// Maximum number of operations of a rank. The ready queue packs the kind of an operation and its number into 32 bits.
pub(super) const MAX_OPERATIONS: usize = 1 << 30;

/// An operation of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Sends a message.
    Send {
        /// The destination rank.
        to: u32,
        /// The tag of the message.
        tag: Tag,
        /// The length of the message in bytes.
        bytes: u32,
    },
    /// Receives a message.
    Recv {
        /// The source rank; `None` is any.
        from: Option<u32>,
        /// The tag; `None` is any.
        tag: Option<Tag>,
        /// The length of the message in bytes.
        bytes: u32,
    },
    /// Computes for this time.
    Calc(Span),
}

/// An operation that depends on another operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiter {
    /// Twice the number of the waiting operation within its rank, plus 1 if it depends only on the other operation's start.
    coded: u32,
}

impl Waiter {
    pub(crate) fn new(operation: u32, for_start: bool) -> Waiter {
        Waiter { coded: 2 * operation + u32::from(for_start) }
    }

    pub(super) fn operation(self) -> u32 {
        self.coded / 2
    }

    /// Returns whether the operation depends on the start of the other operation, rather than on its end.
    pub(super) fn is_for_start(self) -> bool {
        self.coded % 2 == 1
    }
}

/// A program: the sends, receives and computations of each rank, and their dependencies. It is [read](Program::read)
/// from a text in GOAL, the format of LogGOPSim.
///
/// ```
/// use multicomputer::goal::{self, Program, Sends};
///
/// // Rank 1 answers when it has the question.
/// let text = "num_ranks 2
///     rank 0 {
///         l1: send 8b to 1 tag 7
///         l2: recv 1000b from 1
///     }
///     rank 1 {
///         l1: recv 8b from 0 tag 7
///         l2: calc 5000 // nanoseconds
///         l3: send 1000b to 0
///         l2 requires l1
///         l3 requires l2
///     }";
/// let program = Program::read(text.as_bytes())?;
/// assert_eq!((program.ranks(), program.operations(0).len(), program.messages()), (2, 2, 2));
///
/// // Twice o_s + L + o_r, 130 us, and 50 ns a byte.
/// let predicted = goal::predict(&"hockney:1x2".parse()?, &program, Sends::Eager)?;
/// assert_eq!(predicted.modeled.to_string(), "315.4 us");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    ranks: usize,
    /// The described ranks in ascending order, each with the range of its operations.
    parts: Vec<(u32, Range<usize>)>,
    operations: Vec<Operation>,
    /// For each operation, the number of dependencies: operations for whose start or end it waits.
    needs: Vec<u32>,
    /// For each operation, the index of its first waiter; the last element is the total number of waiters.
    first_waiters: Vec<usize>,
    waiters: Vec<Waiter>,
    foreign: u64,
    messages: u64,
    bytes: u64,
}

/// The operations of one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'p> {
    pub(super) operations: &'p [Operation],
    pub(super) needs: &'p [u32],
    /// For each operation, the index of its first waiter, plus one final element.
    first_waiters: &'p [usize],
    waiters: &'p [Waiter],
}

impl<'p> Part<'p> {
    /// Returns the operations that depend on `operation`.
    pub(super) fn waiters(&self, operation: u32) -> &'p [Waiter] {
        let [first, end] = [0, 1].map(|after| self.first_waiters[operation as usize + after]);
        &self.waiters[first..end]
    }
}

impl Program {
    /// Creates a program without operations.
    pub(crate) fn new(ranks: usize) -> Program {
        Program {
            ranks,
            parts: Vec::new(),
            operations: Vec::new(),
            needs: Vec::new(),
            first_waiters: vec![0],
            waiters: Vec::new(),
            foreign: 0,
            messages: 0,
            bytes: 0,
        }
    }

    /// Adds the operations of a rank and their dependencies. Each element of `waits` is a dependency: the number of the operation that is
    /// waited for, and the operation that waits.
    pub(crate) fn add(&mut self, rank: u32, operations: &[Operation], waits: &[(u32, Waiter)]) {
        let start = self.operations.len();
        self.operations.extend_from_slice(operations);
        self.parts.push((rank, start..self.operations.len()));
        for operation in operations {
            if let Operation::Send { bytes, .. } = operation {
                self.messages += 1;
                self.bytes += u64::from(*bytes);
            }
        }
        self.needs.resize(self.operations.len(), 0);
        // Counting sort: count the waiters of each operation, then compute the start of each group.
        self.first_waiters.resize(self.operations.len() + 1, 0);
        let counts = &mut self.first_waiters[start + 1..];
        for &(on, waiter) in waits {
            counts[on as usize] += 1;
            self.needs[start + waiter.operation() as usize] += 1;
        }
        let mut next = self.waiters.len();
        for count in counts.iter_mut() {
            // `next` is the start of the group. Inserting a waiter advances the start, finally to the start of the next group.
            next += std::mem::replace(count, next);
        }
        self.waiters.resize(next, Waiter::new(0, false));
        for &(on, waiter) in waits {
            let place = &mut self.first_waiters[start + 1 + on as usize];
            self.waiters[*place] = waiter;
            *place += 1;
        }
    }

    /// Sorts the ranks in ascending order.
    pub(super) fn sort(&mut self) {
        self.parts.sort_unstable_by_key(|(rank, _)| *rank);
    }

    /// Counts an operation on a processor or network interface other than number 0.
    pub(super) fn count_foreign(&mut self) {
        self.foreign += 1;
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Returns the operations of a rank in the order of the text; empty for a rank without a description.
    pub fn operations(&self, rank: Rank) -> &[Operation] {
        self.part(rank).operations
    }

    /// Returns the number of operations of all ranks.
    pub fn operations_in_all(&self) -> usize {
        self.operations.len()
    }

    /// Returns the number of messages sent.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Returns the total length of all messages in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of operations that name a `cpu` or `nic` other than 0. A node has one of each, so it
    /// serializes these operations with the others.
    pub fn foreign(&self) -> u64 {
        self.foreign
    }

    pub(super) fn part(&self, rank: Rank) -> Part<'_> {
        let wanted = |&(described, _): &(u32, _)| described as Rank;
        // Fast path: a text that describes all ranks has the rank at this index.
        let at = match self.parts.get(rank) {
            Some(part) if wanted(part) == rank => Ok(rank),
            _ => self.parts.binary_search_by_key(&rank, wanted),
        };
        let range = at.map_or(0..0, |at| self.parts[at].1.clone());
        Part {
            operations: &self.operations[range.clone()],
            needs: &self.needs[range.clone()],
            first_waiters: &self.first_waiters[range.start..=range.end],
            waiters: &self.waiters,
        }
    }
}
