//! Jobs: operations with their roots and lengths, as calls on payloads name them.

use std::fmt;

use super::{Algorithm, Operation, Task, TaskError, operator::Named};
use crate::{
    comm::Group,
    payload::{Element, ElementType},
    rank::Rank,
};

/// Lengths of blocks in elements: a number is that of all ranks together, an array or a vector has one for each.
///
/// ```
/// use multicomputer::prelude::*;
///
/// let run = Machine::hockney(1, 5).build()?.run(|node| {
///     let (world, mine) = (node.world(), [node.rank() as u32; 10]);
///     let all = world.collect(&mine, 10 * world.size())?; // 50 elements in all, 10 from every rank
///     assert_eq!(all, world.collect(&mine, [10; 5])?);
///     Ok(all.len())
/// })?;
/// assert_eq!(run.outputs, [50; 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Lengths {
    /// So many elements in all, in blocks that differ by one at most.
    Even(u64),
    /// The elements of each rank's block.
    Blocks(Vec<u64>),
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

/// An operation, its root and its lengths, to be carried out on payloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub(super) operation: Operation,
    pub(super) root: Rank,
    pub(super) lengths: Lengths,
    pub(super) element: ElementType,
}

impl Job {
    /// A job on elements of type `T`. The root is ignored if the operation has none.
    pub fn of<T: Element>(operation: Operation, root: Rank, lengths: impl Into<Lengths>) -> Job {
        let root = if operation.has_root() { root } else { 0 };
        let (element, lengths) = (ElementType::of::<T>(), lengths.into());
        Job { operation, root, lengths, element }
    }

    /// The same with another root; ignored if the operation has none.
    #[must_use]
    pub fn root(self, rank: Rank) -> Job {
        if self.operation.has_root() { Job { root: rank, ..self } } else { self }
    }

    /// A job on bytes, with root 0.
    pub fn bytes(operation: Operation, lengths: impl Into<Lengths>) -> Job {
        Job::of::<u8>(operation, 0, lengths)
    }

    pub(super) fn task(&self, group: &Group<'_>, in_order: bool, exact: bool) -> Result<Task, TaskError> {
        let task = Task::builder(group.machine(), self.operation)
            .members(group.members())
            .root(self.root)
            .element_bytes(self.element.size() as u64)
            .in_order(in_order)
            .exact(exact);
        match &self.lengths {
            Lengths::Even(elements) => task.elements(*elements).build(),
            Lengths::Blocks(blocks) => task.blocks(blocks.as_slice()).build(),
        }
    }
}

/// A job with the algorithm and the operator, as messages about mistakes describe the call.
pub(super) struct Described<'a> {
    pub(super) job: &'a Job,
    pub(super) algorithm: &'a Algorithm,
    pub(super) operator: Option<Named<'a>>,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Job { operation, root, lengths, element } = self.job;
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
        write!(f, " by {}", self.algorithm.spelled(*operation))
    }
}
