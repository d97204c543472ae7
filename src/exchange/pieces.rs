//! Exchanges by a schedule of pieces: messages of the matrix, whole or cut, which may go by way of other ranks.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Instance,
    procedure::{Draft, ExchangeError, Procedure, Transport},
    rounds::{cargo::Blocks, parts},
};
use crate::{
    pattern::{Delivery, DeliveryError, Schedule},
    payload::Payload,
    plan::check_blocks,
    rank::Rank,
};

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
        let piece = |(from, to, bytes)| Piece { from, to, start: 0, bytes };
        parts(instance.matrix()).map(|part| piece((part.from, part.to, part.bytes))).collect()
    }
}

impl Draft {
    /// A schedule whose block `k` is piece `k`. Those of a pair of ranks follow each other, in order. What a rank has for itself
    /// stays where it is, and is in no piece.
    pub fn of(pieces: Vec<Piece>, schedule: Schedule) -> Draft {
        Draft::new(Pieces { pieces, schedule: schedule.into() })
    }
}

/// The procedure.
#[derive(Debug)]
struct Pieces {
    pieces: Vec<Piece>,
    schedule: Arc<Schedule>,
}

impl Pieces {
    /// The pieces with the numbers of their blocks.
    fn numbered(&self) -> impl Iterator<Item = (u32, &Piece)> {
        (0..).zip(&self.pieces)
    }
}

impl Procedure for Pieces {
    fn schedule(&self) -> Option<Arc<Schedule>> {
        Some(self.schedule.clone())
    }

    fn check(&self, instance: &Instance) -> Result<(), DeliveryError> {
        let (ranks, matrix) = (instance.size(), instance.matrix());
        check_blocks(&self.schedule, ranks, self.pieces.iter().map(|piece| piece.bytes))?;
        // The end of the pieces of each pair so far, and the last of them.
        let mut ends: BTreeMap<(Rank, Rank), (u64, u32)> = BTreeMap::new();
        for (block, &Piece { from, to, start, bytes }) in self.numbered() {
            let wrong = |problem: String| DeliveryError::Piece { block, problem };
            if from.max(to) >= ranks || from == to {
                return Err(wrong(format!(
                    "it goes from rank {from} to {to}: allowed are two ranks of {ranks}"
                )));
            }
            let (end, _) = ends.get(&(from, to)).copied().unwrap_or_default();
            if start != end {
                return Err(wrong(format!(
                    "it starts at byte {start} of what rank {from} has for {to}, where byte {end} is next"
                )));
            }
            ends.insert((from, to), (end.saturating_add(bytes), block));
        }
        let pairs = (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to)));
        for (from, to) in pairs.filter(|(from, to)| from != to) {
            let (given, block) = ends.get(&(from, to)).copied().unwrap_or_default();
            let expected = matrix.get(from, to);
            if given != expected {
                let problem = format!(
                    "the pieces from rank {from} to {to} have {given} bytes in all, where {expected} go"
                );
                return Err(DeliveryError::Piece { block, problem });
            }
        }
        let numbers: Vec<u32> = (0..self.pieces.len() as u32).collect();
        let piece = |block: u32| &self.pieces[block as usize];
        Delivery::new(&self.schedule, &numbers, |rank, block| piece(block).from == rank)
            .under_rendezvous(instance.machine().rendezvous())
            .check(|rank, block| {
                let &Piece { from, to, bytes, .. } = piece(block);
                (to == rank && bytes > 0).then_some(from..from + 1)
            })
    }

    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        let rank = transport.group.rank();
        let mut here = BTreeMap::new();
        for (block, piece) in self.numbered().filter(|(_, piece)| piece.from == rank) {
            here.insert(block, outgoing[piece.to].slice(piece.start..piece.start + piece.bytes)?);
        }
        let mut cargo = Blocks::new(&self.schedule, here).staying();
        transport.walk(&self.schedule, &mut cargo)?;
        let mut incoming = vec![Payload::empty(); outgoing.len()];
        for (block, piece) in self.numbered().filter(|(_, piece)| piece.to == rank) {
            incoming[piece.from].append(cargo.remove(block));
        }
        Ok(incoming)
    }
}
