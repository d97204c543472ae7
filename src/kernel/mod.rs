//! The machine in modeled time: every node's clock, its ports, its requests, the matching of messages, and the event
//! queue.
//!
//! Ordinary sequential code: no thread, no lock, no wall clock. Its input is the calls of the node programs, which it
//! carries out by the rules of the timing model. Two rules make it fast and exact at once.
//!
//! **Nodes run ahead.** Between two events of the network the actions of a node depend on that node alone, so its
//! calls are carried out as soon as they are known, even if its clock is ahead of the network, up to a call that has
//! to wait for the network: a send that has not left, a receive whose message has not arrived, or a call whose
//! outcome depends on the order of arrivals anywhere (a receive from any source, a probe, a test), which waits until
//! the network has reached the node's clock.
//!
//! **The network is held back by unknown calls.** A node whose next call is not known yet could send at its clock +
//! o_s at the earliest. An event of kind [`Kind::Guard`] stands there: when it comes up and the call is still
//! unknown, the kernel [stalls](Progress::Stalled) until the call is delivered. So calls are carried out in modeled
//! time, in whatever order they become known. Under [rendezvous] a receive lets a sender go on at once, and where links or
//! nodes die any call may come before a fault or after it: there guards stand at the clock itself.
//!
//! Events at one instant have a defined order: [`Kind`], then the rank, then the order in which the node issued them.
//! Guards come first: before anything happens at an instant, all calls are known that could have an effect at it. So
//! a call that asks about an instant is never answered before all messages that can still arrive at that instant have
//! arrived.

mod agreement;
mod barrier;
mod blocked;
mod calls;
mod deaths;
mod events;
mod faults;
mod marks;
mod matching;
mod network;
mod node;
mod noise;
mod op;
mod ports;
mod rendezvous;
mod request;
mod requests;
mod send_recv;
mod sends;
mod table;

pub(crate) use agreement::Difference;
pub(crate) use blocked::blocked_nodes;
pub use blocked::{BlockedNode, WaitsFor};
pub(crate) use faults::Lost;
pub(crate) use op::{AnyOf, Call, Cause, Op, Outcome, Reply};

use std::{
    cmp::{Ordering, Reverse},
    collections::VecDeque,
    sync::Arc,
};

use slab::Slab;

use self::{
    agreement::Agreements,
    events::Events,
    faults::Faulty,
    node::{Doing, Node},
    noise::Noisy,
    rendezvous::Rendezvous,
    request::Arrived,
};
use crate::{
    fabric::{Fabric, LinkLoad, Work},
    model::{Description, Faults, Regime},
    record::{Content, NodeRecord, Trace, Transfer},
    time::{Span, Time},
    topology::{LinkId, Topology},
    wire::{Label, NodeId},
};

/// The source of the calls of the node programs.
pub(crate) trait Calls {
    /// Appends the next calls of `node`, as far as they are known, to `calls`, which is empty. `replies` are those to calls
    /// that asked for one and have not been [taken](Kernel::take_replies) yet; a source that can use them at once takes them.
    fn fetch(&mut self, node: NodeId, replies: &mut Vec<(NodeId, Reply)>, calls: &mut VecDeque<Call>);
}

/// A source without calls, for nodes that make no more.
pub(crate) struct NoCalls;

impl Calls for NoCalls {
    fn fetch(&mut self, _: NodeId, _: &mut Vec<(NodeId, Reply)>, _: &mut VecDeque<Call>) {}
}

/// The reason why [`Kernel::advance`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The next call of this node must be known first.
    Stalled(NodeId),
    /// Everything up to the given instant is done; the next event is here.
    Until(Time),
    /// Nothing more will happen without further calls.
    Quiet,
    /// The program of this node has failed, and no other failed earlier in modeled time.
    Failed(NodeId),
    /// Members of a group have made different collective calls: [`Kernel::difference`].
    Differs,
    /// The clock of this node has passed the end of representable time.
    Overflow(NodeId),
}

