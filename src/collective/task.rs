//! Tasks: collective operations with all that planning needs, including the members and the lengths of all blocks.

use std::{ops::Range, sync::Arc};

use thiserror::Error;

use super::Operation;
use crate::{
    model::{MachineSpec, Parameters},
    plan::{Layout, MembersError, check_members},
    rank::Rank,
    text::are,
};

/// One execution of a collective operation: the operation, its members and root, and the length of every block.
///
/// All members have the complete task before they start, as in InterCom and in MPI's vector forms.
///
/// ```
/// use multicomputer::collective::{Operation, Task};
///
/// // An all-gather among the first row of a Paragon; the blocks have 3, 0, 2 and 1 doubles.
/// let task = Task::builder(&"paragon:4x4".parse()?, Operation::AllGather)
///     .members([0, 1, 2, 3])
///     .blocks([3, 0, 2, 1])
///     .element_bytes(8)
///     .build()?;
/// assert_eq!((task.size(), task.bytes()), (4, 48));
/// assert_eq!(task.block(2), 24..40);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Task {
    machine: MachineSpec,
    members: Arc<[Rank]>,
    operation: Operation,
    root: Rank,
    /// First byte of each rank's block, followed by the end of the vector.
    starts: Arc<[u64]>,
    element: u64,
    in_order: bool,
    exact: bool,
}

/// Builder of a [`Task`].
#[derive(Clone, Debug)]
pub struct TaskBuilder {
    machine: MachineSpec,
    members: Option<Arc<[Rank]>>,
    operation: Operation,
    root: Rank,
    lengths: Lengths,
    element: u64,
    in_order: bool,
    exact: bool,
}

#[derive(Clone, Debug)]
enum Lengths {
    Even(u64),
    Blocks(Vec<u64>),
}

impl Task {
    /// Returns a builder. Defaults: all nodes of the machine, root 0, 0 elements of 1 byte each, a commutative and exact operator.
    pub fn builder(machine: &MachineSpec, operation: Operation) -> TaskBuilder {
        TaskBuilder {
            machine: machine.clone(),
            members: None,
            operation,
            root: 0,
            lengths: Lengths::Even(0),
            element: 1,
            in_order: false,
            exact: true,
        }
    }

    /// The machine.
    pub fn machine(&self) -> &MachineSpec {
        &self.machine
    }

    /// The parameters of the machine.
    pub fn parameters(&self) -> &Parameters {
        self.machine.parameters()
    }

