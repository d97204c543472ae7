//! The messages of an s-to-p broadcast cut into blocks, with the schedule that moves them.

use super::Instance;
use crate::{
    pattern::{Builder, Delivery, DeliveryError, Exchange, Growth, Schedule},
    plan,
    rank::Rank,
};

/// A schedule made by an algorithm for an [`Instance`], and the pieces of messages that are its blocks: block `k` is piece `k`.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The pieces, in the order of the blocks of the schedule.
    pub(super) pieces: Vec<Piece>,
    pub(super) schedule: Schedule,
    pub(super) growth: Growth,
}

/// A contiguous range of a source's message. It is one block of the schedule, which the source holds at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The index of the source in the list of sources, not its rank.
    pub source: usize,
    /// The offset of the piece in the message, in bytes.
    pub start: u64,
    /// The length of the piece, in bytes.
    pub bytes: u64,
}

impl Draft {
    /// Creates a draft from pieces and a schedule whose block `k` is piece `k`.
    pub fn new(instance: &Instance, pieces: Vec<Piece>, schedule: Schedule) -> Draft {
        let source = |piece: &Piece| instance.sources().get(piece.source).copied();
        let origins: Vec<Option<Rank>> = pieces.iter().map(source).collect();
        let growth = Growth::of(&schedule, |rank, block| {
            origins.get(block as usize).is_some_and(|&origin| origin == Some(rank))
        });
        Draft { pieces, schedule, growth }
    }

    /// Creates a draft whose block `k` is the whole message of source `k`; `build` adds the iterations of its schedule.
    ///
    /// # Panics
    ///
    /// Panics if `build` panics, for example because it violates a rule of the [`Builder`].
    pub fn whole(instance: &Instance, exchange: Exchange, build: impl FnOnce(&mut Builder)) -> Draft {
        let pieces = instance.lengths().iter().enumerate();
        let pieces = pieces.map(|(source, &bytes)| Piece { source, start: 0, bytes }).collect();
        Draft::moving(instance, pieces, exchange, build)
    }

    /// Creates a draft whose block `k` is piece `k`; `build` adds the iterations of its schedule.
    ///
    /// # Panics
    ///
    /// Panics if a piece names a source that does not exist, and if `build` panics.
    pub fn moving(
        instance: &Instance,
        pieces: Vec<Piece>,
        exchange: Exchange,
        build: impl FnOnce(&mut Builder),
    ) -> Draft {
        let origins: Vec<Rank> = pieces.iter().map(|piece| instance.sources()[piece.source]).collect();
        let sizes: Vec<u64> = pieces.iter().map(|piece| piece.bytes).collect();
        let mut builder = Builder::new(instance.size(), &origins, &sizes, exchange);
        build(&mut builder);
        Draft { pieces, growth: builder.growth().clone(), schedule: builder.finish() }
    }
}

impl Draft {
    /// Returns, for each block, the index of its source and its offset and length in bytes in the message of that source.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        self.pieces.iter().map(|piece| (piece.source, piece.start, piece.bytes))
    }

    /// Returns the schedule of the blocks.
    pub(crate) fn into_schedule(self) -> Schedule {
        self.schedule
    }

    /// Checks that the pieces cover every message and that every rank ends with all messages.
    pub(super) fn check(&self, instance: &Instance) -> Result<(), DeliveryError> {
        let (sources, lengths) = (instance.sources(), instance.lengths());
        plan::check_blocks(&self.schedule, instance.size(), self.pieces.iter().map(|piece| piece.bytes))?;
        let mut in_order: Vec<(u32, &Piece)> = (0..).zip(&self.pieces).collect();
        in_order.sort_by_key(|(_, piece)| piece.start);
        // For each source, the end of the bytes covered by the pieces so far.
        let mut ends = vec![0; sources.len()];
        for (block, piece) in in_order {
            let wrong = |problem: String| DeliveryError::Piece { block, problem };
            let Some(end) = ends.get_mut(piece.source) else {
                return Err(wrong(format!(
                    "it belongs to source {}, but there are {}",
                    piece.source,
                    sources.len()
                )));
            };
            if piece.start != *end {
                return Err(wrong(format!(
                    "it starts at byte {} of source {}, expected byte {end}",
                    piece.start, piece.source
                )));
            }
            *end = end.saturating_add(piece.bytes);
        }
        for (source, (&end, &length)) in ends.iter().zip(lengths).enumerate() {
            if end != length {
                let problem = format!(
                    "the pieces of source {source} have {end} bytes in total, but its message has {length}"
                );
                return Err(DeliveryError::Piece { block: self.last_of(source), problem });
            }
        }
        let parts: Vec<u32> = (0..self.pieces.len() as u32).collect();
        let origin = |block: u32| sources[self.pieces[block as usize].source];
        let is_wanted = |block: u32| self.pieces[block as usize].bytes > 0;
        let delivery = Delivery::new(&self.schedule, &parts, |rank, block| rank == origin(block));
        plan::by_rules(instance, delivery)
            .check(|_, block| is_wanted(block).then(|| origin(block)..origin(block) + 1))
    }

    /// Returns the last block of a source, or 0 if it has none.
    fn last_of(&self, source: usize) -> u32 {
        self.pieces.iter().rposition(|piece| piece.source == source).unwrap_or(0) as u32
    }

    /// Returns this draft for another instance, in which source `k` has the index `sources[k]`.
    pub(super) fn renumbered(&self, sources: Vec<usize>) -> Draft {
        let mut draft = self.clone();
        draft.pieces.iter_mut().for_each(|piece| piece.source = sources[piece.source]);
        draft
    }

    /// Returns this draft for permuted ranks: `ranks[k]` takes the role of rank `k`.
    pub(super) fn by_ranks(self, ranks: &[Rank]) -> Draft {
        Draft { schedule: self.schedule.by_ranks(ranks), ..self }
    }

    /// Appends a draft that broadcasts the messages of other sources.
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
