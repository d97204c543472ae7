//! Sets of the receivers *reachable through* a link: those whose path from a sender uses the link. While the link is full, the sender cannot reach
//! them.
//!
//! A full link removes all receivers reachable through it by one operation on sets. These sets are mostly the same for all senders, so that nearly all
//! links have one set. Receivers without a message from a sender are irrelevant for this sender, so sets that differ only in such receivers
//! are merged.

use super::{super::super::rounds::Part, ranks};
use crate::{rank::Rank, topology::LinkId};

/// Marks the absence of a set or of a row.
const NONE: u32 = u32::MAX;

/// Flag of a single receiver: the other bits are the rank of the only receiver reachable through a link, instead of the number of a set.
const ONLY: u32 = 1 << 31;

/// Maximum number of sets of a link that a new set is compared with.
const MAX_COMPARED_SETS: usize = 8;

/// Maximum memory in words: a gigabyte.
const MAX_WORDS: usize = 1 << 27;

/// Sets of the receivers reachable through each link.
pub(super) struct LinkReceivers {
    members: usize,
    words: usize,
    /// For each link, the number of the set common to all its senders.
    numbers: Vec<u32>,
    /// For each link, the numbers by sender, if senders have different sets.
    of_sender: Vec<Option<Box<[u32]>>>,
    sets: Vec<u64>,
    /// Words in use, including the auxiliary data while sets are built.
    kept: usize,
}

impl LinkReceivers {
    /// Builds the sets of receivers reachable through links 0 to `links - 1`. `messages` must be ordered by sender.
    pub(super) fn of(
        members: usize,
        links: usize,
        messages: impl Iterator<Item = Part>,
        mut route: impl FnMut(Rank, Rank, &mut Vec<LinkId>),
    ) -> LinkReceivers {
        let words = ranks::words(members);
        let mut link_receivers = LinkReceivers {
            members,
            words,
            numbers: vec![NONE; links],
            of_sender: vec![None; links],
            sets: Vec::new(),
            kept: 0,
        };
        let mut known = KnownSets { last: vec![NONE; links], before: Vec::new(), decided: Vec::new() };
        let mut paths = SenderPaths {
            words,
            sets: Vec::new(),
            links: Vec::new(),
            rows: vec![NONE; links],
            receivers: vec![0; words],
        };
        let (mut sender, mut links) = (None, Vec::new());
        for Part { from, to, .. } in messages {
            if let Some(before) = sender.replace(from).filter(|&before| before != from) {
                link_receivers.add_sender(before, &mut paths, &mut known);
            }
            if link_receivers.is_too_large() {
                return link_receivers;
            }
            links.clear();
            route(from, to, &mut links);
            paths.add(to, &links);
        }
        if let Some(last) = sender {
            link_receivers.add_sender(last, &mut paths, &mut known);
        }
        link_receivers
    }

    /// Returns whether the sets need too much memory. Then they are incomplete.
    pub(super) fn is_too_large(&self) -> bool {
        self.kept > MAX_WORDS
    }

    /// Stores the sets of the links of a sender, and clears its paths.
    fn add_sender(&mut self, from: Rank, paths: &mut SenderPaths, known: &mut KnownSets) {
        for (row, link) in paths.links.drain(..).enumerate() {
            let set = &paths.sets[row * self.words..][..self.words];
            let before = self.sets.len();
            let number = known.number(link, set, &paths.receivers, &mut self.sets);
            self.kept += 2 * (self.sets.len() - before);
            self.note(link, from, number);
            paths.rows[link] = NONE;
        }
        paths.sets.clear();
        paths.receivers.fill(0);
    }

    fn note(&mut self, link: LinkId, from: Rank, number: u32) {
        let common = &mut self.numbers[link];
        match &mut self.of_sender[link] {
            Some(numbers) => numbers[from] = number,
            None if *common == NONE || *common == number => *common = number,
            none => {
                none.insert(vec![*common; self.members].into())[from] = number;
                self.kept += self.members / 2;
            }
        }
    }

