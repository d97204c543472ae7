//! Random programs: no byte is lost or doubled, and every node finishes when a naive simulation of the timing model
//! says so, to the nanosecond; with rendezvous, too, where they are blocked where that says so.

use std::collections::{BTreeMap, VecDeque};

use multicomputer::{
    Payload,
    error::{Failure, RunError},
    model::Parameters,
    prelude::*,
};
use proptest::prelude::*;

use crate::support::PATIENCE;

// Delivery.

/// One message of a random program; its number in the list is its tag.
#[derive(Clone, Debug)]
struct Letter {
    from: usize,
    to: usize,
    len: usize,
    want: Want,
}

/// How its receiver asks for it. Those that accept anything are asked for after those that name a tag, so that none
/// takes what another one needs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Want {
    SourceAndTag,
    Tag,
    Anything,
}

/// How a receiver goes about it.
#[derive(Clone, Copy, Debug)]
enum Manner {
    Blocking,
    PostedThenWaitedInOrder,
    PostedThenWaitedBackwards,
    PostedThenWhateverComes,
    ProbedFirst,
}

fn content(tag: usize, letter: &Letter) -> Vec<u8> {
    (0..letter.len).map(|i| (tag * 31 + letter.from * 7 + letter.to * 3 + i) as u8).collect()
}

fn letters(nodes: usize) -> impl Strategy<Value = Vec<Letter>> {
    let want = prop_oneof![Just(Want::SourceAndTag), Just(Want::Tag), Just(Want::Anything)];
    let len = prop_oneof![Just(0_usize), 1..20_usize, 1000..5000_usize];
    let letter =
        (0..nodes, 0..nodes, len, want).prop_map(|(from, to, len, want)| Letter { from, to, len, want });
    prop::collection::vec(letter, 0..40)
}

fn post_office() -> impl Strategy<Value = ((usize, usize), Vec<Letter>, Vec<Manner>)> {
    let manner = prop_oneof![
        Just(Manner::Blocking),
        Just(Manner::PostedThenWaitedInOrder),
        Just(Manner::PostedThenWaitedBackwards),
        Just(Manner::PostedThenWhateverComes),
        Just(Manner::ProbedFirst),
    ];
    (1..4_usize, 1..4_usize).prop_flat_map(move |(rows, columns)| {
        let nodes = rows * columns;
        (Just((rows, columns)), letters(nodes), prop::collection::vec(manner.clone(), nodes))
    })
}

