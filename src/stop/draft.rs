//! The messages of an s-to-p broadcast cut into blocks, with the schedule that moves them.

use super::Instance;
use crate::{
    pattern::{Builder, Exchange, Growth, Schedule},
    plan,
    rank::Rank,
};

/// The blocks of all messages, and who sends which block to whom.
#[derive(Clone, Debug)]
pub struct Draft {
    /// In the order of the blocks of the schedule.
    pub(super) pieces: Vec<Piece>,
    pub(super) schedule: Schedule,
    pub(super) growth: Growth,
}

/// A part of a source's message: one block of the schedule, which the source has in the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The number of the source, not its rank.
    pub(super) source: usize,
    /// The place in its message at which the piece starts.
    pub(super) start: u64,
    pub(super) bytes: u64,
}

impl Draft {
    /// A schedule whose block `k` is the whole message of source `k`, made by `build`.
    pub(super) fn whole(instance: &Instance, exchange: Exchange, build: impl FnOnce(&mut Builder)) -> Draft {
        let pieces = instance.lengths().iter().enumerate();
        let pieces = pieces.map(|(source, &bytes)| Piece { source, start: 0, bytes }).collect();
        Draft::of(instance, pieces, exchange, build)
    }

    /// A schedule whose block `k` is piece `k`. The pieces of a source follow each other, in order.
    pub(super) fn of(
        instance: &Instance,
        pieces: Vec<Piece>,
        exchange: Exchange,
        build: impl FnOnce(&mut Builder),
    ) -> Draft {
        let origins: Vec<Rank> = pieces.iter().map(|piece| instance.sources()[piece.source]).collect();
        let sizes: Vec<u64> = pieces.iter().map(|piece| piece.bytes).collect();
        let mut builder = Builder::new(instance.nodes(), &origins, &sizes, exchange);
        build(&mut builder);
        Draft { pieces, growth: builder.growth().clone(), schedule: builder.finish() }
    }
}

impl Draft {
    /// The source of each block by its number, and the first byte and the length of the block in its message.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        self.pieces.iter().map(|piece| (piece.source, piece.start, piece.bytes))
    }

    /// The schedule of the blocks.
    pub(crate) fn into_schedule(self) -> Schedule {
        self.schedule
    }

    /// The same for another instance, where the sources have these numbers.
    pub(super) fn renumbered(&self, sources: Vec<usize>) -> Draft {
        let mut draft = self.clone();
        draft.pieces.iter_mut().for_each(|piece| piece.source = sources[piece.source]);
        draft
    }

    /// The same for other ranks: what rank `k` did is done by `ranks[k]`.
    pub(super) fn by_ranks(self, ranks: &[Rank]) -> Draft {
        Draft { schedule: self.schedule.by_ranks(ranks), ..self }
    }

    /// This draft and then another one, of other sources.
    pub(super) fn then(mut self, next: Draft) -> Draft {
        self.pieces.extend(next.pieces);
        let (growth, schedule) = (self.growth.then(&next.growth), self.schedule.then_others(next.schedule));
        Draft { growth, schedule, ..self }
    }
}

impl plan::Draft for Draft {
    fn schedule(&self) -> Option<&Schedule> {
        Some(&self.schedule)
    }
}

impl plan::Scheduled for Draft {
    fn steps(&self) -> &Schedule {
        &self.schedule
    }
}
