//! The search among up to 64 nodes, where several places are looked at together.

use super::{Divisible, Parting};

/// Places are far from each other if messages are so many times as long at the one as at the other.
const WIDE: u64 = 8;

/// Of up to so many lengths each one is tried as a place.
const FEW_LENGTHS: usize = 16;

/// So many times the places of the fastest way are looked at for others near them.
const REFINEMENTS: usize = 3;

impl<P: Divisible> Parting<'_, P> {
    /// Tries to part the messages in two halfway between places far from each other, where a fast way would not be seen. These
    /// are not among the places from then on: they would only narrow the refinement of other ways. Messages of few lengths are parted
    /// well at one of these, or nowhere: if no place is promising yet, all are tried.
    pub(super) fn fill_gaps(&mut self) {
        let mut places = [&self.places[..], &self.further].concat();
        places.sort_unstable();
        let gaps: Vec<[u64; 2]> = places.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        for [below, above] in gaps.into_iter().filter(|[below, above]| above / WIDE > *below) {
            let number = |place: u64| self.distinct.partition_point(|&length| length < place);
            let halfway = self.distinct[number(below).midpoint(number(above))];
            if halfway > below {
                self.try_between(&[halfway]);
            }
        }
        if !self.is_promising() && self.distinct.len() <= FEW_LENGTHS {
            self.all_lengths().into_iter().for_each(|place| self.try_between(&[place]));
        }
    }

    /// Tries all places that follow from the lengths, and if that is worth it those near the best ones.
    pub(super) fn try_others(&mut self) {
        self.places.append(&mut self.further);
        self.places.sort_unstable();
        self.try_between(&self.places.clone());
        if self.is_worth_refining() {
            self.refine();
            self.try_all();
        }
    }

    /// Tries places near those of the best way.
    fn refine(&mut self) {
        for _ in 0..REFINEMENTS {
            if self.is_tired() {
                return;
            }
            let mut near: Vec<u64> = self.best.iter().skip(1).map(|&(place, _)| place).collect();
            let halfway: Vec<u64> = near.iter().flat_map(|&place| self.halfway(place)).collect();
            if halfway.is_empty() {
                return;
            }
            near.extend(&halfway);
            self.places.extend(halfway);
            for places in [&mut near, &mut self.places] {
                places.sort_unstable();
                places.dedup();
            }
            self.try_between(&near);
        }
    }

    /// Tries the ways with any of the places and of those of the best way, and then with any there can be if there are few lengths.
    fn try_all(&mut self) {
        if self.is_tired() {
            return;
        }
        self.places.extend(self.best.iter().skip(1).map(|&(place, _)| place));
        self.places.sort_unstable();
        self.places.dedup();
        self.try_between(&self.places.clone());
        if self.distinct.len() <= FEW_LENGTHS {
            self.places = self.all_lengths();
            self.try_between(&self.places.clone());
        }
    }

    /// All places that there are, in order.
    fn all_lengths(&self) -> Vec<u64> {
        let last = self.distinct[self.distinct.len() - 1];
        self.distinct.iter().copied().filter(|length| (1..last).contains(length)).collect()
    }
}
