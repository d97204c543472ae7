//! A vector or block that has another length than the call says, and what would be right.

use std::fmt;

use super::{Lengths, Operation};
use crate::{payload::ElementType, rank::Rank, text::count};

/// A rank gives a vector or a block of another length than it has by the `lengths` of the call.
///
/// The likeliest slip is that of everybody who knows MPI, where the count is that of one rank: a number alone is the
/// length of the whole vector here. So the text says what would be right.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrongLength {
    /// The operation.
    pub operation: Operation,
    /// The rank that gives it.
    pub rank: Rank,
    /// Ranks of the group.
    pub size: usize,
    /// The root; 0 if the operation has none.
    pub root: Rank,
    /// The type of the elements.
    pub element: ElementType,
    /// Bytes given.
    pub given: u64,
    /// Bytes that the rank should have.
    pub expected: u64,
    /// The lengths that the call gives; `None` where a [plan](super::Plan) made beforehand says it.
    pub lengths: Option<Lengths>,
}

crate::text::debug_as_text!(WrongLength);

/// The part of the vector that a rank has before an operation.
enum Part {
    Nothing,
    Block,
    Whole,
}

impl WrongLength {
    fn part(&self) -> Part {
        match self.operation {
            Operation::Gather | Operation::Collect => Part::Block,
            Operation::Broadcast | Operation::Scatter if self.rank != self.root => Part::Nothing,
            _ => Part::Whole,
        }
    }

    /// A length in elements, or in bytes if these make up no whole elements.
    fn amount(&self, bytes: u64) -> String {
        match self.elements(bytes) {
            Some(elements) => format!("{} of {}", count(elements, "element"), self.element),
            None => format!("{}, no whole number of {},", count(bytes, "byte"), self.element),
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
        write!(f, "rank {rank} gives {} to a {operation}", self.amount(self.given))?;
        let part = self.part();
        if let Part::Nothing = part {
            return write!(f, ": only the root, rank {root}, gives any, and the others an empty slice");
        }
        let expected = self.expected / (element.size() as u64).max(1);
        let Some(lengths) = &self.lengths else {
            return write!(f, ": by the plan it has {expected}");
        };
        let Some(given) = self.elements(self.given) else {
            return write!(f, ": by `lengths` it has {}", count(expected, "element"));
        };
        match (part, lengths) {
            (Part::Block, Lengths::Even(all)) => write!(
                f,
                ", and `lengths` = {all} is for all {size} ranks together, which leaves it {expected}: for {given} from \
                 every rank give `[{given}; {size}]`{}",
                or_in_all(given, *size)
            ),
            (_, Lengths::Even(all)) if all.checked_mul(*size as u64) == Some(given) => write!(
                f,
                ", and `lengths` = {all} is for all {size} ranks together: for {all} to every rank give \
                 `[{all}; {size}]`{}",
                or_in_all(*all, *size)
            ),
            (_, Lengths::Even(all)) => {
                write!(f, ", and `lengths` = {all} is the whole vector: for what is given it must be {given}")
            }
            (Part::Block, Lengths::Blocks(_)) => {
                write!(
                    f,
                    ", and `lengths` has {expected} for it: give so many, or say {given} there on every rank"
                )
            }
            (_, Lengths::Blocks(blocks)) => write!(
                f,
                ", and `lengths` has {} with {expected} together: they must add up to what is given",
                count(blocks.len() as u64, "block")
            ),
        }
    }
}

/// The other way to say that every rank has so many.
fn or_in_all(each: u64, size: usize) -> String {
    each.checked_mul(size as u64).map_or(String::new(), |all| format!(" or {all}"))
}

impl std::error::Error for WrongLength {}
