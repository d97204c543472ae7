//! Who waits for room on which link, so that nobody looks again at receivers behind a full one before there is some.
//!
//! A sender that finds a link full waits there with all receivers to whom it goes over this link. When something has
//! left the link, the sender goes on from there when it looks the next time, and may find links behind full. A sender
//! that is free and has found nothing looks again only when a link for which it waits has room, or a receiver that it
//! can reach has become free.

use super::{
    super::super::rounds::{Part, paths::Paths},
    ranks::Ranks,
    trees::{Place, Trees},
};
use crate::rank::Rank;

/// The exactness of sums of speeds.
const EXACT: f64 = 1.0 - 1e-6;

/// The links, and those who wait for them.
pub(super) struct Waiting<'a> {
    paths: &'a Paths,
    trees: Trees,
    /// The part of each link that messages under way may take, in bytes/s, and whether there is no room for another one.
    taken: Vec<f64>,
    is_full: Vec<bool>,
    /// For each sender the receivers for whom it has something.
    open: Vec<Ranks>,
    /// The same without those that are known to be behind a full link.
    reached: Vec<Ranks>,
    /// The places, each of a sender, that wait for each link; and whether a place does.
    links: Vec<Vec<(u32, Place)>>,
    waits: Vec<bool>,
    /// The places of each sender that wait no more, from which it has to go on.
    woken: Vec<Vec<Place>>,
    /// The senders that must look again, each once.
    again: Vec<Rank>,
    is_again: Vec<bool>,
    /// The number of places and receivers that have been looked at.
    looks: u64,
}