/// Sends its letters, then receives those for it; the tags and the data that came.
fn correspond(
    node: &Node<'_>,
    letters: &[Letter],
    manner: Manner,
) -> Result<Vec<(usize, usize, Vec<u8>)>, Failure> {
    let (world, rank) = (node.world(), node.rank());
    let mut sends = Vec::new();
    for (tag, letter) in letters.iter().enumerate().filter(|(_, letter)| letter.from == rank) {
        sends.push(world.isend((letter.to, Tag(tag as u32)), content(tag, letter))?);
    }
    let mine = || letters.iter().enumerate().filter(|(_, letter)| letter.to == rank);
    let (named, loose): (Vec<_>, Vec<_>) = mine().partition(|(_, letter)| letter.want != Want::Anything);
    let selects = named.into_iter().chain(loose).map(|(tag, letter)| match letter.want {
        Want::SourceAndTag => Select::from((letter.from, Tag(tag as u32))),
        Want::Tag => Select::from((ANY_SOURCE, Tag(tag as u32))),
        Want::Anything => Select::from(ANY_SOURCE),
    });
    let mut messages: Vec<Message> = Vec::new();
    match manner {
        Manner::Blocking => {
            for select in selects {
                messages.push(world.recv(select)?);
            }
        }
        Manner::ProbedFirst => {
            for select in selects {
                let (source, tag, len) = world.probe(select)?;
                let message = world.recv((source, tag))?;
                assert_eq!((message.source, message.tag, message.len()), (source, tag, len));
                messages.push(message);
            }
        }
        Manner::PostedThenWhateverComes => {
            let mut posted = selects.map(|select| world.irecv(select)).collect::<Result<Vec<_>, _>>()?;
            while !posted.is_empty() {
                messages.extend(world.wait_any(&mut posted)?.1);
            }
        }
        Manner::PostedThenWaitedInOrder | Manner::PostedThenWaitedBackwards => {
            let mut posted = selects.map(|select| world.irecv(select)).collect::<Result<Vec<_>, _>>()?;
            if matches!(manner, Manner::PostedThenWaitedBackwards) {
                posted.reverse();
            }
            messages.extend(world.wait_all(posted)?.into_iter().flatten());
        }
    }
    world.wait_all(sends)?;
    let unpack = |message: Message| Ok((message.source, message.tag.0 as usize, message.to_vec::<u8>()?));
    messages.into_iter().map(unpack).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every node starts all its sends, then receives what is for it in a random way: every byte of every message is
    /// received once, where it was sent to.
    #[test]
    fn every_byte_arrives_once(((rows, columns), letters, manners) in post_office()) {
        let machine = Machine::paragon(rows, columns).wall_limit(PATIENCE).build().unwrap();
        let run = machine.run(|node| correspond(node, &letters, manners[node.rank()])).unwrap();
        for (rank, mut got) in run.outputs.into_iter().enumerate() {
            got.sort_by_key(|&(_, tag, _)| tag);
            let sent: Vec<_> = letters
                .iter()
                .enumerate()
                .filter(|(_, letter)| letter.to == rank)
                .map(|(tag, letter)| (letter.from, tag, content(tag, letter)))
                .collect();
            prop_assert_eq!(got, sent, "at node {}", rank);
        }
        let bytes: usize = letters.iter().map(|letter| letter.len).sum();
        prop_assert_eq!(run.report.bytes, bytes as u64);
        prop_assert_eq!(run.report.messages, letters.len() as u64);
        prop_assert_eq!(run.report.nodes.iter().map(|node| node.bytes_received).sum::<u64>(), bytes as u64);
        prop_assert!(run.report.unreceived.is_empty());
    }
}

// Time.

/// What a node of a random program does, one after the other. Times in microseconds.
#[derive(Clone, Copy, Debug)]
enum Op {
    Compute(f64),
    Send {
        to: usize,
        bytes: u64,
    },
    Isend {
        to: usize,
        bytes: u64,
    },
    Recv {
        from: usize,
    },
    Irecv {
        from: usize,
    },
    Sendrecv {
        to: usize,
        bytes: u64,
        from: usize,
    },
    /// For all requests made so far, in their order.
    WaitAll,
}

/// The parameters, in microseconds and bytes per microsecond.
#[derive(Clone, Copy, Debug)]
struct Model {
    rows: usize,
    columns: usize,
    o_s: f64,
    o_r: f64,
    o_x: f64,
    latency: f64,
    hop: f64,
    port: f64,
    k: f64,
    duplex: f64,
    /// From which length on senders wait for the receive.
    rendezvous: Option<u64>,
}

impl Model {
    fn machine(&self) -> Machine {
        let parameters = Parameters::builder()
            .send_overhead(self.o_s * 1e-6)
            .receive_overhead(self.o_r * 1e-6)
            .exchange_overhead(self.o_x * 1e-6)
            .latency(self.latency * 1e-6)
            .hop(self.hop * 1e-6)
            .beta(1e-6 / self.port)
            .link_excess(self.k)
            .duplex(self.duplex)
            .build()
            .unwrap();
        let machine = Machine::mesh(self.rows, self.columns).parameters(parameters).wall_limit(PATIENCE);
        let machine = match self.rendezvous {
            Some(from_bytes) => machine.rendezvous(from_bytes),
            None => machine,
        };
        machine.build().unwrap()
    }

