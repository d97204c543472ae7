//! The reference engine, which follows the order of simultaneous events in `docs/timing-model.md` line by line. No node runs ahead of
//! modeled time.
//!
//! At each instant the engine finds the first line with an action left, performs one such action, and starts again with the first line.
//! Every call is executed when modeled time has reached its node's clock. The engine shares with the kernel the rates of messages
//! (`fabric`), the noise periods, and the detours around dead links, which have separate tests. Deaths of nodes are not supported.

mod network;
mod receives;
mod remote;
mod waits;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{programs::Runner, *};
use crate::{
    fabric::Port,
    kernel::{node::Receiver, op::AnyOf, ports::Leg, request::Arrived},
    model::faults::Change,
    rank::Rank,
    wire::{Label, MessageId, Parcel, RequestId, Selector},
};

/// A message at the out-ports of its sender.
#[derive(Clone, Copy, Debug)]
struct Outgoing {
    parcel: Parcel,
    seq: u64,
    ready: Time,
    request: Option<RequestId>,
    /// Whether the sender is blocked until the message has left, and under rendezvous has been matched.
    blocking: bool,
    leg: Leg,
    port: Option<u32>,
}

/// A remote memory access.
#[derive(Clone, Copy, Debug)]
struct Access {
    parcel: Parcel,
    back: Option<u64>,
    request: RequestId,
    is_carried_out: bool,
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
    Returned { at: Time, id: MessageId },
    Posted,
    Received { posted: Time, message: Arrived },
}

