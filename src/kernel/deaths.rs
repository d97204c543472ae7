//! Deaths of nodes: their effects, and the times at which other nodes learn of them.
//!
//! A receive from a dead node fails as soon as no further message from it can arrive. A receive from any source, with a dead node among the
//! possible senders, fails once per receiving node and death. All messages of a library call, which needs every member of its group, fail
//! immediately. `docs/faults.md` states the rules in words.

use std::collections::BTreeMap;

use super::{
    Calls, Kernel, Kind,
    node::{NodeState, Receiver},
    op::{Cause, Outcome, Reply},
    ports::Leg,
    request::Request,
};
use crate::{
    fabric::Port,
    rank::Rank,
    record::EventKind,
    time::Time,
    wire::{NodeId, RequestId, Selector},
};

/// A dead node, as seen by the nodes to which it has sent messages.
#[derive(Debug)]
pub(super) struct DeadNode {
    died: Time,
    /// The arrival of the last message at each node to which messages were in transit at the death.
    last: BTreeMap<NodeId, Time>,
    /// The last instant at which receives were checked for messages from this node that can no longer arrive.
    checked: Option<Time>,
}

impl DeadNode {
    /// Returns the instant after which no message from the dead node arrives at `target`; `None` if receives have not yet been checked at
    /// this instant or later.
    fn silent_since(&self, target: NodeId) -> Option<Time> {
        let since = self.last.get(&target).copied().unwrap_or(self.died);
        (Some(since) <= self.checked).then_some(since)
    }
}

impl Kernel {
    /// Handles the death of a node: its call in progress does not end; its messages that have not left are lost, and so are messages in
    /// out-ports that are addressed to it.
    pub(super) fn die(&mut self, id: NodeId, at: Time) {
        if self.faults.as_ref().is_none_or(|faults| faults.dead_nodes.contains_key(&id)) {
            return;
        }
        self.end_program(id, at);
        let cause = Cause::NodeDied { node: id, at };
        for number in 0..self.ports {
            let port = Port { node: id as Rank, number };
            if self.fabric.is_sending(port) {
                self.fabric.abort(at, port);
            }
        }
        for message in self.nodes[id as usize].ports.take() {
            match message.leg {
                Leg::Back => self.lose_return(id, &message, cause),
                Leg::Message | Leg::Out => self.record_loss(at, &message),
            }
        }
        for source in 0..self.nodes.len() {
            let addressed = self.nodes[source].ports.in_port(|message| message.target == id);
            let port = addressed.and_then(|message| Some(Port { node: source, number: message.port? }));
            if let Some(port) = port.filter(|&port| self.fabric.is_sending(port)) {
                self.fabric.abort(at, port);
                self.fail_in_port(port, cause);
            }
        }
        let mut last: BTreeMap<NodeId, Time> = BTreeMap::new();
        for (_, (target, message)) in self.flying.iter().filter(|(_, (_, message))| message.id.source == id) {
            let latest = last.entry(*target).or_insert(message.at);
            *latest = message.at.max(*latest);
        }
        let mut instants: Vec<Time> = last.values().copied().chain([at]).collect();
        instants.sort_unstable();
        instants.dedup();
        for instant in instants {
            self.schedule(instant, Kind::Silence, id, 0);
        }
        if let Some(faults) = &mut self.faults {
            faults.dead_nodes.insert(id, DeadNode { died: at, last, checked: None });
        }
    }

    /// Ends the program of a dying node, unless it has returned. Messages that the node receives from now on are lost.
    fn end_program(&mut self, id: NodeId, at: Time) {
        let node = &mut self.nodes[id as usize];
        node.matching.withdraw_all();
        node.wild = 0;
        for (request, state) in node.requests.take() {
            if let Request::Received { select, message, .. } = state {
                node.lost.push((request, select, *message));
            }
        }
        if matches!(node.state, NodeState::Finished) {
            return;
        }
        if let NodeState::SendRecv { received: Some(message), .. } = node.state {
            node.undecided.push(message);
        }
        // For a `sendrecv` whose send overhead would end after the death, the node's clock is the end of this overhead.
        let clock = node.clock.min(at);
        match &node.state {
            // The time of the call in progress has been counted.
            NodeState::Dying => {}
            NodeState::WaitAny { wait, .. } if wait.computing => {
                self.record_compute(id, clock, at, EventKind::Compute);
            }
            _ => self.count_wait(id, clock, at),
        }
        self.nodes[id as usize].clock = at;
        self.close(id, at);
        let node = &mut self.nodes[id as usize];
        node.serial = node.serial.wrapping_add(1);
        node.state = NodeState::Dead;
        if std::mem::take(&mut node.reply) {
            self.replies.push((id, Reply { clock: at, outcome: Outcome::Failed(Cause::Died { at }) }));
        }
        self.notify(id, Cause::Died { at });
        self.in_barrier.retain(|&other| other != id);
        self.runnable.push(id);
    }

