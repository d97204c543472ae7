//! *Packed*: a plan by the clock, in which whoever is free starts at once what is most urgent and has a free way.
//!
//! **What it does.** A message can be started when its sender and its receiver are free and every link on its way has
//! room for it. At each instant at which one ends, all senders that are free, the one with the most to do first, look
//! for such a receiver, and take the one with the most still to come; among equal ones that with the longest message,
//! then the next one around the ring. When a message ends is found out from the network itself. Long messages can be
//! cut into slices: a slice goes on to be the next one of the same message unless another receiver has become more
//! urgent. What comes out is, for every node, in which order it sends and receives; when it does so follows from the
//! machine.
//!
//! **Restrictions.** It gives up on exchanges for which it would have to look at too many pairs of nodes.
//!
//! **Cost.** Without narrow links and with slices of `q` bytes about `t beta + h max(alpha, q beta)`; a plan in which
//! nobody waits without need takes at most twice as long as the best one.
//!
//! **Source.** T. Gonzalez, S. Sahni, "Open shop scheduling to minimize finish time", JACM 23(4), 1976; that dense
//! schedules are within twice the optimum, I. Bárány, T. Fiala, "Többgépes ütemezési problémák közel optimális
//! megoldása", Szigma 15, 1982. The room on links is this project's.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    super::{
        Instance, PlanError,
        planner::Variant,
        rounds::{Part, clocked::Planned, parts, paths::Paths},
    },
    Algorithm, Entry, Planning, of, refused,
};
use crate::{
    fabric::Fabric,
    time::{Span, Time},
};

/// The most pairs of nodes that are looked at: a few seconds on a host.
const MOST_LOOKS: u64 = 1_000_000_000;

/// The exactness of sums of speeds.
const EXACT: f64 = 1.0 - 1e-6;

static PACKED: Entry = Entry::new("packed", variants)
    .about("a plan by the clock that keeps nodes busy and links free")
    .source("Gonzalez, Sahni 1976; this project")
    .cost("with slices of `q` bytes about `t beta + h max(alpha, q beta)`")
    .limits("gives up where it would have to look at too many pairs");

impl Algorithm {
    /// A plan by the clock that keeps nodes busy and links free.
    pub const PACKED: Algorithm = of(&PACKED);
}

/// In one piece, and in slices.
fn variants(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let planner = planning.workspace;
    let mut slices = vec![u64::MAX];
    slices.extend(planner.slices(if planner.is_large() { &[2.0] } else { &[1.0, 4.0] }, false));
    let packed = |slice: u64| {
        let name = match slice {
            u64::MAX => "packed".to_owned(),
            slice => format!("packed ({slice} B)"),
        };
        planner.clocked(&name, move |planner| {
            plan(planner.instance(), planner.paths(), slice).ok_or_else(too_many_pairs)
        })
    };
    Ok(slices.into_iter().flat_map(packed).collect())
}

fn too_many_pairs() -> PlanError {
    let text = "so many messages among so many nodes take the host too long to pack: `colored` takes any";
    refused(Algorithm::PACKED, text.to_owned())
}

/// The parts, in order of the instants at which they are to be started; of messages in slices of at most `slice` bytes.
/// `None` if that takes too long to find out.
fn plan(instance: &Instance, paths: &Paths, slice: u64) -> Option<Vec<Planned>> {
    let mut plan = Packer::new(instance, paths, slice.max(1));
    let topology = &**instance.machine().topology();
    let mut fabric = Fabric::new(topology, instance.parameters(), false);
    let members = instance.members();
    let mut ranks = vec![0; instance.machine().nodes()];
    members.iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
    let mut now = Time::ZERO;
    loop {
        for Part { from, to, bytes } in plan.start_all(now)? {
            fabric.start(now, members[from], members[to], 0, bytes, topology);
        }
        fabric.settle(now);
        let next = [fabric.next_end(), plan.ready.peek().map(|&Reverse((at, _))| at)];
        let Some(next) = next.into_iter().flatten().min() else { break };
        now = next;
        while let Some((_, node, _)) = fabric.pop_end(now) {
            plan.left_sender(ranks[node], now);
        }
        plan.free(now);
    }
    Some(plan.starts)
}

/// The urgency of a receiver: the time of what is still to come, the length of the message, and its nearness.
type Urgency = (Span, u64, Reverse<usize>);