impl Request {
    fn complete_since(&self) -> Option<Time> {
        match self {
            Request::Ended { at, .. } | Request::Returned { at, .. } => Some(*at),
            Request::Received { message, .. } => Some(message.at),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
enum State {
    /// The next call is due at the node's clock.
    Ready,
    /// A blocking receive from any source that waits for line 5, or another call that waits for line 6.
    Called(Op),
    Sending,
    Receiving {
        deadline: Time,
    },
    Exchanging {
        called: Time,
        sent: Option<Time>,
        matched: Option<Time>,
        received: Option<Arrived>,
    },
    Waiting(RequestId),
    WaitingForAny(AnyOf),
    Probing {
        select: Selector,
        claims: bool,
    },
    InBarrier,
    Finished,
}

struct Node {
    clock: Time,
    state: State,
    runner: Runner,
    finished: Time,
    leaving: Vec<Outgoing>,
    sends: Vec<Sent>,
    sent: u64,
    returned: u64,
    /// Messages that have arrived and not been received, by time, source and order.
    arrived: Vec<Arrived>,
    /// Messages set aside by probes.
    claimed: Vec<Arrived>,
    /// Posted receives, in order, with their posting times.
    posted: Vec<(Selector, Receiver, Time)>,
    requests: BTreeMap<RequestId, Request>,
    noise: Vec<(Time, Time)>,
}

/// The reference engine.
pub(crate) struct Reference<'m> {
    machine: &'m MachineSpec,
    fabric: Fabric,
    now: Time,
    nodes: Vec<Node>,
    flying: BTreeMap<(Time, NodeId, u64), (NodeId, Arrived)>,
    /// Departed messages whose senders wait for their receives, with the requests.
    awaited: BTreeMap<MessageId, Option<RequestId>>,
    meetings: BTreeSet<MessageId>,
    accesses: BTreeMap<MessageId, Access>,
    /// The accesses that return, by the messages that return.
    returns: BTreeMap<MessageId, MessageId>,
    /// The arrivals of accesses and of what they return.
    access_arrivals: BTreeSet<(Time, MessageId)>,
    carried_out: Vec<MessageId>,
    faults: VecDeque<(Time, Change)>,
    transfers: Vec<Transfer>,
    /// A kernel that computes detours around dead links.
    router: Kernel,
}

/// Noise after this time is omitted: no test program takes as long.
const END_OF_NOISE: Span = Span::from_millis(20);

impl<'m> Reference<'m> {
    /// Runs programs; returns the visible result.
    pub(crate) fn run(machine: &'m MachineSpec, programs: &[Vec<Step>]) -> RunResult {
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
            returned: 0,
            arrived: Vec::new(),
            claimed: Vec::new(),
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
            accesses: BTreeMap::new(),
            returns: BTreeMap::new(),
            access_arrivals: BTreeSet::new(),
            carried_out: Vec::new(),
            faults: faults.unwrap_or_default().into(),
            transfers: Vec::new(),
            router: Kernel::new(machine, false),
        };
        while engine.step() || engine.advance() {}
        let mut transfers = engine.transfers;
        transfers.sort_unstable_by_key(|transfer| (transfer.left, transfer.from, transfer.seq));
        let finished = engine.nodes.iter().map(|node| node.finished).collect();
        RunResult {
            replies: engine.nodes.into_iter().map(|node| node.runner.replies).collect(),
            finished,
            transfers,
            carried_out: engine.carried_out,
        }
    }

    /// Performs one action of the first line that has any at this instant; returns whether there was one.
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
            && let Some((_, port, way)) = self.fabric.pop_end(now)
        {
            let place = self.nodes[port.node].leaving.iter().position(|out| out.port == Some(port.number));
            let message = self.nodes[port.node].leaving.remove(place.unwrap());
            let parameters = self.machine.parameters();
            let hops = parameters.hop().times(way.links as u64) + way.latency;
            let arrives = now + parameters.latency() + hops;
            self.leave(port.node, message, arrives);
            return true;
        }
        // Line 3: messages arrive; then rendezvous senders of matched messages continue; then remote memory accesses arrive; then faults.
        if let Some(entry) = self.flying.first_entry().filter(|entry| entry.key().0 == now) {
            let (target, message) = entry.remove();
            self.arrive(target, message);
            return true;
        }
        if let Some(id) = self.meetings.pop_first() {
            self.match_message(id);
            return true;
        }
        if let Some(&(_, id)) = self.access_arrivals.first().filter(|&&(at, _)| at == now) {
            self.access_arrivals.pop_first();
            self.access_arrives(id);
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
        if let Some(rank) = ranks.clone().find(|&rank| self.has_pending_delivery(rank)) {
            self.receive_from_any(rank);
            return true;
        }
        // Line 6: probes, tests, waits for any of several requests, withdrawals, and deadlines.
        if let Some(rank) = ranks.clone().find(|&rank| self.looks(rank)) {
            self.look(rank);
            return true;
        }
        false
    }

    /// Advances to the next instant with an event; returns whether there is one.
    fn advance(&mut self) -> bool {
        self.fabric.settle(self.now);
        let mut next = vec![self.fabric.next_end(), self.flying.keys().next().map(|&(at, ..)| at)];
        next.push(self.faults.front().map(|&(at, _)| at));
        next.push(self.access_arrivals.first().map(|&(at, _)| at));
        for node in &self.nodes {
            next.extend(node.leaving.iter().map(|out| Some(out.ready)));
            match &node.state {
                State::Ready => next.push(Some(node.clock)),
                State::Receiving { deadline } => next.push(Some(*deadline)),
                State::WaitingForAny(wait) => next.push(Some(wait.deadline)),
                _ => {}
            }
        }
        // A flow may end at the present instant once the rates are known.
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
            Op::Remote { parcel, back, request } => self.remote(rank, parcel, back, request),
            Op::SendRecv { parcel, select } => {
                let is_rendezvous = self.is_rendezvous(&parcel);
                let to_self = parcel.target as Rank == rank;
                let matched = (!is_rendezvous).then_some(called);
                self.nodes[rank].state = State::Exchanging { called, sent: None, matched, received: None };
                self.nodes[rank].posted.push((select, Receiver::Blocking, called));
                self.launch(rank, parcel, None, !to_self || is_rendezvous, Leg::Message);
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
            Op::RecvClaimed { message, request } => {
                let claimed = &mut self.nodes[rank].claimed;
                let place = claimed.iter().position(|claimed| claimed.id == message).unwrap();
                let message = claimed.remove(place);
                if self.awaited.contains_key(&message.id) {
                    self.meetings.insert(message.id);
                }
                match request {
                    None => self.end_receive(rank, called, message),
                    Some(request) => {
                        let received = Request::Received { posted: called, message };
                        self.nodes[rank].requests.insert(request, received);
                        self.reply(rank, called, Outcome::Done);
                    }
                }
            }
            Op::Wait { request } => {
                self.nodes[rank].state = State::Waiting(request);
                self.try_wait(rank);
            }
            Op::Forget { request } => {
                // A message that the request has taken is lost to the program; a receive still posted takes its message later.
                self.nodes[rank].requests.remove(&request);
                self.reply(rank, called, Outcome::Done);
            }
            Op::Compute { span } | Op::Charge { span } => {
                let end = self.work_end(rank, called, span);
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

    /// The end of work that begins at `start`, prolonged by the noise periods that fall into it.
    fn work_end(&self, rank: Rank, start: Time, span: Span) -> Time {
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
                    let Parcel { target, context, tag, bytes, active, .. } = message.parcel;
                    let (from, at) = (port.node as NodeId, now);
                    let cause = Cause::LinkDied { link, from, to: target, at };
                    self.fabric.abort(now, port);
                    self.fail_leaving(port.node, place.unwrap(), cause);
                    if message.leg != Leg::Message {
                        continue;
                    }
                    let id = MessageId { source: from, seq: message.seq };
                    let label = Label { context, source: from, tag };
                    self.arrive(
                        target,
                        Arrived { at, id, label, bytes, active, awaited: false, lost: Some(cause) },
                    );
                }
            }
            Change::NodeDies(_) => unreachable!("the engine has no deaths of nodes"),
        }
    }
}
