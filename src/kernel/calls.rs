//! Execution of the calls of node programs, each at its node's clock.

use super::{
    Calls, Kernel, Kind,
    agreement::CollectiveCall,
    faults::ContextMembers,
    node::{NodeState, Receiver},
    op::{Call, Cause, Op, Outcome, Reply},
    ports::{Leg, Outgoing},
    request::{Arrived, Request},
};
use crate::{
    model::Regime,
    rank::Rank,
    record::{Content, Event, EventKind, WaitEnd},
    time::{Span, Time},
    wire::{Label, MessageId, NodeId, Parcel, RequestId, Selector},
};

/// The largest number of unsuccessful probes and tests, and time queries, that a node may make at one modeled instant. A node that exceeds
/// it only polls: no call takes time, so its clock would never advance.
const MAX_POLLS: u32 = 100_000;

impl Kernel {
    /// Executes the calls of a node until a call has to wait or no further call is known.
    pub(super) fn run(&mut self, id: NodeId, source: &mut impl Calls) {
        if matches!(self.nodes[id as usize].state, NodeState::Dead) {
            self.reject_calls(id, source);
        }
        while matches!(self.nodes[id as usize].state, NodeState::Idle) {
            let node = &mut self.nodes[id as usize];
            if node.calls.is_empty() {
                source.fetch(id, &mut self.replies, &mut node.calls);
            }
            let Some(call) = self.nodes[id as usize].calls.front() else {
                let node = &mut self.nodes[id as usize];
                let at = node.clock + self.lookahead;
                if node.guard != Some(at) {
                    node.guard = Some(at);
                    self.schedule(at, Kind::Guard, id, 0);
                }
                return;
            };
            if let Some(kind) = call.op.depends_on_instant() {
                let node = &mut self.nodes[id as usize];
                node.state = NodeState::Resume;
                let (clock, serial) = (node.clock, u64::from(node.serial));
                self.schedule(clock.max(self.now), kind, id, serial);
                return;
            }
            if let Some(call) = self.nodes[id as usize].calls.pop_front() {
                self.execute(id, call);
            }
        }
    }

    /// Continues a node's wait when the network has reached the start of the wait, or its deadline.
    pub(super) fn resume(&mut self, id: NodeId) {
        let now = self.now;
        let node = &mut self.nodes[id as usize];
        match std::mem::replace(&mut node.state, NodeState::Idle) {
            NodeState::Resume => self.execute_next(id),
            NodeState::Recv { called, select, .. } => {
                node.matching.withdraw(&Receiver::Blocking);
                node.wild -= u32::from(select.is_wild());
                self.record_wait(id, called, now, EventKind::Wait { until: WaitEnd::Deadline });
                self.release(id, now, Outcome::TimedOut);
            }
            NodeState::WaitAny { called, wait } => self.wait_any(id, called, wait),
            NodeState::Probe { called, select, claims } => self.probe(id, called, select, true, claims),
            other => node.state = other,
        }
    }

    /// Executes the next call of a node after the network has reached the node's clock.
    pub(super) fn execute_next(&mut self, id: NodeId) {
        if let Some(call) = self.nodes[id as usize].calls.pop_front() {
            self.execute(id, call);
        }
        if matches!(self.nodes[id as usize].state, NodeState::Idle) {
            self.runnable.push(id);
        }
    }

