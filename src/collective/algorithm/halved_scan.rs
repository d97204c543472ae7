//! A scan by *halving*: each rank of a pair sums half of the vectors of both, and the pair later exchanges the halves that a rank lacks.
//!
//! **What it does.** Groups of ranks are paired for `k` levels, as in [*Halving*](super::halving): of each part of the vector that a pair
//! of ranks is responsible for, each rank computes the sum over both groups for one half. After `k` levels each part, `n / 2^k` bytes long,
//! is scanned over the groups by recursive doubling; this scan is exclusive. Then the levels are undone: each rank of a pair also gets the
//! sum of all ranks before its group for the other half of their part, the second rank including the sum of the first rank's group. At the
//! end every rank adds its own vector. If the number of groups is odd, the last group skips the level, and gets its prefix from the group
//! before it on the way back.
//!
//! **Restrictions.** None; combines in rank order.
//!
//! **Cost.** On `p = 2^m` ranks about `(2 k + m - k) alpha + 2 (1 - 2^-k) n (beta + gamma) + (m - k) n / 2^k (beta + 2 gamma) + n gamma`.
//! With `k = m` this is `2 m alpha + 2 n beta + 3 n gamma`; recursive doubling takes `m (alpha + n beta + n gamma)`. On other numbers of
//! ranks, each level with an odd number of groups adds one message and one combination.
//!
//! **Source.** This project. The pairs are those of recursive halving (see [*Halving*](super::halving)); each level is the step of Ladner
//! and Fischer, "Parallel prefix computation", JACM 27(4), 1980, from a scan of `p/2` sums to a scan of `p`.

use std::ops::Range;

use super::{
    super::{
        Task,
        candidate::Candidate,
        draft::{Draft, Piece, Role, Tuning, cut},
    },
    round,
};
use crate::{
    pattern::{
        Combiner, Fold, Origin,
        butterfly::{Group, Level, butterfly},
    },
    rank::Rank,
    time::Span,
};

/// Maximum number of levels: more levels cost planning time and save hardly anything.
const MAX_LEVELS: u32 = 6;

/// Returns one candidate for each number of levels.
pub(super) fn candidates(task: &Task) -> Vec<Candidate> {
    let levels = task.size().ilog2().clamp(1, MAX_LEVELS) as usize;
    (1..=levels).map(|levels| candidate(task, levels)).collect()
}

fn candidate(task: &Task, levels: usize) -> Candidate {
    let part = |nth: usize| task.bytes() >> nth;
    let halves: Span = (1..=levels).map(|nth| round(task, part(nth)).times(2)).sum();
    let groups = task.size() >> levels;
    let doubling = round(task, part(levels)).times(u64::from(groups.next_power_of_two().ilog2()));
    Candidate {
        name: format!("halving, {levels} {}", if levels == 1 { "level" } else { "levels" }),
        estimate: halves + doubling,
        messages: 2 * levels + groups.next_power_of_two().ilog2() as usize,
        tunings: vec![Tuning::PLAIN, Tuning::OVERLAPPED],
        lower_bound: None,
        make: Box::new(move |task, tuning| draft(task, levels, tuning)),
    }
}

/// Numbering of the blocks. The vector has `2^levels` units; each unit has one block of each kind, and a method below returns the number of
/// the block of a kind.
struct Numbering {
    units: u32,
    levels: u32,
}

impl Numbering {
    /// Number of kinds of blocks.
    fn kinds(&self) -> u32 {
        2 * self.levels + 3
    }

    fn block(&self, kind: u32, unit: u32) -> u32 {
        kind * self.units + unit
    }

    /// The block with the sum of a rank's group at a level: at level 0 the rank's own vector, and at the end its result.
    fn sum(&self, level: usize, unit: u32) -> u32 {
        self.block(level as u32, unit)
    }

    /// The block with the received sum of the partner's group.
    fn came(&self, level: usize, unit: u32) -> u32 {
        self.block(self.levels + 1 + level as u32, unit)
    }

