//! The search among more than 128 nodes without a root, where every part takes long to look at.

use std::{collections::BTreeSet, mem, sync::Arc};

use super::{Bounds, Divisible, ENDS, Parting, kind, orders};
use crate::time::{Span, Time};

/// When so many parts are known, variants of other kinds than theirs are tried only for the parts of the fastest way, and for
/// messages alone, which are treated in ways in which no others are.
const ENOUGH: usize = 2;

impl<P: Divisible> Parting<'_, P> {
    /// Goes from the best of the first places to one of the further ones beside it as long as two parts take less time there, and
    /// then parts the messages in more at the first ones and the best of these.
    pub(super) fn extend(&mut self) {
        let further = mem::take(&mut self.further);
        let mut all = [&self.places[..], &further].concat();
        all.sort_unstable();
        let nth = |place: u64| all.partition_point(|&other| other < place);
        let both = |parting: &Self, place: u64| parting.in_two(place).map(|time| (time, place));
        let Some(begin) = self.places.iter().filter_map(|&place| both(self, place)).min() else { return };
        let below: Vec<u64> = all[..nth(begin.1)].iter().rev().copied().collect();
        let mut best = begin;
        for beside in [&below[..], &all[nth(begin.1) + 1..]] {
            for &place in beside {
                if self.is_tired() {
                    break;
                }
                self.look_at_two(place);
                match both(self, place) {
                    Some(found) if found < best => best = found,
                    _ => break,
                }
            }
        }
        if !self.places.contains(&best.1) {
            self.places.push(best.1);
            self.places.sort_unstable();
            self.try_between(&self.places.clone());
        }
        self.places = all;
    }

    /// The time of the two parts that a place divides, if both are known.
    fn in_two(&self, place: u64) -> Option<Span> {
        let time = |bounds: Bounds| self.known.get(&bounds).map(|&(time, _)| time);
        Some(time((ENDS.0, place))? + time((place, ENDS.1))?)
    }

    /// Whether a part is looked at only roughly, by variants of those kinds that have been taken for others.
    pub(super) fn is_rough(&self) -> bool {
        self.is_laborious && self.known.len() >= ENOUGH
    }

    /// The kinds of the variants taken for any part.
    pub(super) fn all_likely(&self) -> BTreeSet<String> {
        self.known.values().map(|(_, chosen)| kind(&chosen.variant)).collect()
    }

    /// Looks once more at those parts of the fastest way that were looked at only roughly.
    pub(super) fn complete(&mut self) {
        let way = self.best.clone();
        for &bounds in &way {
            if !self.rough.remove(&bounds) {
                continue;
            }
            let (time, likely) = (self.known[&bounds].0, self.all_likely());
            if let Some((time, chosen)) = self.part(bounds).chosen(&likely, false, Time::ZERO + time) {
                self.known.insert(bounds, (time, Arc::new(chosen)));
            }
        }
        if self.found.is_some() {
            orders(&way).iter().for_each(|order| self.attempt(&way, order));
        }
    }
}
