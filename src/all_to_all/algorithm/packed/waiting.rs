//! Senders waiting for capacity on links, so that receivers reachable through a full link are not examined again until it has capacity.
//!
//! A sender that finds a link full waits for this link with all its receivers reachable through the link (see `link_receivers`). When a
//! message has left the link, the waiting senders search again, in the order of their remaining work, as long as the link has capacity. They
//! may find later links full. A free sender without a match searches again only when a link that it waits for has capacity, or when a
//! reachable receiver becomes free.

use super::{
    super::super::{
        Instance,
        rounds::{Part, parts, paths::Paths},
    },
    link_receivers::LinkReceivers,
    ranks::{self, Ranks, Rows},
};
use crate::{rank::Rank, topology::LinkId};

/// Factor that leaves a tolerance for rounding in sums of rates.
const EXACT: f64 = 1.0 - 1e-6;

/// The links, and the senders waiting for them.
pub(super) struct WaitingSenders<'a> {
    instance: &'a Instance,
    paths: &'a Paths,
    /// Buffer for the links of a message; reused to save allocations.
    route: Vec<LinkId>,
    link_receivers: LinkReceivers,
    /// The rate of each link reserved by current messages, in bytes/s, and whether the link is full.
    taken: Vec<f64>,
    is_full: Vec<bool>,
    /// For each sender, the receivers of its remaining messages.
    open: Rows,
    /// The reachable receivers in `open`: those not known to be reachable only through a full link.
    reached: Rows,
    /// The senders waiting for each link; `None` if none ever has.
    senders: Vec<Option<Ranks>>,
    /// The links that each sender waits for, each with the number of links before it on the path. In a tree the links with the most
    /// receivers reachable through them come first.
    waits: Vec<Vec<(usize, LinkId)>>,
    /// The awaited links that have regained capacity since the last search, and the number of them that still have capacity.
    released: Vec<LinkId>,
    is_released: Vec<bool>,
    released_with_capacity: usize,
    /// The senders that have become free since the last search. They search regardless of the state of the links.
    fresh: Ranks,
    /// The receivers that have become free since the last search.
    freed: Vec<Rank>,
    /// The senders without a match in their last search whose reachable receivers were all busy.
    awaiting_receiver: Ranks,
    /// Buffer for the receivers that a sender regains; reused to save allocations.
    gained: Vec<u64>,
    /// Number of inspected links, receivers and senders.
    inspections: u64,
}

