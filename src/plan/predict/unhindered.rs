//! A schedule whose messages do not get in each other's way: a lower limit of what it takes, and, where that comes true, all of it.
//!
//! Every step waits for the one before it, every receive for its message, and every message for those before it in its out-port.
//! The time that follows from these alone costs a small part of a prediction, as no message shares a link or an in-port with another one.
//! In the kernel each of these waits is at least as long: no message is faster there, and what is left out here (links,
//! in-ports, barriers, the extra time of receives that overlap sends, sends that wait for their receives) can only delay. So a
//! schedule that does not end in time here need not be predicted; and where nothing of that delays it, its times are those of the
//! kernel, to the picosecond ([`clear`](super::clear)).

use std::{
    borrow::Cow,
    collections::{BTreeMap, VecDeque, btree_map::Entry},
};

use crate::{
    model::Description,
    pattern::{Action, Message, Schedule, Step},
    rank::Rank,
    time::{Span, Time},
    topology::LinkId,
};

/// In the kernel a transfer may take less than its bytes do by this part of it, and by a picosecond: rates are rounded, and so is the
/// instant at which a message has left.
const ROUNDED: u64 = 1 << 20;

/// A message on its way, of one rank to another.
pub(super) struct Flight {
    pub(super) from: Rank,
    pub(super) to: Rank,
    pub(super) bytes: u64,
    /// When it enters the network, and when it has left its sender.
    pub(super) enters: Time,
    pub(super) left: Time,
}

/// The times of a schedule if no message is in another one's way.
pub(super) struct Unhindered {
    /// When each node is done, in rank order; empty if some wait for ever.
    pub(super) finished: Vec<Time>,
    /// All messages, if they are asked for.
    pub(super) flights: Vec<Flight>,
}

/// Follows a schedule to its end, and keeps its messages if they are asked for; `None` if it cannot end by `limit`.
pub(super) fn follow(
    machine: &Description,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
    keeps_flights: bool,
) -> Option<Unhindered> {
    let mut walk = Walk::new(machine, members, schedule);
    let messages = schedule.messages().count() as u64;
    if keeps_flights {
        walk.flights = Some(Vec::with_capacity(messages as usize));
    }
    walk.ends_by(limit + rounding(limit, messages)).then(|| walk.finish())
}

/// So much earlier than by a limit so many messages may end in the kernel.
fn rounding(limit: Time, messages: u64) -> Span {
    let span = limit.since_start().as_picos().saturating_add(messages);
    // Of a time that is longer than the limit by that, too.
    Span::from_picos(messages.saturating_add(span / (ROUNDED / 2)))
}

/// All nodes on their way through their steps.
struct Walk<'a> {
    machine: &'a Description,
    members: &'a [Rank],
    schedule: &'a Schedule,
    steps: Vec<Cow<'a, [Step]>>,
    nodes: Vec<Node>,
    /// The nodes that can go on.
    ready: VecDeque<Rank>,
    /// The times of the last message: one of the same length takes the same, and so does one between the same nodes.
    transfer: (u64, Span),
    flight: (Rank, Rank, Span),
    route: Vec<LinkId>,
    flights: Option<Vec<Flight>>,
}

/// How far a node has come.
#[derive(Default)]
struct Node {
    /// The number of steps that are done.
    done: usize,
    clock: Time,
    /// The time at which all its messages so far have left.
    left: Time,
    /// The time at which the message of an exchange has left that is not over.
    exchanged: Option<Time>,
    /// The sender for whose message it waits.
    awaited: Option<Rank>,
    /// The times at which messages that it has not received arrive, by their senders.
    coming: BTreeMap<Rank, VecDeque<Time>>,
}

