//! State of the list scheduler: remaining work, busy nodes and link loads.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    super::super::{
        Instance,
        rounds::{Part, parts, paths::Paths, time_triggered::Planned},
    },
    is_cut,
    ranks::Ranks,
    waiting::WaitingSenders,
};
use crate::{
    rank::Rank,
    time::{Span, Time},
};

/// Maximum number of inspections of links and receivers, which take some ten seconds of host time.
const MAX_INSPECTIONS: u64 = 3_000_000_000;

pub(super) struct Packer<'a> {
    paths: &'a Paths,
    nodes: usize,
    slice: u64,
    /// Minimum time that a message occupies a node.
    overhead: Span,
    /// Bytes not yet started, by sender and receiver.
    left: Vec<u64>,
    /// Time that the remaining bytes take, for each sender and each receiver.
    to_send: Vec<Span>,
    to_receive: Vec<Span>,
    /// Number of unfinished messages of each sender and of each receiver.
    open: [Vec<usize>; 2],
    /// The free senders with remaining messages.
    idle: Ranks,
    /// The free receivers.
    free: Ranks,
    waiting: WaitingSenders<'a>,
    /// The part that each node is sending, and its start.
    flights: Vec<Option<(Part, Time)>>,
    /// For each message that has left: the instant at which its sender and its receiver are free again, and the sender.
    ready: BinaryHeap<Reverse<(Time, usize)>>,
    /// The started parts, in order.
    starts: Vec<Planned>,
    /// The last part that each node has sent, as an index into `starts`.
    last: Vec<Option<usize>>,
    /// The sender of the last part to each receiver.
    from: Vec<Option<usize>>,
    /// Buffers for the searching senders and their order; reused to save allocations.
    searching: Ranks,
    senders: Vec<u128>,
}

