//! The error of a vector or block whose length differs from the length that the call specifies.

use std::fmt;

use super::{Lengths, Operation};
use crate::{payload::ElementType, rank::Rank, text::count};

/// The error of a rank whose vector or block does not have the length that the `lengths` of the call specify.
///
/// A likely cause is the MPI convention, in which the count is that of one rank; here a single number is the length of the whole vector.
/// The error text therefore suggests the correct length.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrongLength {
    /// The operation.
    pub operation: Operation,
    /// The rank with the wrong length.
    pub rank: Rank,
    /// Number of ranks of the group.
    pub size: usize,
    /// The root; 0 if the operation has none.
    pub root: Rank,
    /// The type of the elements.
    pub element: ElementType,
    /// Number of given bytes.
    pub given: u64,
    /// Number of expected bytes.
    pub expected: u64,
    /// The lengths that the call gives; `None` if a [plan](super::Plan) made in advance defines them.
    pub lengths: Option<Lengths>,
}

/// The part of the vector that a rank has before an operation.
enum Part {
    Nothing,
    Block,
    Whole,
}

impl WrongLength {
    fn part(&self) -> Part {
        match self.operation {
            Operation::Gather | Operation::AllGather => Part::Block,
            Operation::Broadcast | Operation::Scatter if self.rank != self.root => Part::Nothing,
            _ => Part::Whole,
        }
    }

    /// A length in elements, or in bytes if it is not a whole number of elements.
    fn amount(&self, bytes: u64) -> String {
        match self.elements(bytes) {
            Some(elements) => format!("{} of {}", count(elements, "element"), self.element),
            None => format!("{} (not a multiple of the size of {})", count(bytes, "byte"), self.element),
        }
    }

    fn elements(&self, bytes: u64) -> Option<u64> {
        let size = self.element.size() as u64;
        (size > 0 && bytes.is_multiple_of(size)).then(|| bytes / size)
    }
}

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrongLength { operation, rank, size, root, element, .. } = self;
        write!(f, "rank {rank} gives {} to {operation}", self.amount(self.given))?;
        let part = self.part();
        if let Part::Nothing = part {
            return write!(f, ": only the root, rank {root}, gives data; other ranks give an empty slice");
        }
        let expected = self.expected / (element.size() as u64).max(1);
        let Some(lengths) = &self.lengths else {
            return write!(f, ": the plan expects {expected}");
        };
        let Some(given) = self.elements(self.given) else {
            return write!(f, ": `lengths` expects {}", count(expected, "element"));
        };
        match (part, lengths) {
            (Part::Block, Lengths::Even(all)) => write!(
                f,
                ", but `lengths` = {all} is the total of all {size} ranks, {expected} of them from this rank: for {given} from every rank use `[{given}; {size}]`{}",
                or_in_all(given, *size)
            ),
            (_, Lengths::Even(all)) if all.checked_mul(*size as u64) == Some(given) => write!(
                f,
                ", but `lengths` = {all} is the total of all {size} ranks: for {all} to every rank use `[{all}; {size}]`{}",
                or_in_all(*all, *size)
            ),
            (_, Lengths::Even(all)) => {
                write!(
                    f,
                    ", but `lengths` = {all} is the length of the whole vector: use `lengths` = {given} for this data"
                )
            }
            (Part::Block, Lengths::Blocks(_)) => {
                write!(
                    f,
                    ", but `lengths` has {expected} for this rank: give {expected}, or use {given} in `lengths` on every rank"
                )
            }
            (_, Lengths::Blocks(blocks)) => write!(
                f,
                ", but `lengths` has {} of {expected} in total: both totals must be equal",
                count(blocks.len() as u64, "block")
            ),
        }
    }
}

/// Returns the total as an alternative notation for `each` elements on every rank; empty if the total overflows.
fn or_in_all(each: u64, size: usize) -> String {
    each.checked_mul(size as u64).map_or(String::new(), |all| format!(" or {all}"))
}

impl std::error::Error for WrongLength {}