    /// Everything with a capacity that a message uses, with the capacity: links from node to node, along the row
    /// first; then the ports.
    fn resources(&self, from: usize, to: usize) -> Vec<(Resource, f64)> {
        let mut used = Vec::new();
        let (mut row, mut column) = (from / self.columns, from % self.columns);
        let (to_row, to_column) = (to / self.columns, to % self.columns);
        while (row, column) != (to_row, to_column) {
            let before = row * self.columns + column;
            if column != to_column {
                column = if column < to_column { column + 1 } else { column - 1 };
            } else {
                row = if row < to_row { row + 1 } else { row - 1 };
            }
            used.push((Resource::Link(before, row * self.columns + column), self.k * self.port));
        }
        used.push((Resource::Out(from), self.port));
        used.push((Resource::In(to), self.port));
        if self.duplex < 2.0 {
            used.push((Resource::Both(from), self.duplex * self.port));
            used.push((Resource::Both(to), self.duplex * self.port));
        }
        used
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    Link(usize, usize),
    Out(usize),
    In(usize),
    Both(usize),
}

#[derive(Clone, Debug)]
struct Flow {
    from: usize,
    to: usize,
    remaining: f64,
    uses: Vec<(Resource, f64)>,
}

/// Progressive filling, as the model says it: all rates rise together; when something is full, its flows are frozen.
fn max_min_rates(flows: &[Flow]) -> Vec<f64> {
    let mut rates = vec![None; flows.len()];
    while rates.iter().any(Option::is_none) {
        let mut left: BTreeMap<Resource, (f64, f64)> = BTreeMap::new();
        for (flow, rate) in flows.iter().zip(&rates) {
            for &(resource, capacity) in &flow.uses {
                let (free, open) = left.entry(resource).or_insert((capacity, 0.0));
                match rate {
                    Some(rate) => *free -= rate,
                    None => *open += 1.0,
                }
            }
        }
        let shares =
            left.iter().filter(|(_, (_, open))| *open > 0.0).map(|(&r, (free, open))| (free / open, r));
        let (share, full) = shares.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        for (flow, rate) in flows.iter().zip(&mut rates) {
            if rate.is_none() && flow.uses.iter().any(|&(resource, _)| resource == full) {
                *rate = Some(share);
            }
        }
    }
    rates.into_iter().flatten().collect()
}

/// What a node of the reference is at.
#[derive(Clone, Copy, Debug)]
enum At {
    /// Makes its next call at this time.
    Call(f64),
    /// Has called a blocking send or a sendrecv, its n-th send, as its n-th receive from that rank.
    Blocked {
        called: f64,
        send: Option<usize>,
        receive: Option<(usize, usize)>,
        both: bool,
    },
    /// Waits for its n-th request.
    Waiting {
        called: f64,
        request: usize,
    },
    End(f64),
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    called: f64,
    left: Option<f64>,
    bytes: u64,
    /// It is the n-th message to that node.
    to: usize,
    nth: usize,
}

#[derive(Clone, Copy, Debug)]
enum Requested {
    Send(usize),
    /// The n-th receive from a rank, posted at.
    Receive {
        from: usize,
        nth: usize,
        posted: f64,
    },
}

struct RefNode {
    at: At,
    next: usize,
    sends: Vec<Sent>,
    /// When ready, to whom, how long, which send.
    port: VecDeque<(f64, usize, u64, usize)>,
    /// The send whose message is moving.
    moving: Option<usize>,
    receives: Vec<usize>,
    requests: VecDeque<Requested>,
}

/// A simulation of the timing model with no other aim than to be plainly right: everything is worked out from
/// scratch at every event.
struct Reference<'a> {
    model: Model,
    programs: &'a [Vec<Op>],
    now: f64,
    nodes: Vec<RefNode>,
    flows: Vec<Flow>,
    /// Messages that have left: when they arrive, from, to.
    flying: Vec<(f64, usize, usize)>,
    /// When the n-th message of a pair arrived, and when its receive was posted.
    arrived: BTreeMap<(usize, usize), Vec<f64>>,
    posted: BTreeMap<(usize, usize), Vec<f64>>,
    /// Two instants that decide about o_x are so near that rounding decides.
    ambiguous: bool,
}

