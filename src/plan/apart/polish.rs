//! Small changes to the fastest way to part messages that has been found, a few times as long as one makes it faster.
//!
//! Parts are chosen by the time that each takes by itself, and the orders that are tried are few. In a row the parts overlap, and
//! there another order or another variant of a part may be faster. Among many nodes a place, too, is changed once, if the
//! messages are parted in two.

use std::sync::Arc;

use super::{Chosen, Divisible, ENDS, FEW, Part, Parting, Row, Variant, kind, orders};
use crate::time::Time;

/// So many times at most the fastest way is changed.
const CHANGES: usize = 8;

impl<P: Divisible> Parting<'_, P> {
    /// Parts the messages in two at the places halfway from that of the fastest way to the nearest that have been tried.
    pub(super) fn shift(&mut self) {
        let [_, (place, _)] = self.best[..] else { return };
        if self.found.is_none() {
            return;
        }
        for place in self.halfway(place) {
            if self.look_at_two(place) {
                let way = [(ENDS.0, place), (place, ENDS.1)];
                orders(&way).iter().for_each(|order| self.attempt(&way, order));
            }
        }
    }

    /// Changes the fastest way as long as that makes it faster.
    pub(super) fn polish(&mut self) {
        for _ in 0..CHANGES {
            if !self.reorder() && !self.exchange() {
                return;
            }
        }
    }

    /// Moves one part of the fastest way to another place in the row, and tells whether that has made it faster.
    fn reorder(&mut self) -> bool {
        let Some(row) = self.row() else { return false };
        let mut is_faster = false;
        for from in 0..row.len() {
            for to in 0..row.len() {
                let mut moved = row.clone();
                let part = moved.remove(from);
                moved.insert(to, part);
                is_faster |= self.attempt_row(&self.best.clone(), moved);
            }
        }
        is_faster
    }

    /// Takes another variant for one part of the fastest way, and tells whether that has made it faster.
    fn exchange(&mut self) -> bool {
        let Some(row) = self.row() else { return false };
        let mut is_faster = false;
        for (nth, part) in row.iter().enumerate() {
            let place = self.part(part.bounds);
            for (variant, other) in self.others(&place) {
                let number = |at: usize, part: &Chosen<P>| if at == nth { variant } else { part.nth };
                let key = row.iter().enumerate().map(|(at, part)| (part.bounds, number(at, part))).collect();
                if self.tried.contains::<Vec<_>>(&key) || Time::ZERO + other.floor() > self.limit {
                    continue;
                }
                let Some(other) = place.clone().by(variant, other) else { continue };
                let mut changed = row.clone();
                changed[nth] = Arc::new(other);
                is_faster |= self.attempt_row(&self.best.clone(), changed);
            }
        }
        is_faster
    }

    /// The parts of the fastest way.
    fn row(&self) -> Option<Row<P>> {
        self.found.as_ref().map(|(row, _)| row.clone())
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