    /// Replies to the calls of a dead node with a failure.
    pub(super) fn reject_calls(&mut self, id: NodeId, source: &mut impl Calls) {
        let node = &mut self.nodes[id as usize];
        if node.calls.is_empty() {
            source.fetch(id, &mut self.replies, &mut node.calls);
        }
        let at = node.dies;
        for call in node.calls.drain(..).filter(|call| call.reply) {
            drop(call);
            self.replies.push((id, Reply { clock: at, outcome: Outcome::Failed(Cause::Died { at }) }));
        }
    }

    /// The first death of any node.
    pub(super) fn first_death(&self) -> Option<(Time, Cause)> {
        let &(at, node) = self.faults.as_ref()?.deaths.first()?;
        Some((at, Cause::NodeDied { node, at }))
    }

    /// Returns the first death up to `by` of a member of the group of a library call. The call needs every member, so its messages then
    /// fail.
    pub(super) fn death_of_call(&self, context: u32, by: Time) -> Option<(Time, Cause)> {
        let faults = self.faults.as_ref()?;
        let context_members =
            faults.context_members.get(&context).filter(|context_members| context_members.library)?;
        let mut deaths = faults.deaths.iter().take_while(|&&(at, _)| at <= by);
        let &(at, node) = deaths.find(|(_, node)| context_members.members.contains(&(*node as Rank)))?;
        Some((at, Cause::NodeDied { node, at }))
    }

    /// Returns the death that makes a receive fail up to `by`, if no message for the receive has arrived, and the instant of the failure.
    pub(super) fn death_of_receive(&self, id: NodeId, select: &Selector, by: Time) -> Option<(Time, Cause)> {
        let faults = self.faults.as_ref()?;
        if let Some(doomed) = self.death_of_call(select.context, by) {
            return Some(doomed);
        }
        if let Some(node) = select.source {
            let dead_node = faults.dead_nodes.get(&node)?;
            return Some((dead_node.silent_since(id)?, Cause::NodeDied { node, at: dead_node.died }));
        }
        let context_members = faults.context_members.get(&select.context);
        let may_send = |node: NodeId| {
            let is_member = context_members
                .is_none_or(|context_members| context_members.members.contains(&(node as Rank)));
            node != id && is_member && !faults.notified.contains(&(id, node))
        };
        let mut deaths = faults.deaths.iter().take_while(|&&(at, _)| at <= by);
        let &(at, node) = deaths.find(|&&(_, node)| may_send(node))?;
        Some((at, Cause::NodeDied { node, at }))
    }

    /// Returns the death that makes a waiting receive fail, when the network has advanced to `now`. Deaths of which the node has been
    /// notified since the posting are not excluded, because the node may be ahead of the network. Deaths before the posting were checked at
    /// the posting.
    fn death_of_waiting_receive(
        &self,
        id: NodeId,
        select: &Selector,
        posted: Time,
        now: Time,
    ) -> Option<(Time, Cause)> {
        if select.source.is_some() {
            return self.death_of_receive(id, select, now);
        }
        if let Some(doomed) = self.death_of_call(select.context, now) {
            return Some(doomed);
        }
        let faults = self.faults.as_ref()?;
        let context_members = faults.context_members.get(&select.context);
        let may_send = |node: NodeId| {
            node != id
                && context_members
                    .is_none_or(|context_members| context_members.members.contains(&(node as Rank)))
        };
        let mut deaths = faults.deaths.iter().take_while(|&&(at, _)| at <= now);
        let &(at, node) = deaths.find(|&&(at, node)| posted < at && may_send(node))?;
        Some((at, Cause::NodeDied { node, at }))
    }

    /// Schedules the failure of a receive because of a death. It fails when all messages of an instant are known: the instant of the
    /// posting, or the present one if it is later. The receive does not fail if it takes one of these messages.
    pub(super) fn fail_when_decided(
        &mut self,
        id: NodeId,
        receiver: Receiver,
        posted: Time,
        (since, cause): (Time, Cause),
    ) {
        if let Some(faults) = &mut self.faults {
            faults.doomed.entry((id, receiver)).or_insert((since.max(posted), cause));
            self.schedule(posted.max(self.now), Kind::Delivery, id, 0);
        }
    }