impl<'a> Packer<'a> {
    pub(super) fn new(instance: &'a Instance, paths: &'a Paths, slice: u64) -> Packer<'a> {
        let nodes = instance.size();
        let parameters = instance.parameters();
        let mut plan = Packer {
            paths,
            nodes,
            slice,
            overhead: parameters.send_overhead() + parameters.receive_overhead(),
            left: vec![0; nodes * nodes],
            to_send: vec![Span::ZERO; nodes],
            to_receive: vec![Span::ZERO; nodes],
            open: [vec![0; nodes], vec![0; nodes]],
            idle: Ranks::new(nodes),
            free: Ranks::new(nodes),
            waiting: WaitingSenders::new(instance, paths),
            flights: vec![None; nodes],
            ready: BinaryHeap::new(),
            starts: Vec::new(),
            last: vec![None; nodes],
            from: vec![None; nodes],
            searching: Ranks::new(nodes),
            senders: Vec::new(),
        };
        (0..nodes).for_each(|to| plan.free.insert(to));
        for Part { from, to, bytes } in parts(instance.matrix()) {
            let time = plan.time(bytes, paths.rate(from, to));
            plan.left[from * nodes + to] = bytes;
            plan.to_send[from] += time;
            plan.to_receive[to] += time;
            plan.open[0][from] += 1;
            plan.open[1][to] += 1;
            plan.idle.insert(from);
        }
        plan
    }

    fn time(&self, bytes: u64, rate: f64) -> Span {
        Span::from_secs_f64(bytes as f64 / rate).max(self.overhead)
    }

    /// Returns whether the sets of receivers reachable through links need too much memory.
    pub(super) fn is_too_large(&self) -> bool {
        self.waiting.is_too_large()
    }

    /// Returns the parts, in order of their starts.
    pub(super) fn finish(self) -> Vec<Planned> {
        self.starts
    }

    /// Starts all messages that can start, and returns them; `None` if the search limit is exceeded.
    pub(super) fn start_all(&mut self, now: Time) -> Option<Vec<Part>> {
        let mut started = Vec::new();
        let Packer { senders, searching, idle, waiting, to_send, .. } = self;
        searching.clear();
        waiting.add_searching(idle, searching);
        // Senders that became free since the last search (fresh senders) search regardless of the state of the links.
        let mut fresh = 0_usize;
        let mut senders = std::mem::take(senders);
        senders.clear();
        searching.for_each(|from| {
            fresh += usize::from(waiting.is_fresh(from));
            senders.push(u128::from(to_send[from].as_picos()) << 32 | u128::from(!(from as u32)));
        });
        waiting.count_sorted(senders.len());
        // Senders are popped from the end: the most remaining work first, with equal work the lowest rank first.
        senders.sort_unstable();
        while (fresh > 0 || !self.waiting.is_search_done(&self.free))
            && let Some(key) = senders.pop()
        {
            let from = !(key as u32) as Rank;
            fresh -= usize::from(self.waiting.is_fresh(from));
            if self.waiting.cannot_match(from, &self.free) {
                continue;
            }
            match self.receiver(from) {
                Some(to) => started.push(self.start(now, from, to)),
                None => self.waiting.note_unmatched(from),
            }
            if self.waiting.inspections() > MAX_INSPECTIONS {
                return None;
            }
        }
        self.senders = senders;
        self.waiting.end_search();
        Some(started)
    }

    /// Returns the next receiver of a free sender: the most urgent free receiver with capacity on the whole path.
    fn receiver(&mut self, from: Rank) -> Option<Rank> {
        if !self.waiting.has_receivers(from, &self.free) {
            return None;
        }
        let mut best: Option<(Span, Rank)> = None;
        // The receiver of the previous slice gets a bonus, so that the message may continue.
        let same = self.last[from].map(|last| self.starts[last].part.to);
        let same = same.filter(|&to| self.from[to] == Some(from) && self.can_receive(from, to));
        if let Some(to) = same {
            let more = self.time(self.slice, self.paths.rate(from, to)).times(2);
            best = Some((self.to_receive[to] + more, to));
        }
        for nth in 0..self.free.words().len() {
            let mut left = self.waiting.free_reachable(from, &self.free, nth);
            while left != 0 {
                let to = 64 * nth + left.trailing_zeros() as Rank;
                left &= left - 1;
                let urgency = self.to_receive[to];
                let is_best = match best {
                    None => true,
                    Some((most, _)) if urgency != most => urgency > most,
                    Some((_, other)) => self.is_before(from, to, other),
                };
                if !is_best || Some(to) == same {
                    continue;
                }
                if self.waiting.has_capacity(from, to) {
                    best = Some((urgency, to));
                } else {
                    // `has_capacity` has removed all receivers that are reachable only through the full link.
                    left &= self.waiting.free_reachable(from, &self.free, nth);
                }
            }
        }
        best.map(|(_, to)| to)
    }

    /// Returns whether a receiver is free and the whole path to it has capacity.
    fn can_receive(&mut self, from: Rank, to: Rank) -> bool {
        self.free.contains(to) && self.waiting.is_reachable(from, to) && self.waiting.has_capacity(from, to)
    }

    /// Returns whether `to` precedes `other` among equally urgent receivers: the longer message first, then the nearer receiver around
    /// the ring.
    fn is_before(&self, from: Rank, to: Rank, other: Rank) -> bool {
        let left = |to: Rank| self.left[from * self.nodes + to];
        let way = |to: Rank| if to < from { to + self.nodes - from } else { to - from };
        (left(to), Reverse(way(to))) > (left(other), Reverse(way(other)))
    }

    fn start(&mut self, now: Time, from: Rank, to: Rank) -> Part {
        let left = &mut self.left[from * self.nodes + to];
        let bytes = if is_cut(*left, self.slice) { self.slice } else { *left };
        *left -= bytes;
        let closed = usize::from(*left == 0);
        self.open[0][from] -= closed;
        self.open[1][to] -= closed;
        if closed > 0 {
            self.waiting.close(from, to);
        }
        let part = Part { from, to, bytes };
        self.waiting.reserve(&part);
        self.idle.remove(from);
        self.free.remove(to);
        let planned = self.time(bytes, self.paths.rate(from, to));
        self.to_send[from] = self.to_send[from] - planned;
        self.to_receive[to] = self.to_receive[to] - planned;
        self.flights[from] = Some((part, now));
        // Consecutive slices of a message are merged.
        if let Some(last) =
            self.last[from].filter(|&last| self.from[to] == Some(from) && self.starts[last].part.to == to)
        {
            self.starts[last].part.bytes += bytes;
        } else {
            self.last[from] = Some(self.starts.len());
            self.from[to] = Some(from);
            self.starts.push(Planned { start: now, end: now, part });
        }
        part
    }

    /// Records that node `from` has finished sending its current piece of a message at `now`.
    pub(super) fn note_departure(&mut self, from: usize, now: Time) {
        if let (Some(last), Some((part, since))) = (self.last[from], self.flights[from]) {
            self.starts[last].end = now;
            self.waiting.release(&part);
            self.ready.push(Reverse((now.max(since + self.overhead), from)));
        }
    }

    /// Returns the next instant at which a node becomes free.
    pub(super) fn next_ready(&self) -> Option<Time> {
        self.ready.peek().map(|&Reverse((at, _))| at)
    }

    /// Marks as free the senders and receivers whose messages and overheads have ended by `now`, except senders without remaining messages.
    pub(super) fn free(&mut self, now: Time) {
        while let Some(&Reverse((at, from))) = self.ready.peek()
            && at <= now
        {
            self.ready.pop();
            if let Some((part, _)) = self.flights[from].take() {
                let Part { from, to, .. } = part;
                if self.open[0][from] > 0 {
                    self.idle.insert(from);
                    self.waiting.sender_is_free(from);
                }
                self.free.insert(to);
                self.waiting.receiver_is_free(to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        all_to_all::Matrix,
        model::{MachineSpec, Parameters},
        topology,
    };

    proptest! {
        /// After a search, no free sender has a message for a free receiver with capacity on the whole path.
        #[test]
        fn no_sender_idles_if_a_message_could_start(
            name in prop::sample::select(vec!["mesh:3x4", "fat-tree:12", "ring:12", "dragonfly:2x2x3", "dragonfly:3x2x2:valiant"]),
            bytes in prop::collection::vec(0..900_u64, 144)
        ) {
            let machine = MachineSpec::new("any", topology::parse(name).unwrap(), Parameters::hockney());
            let matrix = Matrix::of(12, |from, to| bytes[12 * from + to] / 2).unwrap().without_own();
            let instance = Instance::new(&machine, matrix).unwrap();
            let paths = Paths::of(&instance);
            let mut plan = Packer::new(&instance, &paths, u64::MAX);
            let mut ends: BinaryHeap<Reverse<(Time, Rank)>> = BinaryHeap::new();
            let mut now = Time::ZERO;
            loop {
                for part in plan.start_all(now).unwrap() {
                    ends.push(Reverse((now + Span::from_nanos(50 * part.bytes), part.from)));
                }
                let under_way: Vec<Part> = plan.flights.iter().flatten().map(|&(part, _)| part).collect();
                let on_links = || under_way.iter().filter(|part| ends.iter().any(|Reverse(end)| end.1 == part.from));
                for part in parts(instance.matrix()) {
                    let is_free = plan.idle.contains(part.from) && plan.free.contains(part.to);
                    let is_full = |link: &u32| {
                        let taken = on_links().filter(|part| paths.path(part).contains(link)).count() as f64;
                        let room = paths.capacity[*link as usize] - taken * paths.room;
                        taken > 0.0 && room < paths.room * (1.0 - 1e-6)
                    };
                    let is_left = plan.left[12 * part.from + part.to] > 0;
                    prop_assert!(!is_free || !is_left || paths.path(&part).iter().any(is_full));
                }
                let next = [ends.peek().map(|&Reverse((at, _))| at), plan.next_ready()];
                let Some(next) = next.into_iter().flatten().min() else { break };
                now = next;
                while let Some(&Reverse((at, from))) = ends.peek()
                    && at <= now
                {
                    ends.pop();
                    plan.note_departure(from, now);
                }
                plan.free(now);
            }
            prop_assert!(plan.left.iter().all(|&left| left == 0));
        }
    }
}
