//! Pieces of what ranks have for each other, which schedules move as a whole.

use super::{Instance, Matrix};
use crate::rank::Rank;

/// A part of what one rank has for another one, which is moved as a whole: a block of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The rank that has it.
    pub from: Rank,
    /// The rank that it is for.
    pub to: Rank,
    /// The byte of what the one has for the other at which it starts.
    pub start: u64,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Piece {
    /// All that has to be moved in an exchange, uncut: what each rank has for each other one, by senders, then by receivers.
    pub fn whole(instance: &Instance) -> Vec<Piece> {
        Piece::all(instance.matrix())
    }

    /// The same of a matrix.
    pub(super) fn all(matrix: &Matrix) -> Vec<Piece> {
        let others = matrix.messages().filter(|(from, to, _)| from != to);
        others.map(|(from, to, bytes)| Piece { from, to, start: 0, bytes }).collect()
    }
}
