//! The plan as it is made: what everybody has left, who is busy, and what every link has to carry.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    super::super::{
        Instance,
        rounds::{Part, clocked::Planned, parts, paths::Paths},
    },
    is_cut,
    ranks::Ranks,
    waiting::Waiting,
};
use crate::{
    rank::Rank,
    time::{Span, Time},
};

/// The most links for which senders wait, and receivers, that are looked at: some ten seconds on a host.
const MOST_LOOKS: u64 = 3_000_000_000;

pub(super) struct Packer<'a> {
    paths: &'a Paths,
    nodes: usize,
    slice: u64,
    /// The least time that a message takes a node.
    overhead: Span,
    /// Bytes left to be started, by sender and receiver.
    left: Vec<u64>,
    /// The time of these bytes, of each sender and each receiver.
    to_send: Vec<Span>,
    to_receive: Vec<Span>,
    /// The number of messages that each sender and each receiver is not through with.
    open: [Vec<usize>; 2],
    /// The senders that are free and have something to send.
    idle: Ranks,
    /// The receivers that are free.
    free: Ranks,
    waiting: Waiting<'a>,
    /// The part that each node is sending, and since when.
    flights: Vec<Option<(Part, Time)>>,
    /// The instant at which each node that has sent, and its receiver, can go on.
    ready: BinaryHeap<Reverse<(Time, usize)>>,
    /// The parts that have been started, in order.
    starts: Vec<Planned>,
    /// The last part that each node has sent, among `starts`.
    last: Vec<Option<usize>>,
    /// The sender of the last one that each has received.
    from: Vec<Option<usize>>,
    /// Those who look at an instant, and in which order, and whom they find; kept for their memory.
    looking: Ranks,
    senders: BinaryHeap<u128>,
    receivers: Vec<Rank>,
}

