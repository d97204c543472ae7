//! The discrete-event kernel of the machine in modeled time: every node's clock, ports and requests, the matching of messages, and the
//! event queue.
//!
//! The code is sequential, without threads, locks or wall-clock time. Its input is the calls of the node programs, which it executes by the
//! rules of the timing model. Two rules make it both fast and exact.
//!
//! **Nodes run ahead.** Between two events of the network the actions of a node depend only on the node. Its calls are therefore executed
//! as soon as they are known, even if its clock is ahead of the network, up to a call that has to wait for the network: a send that has not
//! left, a receive whose message has not arrived, or a call whose outcome depends on the order of arrivals (a receive from any source, a
//! probe, a test). The last kind of call waits until the network has reached the node's clock.
//!
//! **Unknown calls hold the network back** (conservative lookahead). A node whose next call is unknown can send at its clock + o_s at the
//! earliest. An event of kind [`Kind::Guard`] is scheduled at this instant: if the call is still unknown then, the kernel
//! [stalls](Progress::Stalled) until the call is delivered. So calls take effect in the order of modeled time, in whatever order they
//! become known. Under [rendezvous] a receive lets a sender continue immediately, and where links or nodes die, any call may come before or
//! after a fault. In these cases the guard is at the clock itself. On other machines it is so from the first synchronous message on
//! or the first remote memory access on
//! ([`end_lookahead`](Kernel::end_lookahead)).
//!
//! Simultaneous events have a defined order: [`Kind`], then the rank, then the order in which the node issued them. Guards come first:
//! before any event of an instant, all calls that could have an effect at this instant are known. A call that queries an instant is thus
//! answered only after all messages of this instant have arrived.

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
mod outcomes;
mod ports;
mod remote;
mod rendezvous;
mod request;
mod requests;
mod send_recv;
mod sends;
mod table;

pub(crate) use agreement::CallMismatch;
pub use blocked::{BlockedNode, WaitsFor};
pub(crate) use blocked::{blocked_nodes, common_group};
pub(crate) use faults::Lost;
pub(crate) use op::{AnyOf, Call, Cause, Op, Outcome, Reply};
pub(crate) use outcomes::Outcomes;

use std::{cmp::Ordering, collections::VecDeque, sync::Arc};

use slab::Slab;

use self::{
    agreement::Agreements,
    events::Events,
    faults::FaultState,
    node::{Node, NodeState},
    noise::NodeNoise,
    remote::Remote,
    rendezvous::Rendezvous,
    request::Arrived,
};
use crate::{
    fabric::Fabric,
    model::{Faults, MachineSpec, Regime},
    record::{Content, Transfer},
    time::{Span, Time},
    topology::{LinkId, Topology},
    wire::{MessageId, NodeId},
};

/// The source of the calls of the node programs.
pub(crate) trait Calls {
    /// Appends the known next calls of `node` to `calls`, which is empty. `replies` holds the replies that have not been
    /// [taken](Kernel::take_replies) yet; a source may take them.
    fn fetch(&mut self, node: NodeId, replies: &mut Vec<(NodeId, Reply)>, calls: &mut VecDeque<Call>);

    /// Carries out a remote memory access, which the message with this identity has brought to its target: now, `at` this instant of modeled
    /// time. Returns the instant from which on its results travel back. By default it does nothing and returns `at`.
    fn carry_out(&mut self, _access: MessageId, at: Time) -> Time {
        at
    }
}

/// A source without calls, for nodes that make no further calls.
pub(crate) struct NoCalls;

impl Calls for NoCalls {
    fn fetch(&mut self, _: NodeId, _: &mut Vec<(NodeId, Reply)>, _: &mut VecDeque<Call>) {}
}

/// The reason why [`Kernel::advance`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The next call of this node must be known first.
    Stalled(NodeId),
    /// All events and calls up to the requested time are done; the next event is at this later instant.
    Until(Time),
    /// No event is left: nothing more happens without further calls.
    Quiet,
    /// The program of this node has failed, and no other failed earlier in modeled time.
    Failed(NodeId),
    /// Members of a group have made different collective calls: [`Kernel::mismatch`].
    Differs,
    /// The clock of this node has passed the end of representable time.
    Overflow(NodeId),
}

/// The kinds of events, in their order at one instant. Ends of flows come after guards and before all other events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// From now on a node whose next call is unknown could send a message into the network or to itself.
    Guard,
    /// A message has arrived; `rank` is its sender.
    Arrival,
    /// A message whose sender waits (rendezvous) has been matched with a receive.
    Match,
    /// A remote memory access arrives at its target, or what it returns arrives at its origin; `rank` is the origin.
    Access,
    /// A link becomes slow, or a link or a node dies.
    Fault,
    /// A message enters an out-port of a node, or is ready for it.
    Entry,
    /// All messages that arrive at a node at this instant are there: its receives from any source take their messages.
    Delivery,
    /// From now on some nodes can receive no further message from a dead node.
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
    /// For an arrival, a match, an access and an entry the sender's message count; for a resume the serial of its wait; for a fault its index.
    serial: u64,
    /// For an arrival the key in `flying`.
    key: usize,
}