/// The kinds of events, in their order at one instant. Ends of flows come after guards and before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A message of a node whose next call is unknown could enter the network, or arrive at the node itself, from now
    /// on.
    Guard,
    /// A message has arrived; `rank` is its sender.
    Arrival,
    /// A message for which its sender waits has been matched with a receive.
    Meeting,
    /// Something of the machine becomes slow or dies.
    Fault,
    /// A message takes an out-port of a node.
    Entry,
    /// All messages that arrive at this instant at a node are there: its receives from any source take theirs.
    Delivery,
    /// From now on nothing more can come to some nodes from a dead one.
    Silence,
    /// A call that had to wait until the network reached the node's clock, or a deadline.
    Resume,
    /// Members of a group have made different collective calls.
    Mismatch,
    /// A program has failed.
    Failure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Event {
    at: Time,
    kind: Kind,
    rank: NodeId,
    /// For an arrival, a meeting and an entry the sender's message count; for a resume the serial of its wait; for a fault its place
    /// in the list.
    serial: u64,
    /// For an arrival the key in `flying`.
    key: usize,
}

impl Event {
    /// The place of the event among all others: by its instant, its kind and its rank, which are one number because that is
    /// compared faster than three, and then by its serial.
    #[inline]
    fn order(&self) -> (u128, u64, usize) {
        let place = u128::from(self.at.as_picos()) << 64 | (self.kind as u128) << 32 | u128::from(self.rank);
        (place, self.serial, self.key)
    }
}

impl PartialOrd for Event {
    #[inline]
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    #[inline]
    fn cmp(&self, other: &Event) -> Ordering {
        self.order().cmp(&other.order())
    }
}

/// The results of a run in modeled time.
#[derive(Debug)]
pub(crate) struct Outcomes {
    pub(crate) nodes: Vec<NodeRecord>,
    pub(crate) trace: Trace,
    /// The links that messages crossed, in the order of their numbers.
    pub(crate) links: Vec<(LinkId, LinkLoad)>,
    pub(crate) lost_to_sharing: Span,
    /// Target, label and length of each message that no program has received.
    pub(crate) unreceived: Vec<(NodeId, Label, u64)>,
    /// Each message that a fault has lost.
    pub(crate) lost: Vec<Lost>,
    pub(crate) work: Work,
}

/// The kernel; see the [module](self).
#[derive(Debug)]
pub(crate) struct Kernel {
    topology: Arc<dyn Topology>,
    send_overhead: Span,
    receive_overhead: Span,
    /// Longer overheads of longer messages.
    regimes: Box<[Regime]>,
    /// The send and the receive overhead of active messages.
    active_overheads: (Span, Span),
    /// The time after its call before which no call has an effect on others: the smaller of the two send overheads. 0 where a
    /// receive has the effect that a sender goes on, and where links or nodes die: the result of a call may then depend on
    /// whether a fault comes before it, so no fault is carried out before the calls up to its instant are known.
    least_overhead: Span,
    exchange_overhead: Span,
    latency: Span,
    hop: Span,
    beta: f64,
    /// The out-ports of a node.
    ports: u32,
    barrier: Span,
    traced: bool,

    now: Time,
    nodes: Vec<Node>,
    fabric: Fabric,
    events: Events,
    /// Messages that have left and will arrive at a later instant, with their targets.
    flying: Slab<(NodeId, Arrived)>,
    /// Messages that have left, for the trace.
    transfers: Vec<Transfer>,
    contents: Vec<Content>,
    /// Nodes whose wait has ended and whose next calls have not been carried out yet.
    runnable: Vec<NodeId>,
    in_barrier: Vec<NodeId>,
    overflow: Option<NodeId>,
    replies: Vec<(NodeId, Reply)>,
    agreements: Agreements,
    faults: Option<Box<Faulty>>,
    rendezvous: Option<Box<Rendezvous>>,
}