impl<'a> Reference<'a> {
    /// When each node finishes, `None` for one that never does; nothing at all if rounding decides about something.
    fn finish_times(model: Model, programs: &'a [Vec<Op>]) -> Option<Vec<Option<f64>>> {
        let node = |_: &Vec<Op>| RefNode {
            at: At::Call(0.0),
            next: 0,
            sends: Vec::new(),
            port: VecDeque::new(),
            moving: None,
            receives: vec![0; programs.len()],
            requests: VecDeque::new(),
        };
        let nodes = programs.iter().map(node).collect();
        let (flows, flying, arrived, posted) = Default::default();
        let mut reference =
            Reference { model, programs, now: 0.0, nodes, flows, flying, arrived, posted, ambiguous: false };
        reference.run();
        let end = |node: &RefNode| match node.at {
            At::End(at) => Some(at),
            _ => None,
        };
        let ends = reference.nodes.iter().map(end).collect();
        (!reference.ambiguous).then_some(ends)
    }

    fn run(&mut self) {
        loop {
            while self.something_happens_now() {}
            let rates = max_min_rates(&self.flows);
            let ends: Vec<f64> =
                self.flows.iter().zip(&rates).map(|(f, rate)| self.now + f.remaining / rate).collect();
            let calls = self.nodes.iter().filter_map(|node| match node.at {
                At::Call(at) => Some(at),
                _ => None,
            });
            let entries = self.nodes.iter().filter(|node| node.moving.is_none());
            let entries = entries.filter_map(|node| node.port.front().map(|first| first.0));
            let arrivals = self.flying.iter().map(|message| message.0);
            let next =
                calls.chain(entries).chain(arrivals).chain(ends.iter().copied()).min_by(f64::total_cmp);
            let Some(next) = next else { return };
            let next = next.max(self.now);
            for ((flow, rate), end) in self.flows.iter_mut().zip(&rates).zip(&ends) {
                flow.remaining = if *end <= next { 0.0 } else { flow.remaining - rate * (next - self.now) };
            }
            self.now = next;
        }
    }

    fn something_happens_now(&mut self) -> bool {
        if let Some(at) = self.flows.iter().position(|flow| flow.remaining <= 0.0) {
            let flow = self.flows.remove(at);
            let links = flow.uses.iter().filter(|used| matches!(used.0, Resource::Link(..))).count();
            let node = &mut self.nodes[flow.from];
            let send = node.moving.take().unwrap();
            node.sends[send].left = Some(self.now);
            self.flying.push((
                self.now + self.model.latency + self.model.hop * links as f64,
                flow.from,
                flow.to,
            ));
            return true;
        }
        if let Some(at) = self.flying.iter().position(|message| message.0 <= self.now) {
            let (time, from, to) = self.flying.remove(at);
            self.arrived.entry((from, to)).or_default().push(time);
            return true;
        }
        for from in 0..self.nodes.len() {
            let node = &mut self.nodes[from];
            if node.moving.is_none() && node.port.front().is_some_and(|first| first.0 <= self.now) {
                let (_, to, bytes, send) = node.port.pop_front().unwrap();
                node.moving = Some(send);
                self.flows.push(Flow {
                    from,
                    to,
                    remaining: bytes as f64,
                    uses: self.model.resources(from, to),
                });
                return true;
            }
            if self.step(from) {
                return true;
            }
        }
        false
    }