impl<'a> WaitingSenders<'a> {
    /// Creates the initial state: all links are empty, and no sender waits for a link.
    pub(super) fn new(instance: &'a Instance, paths: &'a Paths) -> WaitingSenders<'a> {
        let (members, links) = (instance.size(), paths.capacity.len());
        let mut open = Rows::new(members);
        let note = |part: &Part| ranks::insert(open.row_mut(part.from), part.to);
        let messages = parts(instance.matrix()).inspect(note);
        let link_receivers = LinkReceivers::of(members, links, messages, |from, to, route| {
            find_route(instance, from, to, route)
        });
        let mut fresh = Ranks::new(members);
        (0..members).for_each(|from| fresh.insert(from));
        WaitingSenders {
            instance,
            paths,
            route: Vec::new(),
            link_receivers,
            taken: vec![0.0; links],
            is_full: vec![false; links],
            reached: Rows::copy_of(&open),
            open,
            senders: vec![None; links],
            waits: vec![Vec::new(); members],
            released: Vec::new(),
            is_released: vec![false; links],
            released_with_capacity: 0,
            fresh,
            freed: Vec::new(),
            awaiting_receiver: Ranks::new(members),
            gained: vec![0; ranks::words(members)],
            inspections: 0,
        }
    }

    /// Returns whether the sets of links need too much memory. Then they are incomplete.
    pub(super) fn is_too_large(&self) -> bool {
        self.link_receivers.is_too_large()
    }

    /// Adds sorted senders to the number of inspections.
    pub(super) fn count_sorted(&mut self, senders: usize) {
        self.inspections += senders as u64;
    }

    /// Returns the number of inspected links, receivers and senders.
    pub(super) fn inspections(&self) -> u64 {
        self.inspections
    }

    /// Reserves the rate of a message on each link of its path.
    #[inline]
    pub(super) fn reserve(&mut self, part: &Part) {
        find_route(self.instance, part.from, part.to, &mut self.route);
        for nth in 0..self.route.len() {
            let link = self.route[nth];
            if self.change(link, 1.0) && self.is_released[link] {
                self.released_with_capacity -= 1;
            }
        }
    }

    /// Releases the rate of a message on each link of its path.
    #[inline]
    pub(super) fn release(&mut self, part: &Part) {
        find_route(self.instance, part.from, part.to, &mut self.route);
        for nth in 0..self.route.len() {
            let link = self.route[nth];
            if self.change(link, -1.0) && self.senders[link].is_some() {
                if !std::mem::replace(&mut self.is_released[link], true) {
                    self.released.push(link);
                }
                self.released_with_capacity += 1;
            }
        }
    }

    /// Changes the reserved rate of a link. Returns whether the link became full or ceased to be full.
    #[inline]
    fn change(&mut self, link: LinkId, times: f64) -> bool {
        let room = self.paths.room;
        let taken = &mut self.taken[link];
        *taken += times * room;
        // Clears rounding errors of an empty link.
        if *taken < 0.5 * room {
            *taken = 0.0;
        }
        // A link that is slower than a port, or about as fast, carries one message at a time.
        let is_full = *taken != 0.0 && self.paths.capacity[link] - *taken < EXACT * room;
        std::mem::replace(&mut self.is_full[link], is_full) != is_full
    }

    /// Records that a sender has no more data for a receiver.
    #[inline]
    pub(super) fn close(&mut self, from: Rank, to: Rank) {
        ranks::remove(self.open.row_mut(from), to);
        ranks::remove(self.reached.row_mut(from), to);
    }

    /// Records that a sender has become free.
    #[inline]
    pub(super) fn sender_is_free(&mut self, from: Rank) {
        self.fresh.insert(from);
    }

    /// Records that a receiver has become free.
    #[inline]
    pub(super) fn receiver_is_free(&mut self, to: Rank) {
        self.freed.push(to);
    }

    /// Adds to `all` the free senders that may find a receiver.
    pub(super) fn add_searching(&self, idle: &Ranks, all: &mut Ranks) {
        all.add(&self.fresh);
        for &link in &self.released {
            if let Some(senders) = &self.senders[link]
                && !self.is_full[link]
            {
                all.add(senders);
            }
        }
        // A linear search suffices, because few receivers become free at a time, unless nearly all senders do too.
        all.add_if([idle, &self.awaiting_receiver], |from| {
            self.freed.iter().any(|&to| self.is_reachable(from, to))
        });
        all.keep(idle);
    }

    /// Returns whether a sender has become free since the last search.
    #[inline]
    pub(super) fn is_fresh(&self, from: Rank) -> bool {
        self.fresh.contains(from)
    }

    /// Returns whether a sender need not search any more: the links that it waits for are full again, and the receivers that became free
    /// are taken. (Its earlier searches found no other receiver.)
    #[inline]
    pub(super) fn cannot_match(&self, from: Rank, free: &Ranks) -> bool {
        let is_there = |&to: &Rank| free.contains(to) && self.is_reachable(from, to);
        !self.is_fresh(from) && !self.has_capacity_again(from) && !self.freed.iter().any(is_there)
    }

    /// Returns whether a link that a sender waits for has capacity again, using the shorter of two lists.
    #[inline]
    fn has_capacity_again(&self, from: Rank) -> bool {
        let has_capacity = |link: LinkId| !self.is_full[link];
        let is_awaited =
            |link: LinkId| self.senders[link].as_ref().is_some_and(|senders| senders.contains(from));
        match self.released.len() > self.waits[from].len() {
            true => self.waits[from].iter().any(|&(_, link)| has_capacity(link)),
            false => self.released.iter().any(|&link| has_capacity(link) && is_awaited(link)),
        }
    }

    /// Returns whether only fresh senders still need to search: all links that had regained capacity are full again, and all receivers
    /// that had become free are taken.
    #[inline]
    pub(super) fn is_search_done(&self, free: &Ranks) -> bool {
        self.released_with_capacity == 0 && !self.freed.iter().any(|&to| free.contains(to))
    }

    /// Records that a sender has found no receiver.
    #[inline]
    pub(super) fn note_unmatched(&mut self, from: Rank) {
        match self.reached.row(from).iter().any(|&word| word != 0) {
            true => self.awaiting_receiver.insert(from),
            false => self.awaiting_receiver.remove(from),
        }
    }

    /// Clears the changes since the last search, after all senders have searched.
    pub(super) fn end_search(&mut self) {
        self.released.drain(..).for_each(|link| self.is_released[link] = false);
        self.released_with_capacity = 0;
        self.fresh.clear();
        self.freed.clear();
    }

    /// Returns whether a sender has data for a receiver that is not known to be reachable only through a full link.
    #[inline]
    pub(super) fn is_reachable(&self, from: Rank, to: Rank) -> bool {
        ranks::contains(self.reached.row(from), to)
    }

    /// Updates the reachable receivers of a sender. Returns whether the sender has data for a free receiver that is not known to be
    /// reachable only through a full link.
    #[inline]
    pub(super) fn has_receivers(&mut self, from: Rank, free: &Ranks) -> bool {
        let WaitingSenders { link_receivers, is_full, open, reached, senders, waits, gained, .. } = self;
        let (open, reached, waits) = (open.row(from), reached.row_mut(from), &mut waits[from]);
        let before = waits.len();
        gained.fill(0);
        waits.retain(|&(_, link)| {
            if !is_full[link] {
                senders[link].iter_mut().for_each(|senders| senders.remove(from));
                link_receivers.add(link, from, open, gained);
            }
            is_full[link]
        });
        // Regained receivers may be reachable only through another link that the sender waits for.
        let is_gain = waits.len() < before
            && waits.iter().all(|&(_, link)| link_receivers.subtract(link, from, gained));
        if is_gain {
            reached.iter_mut().zip(gained).for_each(|(reached, gained)| *reached |= *gained);
        }
        let found: u32 = reached.iter().zip(free.words()).map(|(to, free)| (to & free).count_ones()).sum();
        self.inspections += before as u64 + u64::from(found);
        found > 0
    }

    /// Returns word `word` of the set of free receivers that the sender has data for and that are not known to be reachable only through a full link.
    #[inline]
    pub(super) fn free_reachable(&self, from: Rank, free: &Ranks, word: usize) -> u64 {
        self.reached.row(from)[word] & free.words()[word]
    }

    /// Returns whether all links of a message have capacity. If not, the sender waits at the first full link with all its receivers
    /// reachable through this link.
    #[inline]
    pub(super) fn has_capacity(&mut self, from: Rank, to: Rank) -> bool {
        find_route(self.instance, from, to, &mut self.route);
        let Some(nth) = self.route.iter().position(|&link| self.is_full[link]) else { return true };
        let (full, members, waits) = (self.route[nth], self.waits.len(), &mut self.waits[from]);
        self.senders[full].get_or_insert_with(|| Ranks::new(members)).insert(from);
        debug_assert!(!waits.iter().any(|&(_, link)| link == full), "{from} waits twice for link {full}");
        let place = waits.iter().position(|&(before, _)| before > nth).unwrap_or(waits.len());
        waits.insert(place, (nth, full));
        self.link_receivers.subtract(full, from, self.reached.row_mut(from));
        false
    }
}