    /// Returns the set of receivers reachable through a link on a path from a sender. It may contain receivers without a message from this sender.
    #[inline]
    fn set(&self, link: LinkId, from: Rank) -> Set<'_> {
        let number = match &self.of_sender[link] {
            None => self.numbers[link],
            Some(numbers) => numbers[from],
        };
        match number & ONLY {
            0 => Set::All(&self.sets[number as usize * self.words..][..self.words]),
            _ => Set::Only((number & !ONLY) as Rank),
        }
    }

    /// Adds to `set` the receivers reachable through a link on a path from a sender that are in `open`.
    #[inline]
    pub(super) fn add(&self, link: LinkId, from: Rank, open: &[u64], set: &mut [u64]) {
        match self.set(link, from) {
            Set::Only(rank) => set[rank / 64] |= open[rank / 64] & 1 << (rank % 64),
            Set::All(all) => {
                for nth in 0..set.len() {
                    set[nth] |= all[nth] & open[nth];
                }
            }
        }
    }

    /// Removes from `set` the receivers reachable through a link on a path from a sender. Returns whether any receiver is left.
    #[inline]
    pub(super) fn subtract(&self, link: LinkId, from: Rank, set: &mut [u64]) -> bool {
        match self.set(link, from) {
            Set::Only(rank) => {
                ranks::remove(set, rank);
                set.iter().any(|&word| word != 0)
            }
            Set::All(all) => {
                let mut left = 0;
                for nth in 0..set.len() {
                    set[nth] &= !all[nth];
                    left |= set[nth];
                }
                left != 0
            }
        }
    }
}

/// The receivers reachable through a link.
enum Set<'a> {
    Only(Rank),
    All(&'a [u64]),
}

/// The paths from one sender.
struct SenderPaths {
    words: usize,
    /// The receivers reachable through each link of the sender.
    sets: Vec<u64>,
    /// The links of the sender, and the row of each link in `sets`.
    links: Vec<LinkId>,
    rows: Vec<u32>,
    /// All receivers of the sender.
    receivers: Vec<u64>,
}

impl SenderPaths {
    fn add(&mut self, to: Rank, links: &[LinkId]) {
        ranks::insert(&mut self.receivers, to);
        for &link in links {
            if self.rows[link] == NONE {
                self.rows[link] = self.links.len() as u32;
                self.links.push(link);
                self.sets.resize(self.links.len() * self.words, 0);
            }
            let row = self.rows[link] as usize;
            ranks::insert(&mut self.sets[row * self.words..][..self.words], to);
        }
    }
}

/// Lists of the sets of each link: the last set of each link, and for each set the previous one.
struct KnownSets {
    last: Vec<u32>,
    before: Vec<u32>,
    /// For each set, the receivers whose membership is decided.
    decided: Vec<u64>,
}

impl KnownSets {
    /// Returns the number of the set of a link for a sender with messages for `receivers`.
    fn number(&mut self, link: LinkId, set: &[u64], receivers: &[u64], sets: &mut Vec<u64>) -> u32 {
        let words = set.len();
        let last = Some(self.last[link]).filter(|&last| last != NONE);
        let before = |&number: &u32| Some(self.before[number as usize]).filter(|&before| before != NONE);
        let is_like = |&number: &u32| {
            let at = number as usize * words;
            (0..words).all(|nth| (sets[at + nth] ^ set[nth]) & self.decided[at + nth] & receivers[nth] == 0)
        };
        let like = std::iter::successors(last, before).take(MAX_COMPARED_SETS).find(is_like);
        if let Some(number) = like {
            let at = number as usize * words;
            for nth in 0..words {
                sets[at + nth] |= set[nth];
                self.decided[at + nth] |= receivers[nth];
            }
            return number;
        }
        if let Some(rank) = only(set) {
            return rank as u32 | ONLY;
        }
        let number = self.before.len() as u32;
        sets.extend_from_slice(set);
        self.decided.extend_from_slice(receivers);
        self.before.push(self.last[link]);
        self.last[link] = number;
        number
    }
}