impl Event {
    /// The sort key of the event: instant, kind and rank, packed into one number because it is compared faster than three, and then the
    /// serial.
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

/// The kernel; see the [module](self).
#[derive(Debug)]
pub(crate) struct Kernel {
    topology: Arc<dyn Topology>,
    send_overhead: Span,
    receive_overhead: Span,
    /// The length regimes: messages of these lengths have other overheads than the shortest messages.
    regimes: Box<[Regime]>,
    /// The send and the receive overhead of active messages.
    active_overheads: (Span, Span),
    /// The lookahead: less than the shortest time from the start of a call to its first effect on other nodes. Normally the smaller of the
    /// two send overheads, less one picosecond. 0 under rendezvous, where a receive lets a sender continue, and where links or nodes die:
    /// there the result of a call may depend on whether it precedes a fault, so all calls up to the instant of a fault must be known before
    /// the fault.
    lookahead: Span,
    exchange_overhead: Span,
    /// The fixed time and the time per byte of the copy of an unexpected message; `None` if both are 0.
    unexpected: Option<(Span, f64)>,
    latency: Span,
    hop: Span,
    beta: f64,
    /// The number of out-ports of a node.
    ports: u32,
    barrier: Span,
    traced: bool,

    now: Time,
    nodes: Vec<Node>,
    fabric: Fabric,
    events: Events,
    /// Messages in transit, with their targets.
    flying: Slab<(NodeId, Arrived)>,
    /// Messages that have left, for the trace.
    transfers: Vec<Transfer>,
    contents: Vec<Content>,
    /// Nodes whose wait has ended and whose next calls have not been executed yet.
    runnable: Vec<NodeId>,
    in_barrier: Vec<NodeId>,
    overflow: Option<NodeId>,
    replies: Vec<(NodeId, Reply)>,
    agreements: Agreements,
    faults: Option<Box<FaultState>>,
    rendezvous: Option<Box<Rendezvous>>,
    /// The remote memory accesses; `None` before the first one.
    remote: Option<Box<Remote>>,
}

impl Kernel {
    /// Creates the kernel of a machine at the start of its modeled time.
    pub(crate) fn new(machine: &MachineSpec, traced: bool) -> Kernel {
        let parameters = machine.parameters();
        let topology = Arc::clone(machine.topology());
        let nodes = topology.nodes();
        let node_noise = |rank| machine.noise().map(|noise| Box::new(NodeNoise::new(noise.periods(rank))));
        let mut kernel = Kernel {
            fabric: Fabric::new(&*topology, parameters, traced),
            topology,
            send_overhead: parameters.send_overhead(),
            receive_overhead: parameters.receive_overhead(),
            regimes: parameters.regimes().into(),
            active_overheads: (parameters.active_send_overhead(), parameters.active_receive_overhead()),
            lookahead: if machine.rendezvous().is_some() || machine.faults().is_some_and(Faults::are_fatal) {
                Span::ZERO
            } else {
                let overhead = parameters.send_overhead().min(parameters.active_send_overhead());
                // The picosecond serves `end_lookahead`.
                Span::from_picos(overhead.as_picos().saturating_sub(1))
            },
            exchange_overhead: parameters.exchange_overhead(),
            unexpected: parameters.unexpected(0).map(|overhead| (overhead, parameters.unexpected_copy())),
            latency: parameters.latency(),
            hop: parameters.hop(),
            beta: parameters.beta(),
            ports: parameters.ports(),
            barrier: parameters.barrier().unwrap_or(Span::ZERO),
            traced,
            now: Time::ZERO,
            nodes: (0..nodes)
                .map(|rank| Node { node_noise: node_noise(rank as NodeId), ..Node::new() })
                .collect(),
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
            remote: None,
            rendezvous: machine.rendezvous().map(|from| Box::new(Rendezvous::new(from))),
        };
        if let Some(faults) = machine.faults() {
            kernel.schedule_faults(faults);
        }
        kernel
    }

    /// Creates the kernel of a machine for callers that need only the times of nodes: it records no link loads.
    pub(crate) fn for_times(machine: &MachineSpec) -> Kernel {
        let kernel = Kernel::new(machine, false);
        Kernel { fabric: kernel.fabric.without_loads(), ..kernel }
    }

    /// Announces that calls of `node` have become known, so that they are executed even while the network waits for another node.
    pub(crate) fn has_calls(&mut self, node: NodeId) {
        self.runnable.push(node);
    }

    /// Takes the replies that have accumulated since the last call.
    pub(crate) fn take_replies(&mut self) -> std::vec::Drain<'_, (NodeId, Reply)> {
        self.replies.drain(..)
    }