    fn execute(&mut self, id: NodeId, call: Call) {
        let Call { op, reply } = call;
        let called = self.nodes[id as usize].clock;
        self.nodes[id as usize].reply = reply;
        match op {
            Op::Send { parcel, request } => self.send(id, parcel, request, request.is_none()),
            Op::Launch { parcel } => self.send(id, parcel, None, false),
            Op::Remote { parcel, back, request } => self.remote(id, parcel, back, request),
            Op::SendRecv { parcel, select } => self.send_recv(id, parcel, select),
            Op::Recv { select, request: None } => self.recv(id, select, None),
            Op::RecvUntil { select, deadline } => self.recv(id, select, Some(deadline)),
            Op::Recv { select, request: Some(request) } => self.post(id, select, request),
            Op::Wait { request } => self.wait(id, called, request),
            Op::WaitAny(wait) => self.begin_wait_any(id, called, wait),
            Op::Test { request } => self.test(id, request),
            Op::Forget { request } => self.forget(id, request),
            Op::Withdraw { request, unless_matched: false } => self.withdraw(id, request),
            Op::Withdraw { request, unless_matched: true } => self.cancel(id, request),
            Op::Probe { select, blocking, claims } => self.probe(id, called, select, blocking, claims),
            Op::RecvClaimed { message, request } => self.recv_claimed(id, message, request),
            Op::Compute { span } => self.compute(id, called, span, EventKind::Compute),
            Op::Charge { span } => self.compute(id, called, span, EventKind::Charge),
            Op::Barrier => self.barrier(id),
            Op::PhaseBegin { name } => {
                self.nodes[id as usize].phases.push((name, called));
                self.finish(id, called, Outcome::Done);
            }
            Op::PhaseEnd { name } => {
                // The innermost phase of this name: phases need not end in the order of their nesting.
                let phases = &self.nodes[id as usize].phases;
                if let Some(at) = phases.iter().rposition(|(known, _)| *known == name) {
                    self.end_phase(id, at);
                }
                self.finish(id, called, Outcome::Done);
            }
            Op::PartBegin { part } => {
                self.nodes[id as usize].parts.push((part, called));
                self.finish(id, called, Outcome::Done);
            }
            Op::PartEnd => {
                self.end_part(id);
                self.finish(id, called, Outcome::Done);
            }
            Op::Holds { change } => {
                let (rank, sent) = (id as Rank, self.nodes[id as usize].sent);
                self.contents.push(Content { rank, at: called, sent, change: *change });
                self.finish(id, called, Outcome::Done);
            }
            Op::Group { context, members, library } => {
                if let Some(faults) = &mut self.faults {
                    faults.context_members.insert(context, ContextMembers { members, library });
                }
                self.finish(id, called, Outcome::Done);
            }
            Op::Agree { context, nth, size, rank, digest } => {
                self.record_collective_call(
                    (context, nth),
                    size,
                    CollectiveCall { at: called, node: id, rank, digest },
                );
                self.finish(id, called, Outcome::Done);
            }
            Op::Sync => self.finish(id, called, Outcome::Done),
            Op::Now => self.finish_without_result(id, Outcome::Done),
            Op::Finish => {
                self.close(id, called);
                self.finish(id, called, Outcome::Done);
                self.nodes[id as usize].state = NodeState::Finished;
            }
            Op::Fail => {
                self.finish(id, called, Outcome::Done);
                self.nodes[id as usize].state = NodeState::Finished;
                // How far the network has advanced depends on when the host delivered this call. The event makes the choice of the first
                // failure independent of that.
                self.schedule(called, Kind::Failure, id, 0);
            }
        }
    }

    /// Ends a call, which returns at `clock`, unless the node dies before `clock`. A call that fails at the node's death does not end either:
    /// the node that the call has lost may be this one.
    pub(super) fn finish(&mut self, id: NodeId, clock: Time, outcome: Outcome) {
        let node = &mut self.nodes[id as usize];
        let fails = matches!(outcome, Outcome::Failed(_) | Outcome::FailedAmong { .. });
        if clock > node.dies || (fails && clock == node.dies) {
            node.serial = node.serial.wrapping_add(1);
            node.state = NodeState::Dying;
            return;
        }
        if clock == Time::MAX {
            self.overflow.get_or_insert(id);
        }
        if clock > node.clock {
            node.polls = 0;
        }
        node.clock = clock;
        node.serial = node.serial.wrapping_add(1);
        node.state = NodeState::Idle;
        if node.reply {
            node.reply = false;
            self.replies.push((id, Reply { clock, outcome }));
        }
    }

    /// Ends a call like [`finish`](Kernel::finish), for a call that had been waiting.
    pub(super) fn release(&mut self, id: NodeId, clock: Time, outcome: Outcome) {
        if let Some(faults) = &mut self.faults {
            faults.doomed.remove(&(id, Receiver::Blocking));
        }
        self.finish(id, clock, outcome);
        self.runnable.push(id);
    }

