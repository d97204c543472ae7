//! The shared state of the threads of a run.

use std::{
    collections::{BTreeMap, VecDeque},
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{Thread, available_parallelism, current},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::{Condvar, Mutex};

use super::{
    Pinning, Settings,
    affinity::Together,
    agreement::Agreements,
    away::Away,
    bell::{Bell, FOR_THE_KERNEL, WHEN_DUE},
    pacing::Pacing,
    sync::AtomicUsize,
};
use crate::{
    endpoint::{Envelope, Memo},
    error::{CommError, DeadlockReport, Failure},
    kernel::{BlockedNode, Call, Calls, Kernel, Op, Reply, blocked_nodes},
    model::Description,
    rank::Rank,
    time::Time,
    wire::{Context, NodeId},
};

/// What comes through a node's channel.
#[derive(Debug)]
pub(super) enum Delivery {
    Message(Envelope),
    Reply(Reply),
}

/// The calls that a node has made and the kernel has not fetched.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub(super) calls: VecDeque<Call>,
    /// The number of bytes of real data in the messages among them.
    pub(super) bytes: u64,
    /// Real time: the program runs, and may compute, before its next call.
    pub(super) away: Option<Away>,
}

/// One node, as seen by the other threads. Aligned so that no two share a cache line.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Seat {
    pub(super) inbox: Sender<Delivery>,
    pub(super) bell: Bell,
    pub(super) outbox: Mutex<Outbox>,
    /// The library call that the program is in, if it is one that makes several.
    pub(super) within: Mutex<Option<&'static str>>,
    /// Whether the program has returned.
    pub(super) returned: AtomicBool,
}

/// The reason why a run ended early.
#[derive(Debug)]
pub(super) enum Cause {
    Deadlock(DeadlockReport),
    /// The program of this node failed; its fault is kept in `Threads`.
    Failed(NodeId),
    Overflow(NodeId),
    WallLimit(Vec<BlockedNode>),
    /// Real time: the next answer is due at this instant only, after this wall-clock time.
    TooSlow {
        at: Time,
        wait: Duration,
    },
    /// The thread of this node could not be started.
    Spawn,
}

/// The fault by which the program of a node failed.
#[derive(Debug)]
pub(super) enum Fault {
    Error(Failure),
    Panic(String),
}

/// The state of the threads themselves.
#[derive(Debug, Default)]
pub(super) struct Threads {
    pub(super) ended: usize,
    pub(super) faults: BTreeMap<NodeId, Fault>,
    /// The time at which the first program failed.
    pub(super) failed: Option<Instant>,
    /// The time at which the last of the programs that have returned did so.
    pub(super) last: Option<Instant>,
}

/// The pace of modeled time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Virtual time: as fast as the host allows.
    Virtual,
    /// Real time: the number of wall seconds that one modeled second takes.
    Real(f64),
}

/// Numbers for groups, equal on all members without a message: the n-th group that a node makes of the same ranks
/// under the same parent is the same group for all who make it.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    known: BTreeMap<(Context, Vec<Rank>, u32), Context>,
    names: Vec<String>,
}

impl Contexts {
    pub(crate) fn of(
        &mut self,
        parent: Context,
        members: &[Rank],
        nth: u32,
        name: impl FnOnce() -> String,
    ) -> Context {
        let Contexts { known, names } = self;
        *known.entry((parent, members.to_vec(), nth)).or_insert_with(|| {
            names.push(name());
            names.len() as Context
        })
    }

    /// The name of a group in messages; context 0 is the world.
    pub(crate) fn name(&self, context: Context) -> String {
        match context.checked_sub(1).and_then(|at| self.names.get(at as usize)) {
            Some(name) => name.clone(),
            None => "the world".into(),
        }
    }
}

/// The shared state; see the [module](self).
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) machine: Description,
    pub(crate) contexts: Mutex<Contexts>,
    pub(crate) agreements: Mutex<Agreements>,
    pub(crate) memo: Arc<Memo>,
    /// The pacing; real time only.
    pub(super) pacing: Option<Pacing>,
    /// Real time only: the threads, as long as none of them computes.
    pub(super) together: Option<Together>,
    /// Whether all events are kept for a trace.
    pub(super) traced: bool,
    pub(super) seats: Vec<Seat>,
    pub(super) kernel: Mutex<Kernel>,
    /// The number of threads that are neither asleep nor ended.
    pub(super) running: AtomicUsize,
    /// The number of threads that sleep until the kernel has answered.
    pub(super) longing: AtomicUsize,
    /// Nodes whose threads have asked the kernel since it was last driven.
    pub(super) asking: (Sender<NodeId>, Receiver<NodeId>),
    /// Whether a thread wanted to drive the kernel while another did: the other must look again.
    pub(super) drive_again: AtomicBool,
    pub(super) stopped: AtomicBool,
    pub(super) cause: Mutex<Option<Cause>>,
    pub(super) threads: Mutex<Threads>,
    /// The thread that called `run`, and watches over it.
    pub(super) caller: Thread,
    /// The condition, with the lock of `threads`, that all threads have ended.
    pub(super) all_ended: Condvar,
    /// The number of times that a waiting thread looks again before it sleeps: 0 unless every thread has a core.
    pub(super) looks: u32,
}