    /// Whether the programs of all nodes have returned or died.
    pub(crate) fn all_finished(&self) -> bool {
        self.nodes.iter().all(|node| matches!(node.state, NodeState::Finished | NodeState::Dead))
    }

    /// Whether a node has died before its program returned.
    pub(crate) fn is_dead(&self, rank: usize) -> bool {
        matches!(self.nodes[rank].state, NodeState::Dead)
    }

    /// The bytes that each used link has carried or begun to carry.
    pub(crate) fn carried(&self) -> impl Iterator<Item = (LinkId, u64)> {
        self.fabric.carried()
    }

    /// The time at which the program of a node returned.
    pub(crate) fn finished(&self, node: NodeId) -> Time {
        self.nodes[node as usize].record.finished
    }

    /// Executes all events and calls up to `until`; stops early if it needs a call that is not known.
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
            // The rates of all flows that start and end at one instant are computed once.
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
            // Before any event of an instant, all calls that could have an effect at this instant must be known.
            if let Some(guard) = event.filter(|event| event.kind == Kind::Guard && event.at == at) {
                if let Some(progress) = self.resolve_guard(guard, calls) {
                    return progress;
                }
                continue;
            }
            if let Some((left, port, way)) = self.fabric.pop_end(at) {
                self.now = left;
                self.leave(port, left, way);
                continue;
            }
            let Some(event) = event else { continue };
            if let Some(unknown) = self.pending_node_before(event) {
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
                Kind::Match => self.complete_match(event.rank, event.serial),
                Kind::Fault => self.apply_fault(event.serial as usize),
                Kind::Access => {
                    self.access_arrives(MessageId { source: event.rank, seq: event.serial }, calls);
                }
                Kind::Entry => self.enter(event.rank),
                Kind::Delivery => self.deliver(event.rank),
                Kind::Silence => self.handle_silence(event.rank),
                Kind::Resume => self.resume(event.rank),
                Kind::Mismatch => return Progress::Differs,
                Kind::Failure => return Progress::Failed(event.rank),
            }
        }
    }

    /// Returns the smallest instant at which a program can still make a call that is not known, with the lowest rank that can at this instant.
    ///
    /// A node that is computing makes its next call at its clock, and can let others continue at its clock + lookahead; nodes that wait
    /// continue at an event.
    pub(crate) fn frontier(&mut self) -> (Time, NodeId) {
        let idle = (0..).zip(&self.nodes).filter(|(_, node)| matches!(node.state, NodeState::Idle));
        let calls =
            idle.flat_map(|(rank, node)| [(node.clock, rank), (node.clock + self.lookahead, 0)]).min();
        let event = self.next_event().map(|event| event.at);
        let event = [event, self.fabric.next_end()].into_iter().flatten().min().map(|at| (at, 0));
        [calls, event].into_iter().flatten().min().unwrap_or((Time::MAX, 0))
    }

    /// Returns the next event, skipping the timers of waits that are over.
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

    /// Removes a guard if the node's call has become known or the guard is outdated; otherwise returns the stall.
    fn resolve_guard(&mut self, guard: Event, calls: &mut impl Calls) -> Option<Progress> {
        let node = &mut self.nodes[guard.rank as usize];
        if matches!(node.state, NodeState::Idle) && node.clock + self.lookahead <= guard.at {
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

    /// Returns a node that could still fail, or make a collective call, before an event that ends the run: its next call is unknown, and
    /// its clock is not past the event.
    fn pending_node_before(&self, event: Event) -> Option<NodeId> {
        if !matches!(event.kind, Kind::Mismatch | Kind::Failure) {
            return None;
        }
        let could = |(rank, node): (usize, &Node)| {
            let rank = rank as NodeId;
            let is_earlier = (node.clock, rank) < (event.at, event.rank);
            (is_earlier && matches!(node.state, NodeState::Idle)).then_some(rank)
        };
        self.nodes.iter().enumerate().find_map(could)
    }

    /// From now on all calls up to an instant must be known before the instant. Called when the first call of a kind is made whose effect
    /// could otherwise come before calls that are not known yet: such a call has its first effect after the network's present time, because
    /// the lookahead is less than a send overhead. Before that, the guards make all nodes catch up with the network.
    fn end_lookahead(&mut self) {
        if self.lookahead.is_zero() {
            return;
        }
        self.lookahead = Span::ZERO;
        for rank in 0..self.nodes.len() {
            let node = &mut self.nodes[rank];
            if matches!(node.state, NodeState::Idle) {
                let clock = node.clock;
                node.guard = Some(clock);
                self.schedule(clock, Kind::Guard, rank as NodeId, 0);
            }
        }
    }

    fn schedule(&mut self, at: Time, kind: Kind, rank: NodeId, serial: u64) {
        self.events.push(Event { at, kind, rank, serial, key: 0 });
    }
}

#[cfg(test)]
pub(crate) mod order_tests;
