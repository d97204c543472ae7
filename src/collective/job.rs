//! Jobs: operations with their roots and lengths, as calls on payloads name them.

use std::sync::Arc;

use super::{Algorithm, Operation, Task, TaskError, operator::Named};
use crate::{
    comm::{Call, Group},
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

    /// The call as messages about mistakes describe it.
    pub(super) fn call(&self, algorithm: &Algorithm, operator: Option<Named<'_>>) -> Call {
        let Job { operation, root, lengths, element } = self;
        let from = if operation.has_root() { format!(" with root {root}") } else { String::new() };
        let with = operator.map_or(String::new(), |operator| {
            let order = if operator.is_commutative { "" } else { " in rank order" };
            format!(", {}{order}", operator.name)
        });
        let how_long = match lengths {
            Lengths::Even(elements) => format!("{elements} {element}"),
            Lengths::Blocks(blocks) => match blocks[..] {
                [] => format!("no blocks of {element}"),
                [first] => format!("1 block of {first} {element}"),
                [first, .., last] => {
                    let all = blocks.iter().fold(0, |sum: u64, &block| sum.saturating_add(block));
                    format!("{} blocks of {first} .. {last} {element} ({all} in all)", blocks.len())
                }
            },
        };
        let text = format!("{operation}{from} on {how_long}{with} by {}", algorithm.spelled(*operation));
        Call::new(operation.name(), text, (lengths, operator))
    }

    pub(super) fn task(&self, group: &Group<'_>, in_order: bool, exact: bool) -> Result<Task, TaskError> {
        let members: Arc<[Rank]> = group.members().into();
        let task = Task::builder(group.machine(), self.operation)
            .members(members)
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