impl<'a> Packer<'a> {
    pub(super) fn new(instance: &Instance, paths: &'a Paths, slice: u64) -> Packer<'a> {
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
            waiting: Waiting::new(nodes, parts(instance.matrix()), paths),
            flights: vec![None; nodes],
            ready: BinaryHeap::new(),
            starts: Vec::new(),
            last: vec![None; nodes],
            from: vec![None; nodes],
            looking: Ranks::new(nodes),
            senders: BinaryHeap::new(),
            receivers: Vec::new(),
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

    /// Whether what senders wait for takes more memory than there should be for a plan.
    pub(super) fn is_too_large(&self) -> bool {
        self.waiting.is_too_large()
    }

    /// The parts, in order of their starts.
    pub(super) fn finish(self) -> Vec<Planned> {
        self.starts
    }

    /// Starts what can be started; `None` when it gives up.
    pub(super) fn start_all(&mut self, now: Time) -> Option<Vec<Part>> {
        let mut started = Vec::new();
        let Packer { senders, looking, idle, waiting, to_send, .. } = self;
        looking.clear();
        waiting.who_looks(looking);
        // Those who look whatever the links are like.
        let mut others = 0_usize;
        let mut keys = std::mem::take(senders).into_vec();
        keys.clear();
        looking.for_each_in(idle, |from| {
            others += usize::from(waiting.is_again(from));
            keys.push(u128::from(to_send[from].as_picos()) << 32 | u128::from(!(from as u32)));
        });
        self.waiting.have_been_sorted(keys.len());
        // The one with the most to do first, of equal ones the first.
        let mut senders = BinaryHeap::from(keys);
        let mut receivers = std::mem::take(&mut self.receivers);
        while (others > 0 || !self.waiting.is_full_again())
            && let Some(key) = senders.pop()
        {
            let from = !(key as u32) as Rank;
            others -= usize::from(self.waiting.is_again(from));
            if self.waiting.is_in_vain(from) {
                continue;
            }
            self.waiting.receivers(from, &self.free, &mut receivers);
            if self.waiting.looks() > MOST_LOOKS {
                return None;
            }
            let mut best: Option<(Span, Rank)> = None;
            for &to in &receivers {
                if !self.waiting.is_reached(from, to) {
                    continue;
                }
                let urgency = self.urgency(from, to);
                let is_best = match best {
                    None => true,
                    Some((most, _)) if urgency != most => urgency > most,
                    Some((_, other)) => self.is_before(from, to, other),
                };
                if is_best && self.waiting.has_room(from, to) {
                    best = Some((urgency, to));
                }
            }
            if let Some((_, to)) = best {
                started.push(self.start(now, from, to));
            }
        }
        (self.senders, self.receivers) = (senders, receivers);
        self.waiting.have_looked();
        Some(started)
    }

    /// The urgency of a receiver: the time of what is still to come.
    #[inline]
    fn urgency(&self, from: Rank, to: Rank) -> Span {
        let urgency = self.to_receive[to];
        if self.from[to] == Some(from) && self.last_is(from, to) {
            // It goes on with the same message.
            return urgency + self.time(self.slice, self.paths.rate(from, to)).times(2);
        }
        urgency
    }

    /// Whether one of two receivers that are as urgent comes first: that with the longer message, or the nearer one.
    fn is_before(&self, from: Rank, to: Rank, other: Rank) -> bool {
        let left = |to: Rank| self.left[from * self.nodes + to];
        let way = |to: Rank| (to + self.nodes - from) % self.nodes;
        (left(to), Reverse(way(to))) > (left(other), Reverse(way(other)))
    }

    fn last_is(&self, from: Rank, to: Rank) -> bool {
        self.last[from].is_some_and(|last| self.starts[last].part.to == to)
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
        self.waiting.take(&part);
        self.idle.remove(from);
        self.free.remove(to);
        let planned = self.time(bytes, self.paths.rate(from, to));
        self.to_send[from] = self.to_send[from] - planned;
        self.to_receive[to] = self.to_receive[to] - planned;
        self.flights[from] = Some((part, now));
        // The next slice of the same message is the same message.
        if let Some(last) = self.last[from].filter(|_| self.from[to] == Some(from) && self.last_is(from, to))
        {
            self.starts[last].part.bytes += bytes;
        } else {
            self.last[from] = Some(self.starts.len());
            self.from[to] = Some(from);
            self.starts.push(Planned { start: now, end: now, part });
        }
        part
    }

    /// Notes that what a node was sending has left it.
    pub(super) fn left_sender(&mut self, from: usize, now: Time) {
        if let (Some(last), Some((part, since))) = (self.last[from], self.flights[from]) {
            self.starts[last].end = now;
            self.waiting.give_back(&part);
            self.ready.push(Reverse((now.max(since + self.overhead), from)));
        }
    }

    /// The next instant at which a node can go on.
    pub(super) fn next_ready(&self) -> Option<Time> {
        self.ready.peek().map(|&Reverse((at, _))| at)
    }

    /// Lets nodes go on that can.
    pub(super) fn free(&mut self, now: Time) {
        while let Some(&Reverse((at, from))) = self.ready.peek()
            && at <= now
        {
            self.ready.pop();
            if let Some((part, _)) = self.flights[from].take() {
                let Part { from, to, .. } = part;
                if self.open[0][from] > 0 {
                    self.idle.insert(from);
                    self.waiting.look_again(from);
                }
                self.free.insert(to);
                let waiting = &mut self.waiting;
                self.idle.for_each(|from| {
                    if waiting.is_reached(from, to) {
                        waiting.look_again(from);
                    }
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        exchange::Matrix,
        model::{Description, Parameters},
        topology,
    };

    proptest! {
        /// When all have looked nobody is free who has something for somebody that is free, with room on the whole way.
        #[test]
        fn nobody_waits_without_need(
            name in prop::sample::select(vec!["mesh:3x4", "fat-tree:12", "ring:12", "dragonfly:2x2x3"]),
            bytes in prop::collection::vec(0..900_u64, 144)
        ) {
            let machine = Description::new("any", topology::parse(name).unwrap(), Parameters::hockney());
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
                    plan.left_sender(from, now);
                }
                plan.free(now);
            }
            prop_assert!(plan.left.iter().all(|&left| left == 0));
        }
    }
}
