//! Who waits for room on which link, so that nobody looks again at receivers behind a full one before there is some.
//!
//! A sender that finds a link full waits there with all receivers to whom it goes over this link. When something has
//! left the link, those who wait there look again, in their order and only as long as it has room; they may find links
//! behind full. A sender that is free and has found nothing looks again only when a link for which it waits has room,
//! or a receiver that it can reach has become free.

use super::{
    super::super::{
        Instance,
        rounds::{Part, parts, paths::Paths},
    },
    behind::Behind,
    ranks::{self, Ranks, Rows},
};
use crate::{rank::Rank, topology::LinkId};

/// The exactness of sums of speeds.
const EXACT: f64 = 1.0 - 1e-6;

/// The links, and those who wait for them.
pub(super) struct Waiting<'a> {
    instance: &'a Instance,
    paths: &'a Paths,
    /// The links of the message that is looked at.
    route: Vec<LinkId>,
    behind: Behind,
    /// The part of each link that messages under way may take, in bytes/s, and whether there is no room for another one.
    taken: Vec<f64>,
    is_full: Vec<bool>,
    /// For each sender the receivers for whom it has something.
    open: Rows,
    /// The same without those that are known to be behind a full link.
    reached: Rows,
    /// The senders that wait for each link; `None` if nobody ever has.
    senders: Vec<Option<Ranks>>,
    /// The links for which each sender waits, and how many are before them on the way: first those that have most behind them, if
    /// its ways are a tree.
    waits: Vec<Vec<(usize, LinkId)>>,
    /// The links for which senders wait and on which there is room again since the last look, and how many of them still
    /// have some.
    released: Vec<LinkId>,
    is_released: Vec<bool>,
    roomy: usize,
    /// The senders that have become free since the last look: they look whatever the links are like.
    fresh: Ranks,
    /// The receivers that have become free since the last look.
    freed: Vec<Rank>,
    /// The senders that found nobody when they looked last, but who have something for somebody who was not free then.
    hopeful: Ranks,
    /// The receivers that a sender may have gained; kept for its memory.
    gained: Vec<u64>,
    /// The number of links, receivers and senders that have been looked at.
    looks: u64,
}

