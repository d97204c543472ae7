//! The shared state of the threads of a run in modeled time.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    thread::available_parallelism,
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;

use super::{Pace, outbox::Outbox, pacing::Pacing};
use crate::{
    endpoint::{Effect, Envelope},
    kernel::{BlockedNode, Call, Calls, Kernel, Reply, blocked_nodes},
    model::{Faults, MachineSpec},
    runtime::{Pinning, Settings, affinity::SharedCore, run_state::RunState, sync::AtomicUsize},
    time::Time,
    wire::{Label, MessageId, NodeId},
};

/// The parker state of a thread that sleeps until the kernel has replied. A state other than these constants is the rank of the node from
/// which data is awaited.
pub(super) const KERNEL_REPLY: u32 = u32::MAX - 1;

/// The parker state of a thread that sleeps until the kernel has replied and the reply is due.
pub(super) const REPLY_DUE: u32 = u32::MAX - 2;

/// The number of polls of a waiting thread before it sleeps, where every thread has a core.
const POLLS: u32 = 200;

/// A delivery through a node's channel.
#[derive(Debug)]
pub(super) enum Delivery {
    Message(Envelope),
    /// What a remote memory access of this node has returned; the reply that names it follows.
    Returned(Envelope),
    Reply(Reply),
}

/// The inbox and outbox of one node. Aligned so that no two mailboxes share a cache line.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Mailbox {
    pub(super) inbox: Sender<Delivery>,
    pub(super) outbox: Mutex<Outbox>,
    /// The remote memory accesses of this node that have not been carried out, by the sequence numbers of their messages.
    pub(super) effects: Mutex<BTreeMap<u64, PendingEffect>>,
}

/// A remote memory access that has not been carried out.
pub(super) struct PendingEffect {
    pub(super) effect: Effect,
    /// The label under which the origin gets what the access returns; `None` if nothing returns.
    pub(super) label: Option<Label>,
}

impl fmt::Debug for PendingEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingEffect({:?})", self.label)
    }
}

/// The shared state of the threads; see the [module](self).
#[derive(Debug)]
pub(super) struct Modeled {
    pub(super) run_state: RunState,
    pub(super) mailboxes: Vec<Mailbox>,
    pub(super) kernel: Mutex<Kernel>,
    /// The pacing; real time only.
    pub(super) pacing: Option<Pacing>,
    /// Real time only: keeps the threads on one core until one of them computes.
    pub(super) shared_core: Option<SharedCore>,
    /// The number of threads that wait for a reply of the kernel.
    pub(super) awaiting_replies: AtomicUsize,
    /// The nodes whose threads have made calls that need replies since the kernel was last driven.
    pub(super) queries: (Sender<NodeId>, Receiver<NodeId>),
    /// Whether a thread wanted to drive the kernel while another thread was driving it; the driving thread must then repeat.
    pub(super) drive_again: AtomicBool,
    /// Whether messages may be lost and nodes may die: then only the kernel can determine which data has arrived.
    pub(super) fallible: bool,
    /// The number of polls of a waiting thread before it sleeps: 0 unless every thread has a core.
    pub(super) polls: u32,
}

