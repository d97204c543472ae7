//! Jobs: operations with their roots and lengths, for calls on payloads.

use std::{fmt, ops::Range};

use super::{Algorithm, Operation, Task, TaskError, operator::Named, task::even_start};
use crate::{
    comm::Group,
    payload::{Element, ElementType},
    rank::Rank,
    text::{are, count},
};

/// Lengths of blocks in elements. A number is the total over all ranks; an array or a vector has one length for each rank.
///
/// ```
/// use multicomputer::prelude::*;
///
/// let run = Machine::hockney(1, 5).build()?.run(|node| {
///     let (world, mine) = (node.world(), [node.rank() as u32; 10]);
///     let all = world.all_gather(&mine, 10 * world.size())?; // 50 elements in all, 10 from every rank
///     assert_eq!(all, world.all_gather(&mine, [10; 5])?);
///     Ok(all.len())
/// })?;
/// assert_eq!(run.outputs, [50; 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Lengths {
    /// Total number of elements, in blocks whose lengths differ by at most one: with `n` elements and `p` ranks the block of rank `r`
    /// begins at element `floor(r n / p)`. For example, 10 elements on 4 ranks make blocks of 2, 3, 2 and 3; see [`block`](Lengths::block).
    Even(u64),
    /// Number of elements of each rank's block.
    Blocks(Vec<u64>),
}

impl Lengths {
    /// The element range of the block of `rank` in a group of `size` ranks: the rank's argument of a gather or an all-gather, and its result of
    /// a scatter or a reduce-scatter.
    ///
    /// ```
    /// use multicomputer::{collective::Lengths, prelude::*};
    ///
    /// let lengths = Lengths::from(10);
    /// assert_eq!([0, 1, 2, 3].map(|rank| lengths.block(rank, 4)), [0..2, 2..5, 5..7, 7..10]);
    ///
    /// let run = Machine::hockney(1, 4).build()?.run(|node| {
    ///     let world = node.world();
    ///     let mine: Vec<u64> = lengths.block(world.rank(), world.size()).map(|element| element as u64).collect();
    ///     Ok(world.all_gather(&mine, 10)?)
    /// })?;
    /// assert_eq!(run.outputs[3], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the rank is outside the group, if the number of blocks differs from the number of ranks, or if there are more elements than a
    /// slice can have.
    pub fn block(&self, rank: Rank, size: usize) -> Range<usize> {
        assert!(rank < size, "rank {rank} has no block: the group has {}", count(size as u64, "rank"));
        let [start, end] = match self {
            Lengths::Even(elements) => [rank, rank + 1].map(|rank| even_start(*elements, rank, size)),
            Lengths::Blocks(blocks) => {
                let given = blocks.len();
                assert!(
                    given == size,
                    "{} given for a group of {size} ranks: give one for each rank",
                    are(given, "block")
                );
                [rank, rank + 1]
                    .map(|rank| blocks[..rank].iter().fold(0, |sum: u64, &one| sum.saturating_add(one)))
            }
        };
        let index = |element: u64| {
            usize::try_from(element)
                .unwrap_or_else(|_| panic!("no slice has {element} elements on this host"))
        };
        index(start)..index(end)
    }
}

impl From<usize> for Lengths {
    fn from(elements: usize) -> Lengths {
        Lengths::Even(elements as u64)
    }
}

impl From<&[usize]> for Lengths {
    fn from(blocks: &[usize]) -> Lengths {
        Lengths::Blocks(blocks.iter().map(|&elements| elements as u64).collect())
    }
}

impl From<Vec<usize>> for Lengths {
    fn from(blocks: Vec<usize>) -> Lengths {
        blocks.as_slice().into()
    }
}

impl<const N: usize> From<&[usize; N]> for Lengths {
    fn from(blocks: &[usize; N]) -> Lengths {
        blocks.as_slice().into()
    }
}

impl From<&Vec<usize>> for Lengths {
    fn from(blocks: &Vec<usize>) -> Lengths {
        blocks.as_slice().into()
    }
}

impl<const N: usize> From<[usize; N]> for Lengths {
    fn from(blocks: [usize; N]) -> Lengths {
        blocks.as_slice().into()
    }
}

/// An operation with its root and lengths, to be carried out on payloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub(super) operation: Operation,
    pub(super) root: Rank,
    pub(super) lengths: Lengths,
    pub(super) element: ElementType,
    /// The size of an element in bytes, at multiples of which algorithms may cut the vector.
    pub(super) element_bytes: u64,
}