    /// Records the CPU time of a send. If the node waits for the departure, [`blocking_send_left`](Kernel::blocking_send_left) extends the
    /// event.
    pub(super) fn note_send(&mut self, id: NodeId, called: Time, ready: Time, parcel: &Parcel, seq: u64) {
        let (to, bytes, tag) = (parcel.target as Rank, parcel.bytes, parcel.tag);
        let overhead = self.clamp_to_death(id, ready).since(called);
        self.record_event(id, called, ready, EventKind::Send { to, bytes, tag, seq, overhead });
    }

    /// Keeps the CPU of a node busy for `span` of work.
    fn compute(&mut self, id: NodeId, called: Time, span: Span, kind: EventKind) {
        let end = self.work_end(id, called, span);
        self.record_compute(id, called, end, kind);
        self.finish(id, end, Outcome::Done);
    }

    // Sending.

    /// Spends the send overhead and passes the message on to its port; returns the end of the overhead, and the cause if an active message
    /// cannot be sent.
    pub(super) fn launch(
        &mut self,
        id: NodeId,
        parcel: Parcel,
        request: Option<RequestId>,
        blocking: bool,
        leg: Leg,
    ) -> (Time, Option<Cause>) {
        self.prepare_rendezvous(&parcel);
        let rendezvous = leg == Leg::Message && self.is_rendezvous(&parcel);
        let called = self.nodes[id as usize].clock;
        let overhead = if parcel.active {
            self.active_overheads.0
        } else {
            Regime::of(&self.regimes, parcel.bytes).map_or(self.send_overhead, |regime| regime.send_overhead)
        };
        let ready = self.work_end(id, called, overhead);
        let spent = self.count_noise(id, called, ready);
        let node = &mut self.nodes[id as usize];
        if ready > called || parcel.active {
            // A send of an active message does not count as a poll, although the call that makes it also polls.
            node.polls = 0;
        }
        let seq = node.sent;
        node.sent += 1;
        node.record.messages_sent += 1;
        node.record.bytes_sent += parcel.bytes;
        node.record.overhead += spent;
        let label = Label { context: parcel.context, source: id, tag: parcel.tag };
        let Parcel { target, bytes, active, .. } = parcel;
        let (order, port) = (0, None);
        let message = Outgoing {
            target,
            label,
            bytes,
            seq,
            active,
            rendezvous,
            leg,
            order,
            port,
            ready,
            request,
            blocking,
        };
        if let Some(request) = request {
            node.requests.insert(request, Request::SendUnderWay);
        }
        if ready > node.dies {
            // The node dies during the send overhead. The receive of a `sendrecv` stays posted until the death: a message matches the
            // receive whether the kernel learns of it before or after the call.
            match node.state {
                NodeState::SendRecv { .. } => node.clock = ready,
                _ => node.state = NodeState::Dying,
            }
            let dies = node.dies;
            self.record_loss(dies, &message);
            return (ready, None);
        }
        if parcel.target == id {
            // A message to the node itself uses no port and no link.
            node.clock = ready;
            self.depart(id, &message, ready, ready);
            return (ready, None);
        }
        if active {
            node.clock = ready;
            match self.flight_time(ready, id, target, bytes) {
                Ok(flight) => self.depart(id, &message, ready, ready + flight),
                Err(cause) => {
                    self.record_loss(ready, &message);
                    return (ready, Some(cause));
                }
            }
            return (ready, None);
        }
        if !self.exchange_overhead.is_zero() {
            node.prune_sends();
            node.sends.call(seq, called);
        }
        node.clock = ready;
        if self.remote.is_some() {
            self.queue_when_ready(id, message);
        } else {
            node.ports.push(message);
            self.promise_port(id, ready);
        }
        (ready, None)
    }

    /// Sends a message. Without a request, `waits` selects a blocking send.
    fn send(&mut self, id: NodeId, parcel: Parcel, request: Option<RequestId>, waits: bool) {
        let called = self.nodes[id as usize].clock;
        let seq = self.nodes[id as usize].sent;
        if let Some((_, cause)) = self.death_of_call(parcel.context, called) {
            // The failed send gets a sequence number too, because its node counts it.
            self.nodes[id as usize].sent += 1;
            self.fail(id, called, cause);
            return;
        }
        let leaves = parcel.target != id && !parcel.active;
        let blocking = waits && (leaves || self.is_rendezvous(&parcel));
        if blocking {
            self.nodes[id as usize].state = NodeState::Send { called };
        }
        let (ready, refused) = self.launch(id, parcel, request, blocking, Leg::Message);
        self.note_send(id, called, ready, &parcel, seq);
        match refused {
            Some(cause) => self.fail(id, ready, cause),
            None if !blocking => self.finish(id, ready, Outcome::Done),
            None => {}
        }
    }