impl Kernel {
    /// Creates the kernel of a machine at the start of its modeled time.
    pub(crate) fn new(machine: &Description, traced: bool) -> Kernel {
        let parameters = machine.parameters();
        let topology = Arc::clone(machine.topology());
        let nodes = topology.nodes();
        let noisy = |rank| machine.noise().map(|noise| Box::new(Noisy::new(noise.periods(rank))));
        let mut kernel = Kernel {
            fabric: Fabric::new(&*topology, parameters, traced),
            topology,
            send_overhead: parameters.send_overhead(),
            receive_overhead: parameters.receive_overhead(),
            regimes: parameters.regimes().into(),
            active_overheads: (parameters.active_send_overhead(), parameters.active_receive_overhead()),
            least_overhead: if machine.rendezvous().is_some()
                || machine.faults().is_some_and(Faults::are_fatal)
            {
                Span::ZERO
            } else {
                parameters.send_overhead().min(parameters.active_send_overhead())
            },
            exchange_overhead: parameters.exchange_overhead(),
            latency: parameters.latency(),
            hop: parameters.hop(),
            beta: parameters.beta(),
            ports: parameters.ports(),
            barrier: parameters.barrier().unwrap_or(Span::ZERO),
            traced,
            now: Time::ZERO,
            nodes: (0..nodes).map(|rank| Node { noisy: noisy(rank as NodeId), ..Node::new() }).collect(),
            events: Events::default(),
            flying: Slab::new(),
            transfers: Vec::new(),
            contents: Vec::new(),
            runnable: (0..nodes as NodeId).rev().collect(),
            in_barrier: Vec::new(),
            overflow: None,
            replies: Vec::new(),
            agreements: Agreements::new(),
            faults: None,
            rendezvous: machine.rendezvous().map(|from| Box::new(Rendezvous::from(from))),
        };
        if let Some(faults) = machine.faults() {
            kernel.expect(faults);
        }
        kernel
    }

    /// Creates the kernel of a machine for those who ask for the times of nodes alone: it counts no loads of links.
    pub(crate) fn for_times(machine: &Description) -> Kernel {
        let kernel = Kernel::new(machine, false);
        Kernel { fabric: kernel.fabric.without_loads(), ..kernel }
    }

    /// Notes that calls of `node` have become known: they are carried out even while the network waits for another
    /// node.
    pub(crate) fn has_calls(&mut self, node: NodeId) {
        self.runnable.push(node);
    }