    /// Fails the doomed receives of a node that have not taken a message by now.
    pub(super) fn fail_decided(&mut self, id: NodeId) {
        let Some(faults) = &self.faults else { return };
        let (first, last) = ((id, Receiver::Blocking), (id, Receiver::Request(RequestId::MAX)));
        let due = faults.doomed.range(first..=last).filter(|(_, (at, _))| *at <= self.now);
        for (key @ (_, receiver), (at, cause)) in due.map(|(&key, &doomed)| (key, doomed)).collect::<Vec<_>>()
        {
            self.faults.as_mut().map(|faults| faults.doomed.remove(&key));
            match receiver {
                Receiver::Blocking => self.fail_blocking(id, at, cause),
                Receiver::Request(request) => self.fail_posted(id, request, at, cause),
            }
        }
    }

    /// Fails a posted receive, if it is still posted.
    fn fail_posted(&mut self, id: NodeId, request: RequestId, since: Time, cause: Cause) {
        let node = &mut self.nodes[id as usize];
        let Some(&(Request::RecvPosted { select, .. } | Request::Forgotten { select, .. })) =
            node.requests.get(request)
        else {
            return;
        };
        node.matching.withdraw(&Receiver::Request(request));
        node.wild -= u32::from(select.is_wild());
        if let Some(Request::RecvPosted { posted, .. }) = node.requests.remove(request) {
            // The node may be ahead of the network.
            let at = since.max(posted);
            node.requests.insert(request, Request::Failed { at, cause });
            self.request_completed(id, request, at);
        }
    }

    /// Checks the receives of all nodes at an instant after which some nodes can receive no further message from a dead node.
    pub(super) fn handle_silence(&mut self, dead: NodeId) {
        let now = self.now;
        let Some(dead_node) = self.faults.as_mut().and_then(|faults| faults.dead_nodes.get_mut(&dead)) else {
            return;
        };
        dead_node.checked = Some(now);
        if dead_node.died == now {
            self.fail_barrier(now, Cause::NodeDied { node: dead, at: now });
            self.fail_unmatched(now);
        }
        // This includes nodes that are ahead of the network, and nodes that have returned or whose calls never end.
        for id in 0..self.nodes.len() as NodeId {
            self.fail_receives(id, now);
        }
    }

    /// Fails the receives of a node, posted or waiting, whose messages can no longer arrive.
    fn fail_receives(&mut self, id: NodeId, now: Time) {
        let posted = |(&request, state): (&RequestId, &Request)| {
            let (Request::RecvPosted { select, posted } | Request::Forgotten { select, posted }) = state
            else {
                return None;
            };
            let (since, cause) = self.death_of_waiting_receive(id, select, *posted, now)?;
            Some((request, *select, *posted, since, cause))
        };
        let doomed: Vec<_> = self.nodes[id as usize].requests.iter().filter_map(posted).collect();
        for (request, select, posted, since, cause) in doomed {
            if self.is_undecided(id, &select) {
                self.fail_when_decided(id, Receiver::Request(request), posted, (since, cause));
            } else {
                self.fail_posted(id, request, since, cause);
            }
        }
        let (NodeState::Recv { called, select }
        | NodeState::SendRecv { called, select, received: None, .. }
        | NodeState::Probe { called, select, .. }) = self.nodes[id as usize].state
        else {
            return;
        };
        let Some((since, cause)) = self.death_of_waiting_receive(id, &select, called, now) else { return };
        let is_probe = matches!(self.nodes[id as usize].state, NodeState::Probe { .. });
        if !is_probe && self.is_undecided(id, &select) {
            self.fail_when_decided(id, Receiver::Blocking, called, (since, cause));
        } else {
            self.fail_blocking(id, since, cause);
        }
    }

    /// Returns whether an undecided message has arrived that this receive may still take.
    fn is_undecided(&self, id: NodeId, select: &Selector) -> bool {
        self.nodes[id as usize].undecided.iter().any(|message| select.accepts(&message.label))
    }

    /// Fails the blocking receive or probe in which a node waits.
    fn fail_blocking(&mut self, id: NodeId, since: Time, cause: Cause) {
        let node = &mut self.nodes[id as usize];
        match node.state {
            NodeState::Recv { called, select } => {
                node.matching.withdraw(&Receiver::Blocking);
                node.wild -= u32::from(select.is_wild());
                self.fail_waiting(id, called, since, cause);
            }
            NodeState::SendRecv { received: None, .. } => self.fail_send_recv(id, since, cause),
            NodeState::Probe { called, .. } => self.fail_waiting(id, called, since, cause),
            _ => {}
        }
    }
}