    /// Handles the departure of the message of a blocking send or of the sending half of a `sendrecv`; with `is_awaited` the node then
    /// waits for the receive.
    pub(super) fn blocking_send_left(&mut self, id: NodeId, left: Time, is_awaited: bool) {
        let node = &mut self.nodes[id as usize];
        // The node's last event is the send: a node records no other event while it waits for the departure.
        if let Some(Event { end, kind: EventKind::Send { .. }, .. }) = node.events.last_mut() {
            *end = left;
        }
        match &mut node.state {
            NodeState::Send { .. } => {
                node.record.waiting += left.since(node.clock);
                if is_awaited {
                    node.polls = 0;
                    node.clock = left;
                } else {
                    self.release(id, left, Outcome::Done);
                }
            }
            NodeState::SendRecv { sent, .. } => {
                *sent = Some(left);
                self.try_end_send_recv(id);
            }
            _ => {}
        }
    }

    // Receiving.

    fn recv(&mut self, id: NodeId, select: Selector, deadline: Option<Time>) {
        let called = self.nodes[id as usize].clock;
        // The network may be ahead of the node: messages that arrived after the deadline are ignored.
        let last = deadline.map_or(Time::MAX, |deadline| deadline.max(called));
        if let Some((_, cause)) = self.death_of_call(select.context, called) {
            self.fail(id, called, cause);
            return;
        }
        // Receives from a named source without a deadline are executed when they are called, all others when all messages of the instant
        // are known.
        let is_decided = select.is_wild() || deadline.is_some();
        let taken = if is_decided {
            let node = &mut self.nodes[id as usize];
            let taken = node.matching.take_if(|message| message.at <= last && select.accepts(&message.label));
            taken.map_or_else(
                || self.death_of_receive(id, &select, called).map_or(Ok(None), Err),
                |message| Ok(Some(message)),
            )
        } else {
            self.take_or_post(id, &select, Receiver::Blocking)
        };
        match taken {
            Ok(Some(Arrived { at, lost: Some(cause), .. })) => {
                return self.fail_waiting(id, called, at, cause);
            }
            Ok(Some(message)) => {
                self.record_match(&message, called);
                let end = self.receive_end(id, called, called, &message);
                self.received(id, called, end, &message);
                return self.finish(id, end, Outcome::Received(message.id));
            }
            // Checked before the deadline: the network may be past the deadline, which must not be visible to the program.
            Err((since, cause)) if since <= last => return self.fail_waiting(id, called, since, cause),
            _ => {}
        }
        if last == called && deadline.is_some() {
            self.finish_without_result(id, Outcome::TimedOut);
            return;
        }
        if last <= self.now {
            self.record_wait(id, called, last, EventKind::Wait { until: WaitEnd::Deadline });
            self.finish(id, last, Outcome::TimedOut);
            return;
        }
        let node = &mut self.nodes[id as usize];
        if is_decided {
            node.post(select, Receiver::Blocking);
        }
        node.state = NodeState::Recv { called, select };
        if let Some(deadline) = deadline.filter(|&deadline| deadline < Time::MAX) {
            let serial = u64::from(node.serial);
            self.schedule(deadline, Kind::Resume, id, serial);
        }
    }

    /// Delivers a message to the blocking receive that waits for it.
    pub(super) fn blocking_receive_matched(&mut self, id: NodeId, message: Arrived) {
        let node = &mut self.nodes[id as usize];
        match &mut node.state {
            NodeState::Recv { called, select, .. } => {
                let called = *called;
                node.wild -= u32::from(select.is_wild());
                if let Some(cause) = message.lost {
                    return self.fail_waiting(id, called, message.at, cause);
                }
                self.record_match(&message, called);
                let end = self.receive_end(id, called, called, &message);
                self.received(id, called, end, &message);
                self.release(id, end, Outcome::Received(message.id));
            }
            NodeState::SendRecv { called, select, received, .. } => {
                let called = *called;
                node.wild -= u32::from(select.is_wild());
                *received = Some(message);
                self.record_match(&message, called);
                match message.lost {
                    Some(cause) => self.fail_send_recv(id, message.at, cause),
                    None => self.try_end_send_recv(id),
                }
            }
            _ => {}
        }
    }

