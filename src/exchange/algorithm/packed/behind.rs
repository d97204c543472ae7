//! Who is behind a link: whom a sender does not reach while there is no room on it.
//!
//! A full link takes all who are behind it away at once, as a set. Behind the same link there are mostly the same ranks,
//! whoever sends, so that nearly all links have one set for all senders. Whether somebody to whom a sender has nothing to
//! send is in its set does not matter, so sets that differ only in such ranks are one.

use super::{super::super::rounds::Part, ranks};
use crate::{rank::Rank, topology::LinkId};

/// No set.
const NONE: u32 = u32::MAX;

/// The most sets behind the same link that a new one is compared with.
const MOST_LIKE: usize = 8;

/// The most words of all sets: a gigabyte.
const MOST_WORDS: usize = 1 << 27;

/// The receivers behind all links.
pub(super) struct Behind {
    members: usize,
    words: usize,
    /// For each link the number of the set of all who send over it.
    numbers: Vec<u32>,
    /// The same for each sender, where they do not have the same one.
    of_sender: Vec<Option<Box<[u32]>>>,
    sets: Vec<u64>,
}

impl Behind {
    /// Those behind so many links, of messages that are in the order of their senders.
    pub(super) fn of(
        members: usize,
        links: usize,
        messages: impl Iterator<Item = Part>,
        mut route: impl FnMut(Rank, Rank, &mut Vec<LinkId>),
    ) -> Behind {
        let words = ranks::words(members);
        let mut behind = Behind {
            members,
            words,
            numbers: vec![NONE; links],
            of_sender: vec![None; links],
            sets: Vec::new(),
        };
        let mut known = Known { last: vec![NONE; links], before: Vec::new(), decided: Vec::new() };
        let mut tree = Tree {
            words,
            sets: vec![0; links * words],
            links: Vec::new(),
            has_link: vec![false; links],
            receivers: vec![0; words],
        };
        let (mut sender, mut links) = (None, Vec::new());
        for Part { from, to, .. } in messages {
            if let Some(before) = sender.replace(from).filter(|&before| before != from) {
                behind.add_tree(before, &mut tree, &mut known);
            }
            links.clear();
            route(from, to, &mut links);
            tree.add(to, &links);
        }
        if let Some(last) = sender {
            behind.add_tree(last, &mut tree, &mut known);
        }
        behind
    }

    /// Whether the sets would take too much memory; then they are not complete.
    pub(super) fn is_too_large(&self) -> bool {
        self.sets.len() > MOST_WORDS
    }

    /// Notes who is behind the links of a sender, and makes its tree empty.
    fn add_tree(&mut self, from: Rank, tree: &mut Tree, known: &mut Known) {
        for link in tree.links.drain(..) {
            let set = &mut tree.sets[link * self.words..][..self.words];
            if !self.is_too_large() {
                let number = known.number(link, set, &tree.receivers, &mut self.sets);
                self.note(link, from, number);
            }
            set.fill(0);
            tree.has_link[link] = false;
        }
        tree.receivers.fill(0);
    }

    fn note(&mut self, link: LinkId, from: Rank, number: u32) {
        let common = &mut self.numbers[link];
        match &mut self.of_sender[link] {
            Some(numbers) => numbers[from] = number,
            None if *common == NONE || *common == number => *common = number,
            none => none.insert(vec![*common; self.members].into())[from] = number,
        }
    }

    /// Those behind a link on the way from a sender; also some of those to whom it has nothing to send.
    #[inline]
    fn set(&self, link: LinkId, from: Rank) -> &[u64] {
        let number = match &self.of_sender[link] {
            None => self.numbers[link],
            Some(numbers) => numbers[from],
        };
        &self.sets[number as usize * self.words..][..self.words]
    }

    /// Adds those who are behind a link on the way from a sender and in `open` to a set.
    #[inline]
    pub(super) fn add(&self, link: LinkId, from: Rank, open: &[u64], set: &mut [u64]) {
        let behind = self.set(link, from);
        for nth in 0..set.len() {
            set[nth] |= behind[nth] & open[nth];
        }
    }

    /// Takes those who are behind a link on the way from a sender out of a set, and returns whether anybody is left.
    #[inline]
    pub(super) fn take_out(&self, link: LinkId, from: Rank, set: &mut [u64]) -> bool {
        let behind = self.set(link, from);
        let mut left = 0;
        for nth in 0..set.len() {
            set[nth] &= !behind[nth];
            left |= set[nth];
        }
        left != 0
    }
}

