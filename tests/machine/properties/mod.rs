//! Random programs: no byte is lost or doubled, and every node finishes when a naive simulation of the timing model
//! says so, to the nanosecond; with rendezvous, too, where they are blocked where that says so.

mod delivery;
mod time;

use std::collections::{BTreeMap, VecDeque};

use multicomputer::{model::Parameters, prelude::*};
use proptest::prelude::*;

use crate::support::PATIENCE;

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
    /// How many in-ports and out-ports a node has.
    ports: u32,
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
            .ports(self.ports)
            .build()
            .unwrap();
        let machine = Machine::mesh(self.rows, self.columns).parameters(parameters).wall_limit(PATIENCE);
        let machine = match self.rendezvous {
            Some(from_bytes) => machine.rendezvous(from_bytes),
            None => machine,
        };
        machine.build().unwrap()
    }

    /// Everything with a capacity that a node's n-th message uses, with the capacity: links from node to node, along the
    /// row first; then the ports, of which it has one of its sender's for itself.
    fn resources(&self, (from, nth): (usize, usize), to: usize) -> Vec<(Resource, f64)> {
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
        let ports = f64::from(self.ports) * self.port;
        used.push((Resource::Out(from, nth), self.port));
        used.push((Resource::In(to), ports));
        if self.duplex < 2.0 {
            used.push((Resource::Both(from), self.duplex * ports));
            used.push((Resource::Both(to), self.duplex * ports));
        }
        used
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    Link(usize, usize),
    Out(usize, usize),
    In(usize),
    Both(usize),
}

#[derive(Clone, Debug)]
struct Flow {
    from: usize,
    to: usize,
    /// The send of its node.
    send: usize,
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
    /// To whom messages are moving.
    moving: Vec<usize>,
    receives: Vec<usize>,
    requests: VecDeque<Requested>,
}

impl RefNode {
    /// The next message to take a port, if one is free: the first of those to whose target none is moving.
    fn next_out(&self, ports: u32) -> Option<(f64, usize, u64, usize)> {
        let mut may = self.port.iter().filter(|waiting| !self.moving.contains(&waiting.1));
        may.next().copied().filter(|_| self.moving.len() < ports as usize)
    }
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
            moving: Vec::new(),
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
            let entries =
                self.nodes.iter().filter_map(|node| node.next_out(self.model.ports)).map(|(ready, ..)| ready);
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
            node.moving.retain(|&to| to != flow.to);
            node.sends[flow.send].left = Some(self.now);
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
            if let Some((_, to, bytes, send)) =
                node.next_out(self.model.ports).filter(|next| next.0 <= self.now)
            {
                node.port.retain(|waiting| waiting.3 != send);
                node.moving.push(to);
                let uses = self.model.resources((from, send), to);
                self.flows.push(Flow { from, to, send, remaining: bytes as f64, uses });
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