    /// The block with the prefix: the sum of all ranks before the rank's group.
    fn before(&self, unit: u32) -> u32 {
        self.block(2 * self.levels + 1, unit)
    }

    /// The block with the sum of a group's prefix and of the group itself, computed to be sent.
    fn sent(&self, unit: u32) -> u32 {
        self.block(2 * self.levels + 2, unit)
    }

    /// The units of a part at a level, which has `2^level` parts.
    fn part(&self, level: usize, part: usize) -> Range<u32> {
        let size = self.units >> level;
        part as u32 * size..(part as u32 + 1) * size
    }

    /// The block in which the second group of a pair receives the sum of the first; `one` is a rank of the first group. If the first group
    /// contains rank 0, its sum is also the whole prefix of the second group.
    fn came_from(&self, level: usize, one: Rank, unit: u32) -> u32 {
        if is_first(level, one) { self.before(unit) } else { self.came(level, unit) }
    }

    /// The units of each half of a part at a level.
    fn halves(&self, level: usize, part: usize) -> [Range<u32>; 2] {
        [2 * part, 2 * part + 1].map(|half| self.part(level + 1, half))
    }
}

fn draft(task: &Task, levels: usize, tuning: Tuning) -> Draft {
    let ranks: Vec<Rank> = (0..task.size()).collect();
    let (levels, groups) = butterfly(&ranks, levels);
    let blocks = Numbering { units: 1 << levels.len(), levels: levels.len() as u32 };
    // Empty units keep their numbers.
    let mut units = vec![(0, 0); blocks.units as usize];
    for (nth, piece) in cut(0, task.bytes(), task.element_bytes(), units.len()) {
        units[nth] = (piece.start, piece.bytes);
    }
    let pieces: Vec<Piece> = (0..blocks.kinds())
        .flat_map(|kind| {
            let (role, origin) = match kind {
                0 => (Role::Both, Origin::Everywhere),
                _ => (Role::Scratch, Origin::Nowhere),
            };
            units.iter().map(move |&(start, bytes)| Piece { start, bytes, role, origin })
        })
        .collect();
    let origins: Vec<Origin> = pieces.iter().map(|piece| piece.origin).collect();
    let sizes: Vec<u64> = pieces.iter().map(|piece| piece.bytes).collect();
    let combiner = Combiner::new(task.size(), &origins, &sizes, tuning.exchange);
    let mut scan = Scan { combiner, blocks };
    levels.iter().enumerate().for_each(|(nth, level)| scan.meet(nth, level));
    scan.double(levels.len(), &groups);
    levels.iter().enumerate().rev().for_each(|(nth, level)| scan.part(nth, level));
    scan.add_own();
    Draft { pieces, schedule: scan.combiner.finish().with_elements_of(task.element_bytes()) }
}

struct Scan {
    combiner: Combiner,
    blocks: Numbering,
}

impl Scan {
    /// Pairs of ranks exchange halves of the sums of their groups; each rank then computes the sum over both groups for one half.
    fn meet(&mut self, nth: usize, level: &Level) {
        let blocks = &self.blocks;
        let sum = |unit| blocks.sum(nth, unit);
        let folds = level.pairings().flat_map(|(part, [one, other])| {
            let [first, second] = blocks.halves(nth, part);
            let came = |unit| blocks.came_from(nth, one, unit);
            [fold(one, other, second, sum, came), fold(other, one, first, sum, |unit| blocks.came(nth, unit))]
        });
        self.combiner.iteration(folds);
        for (part, [one, other]) in level.pairings() {
            let [first, second] = blocks.halves(nth, part);
            for unit in first {
                self.combiner.merge_at(one, sum(unit), blocks.came(nth, unit), blocks.sum(nth + 1, unit));
            }
            for unit in second {
                let came = blocks.came_from(nth, one, unit);
                self.combiner.merge_at(other, came, sum(unit), blocks.sum(nth + 1, unit));
            }
        }
    }

