//! The routes from each sender as a tree: whoever is behind a link cannot be reached while there is no room on it.
//!
//! Two routes of a sender are together as far as their links are the same. What is behind a place is kept as a set, so
//! that a full link takes all who are behind it away at once. Behind the same link there are mostly the same ranks,
//! whoever sends; such sets are kept once.

use super::{
    super::super::rounds::{Part, paths::Paths},
    ranks,
};
use crate::rank::Rank;

/// The number of a place in the trees: the end of a link on the way of a sender.
pub(super) type Place = u32;

/// No place, no set.
const NONE: u32 = u32::MAX;

/// In place of the number of a set: that of the only rank behind a place, with this bit.
const ONLY: u32 = 1 << 31;

/// The most sets behind the same link that a new one is compared with.
const MOST_LIKE: usize = 8;

/// The most words of all sets: a gigabyte.
const MOST_WORDS: usize = 1 << 27;

/// The trees of all senders.
pub(super) struct Trees {
    members: usize,
    words: usize,
    /// For each place the one before.
    before: Vec<Place>,
    /// For each place the number of the set of receivers behind it, or the only one.
    behind: Vec<u32>,
    sets: Vec<u64>,
    /// The last place on the way from each sender to each receiver.
    ends: Vec<Place>,
}

impl Trees {
    /// The trees of some messages, which are in the order of their senders.
    pub(super) fn of(members: usize, messages: impl Iterator<Item = Part>, paths: &Paths) -> Trees {
        let words = ranks::words(members);
        let mut trees = Trees {
            members,
            words,
            before: Vec::new(),
            behind: Vec::new(),
            sets: Vec::new(),
            ends: vec![NONE; members * members],
        };
        let mut sets = Sets { first: vec![NONE; paths.capacity.len()], next: Vec::new() };
        // The last place that ends each link; those of other senders are before `start`.
        let mut at: Vec<Place> = vec![NONE; paths.capacity.len()];
        let (mut sender, mut start, mut links, mut receivers) = (None, 0, Vec::new(), Vec::new());
        for part in messages {
            if sender.replace(part.from) != Some(part.from) {
                trees.finish(start, &links, &receivers, &mut sets);
                start = trees.before.len();
                links.clear();
                receivers.clear();
            }
            let mut here = NONE;
            for &link in paths.path(&part) {
                let known = at[link as usize];
                let is_known =
                    known != NONE && known as usize >= start && trees.before[known as usize] == here;
                if !is_known {
                    at[link as usize] = trees.before.len() as Place;
                    trees.before.push(here);
                    links.push(link);
                }
                here = at[link as usize];
            }
            trees.ends[part.from * members + part.to] = here;
            receivers.push((part.to, here));
        }
        trees.finish(start, &links, &receivers, &mut sets);
        trees
    }

    /// Whether the sets would take too much memory; then they are not complete.
    pub(super) fn is_too_large(&self) -> bool {
        self.sets.len() > MOST_WORDS
    }

    /// Notes who is behind the places of a sender from `start` on.
    fn finish(&mut self, start: usize, links: &[u32], receivers: &[(Rank, Place)], known: &mut Sets) {
        if self.is_too_large() {
            return;
        }
        let words = self.words;
        self.behind.resize(start + links.len(), NONE);
        let mut behind = vec![0; links.len() * words];
        let mut counts = vec![0_u32; links.len()];
        for &(to, end) in receivers {
            let mut place = end;
            while place != NONE {
                let nth = place as usize - start;
                ranks::insert(&mut behind[nth * words..(nth + 1) * words], to);
                counts[nth] += 1;
                // The last one is the only one, if there is one only.
                self.behind[place as usize] = to as u32 | ONLY;
                place = self.before[place as usize];
            }
        }
        for (nth, (&link, &count)) in links.iter().zip(&counts).enumerate() {
            if count > 1 {
                let set = &behind[nth * words..(nth + 1) * words];
                self.behind[start + nth] = known.number(link, set, &mut self.sets);
            }
        }
    }

    /// The place so many links before the last one on a way.
    #[inline]
    pub(super) fn place(&self, from: Rank, to: Rank, back: usize) -> Place {
        let mut place = self.ends[from * self.members + to];
        for _ in 0..back {
            place = self.before[place as usize];
        }
        place
    }

    /// Adds those who are behind a place and in `open` to a set.
    #[inline]
    pub(super) fn add(&self, place: Place, open: &[u64], set: &mut [u64]) {
        match self.behind(place) {
            Behind::Only(rank) => set[rank / 64] |= open[rank / 64] & 1 << (rank % 64),
            Behind::All(behind) => {
                for nth in 0..set.len() {
                    set[nth] |= behind[nth] & open[nth];
                }
            }
        }
    }

    /// Takes those who are behind a place out of a set.
    #[inline]
    pub(super) fn take_out(&self, place: Place, set: &mut [u64]) {
        match self.behind(place) {
            Behind::Only(rank) => ranks::remove(set, rank),
            Behind::All(behind) => {
                for nth in 0..set.len() {
                    set[nth] &= !behind[nth];
                }
            }
        }
    }

    #[inline]
    fn behind(&self, place: Place) -> Behind<'_> {
        let number = self.behind[place as usize];
        match number & ONLY {
            0 => Behind::All(&self.sets[number as usize * self.words..][..self.words]),
            _ => Behind::Only((number & !ONLY) as Rank),
        }
    }
}

/// The receivers behind a place.
enum Behind<'a> {
    Only(Rank),
    All(&'a [u64]),
}

/// The sets that are known, by their links: the first of each link, and after each the next one.
struct Sets {
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Sets {
    /// The number of a set behind a link.
    fn number(&mut self, link: u32, set: &[u64], sets: &mut Vec<u64>) -> u32 {
        let first = self.first[link as usize];
        let next = |&number: &u32| Some(self.next[number as usize]).filter(|&next| next != NONE);
        let like = std::iter::successors(Some(first).filter(|&first| first != NONE), next);
        let is_same = |&number: &u32| sets[number as usize * set.len()..][..set.len()] == *set;
        if let Some(number) = like.take(MOST_LIKE).find(is_same) {
            return number;
        }
        let number = self.next.len() as u32;
        sets.extend_from_slice(set);
        self.next.push(first);
        self.first[link as usize] = number;
        number
    }
}
