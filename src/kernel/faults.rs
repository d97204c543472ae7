//! Machine faults in modeled time: their schedule, the routes of messages, and lost messages.
//!
//! All fault times are known from the start, so the effect on a call follows from the time of the call. Each fault also has an event
//! ([`Kind::Fault`](super::Kind)), which changes link rates and drops messages in transit.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Kernel, Kind,
    deaths::DeadNode,
    node::{NodeState, Receiver},
    op::{Cause, Outcome},
    ports::{Leg, Outgoing},
    request::{Arrived, Request},
};
use crate::{
    fabric::Port,
    model::{Faults, faults::Change},
    rank::Rank,
    record::{EventKind, WaitEnd},
    time::Time,
    topology::{LinkId, Topology, detour::Detours},
    wire::{Context, Label, MessageId, NodeId},
};

/// The maximum number of cached graphs of alive links.
const MAX_CACHED_GRAPHS: usize = 4;

/// A message lost because of a fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost {
    pub(crate) id: MessageId,
    pub(crate) target: NodeId,
    pub(crate) label: Label,
    pub(crate) bytes: u64,
    pub(crate) at: Time,
}

/// The nodes that communicate in a context.
#[derive(Debug)]
pub(super) struct ContextMembers {
    pub(super) members: Arc<[Rank]>,
    /// Whether the context carries messages of library calls, which need every member.
    pub(super) library: bool,
}

/// The state of a machine with faults.
#[derive(Debug)]
pub(super) struct FaultState {
    changes: Vec<(Time, Change)>,
    /// The time of death of each dying link, and these times in order.
    links: BTreeMap<LinkId, Time>,
    instants: Vec<Time>,
    detours: bool,
    /// The graphs of alive links, by the number of links that have died; built when a detour is needed.
    graphs: BTreeMap<usize, Detours>,
    /// All future and past deaths of nodes, in order.
    pub(super) deaths: Vec<(Time, NodeId)>,
    /// The nodes that have died.
    pub(super) dead_nodes: BTreeMap<NodeId, DeadNode>,
    /// Pairs of nodes: the first has been notified of the death of the second.
    pub(super) notified: BTreeSet<(NodeId, NodeId)>,
    pub(super) context_members: BTreeMap<Context, ContextMembers>,
    /// Receives that fail at the given instant unless they take a message by then.
    pub(super) doomed: BTreeMap<(NodeId, Receiver), (Time, Cause)>,
    pub(super) lost: Vec<Lost>,
    has_failed: bool,
}

impl FaultState {
    /// Returns the detour of a message, or `None` for the normal route; fails if there is no route.
    fn route(
        &mut self,
        at: Time,
        from: NodeId,
        to: NodeId,
        topology: &dyn Topology,
    ) -> Result<Option<Vec<LinkId>>, Cause> {
        if let Some(&(died, node)) = self.deaths.iter().find(|&&(died, node)| died <= at && node == to) {
            return Err(Cause::NodeDied { node, at: died });
        }
        let deaths = self.instants.partition_point(|&died| died <= at);
        if deaths == 0 {
            return Ok(None);
        }
        let mut route = Vec::new();
        topology.route(from as Rank, to as Rank, &mut route);
        let died = |link: &LinkId| self.links.get(link).copied().filter(|&died| died <= at);
        let Some((link, died)) = route.iter().find_map(|link| Some((*link, died(link)?))) else {
            return Ok(None);
        };
        let none = Cause::LinkDied { link, from, to, at: died };
        if !self.detours {
            return Err(none);
        }
        let FaultState { links, graphs, .. } = self;
        if graphs.len() >= MAX_CACHED_GRAPHS && !graphs.contains_key(&deaths) {
            graphs.pop_first();
        }
        let is_alive = |link| links.get(&link).is_none_or(|&died| died > at);
        let graph = graphs.entry(deaths).or_insert_with(|| Detours::new(topology, is_alive));
        graph.route(from as Rank, to as Rank).map(Some).ok_or(none)
    }
}

impl Kernel {
    /// Schedules the faults of the machine.
    pub(super) fn schedule_faults(&mut self, faults: &Faults) {
        let changes =
            faults.on(&*self.topology).expect("faults are compared with the network when they are given");
        let mut links = BTreeMap::new();
        let mut deaths: Vec<(Time, NodeId)> = Vec::new();
        for (nth, &(at, change)) in changes.iter().enumerate() {
            self.schedule(at, Kind::Fault, 0, nth as u64);
            match change {
                Change::LinkDies(link) => drop(links.entry(link).or_insert(at)),
                Change::NodeDies(rank) if self.nodes[rank].dies == Time::MAX => {
                    self.nodes[rank].dies = at;
                    if at == Time::ZERO {
                        // The program makes no call that counts, not even its end.
                        self.nodes[rank].state = NodeState::Dead;
                    }
                    deaths.push((at, rank as NodeId));
                }
                Change::NodeDies(_) | Change::Slow(..) => {}
            }
        }
        deaths.sort_unstable();
        let mut instants: Vec<Time> = links.values().copied().collect();
        instants.sort_unstable();
        let detours = faults.has_detours();
        let (graphs, dead_nodes, notified, context_members, doomed, lost) = Default::default();
        self.faults = Some(Box::new(FaultState {
            changes,
            links,
            instants,
            detours,
            graphs,
            deaths,
            dead_nodes,
            notified,
            context_members,
            doomed,
            lost,
            has_failed: false,
        }));
    }