    /// Counts and records a message taken by a receive that was called at `called` and ends at `end`.
    pub(super) fn received(&mut self, id: NodeId, called: Time, end: Time, message: &Arrived) {
        let begin = called.max(message.at);
        self.count_wait(id, called, begin);
        let spent = self.count_noise(id, begin, end);
        let record = &mut self.nodes[id as usize].record;
        record.messages_received += 1;
        record.bytes_received += message.bytes;
        record.overhead += spent;
        let MessageId { source, seq } = message.id;
        let (from, bytes, tag) = (source as Rank, message.bytes, message.label.tag);
        let overhead = self.clamp_to_death(id, end).since(begin);
        self.record_event(id, called, end, EventKind::Recv { from, bytes, tag, seq, overhead });
    }

    // Probes.

    fn probe(&mut self, id: NodeId, called: Time, select: Selector, blocking: bool, claims: bool) {
        let matching = &mut self.nodes[id as usize].matching;
        let last = if blocking { Time::MAX } else { called };
        let there = |message: &Arrived| message.at <= last && select.accepts(&message.label);
        let found = match claims {
            true => matching.take_if(there),
            false => matching.arrived().find(|message| there(message)).copied(),
        };
        if let Some(Arrived { at, lost: Some(cause), .. }) = found {
            self.fail_waiting(id, called, at, cause);
        } else if let Some(message) = found {
            let Arrived { at, id: MessageId { source, seq }, label, bytes, .. } = message;
            let end = called.max(at);
            let until = WaitEnd::Arrived { from: source as Rank, seq };
            self.record_wait(id, called, end, EventKind::Wait { until });
            let outcome = if claims {
                self.nodes[id as usize].claimed.push(message);
                Outcome::Claimed { id: message.id, label, bytes }
            } else {
                Outcome::Found { label, bytes }
            };
            self.release(id, end, outcome);
        } else if let Some((since, cause)) = self.death_of_receive(id, &select, called) {
            self.fail_waiting(id, called, since, cause);
        } else if blocking {
            self.nodes[id as usize].state = NodeState::Probe { called, select, claims };
        } else {
            self.finish_without_result(id, Outcome::Nothing);
        }
    }

    /// Receives a message that a probe has set aside. Only now has a receive been posted that takes the message.
    fn recv_claimed(&mut self, id: NodeId, message: MessageId, request: Option<RequestId>) {
        let node = &mut self.nodes[id as usize];
        let called = node.clock;
        let Some(place) = node.claimed.iter().position(|claimed| claimed.id == message) else {
            self.finish(id, called, Outcome::Done);
            return;
        };
        let label = node.claimed[place].label;
        if let Some((since, cause)) = self.death_of_call(label.context, called) {
            let Some(request) = request else { return self.fail(id, called, cause) };
            let failed = Request::Failed { at: since.max(called), cause };
            self.nodes[id as usize].requests.insert(request, failed);
            self.finish(id, called, Outcome::Done);
            return;
        }
        let message = self.nodes[id as usize].claimed.remove(place);
        self.record_match(&message, called);
        match request {
            Some(request) => {
                let select =
                    Selector { context: label.context, source: Some(label.source), tag: Some(label.tag) };
                let received = Request::Received { posted: called, select, message: message.into() };
                self.nodes[id as usize].requests.insert(request, received);
                self.finish(id, called, Outcome::Done);
            }
            None => {
                let end = self.receive_end(id, called, called, &message);
                self.received(id, called, end, &message);
                self.finish(id, end, Outcome::Received(message.id));
            }
        }
    }

    /// Ends a call that did not wait and found nothing, or that only queried the time.
    pub(super) fn finish_without_result(&mut self, id: NodeId, outcome: Outcome) {
        let node = &mut self.nodes[id as usize];
        node.polls += 1;
        let livelock = node.polls > MAX_POLLS;
        let clock = node.clock;
        self.finish(id, clock, if livelock { Outcome::Livelock } else { outcome });
    }
}