/// The routes from one sender.
struct Tree {
    words: usize,
    /// Those behind each link.
    sets: Vec<u64>,
    /// The links that have somebody behind them.
    links: Vec<LinkId>,
    has_link: Vec<bool>,
    /// All to whom there is a route.
    receivers: Vec<u64>,
}

impl Tree {
    fn add(&mut self, to: Rank, links: &[LinkId]) {
        ranks::insert(&mut self.receivers, to);
        for &link in links {
            if !std::mem::replace(&mut self.has_link[link], true) {
                self.links.push(link);
            }
            ranks::insert(&mut self.sets[link * self.words..][..self.words], to);
        }
    }
}

/// The sets that are known, by their links: the last of each link, and for each set the one before.
struct Known {
    last: Vec<u32>,
    before: Vec<u32>,
    /// For each set those of whom it is known whether they are in it.
    decided: Vec<u64>,
}

impl Known {
    /// The number of the set behind a link for somebody who has something for some receivers.
    fn number(&mut self, link: LinkId, set: &[u64], receivers: &[u64], sets: &mut Vec<u64>) -> u32 {
        let words = set.len();
        let last = Some(self.last[link]).filter(|&last| last != NONE);
        let before = |&number: &u32| Some(self.before[number as usize]).filter(|&before| before != NONE);
        let is_like = |&number: &u32| {
            let at = number as usize * words;
            (0..words).all(|nth| (sets[at + nth] ^ set[nth]) & self.decided[at + nth] & receivers[nth] == 0)
        };
        let like = std::iter::successors(last, before).take(MOST_LIKE).find(is_like);
        if let Some(number) = like {
            let at = number as usize * words;
            for nth in 0..words {
                sets[at + nth] |= set[nth];
                self.decided[at + nth] |= receivers[nth];
            }
            return number;
        }
        let number = self.before.len() as u32;
        sets.extend_from_slice(set);
        self.decided.extend_from_slice(receivers);
        self.before.push(self.last[link]);
        self.last[link] = number;
        number
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Also where routes are no trees, where senders share links but not those behind them, and have other receivers.
        #[test]
        fn of_those_to_whom_a_sender_sends_exactly_those_are_behind_a_link_whose_routes_take_it(
            routes in prop::collection::vec(prop::collection::btree_set(0..6_usize, 0..4), 81),
            are_alike: bool,
            has_message in prop::collection::vec(any::<bool>(), 81)
        ) {
            // What is behind a link is the same for all senders, or for none.
            let route = |from: Rank, to: Rank| -> &BTreeSet<LinkId> { &routes[if are_alike { to } else { 9 * from + to }] };
            let pairs = (0..81).filter(|&pair| has_message[pair]);
            let messages = pairs.map(|pair| Part { from: pair / 9, to: pair % 9, bytes: 1 });
            let behind = Behind::of(9, 6, messages, |from, to, links| links.extend(route(from, to)));
            for from in 0..9 {
                let receivers: Vec<Rank> = (0..9).filter(|&to| has_message[9 * from + to]).collect();
                let mut open = vec![0];
                receivers.iter().for_each(|&to| ranks::insert(&mut open, to));
                for link in 0..6 {
                    let expected: Vec<Rank> =
                        receivers.iter().copied().filter(|&to| route(from, to).contains(&link)).collect();
                    // A sender asks only for links on its ways.
                    if expected.is_empty() {
                        continue;
                    }
                    let (mut added, mut left) = (vec![0], open.clone());
                    behind.add(link, from, &open, &mut added);
                    let is_any_left = behind.take_out(link, from, &mut left);
                    let is_in = |set: &[u64]| receivers.iter().copied().filter(|&to| ranks::contains(set, to)).collect::<Vec<Rank>>();
                    prop_assert_eq!(is_in(&added), expected.clone());
                    prop_assert_eq!(is_in(&left).len(), receivers.len() - expected.len());
                    prop_assert_eq!(is_any_left, expected.len() < receivers.len());
                }
            }
            // One set a link is enough where all senders have the same.
            prop_assert!(!are_alike || behind.sets.len() <= 6);
        }
    }
}