    /// Whether a fault has made a call fail, so that a schedule was not executed as given.
    pub(crate) fn has_failed(&self) -> bool {
        self.faults.as_ref().is_some_and(|faults| faults.has_failed)
    }

    /// Applies the fault with index `nth` in the schedule.
    pub(super) fn apply_fault(&mut self, nth: usize) {
        let Some(faults) = &self.faults else { return };
        let (at, change) = faults.changes[nth];
        match change {
            Change::Slow(link, factor) => self.fabric.slow(link, factor, &*self.topology),
            Change::LinkDies(link) => {
                for port in self.fabric.ports_over(link) {
                    let source = port.node as NodeId;
                    let is_in_it = |message: &Outgoing| message.port == Some(port.number);
                    if let Some(message) = self.nodes[port.node].ports.in_port(is_in_it) {
                        let cause = Cause::LinkDied { link, from: source, to: message.target, at };
                        self.fabric.abort(at, port);
                        self.fail_in_port(port, cause);
                        if message.leg == Leg::Message {
                            self.notify_receiver(source, &message, cause);
                        }
                    }
                }
            }
            Change::NodeDies(rank) => self.die(rank as NodeId, at),
        }
    }

    /// Returns the detour of a message, `None` for the normal route, or the reason why there is no route.
    pub(super) fn route(&mut self, at: Time, from: NodeId, to: NodeId) -> Result<Option<Vec<LinkId>>, Cause> {
        match &mut self.faults {
            Some(faults) => faults.route(at, from, to, &*self.topology),
            None => Ok(None),
        }
    }

    /// Delivers the loss of a message to the receive that would take the message.
    fn notify_receiver(&mut self, source: NodeId, message: &Outgoing, cause: Cause) {
        let &Outgoing { target, label, bytes, seq, active, .. } = message;
        let id = MessageId { source, seq };
        self.arrive(
            target,
            Arrived { at: self.now, id, label, bytes, active, awaited: false, lost: Some(cause) },
        );
    }

    /// Records a message that will not arrive.
    pub(super) fn record_loss(&mut self, at: Time, message: &Outgoing) {
        if let Some(faults) = &mut self.faults {
            let &Outgoing { target, label, bytes, seq, .. } = message;
            faults.lost.push(Lost { id: MessageId { source: label.source, seq }, target, label, bytes, at });
        }
    }

    /// Removes the message from an out-port, and notifies its sender.
    pub(super) fn fail_in_port(&mut self, port: Port, cause: Cause) {
        let (now, source) = (self.now, port.node as NodeId);
        let Some(message) = self.clear(port, now) else { return };
        if message.leg == Leg::Back {
            return self.lose_return(source, &message, cause);
        }
        self.record_departure(source, message.seq, now);
        self.record_loss(now, &message);
        if message.leg == Leg::Out {
            return self.fail_access(MessageId { source, seq: message.seq }, cause);
        }
        let node = &mut self.nodes[source as usize];
        if let Some(request) = message.request {
            if node.requests.get(request).is_some() {
                node.requests.insert(request, Request::Failed { at: now, cause });
                self.request_completed(source, request, now);
            }
        } else if message.blocking {
            match node.state {
                NodeState::Send { called } => self.fail_waiting(source, called, now, cause),
                NodeState::SendRecv { .. } => self.fail_send_recv(source, now, cause),
                _ => {}
            }
        }
    }

    /// Ends a call with an error. If the cause is a death, the node counts as notified of it.
    pub(super) fn fail(&mut self, id: NodeId, at: Time, cause: Cause) {
        self.notify(id, cause);
        self.release(id, at, Outcome::Failed(cause));
    }

    /// Records that a node is notified of a fault.
    pub(super) fn notify(&mut self, id: NodeId, cause: Cause) {
        if let Some(faults) = &mut self.faults {
            faults.has_failed = true;
            if let Cause::NodeDied { node, .. } = cause {
                faults.notified.insert((id, node));
            }
        }
    }

    /// Ends with an error a call made at `called`, which may have waited since then.
    pub(super) fn fail_waiting(&mut self, id: NodeId, called: Time, at: Time, cause: Cause) {
        let node = &self.nodes[id as usize];
        let end = node.clock.max(at);
        self.record_wait(id, node.clock.max(called), end, EventKind::Wait { until: WaitEnd::Failure });
        self.fail(id, end, cause);
    }
}