impl Job {
    /// Returns a job on elements of type `T`. The root is ignored if the operation has none.
    pub fn of<T: Element>(operation: Operation, root: Rank, lengths: impl Into<Lengths>) -> Job {
        let root = if operation.has_root() { root } else { 0 };
        let (element, lengths) = (ElementType::of::<T>(), lengths.into());
        let element_bytes = element.size() as u64;
        Job { operation, root, lengths, element, element_bytes }
    }

    /// Returns the same job with another root; ignored if the operation has none.
    #[must_use]
    pub fn root(self, rank: Rank) -> Job {
        if self.operation.has_root() { Job { root: rank, ..self } } else { self }
    }

    /// Returns a job on bytes, with root 0.
    pub fn bytes(operation: Operation, lengths: impl Into<Lengths>) -> Job {
        Job::of::<u8>(operation, 0, lengths)
    }

    /// An operation on elements of `bytes` bytes, whose type is known only at run time. Algorithms cut vectors between elements only.
    pub fn of_size(operation: Operation, root: Rank, lengths: impl Into<Lengths>, bytes: u64) -> Job {
        Job { element_bytes: bytes, ..Job::of::<u8>(operation, root, lengths) }
    }

    /// The operation.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    pub(super) fn task(&self, group: &Group<'_>, in_order: bool, exact: bool) -> Result<Task, TaskError> {
        let task = Task::builder(group.machine(), self.operation)
            .members(group.members())
            .root(self.root)
            .element_bytes(self.element_bytes)
            .in_order(in_order)
            .exact(exact);
        match &self.lengths {
            Lengths::Even(elements) => task.elements(*elements).build(),
            Lengths::Blocks(blocks) => task.blocks(blocks.as_slice()).build(),
        }
    }
}

/// A job with the algorithm and the operator. Its text describes the call in errors about members that make different calls.
pub(super) struct Described<'a> {
    pub(super) job: &'a Job,
    pub(super) algorithm: &'a Algorithm,
    pub(super) operator: Option<Named<'a>>,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Job { operation, root, lengths, element, element_bytes } = self.job;
        let element = match element.size() as u64 == *element_bytes {
            true => element.to_string(),
            false => format!("elements of {element_bytes} bytes"),
        };
        write!(f, "{operation}")?;
        if operation.has_root() {
            write!(f, " with root {root}")?;
        }
        match lengths {
            Lengths::Even(elements) => write!(f, " on {elements} {element}")?,
            Lengths::Blocks(blocks) => match blocks[..] {
                [] => write!(f, " on no blocks of {element}")?,
                [first] => write!(f, " on 1 block of {first} {element}")?,
                [first, .., last] => {
                    let all = blocks.iter().fold(0, |sum: u64, &block| sum.saturating_add(block));
                    write!(f, " on {} blocks of {first} .. {last} {element} ({all} in all)", blocks.len())?;
                }
            },
        }
        if let Some(operator) = self.operator {
            let order = if operator.is_commutative { "" } else { " in rank order" };
            write!(f, ", {}{order}", operator.name)?;
        }
        write!(f, ", algorithm {}", self.algorithm.spelled(*operation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_those_of_a_task() {
        for (elements, size) in [(0, 3), (10, 4), (3, 7), (1_000_003, 64)] {
            let machine = format!("line:{size}").parse().unwrap();
            let task = |lengths: &Lengths| {
                let task = Task::builder(&machine, Operation::AllGather).element_bytes(8);
                match lengths {
                    Lengths::Even(elements) => task.elements(*elements).build().unwrap(),
                    Lengths::Blocks(blocks) => task.blocks(blocks.clone()).build().unwrap(),
                }
            };
            let even = Lengths::Even(elements);
            let blocks = Lengths::Blocks((0..size as u64).map(|rank| rank * elements % 5).collect());
            for lengths in [even, blocks] {
                let task = task(&lengths);
                for rank in 0..size {
                    let Range { start, end } = lengths.block(rank, size);
                    assert_eq!(
                        task.block(rank),
                        start as u64 * 8..end as u64 * 8,
                        "{lengths:?}, rank {rank}"
                    );
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "3 blocks are given for a group of 4 ranks: give one for each rank")]
    fn a_group_of_another_size_has_no_blocks() {
        let _ = Lengths::from([1, 2, 3]).block(0, 4);
    }
}