    /// Lets a node go on if it can.
    fn step(&mut self, rank: usize) -> bool {
        match self.nodes[rank].at {
            At::Call(at) if at <= self.now => return self.call(rank, at),
            At::Blocked { called, send, receive, both } => {
                let (mut end, mut met) = (called, called);
                if let Some(send) = send {
                    let Some(left) = self.nodes[rank].sends[send].left else { return false };
                    end = end.max(left);
                    let Some(at) = self.met(rank, send) else { return false };
                    met = at;
                }
                if let Some((from, nth)) = receive {
                    let Some(arrival) = self.arrival(from, rank, nth) else { return false };
                    let exchange = both || self.overlapped(rank, called, arrival);
                    end = end.max(arrival) + self.model.o_r + if exchange { self.model.o_x } else { 0.0 };
                }
                self.nodes[rank].at = At::Call(end.max(met));
            }
            At::Waiting { called, request } => {
                let end = match self.nodes[rank].requests[request] {
                    Requested::Send(send) => {
                        let Some(left) = self.nodes[rank].sends[send].left else { return false };
                        let Some(met) = self.met(rank, send) else { return false };
                        called.max(left).max(met)
                    }
                    Requested::Receive { from, nth, posted } => {
                        let Some(arrival) = self.arrival(from, rank, nth) else { return false };
                        let exchange = self.overlapped(rank, posted, arrival);
                        called.max(arrival) + self.model.o_r + if exchange { self.model.o_x } else { 0.0 }
                    }
                };
                self.nodes[rank].requests.remove(request);
                self.nodes[rank].at = At::Call(end);
            }
            _ => return false,
        }
        true
    }

    /// When a message met its receive, if its sender waits for that.
    fn met(&self, rank: usize, send: usize) -> Option<f64> {
        let Sent { bytes, to, nth, .. } = self.nodes[rank].sends[send];
        match self.model.rendezvous {
            Some(from_bytes) if bytes >= from_bytes => {
                let posted = *self.posted.get(&(rank, to))?.get(nth)?;
                Some(self.arrival(rank, to, nth)?.max(posted))
            }
            _ => Some(0.0),
        }
    }

    fn arrival(&self, from: usize, to: usize, nth: usize) -> Option<f64> {
        self.arrived.get(&(from, to))?.get(nth).copied()
    }

    /// Whether a send was under way at any time between a posting and an arrival.
    fn overlapped(&mut self, rank: usize, posted: f64, arrival: f64) -> bool {
        let near = |a: f64, b: f64| a != b && (a - b).abs() < 1e-3;
        let sends = &self.nodes[rank].sends;
        let unclear =
            sends.iter().any(|s| near(s.called, arrival) || s.left.is_some_and(|left| near(left, posted)));
        self.ambiguous |= self.model.o_x > 0.0 && (unclear || near(posted, arrival));
        posted < arrival
            && sends.iter().any(|s| s.called < arrival && s.left.is_none_or(|left| left > posted))
    }

    /// A node makes its next call at `at`.
    fn call(&mut self, rank: usize, at: f64) -> bool {
        let Some(&op) = self.programs[rank].get(self.nodes[rank].next) else {
            self.nodes[rank].at = At::End(at);
            return true;
        };
        self.nodes[rank].next += 1;
        match op {
            Op::Compute(time) => self.nodes[rank].at = At::Call(at + time),
            Op::Send { to, bytes } => {
                let send = Some(self.send(rank, to, bytes, at));
                self.nodes[rank].at = At::Blocked { called: at, send, receive: None, both: false };
            }
            Op::Isend { to, bytes } => {
                let send = self.send(rank, to, bytes, at);
                self.nodes[rank].requests.push_back(Requested::Send(send));
                self.nodes[rank].at = At::Call(at + self.model.o_s);
            }
            Op::Recv { from } => {
                let receive = Some((from, self.receive(rank, from, at)));
                self.nodes[rank].at = At::Blocked { called: at, send: None, receive, both: false };
            }
            Op::Irecv { from } => {
                let nth = self.receive(rank, from, at);
                self.nodes[rank].requests.push_back(Requested::Receive { from, nth, posted: at });
            }
            Op::Sendrecv { to, bytes, from } => {
                let send = Some(self.send(rank, to, bytes, at));
                let receive = Some((from, self.receive(rank, from, at)));
                self.nodes[rank].at = At::Blocked { called: at, send, receive, both: true };
            }
            Op::WaitAll => {
                if !self.nodes[rank].requests.is_empty() {
                    // Comes back here until none is left.
                    self.nodes[rank].next -= 1;
                    self.nodes[rank].at = At::Waiting { called: at, request: 0 };
                }
            }
        }
        true
    }