struct Packer<'a> {
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
    receives: Vec<bool>,
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
    fn new(instance: &Instance, paths: &'a Paths, slice: u64) -> Packer<'a> {
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
            receives: vec![false; nodes],
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
        }
        plan
    }

    fn time(&self, bytes: u64, rate: f64) -> Span {
        Span::from_secs_f64(bytes as f64 / rate).max(self.overhead)
    }

    /// Starts what can be started; `None` when it gives up.
    fn start_all(&mut self, now: Time) -> Option<Vec<Part>> {
        let mut started = Vec::new();
        let mut senders: Vec<usize> =
            (0..self.nodes).filter(|&node| !self.sends[node] && self.open[0][node] > 0).collect();
        senders.sort_by_key(|&node| Reverse(self.to_send[node]));
        let mut receivers: Vec<usize> =
            (0..self.nodes).filter(|&node| !self.receives[node] && self.open[1][node] > 0).collect();
        for from in senders {
            if receivers.is_empty() {
                break;
            }
            self.looks += receivers.len() as u64;
            if self.looks > MOST_LOOKS {
                return None;
            }
            let mut best: Option<(Urgency, usize)> = None;
            for (place, &to) in receivers.iter().enumerate() {
                let bytes = self.left[from * self.nodes + to];
                if bytes == 0 {
                    continue;
                }
                let goes_on = self.from[to] == Some(from) && self.last_is(from, to);
                let mut urgency = self.to_receive[to];
                if goes_on {
                    urgency += self.time(self.slice, self.paths.rate(from, to)).times(2);
                }
                let way = (to + self.nodes - from) % self.nodes;
                let key = (urgency, bytes, Reverse(way));
                if best.is_none_or(|(least, ..)| key > least) && self.has_room(from, to) {
                    best = Some((key, place));
                }
            }
            if let Some((_, place)) = best {
                let to = receivers.swap_remove(place);
                started.push(self.start(now, from, to));
            }
        }
        Some(started)
    }

    fn last_is(&self, from: usize, to: usize) -> bool {
        self.last[from].is_some_and(|last| self.starts[last].part.to == to)
    }

    /// Whether a message finds room on all links. One that is slower than a port, or nearly so, is for one at a time.
    fn has_room(&self, from: usize, to: usize) -> bool {
        self.paths.path(&Part { from, to, bytes: 0 }).iter().all(|&link| {
            let (capacity, taken) = (self.paths.capacity[link as usize], self.taken[link as usize]);
            taken == 0.0 || capacity - taken >= EXACT * self.paths.room
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
        }
    }

    fn start(&mut self, now: Time, from: usize, to: usize) -> Part {
        let left = &mut self.left[from * self.nodes + to];
        // No slice is left that is hardly one.
        let bytes = if *left < self.slice.saturating_add(self.slice / 2) { *left } else { self.slice };
        *left -= bytes;
        let closed = usize::from(*left == 0);
        self.open[0][from] -= closed;
        self.open[1][to] -= closed;
        let part = Part { from, to, bytes };
        self.take(&part, 1.0);
        (self.sends[from], self.receives[to]) = (true, true);
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
    fn left_sender(&mut self, from: usize, now: Time) {
        if let (Some(last), Some((part, since))) = (self.last[from], self.flights[from]) {
            self.starts[last].end = now;
            self.take(&part, -1.0);
            self.ready.push(Reverse((now.max(since + self.overhead), from)));
        }
    }

    /// Lets nodes go on that can.
    fn free(&mut self, now: Time) {
        while let Some(&Reverse((at, from))) = self.ready.peek()
            && at <= now
        {
            self.ready.pop();
            if let Some((part, _)) = self.flights[from].take() {
                (self.sends[part.from], self.receives[part.to]) = (false, false);
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
        /// No port has two messages at once, and all bytes are moved, in the order of their starts.
        #[test]
        fn ports_have_one_message_at_a_time(
            nodes in 1..10_usize, bytes in prop::collection::vec(0..900_u64, 100), slice in 1..1000_u64
        ) {
            let tree = topology::parse(&format!("fat-tree:{nodes}")).unwrap();
            let machine = Description::new("tree", tree, Parameters::hockney());
            let matrix = Matrix::of(nodes, |from, to| bytes[from * 10 + to] / 3).unwrap();
            let instance = Instance::new(&machine, matrix.clone()).unwrap();
            let planned = plan(&instance, &Paths::of(&instance), slice).unwrap();
            prop_assert!(planned.is_sorted_by_key(|planned| planned.start));
            let mut left = matrix.without_own();
            for end in [|part: &Part| part.from, |part: &Part| part.to] {
                let mut busy = vec![Time::ZERO; nodes];
                for planned in &planned {
                    let busy = &mut busy[end(&planned.part)];
                    prop_assert!(*busy <= planned.start);
                    *busy = planned.end;
                }
            }
            for planned in &planned {
                let Part { from, to, bytes } = planned.part;
                left = Matrix::of(nodes, |one, other| {
                    left.get(one, other) - if (one, other) == (from, to) { bytes } else { 0 }
                }).unwrap();
            }
            prop_assert_eq!(left.traffic(), 0);
        }
    }
}