    /// The node of the machine for each rank.
    pub fn members(&self) -> &Arc<[Rank]> {
        &self.members
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// The operation.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The root; 0 if the operation has none.
    pub fn root(&self) -> Rank {
        self.root
    }

    /// Number of bytes of the whole vector.
    pub fn bytes(&self) -> u64 {
        self.starts[self.size()]
    }

    /// The byte range of the block of `rank` in the vector. For operations without blocks the vector is cut evenly.
    ///
    /// # Panics
    ///
    /// If the rank is outside the group.
    pub fn block(&self, rank: Rank) -> Range<u64> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// Bytes per element.
    pub fn element_bytes(&self) -> u64 {
        self.element
    }

    /// Whether vectors must be combined in rank order, because the operator is associative but not commutative.
    pub fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// Whether results do not depend on how operands are grouped. Where results do depend on it, all ranks must group operands in the same
    /// way.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The layout of the members on the machine. Where vectors are combined in rank order, the layout keeps the rank order.
    pub(crate) fn layout(&self) -> Layout {
        Layout::of(&self.machine, &self.members, self.in_order)
    }

    /// Number of bytes of the longest block.
    pub(crate) fn longest_block(&self) -> u64 {
        self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// Returns the equivalent task of another operation, if there is one: an all-gather with exactly one non-empty block is a broadcast, and a
    /// reduce-scatter with exactly one non-empty block is a reduce, and vice versa.
    pub(crate) fn in_other_words(&self) -> Option<Task> {
        let with_one_block = |operation| {
            let ends = (0..=self.size()).map(|rank| if rank <= self.root { 0 } else { self.bytes() });
            Some(Task { operation, root: 0, starts: ends.collect(), ..self.clone() })
        };
        let from_one = |operation| {
            let mut owners = (0..self.size()).filter(|&rank| !self.block(rank).is_empty());
            let owner = owners.next()?;
            owners.next().is_none().then(|| self.as_operation(operation, owner))
        };
        match self.operation {
            Operation::Broadcast => with_one_block(Operation::AllGather),
            Operation::Reduce => with_one_block(Operation::ReduceScatter),
            Operation::AllGather => from_one(Operation::Broadcast),
            Operation::ReduceScatter => from_one(Operation::Reduce),
            _ => None,
        }
    }

    /// Number of bytes that closed forms divide evenly among the ranks. The root's own block of a scatter or gather does not move; its
    /// length is replaced by the mean of the others.
    pub(super) fn shared_bytes(&self) -> u64 {
        let Range { start, end } = self.block(self.root);
        let other_bytes = self.bytes() - (end - start);
        match self.operation {
            Operation::Scatter | Operation::Gather => {
                other_bytes + other_bytes / (self.size() as u64 - 1).max(1)
            }
            _ => self.bytes(),
        }
    }

    /// The same operation restricted to the blocks whose flag in `is_in` is set; all other blocks are empty.
    pub(super) fn part(&self, is_in: &[bool]) -> Task {
        let mut end = 0;
        let ends = (0..self.size()).map(|rank| {
            let Range { start, end: last } = self.block(rank);
            end += if is_in[rank] { last - start } else { 0 };
            end
        });
        Task { starts: std::iter::once(0).chain(ends).collect(), ..self.clone() }
    }

    /// The rank whose block contains this byte of the vector.
    pub(crate) fn owner(&self, byte: u64) -> Rank {
        self.starts.partition_point(|&start| start <= byte).saturating_sub(1).min(self.size() - 1)
    }

    /// The byte ranges of the vector that a rank has before the operation and after it.
    pub(super) fn extents(&self, rank: Rank) -> [Range<u64>; 2] {
        use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter};
        let (all, own, nothing) = (0..self.bytes(), self.block(rank), 0..0);
        let of_root = |extent: &Range<u64>| {
            if rank == self.root() { extent.clone() } else { nothing.clone() }
        };
        match self.operation() {
            Broadcast => [of_root(&all), all],
            Scatter => [of_root(&all), own],
            Gather => [own, of_root(&all)],
            AllGather => [own, all],
            Reduce => [all.clone(), of_root(&all)],
            AllReduce | Scan => [all.clone(), all],
            ReduceScatter => [all, own],
        }
    }

    /// Another operation on the same vector, with the given root.
    pub(crate) fn as_operation(&self, operation: Operation, root: Rank) -> Task {
        let combines = operation.combines();
        let (in_order, exact) = (self.in_order && combines, self.exact || !combines);
        Task { operation, root, in_order, exact, ..self.clone() }
    }

    /// Whether block lengths differ by at most one element.
    pub(super) fn is_even(&self) -> bool {
        let lengths = || self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        lengths().max().unwrap_or(0) - lengths().min().unwrap_or(0) <= self.element
    }

    /// Returns the equivalent task whose vector is cut evenly. `None` if the operation has blocks, or if the vector is already cut evenly.
    pub(crate) fn with_even_blocks(&self) -> Option<Task> {
        let (elements, size) = (self.bytes() / self.element, self.size());
        let starts = (0..=size).map(|rank| even_start(elements, rank, size) * self.element);
        let even = Task { starts: starts.collect(), ..self.clone() };
        (!self.operation.has_blocks() && even.starts != self.starts).then_some(even)
    }

    /// The identity without the members.
    pub(super) fn identity_without_members(&self) -> Identity {
        Identity { members: Arc::default(), ..self.identity() }
    }

    /// The parts of the task that distinguish it from other tasks on the same machine.
    pub(super) fn identity(&self) -> Identity {
        Identity {
            operation: self.operation,
            root: self.root,
            element: self.element,
            in_order: self.in_order,
            exact: self.exact,
            members: self.members.clone(),
            starts: self.starts.clone(),
        }
    }
}

/// The parts of a task that distinguish it from other tasks on the same machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    operation: Operation,
    root: Rank,
    element: u64,
    in_order: bool,
    exact: bool,
    members: Arc<[Rank]>,
    starts: Arc<[u64]>,
}