impl<'a> Waiting<'a> {
    /// All links empty, and all messages waiting for nothing but their senders and receivers.
    pub(super) fn new(instance: &'a Instance, paths: &'a Paths) -> Waiting<'a> {
        let (members, links) = (instance.size(), paths.capacity.len());
        let mut open = Rows::new(members);
        let note = |part: &Part| ranks::insert(open.row_mut(part.from), part.to);
        let messages = parts(instance.matrix()).inspect(note);
        let behind =
            Behind::of(members, links, messages, |from, to, route| find_route(instance, from, to, route));
        let mut fresh = Ranks::new(members);
        (0..members).for_each(|from| fresh.insert(from));
        Waiting {
            instance,
            paths,
            route: Vec::new(),
            behind,
            taken: vec![0.0; links],
            is_full: vec![false; links],
            reached: Rows::copy_of(&open),
            open,
            senders: vec![None; links],
            waits: vec![Vec::new(); members],
            released: Vec::new(),
            is_released: vec![false; links],
            roomy: 0,
            fresh,
            freed: Vec::new(),
            hopeful: Ranks::new(members),
            gained: vec![0; ranks::words(members)],
            looks: 0,
        }
    }

    /// Whether the sets behind links are not complete, as they would take too much memory.
    pub(super) fn is_too_large(&self) -> bool {
        self.behind.is_too_large()
    }

    /// Counts senders that have been put in order as looks.
    pub(super) fn have_been_sorted(&mut self, senders: usize) {
        self.looks += senders as u64;
    }

    /// The number of links, receivers and senders that have been looked at.
    pub(super) fn looks(&self) -> u64 {
        self.looks
    }

    /// Takes what a message may take of each link on its way.
    #[inline]
    pub(super) fn take(&mut self, part: &Part) {
        find_route(self.instance, part.from, part.to, &mut self.route);
        for nth in 0..self.route.len() {
            let link = self.route[nth];
            if self.change(link, 1.0) && self.is_released[link] {
                self.roomy -= 1;
            }
        }
    }

    /// Gives it back.
    #[inline]
    pub(super) fn give_back(&mut self, part: &Part) {
        find_route(self.instance, part.from, part.to, &mut self.route);
        for nth in 0..self.route.len() {
            let link = self.route[nth];
            if self.change(link, -1.0) && self.senders[link].is_some() {
                if !std::mem::replace(&mut self.is_released[link], true) {
                    self.released.push(link);
                }
                self.roomy += 1;
            }
        }
    }

    /// Changes what is taken of a link, and returns whether it is now full and was not, or the other way round.
    #[inline]
    fn change(&mut self, link: LinkId, times: f64) -> bool {
        let room = self.paths.room;
        let taken = &mut self.taken[link];
        *taken += times * room;
        // Sums do not always come to nothing again.
        if *taken < 0.5 * room {
            *taken = 0.0;
        }
        // One that is slower than a port, or nearly so, is for one at a time.
        let is_full = *taken != 0.0 && self.paths.capacity[link] - *taken < EXACT * room;
        std::mem::replace(&mut self.is_full[link], is_full) != is_full
    }

    /// Notes that a receiver gets nothing more from a sender.
    #[inline]
    pub(super) fn close(&mut self, from: Rank, to: Rank) {
        ranks::remove(self.open.row_mut(from), to);
        ranks::remove(self.reached.row_mut(from), to);
    }

    /// Notes that a sender has become free.
    #[inline]
    pub(super) fn sender_is_free(&mut self, from: Rank) {
        self.fresh.insert(from);
    }

    /// Notes that a receiver has become free.
    #[inline]
    pub(super) fn receiver_is_free(&mut self, to: Rank) {
        self.freed.push(to);
    }

    /// Adds those of the free senders that may find somebody to a set.
    pub(super) fn who_looks(&self, idle: &Ranks, all: &mut Ranks) {
        all.add(&self.fresh);
        for &link in &self.released {
            if let Some(senders) = &self.senders[link]
                && !self.is_full[link]
            {
                all.add(senders);
            }
        }
        // Few receivers become free at a time, unless nearly all senders do so as well.
        all.add_if([idle, &self.hopeful], |from| self.freed.iter().any(|&to| self.is_reached(from, to)));
        all.keep(idle);
    }

    /// Whether a sender has become free since the last look.
    #[inline]
    pub(super) fn is_fresh(&self, from: Rank) -> bool {
        self.fresh.contains(from)
    }

    /// Whether one of them need not look any more, since the links for which it waits are full again, and the receivers that
    /// have become free are taken. (It has found nobody else before.)
    #[inline]
    pub(super) fn is_in_vain(&self, from: Rank, free: &Ranks) -> bool {
        let is_there = |&to: &Rank| free.contains(to) && self.is_reached(from, to);
        !self.is_fresh(from) && !self.has_room_again(from) && !self.freed.iter().any(is_there)
    }

    /// Whether there is room again on a link for which a sender waits, by whichever list is shorter.
    #[inline]
    fn has_room_again(&self, from: Rank) -> bool {
        let has_room = |link: LinkId| !self.is_full[link];
        let is_awaited =
            |link: LinkId| self.senders[link].as_ref().is_some_and(|senders| senders.contains(from));
        match self.released.len() > self.waits[from].len() {
            true => self.waits[from].iter().any(|&(_, link)| has_room(link)),
            false => self.released.iter().any(|&link| has_room(link) && is_awaited(link)),
        }
    }

    /// Whether nobody but fresh senders needs to look any more: there is room on none of the links for which there has been
    /// some since the last look, and all receivers that have become free since then are taken.
    #[inline]
    pub(super) fn is_over(&self, free: &Ranks) -> bool {
        self.roomy == 0 && !self.freed.iter().any(|&to| free.contains(to))
    }

    /// Notes that a sender has found nobody.
    #[inline]
    pub(super) fn has_found_nobody(&mut self, from: Rank) {
        match self.reached.row(from).iter().any(|&word| word != 0) {
            true => self.hopeful.insert(from),
            false => self.hopeful.remove(from),
        }
    }

    /// Notes that all have looked.
    pub(super) fn have_looked(&mut self) {
        self.released.drain(..).for_each(|link| self.is_released[link] = false);
        self.roomy = 0;
        self.fresh.clear();
        self.freed.clear();
    }

    /// Whether a sender has something for a receiver who is not known to be behind a full link.
    #[inline]
    pub(super) fn is_reached(&self, from: Rank, to: Rank) -> bool {
        ranks::contains(self.reached.row(from), to)
    }

    /// Whether there are receivers among some that are free for whom a sender has something and who are not known to be behind
    /// a full link.
    #[inline]
    pub(super) fn has_receivers(&mut self, from: Rank, free: &Ranks) -> bool {
        let Waiting { behind, is_full, open, reached, senders, waits, gained, .. } = self;
        let (open, reached, waits) = (open.row(from), reached.row_mut(from), &mut waits[from]);
        let before = waits.len();
        gained.fill(0);
        waits.retain(|&(_, link)| {
            if !is_full[link] {
                senders[link].iter_mut().for_each(|senders| senders.remove(from));
                behind.add(link, from, open, gained);
            }
            is_full[link]
        });
        // Some of these may be behind another link for which it waits.
        let is_gain =
            waits.len() < before && waits.iter().all(|&(_, link)| behind.take_out(link, from, gained));
        if is_gain {
            reached.iter_mut().zip(gained).for_each(|(reached, gained)| *reached |= *gained);
        }
        let found: u32 = reached.iter().zip(free.words()).map(|(to, free)| (to & free).count_ones()).sum();
        self.looks += before as u64 + u64::from(found);
        found > 0
    }

    /// The receivers of a word of those that are free for whom a sender has something and who are not known to be behind a full
    /// link.
    #[inline]
    pub(super) fn reached_among(&self, from: Rank, free: &Ranks, word: usize) -> u64 {
        self.reached.row(from)[word] & free.words()[word]
    }

    /// Whether there is room for a message on all its links; if there is none on one, the sender waits there with all who are
    /// behind it.
    #[inline]
    pub(super) fn has_room(&mut self, from: Rank, to: Rank) -> bool {
        find_route(self.instance, from, to, &mut self.route);
        let Some(nth) = self.route.iter().position(|&link| self.is_full[link]) else { return true };
        let (full, members, waits) = (self.route[nth], self.waits.len(), &mut self.waits[from]);
        self.senders[full].get_or_insert_with(|| Ranks::new(members)).insert(from);
        debug_assert!(!waits.iter().any(|&(_, link)| link == full), "{from} waits twice for link {full}");
        let place = waits.iter().position(|&(before, _)| before > nth).unwrap_or(waits.len());
        waits.insert(place, (nth, full));
        self.behind.take_out(full, from, self.reached.row_mut(from));
        false
    }
}

/// Finds the links of a message. To ask a grid or a tree takes less than to look them up: those of all messages do not stay near the
/// processor.
#[inline]
fn find_route(instance: &Instance, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
    route.clear();
    let members = instance.members();
    instance.machine().topology().route(members[from], members[to], route);
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
            name in prop::sample::select(vec!["mesh:3x4", "fat-tree:12", "ring:12", "dragonfly:2x2x3", "dragonfly:3x2x2:valiant"]),
            bytes in prop::collection::vec(0..3_u64, 144),
            moves in prop::collection::vec((0..144_usize, any::<bool>(), 0..12_usize), 60)
        ) {
            let machine = Description::new("any", topology::parse(name).unwrap(), Parameters::hockney());
            let matrix = Matrix::of(12, |from, to| bytes[12 * from + to]).unwrap().without_own();
            let instance = Instance::new(&machine, matrix).unwrap();
            let paths = Paths::of(&instance);
            let messages: Vec<Part> = parts(instance.matrix()).collect();
            let mut waiting = Waiting::new(&instance, &paths);
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
                let mut found = Vec::new();
                waiting.has_receivers(from, &everybody);
                for to in 0..12 {
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
