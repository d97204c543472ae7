//! The messages of an s-to-p broadcast cut into blocks, with the schedule that moves them.

use super::Instance;
use crate::{
    pattern::{Builder, Delivery, DeliveryError, Exchange, Growth, Schedule},
    plan,
    rank::Rank,
};

/// The messages of an s-to-p broadcast cut into pieces, and a schedule whose block `k` is piece `k`: what an algorithm makes of
/// an [`Instance`].
#[derive(Clone, Debug)]
pub struct Draft {
    /// In the order of the blocks of the schedule.
    pub(super) pieces: Vec<Piece>,
    pub(super) schedule: Schedule,
    pub(super) growth: Growth,
}

/// A part of a source's message: one block of the schedule, which the source has in the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The number of the source, not its rank.
    pub source: usize,
    /// The byte of its message at which the piece starts.
    pub start: u64,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Draft {
    /// A schedule of these pieces.
    pub fn new(instance: &Instance, pieces: Vec<Piece>, schedule: Schedule) -> Draft {
        let source = |piece: &Piece| instance.sources().get(piece.source).copied();
        let origins: Vec<Option<Rank>> = pieces.iter().map(source).collect();
        let growth = Growth::of(&schedule, |rank, block| {
            origins.get(block as usize).is_some_and(|&origin| origin == Some(rank))
        });
        Draft { pieces, schedule, growth }
    }

    /// A schedule whose block `k` is the whole message of source `k`, made by `build`.
    ///
    /// # Panics
    ///
    /// As `build` does, if it gives the [`Builder`] what that does not allow.
    pub fn whole(instance: &Instance, exchange: Exchange, build: impl FnOnce(&mut Builder)) -> Draft {
        let pieces = instance.lengths().iter().enumerate();
        let pieces = pieces.map(|(source, &bytes)| Piece { source, start: 0, bytes }).collect();
        Draft::moving(instance, pieces, exchange, build)
    }

    /// A schedule whose block `k` is piece `k`, made by `build`.
    ///
    /// # Panics
    ///
    /// If a piece is of a source that there is not, and as `build` does.
    pub fn moving(
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

    /// Whether every rank ends with all messages.
    pub(super) fn check(&self, instance: &Instance) -> Result<(), DeliveryError> {
        let (sources, lengths) = (instance.sources(), instance.lengths());
        plan::check_blocks(&self.schedule, instance.nodes(), self.pieces.iter().map(|piece| piece.bytes))?;
        let mut in_order: Vec<(u32, &Piece)> = (0..).zip(&self.pieces).collect();
        in_order.sort_by_key(|(_, piece)| piece.start);
        // The end of what each source has in the pieces so far.
        let mut ends = vec![0; sources.len()];
        for (block, piece) in in_order {
            let wrong = |problem: String| DeliveryError::Piece { block, problem };
            let Some(end) = ends.get_mut(piece.source) else {
                return Err(wrong(format!(
                    "it is of source {}, and there are {}",
                    piece.source,
                    sources.len()
                )));
            };
            if piece.start != *end {
                return Err(wrong(format!(
                    "it starts at byte {} of source {}, whose next byte is {end}",
                    piece.start, piece.source
                )));
            }
            *end = end.saturating_add(piece.bytes);
        }
        for (source, (&end, &length)) in ends.iter().zip(lengths).enumerate() {
            if end != length {
                let problem =
                    format!("the pieces of source {source} have {end} bytes, its message has {length}");
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

    /// The last block of a source; 0 if it has none.
    fn last_of(&self, source: usize) -> u32 {
        self.pieces.iter().rposition(|piece| piece.source == source).unwrap_or(0) as u32
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
