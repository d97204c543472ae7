//! Plans of tasks, and their execution on a member.

use super::{Task, draft::Role};
use crate::{
    comm::{Combine, Group, WalkError, walk_with},
    payload::{Payload, PayloadError},
    rank::{Rank, Tag},
    record::Part,
    time::Span,
};

/// A plan for a collective operation: the fastest variant of its algorithm, with its schedule.
pub type Plan = crate::plan::Plan<Task>;

impl Plan {
    /// The task of the plan.
    pub fn task(&self) -> &Task {
        self.problem()
    }

    /// The closed-form time of the plan, with the machine's call overhead.
    pub fn estimate(&self) -> Span {
        self.estimate
    }

    /// Number of bytes of the vector that a rank must have at the start.
    pub(super) fn given(&self, rank: Rank) -> u64 {
        let [before, _] = self.task().extents(rank);
        before.end - before.start
    }

    /// Carries out the plan. Every member of the group calls this method with its data before the operation, and gets its data after it, as
    /// in the table of [`Operation`](super::Operation); an empty payload stands for no data. Data moves by reference. `combine` combines a
    /// left and a right operand of the same length.
    ///
    /// # Errors
    ///
    /// [`WalkError`] if `mine` has the wrong length, if another member has another plan, or if a message cannot be sent or received; also
    /// any error that `combine` returns.
    pub fn carry_out(
        &self,
        group: &Group<'_>,
        tag: Tag,
        mine: &Payload,
        mut combine: impl FnMut(Payload, Payload) -> Result<Payload, PayloadError>,
    ) -> Result<Payload, WalkError> {
        self.carry_out_with(group, tag, mine, &mut combine)
    }

    /// Carries out the plan as [`carry_out`](Plan::carry_out) does. `combine` is a trait object, so that this code is compiled once for all
    /// operators.
    pub(super) fn carry_out_with(
        &self,
        group: &Group<'_>,
        tag: Tag,
        mine: &Payload,
        combine: &mut Combine<'_>,
    ) -> Result<Payload, WalkError> {
        let rank = group.rank();
        if self.task().size() != group.size() {
            return Err(WalkError::Nodes { schedule: self.task().size(), group: group.size() });
        }
        let mut blocks = self.blocks_of(rank, mine)?;
        let part = || Part::operation(format!("{} by {}", self.task().operation(), self.name()));
        group.as_part(part, || {
            group.charge_call()?;
            walk_with(group, self.schedule(), tag, &mut blocks, combine)
        })?;
        Ok(self.result_of(rank, blocks))
    }

    /// Cuts the vector of a rank into the blocks of the schedule.
    pub(super) fn blocks_of(&self, rank: Rank, mine: &Payload) -> Result<Vec<Payload>, WalkError> {
        let [before, _] = self.task().extents(rank);
        if mine.len() != before.end - before.start {
            return Err(WalkError::Length {
                block: 0,
                given: mine.len(),
                expected: before.end - before.start,
            });
        }
        let pieces = &self.draft.pieces;
        let mut blocks = vec![Payload::empty(); pieces.len()];
        for (piece, block) in pieces.iter().zip(&mut blocks) {
            let is_given = matches!(piece.role, Role::Both | Role::Operand);
            if is_given && piece.origin.is_at(rank) {
                let start = piece.start - before.start;
                *block = mine.slice(start..start + piece.bytes)?;
            }
        }
        Ok(blocks)
    }

    /// Joins the blocks that a rank has after the schedule to its result.
    pub(super) fn result_of(&self, rank: Rank, blocks: Vec<Payload>) -> Payload {
        let ([_, after], pieces) = (self.task().extents(rank), &self.draft.pieces);
        let is_wanted = |start: u64, bytes: u64| after.start <= start && start + bytes <= after.end;
        let results = pieces.iter().zip(blocks).filter(|(piece, _)| {
            matches!(piece.role, Role::Both | Role::Result) && is_wanted(piece.start, piece.bytes)
        });
        let mut results: Vec<(u64, Payload)> = results.map(|(piece, block)| (piece.start, block)).collect();
        results.sort_by_key(|&(start, _)| start);
        Payload::concat(results.into_iter().map(|(_, block)| block))
    }
}