impl TaskBuilder {
    /// Sets the participating nodes, in rank order; the default is all nodes.
    #[must_use]
    pub fn members(mut self, nodes: impl Into<Arc<[Rank]>>) -> Self {
        self.members = Some(nodes.into());
        self
    }

    /// Sets the root; the default is 0. Ignored where the operation has no root.
    #[must_use]
    pub fn root(mut self, rank: Rank) -> Self {
        self.root = rank;
        self
    }

    /// Sets the number of elements of the whole vector, of all ranks together; the default is 0. With `n` elements and `p` ranks the block
    /// of rank `r` begins at element `floor(r n / p)`, so block lengths differ by at most one element; see
    /// [`Lengths::block`](super::Lengths::block).
    #[must_use]
    pub fn elements(mut self, elements: u64) -> Self {
        self.lengths = Lengths::Even(elements);
        self
    }

    /// Sets the number of elements of each rank's block.
    #[must_use]
    pub fn blocks(mut self, elements: impl Into<Vec<u64>>) -> Self {
        self.lengths = Lengths::Blocks(elements.into());
        self
    }

    /// Sets the bytes per element; the default, and the minimum, is 1.
    #[must_use]
    pub fn element_bytes(mut self, bytes: u64) -> Self {
        self.element = bytes.max(1);
        self
    }

    /// Sets whether vectors must be combined in rank order; the default is false.
    #[must_use]
    pub fn in_order(mut self, in_order: bool) -> Self {
        self.in_order = in_order;
        self
    }

    /// Sets whether results do not depend on how operands are grouped, as with integers; the default is true.
    #[must_use]
    pub fn exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// Builds the task.
    ///
    /// # Errors
    ///
    /// [`TaskError`] if the arguments contradict each other.
    pub fn build(self) -> Result<Task, TaskError> {
        let members = self.members.unwrap_or_else(|| (0..self.machine.nodes()).collect());
        check_members(&self.machine, &members)?;
        let size = members.len();
        if self.root >= size {
            return Err(TaskError::NoSuchRoot { given: self.root, size });
        }
        let starts = match self.lengths {
            Lengths::Even(elements) => {
                elements
                    .checked_mul(self.element)
                    .filter(|&bytes| bytes < MAX_BYTES)
                    .ok_or(TaskError::TooLong)?;
                (0..=size).map(|rank| even_start(elements, rank, size) * self.element).collect()
            }
            Lengths::Blocks(blocks) => {
                if blocks.len() != size {
                    return Err(TaskError::Blocks { given: blocks.len(), size });
                }
                let mut starts = vec![0_u64];
                for elements in blocks {
                    let end = elements
                        .checked_mul(self.element)
                        .and_then(|bytes| bytes.checked_add(*starts.last()?));
                    starts.push(end.filter(|&bytes| bytes < MAX_BYTES).ok_or(TaskError::TooLong)?);
                }
                starts.into()
            }
        };
        let root = if self.operation.has_root() { self.root } else { 0 };
        let in_order = self.in_order && self.operation.combines();
        let exact = self.exact || !self.operation.combines();
        let Self { machine, operation, element, .. } = self;
        Ok(Task { machine, members, operation, root, starts, element, in_order, exact })
    }
}

/// First element of the block of `rank` where `elements` are cut evenly; for `rank` = `size` the end of the last block.
pub(super) fn even_start(elements: u64, rank: Rank, size: usize) -> u64 {
    (u128::from(elements) * rank as u128 / size as u128) as u64
}

/// Exclusive upper limit of the bytes of a vector.
const MAX_BYTES: u64 = 1 << 60;

/// The error of arguments that do not form a task.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TaskError {
    /// The members do not form a group.
    #[error(transparent)]
    Members(#[from] MembersError),
    /// The root is outside the group.
    #[error("root {given} is not in the group: its ranks are 0 to {}", size - 1)]
    NoSuchRoot {
        /// The given rank.
        given: Rank,
        /// Number of ranks of the group.
        size: usize,
    },
    /// The number of block lengths differs from the number of ranks.
    #[error("{} given for a group of {size} ranks: give one for each rank", are(*given, "block length"))]
    Blocks {
        /// Number of given lengths.
        given: usize,
        /// Number of ranks of the group.
        size: usize,
    },
    /// The vector is too long.
    #[error("the vector has 2^60 bytes or more; allowed is less")]
    TooLong,
}