    /// Takes the replies to calls that asked for one, since the last time.
    pub(crate) fn take_replies(&mut self) -> std::vec::Drain<'_, (NodeId, Reply)> {
        self.replies.drain(..)
    }

    /// Whether the programs of all nodes have returned.
    pub(crate) fn all_finished(&self) -> bool {
        self.nodes.iter().all(|node| matches!(node.doing, Doing::Finished | Doing::Dead))
    }

    /// Whether a node has died before its program returned.
    pub(crate) fn is_dead(&self, rank: usize) -> bool {
        matches!(self.nodes[rank].doing, Doing::Dead)
    }

    /// The bytes that the links used so far have carried or begun to carry.
    pub(crate) fn carried(&self) -> impl Iterator<Item = (LinkId, u64)> {
        self.fabric.carried()
    }

    /// The time at which the program of a node has returned.
    pub(crate) fn finished(&self, node: NodeId) -> Time {
        self.nodes[node as usize].record.finished
    }

    /// Carries out all events and calls up to `until`, as far as the known calls allow.
    pub(crate) fn advance(&mut self, until: Time, calls: &mut impl Calls) -> Progress {
        loop {
            while let Some(node) = self.runnable.pop() {
                self.run(node, calls);
            }
            if let Some(node) = self.overflow {
                return Progress::Overflow(node);
            }
            let event = self.next_event();
            let next = event.map_or(Time::MAX, |event| event.at);
            // All flows that start and end at one instant are shared out at once.
            if next > self.now && self.fabric.next_end().is_none_or(|end| end > self.now) {
                self.fabric.settle(self.now);
            }
            let end = self.fabric.next_end();
            let at = end.unwrap_or(Time::MAX).min(next);
            if end.is_none() && event.is_none() {
                return Progress::Quiet;
            }
            if at > until {
                return Progress::Until(at);
            }
            // Before anything happens at an instant, all calls are known that could have an effect at it.
            if let Some(guard) = event.filter(|event| event.kind == Kind::Guard && event.at == at) {
                if let Some(progress) = self.pass_guard(guard, calls) {
                    return progress;
                }
                continue;
            }
            if let Some((left, port, links)) = self.fabric.pop_end(at) {
                self.now = left;
                self.leave(port, left, links);
                continue;
            }
            let Some(event) = event else { continue };
            if let Some(unknown) = self.unknown_before(event) {
                calls.fetch(unknown, &mut self.replies, &mut self.nodes[unknown as usize].calls);
                if self.nodes[unknown as usize].calls.is_empty() {
                    return Progress::Stalled(unknown);
                }
                self.runnable.push(unknown);
                continue;
            }
            self.events.pop();
            self.now = event.at;
            match event.kind {
                Kind::Arrival => {
                    let (target, message) = self.flying.remove(event.key);
                    self.arrive(target, message);
                }
                Kind::Guard => unreachable!("guards have been passed before anything else at their instant"),
                Kind::Meeting => self.met(event.rank, event.serial),
                Kind::Fault => self.happen(event.serial as usize),
                Kind::Entry => self.enter(event.rank, event.serial),
                Kind::Delivery => self.deliver(event.rank),
                Kind::Silence => self.fall_silent(event.rank),
                Kind::Resume => self.resume(event.rank),
                Kind::Mismatch => return Progress::Differs,
                Kind::Failure => return Progress::Failed(event.rank),
            }
        }
    }

    /// The next event, without the timers of waits that are over.
    fn next_event(&mut self) -> Option<Event> {
        while let Some(event) = self.events.peek() {
            let is_over = || event.serial != u64::from(self.nodes[event.rank as usize].serial);
            if event.kind != Kind::Resume || !is_over() {
                return Some(event);
            }
            self.events.pop();
        }
        None
    }

    /// Removes a guard if the node's call has become known or the guard is an old one; otherwise returns the stall.
    fn pass_guard(&mut self, guard: Event, calls: &mut impl Calls) -> Option<Progress> {
        let node = &mut self.nodes[guard.rank as usize];
        if matches!(node.doing, Doing::Idle) && node.clock + self.least_overhead <= guard.at {
            calls.fetch(guard.rank, &mut self.replies, &mut node.calls);
            if node.calls.is_empty() {
                return Some(Progress::Stalled(guard.rank));
            }
            self.runnable.push(guard.rank);
        }
        if node.guard == Some(guard.at) {
            node.guard = None;
        }
        self.events.pop();
        None
    }

    /// A node that could still fail, or make a collective call, before an event that ends the run: its next call is not known
    /// and its clock is not past the event.
    fn unknown_before(&self, event: Event) -> Option<NodeId> {
        if !matches!(event.kind, Kind::Mismatch | Kind::Failure) {
            return None;
        }
        let could = |(rank, node): (usize, &Node)| {
            let rank = rank as NodeId;
            let is_earlier = (node.clock, rank) < (event.at, event.rank);
            (is_earlier && matches!(node.doing, Doing::Idle)).then_some(rank)
        };
        self.nodes.iter().enumerate().find_map(could)
    }

    fn schedule(&mut self, at: Time, kind: Kind, rank: NodeId, serial: u64) {
        self.events.push(Event { at, kind, rank, serial, key: 0 });
    }

    /// The results of the run, once nothing more happens.
    pub(crate) fn outcomes(mut self) -> Outcomes {
        let mut unreceived = Vec::new();
        let mut events = Vec::new();
        for (rank, node) in self.nodes.iter_mut().enumerate() {
            let forgotten = node.lost.iter().map(|(_, _, message)| message);
            let lost = node.matching.arrived().chain(&node.undecided).chain(forgotten);
            let unread = lost.filter(|message| message.lost.is_none());
            unreceived
                .extend(unread.map(|message| (rank as NodeId, message.label, message.bytes, message.id)));
            events.append(&mut node.events);
        }
        for (_, (target, message)) in self.flying.iter() {
            unreceived.push((*target, message.label, message.bytes, message.id));
        }
        unreceived.sort_by_key(|&(target, _, _, id)| (id, target));
        let mut transfers = self.transfers;
        // Transfers without use of the network may have been noted ahead of it.
        transfers.sort_unstable_by_key(|transfer| (transfer.left, transfer.from, transfer.seq));
        events.sort_by_key(|event: &crate::record::Event| (event.start, event.rank, Reverse(event.end)));
        // Those of one node are in order already.
        let mut contents = self.contents;
        contents.sort_by_key(|content| (content.at, content.rank));
        let shares = self.fabric.take_shares(self.now);
        let mut lost = self.faults.map(|faults| faults.lost).unwrap_or_default();
        // Nodes that run ahead of the network may have noted theirs before others.
        lost.sort_unstable_by_key(|lost| (lost.at, lost.id));
        Outcomes {
            links: self.fabric.link_loads(),
            lost_to_sharing: self.fabric.lost_to_sharing(),
            work: self.fabric.work(),
            nodes: self.nodes.into_iter().map(|node| node.record).collect(),
            trace: Trace { events, transfers, shares, contents },
            lost,
            unreceived: unreceived
                .into_iter()
                .map(|(target, label, bytes, _)| (target, label, bytes))
                .collect(),
        }
    }
}

#[cfg(test)]
pub(crate) mod order_tests;