    fn receive(&mut self, rank: usize, from: usize, at: f64) -> usize {
        self.posted.entry((from, rank)).or_default().push(at);
        let nth = &mut self.nodes[rank].receives[from];
        *nth += 1;
        *nth - 1
    }

    fn send(&mut self, rank: usize, to: usize, bytes: u64, called: f64) -> usize {
        let ready = called + self.model.o_s;
        let node = &mut self.nodes[rank];
        let send = node.sends.len();
        let nth = node.sends.iter().filter(|sent| sent.to == to).count();
        if to == rank {
            // No port, no link: no send that anything could overlap.
            node.sends.push(Sent { called: f64::INFINITY, left: Some(ready), bytes, to, nth });
            self.flying.push((ready, rank, rank));
        } else {
            node.sends.push(Sent { called, left: None, bytes, to, nth });
            node.port.push_back((ready, to, bytes, send));
        }
        send
    }
}

/// A piece of a random program; node numbers are taken modulo the machine.
#[derive(Clone, Debug)]
enum Piece {
    Compute {
        node: usize,
        micros: f64,
    },
    Message {
        from: usize,
        to: usize,
        bytes: u64,
        isend: bool,
        irecv: bool,
    },
    /// Each of these sends to the next and receives from the one before.
    Cycle {
        first: usize,
        stride: usize,
        length: usize,
        bytes: u64,
    },
    WaitAll {
        node: usize,
    },
    /// Each of the two sends first and then receives.
    Facing {
        one: usize,
        other: usize,
        bytes: u64,
    },
}

fn pieces(requests: bool) -> impl Strategy<Value = Vec<Piece>> {
    let bytes = || prop_oneof![1 => Just(0_u64), 2 => 1..100_u64, 6 => 100..20_000_u64];
    let node = || 0..64_usize;
    let micros = (0..2000_u32).prop_map(|tenths| f64::from(tenths) / 10.0);
    let flags = (any::<bool>(), any::<bool>()).prop_map(move |(a, b)| (requests && a, requests && b));
    let piece = prop_oneof![
        2 => (node(), micros).prop_map(|(node, micros)| Piece::Compute { node, micros }),
        8 => (node(), node(), bytes(), flags)
            .prop_map(|(from, to, bytes, (isend, irecv))| Piece::Message { from, to, bytes, isend, irecv }),
        3 => (node(), 1..16_usize, 1..6_usize, bytes())
            .prop_map(|(first, stride, length, bytes)| Piece::Cycle { first, stride, length, bytes }),
        1 => node().prop_map(|node| Piece::WaitAll { node }),
    ];
    prop::collection::vec(piece, 1..70)
}

