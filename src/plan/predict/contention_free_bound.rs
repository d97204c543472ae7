//! Contention-free lower bound on the time of a schedule; exact if the schedule is contention-free.
//!
//! Every step waits for the step before it, every receive for its message, and every message for earlier messages in its out-port. These
//! dependencies cost a small fraction of a prediction to evaluate, as messages share no link and no in-port. In the kernel each wait is at
//! least as long: no message is faster, and everything omitted here (links, in-ports, barriers, the extra time of receives that overlap
//! sends, copies of unexpected messages, sends that wait for their receives) can only add delay. A schedule that exceeds a limit here therefore needs no prediction.
//! Without a delay by an omitted effect its times equal the kernel's, to the picosecond ([`contention_free`](super::contention_free)).

use std::{
    borrow::Cow,
    collections::{BTreeMap, VecDeque, btree_map::Entry},
};

use crate::{
    fabric::latency_of,
    model::MachineSpec,
    pattern::{Action, Message, Schedule, Step},
    rank::Rank,
    time::{Span, Time},
    topology::LinkId,
};

/// Rounding in the kernel: a transfer may be shorter than its bytes require by this fraction, and by a picosecond,
/// because rates and departure instants are rounded.
const ROUNDING: u64 = 1 << 20;

/// A message in flight between two ranks.
pub(super) struct Flight {
    pub(super) from: Rank,
    pub(super) to: Rank,
    pub(super) bytes: u64,
    /// The instants when the message enters the network and when it has left its sender.
    pub(super) enters: Time,
    pub(super) left: Time,
}

/// The contention-free times of a schedule.
pub(super) struct ContentionFreeTimes {
    /// The finish time of each node, in rank order; empty on deadlock.
    pub(super) finished: Vec<Time>,
    /// All messages, if requested.
    pub(super) flights: Vec<Flight>,
}

/// Times a schedule without contention, and records its messages if requested. Returns `None` if it cannot end by `limit`.
pub(super) fn contention_free_times(
    machine: &MachineSpec,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
    keeps_flights: bool,
) -> Option<ContentionFreeTimes> {
    let mut simulation = Simulation::new(machine, members, schedule);
    let messages = schedule.messages().count() as u64;
    if keeps_flights {
        simulation.flights = Some(Vec::with_capacity(messages as usize));
    }
    simulation.ends_by(limit + rounding(limit, messages)).then(|| simulation.finish())
}

/// Returns how much earlier a schedule with this number of messages may end in the kernel than in exact arithmetic.
fn rounding(limit: Time, messages: u64) -> Span {
    let span = limit.since_start().as_picos().saturating_add(messages);
    // The relative part also applies to the tolerance itself.
    Span::from_picos(messages.saturating_add(span / (ROUNDING / 2)))
}

/// The progress of all nodes through their steps.
struct Simulation<'a> {
    machine: &'a MachineSpec,
    members: &'a [Rank],
    schedule: &'a Schedule,
    steps: Vec<Cow<'a, [Step]>>,
    nodes: Vec<Node>,
    /// The nodes that can proceed.
    ready: VecDeque<Rank>,
    /// Cached last results: transfer time by length, and flight time by sender and receiver.
    transfer: (u64, Span),
    flight: (Rank, Rank, Span),
    route: Vec<LinkId>,
    flights: Option<Vec<Flight>>,
}

/// The progress of a node.
#[derive(Default)]
struct Node {
    /// The number of completed steps.
    done: usize,
    clock: Time,
    /// The time at which all messages sent so far have left.
    left: Time,
    /// The departure time of the message of an unfinished exchange.
    exchanged: Option<Time>,
    /// The sender whose message the node waits for.
    awaited: Option<Rank>,
    /// The arrival times of messages not yet received, by sender.
    coming: BTreeMap<Rank, VecDeque<Time>>,
}

impl Node {
    /// Returns the arrival time of the next message of a sender. `None` if unknown; the node then waits for the message.
    fn take(&mut self, sender: Rank) -> Option<Time> {
        let mut arrival = None;
        if let Entry::Occupied(mut messages) = self.coming.entry(sender) {
            arrival = messages.get_mut().pop_front();
            if messages.get().is_empty() {
                messages.remove();
            }
        }
        self.awaited = if arrival.is_none() { Some(sender) } else { None };
        arrival
    }
}