    /// Carries out an exclusive scan over the remaining groups by recursive doubling, for each part: a rank sends the sum of the last `d`
    /// groups, its own included, to the rank `d` groups further on, which has the sum of the `d - 1` groups before its own.
    fn double(&mut self, level: usize, groups: &[Group]) {
        let blocks = &self.blocks;
        let (before, sent) = (|unit| blocks.before(unit), |unit| blocks.sent(unit));
        let distances = (0..).map(|round| 1 << round).take_while(|&distance| distance < groups.len());
        for distance in distances {
            let mut folds = Vec::new();
            for (from, to) in groups.iter().zip(&groups[distance..]) {
                for (part, (&from, &to)) in from.iter().zip(to).enumerate() {
                    let units = blocks.part(level, part);
                    if distance == 1 || from == groups[0][part] {
                        folds.push(fold(from, to, units, |unit| blocks.sum(level, unit), before));
                        continue;
                    }
                    for unit in units.clone() {
                        self.combiner.merge_at(from, before(unit), blocks.sum(level, unit), sent(unit));
                    }
                    folds.push(fold(from, to, units, sent, before));
                }
            }
            self.combiner.iteration(folds);
        }
    }

    /// Undoes a level: the ranks of a pair exchange the prefixes of their groups; then, if a group skipped the level, the last pair sends
    /// its prefix to that group.
    fn part(&mut self, nth: usize, level: &Level) {
        let blocks = &self.blocks;
        let (before, sent, sum) =
            (|unit| blocks.before(unit), |unit| blocks.sent(unit), |unit| blocks.sum(nth, unit));
        let mut folds = Vec::new();
        for (part, [one, other]) in level.pairings() {
            let [first, second] = blocks.halves(nth, part);
            if is_first(nth, one) {
                // The first group has no prefix, so the prefix of the second group is the sum of the first.
                folds.push(fold(one, other, first, sum, before));
                continue;
            }
            for unit in first.clone() {
                self.combiner.merge_at(one, before(unit), sum(unit), sent(unit));
            }
            folds.push(fold(one, other, first, sent, before));
            folds.push(fold(other, one, second, before, before));
        }
        self.combiner.iteration(folds);
        let not_first = level.pairings().filter(|&(_, [one, _])| !is_first(nth, one));
        for (part, [_, other]) in not_first {
            let [_, second] = blocks.halves(nth, part);
            for unit in second {
                self.combiner.merge_at(other, before(unit), blocks.came(nth, unit), before(unit));
            }
        }
        let (Some(aside), Some([_, last])) = (&level.aside, level.pairs.last()) else { return };
        let mut folds = Vec::new();
        for (part, (&from, &to)) in last.iter().zip(aside).enumerate() {
            let units = blocks.part(nth, part);
            for unit in units.clone() {
                self.combiner.merge_at(from, before(unit), sum(unit), sent(unit));
            }
            folds.push(fold(from, to, units, sent, before));
        }
        self.combiner.iteration(folds);
    }

    /// Adds each rank's own vector to its prefix.
    fn add_own(&mut self) {
        let blocks = &self.blocks;
        for rank in (0..self.combiner.nodes()).filter(|&rank| !is_first(0, rank)) {
            for unit in 0..blocks.units {
                let own = blocks.sum(0, unit);
                self.combiner.merge_at(rank, blocks.before(unit), own, own);
            }
        }
    }
}

/// Whether a rank is in the first group at a level; groups have `2^level` ranks.
fn is_first(level: usize, rank: Rank) -> bool {
    rank >> level == 0
}

/// A message of a range of units.
fn fold(
    from: Rank,
    to: Rank,
    units: Range<u32>,
    sent: impl Fn(u32) -> u32,
    into: impl Fn(u32) -> u32,
) -> Fold {
    Fold { from, to, sent: units.clone().map(sent).collect(), into: units.map(into).collect() }
}