/// The programs of all nodes: every receive stands where its message has been sent before, so none waits for ever.
fn programs(pieces: &[Piece], nodes: usize) -> Vec<Vec<Op>> {
    let mut programs = vec![Vec::new(); nodes];
    for piece in pieces {
        match *piece {
            Piece::Compute { node, micros } => programs[node % nodes].push(Op::Compute(micros)),
            Piece::Message { from, to, bytes, isend, irecv } => {
                let (from, to) = (from % nodes, to % nodes);
                programs[from].push(if isend { Op::Isend { to, bytes } } else { Op::Send { to, bytes } });
                programs[to].push(if irecv { Op::Irecv { from } } else { Op::Recv { from } });
            }
            Piece::Cycle { first, stride, length, bytes } => {
                let mut ring: Vec<usize> = Vec::new();
                for i in 0..length {
                    let node = (first + i * stride) % nodes;
                    if !ring.contains(&node) {
                        ring.push(node);
                    }
                }
                for (i, &node) in ring.iter().enumerate() {
                    let (to, from) = (ring[(i + 1) % ring.len()], ring[(i + ring.len() - 1) % ring.len()]);
                    programs[node].push(Op::Sendrecv { to, bytes, from });
                }
            }
            Piece::WaitAll { node } => programs[node % nodes].push(Op::WaitAll),
            Piece::Facing { one, other, bytes } => {
                for (node, partner) in [(one % nodes, other % nodes), (other % nodes, one % nodes)] {
                    programs[node].extend([Op::Send { to: partner, bytes }, Op::Recv { from: partner }]);
                }
            }
        }
    }
    programs.iter_mut().for_each(|program| program.push(Op::WaitAll));
    programs
}

/// Carries a program out; all that was received, in order: from whom, how long, and the number of its sender's message.
fn play(node: &Node<'_>, program: &[Op]) -> Result<Vec<(usize, u64, usize)>, Failure> {
    let world = node.world();
    let (mut requests, mut received, mut number) = (Vec::new(), Vec::new(), 0_usize);
    // The tag tells which message it is.
    let mut next = |to: usize| {
        number += 1;
        (to, Tag(number as u32))
    };
    let told = |message: Message| (message.source, message.len(), message.tag.0 as usize);
    for &op in program {
        match op {
            Op::Compute(micros) => node.compute(Span::from_nanos((micros * 1e3).round() as u64))?,
            Op::Send { to, bytes } => world.send(next(to), Payload::phantom(bytes))?,
            Op::Isend { to, bytes } => requests.push(world.isend(next(to), Payload::phantom(bytes))?),
            Op::Recv { from } => received.push(told(world.recv(from)?)),
            Op::Irecv { from } => requests.push(world.irecv(from)?),
            Op::Sendrecv { to, bytes, from } => {
                received.push(told(world.sendrecv(next(to), Payload::phantom(bytes), from)?));
            }
            Op::WaitAll => {
                received.extend(world.wait_all(requests.drain(..))?.into_iter().flatten().map(told));
            }
        }
    }
    Ok(received)
}

fn models() -> impl Strategy<Value = Model> {
    let overhead =
        || prop_oneof![1 => Just(0.0), 3 => (1..1000_u32).prop_map(|tenths| f64::from(tenths) / 10.0)];
    let shape = prop_oneof![(1..5_usize, 1..5_usize), Just((1, 8)), Just((4, 4))];
    let port = prop_oneof![Just(20.0), 5.0..200.0_f64];
    let k = prop_oneof![Just(1.0), Just(2.0), 0.3..4.0_f64];
    let duplex = prop_oneof![Just(2.0), Just(1.0), 1.0..2.0_f64];
    let times = (overhead(), overhead(), overhead(), overhead(), overhead());
    (shape, times, port, k, duplex).prop_map(|(shape, times, port, k, duplex)| {
        let ((rows, columns), (o_s, o_r, o_x, latency, hop)) = (shape, times);
        let rendezvous = None;
        Model { rows, columns, o_s, o_r, o_x, latency, hop: hop / 10.0, port, k, duplex, rendezvous }
    })
}

