//! The host's own threads, with no model at all: a message is handed over as fast as the host can, and time is the wall
//! clock's.
//!
//! A message goes by reference through the crossbeam channel of its receiver, which matches it on its own thread; a short
//! one goes through a [ring] where every node can have a core. A thread that waits looks again for some microseconds where
//! every node can have a core, then gives its core away for a moment, and then sleeps until the message that it waits for
//! has come. The last thread that goes to sleep finds that no node can go on.
//!
//! The cost of a message: some 0.2 us between two cores that look for it; about 1 us on one core, and about 5 us
//! across cores, where its receiver has to be woken, which is the host's own price for that.

mod barrier;
mod endpoint;
mod mail;
mod meeting;
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
    meeting::Meetings,
    ring::{ElementTypes, KnownTypes, Ring},
};
use super::{
    Ended, Pinning, Settings, Slips,
    crew::{Cause, Crew},
    local::{Unreceived, unreceived},
    sync::Ordering,
    threads::{Program, World, carry_out},
    waiting::Waiting,
};
use crate::{
    endpoint::{Endpoint, Envelope},
    error::RunError,
    kernel::{BlockedNode, Outcomes},
    model::Description,
    rank::Rank,
    record::{Event, NodeRecord, Trace},
    time::{Span, Time},
    wire::{MessageId, NodeId},
};

/// The number of times that a waiting thread looks again before it gives its core away, where every node can have one.
const LOOKS: u32 = 100;

/// The state that the threads of a run share.
#[derive(Debug)]
pub(super) struct Host {
    crew: Crew,
    inboxes: Vec<Sender<Envelope>>,
    /// The rings to each node, by sender; none where there are more nodes than cores.
    rings: Vec<Vec<Ring>>,
    element_types: ElementTypes,
    /// By sender, the messages that wait for their receives; empty where none do.
    meetings: Vec<Meetings>,
    /// The reason why each node sleeps.
    waiting: Vec<Mutex<Option<Waiting>>>,
    barrier: Barrier,
    /// The instant at which all programs may start, and time zero.
    epoch: OnceLock<Instant>,
    gate: (Mutex<bool>, Condvar),
    /// The number of times that a waiting thread looks again before it gives its core away.
    looks: u32,
    /// The time for which it gives its core away before it sleeps.
    linger: Duration,
}

/// A node's part of the outcome of a run.
#[derive(Debug)]
pub(super) struct HostOutcome {
    record: NodeRecord,
    events: Vec<Event>,
    /// Messages that its program has not received.
    unreceived: Vec<Unreceived>,
    /// Where messages may still have come after its end.
    inbox: Receiver<Envelope>,
    /// The messages that it has taken out of each ring.
    taken: Vec<u64>,
}

/// Runs `program` on every node of `machine`, whose parameters only serve to plan.
pub(crate) fn run(
    machine: &Description,
    settings: &Settings,
    program: &Program<'_>,
) -> Result<Ended, RunError> {
    let (senders, inboxes): (Vec<_>, Vec<_>) = (0..machine.nodes()).map(|_| unbounded()).unzip();
    let host = Host::new(machine, settings, senders);
    let (survived, nodes, last) = carry_out(&host, inboxes, settings, program)?;
    let outcomes = outcomes(&host, nodes);
    let epoch = host.epoch.get().copied();
    let wall = epoch.zip(last).map_or(Duration::ZERO, |(epoch, last)| last.saturating_duration_since(epoch));
    Ok(Ended { survived, outcomes, wall, slips: Slips::default(), contexts: host.crew.contexts.into_inner() })
}

/// Puts the parts of all nodes together.
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
    fn new(machine: &Description, settings: &Settings, inboxes: Vec<Sender<Envelope>>) -> Host {
        let nodes = machine.nodes();
        let cores = match settings.pinning {
            Pinning::OneCore => 1,
            _ => available_parallelism().map_or(1, |cores| cores.get()),
        };
        Host {
            crew: Crew::new(machine.clone(), settings),
            inboxes,
            rings: if nodes <= cores && (2..=ring::MOST_NODES).contains(&nodes) {
                (0..nodes).map(|_| (0..nodes).map(|_| Ring::default()).collect()).collect()
            } else {
                Vec::new()
            },
            element_types: ElementTypes::default(),
            meetings: match machine.rendezvous() {
                Some(_) => (0..nodes).map(|_| Meetings::default()).collect(),
                None => Vec::new(),
            },
            waiting: (0..nodes).map(|_| Mutex::default()).collect(),
            barrier: Barrier::default(),
            epoch: OnceLock::new(),
            gate: Default::default(),
            looks: if nodes <= cores { LOOKS } else { 0 },
            linger: sleeping::linger(nodes, cores),
        }
    }

    /// Whether there are more nodes than cores, so that a thread that looks in vain takes the core of another.
    fn is_crowded(&self) -> bool {
        self.looks == 0
    }

    /// The time since the common start.
    fn now(&self) -> Time {
        self.epoch.get().map_or(Time::ZERO, |epoch| Time::ZERO + Span::from(epoch.elapsed()))
    }

    /// The instant of a time of the run; `None` if it never comes.
    fn instant(&self, at: Time) -> Option<Instant> {
        if at == Time::MAX {
            return None;
        }
        self.epoch.get()?.checked_add(Duration::from_nanos(at.since_start().as_picos().div_ceil(1000)))
    }

    /// A thread goes to sleep or ends. The last one ends a run in which no node can go on.
    fn retire(&self) {
        if self.crew.awake.fetch_sub(1, Ordering::AcqRel) == 1
            && (0..self.crew.seats.len()).any(|rank| !self.crew.has_returned(rank))
        {
            self.crew.stop(Cause::Deadlock(self.crew.deadlock(self.blocked(), |_| false)));
        }
    }
}

impl World for Host {
    type Inbox = Receiver<Envelope>;
    type Endpoint<'w> = HostNode<'w>;
    type Outcome = HostOutcome;

    fn crew(&self) -> &Crew {
        &self.crew
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

    /// A program that fails ends the run at once: there is no other clock on which another one may fail before it.
    fn end(&self, endpoint: HostNode<'_>, failed: bool) -> HostOutcome {
        if failed && !self.crew.is_stopped() {
            self.crew.stop(Cause::Failed(endpoint.id()));
        }
        let outcome = endpoint.end();
        self.retire();
        outcome
    }

    fn ends_together(&self) -> bool {
        false
    }

    /// Nothing is due at any instant.
    fn tick(&self) -> Option<Instant> {
        None
    }

    fn blocked(&self) -> Vec<BlockedNode> {
        let contexts = self.crew.contexts.lock();
        let node = |(rank, waiting): (Rank, &Mutex<Option<Waiting>>)| {
            let waiting = waiting.lock();
            let since = waiting.as_ref().map_or_else(|| self.now(), |waiting| waiting.since);
            let waits_for = Waiting::told(waiting.as_ref(), |context| contexts.name(context));
            BlockedNode { rank, since, waits_for, within: None }
        };
        self.crew.complete(self.waiting.iter().enumerate().map(node).collect())
    }
}