impl Shared {
    pub(super) fn new(machine: Description, settings: &Settings) -> (Shared, Vec<Receiver<Delivery>>) {
        let nodes = machine.nodes();
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..nodes).map(|_| unbounded()).unzip();
        let seat = |inbox| Seat {
            inbox,
            bell: Bell::new(),
            outbox: Mutex::default(),
            within: Mutex::default(),
            returned: AtomicBool::new(false),
        };
        let Settings { pace, traced, pinning, .. } = *settings;
        let cores = match pinning {
            Pinning::OneCore => 1,
            Pinning::Auto if pace != Pace::Virtual => 1,
            Pinning::Auto | Pinning::None | Pinning::Spread => {
                available_parallelism().map_or(1, |cores| cores.get())
            }
        };
        let shared = Shared {
            kernel: Mutex::new(Kernel::new(&machine, traced)),
            machine,
            contexts: Mutex::default(),
            agreements: Mutex::default(),
            memo: settings.memo.clone(),
            pacing: match pace {
                Pace::Virtual => None,
                Pace::Real(dilation) => Some(Pacing::new(dilation, nodes, settings.wall_limit.is_some())),
            },
            together: (pace != Pace::Virtual && pinning == Pinning::Auto).then(Together::here),
            traced,
            seats: senders.into_iter().map(seat).collect(),
            running: AtomicUsize::new(nodes),
            longing: AtomicUsize::new(0),
            asking: unbounded(),
            drive_again: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            cause: Mutex::new(None),
            threads: Mutex::default(),
            caller: current(),
            all_ended: Condvar::new(),
            looks: if nodes > 1 && nodes <= cores { 200 } else { 0 },
        };
        (shared, receivers)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// The error that every call gets once the run is over.
    pub(super) fn ended(&self) -> CommError {
        match *self.cause.lock() {
            Some(Cause::Deadlock(_)) => CommError::Deadlock,
            _ => CommError::Ended,
        }
    }

    /// Ends the run for all nodes; the first cause counts.
    pub(super) fn stop(&self, cause: Cause) {
        self.cause.lock().get_or_insert(cause);
        self.stopped.store(true, Ordering::Release);
        for seat in &self.seats {
            if seat.bell.claim_for_anything() {
                self.running.fetch_add(1, Ordering::AcqRel);
            }
            // It may sleep by a timer of its own, too.
            seat.bell.ring();
        }
        self.caller.unpark();
    }

    /// Delivers an answer to a node, and claims and lists the node; it is to be woken when the lock of the kernel is
    /// free again. In real time the pacer wakes it when the answer is due, if that is soon.
    pub(super) fn answer(&self, node: NodeId, reply: Reply, claimed: &mut Vec<NodeId>) {
        let seat = &self.seats[node as usize];
        // The receiver lives as long as the thread, and after that nobody needs the answer.
        let _ = seat.inbox.send(Delivery::Reply(reply));
        let is_claimed = seat.bell.claim(FOR_THE_KERNEL, &self.running)
            || match &self.pacing {
                Some(pacing) if seat.bell.sleeps_for(WHEN_DUE) => {
                    if pacing.is_soon(reply.clock) {
                        return self.wake_when_due(pacing, node, reply.clock);
                    }
                    seat.bell.claim(WHEN_DUE, &self.running)
                }
                _ => false,
            };
        if is_claimed {
            claimed.push(node);
        } else if self.running.load(Ordering::Acquire) == 0 {
            // It found the answer by itself, and went to sleep again while this seemed to be about to wake it.
            self.drive_again.store(true, Ordering::SeqCst);
        }
    }

    pub(super) fn ring_all(&self, claimed: &mut Vec<NodeId>) {
        for node in claimed.drain(..) {
            self.seats[node as usize].bell.ring();
        }
    }

    /// All nodes whose programs have not returned, each with the event that it waits for.
    pub(super) fn blocked(&self, kernel: &Kernel) -> Vec<BlockedNode> {
        let contexts = self.contexts.lock();
        let mut blocked = blocked_nodes(kernel, |context| contexts.name(context));
        // The kernel may not have come to the end of a program that has returned.
        blocked.retain(|node| !self.has_returned(node.rank));
        for node in &mut blocked {
            node.within = *self.seats[node.rank].within.lock();
        }
        blocked
    }

    /// The report of a deadlock, in which no node can go on.
    pub(super) fn deadlock(&self, kernel: &Kernel) -> DeadlockReport {
        let returned = (0..self.seats.len()).filter(|&rank| self.has_returned(rank)).collect();
        DeadlockReport::new(self.blocked(kernel), returned)
    }

    fn has_returned(&self, rank: Rank) -> bool {
        self.seats[rank].returned.load(Ordering::Acquire)
    }

    /// Releases the threads from their common core, as a program really computes and may need a core of its own.
    pub(super) fn let_go(&self) {
        if let Some(together) = &self.together {
            together.let_go();
        }
    }

    /// Records the fault of a program and tells the caller at once; the kernel is told in its turn.
    pub(super) fn fault(&self, node: NodeId, fault: Fault) {
        let mut threads = self.threads.lock();
        threads.faults.insert(node, fault);
        threads.failed.get_or_insert_with(Instant::now);
        drop(threads);
        self.caller.unpark();
    }
}

/// The kernel's view of the calls that the node threads have made.
pub(super) struct Outboxes<'a>(pub(super) &'a [Seat]);

impl Calls for Outboxes<'_> {
    fn fetch(&mut self, node: NodeId, calls: &mut VecDeque<Call>) {
        let mut outbox = self.0[node as usize].outbox.lock();
        outbox.bytes = 0;
        std::mem::swap(&mut outbox.calls, calls);
    }
}

/// Ends a program that goes on making calls after the run has ended, without a message.
pub(super) fn unwind_silently() -> ! {
    resume_unwind(Box::new(Unwound))
}

/// The payload of the panic with which such a program unwinds.
pub(super) struct Unwound;

/// Wraps an operation in a call without an answer.
pub(super) fn silent(op: Op) -> Call {
    Call { op, reply: false }
}