/// Runs the programs and fails unless every node finishes within a nanosecond of the reference, or those are blocked that
/// are there.
fn compare(model: Model, pieces: &[Piece]) -> Result<(), TestCaseError> {
    let programs = programs(pieces, model.rows * model.columns);
    let Some(expected) = Reference::finish_times(model, &programs) else { return Ok(()) };
    let blocked: Vec<usize> = (0..expected.len()).filter(|&rank| expected[rank].is_none()).collect();
    let run = match model.machine().run(|node| play(node, &programs[node.rank()])) {
        Err(RunError::Deadlock(report)) => {
            prop_assert_eq!(report.blocked.iter().map(|node| node.rank).collect::<Vec<_>>(), blocked);
            return Ok(());
        }
        run => run.unwrap(),
    };
    prop_assert_eq!(blocked, Vec::<usize>::new());
    for (rank, (node, expected)) in run.report.nodes.iter().zip(expected.into_iter().flatten()).enumerate() {
        let off = (node.finished.as_micros_f64() - expected).abs();
        prop_assert!(
            off <= 1e-3,
            "node {} finished at {}, the model says {} us",
            rank,
            node.finished,
            expected
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Blocking sends and receives, exchanges and computing.
    #[test]
    fn blocking_programs_take_the_time_of_the_model(model in models(), pieces in pieces(false)) {
        compare(model, &pieces)?;
    }

    /// The same with non-blocking sends, which queue for the out-port, and receives posted before they are waited for.
    #[test]
    fn programs_with_requests_take_the_time_of_the_model(model in models(), pieces in pieces(true)) {
        compare(model, &pieces)?;
    }

    /// The same where senders of long messages, or of all, wait for the receive, and some programs come to no end.
    #[test]
    fn programs_with_rendezvous_take_the_time_of_the_model(
        model in models(),
        from_bytes in prop_oneof![Just(0_u64), 1..20_000_u64],
        pieces in pieces(true),
        facing in facing(),
    ) {
        let pieces = with_facing(pieces, facing, model.rows * model.columns);
        compare(Model { rendezvous: Some(from_bytes), ..model }, &pieces)?;
    }

    /// A program that ends with rendezvous receives the same without it; and where messages are not in each other's way,
    /// no node is later then.
    #[test]
    fn what_ends_with_rendezvous_ends_without_it(
        model in models(),
        from_bytes in prop_oneof![Just(0_u64), 1..20_000_u64],
        pieces in pieces(true),
        facing in facing(),
        crowded in any::<bool>(),
    ) {
        let pieces = with_facing(pieces, facing, model.rows * model.columns);
        let programs = programs(&pieces, model.rows * model.columns);
        let model = if crowded { model } else { Model { port: f64::INFINITY, o_x: 0.0, ..model } };
        let program = |node: &Node<'_>| play(node, &programs[node.rank()]);
        let without = model.machine().run(program).unwrap();
        let with = match (Model { rendezvous: Some(from_bytes), ..model }).machine().run(program) {
            Err(RunError::Deadlock(_)) => return Ok(()),
            run => run.unwrap(),
        };
        prop_assert_eq!(&with.outputs, &without.outputs);
        if !crowded {
            for (with, without) in with.report.nodes.iter().zip(&without.report.nodes) {
                prop_assert!(with.finished >= without.finished);
            }
        }
    }
}

/// Where sends of two nodes face each other, in one program of four.
fn facing() -> impl Strategy<Value = Option<(usize, Piece)>> {
    let piece = (0..64_usize, 0..64_usize, 0..20_000_u64).prop_map(|(one, other, bytes)| Piece::Facing {
        one,
        other,
        bytes,
    });
    prop::option::weighted(0.25, (0..70_usize, piece))
}

/// The pieces with those that may block, and otherwise none in which a node waits for itself.
fn with_facing(mut pieces: Vec<Piece>, facing: Option<(usize, Piece)>, nodes: usize) -> Vec<Piece> {
    for piece in &mut pieces {
        if let Piece::Message { from, to, isend, .. } = piece {
            *isend |= *from % nodes == *to % nodes;
        }
    }
    if let Some((at, piece)) = facing {
        pieces.insert(at.min(pieces.len()), piece);
    }
    pieces
}
