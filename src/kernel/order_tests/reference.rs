//! The order of simultaneous events as `docs/timing-model.md` has it, line by line: no node is ever ahead of modeled
//! time, and none behind it.
//!
//! At each instant the engine looks for the first line in which something is left to do, does one thing of it, and begins
//! again with the first line. Every call is carried out when modeled time has reached the clock of its node. With the
//! kernel it shares the rates of messages (`fabric`), the periods of noise, and the ways around dead links, which have
//! tests of their own. Deaths of nodes are left out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{programs::Runner, *};
use crate::{
    fabric::Port,
    kernel::{node::Receiver, op::AnyOf, request::Arrived},
    model::faults::Change,
    rank::Rank,
    wire::{MessageId, Parcel, RequestId, Selector},
};

/// A message at the out-ports of its sender.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    parcel: Parcel,
    seq: u64,
    ready: Time,
    request: Option<RequestId>,
    /// Whether its sender is blocked until it has left, and met its receive where that is waited for.
    blocking: bool,
    port: Option<u32>,
}

/// A send, for the exchange overhead.
#[derive(Clone, Copy, Debug)]
struct Sent {
    seq: u64,
    called: Time,
    left: Option<Time>,
}

#[derive(Clone, Debug)]
enum Request {
    Sending,
    Ended { at: Time, failed: Option<Cause> },
    Posted,
    Received { posted: Time, message: Arrived },
}

