//! The search among more than 128 nodes without a root, where every part takes long to look at: no more is looked at than is likely to
//! pay.

use std::{collections::BTreeSet, mem, sync::Arc};

use super::{Bounds, Divisible, ENDS, Parting, Way, kind, orders, times};
use crate::time::{Span, Time};

/// Messages are not parted if all at once take at most so many times as long as nothing can beat: of 8 such
/// problems of 256 and 512 nodes one was faster apart, by a third of a percent.
const CLOSE: f64 = 1.1;

/// The first two parts leave no time for others if they take so many times what is to be beaten; and places are moved only if
/// the fastest way takes at most so many times as long. Of 78 problems of 256 and 512 nodes without a root in which two parts were
/// found, 29 are faster apart: in none of these do the first two take more than 1.16 times as long as all at once, and in all but one
/// the first ways at most 1.01 times.
pub(super) const HOPELESS: f64 = 1.2;
const HARDLY: f64 = 1.02;

/// When so many parts are known, variants of other kinds than theirs are tried only for the parts of the fastest way, and for
/// messages alone, which are treated in ways in which no others are.
const ENOUGH: usize = 2;

/// No more places are looked at when parts and rows of parts have had so many messages for each pair of nodes.
const MOST_A_PAIR: u64 = 2;

/// So many ways are tried at a time, whose parts take hardly more time together than those of the first: at most so many times as
/// long.
const FEW_WAYS: usize = 2;
const LIKE: f64 = 1.02;

/// Those of the ways, of which the first takes the least time, that are tried.
pub(super) fn few(mut ways: Vec<Way>) -> Vec<Way> {
    ways.truncate(FEW_WAYS);
    if let Some(&(least, _)) = ways.first() {
        ways.retain(|&(time, _)| Time::ZERO + time <= times(Time::ZERO + least, LIKE));
    }
    ways
}

impl<P: Divisible> Parting<'_, P> {
    /// Whether nothing can be much faster than all messages at once.
    pub(super) fn is_nearly_the_least(&self) -> bool {
        self.is_laborious && self.given <= times(Time::ZERO + self.problem.least(), CLOSE)
    }

    /// Whether other places than the first ones could be worth their time.
    pub(super) fn could_pay(&self) -> bool {
        !self.is_laborious || self.limit <= times(self.given, HARDLY)
    }

    /// Whether parts have had so many messages that no more places are looked at. It never is among few nodes.
    pub(super) fn is_tired(&self) -> bool {
        let pairs = (self.problem.members().len() as u64).pow(2);
        self.is_laborious && self.messages > MOST_A_PAIR * pairs
    }

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