/// Returns the rank in a set with exactly one rank.
fn only(set: &[u64]) -> Option<Rank> {
    let mut words = set.iter().enumerate().filter(|&(_, &word)| word != 0);
    let (nth, word) = words.next()?;
    (word.is_power_of_two() && words.next().is_none()).then(|| 64 * nth + word.trailing_zeros() as Rank)
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

    use proptest::prelude::*;

    use super::*;

    const MEMBERS: usize = 70;
    const LINKS: usize = 6;

    proptest! {
        /// Includes routes that are not trees, and senders that share a link but differ in the receivers reachable through it or in their receivers.
        #[test]
        fn sets_hold_the_receivers_whose_routes_use_the_link(seed: u64, kinds in 1..14_usize, part in 1..=100_u64) {
            // A reproducible pseudo-random number below 100.
            let hasher = BuildHasherDefault::<DefaultHasher>::default();
            let any = |of: [usize; 3]| hasher.hash_one((seed, of)) % 100;
            // Senders of the same kind have the same receivers reachable through a link.
            let takes = |from: Rank, to: Rank, link: LinkId| any([from % kinds, to, link]) < 30;
            let receivers = |from: Rank| (0..MEMBERS).filter(move |&to| any([from, to, LINKS]) < part);
            let messages = (0..MEMBERS).flat_map(|from| receivers(from).map(move |to| Part { from, to, bytes: 1 }));
            let link_receivers = LinkReceivers::of(MEMBERS, LINKS, messages, |from, to, links| {
                links.extend((0..LINKS).filter(|&link| takes(from, to, link)));
            });
            for from in 0..MEMBERS {
                let mut open = vec![0; ranks::words(MEMBERS)];
                receivers(from).for_each(|to| ranks::insert(&mut open, to));
                for link in 0..LINKS {
                    let expected: Vec<Rank> = receivers(from).filter(|&to| takes(from, to, link)).collect();
                    // A sender uses only links on its paths.
                    if expected.is_empty() {
                        continue;
                    }
                    let (mut added, mut left) = (vec![0; open.len()], open.clone());
                    link_receivers.add(link, from, &open, &mut added);
                    let is_any_left = link_receivers.subtract(link, from, &mut left);
                    let count = |set: &[u64]| set.iter().map(|word| word.count_ones() as usize).sum::<usize>();
                    prop_assert!(expected.iter().all(|&to| ranks::contains(&added, to) && !ranks::contains(&left, to)));
                    prop_assert_eq!(count(&added), expected.len());
                    prop_assert_eq!(count(&left), count(&open) - expected.len());
                    prop_assert_eq!(is_any_left, expected.len() < count(&open));
                }
            }
            // One set per link is enough if all senders have the same receivers reachable through it.
            prop_assert!(kinds > 1 || link_receivers.sets.len() <= LINKS * ranks::words(MEMBERS));
        }
    }

    /// On links to a single node, the number of the node replaces a set.
    #[test]
    fn a_single_receiver_needs_no_set() {
        let messages =
            (0..MEMBERS * MEMBERS).map(|pair| Part { from: pair / MEMBERS, to: pair % MEMBERS, bytes: 1 });
        let links = MEMBERS * MEMBERS;
        let link_receivers =
            LinkReceivers::of(MEMBERS, links, messages, |from, to, links| links.push(MEMBERS * from + to));
        assert!(link_receivers.sets.is_empty());
        let mut set = vec![0, 0];
        link_receivers.add(MEMBERS * 3 + 69, 3, &[0, 1 << 5], &mut set);
        assert_eq!(set, [0, 1 << 5]);
        assert!(!link_receivers.subtract(MEMBERS * 3 + 69, 3, &mut set));
    }
}
