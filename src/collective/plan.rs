//! Plans of tasks, carried out on a member.

use super::{Task, draft::Role};
use crate::{
    comm::{Combine, Group, WalkError, walk_with},
    payload::{Payload, PayloadError},
    rank::{Rank, Tag},
    record::Part,
    time::Span,
};

/// A plan for a collective operation. Of the variants of its algorithm the fastest was taken; for a root other than 0, unless
/// lengths of blocks differ, the fastest of those that are about as fast as any from root 0.
pub type Plan = crate::plan::Plan<Task>;

impl Plan {
    /// The task that it is for.
    pub fn task(&self) -> &Task {
        self.problem()
    }

    /// The time that the closed form gives it.
    pub fn estimate(&self) -> Span {
        self.estimate
    }

    /// The bytes of the vector that a rank must have in the beginning.
    pub(super) fn given(&self, rank: Rank) -> u64 {
        let [before, _] = self.task().extents(rank);
        before.end - before.start
    }

    /// Carries it out: every member of the group calls it, with what it has of the vector in the beginning, and gets
    /// what it has in the end, both as table 1 of [`Operation`](super::Operation) says; an empty payload where that is nothing. Data is
    /// moved by reference; `combine` makes one of a left and a right operand of the same length.
    ///
    /// # Errors
    ///
    /// [`WalkError`] if `mine` has another length, if another member has another plan, or if a message cannot be sent
    /// or received; what `combine` returns.
    pub fn carry_out(
        &self,
        group: &Group<'_>,
        tag: Tag,
        mine: &Payload,
        mut combine: impl FnMut(Payload, Payload) -> Result<Payload, PayloadError>,
    ) -> Result<Payload, WalkError> {
        self.carry_out_with(group, tag, mine, &mut combine)
    }

    /// As [`carry_out`](Plan::carry_out), with `combine` behind a reference: compiled once, and not for every operator.
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
        let [before, after] = self.task().extents(rank);
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
        let part = || Part::operation(format!("{} by {}", self.task().operation(), self.name()));
        group.as_part(part, || walk_with(group, self.schedule(), tag, &mut blocks, combine))?;
        let is_wanted = |start: u64, bytes: u64| after.start <= start && start + bytes <= after.end;
        let results = pieces.iter().zip(blocks).filter(|(piece, _)| {
            matches!(piece.role, Role::Both | Role::Result) && is_wanted(piece.start, piece.bytes)
        });
        let mut results: Vec<(u64, Payload)> = results.map(|(piece, block)| (piece.start, block)).collect();
        results.sort_by_key(|&(start, _)| start);
        Ok(Payload::concat(results.into_iter().map(|(_, block)| block)))
    }
}