impl Modeled {
    pub(super) fn new(
        machine: &MachineSpec,
        pace: Pace,
        settings: &Settings,
    ) -> (Modeled, Vec<Receiver<Delivery>>) {
        let nodes = machine.nodes();
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..nodes).map(|_| unbounded()).unzip();
        let mailbox = |inbox| Mailbox { inbox, outbox: Mutex::default(), effects: Mutex::default() };
        let cores = match settings.pinning {
            Pinning::OneCore => 1,
            Pinning::Auto if pace != Pace::Virtual => 1,
            Pinning::Auto | Pinning::None | Pinning::Spread => {
                available_parallelism().map_or(1, |cores| cores.get())
            }
        };
        let keeps_together = pace != Pace::Virtual && settings.pinning == Pinning::Auto;
        let modeled = Modeled {
            run_state: RunState::new(machine.clone(), settings),
            mailboxes: senders.into_iter().map(mailbox).collect(),
            kernel: Mutex::new(Kernel::new(machine, settings.traced)),
            pacing: match pace {
                Pace::Virtual => None,
                Pace::Real(dilation) => Some(Pacing::new(dilation, nodes, settings.wall_limit.is_some())),
            },
            shared_core: keeps_together.then(SharedCore::on_current_core),
            awaiting_replies: AtomicUsize::new(0),
            queries: unbounded(),
            drive_again: AtomicBool::new(false),
            fallible: machine.faults().is_some_and(Faults::are_fatal),
            polls: if nodes > 1 && nodes <= cores { POLLS } else { 0 },
        };
        (modeled, receivers)
    }

    /// Delivers a reply to a node, claims the node and adds it to `claimed`; it is woken after the lock of the kernel is released. In
    /// real time the pacer wakes the node when the reply is due, if this is soon.
    pub(super) fn answer(&self, node: NodeId, reply: Reply, claimed: &mut Vec<NodeId>) {
        let (parker, awake) = (&self.run_state.slot(node).parker, &self.run_state.awake);
        // The receiver exists as long as the thread; a thread that has ended needs no reply.
        let _ = self.mailboxes[node as usize].inbox.send(Delivery::Reply(reply));
        let is_claimed = parker.claim(&[KERNEL_REPLY], awake)
            || match &self.pacing {
                Some(pacing) if parker.sleeps_for(REPLY_DUE) => {
                    if pacing.is_soon(reply.clock) {
                        return self.wake_when_due(pacing, node, reply.clock);
                    }
                    parker.claim(&[REPLY_DUE], awake)
                }
                _ => false,
            };
        if is_claimed {
            claimed.push(node);
        } else if awake.load(Ordering::Acquire) == 0 {
            // The node has found the reply by itself and sleeps again: the kernel must process its next call.
            self.drive_again.store(true, Ordering::SeqCst);
        }
    }

    /// Wakes the claimed nodes.
    pub(super) fn wake_all(&self, claimed: &mut Vec<NodeId>) {
        for node in claimed.drain(..) {
            self.run_state.slot(node).parker.wake();
        }
    }

    /// Returns all nodes whose programs have not returned, with the events that they wait for.
    pub(super) fn blocked_in(&self, kernel: &Kernel) -> Vec<BlockedNode> {
        let contexts = self.run_state.contexts.lock();
        // A program may have returned although the kernel has not reached its end.
        self.run_state.complete(blocked_nodes(kernel, |context| contexts.name(context)))
    }

    /// Releases the threads from their common core, because a program computes and may need a separate core.
    pub(super) fn release_threads(&self) {
        if let Some(shared_core) = &self.shared_core {
            shared_core.release_threads();
        }
    }
}

/// The kernel's access to the calls of the node threads.
pub(super) struct Outboxes<'a>(pub(super) &'a [Mailbox]);

impl Calls for Outboxes<'_> {
    fn fetch(&mut self, node: NodeId, _: &mut Vec<(NodeId, Reply)>, calls: &mut VecDeque<Call>) {
        let mut outbox = self.0[node as usize].outbox.lock();
        outbox.bytes = 0;
        std::mem::swap(&mut outbox.calls, calls);
    }

    fn carry_out(&mut self, id: MessageId, at: Time) -> Time {
        let origin = &self.0[id.source as usize];
        let Some(PendingEffect { effect, label }) = origin.effects.lock().remove(&id.seq) else { return at };
        let (payload, served) = effect(at);
        if let Some(label) = label {
            // The receiver exists as long as the thread; a thread that has ended needs nothing.
            let _ = origin.inbox.send(Delivery::Returned(Envelope { id, label, payload }));
        }
        served
    }
}
