//! Drafts, which algorithms make of tasks: the vector cut into pieces, and a schedule that moves them.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{Operation, Task};
use crate::{
    pattern::{Builder, Exchange, Message, Origin, Schedule, division::Ties},
    plan,
    rank::Rank,
};

/// A part of the vector that is moved as a whole: a block of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its first byte.
    pub start: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// The part of it that is the caller's.
    pub role: Role,
    /// The ranks that have it in the beginning.
    pub origin: Origin,
}

impl Piece {
    /// A piece that starts with data at one rank, or with a version everywhere, and ends as a result.
    pub fn of(bytes: Range<u64>, origin: Origin) -> Piece {
        Piece { start: bytes.start, bytes: bytes.end.saturating_sub(bytes.start), role: Role::Both, origin }
    }
}

/// Role of a block of a schedule for the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It starts with data and ends as a result.
    Both,
    /// It only starts with data.
    Operand,
    /// It only ends as a result.
    Result,
    /// Neither.
    Scratch,
}

/// The vector cut into pieces, and a schedule whose block `k` is piece `k`: what an algorithm makes of a [`Task`].
#[derive(Clone, Debug)]
pub struct Draft {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) schedule: Schedule,
}

/// Details of how a schedule is carried out; what it moves is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tuning {
    /// The way of a node that sends and receives in an iteration.
    pub(crate) exchange: Exchange,
    /// Into how many pieces a block is cut where it goes around in a ring.
    pub(crate) segments: usize,
    /// The cuts of a fastest tree that are taken, of those that are equally fast.
    pub(crate) ties: Ties,
}

impl Tuning {
    /// Send, then receive, blocks in one piece.
    pub(crate) const PLAIN: Tuning = Tuning { exchange: Exchange::InTurn, segments: 1, ties: Ties::Small };

    /// Send and receive at the same time, blocks in one piece.
    pub(crate) const OVERLAPPED: Tuning =
        Tuning { exchange: Exchange::Overlapped, segments: 1, ties: Ties::Small };

    /// The tunings of which any may be the fastest.
    pub(crate) fn worth_trying(task: &Task) -> Vec<Tuning> {
        let parameters = task.parameters();
        let mut tunings = vec![Tuning::PLAIN, Tuning::OVERLAPPED];
        // Where the time of the bytes of a block is nothing, it is not worth while to cut it.
        let block = task.shared_bytes() / task.size() as u64;
        let work = parameters.transfer(block) + parameters.combining(block / task.element_bytes());
        if work.times(4) > parameters.alpha() {
            tunings.extend([2, 4].map(|segments| Tuning { segments, ..Tuning::OVERLAPPED }));
        }
        tunings
    }

    /// The name in reports, after the name of the algorithm.
    pub(crate) fn name(self) -> String {
        let exchange = match self.exchange {
            Exchange::Together => "at once",
            Exchange::InTurn => "in turn",
            Exchange::Overlapped => "overlapped",
        };
        let ties = if self.ties == Ties::Even { ", even cuts" } else { "" };
        match self.segments {
            1 => format!("{exchange}{ties}"),
            segments => format!("{exchange}, {segments} segments{ties}"),
        }
    }
}

/// Cuts `bytes` from `start` on into pieces of whole elements, as equal as they can be. Those without any bytes are
/// left out, with the others keeping their numbers. All have a version of them.
pub(crate) fn cut(
    start: u64,
    bytes: u64,
    element: u64,
    pieces: usize,
) -> impl Iterator<Item = (usize, Piece)> {
    let elements = u128::from(bytes / element);
    let at = move |piece: usize| start + (elements * piece as u128 / pieces as u128) as u64 * element;
    let piece = move |piece| Piece::of(at(piece)..at(piece + 1), Origin::Everywhere);
    (0..pieces).map(move |number| (number, piece(number))).filter(|(_, piece)| piece.bytes > 0)
}

impl Draft {
    /// A draft of a schedule of these pieces.
    pub fn new(task: &Task, pieces: Vec<Piece>, schedule: Schedule) -> Draft {
        Draft { pieces, schedule: schedule.with_elements_of(task.element_bytes()) }
    }

    /// A draft of pieces that are at one rank each in the beginning, and that `build` moves. The origins replace those of the pieces.
    ///
    /// # Panics
    ///
    /// If there is not one origin for each piece, or one outside the group, and as `build` does, if it gives the [`Builder`] what
    /// that does not allow.
    pub fn moving(
        task: &Task,
        mut pieces: Vec<Piece>,
        origins: &[Rank],
        exchange: Exchange,
        build: impl FnOnce(&mut Builder),
    ) -> Draft {
        let sizes: Vec<u64> = pieces.iter().map(|piece| piece.bytes).collect();
        let mut builder = Builder::new(task.size(), origins, &sizes, exchange);
        build(&mut builder);
        pieces.iter_mut().zip(origins).for_each(|(piece, &rank)| piece.origin = Origin::At(rank));
        let schedule = builder.finish().with_elements_of(task.element_bytes());
        Draft { pieces, schedule }
    }

