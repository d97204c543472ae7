//! A scan by *halving*: pairs of ranks share the work on the sum of both, and then hand each other what they lack.
//!
//! **What it does.** Neighbours meet as in [*Halving*](super::halving), for `k` levels: of each part of the vector that two of them look
//! after, each makes the sum over both groups for one half. After `k` levels each part, `n / 2^k` bytes long, is scanned by
//! doubling over the groups, without a group's own sum. Then the levels are undone: of a pair each rank gets what stands
//! before its group for the other half of their part too, the second rank with the sum of the first one's group. In the end
//! every rank adds its own vector. Of an odd number of groups the last one waits, and gets what stands before it from the group
//! before it on the way back.
//!
//! **Restrictions.** None; combines in rank order.
//!
//! **Cost.** On `p = 2^m` ranks about `(2 k + m - k) alpha + 2 (1 - 2^-k) n (beta + gamma) + (m - k) n / 2^k (beta + 2 gamma) +
//! n gamma`: with `k = m`, `2 m alpha + 2 n beta + 3 n gamma` where a doubling takes `m` times `alpha + n beta + n gamma`.
//! On other numbers a message and a combination more on levels with an odd number of groups.
//!
//! **Source.** This project; the pairs are those of recursive halving (see [*Halving*](super::halving)), and each level is Ladner and
//! Fischer's step from a scan of `p/2` sums to one of `p`, "Parallel prefix computation", JACM 27(4), 1980.

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

/// More levels take long to plan, and gain next to nothing.
const MOST: u32 = 6;

/// Each number of levels.
pub(super) fn candidates(task: &Task) -> Vec<Candidate> {
    let levels = task.size().ilog2().clamp(1, MOST) as usize;
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
        least: None,
        make: Box::new(move |task, tuning| draft(task, levels, tuning)),
    }
}

/// The numbers of blocks: several for each unit of the vector, of which there are `2^levels`.
struct Numbering {
    units: u32,
    levels: u32,
}

impl Numbering {
    /// The kinds of blocks.
    fn kinds(&self) -> u32 {
        2 * self.levels + 3
    }

    fn block(&self, kind: u32, unit: u32) -> u32 {
        kind * self.units + unit
    }

    /// The sum of the group that a rank is in at a level; at level 0 its own vector, and in the end its result.
    fn sum(&self, level: usize, unit: u32) -> u32 {
        self.block(level as u32, unit)
    }

    /// The sum of the other group, as it has come.
    fn came(&self, level: usize, unit: u32) -> u32 {
        self.block(self.levels + 1 + level as u32, unit)
    }

    /// The sum of all that stands before the group that a rank is in.
    fn before(&self, unit: u32) -> u32 {
        self.block(2 * self.levels + 1, unit)
    }

    /// A sum that is made to be sent: of what stands before a group, and of the group.
    fn sent(&self, unit: u32) -> u32 {
        self.block(2 * self.levels + 2, unit)
    }

    /// The units of a part at a level, of which there are `2^level`.
    fn part(&self, level: usize, part: usize) -> Range<u32> {
        let size = self.units >> level;
        part as u32 * size..(part as u32 + 1) * size
    }

    /// The sum of the first group of a pair, as it has come to the second one, if `one` is of the first. Before the first group of all
    /// stands nothing, so its sum is all that stands before the second.
    fn came_from(&self, level: usize, one: Rank, unit: u32) -> u32 {
        if is_first(level, one) { self.before(unit) } else { self.came(level, unit) }
    }

    /// The units of both halves of a part at a level.
    fn halves(&self, level: usize, part: usize) -> [Range<u32>; 2] {
        [2 * part, 2 * part + 1].map(|half| self.part(level + 1, half))
    }
}

fn draft(task: &Task, levels: usize, tuning: Tuning) -> Draft {
    let ranks: Vec<Rank> = (0..task.size()).collect();
    let (levels, groups) = butterfly(&ranks, levels);
    let blocks = Numbering { units: 1 << levels.len(), levels: levels.len() as u32 };
    // Units without any bytes are there, too.
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
    /// Pairs exchange halves of the sums of their groups, and each makes the sum over both for one half.
    fn meet(&mut self, nth: usize, level: &Level) {
        let blocks = &self.blocks;
        let sum = |unit| blocks.sum(nth, unit);
        let folds = level.meetings().flat_map(|(part, [one, other])| {
            let [first, second] = blocks.halves(nth, part);
            let came = |unit| blocks.came_from(nth, one, unit);
            [fold(one, other, second, sum, came), fold(other, one, first, sum, |unit| blocks.came(nth, unit))]
        });
        self.combiner.iteration(folds);
        for (part, [one, other]) in level.meetings() {
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

    /// A scan by doubling over the groups that are left, for each part, without a group's own sum: a rank sends the sum of the last
    /// `d` groups, its own included, to the one `d` groups further on, which has the sum of the `d - 1` groups before it.
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

    /// The ranks of a pair hand each other what stands before their groups; then the last group does so for the one that stood
    /// aside.
    fn part(&mut self, nth: usize, level: &Level) {
        let blocks = &self.blocks;
        let (before, sent, sum) =
            (|unit| blocks.before(unit), |unit| blocks.sent(unit), |unit| blocks.sum(nth, unit));
        let mut folds = Vec::new();
        for (part, [one, other]) in level.meetings() {
            let [first, second] = blocks.halves(nth, part);
            if is_first(nth, one) {
                // Nothing stands before this group, so all that stands before the other one is its sum.
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
        let not_first = level.meetings().filter(|&(_, [one, _])| !is_first(nth, one));
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

    /// Every rank adds its own vector to what stands before it.
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

/// Whether a rank is of the first group at a level: groups have `2^level` ranks.
fn is_first(level: usize, rank: Rank) -> bool {
    rank >> level == 0
}

/// A message of some units.
fn fold(
    from: Rank,
    to: Rank,
    units: Range<u32>,
    sent: impl Fn(u32) -> u32,
    into: impl Fn(u32) -> u32,
) -> Fold {
    Fold { from, to, sent: units.clone().map(sent).collect(), into: units.map(into).collect() }
}