impl Request {
    fn complete_since(&self) -> Option<Time> {
        match self {
            Request::Ended { at, .. } => Some(*at),
            Request::Received { message, .. } => Some(message.at),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
enum State {
    /// The next call is due at the node's clock.
    Ready,
    /// A blocking receive from any source waits for its line, or a call that looks for its own.
    Called(Op),
    Sending,
    Receiving {
        deadline: Time,
    },
    Exchanging {
        sent: Option<Time>,
        met: Option<Time>,
        received: Option<Arrived>,
    },
    Waiting(RequestId),
    WaitingForAny(AnyOf),
    Probing(Selector),
    InBarrier,
    Finished,
}

struct Node {
    clock: Time,
    state: State,
    runner: Runner,
    finished: Time,
    leaving: Vec<Leaving>,
    sends: Vec<Sent>,
    sent: u64,
    /// Messages that have arrived and not been received, by time, source and order.
    arrived: Vec<Arrived>,
    /// Posted receives, in their order, with the instants at which they were posted.
    posted: Vec<(Selector, Receiver, Time)>,
    requests: BTreeMap<RequestId, Request>,
    noise: Vec<(Time, Time)>,
}

/// The engine.
pub(crate) struct Reference<'m> {
    machine: &'m Description,
    fabric: Fabric,
    now: Time,
    nodes: Vec<Node>,
    flying: BTreeMap<(Time, NodeId, u64), (NodeId, Arrived)>,
    /// Messages that have left and whose senders wait for their receives, with the requests.
    awaited: BTreeMap<MessageId, Option<RequestId>>,
    meetings: BTreeSet<MessageId>,
    faults: VecDeque<(Time, Change)>,
    transfers: Vec<Transfer>,
    /// Knows the ways around dead links.
    ways: Kernel,
}

/// Noise after this is left out: no program of the tests takes as long.
const END_OF_NOISE: Span = Span::from_millis(20);

impl<'m> Reference<'m> {
    /// The visible result of a run.
    pub(crate) fn run(machine: &'m Description, programs: &[Vec<Step>]) -> Story {
        let horizon = Time::ZERO + END_OF_NOISE;
        let noise = |rank| match machine.noise() {
            Some(noise) => noise.periods(rank).take_while(|&(begin, _)| begin < horizon).collect(),
            None => Vec::new(),
        };
        let node = |(rank, steps): (usize, &Vec<Step>)| Node {
            clock: Time::ZERO,
            state: State::Ready,
            runner: Runner::new(steps),
            finished: Time::ZERO,
            leaving: Vec::new(),
            sends: Vec::new(),
            sent: 0,
            arrived: Vec::new(),
            posted: Vec::new(),
            requests: BTreeMap::new(),
            noise: noise(rank as u32),
        };
        let faults = machine.faults().map(|faults| faults.on(&**machine.topology()).unwrap());
        let mut engine = Reference {
            machine,
            fabric: Fabric::new(&**machine.topology(), machine.parameters(), true),
            now: Time::ZERO,
            nodes: programs.iter().enumerate().map(node).collect(),
            flying: BTreeMap::new(),
            awaited: BTreeMap::new(),
            meetings: BTreeSet::new(),
            faults: faults.unwrap_or_default().into(),
            transfers: Vec::new(),
            ways: Kernel::new(machine, false),
        };
        while engine.step() || engine.advance() {}
        let mut transfers = engine.transfers;
        transfers.sort_unstable_by_key(|transfer| (transfer.left, transfer.from, transfer.seq));
        let finished = engine.nodes.iter().map(|node| node.finished).collect();
        Story {
            replies: engine.nodes.into_iter().map(|node| node.runner.replies).collect(),
            finished,
            transfers,
        }
    }

    /// Does one thing of the first line in which something is left at this instant; whether there was one.
    fn step(&mut self) -> bool {
        let now = self.now;
        let ranks = 0..self.nodes.len();
        // Line 1: calls that are due.
        let due = |node: &Node| matches!(node.state, State::Ready) && node.clock == now;
        if let Some(rank) = ranks.clone().find(|&rank| due(&self.nodes[rank])) {
            self.call(rank);
            return true;
        }
        // Line 2: messages leave their out-ports.
        if self.fabric.next_end() == Some(now)
            && let Some((_, port, links)) = self.fabric.pop_end(now)
        {
            let place = self.nodes[port.node].leaving.iter().position(|out| out.port == Some(port.number));
            let message = self.nodes[port.node].leaving.remove(place.unwrap());
            let parameters = self.machine.parameters();
            let arrives = now + parameters.latency() + parameters.hop().times(links as u64);
            self.leave(port.node, message, arrives);
            return true;
        }
        // Line 3: messages arrive; then those that are waited for are met; then faults.
        if let Some(entry) = self.flying.first_entry().filter(|entry| entry.key().0 == now) {
            let (target, message) = entry.remove();
            self.arrive(target, message);
            return true;
        }
        if let Some(id) = self.meetings.pop_first() {
            self.meet(id);
            return true;
        }
        if let Some(&(_, change)) = self.faults.front().filter(|&&(at, _)| at == now) {
            self.faults.pop_front();
            self.happen(change);
            return true;
        }
        // Line 4: messages take out-ports.
        if let Some((rank, at)) = ranks.clone().find_map(|rank| Some((rank, self.next_to_enter(rank)?))) {
            self.enter(rank, at);
            return true;
        }
        // Line 5: receives from any source.
        if let Some(rank) = ranks.clone().find(|&rank| self.has_line_five(rank)) {
            self.receive_from_any(rank);
            return true;
        }
        // Line 6: looks.
        if let Some(rank) = ranks.clone().find(|&rank| self.looks(rank)) {
            self.look(rank);
            return true;
        }
        false
    }

    /// Goes on to the next instant at which something happens; whether there is one.
    fn advance(&mut self) -> bool {
        self.fabric.settle(self.now);
        let mut next = vec![self.fabric.next_end(), self.flying.keys().next().map(|&(at, ..)| at)];
        next.push(self.faults.front().map(|&(at, _)| at));
        for node in &self.nodes {
            next.extend(node.leaving.iter().map(|out| Some(out.ready)));
            match &node.state {
                State::Ready => next.push(Some(node.clock)),
                State::Receiving { deadline } => next.push(Some(*deadline)),
                State::WaitingForAny(wait) => next.push(Some(wait.deadline)),
                _ => {}
            }
        }
        // A flow may end at this very instant once rates are known.
        let is_end = self.fabric.next_end() == Some(self.now);
        let next = next.into_iter().flatten().filter(|&at| at > self.now && at < Time::MAX).min();
        match next {
            _ if is_end => true,
            Some(at) => {
                self.now = at;
                true
            }
            None => false,
        }
    }

    // Calls.

    fn call(&mut self, rank: Rank) {
        let called = self.now;
        let Some(op) = self.nodes[rank].runner.next() else {
            return self.nodes[rank].state = State::Finished;
        };
        match op {
            Op::Send { parcel, request } => self.send(rank, parcel, request, request.is_none()),
            Op::Launch { parcel } => self.send(rank, parcel, None, false),
            Op::SendRecv { parcel, select } => {
                let is_met = self.is_met(&parcel);
                let to_self = parcel.target as Rank == rank;
                let met = (!is_met).then_some(called);
                self.nodes[rank].state = State::Exchanging { sent: None, met, received: None };
                self.nodes[rank].posted.push((select, Receiver::Blocking, called));
                self.launch(rank, parcel, None, !to_self || is_met);
                let ready = self.nodes[rank].clock;
                if let State::Exchanging { sent, .. } = &mut self.nodes[rank].state
                    && to_self
                {
                    *sent = Some(ready);
                }
                self.match_named(rank);
                self.try_end_exchange(rank);
            }
            Op::Recv { select, request: Some(request) } => {
                self.nodes[rank].requests.insert(request, Request::Posted);
                self.nodes[rank].posted.push((select, Receiver::Request(request), called));
                self.match_named(rank);
                self.reply(rank, called, Outcome::Done);
            }
            Op::Recv { select, request: None } if !select.is_wild() => {
                self.nodes[rank].state = State::Receiving { deadline: Time::MAX };
                self.nodes[rank].posted.push((select, Receiver::Blocking, called));
                self.match_named(rank);
            }
            Op::Wait { request } => {
                self.nodes[rank].state = State::Waiting(request);
                self.try_wait(rank);
            }
            Op::Forget { request } => {
                // A message that it has taken is lost to the program; one that it has not, it still takes.
                self.nodes[rank].requests.remove(&request);
                self.reply(rank, called, Outcome::Done);
            }
            Op::Compute { span } | Op::Charge { span } => {
                let end = self.worked(rank, called, span);
                self.reply(rank, end, Outcome::Done);
            }
            Op::Barrier => {
                self.nodes[rank].state = State::InBarrier;
                if self.nodes.iter().all(|node| matches!(node.state, State::InBarrier)) {
                    let end = called + self.machine.parameters().barrier().unwrap_or(Span::ZERO);
                    for rank in 0..self.nodes.len() {
                        self.reply(rank, end, Outcome::Done);
                    }
                }
            }
            Op::Now => self.reply(rank, called, Outcome::Done),
            Op::Finish => {
                self.nodes[rank].finished = called;
                self.nodes[rank].state = State::Finished;
            }
            other => self.nodes[rank].state = State::Called(other),
        }
    }

    /// Ends a call at an instant.
    fn reply(&mut self, rank: Rank, clock: Time, outcome: Outcome) {
        let node = &mut self.nodes[rank];
        node.clock = clock;
        node.state = State::Ready;
        node.runner.answered(Reply { clock, outcome });
    }

    /// The end of work that begins at an instant: periods of noise that it meets are added.
    fn worked(&self, rank: Rank, start: Time, span: Span) -> Time {
        let mut end = start + span;
        if span.is_zero() {
            return end;
        }
        for &(begin, over) in self.nodes[rank].noise.iter().filter(|&&(_, over)| over > start) {
            if begin >= end {
                break;
            }
            end += over.since(begin.max(start));
        }
        end
    }

    // Sending.

    fn send(&mut self, rank: Rank, parcel: Parcel, request: Option<RequestId>, waits: bool) {
        let leaves = parcel.target as Rank != rank && !parcel.active;
        let blocking = waits && (leaves || self.is_met(&parcel));
        if blocking {
            self.nodes[rank].state = State::Sending;
        }
        let refused = self.launch(rank, parcel, request, blocking);
        let clock = self.nodes[rank].clock;
        match refused {
            Some(cause) => self.reply(rank, clock, Outcome::Failed(cause)),
            None if !blocking => self.reply(rank, clock, Outcome::Done),
            None => {}
        }
    }

    fn launch(
        &mut self,
        rank: Rank,
        parcel: Parcel,
        request: Option<RequestId>,
        blocking: bool,
    ) -> Option<Cause> {
        let called = self.now;
        let parameters = self.machine.parameters();
        let regime = Regime::of(parameters.regimes(), parcel.bytes);
        let overhead = match regime {
            _ if parcel.active => parameters.active_send_overhead(),
            Some(regime) => regime.send_overhead,
            None => parameters.send_overhead(),
        };
        let ready = self.worked(rank, called, overhead);
        let node = &mut self.nodes[rank];
        let seq = node.sent;
        node.sent += 1;
        node.clock = ready;
        if let Some(request) = request {
            node.requests.insert(request, Request::Sending);
        }
        let message = Leaving { parcel, seq, ready, request, blocking, port: None };
        if parcel.target as Rank == rank {
            self.depart(rank, message, ready, ready, ready);
        } else if parcel.active {
            let flight = match self.way(ready, rank, parcel.target) {
                Ok(links) => {
                    Span::from_secs_f64(parcel.bytes as f64 * parameters.beta())
                        + parameters.latency()
                        + parameters.hop().times(links)
                }
                Err(cause) => return Some(cause),
            };
            self.depart(rank, message, ready, ready, ready + flight);
        } else {
            node.sends.push(Sent { seq, called, left: None });
            node.leaving.push(message);
        }
        None
    }

    /// The number of links on the way of a message that leaves at an instant.
    fn way(&mut self, at: Time, from: Rank, to: NodeId) -> Result<u64, Cause> {
        let mut route = Vec::new();
        self.machine.topology().route(from, to as Rank, &mut route);
        Ok(self.ways.way(at, from as NodeId, to)?.unwrap_or(route).len() as u64)
    }

    /// The first message of a node that takes an out-port now, by its place.
    fn next_to_enter(&self, rank: Rank) -> Option<usize> {
        let leaving = &self.nodes[rank].leaving;
        let in_ports = || leaving.iter().filter(|out| out.port.is_some());
        if in_ports().count() == self.machine.parameters().ports() as usize {
            return None;
        }
        let is_free = |out: &Leaving| in_ports().all(|other| other.parcel.target != out.parcel.target);
        leaving.iter().position(|out| out.port.is_none() && out.ready <= self.now && is_free(out))
    }

    fn enter(&mut self, rank: Rank, at: usize) {
        let leaving = &mut self.nodes[rank].leaving;
        let number = (0..).find(|&port| leaving.iter().all(|out| out.port != Some(port))).unwrap();
        let (message, port) = (leaving[at], Port { node: rank, number });
        match self.ways.way(self.now, rank as NodeId, message.parcel.target) {
            Err(cause) => return self.fail_leaving(rank, at, cause),
            Ok(Some(detour)) => self.fabric.detour(port, detour),
            Ok(None) => {}
        }
        self.nodes[rank].leaving[at].port = Some(number);
        let Parcel { target, bytes, .. } = message.parcel;
        self.fabric.start(self.now, port, target as Rank, message.seq, bytes, &**self.machine.topology());
    }

    /// A message cannot go on: its sender is told.
    fn fail_leaving(&mut self, rank: Rank, at: usize, cause: Cause) {
        let now = self.now;
        let message = self.nodes[rank].leaving.remove(at);
        self.port_left(rank, message.seq);
        match message.request {
            Some(request) => self.request_ended(rank, request, now, Some(cause)),
            None if message.blocking && matches!(self.nodes[rank].state, State::Sending) => {
                let end = self.nodes[rank].clock.max(now);
                self.reply(rank, end, Outcome::Failed(cause));
            }
            None if message.blocking => self.fail_exchange(rank, now, cause),
            None => {}
        }
    }

    fn port_left(&mut self, rank: Rank, seq: u64) {
        let left = self.now;
        let sends = &mut self.nodes[rank].sends;
        sends.iter_mut().filter(|send| send.seq == seq).for_each(|send| send.left = Some(left));
    }

    fn leave(&mut self, rank: Rank, message: Leaving, arrives: Time) {
        self.port_left(rank, message.seq);
        let port = Port { node: rank, number: message.port.unwrap() };
        let entered = self.fabric.last_start(port);
        self.depart(rank, message, entered, self.now, arrives);
    }

    fn depart(&mut self, rank: Rank, message: Leaving, entered: Time, left: Time, arrives: Time) {
        let Leaving { parcel, seq, request, blocking, port, .. } = message;
        let id = MessageId { source: rank as NodeId, seq };
        let label = Label { context: parcel.context, source: rank as NodeId, tag: parcel.tag };
        let arrived =
            Arrived { at: arrives, id, label, bytes: parcel.bytes, active: parcel.active, lost: None };
        self.transfers.push(Transfer {
            from: rank,
            to: parcel.target as Rank,
            seq,
            bytes: parcel.bytes,
            port: port.unwrap_or(0),
            entered,
            left,
            arrived: arrives,
        });
        let is_awaited = self.is_met(&parcel) && (request.is_some() || blocking);
        if is_awaited {
            self.awaited.insert(id, request);
        }
        if arrives == self.now {
            self.arrive(parcel.target, arrived);
        } else {
            self.flying.insert((arrives, id.source, seq), (parcel.target, arrived));
        }
        match request {
            Some(request) if !is_awaited => self.request_ended(rank, request, left, None),
            _ if !blocking || parcel.target as Rank == rank => {}
            _ => match &mut self.nodes[rank].state {
                State::Exchanging { sent, .. } => {
                    *sent = Some(left);
                    self.try_end_exchange(rank);
                }
                State::Sending if is_awaited => self.nodes[rank].clock = left,
                State::Sending => self.reply(rank, left, Outcome::Done),
                _ => {}
            },
        }
    }

    // Rendezvous.

    fn is_met(&self, parcel: &Parcel) -> bool {
        self.machine.rendezvous().is_some_and(|from| parcel.bytes >= from && !parcel.active)
    }

    fn meet(&mut self, id: MessageId) {
        let (now, rank) = (self.now, id.source as Rank);
        match self.awaited.remove(&id) {
            Some(Some(request)) => self.request_ended(rank, request, now, None),
            Some(None) => match &mut self.nodes[rank].state {
                State::Sending => self.reply(rank, now, Outcome::Done),
                State::Exchanging { met, .. } => {
                    *met = Some(now);
                    self.try_end_exchange(rank);
                }
                _ => {}
            },
            None => {}
        }
    }

    // Receiving.

    fn arrive(&mut self, target: NodeId, message: Arrived) {
        let rank = target as Rank;
        let arrived = &mut self.nodes[rank].arrived;
        let later = arrived.iter().rev().take_while(|other| (message.at, message.id) < (other.at, other.id));
        arrived.insert(arrived.len() - later.count(), message);
        self.match_named(rank);
    }

    /// The first posted receive that accepts a message.
    fn first_posted(&self, rank: Rank, message: &Arrived) -> Option<usize> {
        self.nodes[rank].posted.iter().position(|(select, ..)| select.accepts(&message.label))
    }

    /// Matches the receives with named sources: each takes its first message, if no receive posted before it accepts that.
    fn match_named(&mut self, rank: Rank) {
        loop {
            let node = &self.nodes[rank];
            let clear = node.posted.iter().enumerate().find_map(|(at, (select, ..))| {
                let message = node.arrived.iter().position(|message| select.accepts(&message.label))?;
                let is_first = self.first_posted(rank, &node.arrived[message]) == Some(at);
                (is_first && !select.is_wild()).then_some((at, message))
            });
            let Some((at, message)) = clear else { break };
            self.receive(rank, at, message);
        }
    }

    /// Gives a posted receive a message.
    fn receive(&mut self, rank: Rank, at: usize, message: usize) {
        let node = &mut self.nodes[rank];
        let message = node.arrived.remove(message);
        let (_, receiver, posted) = node.posted.remove(at);
        if self.awaited.contains_key(&message.id) {
            self.meetings.insert(message.id);
        }
        match receiver {
            Receiver::Blocking => match &mut self.nodes[rank].state {
                State::Exchanging { received, .. } => {
                    *received = Some(message);
                    match message.lost {
                        Some(cause) => self.fail_exchange(rank, message.at, cause),
                        None => self.try_end_exchange(rank),
                    }
                }
                _ => self.end_receive(rank, posted, message),
            },
            Receiver::Request(request) => {
                if let Some(state) = self.nodes[rank].requests.get_mut(&request) {
                    *state = Request::Received { posted, message };
                    self.try_wait(rank);
                }
            }
        }
    }

    /// Ends a blocking receive that was called at an instant.
    fn end_receive(&mut self, rank: Rank, called: Time, message: Arrived) {
        match message.lost {
            Some(cause) => self.reply(rank, called.max(message.at), Outcome::Failed(cause)),
            None => {
                let end = self.receive_end(rank, called, called, &message);
                self.reply(rank, end, Outcome::Received(message.id));
            }
        }
    }

    fn receive_overhead(&self, bytes: u64) -> Span {
        let parameters = self.machine.parameters();
        let regime = Regime::of(parameters.regimes(), bytes);
        regime.map_or(parameters.receive_overhead(), |regime| regime.receive_overhead)
    }

    fn receive_end(&self, rank: Rank, called: Time, posted: Time, message: &Arrived) -> Time {
        let start = called.max(message.at);
        let parameters = self.machine.parameters();
        if message.active {
            return self.worked(rank, start, parameters.active_receive_overhead());
        }
        let is_under_way = |send: &Sent| {
            send.called < message.at && send.left.is_none_or(|left| left > posted) && posted < message.at
        };
        let mut overhead = self.receive_overhead(message.bytes);
        if self.nodes[rank].sends.iter().any(is_under_way) {
            overhead += parameters.exchange_overhead();
        }
        self.worked(rank, start, overhead)
    }

    fn try_end_exchange(&mut self, rank: Rank) {
        let State::Exchanging { sent: Some(sent), met: Some(met), received: Some(message), .. } =
            self.nodes[rank].state
        else {
            return;
        };
        let overhead = self.receive_overhead(message.bytes) + self.machine.parameters().exchange_overhead();
        let start = self.nodes[rank].clock.max(sent).max(message.at);
        let end = self.worked(rank, start, overhead).max(met);
        self.reply(rank, end, Outcome::Received(message.id));
    }

    /// One half of a `sendrecv` has failed: its own message goes on, and one that it has received is there again.
    fn fail_exchange(&mut self, rank: Rank, at: Time, cause: Cause) {
        let State::Exchanging { received, .. } = self.nodes[rank].state else { return };
        let node = &mut self.nodes[rank];
        node.posted.retain(|(_, receiver, _)| *receiver != Receiver::Blocking);
        node.leaving.iter_mut().for_each(|out| out.blocking = false);
        self.awaited.retain(|id, request| id.source as Rank != rank || request.is_some());
        let end = node.clock.max(at);
        self.reply(rank, end, Outcome::Failed(cause));
        if let Some(message) = received.filter(|message| message.lost.is_none()) {
            self.arrive(rank as NodeId, message);
        }
    }

    // Line 5.

    /// Whether a receive from any source can take something now.
    fn has_line_five(&self, rank: Rank) -> bool {
        let node = &self.nodes[rank];
        matches!(node.state, State::Called(Op::Recv { .. }))
            || node.arrived.iter().any(|message| self.first_posted(rank, message).is_some())
    }

    fn receive_from_any(&mut self, rank: Rank) {
        self.match_all(rank);
        if let State::Called(Op::Recv { select, .. }) = self.nodes[rank].state {
            let called = self.now;
            self.nodes[rank].state = State::Receiving { deadline: Time::MAX };
            self.nodes[rank].posted.push((select, Receiver::Blocking, called));
            self.match_all(rank);
        }
    }

    /// Matches all messages that have arrived, in their order.
    fn match_all(&mut self, rank: Rank) {
        loop {
            let arrived = &self.nodes[rank].arrived;
            let first = arrived
                .iter()
                .enumerate()
                .find_map(|(at, message)| Some((self.first_posted(rank, message)?, at)));
            let Some((at, message)) = first else { break };
            self.receive(rank, at, message);
        }
    }

    // Requests.

    fn request_ended(&mut self, rank: Rank, request: RequestId, at: Time, failed: Option<Cause>) {
        if let Some(state) = self.nodes[rank].requests.get_mut(&request) {
            *state = Request::Ended { at, failed };
            self.try_wait(rank);
        }
    }

    fn try_wait(&mut self, rank: Rank) {
        if let State::Waiting(request) = self.nodes[rank].state {
            let called = self.nodes[rank].clock;
            if let Some((end, ended)) = self.end_of(rank, called, request) {
                self.nodes[rank].requests.remove(&request);
                let outcome = match ended {
                    Ok(None) => Outcome::Done,
                    Ok(Some(id)) => Outcome::Received(id),
                    Err(cause) => Outcome::Failed(cause),
                };
                self.reply(rank, end, outcome);
            }
        }
    }

    /// When a wait called at an instant ends, if the request is complete, and how.
    fn end_of(
        &self,
        rank: Rank,
        called: Time,
        request: RequestId,
    ) -> Option<(Time, Result<Option<MessageId>, Cause>)> {
        match self.nodes[rank].requests.get(&request)? {
            Request::Ended { at, failed: Some(cause) } => Some((called.max(*at), Err(*cause))),
            Request::Ended { at, failed: None } => Some((called.max(*at), Ok(None))),
            Request::Received { message: Arrived { at, lost: Some(cause), .. }, .. } => {
                Some((called.max(*at), Err(*cause)))
            }
            Request::Received { posted, message } => {
                Some((self.receive_end(rank, called, *posted, message), Ok(Some(message.id))))
            }
            Request::Sending | Request::Posted => None,
        }
    }

    // Line 6.

    /// Whether a node has a call that looks now.
    fn looks(&self, rank: Rank) -> bool {
        let node = &self.nodes[rank];
        match &node.state {
            State::Called(Op::Recv { .. }) => false,
            State::Called(_) => true,
            State::Receiving { deadline } => *deadline == self.now,
            State::WaitingForAny(wait) => wait.deadline <= self.now || self.first_of(rank, wait).is_some(),
            State::Probing(select) => node.arrived.iter().any(|message| select.accepts(&message.label)),
            _ => false,
        }
    }

    /// The request of several that was complete first, by its place, and since when.
    fn first_of(&self, rank: Rank, wait: &AnyOf) -> Option<(Time, usize)> {
        let since = |request| self.nodes[rank].requests.get(request).and_then(Request::complete_since);
        let places = wait.requests.iter().enumerate();
        places.filter_map(|(place, request)| Some((since(request)?, place))).min()
    }

    fn look(&mut self, rank: Rank) {
        let now = self.now;
        match std::mem::replace(&mut self.nodes[rank].state, State::Ready) {
            State::Called(Op::WaitAny(wait)) => {
                let mut deadline = wait.deadline.max(now);
                if wait.computing {
                    deadline = self.worked(rank, now, deadline.since(now));
                }
                self.wait_any(rank, AnyOf { deadline, ..wait });
            }
            State::WaitingForAny(wait) => self.wait_any(rank, wait),
            State::Called(Op::Test { request }) => match self.end_of(rank, now, request) {
                Some((end, ended)) => {
                    self.nodes[rank].requests.remove(&request);
                    let outcome = match ended {
                        Ok(received) => Outcome::Completed { index: 0, received },
                        Err(cause) => Outcome::Failed(cause),
                    };
                    self.reply(rank, end, outcome);
                }
                None => self.reply(rank, now, Outcome::Nothing),
            },
            State::Called(Op::Probe { select, blocking }) => self.probe(rank, select, blocking),
            State::Probing(select) => self.probe(rank, select, true),
            State::Called(Op::RecvUntil { select, deadline }) => {
                let first =
                    self.nodes[rank].arrived.iter().position(|message| select.accepts(&message.label));
                if let Some(first) = first {
                    self.nodes[rank].posted.push((select, Receiver::Blocking, now));
                    self.receive(rank, self.nodes[rank].posted.len() - 1, first);
                } else if deadline <= now {
                    self.reply(rank, now, Outcome::TimedOut);
                } else {
                    self.nodes[rank].state = State::Receiving { deadline };
                    self.nodes[rank].posted.push((select, Receiver::Blocking, now));
                }
            }
            State::Receiving { .. } => {
                self.nodes[rank].posted.retain(|(_, receiver, _)| *receiver != Receiver::Blocking);
                self.reply(rank, now, Outcome::TimedOut);
            }
            State::Called(Op::Withdraw { request }) => {
                let node = &mut self.nodes[rank];
                node.posted.retain(|(_, receiver, _)| *receiver != Receiver::Request(request));
                let taken = node.requests.remove(&request);
                self.reply(rank, now, Outcome::Done);
                if let Some(Request::Received { message, .. }) = taken {
                    self.arrive(rank as NodeId, message);
                    self.match_all(rank);
                }
            }
            other => self.nodes[rank].state = other,
        }
    }

    fn wait_any(&mut self, rank: Rank, wait: AnyOf) {
        let called = self.nodes[rank].clock;
        let Some((at, index)) = self.first_of(rank, &wait).filter(|&(at, _)| at <= wait.deadline) else {
            match wait.deadline <= self.now {
                true => self.reply(rank, wait.deadline, Outcome::TimedOut),
                false => self.nodes[rank].state = State::WaitingForAny(wait),
            }
            return;
        };
        let request = wait.requests[index];
        let waiting = if wait.computing { called.max(at) } else { called };
        let Some((end, ended)) = self.end_of(rank, waiting, request) else { return };
        self.nodes[rank].requests.remove(&request);
        let outcome = match ended {
            Err(cause) => Outcome::FailedAmong { index, cause },
            Ok(Some(received)) if wait.computing => {
                let noise = self.nodes[rank].noise.iter();
                let noise = noise.map(|&(begin, over)| over.min(waiting).since(begin.max(called))).sum();
                Outcome::Interrupted { received, computed: waiting.since(called) - noise }
            }
            Ok(received) => Outcome::Completed { index, received },
        };
        self.reply(rank, end, outcome);
    }

    fn probe(&mut self, rank: Rank, select: Selector, blocking: bool) {
        let (now, called) = (self.now, self.nodes[rank].clock);
        let found = self.nodes[rank].arrived.iter().find(|message| select.accepts(&message.label));
        match found {
            Some(&Arrived { at, lost: Some(cause), .. }) => {
                self.reply(rank, called.max(at), Outcome::Failed(cause));
            }
            Some(&Arrived { label, bytes, .. }) => {
                self.reply(rank, now, Outcome::Found { label, bytes });
            }
            None if blocking => self.nodes[rank].state = State::Probing(select),
            None => self.reply(rank, now, Outcome::Nothing),
        }
    }

    // Faults.

    fn happen(&mut self, change: Change) {
        let now = self.now;
        match change {
            Change::Slow(link, factor) => self.fabric.slow(link, factor, &**self.machine.topology()),
            Change::LinkDies(link) => {
                for port in self.fabric.ports_over(link) {
                    let place =
                        self.nodes[port.node].leaving.iter().position(|out| out.port == Some(port.number));
                    let message = self.nodes[port.node].leaving[place.unwrap()];
                    let Parcel { target, context, tag, bytes, active } = message.parcel;
                    let (from, at) = (port.node as NodeId, now);
                    let cause = Cause::LinkDied { link, from, to: target, at };
                    self.fabric.abort(now, port);
                    self.fail_leaving(port.node, place.unwrap(), cause);
                    let id = MessageId { source: from, seq: message.seq };
                    let label = Label { context, source: from, tag };
                    self.arrive(target, Arrived { at, id, label, bytes, active, lost: Some(cause) });
                }
            }
            Change::NodeDies(_) => unreachable!("the engine has no deaths of nodes"),
        }
    }
}