    /// The dual, that gathers what this spreads: piece `k` is at `origins[k]` in the beginning.
    #[must_use]
    pub fn gathering(mut self, origins: &[Rank]) -> Draft {
        self.pieces.iter_mut().zip(origins).for_each(|(piece, &rank)| piece.origin = Origin::At(rank));
        Draft { schedule: self.schedule.gathering(), ..self }
    }

    /// The dual, that combines what this spreads.
    #[must_use]
    pub fn combining(mut self) -> Draft {
        self.pieces.iter_mut().for_each(|piece| piece.origin = Origin::Everywhere);
        Draft { schedule: self.schedule.combining(), ..self }
    }

    /// The same with sends started as early as their data is there.
    #[must_use]
    pub fn hoisted(self) -> Draft {
        Draft { schedule: self.schedule.hoisted(), ..self }
    }

    /// The same in the vector of a whole task, of which its own task has a part of the blocks. Where a rank has the whole
    /// vector, blocks that lay side by side in the part may not do so any more, and are copied together.
    pub(super) fn placed(&self, part: &Task, whole: &Task) -> Draft {
        let mut draft = self.clone();
        for piece in &mut draft.pieces {
            let owner = part.owner(piece.start);
            piece.start = whole.block(owner).start + (piece.start - part.block(owner).start);
        }
        let (pieces, operation) = (&draft.pieces, whole.operation());
        let piece = |block: u32| &pieces[block as usize];
        let has_all = |rank| match operation {
            Operation::DistributedCombine => true,
            Operation::Scatter => rank == whole.root(),
            _ => false,
        };
        let is_apart = |rank: Rank, message: &Message| {
            let adjoin = |pair: &[u32]| piece(pair[0]).start + piece(pair[0]).bytes == piece(pair[1]).start;
            has_all(rank) && !message.blocks.windows(2).all(adjoin)
        };
        let schedule = draft.schedule.packing(is_apart);
        Draft { schedule, pieces: draft.pieces }
    }

    /// Cuts pieces at the ends of a task's blocks, so that each piece lies in one block.
    pub(crate) fn cut_at_blocks(self, task: &Task) -> Draft {
        let ends: Vec<u64> = (0..task.size()).map(|rank| task.block(rank).end).collect();
        self.cut_at(&ends)
    }

    /// Cuts pieces at these places of the vector, which are in ascending order.
    pub(crate) fn cut_at(self, places: &[u64]) -> Draft {
        let cut = |piece: &Piece| -> Vec<Piece> {
            let (start, end) = (piece.start, piece.start + piece.bytes);
            let mut bounds = vec![start];
            let first = places.partition_point(|&place| place <= start);
            bounds.extend(places[first..].iter().take_while(|&&place| place < end));
            bounds.push(end);
            bounds.dedup();
            let part = |bounds: &[u64]| Piece { start: bounds[0], bytes: bounds[1] - bounds[0], ..*piece };
            if piece.bytes == 0 { vec![*piece] } else { bounds.windows(2).map(part).collect() }
        };
        let cut: Vec<Vec<Piece>> = self.pieces.iter().map(cut).collect();
        if cut.iter().all(|parts| parts.len() == 1) {
            return self;
        }
        let sizes: Vec<Vec<u64>> =
            cut.iter().map(|parts| parts.iter().map(|part| part.bytes).collect()).collect();
        Draft { schedule: self.schedule.cut(&sizes), pieces: cut.concat() }
    }

    /// This draft and then another one, of other pieces.
    pub(super) fn then(mut self, next: Draft) -> Draft {
        self.pieces.extend(next.pieces);
        Draft { schedule: self.schedule.then_others(next.schedule), ..self }
    }

    /// Joins this draft and a second one, which moves the results of this one, into a draft of a task. The pieces of both are cut at the
    /// ends of all pieces; then a piece of the second is the block of the first that ends as the same part of the vector. If it waits, a
    /// rank begins the second when all its messages of the first have left.
    pub(super) fn then_with(self, task: &Task, next: Draft, waits: bool) -> Draft {
        let ends = |draft: &Draft| {
            let ends = draft.pieces.iter().flat_map(|piece| [piece.start, piece.start + piece.bytes]);
            ends.collect::<BTreeSet<u64>>()
        };
        let places: Vec<u64> = ends(&self).union(&ends(&next)).copied().collect();
        let [first, next] = [self, next].map(|draft| draft.cut_at(&places));
        let is_result = |piece: &Piece| matches!(piece.role, Role::Both | Role::Result) && piece.bytes > 0;
        let results = (0..).zip(&first.pieces).filter(|(_, piece)| is_result(piece));
        let results: BTreeMap<u64, u32> = results.map(|(block, piece)| (piece.start, block)).collect();
        // Empty pieces are not moved.
        let block = |piece: &Piece| results.get(&piece.start).copied().filter(|_| piece.bytes > 0);
        let numbers: Vec<Option<u32>> = next.pieces.iter().map(block).collect();
        let schedule = next.schedule.renumbered(&numbers, first.schedule.shared_sizes());
        let before = if waits { first.schedule.waiting() } else { first.schedule };
        Draft::new(task, first.pieces, before.then(schedule))
    }

    /// The dual, and then this.
    #[must_use]
    pub fn combining_and_back(self) -> Draft {
        let spreading = self.schedule.clone();
        let combining = self.combining();
        Draft { schedule: combining.schedule.then(spreading), ..combining }
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
