//! Drafts, the results of algorithms: the vector cut into pieces, and a schedule that moves the pieces.

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

/// A contiguous range of the vector that moves as a whole; a block of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First byte of the piece in the vector.
    pub start: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// Whether the piece is an operand or a result of the caller.
    pub role: Role,
    /// The ranks that have the piece at the start.
    pub origin: Origin,
}

impl Piece {
    /// Returns a piece that is both operand and result. It starts with data at one rank, or with a version at every rank.
    pub fn of(bytes: Range<u64>, origin: Origin) -> Piece {
        Piece { start: bytes.start, bytes: bytes.end.saturating_sub(bytes.start), role: Role::Both, origin }
    }
}

/// Role of a piece in the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Operand and result.
    Both,
    /// Operand only.
    Operand,
    /// Result only.
    Result,
    /// Neither operand nor result.
    Scratch,
}

/// The vector cut into pieces, and a schedule whose block `k` is piece `k`: the result of an algorithm for a [`Task`].
#[derive(Clone, Debug)]
pub struct Draft {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) schedule: Schedule,
}

/// Execution details of a schedule. They do not change which data move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tuning {
    /// How a node combines the send and the receive of an iteration.
    pub(crate) exchange: Exchange,
    /// Number of pieces into which a block is cut where it moves around a ring.
    pub(crate) segments: usize,
    /// The rule by which a fastest tree is selected among equally fast ones.
    pub(crate) ties: Ties,
}

impl Tuning {
    /// Send, then receive; blocks in one piece.
    pub(crate) const PLAIN: Tuning = Tuning { exchange: Exchange::InTurn, segments: 1, ties: Ties::Small };

    /// Send and receive at the same time; blocks in one piece.
    pub(crate) const OVERLAPPED: Tuning =
        Tuning { exchange: Exchange::Overlapped, segments: 1, ties: Ties::Small };

    /// Returns the tunings to try for a task.
    pub(crate) fn candidates_for(task: &Task) -> Vec<Tuning> {
        let parameters = task.parameters();
        let mut tunings = vec![Tuning::PLAIN, Tuning::OVERLAPPED];
        // Cutting a block cannot save time where the bytes of a block take much less time than a start-up.
        let block = task.shared_bytes() / task.size() as u64;
        let work = parameters.transfer(block) + parameters.combining(block / task.element_bytes());
        if work.times(4) > parameters.alpha() {
            tunings.extend([2, 4].map(|segments| Tuning { segments, ..Tuning::OVERLAPPED }));
        }
        tunings
    }

    /// The name in reports, which follows the name of the algorithm.
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

/// Cuts `bytes` from `start` on into pieces of whole elements, as equal as possible. Empty pieces are omitted; the other pieces keep their
/// numbers. Every rank has a version of each piece.
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
    /// Returns a draft of these pieces and a schedule that moves them.
    pub fn new(task: &Task, pieces: Vec<Piece>, schedule: Schedule) -> Draft {
        Draft { pieces, schedule: schedule.with_elements_of(task.element_bytes()) }
    }

    /// Returns a draft whose pieces each start at one rank; `build` adds the messages that move them. `origins` replaces the origins of the
    /// pieces.
    ///
    /// # Panics
    ///
    /// If the number of origins differs from the number of pieces, if an origin is outside the group, or if `build` violates a requirement
    /// of the [`Builder`].
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

    /// The dual of this draft, which gathers where this draft spreads: piece `k` starts at `origins[k]`.
    #[must_use]
    pub fn gathering(mut self, origins: &[Rank]) -> Draft {
        self.pieces.iter_mut().zip(origins).for_each(|(piece, &rank)| piece.origin = Origin::At(rank));
        Draft { schedule: self.schedule.gathering(), ..self }
    }

    /// The dual of this draft, which combines where this draft spreads.
    #[must_use]
    pub fn combining(mut self) -> Draft {
        self.pieces.iter_mut().for_each(|piece| piece.origin = Origin::Everywhere);
        Draft { schedule: self.schedule.combining(), ..self }
    }

    /// The same draft with each send started as soon as its data are available.
    #[must_use]
    pub fn hoisted(self) -> Draft {
        Draft { schedule: self.schedule.hoisted(), ..self }
    }

    /// Converts a draft of `part`, the task with only some of the blocks, to the vector of the whole task. Where a rank has the whole
    /// vector, blocks that are adjacent in the part may not be adjacent in the whole vector, and are copied together.
    pub(super) fn placed(&self, part: &Task, whole: &Task) -> Draft {
        let mut draft = self.clone();
        for piece in &mut draft.pieces {
            let owner = part.owner(piece.start);
            piece.start = whole.block(owner).start + (piece.start - part.block(owner).start);
        }
        let (pieces, operation) = (&draft.pieces, whole.operation());
        let piece = |block: u32| &pieces[block as usize];
        let has_all = |rank| match operation {
            Operation::ReduceScatter => true,
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

    /// Cuts pieces at these byte positions of the vector, which are in ascending order.
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

    /// This draft, followed by another draft that moves other pieces.
    pub(super) fn then(mut self, next: Draft) -> Draft {
        self.pieces.extend(next.pieces);
        Draft { schedule: self.schedule.then_others(next.schedule), ..self }
    }

    /// Joins this draft and a second one, which moves the results of this one, into a draft of a task. The pieces of both are cut at the
    /// ends of all pieces; then each piece of the second draft is identified with the block of the first draft that ends as the same range
    /// of the vector. With `waits`, a rank begins the second draft only when all its messages of the first have left.
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
        // Empty pieces get no block, because they are not moved.
        let block = |piece: &Piece| results.get(&piece.start).copied().filter(|_| piece.bytes > 0);
        let numbers: Vec<Option<u32>> = next.pieces.iter().map(block).collect();
        let schedule = next.schedule.renumbered(&numbers, first.schedule.shared_sizes());
        let before = if waits { first.schedule.waiting() } else { first.schedule };
        Draft::new(task, first.pieces, before.then(schedule))
    }

    /// The dual of this draft, followed by this draft.
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
