//! Small changes to the fastest way to part messages that has been found, a few times as long as one makes it faster. Where there is
//! a root and few nodes, so that planning takes little time, other ways near the fastest are changed as well.
//!
//! Parts are chosen by the time that each takes by itself, and the orders that are tried are few. In a row the parts overlap, and
//! there another order or another variant of a part may be faster. Among many nodes the places, too, are moved.

use std::sync::Arc;

use super::{Bounds, Divisible, FEW, Part, Parting, Row, SOME, Variant, key, kind};
use crate::time::{Span, Time};

/// So many ways are changed if others than the fastest are.
const KEPT: usize = 3;

/// So many times at most a way is changed.
const CHANGES: usize = 8;

impl<P: Divisible> Parting<'_, P> {
    /// Moves the places of the fastest way, one at a time, halfway to the nearest that have been tried: among some nodes in two
    /// rounds, among more in one, if there is only one place.
    pub(super) fn shift(&mut self) {
        let are_some = self.problem.members().len() <= SOME;
        for _ in 0..if are_some { 2 } else { 1 } {
            let way = self.best.clone();
            if self.found.is_none() || way.len() > 2 && !are_some {
                return;
            }
            let mut moved = Vec::new();
            for nth in 1..way.len() {
                for place in self.halfway(way[nth].0) {
                    self.move_place(&way, nth, place);
                    moved.push(place);
                }
            }
            self.places.extend(moved);
            self.places.sort_unstable();
            self.places.dedup();
        }
    }

    /// Tries a way with the place below its `nth` part moved elsewhere.
    fn move_place(&mut self, way: &[Bounds], nth: usize, place: u64) {
        let mut moved = way.to_vec();
        (moved[nth - 1].1, moved[nth].0) = (place, place);
        let others: Span =
            [&way[..nth - 1], &way[nth + 1..]].concat().iter().map(|part| self.known[part].0).sum();
        let least = self.least(moved[nth]);
        let Some(below) = self.look_at(moved[nth - 1], others + least) else { return };
        if self.look_at(moved[nth], others + below).is_some() {
            self.attempt_in_order(&moved);
        }
    }

    /// Whether other ways than the fastest are changed.
    pub(super) fn keeps_ways(&self) -> bool {
        self.problem.has_root() && self.problem.members().len() <= FEW
    }

    /// Changes the fastest way as long as that makes it faster, or each of a few.
    pub(super) fn polish(&mut self) {
        let mut ways: Vec<(Time, Vec<Bounds>)> =
            self.rows.iter().map(|(way, (time, _))| (*time, way.clone())).collect();
        ways.sort();
        ways.truncate(if self.keeps_ways() { KEPT } else { 1 });
        for (_, way) in ways {
            let mut changes = 0;
            while changes < CHANGES && !self.is_tired() && (self.reorder(&way) || self.exchange(&way)) {
                changes += 1;
            }
        }
    }

    /// Moves one part of the fastest row of a way to another place, and tells whether that has made it faster.
    fn reorder(&mut self, way: &[Bounds]) -> bool {
        let (time, row) = self.rows[way].clone();
        for from in 0..row.len() {
            for to in 0..row.len() {
                let mut moved = row.clone();
                let part = moved.remove(from);
                moved.insert(to, part);
                self.change(way, &moved);
            }
        }
        self.rows[way].0 < time
    }

    /// Takes another variant for one part of the fastest row of a way, and tells whether that has made it faster.
    fn exchange(&mut self, way: &[Bounds]) -> bool {
        let (time, row) = self.rows[way].clone();
        for (nth, part) in row.iter().enumerate() {
            let place = self.part(part.bounds);
            for (variant, other) in self.others(&place) {
                if self.is_tired() {
                    return false;
                }
                let mut changed = key(&row);
                changed[nth].1 = variant;
                if self.tried.contains(&changed) || Time::ZERO + other.floor() > self.rows[way].0 {
                    continue;
                }
                let Some(other) = place.clone().by(variant, other) else { continue };
                let mut changed = row.clone();
                changed[nth] = Arc::new(other);
                self.change(way, &changed);
            }
        }
        self.rows[way].0 < time
    }

    /// Tries a row in place of the fastest one of its way.
    fn change(&mut self, way: &[Bounds], row: &Row<P>) {
        self.attempt_row(way, row, self.rows[way].0);
    }

    /// Variants for a part that may be better in a row, with their numbers: all where there is a root, as the messages are few
    /// then, and otherwise those of kinds that suit parts with an end in common with it. Among many nodes they take too long to predict.
    fn others(&self, part: &Part<P>) -> Vec<(usize, Variant<P>)> {
        let has_root = self.problem.has_root();
        if !has_root && self.problem.members().len() > FEW {
            return Vec::new();
        }
        let likely = self.likely(part.bounds);
        let variants = part.problem.others().unwrap_or_default().into_iter().enumerate();
        variants.filter(|(_, variant)| has_root || likely.contains(&kind(variant))).collect()
    }
}