impl<'a> Simulation<'a> {
    fn new(machine: &'a MachineSpec, members: &'a [Rank], schedule: &'a Schedule) -> Simulation<'a> {
        let steps = (0..schedule.nodes()).map(|rank| schedule.steps_under(rank, machine.rendezvous()));
        Simulation {
            machine,
            members,
            schedule,
            steps: steps.collect(),
            nodes: (0..schedule.nodes()).map(|_| Node::default()).collect(),
            ready: (0..schedule.nodes()).collect(),
            transfer: (0, Span::ZERO),
            flight: (0, 0, Span::ZERO),
            route: Vec::new(),
            flights: None,
        }
    }

    /// Advances all nodes until they have finished; returns `false` as soon as one exceeds the limit.
    fn ends_by(&mut self, limit: Time) -> bool {
        while let Some(rank) = self.ready.pop_front() {
            while self.nodes[rank].done < self.steps[rank].len() && self.advance(rank) {
                let node = &mut self.nodes[rank];
                node.done += 1;
                if node.clock.max(node.left) > limit {
                    return false;
                }
            }
        }
        true
    }

    /// Returns the finish times of the nodes, and the messages.
    fn finish(self) -> ContentionFreeTimes {
        let is_done = self.nodes.iter().zip(&self.steps).all(|(node, steps)| node.done == steps.len());
        // A node ends when all its messages have left.
        let ends = self.nodes.iter().map(|node| node.clock.max(node.left));
        let finished = if is_done { ends.collect() } else { Vec::new() };
        ContentionFreeTimes { finished, flights: self.flights.unwrap_or_default() }
    }

    /// Executes the next step of a node; returns `false` if it must wait for a message.
    fn advance(&mut self, rank: Rank) -> bool {
        let parameters = self.machine.parameters();
        let steps = std::mem::take(&mut self.steps[rank]);
        let action = &steps[self.nodes[rank].done].action;
        let is_done = match action {
            Action::Send(message) => {
                self.nodes[rank].clock = self.send(rank, message);
                true
            }
            Action::Start(message) => {
                self.send(rank, message);
                true
            }
            Action::WaitAll => {
                let node = &mut self.nodes[rank];
                node.clock = node.clock.max(node.left);
                true
            }
            Action::Recv(message) => self.receive(rank, message, Span::ZERO),
            Action::Exchange { send, recv } => {
                let left = match self.nodes[rank].exchanged {
                    Some(left) => left,
                    None => self.send(rank, send),
                };
                // In the kernel, the receive completes after the message has left.
                self.nodes[rank].clock = left;
                let is_over = self.receive(rank, recv, parameters.exchange_overhead());
                self.nodes[rank].exchanged = if is_over { None } else { Some(left) };
                is_over
            }
            Action::Pack(bytes) => self.work(rank, parameters.copying(*bytes)),
            Action::Combine(bytes) => self.combine(rank, *bytes),
            Action::Merge { into, .. } => self.combine(rank, self.schedule.sizes()[*into as usize]),
            Action::Pause(span) => self.work(rank, *span),
            Action::Barrier => true,
        };
        self.steps[rank] = steps;
        is_done
    }

    fn work(&mut self, rank: Rank, span: Span) -> bool {
        let node = &mut self.nodes[rank];
        node.clock += span;
        true
    }

    fn combine(&mut self, rank: Rank, bytes: u64) -> bool {
        self.work(rank, self.machine.parameters().combining(self.schedule.elements(bytes)))
    }

    /// Sends a message and returns its departure time.
    fn send(&mut self, rank: Rank, message: &Message) -> Time {
        let parameters = self.machine.parameters();
        let (transfer, flight) = (self.transfer(message.bytes), self.flight(rank, message.peer));
        let node = &mut self.nodes[rank];
        node.clock += parameters.send_overhead();
        // With several ports, messages may be in transit at the same time.
        let enters = if parameters.ports() == 1 { node.clock.max(node.left) } else { node.clock };
        let left = enters + transfer;
        node.left = node.left.max(left);
        if let Some(flights) = &mut self.flights {
            flights.push(Flight { from: rank, to: message.peer, bytes: message.bytes, enters, left });
        }
        let receiver = &mut self.nodes[message.peer];
        receiver.coming.entry(rank).or_default().push_back(left + flight);
        if receiver.awaited == Some(rank) {
            receiver.awaited = None;
            self.ready.push_back(message.peer);
        }
        left
    }

    /// Receives a message, with `more` extra time. Returns `false` if the message has not been sent yet.
    fn receive(&mut self, rank: Rank, message: &Message, more: Span) -> bool {
        let node = &mut self.nodes[rank];
        let Some(arrival) = node.take(message.peer) else { return false };
        node.clock = node.clock.max(arrival) + self.machine.parameters().receive_overhead() + more;
        true
    }

    /// Returns the time of a message's bytes through an unshared port, rounded as in the kernel.
    fn transfer(&mut self, bytes: u64) -> Span {
        if self.transfer.0 != bytes {
            let port = self.machine.parameters().port_capacity();
            self.transfer = (bytes, Span::from_secs_f64(bytes as f64 / port));
        }
        self.transfer.1
    }

    /// Returns the time from the departure of a message until its arrival.
    fn flight(&mut self, from: Rank, to: Rank) -> Span {
        let parameters = self.machine.parameters();
        let topology = self.machine.topology();
        if parameters.hop().is_zero() && topology.latencies().is_empty() {
            return parameters.latency();
        }
        if (self.flight.0, self.flight.1) != (from, to) {
            self.route.clear();
            topology.route(self.members[from], self.members[to], &mut self.route);
            let hops = parameters.hop().times(self.route.len() as u64) + latency_of(&self.route, &**topology);
            let flight = parameters.latency() + hops;
            self.flight = (from, to, flight);
        }
        self.flight.2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        pattern::{Builder, Exchange, Transfer, ring},
        plan::predict,
    };

    fn could_end_by(machine: &MachineSpec, members: &[Rank], schedule: &Schedule, limit: Time) -> bool {
        contention_free_times(machine, members, schedule, limit, false).is_some()
    }

    /// Tests a ring of neighbours, which is contention-free: the bound differs from the time only by rounding.
    #[test]
    fn the_bound_is_exact_without_contention() {
        for machine in ["hockney:1x8", "t3d:1x1x8", "cm5:8"] {
            let machine: MachineSpec = machine.parse().unwrap();
            let members: Vec<Rank> = (0..8).collect();
            for exchange in [Exchange::InTurn, Exchange::Together] {
                let mut builder = Builder::new(8, &members, &[5000; 8], exchange);
                ring::all_gather(&mut builder, std::slice::from_ref(&members), |_| 1);
                let schedule = builder.finish();
                let time = predict(&machine, &schedule).unwrap().modeled;
                let least = time - Span::from_secs_f64(time.as_secs_f64() * 1e-5);
                assert!(could_end_by(&machine, &members, &schedule, time), "{machine:?}");
                assert!(!could_end_by(&machine, &members, &schedule, least), "{machine:?}");
            }
        }
    }

    /// Tests two messages to one node: the bound ignores that they share its in-port.
    #[test]
    fn the_bound_ignores_shared_in_ports() {
        let machine: MachineSpec = "hockney:1x3".parse().unwrap();
        let mut builder = Builder::new(3, &[0, 2], &[100_000; 2], Exchange::InTurn);
        builder.iteration([(0, 0), (2, 1)].map(|(from, block)| Transfer {
            from,
            to: 1,
            blocks: [block].into(),
        }));
        let (schedule, members) = (builder.finish(), [0, 1, 2]);
        let parameters = machine.parameters();
        let one = parameters.alpha() + parameters.transfer(100_000) + parameters.receive_overhead();
        assert!(predict(&machine, &schedule).unwrap().modeled > Time::ZERO + one);
        assert!(could_end_by(&machine, &members, &schedule, Time::ZERO + one));
        assert!(!could_end_by(&machine, &members, &schedule, Time::ZERO + parameters.alpha()));
    }
}
