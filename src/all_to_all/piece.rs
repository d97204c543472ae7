//! Pieces of messages, which schedules move as units.

use super::{Instance, Matrix};
use crate::rank::Rank;

/// A contiguous part of the message from one rank to another, which is moved as a unit: a block of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The sender.
    pub from: Rank,
    /// The final receiver.
    pub to: Rank,
    /// Offset of the first byte in the message from `from` to `to`.
    pub start: u64,
    /// Length in bytes.
    pub bytes: u64,
}

impl Piece {
    /// Returns the messages of an exchange, uncut: one piece for each pair of different ranks with data, ordered by sender, then
    /// receiver.
    pub fn whole(instance: &Instance) -> Vec<Piece> {
        Piece::all(instance.matrix())
    }

    /// Returns the messages of a matrix as uncut pieces.
    pub(super) fn all(matrix: &Matrix) -> Vec<Piece> {
        let others = matrix.messages().filter(|(from, to, _)| from != to);
        others.map(|(from, to, bytes)| Piece { from, to, start: 0, bytes }).collect()
    }
}