impl<'a> Waiting<'a> {
    /// All links empty, and all messages waiting for nothing but their senders and receivers.
    pub(super) fn new(members: usize, messages: impl Iterator<Item = Part>, paths: &'a Paths) -> Waiting<'a> {
        let mut open = vec![Ranks::new(members); members];
        let note = |part: &Part| open[part.from].insert(part.to);
        let trees = Trees::of(members, messages.inspect(note), paths);
        Waiting {
            paths,
            taken: vec![0.0; paths.capacity.len()],
            is_full: vec![false; paths.capacity.len()],
            reached: open.clone(),
            open,
            links: vec![Vec::new(); paths.capacity.len()],
            waits: vec![false; trees.len()],
            woken: vec![Vec::new(); members],
            again: (0..members).collect(),
            is_again: vec![true; members],
            looks: 0,
            trees,
        }
    }

    /// The number of places and receivers that have been looked at.
    pub(super) fn looks(&self) -> u64 {
        self.looks
    }

    /// Takes what a message may take of each link on its way.
    pub(super) fn take(&mut self, part: &Part) {
        self.change(part, 1.0);
    }

    /// Gives it back, and wakes who waits for it.
    pub(super) fn give_back(&mut self, part: &Part) {
        self.change(part, -1.0);
        for &link in self.paths.path(part) {
            if self.is_full[link as usize] {
                continue;
            }
            let mut waiting = std::mem::take(&mut self.links[link as usize]);
            for (from, place) in waiting.drain(..) {
                self.waits[place as usize] = false;
                self.woken[from as usize].push(place);
                self.look_again(from as Rank);
            }
            self.links[link as usize] = waiting;
        }
    }

    fn change(&mut self, part: &Part, times: f64) {
        let room = self.paths.room;
        for &link in self.paths.path(part) {
            let link = link as usize;
            let taken = &mut self.taken[link];
            *taken += times * room;
            // Sums do not always come to nothing again.
            if *taken < 0.5 * room {
                *taken = 0.0;
            }
            // One that is slower than a port, or nearly so, is for one at a time.
            self.is_full[link] = *taken != 0.0 && self.paths.capacity[link] - *taken < EXACT * room;
        }
    }

    /// Notes that a receiver gets nothing more from a sender.
    pub(super) fn close(&mut self, from: Rank, to: Rank) {
        self.trees.close(from, to);
        self.open[from].remove(to);
        self.reached[from].remove(to);
    }

    /// Lets a sender look again.
    pub(super) fn look_again(&mut self, from: Rank) {
        if !std::mem::replace(&mut self.is_again[from], true) {
            self.again.push(from);
        }
    }

    /// The senders that must look again, in no particular order.
    pub(super) fn take_again(&mut self) -> Vec<Rank> {
        self.again.iter().for_each(|&from| self.is_again[from] = false);
        std::mem::take(&mut self.again)
    }

    /// Whether a sender has something for a receiver who is not known to be behind a full link.
    pub(super) fn is_reached(&self, from: Rank, to: Rank) -> bool {
        self.reached[from].contains(to)
    }

    /// The receivers among some that are free for whom a sender has something and who are not known to be behind a full
    /// link.
    pub(super) fn receivers(&mut self, from: Rank, free: &Ranks, found: &mut Vec<Rank>) {
        let mut woken = std::mem::take(&mut self.woken[from]);
        woken.drain(..).for_each(|place| self.go_on(from, place));
        self.woken[from] = woken;
        found.clear();
        found.extend(self.reached[from].common(free));
        self.looks += found.len() as u64;
    }

    /// Finds out who can be reached behind a place that waits no more. If one before it waits, that is done later, from there.
    fn go_on(&mut self, from: Rank, start: Place) {
        if self.trees.way_back(start).any(|place| self.waits[place as usize]) {
            return;
        }
        let (mut place, end) = (start, self.trees.end(start));
        while place < end {
            self.looks += 1;
            if self.waits[place as usize] || !self.trees.is_open(place) {
                place = self.trees.end(place);
                continue;
            }
            if let Some(link) = self.trees.link(place).filter(|&link| self.is_full[link as usize]) {
                self.wait(from, place, link);
                place = self.trees.end(place);
                continue;
            }
            if let Some(to) = self.trees.receiver(place).filter(|&to| self.open[from].contains(to)) {
                self.reached[from].insert(to);
            }
            place += 1;
        }
    }

    /// Whether there is room for a message on all its links; if there is none on one, the sender waits there with all who are
    /// behind it.
    pub(super) fn has_room(&mut self, from: Rank, to: Rank) -> bool {
        let place = self.trees.place(from, to);
        let link = |place: Place| self.trees.link(place).filter(|&link| self.is_full[link as usize]);
        let full = self.trees.way_back(place).filter_map(|place| Some((place, link(place)?)));
        let Some((first, link)) = full.last() else { return true };
        if !self.waits[first as usize] {
            self.wait(from, first, link);
        }
        for place in first..self.trees.end(first) {
            if let Some(to) = self.trees.receiver(place) {
                self.reached[from].remove(to);
            }
        }
        false
    }

    fn wait(&mut self, from: Rank, place: Place, link: u32) {
        self.waits[place as usize] = true;
        self.links[link as usize].push((from as u32, place));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        exchange::{Instance, Matrix, rounds::parts},
        model::{Description, Parameters},
        topology,
    };

    proptest! {
        /// Whatever has been taken and given back, a sender finds those whose links all have room, and nobody else.
        #[test]
        fn senders_find_everybody_for_whom_there_is_room(
            name in prop::sample::select(vec!["mesh:3x4", "fat-tree:12", "ring:12", "dragonfly:2x2x3"]),
            bytes in prop::collection::vec(0..3_u64, 144),
            moves in prop::collection::vec((0..144_usize, any::<bool>(), 0..12_usize), 60)
        ) {
            let machine = Description::new("any", topology::parse(name).unwrap(), Parameters::hockney());
            let matrix = Matrix::of(12, |from, to| bytes[12 * from + to]).unwrap().without_own();
            let instance = Instance::new(&machine, matrix).unwrap();
            let paths = Paths::of(&instance);
            let messages: Vec<Part> = parts(instance.matrix()).collect();
            let mut waiting = Waiting::new(12, messages.iter().copied(), &paths);
            let mut everybody = Ranks::new(12);
            (0..12).for_each(|rank| everybody.insert(rank));
            let (mut taken, mut closed) = (Vec::<Part>::new(), Vec::new());
            for (nth, is_back, from) in moves {
                let is_full = |link: u32| {
                    let count = taken.iter().filter(|part| paths.path(part).contains(&link)).count();
                    let room = paths.capacity[link as usize] - count as f64 * paths.room;
                    count > 0 && room < EXACT * paths.room
                };
                let has_room = |part: &Part| !paths.path(part).iter().any(|&link| is_full(link));
                let (mut found, mut receivers) = (Vec::new(), Vec::new());
                waiting.receivers(from, &everybody, &mut receivers);
                for to in receivers {
                    if waiting.is_reached(from, to) && waiting.has_room(from, to) {
                        found.push(to);
                    }
                }
                let mine = messages.iter().filter(|part| part.from == from && !closed.contains(*part));
                let expected: Vec<Rank> = mine.filter(|part| has_room(part)).map(|part| part.to).collect();
                prop_assert_eq!(found, expected);
                if is_back && !taken.is_empty() {
                    waiting.give_back(&taken.swap_remove(nth % taken.len()));
                } else if let Some(&part) = messages.get(nth)
                    && !closed.contains(&part)
                    && has_room(&part)
                {
                    waiting.take(&part);
                    taken.push(part);
                    if nth % 3 == 0 {
                        waiting.close(part.from, part.to);
                        closed.push(part);
                    }
                }
            }
        }
    }
}
