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

/// The most places on the ways of messages, and receivers, that are looked at: some ten seconds on a host.
const MOST_LOOKS: u64 = 300_000_000;

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

    /// The parts, in order of their starts.
    pub(super) fn finish(self) -> Vec<Planned> {
        self.starts
    }

    /// Starts what can be started; `None` when it gives up.
    pub(super) fn start_all(&mut self, now: Time) -> Option<Vec<Part>> {
        let mut started = Vec::new();
        let mut senders = self.waiting.take_again();
        senders.retain(|&node| self.idle.contains(node));
        senders.sort_unstable_by_key(|&node| (Reverse(self.to_send[node]), node));
        let mut receivers = Vec::new();
        for from in senders {
            self.waiting.receivers(from, &self.free, &mut receivers);
            if self.waiting.looks() > MOST_LOOKS {
                return None;
            }
            let mut best: Option<(Urgency, Rank)> = None;
            for &to in &receivers {
                if !self.waiting.is_reached(from, to) {
                    continue;
                }
                let key = self.urgency(from, to);
                if best.is_none_or(|(most, _)| key > most) && self.waiting.has_room(from, to) {
                    best = Some((key, to));
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
                for from in self.idle.iter() {
                    if self.waiting.is_reached(from, to) {
                        self.waiting.look_again(from);
                    }
                }
            }
        }
    }
}
