//! The plan as it is made: what everybody has left, who is busy, and what every link has to carry.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    super::super::{
        Instance,
        rounds::{Part, clocked::Planned, parts, paths::Paths},
    },
    is_cut,
    waiting::Waiting,
};
use crate::{
    rank::Rank,
    time::{Span, Time},
};

/// The most pairs of nodes that are looked at: a few seconds on a host.
const MOST_LOOKS: u64 = 300_000_000;

/// The exactness of sums of speeds.
const EXACT: f64 = 1.0 - 1e-6;

/// The urgency of a receiver: the time of what is still to come, the length of the message, and its nearness.
type Urgency = (Span, u64, Reverse<usize>);

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
    sends: Vec<bool>,
    /// A bit for each receiver that is free.
    free: Vec<u64>,
    waiting: Waiting,
    /// The part of each link that messages under way may take, in bytes/s.
    taken: Vec<f64>,
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
    looks: u64,
}

impl<'a> Packer<'a> {
    pub(super) fn new(instance: &Instance, paths: &'a Paths, slice: u64) -> Packer<'a> {
        let (nodes, links) = (instance.size(), paths.capacity.len());
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
            sends: vec![false; nodes],
            free: vec![u64::MAX; nodes.div_ceil(64)],
            waiting: Waiting::new(nodes, paths),
            taken: vec![0.0; links],
            flights: vec![None; nodes],
            ready: BinaryHeap::new(),
            starts: Vec::new(),
            last: vec![None; nodes],
            from: vec![None; nodes],
            looks: 0,
        };
        for Part { from, to, bytes } in parts(instance.matrix()) {
            let time = plan.time(bytes, paths.rate(from, to));
            plan.left[from * nodes + to] = bytes;
            plan.to_send[from] += time;
            plan.to_receive[to] += time;
            plan.open[0][from] += 1;
            plan.open[1][to] += 1;
            plan.waiting.wake(from, to);
        }
        plan
    }

    fn time(&self, bytes: u64, rate: f64) -> Span {
        Span::from_secs_f64(bytes as f64 / rate).max(self.overhead)
    }

    /// The parts, in order of their starts.
    pub(super) fn finish(self) -> Vec<Planned> {
        self.starts
    }

    /// Starts what can be started; `None` when it gives up.
    pub(super) fn start_all(&mut self, now: Time) -> Option<Vec<Part>> {
        let mut started = Vec::new();
        let mut senders = self.waiting.take_again();
        senders.retain(|&node| !self.sends[node] && self.open[0][node] > 0);
        senders.sort_unstable_by_key(|&node| (Reverse(self.to_send[node]), node));
        let mut receivers = Vec::new();
        for from in senders {
            self.waiting.receivers(from, &self.free, &mut receivers);
            self.looks += receivers.len() as u64;
            if self.looks > MOST_LOOKS {
                return None;
            }
            let mut best: Option<(Urgency, Rank)> = None;
            for &to in &receivers {
                let key = self.urgency(from, to);
                if best.is_some_and(|(most, _)| key <= most) {
                    continue;
                }
                match self.full_link(from, to) {
                    Some(link) => self.waiting.wait(from, to, link),
                    None => best = Some((key, to)),
                }
            }
            if let Some((_, to)) = best {
                started.push(self.start(now, from, to));
            }
        }
        Some(started)
    }

    fn urgency(&self, from: Rank, to: Rank) -> Urgency {
        let mut urgency = self.to_receive[to];
        if self.from[to] == Some(from) && self.last_is(from, to) {
            // It goes on with the same message.
            urgency += self.time(self.slice, self.paths.rate(from, to)).times(2);
        }
        let way = (to + self.nodes - from) % self.nodes;
        (urgency, self.left[from * self.nodes + to], Reverse(way))
    }

    fn last_is(&self, from: Rank, to: Rank) -> bool {
        self.last[from].is_some_and(|last| self.starts[last].part.to == to)
    }

    /// The first link on which a message finds no room. One that is slower than a port, or nearly so, is for one at a
    /// time.
    fn full_link(&self, from: Rank, to: Rank) -> Option<u32> {
        let mut links = self.paths.path(&Part { from, to, bytes: 0 }).iter().copied();
        links.find(|&link| {
            let (capacity, taken) = (self.paths.capacity[link as usize], self.taken[link as usize]);
            taken != 0.0 && capacity - taken < EXACT * self.paths.room
        })
    }

    /// Takes what a message may take of each link on its way, or gives it back.
    fn take(&mut self, part: &Part, times: f64) {
        let paths = self.paths;
        for &link in paths.path(part) {
            let taken = &mut self.taken[link as usize];
            *taken += times * paths.room;
            // Sums do not always come to nothing again.
            if *taken < 0.5 * paths.room {
                *taken = 0.0;
            }
            if times < 0.0 {
                self.waiting.has_room(link);
            }
        }
    }

    fn start(&mut self, now: Time, from: Rank, to: Rank) -> Part {
        let left = &mut self.left[from * self.nodes + to];
        let bytes = if is_cut(*left, self.slice) { self.slice } else { *left };
        *left -= bytes;
        let closed = usize::from(*left == 0);
        self.open[0][from] -= closed;
        self.open[1][to] -= closed;
        if closed > 0 {
            self.waiting.sleep(from, to);
        }
        let part = Part { from, to, bytes };
        self.take(&part, 1.0);
        self.sends[from] = true;
        self.free[to / 64] &= !(1 << (to % 64));
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
            self.take(&part, -1.0);
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
                self.sends[from] = false;
                self.free[to / 64] |= 1 << (to % 64);
                self.waiting.look_again(from);
                self.waiting.is_free(to);
            }
        }
    }
}
