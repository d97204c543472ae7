//! The host's own threads, without a timing model: messages are delivered as fast as the host allows, and time is wall-clock time.
//!
//! A message goes by reference through the crossbeam channel of its receiver, which matches it on its own thread. A short message goes
//! through a [ring] where every node can have a core. A waiting thread first polls for some microseconds where every node can have a core,
//! then yields its core for a moment, and then sleeps until the awaited message has arrived. The last thread to sleep detects a deadlock.
//!
//! The cost of a message: about 0.2 us between two polling cores; about 1 us on one core; about 5 us across cores when the receiver has to
//! be woken, which is the wake-up time of the host.

mod barrier;
mod endpoint;
mod mail;
mod rendezvous;
mod ring;
mod sleeping;

use std::{
    sync::OnceLock,
    thread::available_parallelism,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::{Condvar, Mutex};

use self::{
    barrier::Barrier,
    endpoint::HostNode,
    rendezvous::PendingRendezvous,
    ring::{ElementTypes, KnownTypes, Ring},
};
use super::{
    Ended, LatenessStats, Pinning, Settings, by_sender,
    run_state::{Cause, RunState},
    sync::Ordering,
    threads::{Program, World, run_threads},
    unreceived::{Unreceived, unreceived},
    waiting::Waiting,
};
use crate::{
    endpoint::{Endpoint, Envelope},
    error::RunError,
    kernel::{BlockedNode, Outcomes},
    model::MachineSpec,
    rank::Rank,
    record::{Event, NodeRecord, Trace},
    time::{Span, Time},
    wire::{Label, MessageId, NodeId, Parcel},
};

/// The number of polls before a waiting thread yields its core, where every node can have a core.
const POLLS: u32 = 100;

/// The state that the threads of a run share.
#[derive(Debug)]
pub(super) struct Host {
    run_state: RunState,
    inboxes: Vec<Sender<Envelope>>,
    /// The rings to each node, by sender; empty where there are more nodes than cores.
    rings: Vec<Vec<Ring>>,
    element_types: ElementTypes,
    /// By sender, the messages that wait for their receives.
    rendezvous: Vec<PendingRendezvous>,
    /// Locked by a node that accesses the memory of another.
    memories: Vec<Mutex<()>>,
    /// The reason why each node sleeps.
    waiting: Vec<Mutex<Option<Waiting>>>,
    barrier: Barrier,
    /// The instant at which all programs may start: time zero.
    epoch: OnceLock<Instant>,
    gate: (Mutex<bool>, Condvar),
    /// The number of polls before a waiting thread yields its core.
    polls: u32,
    /// The time for which a waiting thread yields its core before it sleeps.
    linger: Duration,
}

/// The outcome of a run on one node.
#[derive(Debug)]
pub(super) struct HostOutcome {
    record: NodeRecord,
    events: Vec<Event>,
    /// The messages that the program has not received.
    unreceived: Vec<Unreceived>,
    /// The sends whose requests the program has dropped without a wait.
    unwaited: Vec<Parcel>,
    /// The channel, where messages may still have arrived after the node's end.
    inbox: Receiver<Envelope>,
    /// The number of messages that the node has taken out of each ring.
    taken: Vec<u64>,
}

/// Runs `program` on every node of `machine`, whose parameters serve only for planning.
pub(crate) fn run(
    machine: &MachineSpec,
    settings: &Settings,
    program: &Program<'_>,
) -> Result<Ended, RunError> {
    let (senders, inboxes): (Vec<_>, Vec<_>) = (0..machine.nodes()).map(|_| unbounded()).unzip();
    let host = Host::new(machine, settings, senders);
    let (survived, mut nodes, last) = run_threads(&host, inboxes, settings, program)?;
    let unwaited = by_sender(nodes.iter_mut().map(|node| std::mem::take(&mut node.unwaited)));
    let outcomes = outcomes(&host, nodes);
    let epoch = host.epoch.get().copied();
    let wall = epoch.zip(last).map_or(Duration::ZERO, |(epoch, last)| last.saturating_duration_since(epoch));
    Ok(Ended {
        survived,
        outcomes,
        wall,
        unwaited,
        lateness: LatenessStats::default(),
        contexts: host.run_state.contexts.into_inner(),
    })
}

/// Combines the outcomes of all nodes.
fn outcomes(host: &Host, nodes: Vec<HostOutcome>) -> Outcomes {
    let types = KnownTypes::default();
    let (mut records, mut events, mut all_left) = (Vec::new(), Vec::new(), Vec::new());
    for (rank, node) in nodes.into_iter().enumerate() {
        records.push(node.record);
        events.extend(node.events);
        let mut left = node.unreceived;
        left.extend(node.inbox.try_iter().map(|envelope| unreceived(&envelope)));
        for (source, mut taken) in node.taken.into_iter().enumerate() {
            let (ring, source) = (&host.rings[rank][source], source as NodeId);
            while ring.has(taken) {
                let short = ring.take(&mut taken);
                let (label, payload) = types.long(&host.element_types, source, &short);
                left.push((MessageId { source, seq: short.seq }, label, payload.len()));
            }
        }
        all_left.extend(left.into_iter().map(|(id, label, bytes)| (id, rank as NodeId, label, bytes)));
    }
    events.sort_by_key(|event| (event.start, event.rank, std::cmp::Reverse(event.end)));
    all_left.sort_by_key(|&(id, target, ..)| (id, target));
    let unreceived = all_left.into_iter().map(|(_, target, label, bytes)| (target, label, bytes)).collect();
    Outcomes {
        nodes: records,
        trace: Trace { events, ..Trace::default() },
        links: Vec::new(),
        lost_to_sharing: Span::ZERO,
        unreceived,
        lost: Vec::new(),
        work: Default::default(),
    }
}

impl Host {
    fn new(machine: &MachineSpec, settings: &Settings, inboxes: Vec<Sender<Envelope>>) -> Host {
        let nodes = machine.nodes();
        let cores = match settings.pinning {
            Pinning::OneCore => 1,
            _ => available_parallelism().map_or(1, |cores| cores.get()),
        };
        Host {
            run_state: RunState::new(machine.clone(), settings),
            inboxes,
            rings: if nodes <= cores && (2..=ring::MAX_NODES).contains(&nodes) {
                (0..nodes).map(|_| (0..nodes).map(|_| Ring::default()).collect()).collect()
            } else {
                Vec::new()
            },
            element_types: ElementTypes::default(),
            rendezvous: (0..nodes).map(|_| PendingRendezvous::default()).collect(),
            memories: (0..nodes).map(|_| Mutex::default()).collect(),
            waiting: (0..nodes).map(|_| Mutex::default()).collect(),
            barrier: Barrier::default(),
            epoch: OnceLock::new(),
            gate: Default::default(),
            polls: if nodes <= cores { POLLS } else { 0 },
            linger: sleeping::linger(nodes, cores),
        }
    }

    /// Whether there are more nodes than cores, so that a polling thread takes a core from another thread.
    fn is_oversubscribed(&self) -> bool {
        self.polls == 0
    }

    /// The time since the common start.
    fn now(&self) -> Time {
        self.epoch.get().map_or(Time::ZERO, |epoch| Time::ZERO + Span::from(epoch.elapsed()))
    }

    /// The wall-clock instant of a time of the run; `None` for `Time::MAX`.
    fn instant(&self, at: Time) -> Option<Instant> {
        if at == Time::MAX {
            return None;
        }
        self.epoch.get()?.checked_add(Duration::from_nanos(at.since_start().as_picos().div_ceil(1000)))
    }

    /// Decrements the count of awake threads, for a thread that goes to sleep or ends. If no thread remains awake and some program has not
    /// returned, ends the run as deadlocked.
    fn retire(&self) {
        if self.run_state.awake.fetch_sub(1, Ordering::AcqRel) == 1
            && (0..self.run_state.slots.len()).any(|rank| !self.run_state.has_returned(rank))
        {
            let report = self.run_state.deadlock(self.blocked(), self.unreceived(), |_| false);
            self.run_state.stop(Cause::Deadlock(report));
        }
    }

    /// Returns the messages that waiting nodes had not received when they went to sleep, ordered by sender.
    fn unreceived(&self) -> Vec<(NodeId, Label, u64)> {
        let mut unreceived = Vec::new();
        for (to, waiting) in (0..).zip(&self.waiting) {
            unreceived.extend(
                waiting
                    .lock()
                    .iter()
                    .flat_map(|waiting| waiting.unreceived.clone())
                    .map(|(id, label, bytes)| (id, to, label, bytes)),
            );
        }
        unreceived.sort_by_key(|&(id, to, ..)| (id, to));
        unreceived.into_iter().map(|(_, to, label, bytes)| (to, label, bytes)).collect()
    }
}

impl World for Host {
    type Inbox = Receiver<Envelope>;
    type Endpoint<'w> = HostNode<'w>;
    type Outcome = HostOutcome;

    fn run_state(&self) -> &RunState {
        &self.run_state
    }

    fn begin(&self, node: NodeId, inbox: Receiver<Envelope>) -> HostNode<'_> {
        let (is_open, opened) = &self.gate;
        let mut is_open = is_open.lock();
        while !*is_open {
            opened.wait(&mut is_open);
        }
        drop(is_open);
        HostNode::new(node, self, inbox)
    }

    fn all_started(&self) {
        let _ = self.epoch.set(Instant::now());
        *self.gate.0.lock() = true;
        self.gate.1.notify_all();
    }

    /// Ends a node. If its program failed, ends the run immediately: without modeled time no other program can fail at an earlier instant.
    fn end(&self, endpoint: HostNode<'_>, failed: bool) -> HostOutcome {
        if failed && !self.run_state.is_stopped() {
            self.run_state.stop(Cause::Failed(endpoint.id()));
        }
        let outcome = endpoint.end();
        self.retire();
        outcome
    }

    fn waits_for_all_threads(&self) -> bool {
        false
    }

    /// Returns `None`: without a timing model no reply has a due time.
    fn tick(&self) -> Option<Instant> {
        None
    }

    /// Returns the present time: calls take their times from the wall clock.
    fn frontier(&self) -> (Time, Rank) {
        (self.now(), 0)
    }

    fn blocked(&self) -> Vec<BlockedNode> {
        let contexts = self.run_state.contexts.lock();
        let node = |(rank, waiting): (Rank, &Mutex<Option<Waiting>>)| {
            let waiting = waiting.lock();
            let since = waiting.as_ref().map_or_else(|| self.now(), |waiting| waiting.since);
            let waits_for = Waiting::describe(waiting.as_ref(), |context| contexts.name(context));
            BlockedNode { rank, since, waits_for, within: None, last_call: None }
        };
        self.run_state.complete(self.waiting.iter().enumerate().map(node).collect())
    }
}