impl Node {
    /// The time at which the next message of a sender arrives, if that is known; otherwise the node waits for it.
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

impl<'a> Walk<'a> {
    fn new(machine: &'a Description, members: &'a [Rank], schedule: &'a Schedule) -> Walk<'a> {
        let steps = (0..schedule.nodes()).map(|rank| schedule.steps_under(rank, machine.rendezvous()));
        Walk {
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

    /// Lets all nodes go on until they are done, or one is later than the limit.
    fn ends_by(&mut self, limit: Time) -> bool {
        while let Some(rank) = self.ready.pop_front() {
            while self.nodes[rank].done < self.steps[rank].len() && self.go_on(rank) {
                let node = &mut self.nodes[rank];
                node.done += 1;
                if node.clock.max(node.left) > limit {
                    return false;
                }
            }
        }
        true
    }

    /// The times at which the nodes are done, and the messages.
    fn finish(self) -> Unhindered {
        let is_done = self.nodes.iter().zip(&self.steps).all(|(node, steps)| node.done == steps.len());
        // A node ends when all its messages have left.
        let ends = self.nodes.iter().map(|node| node.clock.max(node.left));
        let finished = if is_done { ends.collect() } else { Vec::new() };
        Unhindered { finished, flights: self.flights.unwrap_or_default() }
    }

    /// Carries out the next step of a node, unless that waits for a message.
    fn go_on(&mut self, rank: Rank) -> bool {
        let parameters = self.machine.parameters();
        let steps = std::mem::take(&mut self.steps[rank]);
        let action = &steps[self.nodes[rank].done].action;
        let is_done = match action {
            Action::Send(message) => {
                self.nodes[rank].clock = self.launch(rank, message);
                true
            }
            Action::Start(message) => {
                self.launch(rank, message);
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
                    None => self.launch(rank, send),
                };
                // A receive that is over has waited for the message to leave.
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

    /// Sends a message; returns the time at which it has left.
    fn launch(&mut self, rank: Rank, message: &Message) -> Time {
        let parameters = self.machine.parameters();
        let (transfer, flight) = (self.transfer(message.bytes), self.flight(rank, message.peer));
        let node = &mut self.nodes[rank];
        node.clock += parameters.send_overhead();
        // With several ports messages may be on their way at the same time.
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

    /// Receives a message, which takes so much longer than others; `false` if it has not been sent yet.
    fn receive(&mut self, rank: Rank, message: &Message, more: Span) -> bool {
        let node = &mut self.nodes[rank];
        let Some(arrival) = node.take(message.peer) else { return false };
        node.clock = node.clock.max(arrival) + self.machine.parameters().receive_overhead() + more;
        true
    }

    /// The time of the bytes of a message through a port of their own, as the kernel counts it.
    fn transfer(&mut self, bytes: u64) -> Span {
        if self.transfer.0 != bytes {
            let port = self.machine.parameters().port_capacity();
            self.transfer = (bytes, Span::from_secs_f64(bytes as f64 / port));
        }
        self.transfer.1
    }

    /// The time from when a message has left its sender until it arrives.
    fn flight(&mut self, from: Rank, to: Rank) -> Span {
        let parameters = self.machine.parameters();
        if parameters.hop().is_zero() {
            return parameters.latency();
        }
        if (self.flight.0, self.flight.1) != (from, to) {
            self.route.clear();
            self.machine.topology().route(self.members[from], self.members[to], &mut self.route);
            let flight = parameters.latency() + parameters.hop().times(self.route.len() as u64);
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

    fn could_end_by(machine: &Description, members: &[Rank], schedule: &Schedule, limit: Time) -> bool {
        follow(machine, members, schedule, limit, false).is_some()
    }

    /// Tests a ring of neighbours, where no message is in another one's way: all that is left out are roundings.
    #[test]
    fn without_conflicts_it_is_the_time() {
        for machine in ["hockney:1x8", "t3d:1x1x8", "cm5:8"] {
            let machine: Description = machine.parse().unwrap();
            let members: Vec<Rank> = (0..8).collect();
            for exchange in [Exchange::InTurn, Exchange::Together] {
                let mut builder = Builder::new(8, &members, &[5000; 8], exchange);
                ring::collect(&mut builder, std::slice::from_ref(&members), |_| 1);
                let schedule = builder.finish();
                let time = predict(&machine, &schedule).unwrap().modeled;
                let least = time - Span::from_secs_f64(time.as_secs_f64() * 1e-5);
                assert!(could_end_by(&machine, &members, &schedule, time), "{machine:?}");
                assert!(!could_end_by(&machine, &members, &schedule, least), "{machine:?}");
            }
        }
    }

    /// Tests two messages to one node: what they take of its in-port is left out.
    #[test]
    fn messages_to_one_node_do_not_meet() {
        let machine: Description = "hockney:1x3".parse().unwrap();
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
