//! The pairs of a sender and a receiver whose message waits for room on a link, so that nobody looks at them again
//! before there is some.
//!
//! A pair that finds a link full waits there, until something that was on the link has left. Then it is awake again:
//! its sender looks at it when it chooses the next time, and it may find another link full. A sender that is free and
//! has found nothing looks again only when a pair of it has woken up, or a receiver has become free for one.

use super::super::super::rounds::paths::Paths;
use crate::rank::Rank;

/// The pairs that are awake, and for each link those that wait for it.
pub(super) struct Waiting {
    /// Words of bits of a row, and of a column.
    words: usize,
    /// For each sender a bit for each receiver for whom it has something, if the pair is awake; and the same by receiver.
    by_sender: Vec<u64>,
    by_receiver: Vec<u64>,
    /// The pairs that wait for each link.
    links: Vec<Vec<(u32, u32)>>,
    /// The senders that must look again, each once.
    again: Vec<Rank>,
    is_again: Vec<bool>,
}

impl Waiting {
    /// With all links empty, and nobody who has something.
    pub(super) fn new(nodes: usize, paths: &Paths) -> Waiting {
        let words = nodes.div_ceil(64);
        Waiting {
            words,
            by_sender: vec![0; nodes * words],
            by_receiver: vec![0; nodes * words],
            links: vec![Vec::new(); paths.capacity.len()],
            again: Vec::new(),
            is_again: vec![false; nodes],
        }
    }

    /// Wakes a pair, whose sender is to look again.
    pub(super) fn wake(&mut self, from: Rank, to: Rank) {
        self.by_sender[from * self.words + to / 64] |= 1 << (to % 64);
        self.by_receiver[to * self.words + from / 64] |= 1 << (from % 64);
        self.look_again(from);
    }

    /// Takes a pair away, as it has nothing more to send or has to wait.
    pub(super) fn sleep(&mut self, from: Rank, to: Rank) {
        self.by_sender[from * self.words + to / 64] &= !(1 << (to % 64));
        self.by_receiver[to * self.words + from / 64] &= !(1 << (from % 64));
    }

    /// Lets a pair wait for a link.
    pub(super) fn wait(&mut self, from: Rank, to: Rank, link: u32) {
        self.sleep(from, to);
        self.links[link as usize].push((from as u32, to as u32));
    }

    /// Wakes all pairs that wait for a link.
    pub(super) fn has_room(&mut self, link: u32) {
        let mut pairs = std::mem::take(&mut self.links[link as usize]);
        for (from, to) in pairs.drain(..) {
            self.wake(from as Rank, to as Rank);
        }
        self.links[link as usize] = pairs;
    }

    /// Lets a sender look again.
    pub(super) fn look_again(&mut self, from: Rank) {
        if !std::mem::replace(&mut self.is_again[from], true) {
            self.again.push(from);
        }
    }

    /// Lets all senders look again that have something for a receiver, which has become free.
    pub(super) fn is_free(&mut self, to: Rank) {
        for word in 0..self.words {
            let mut senders = self.by_receiver[to * self.words + word];
            while senders != 0 {
                self.look_again(64 * word + senders.trailing_zeros() as usize);
                senders &= senders - 1;
            }
        }
    }

    /// The senders that must look again, in no particular order.
    pub(super) fn take_again(&mut self) -> Vec<Rank> {
        self.again.iter().for_each(|&from| self.is_again[from] = false);
        std::mem::take(&mut self.again)
    }

    /// The receivers of the pairs of a sender that are awake, of those that have a bit in `free`.
    pub(super) fn receivers(&self, from: Rank, free: &[u64], found: &mut Vec<Rank>) {
        found.clear();
        for (word, free) in free.iter().enumerate() {
            let mut receivers = self.by_sender[from * self.words + word] & free;
            while receivers != 0 {
                found.push(64 * word + receivers.trailing_zeros() as usize);
                receivers &= receivers - 1;
            }
        }
    }
}
