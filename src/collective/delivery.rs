//! Verification of drafts. A piece must lie in the range of the vector that its rank has before the operation, and the
//! schedule must bring every rank the result that the operation defines.

use std::{collections::BTreeMap, ops::Range};

use super::{
    Draft, Operation, Task,
    draft::{Piece, Role},
};
use crate::{
    pattern::{Delivery, DeliveryError, Origin},
    plan::{by_rules, check_blocks},
    rank::Rank,
};

/// Checks a draft of a task.
pub(super) fn check(task: &Task, draft: &Draft) -> Result<(), DeliveryError> {
    let Draft { pieces, schedule } = draft;
    check_blocks(schedule, task.size(), pieces.iter().map(|piece| piece.bytes))?;
    for (block, piece) in (0..).zip(pieces) {
        check_piece(task, piece).map_err(|problem| DeliveryError::Piece { block, problem })?;
    }
    let mut last = None;
    for rank in 0..task.size() {
        // In most operations all ranks have the same result range, which is then checked only once.
        let [_, after] = task.extents(rank);
        if last.replace(after.clone()) != Some(after) {
            check_result(task, rank, pieces)?;
        }
    }
    let mut known = BTreeMap::new();
    let mut part = |piece: &Piece| {
        let next = known.len() as u32;
        *known.entry((piece.start, piece.bytes)).or_insert(next)
    };
    let parts: Vec<u32> = pieces.iter().map(&mut part).collect();
    let piece = |block: u32| &pieces[block as usize];
    let is_alike = task.operation() == Operation::AllReduce && !task.is_exact();
    let given = |rank, block| is_given(piece(block)) && piece(block).origin.is_at(rank);
    by_rules(task, Delivery::new(schedule, &parts, given))
        .in_order(task.is_in_order())
        .alike(is_alike)
        .check(|rank, block| wanted(task, rank, piece(block)))
}

/// Whether a piece starts with data.
fn is_given(piece: &Piece) -> bool {
    matches!(piece.role, Role::Both | Role::Operand)
}

/// Whether a piece is within a range of the vector.
fn is_in(piece: &Piece, range: &Range<u64>) -> bool {
    range.start <= piece.start && piece.start.checked_add(piece.bytes).is_some_and(|end| end <= range.end)
}

/// Checks that a piece is a part of the vector, consists of whole elements, and starts at ranks that have its data.
fn check_piece(task: &Task, piece: &Piece) -> Result<(), String> {
    if !is_in(piece, &(0..task.bytes())) {
        let (start, bytes) = (piece.start, piece.bytes);
        return Err(format!(
            "it has bytes {start} to {start} + {bytes}, but the vector has {}",
            task.bytes()
        ));
    }
    let element = task.element_bytes();
    if !piece.start.is_multiple_of(element) || !piece.bytes.is_multiple_of(element) {
        return Err(format!("it cuts an element of {element} bytes"));
    }
    let ranks = match piece.origin {
        Origin::At(rank) if rank >= task.size() => {
            return Err(format!("it is for rank {rank}, but there are {} ranks", task.size()));
        }
        _ if !is_given(piece) => 0..0,
        Origin::At(rank) => rank..rank + 1,
        Origin::Everywhere => 0..task.size(),
        Origin::Nowhere => 0..0,
    };
    let lacks = |rank: &Rank| {
        let [before, _] = task.extents(*rank);
        !is_in(piece, &before)
    };
    match ranks.into_iter().find(lacks) {
        Some(rank) => Err(format!("rank {rank} does not hold it at the start of this {}", task.operation())),
        None => Ok(()),
    }
}

/// Whether a piece is part of the result of a rank.
fn is_result(task: &Task, rank: Rank, piece: &Piece) -> bool {
    let [_, after] = task.extents(rank);
    matches!(piece.role, Role::Both | Role::Result) && piece.bytes > 0 && is_in(piece, &after)
}

/// Checks that pieces cover the result of a rank without gaps or overlaps.
fn check_result(task: &Task, rank: Rank, pieces: &[Piece]) -> Result<(), DeliveryError> {
    let [_, after] = task.extents(rank);
    let results = pieces.iter().filter(|piece| is_result(task, rank, piece));
    let mut ranges: Vec<(u64, u64)> = results.map(|piece| (piece.start, piece.start + piece.bytes)).collect();
    ranges.sort_unstable();
    ranges.push((after.end, after.end));
    let mut end = after.start;
    for (start, next) in ranges {
        if start != end {
            return Err(DeliveryError::Covered { rank, byte: end.min(start), is_twice: start < end });
        }
        end = next;
    }
    Ok(())
}

/// Returns the ranks whose versions of a piece must be combined at `rank` at the end; `None` if the piece is not part
/// of the rank's result.
fn wanted(task: &Task, rank: Rank, piece: &Piece) -> Option<Range<Rank>> {
    if !is_result(task, rank, piece) {
        return None;
    }
    let of = |rank: Rank| rank..rank + 1;
    Some(match task.operation() {
        Operation::Broadcast | Operation::Scatter => of(task.root()),
        Operation::Gather | Operation::AllGather => of(task.owner(piece.start)),
        Operation::Reduce | Operation::AllReduce | Operation::ReduceScatter => 0..task.size(),
        Operation::Scan => 0..rank + 1,
    })
}

#[cfg(test)]
#[path = "delivery_tests.rs"]
mod tests;