/// Finds the links of a message. Computing routes of a grid or a tree is faster than a lookup table, which does not fit into the cache.
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
        all_to_all::{Instance, Matrix, rounds::parts},
        model::{MachineSpec, Parameters},
        topology,
    };

    proptest! {
        /// After any reservations and releases, a sender finds exactly the receivers whose links all have capacity.
        #[test]
        fn senders_find_exactly_the_receivers_with_capacity_on_the_path(
            name in prop::sample::select(vec!["mesh:3x4", "fat-tree:12", "ring:12", "dragonfly:2x2x3", "dragonfly:3x2x2:valiant"]),
            bytes in prop::collection::vec(0..3_u64, 144),
            moves in prop::collection::vec((0..144_usize, any::<bool>(), 0..12_usize), 60)
        ) {
            let machine = MachineSpec::new("any", topology::parse(name).unwrap(), Parameters::hockney());
            let matrix = Matrix::of(12, |from, to| bytes[12 * from + to]).unwrap().without_own();
            let instance = Instance::new(&machine, matrix).unwrap();
            let paths = Paths::of(&instance);
            let messages: Vec<Part> = parts(instance.matrix()).collect();
            let mut waiting = WaitingSenders::new(&instance, &paths);
            let mut all_ranks = Ranks::new(12);
            (0..12).for_each(|rank| all_ranks.insert(rank));
            let (mut taken, mut closed) = (Vec::<Part>::new(), Vec::new());
            for (nth, is_back, from) in moves {
                let is_full = |link: u32| {
                    let count = taken.iter().filter(|part| paths.path(part).contains(&link)).count();
                    let room = paths.capacity[link as usize] - count as f64 * paths.room;
                    count > 0 && room < EXACT * paths.room
                };
                let has_capacity = |part: &Part| !paths.path(part).iter().any(|&link| is_full(link));
                let mut found = Vec::new();
                waiting.has_receivers(from, &all_ranks);
                for to in 0..12 {
                    if waiting.is_reachable(from, to) && waiting.has_capacity(from, to) {
                        found.push(to);
                    }
                }
                let mine = messages.iter().filter(|part| part.from == from && !closed.contains(*part));
                let expected: Vec<Rank> = mine.filter(|part| has_capacity(part)).map(|part| part.to).collect();
                prop_assert_eq!(found, expected);
                if is_back && !taken.is_empty() {
                    waiting.release(&taken.swap_remove(nth % taken.len()));
                } else if let Some(&part) = messages.get(nth)
                    && !closed.contains(&part)
                    && has_capacity(&part)
                {
                    waiting.reserve(&part);
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
