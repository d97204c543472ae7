//! The shared state of the threads of a run: awake threads, returned programs, and the cause of an early end.

use std::{
    any::Any,
    cell::Cell,
    collections::BTreeMap,
    panic::{Location, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{Thread, current},
    time::{Duration, Instant},
};

use crossbeam_utils::atomic::AtomicCell;
use parking_lot::{Condvar, Mutex};

use super::{
    Settings,
    agreement::Agreements,
    contexts::Contexts,
    observer::{Observer, Place},
    parker::Parker,
    sync::AtomicUsize,
};
use crate::{
    endpoint::{Cache, Shared},
    error::{CommError, DeadlockReport, Failure, Mismatch},
    kernel::BlockedNode,
    model::MachineSpec,
    panics,
    rank::Rank,
    time::Time,
    topology::TopologyError,
    wire::{Context, Label, NodeId},
};

/// The number of calls after the end of the run before the program is unwound.
const MAX_CALLS_AFTER_END: u32 = 1_000;

/// The cause of the early end of a run.
#[derive(Debug)]
pub(super) enum Cause {
    Deadlock(DeadlockReport),
    Mismatch(Mismatch),
    /// A route of the topology is invalid.
    Topology(TopologyError),
    /// The program of this node failed; `Threads` holds the fault.
    Failed(NodeId),
    Overflow(NodeId),
    WallLimit(Vec<BlockedNode>),
    /// Real time: the next reply is due only at this modeled instant, after this wall-clock time.
    TooSlow {
        at: Time,
        wait: Duration,
    },
    /// The thread of a node could not be started.
    Spawn,
}

/// The failure of a node's program.
#[derive(Debug)]
pub(super) enum Fault {
    Error(Failure),
    Panic(String),
}

/// The progress of the node threads: how many have ended, and which programs have failed or returned.
#[derive(Debug, Default)]
pub(super) struct Threads {
    pub(super) ended: usize,
    pub(super) faults: BTreeMap<NodeId, Fault>,
    /// The instant at which the first program failed.
    pub(super) failed: Option<Instant>,
    /// The instant of the latest return of a program so far.
    pub(super) last: Option<Instant>,
}

/// The state of one node that other threads access. Aligned so that the states of no two nodes share a cache line.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct NodeSlot {
    pub(super) parker: Parker,
    /// Whether the program has returned.
    pub(super) returned: AtomicBool,
    /// The library call that the program is in, if any.
    pub(super) within: Mutex<Option<&'static str>>,
    /// The place in the program of its last call.
    pub(super) place: AtomicCell<Option<&'static Location<'static>>>,
}

/// The shared state of the threads of a run; see the [module](self).
#[derive(Debug)]
pub(super) struct RunState {
    pub(super) machine: MachineSpec,
    pub(super) cache: Arc<Cache>,
    /// Whether all events are recorded.
    pub(super) traced: bool,
    pub(super) observer: Option<Arc<dyn Observer>>,
    pub(super) contexts: Mutex<Contexts>,
    pub(super) agreements: Mutex<Agreements>,
    pub(super) slots: Vec<NodeSlot>,
    /// The number of threads that are neither asleep nor ended.
    pub(super) awake: AtomicUsize,
    stopped: AtomicBool,
    cause: Mutex<Option<Cause>>,
    pub(super) threads: Mutex<Threads>,
    /// The thread that called `run`; it monitors the run.
    pub(super) caller: Thread,
    /// Notified, with the lock of `threads`, when all threads have ended.
    pub(super) all_ended: Condvar,
}

impl RunState {
    /// Creates the state of a run that is about to start.
    pub(super) fn new(machine: MachineSpec, settings: &Settings) -> RunState {
        let nodes = machine.nodes();
        let slot = |_| NodeSlot {
            parker: Parker::new(),
            returned: AtomicBool::new(false),
            within: Mutex::default(),
            place: AtomicCell::default(),
        };
        RunState {
            machine,
            cache: settings.cache.clone(),
            traced: settings.traced,
            observer: settings.observer.clone(),
            contexts: Mutex::default(),
            agreements: Mutex::default(),
            slots: (0..nodes).map(slot).collect(),
            awake: AtomicUsize::new(nodes),
            stopped: AtomicBool::new(false),
            cause: Mutex::new(None),
            threads: Mutex::default(),
            caller: current(),
            all_ended: Condvar::new(),
        }
    }

    pub(super) fn slot(&self, node: NodeId) -> &NodeSlot {
        &self.slots[node as usize]
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Returns the error of every call once the run is over.
    pub(super) fn ended(&self) -> CommError {
        match *self.cause.lock() {
            Some(Cause::Deadlock(_)) => CommError::Deadlock,
            Some(Cause::Mismatch(ref mismatch)) => CommError::Mismatch(Box::new(mismatch.clone())),
            _ => CommError::Ended,
        }
    }

    /// Returns an error once the run is over. A program that keeps making calls is unwound without a message; `calls_after_end` counts
    /// these calls.
    pub(super) fn check_running(&self, calls_after_end: &Cell<u32>) -> Result<(), CommError> {
        if !self.is_stopped() {
            return Ok(());
        }
        count_call_after_end(calls_after_end);
        Err(self.ended())
    }

    /// Ends the run for all nodes; the first cause is kept.
    pub(super) fn stop(&self, cause: Cause) {
        self.cause.lock().get_or_insert(cause);
        self.stopped.store(true, Ordering::Release);
        for slot in &self.slots {
            // The thread is counted as awake before it can notice the claim, as with every other claim.
            self.awake.fetch_add(1, Ordering::AcqRel);
            if !slot.parker.claim_any() {
                self.awake.fetch_sub(1, Ordering::AcqRel);
            }
            // Wakes also a thread that is held until a reply is due: it sleeps without an announced event.
            slot.parker.wake();
        }
        self.caller.unpark();
    }

    /// Returns the mismatch of a collective call: the distinct calls of a group, restricted to the members for which `counts` holds.
    pub(super) fn mismatch(&self, context: Context, nth: u64, counts: impl Fn(Rank) -> bool) -> Mismatch {
        let group = self.contexts.lock().name(context);
        let agreements = self.agreements.lock();
        let calls = agreements.calls(context, nth, counts, |place| self.name(place));
        Mismatch::new(group, calls).among(agreements.size(context, nth))
    }

    /// Records the fault of a program and notifies the caller of the run.
    pub(super) fn fault(&self, node: NodeId, fault: Fault) {
        let mut threads = self.threads.lock();
        threads.faults.insert(node, fault);
        threads.failed.get_or_insert_with(Instant::now);
        drop(threads);
        self.caller.unpark();
    }

    pub(super) fn has_returned(&self, rank: Rank) -> bool {
        self.slots[rank].returned.load(Ordering::Acquire)
    }

    /// Returns the place in the program of a node's last call.
    pub(super) fn place(&self, rank: Rank) -> Option<Place> {
        let observed = self.observer.as_ref().and_then(|observer| observer.place(rank));
        observed.map(Place::Observed).or_else(|| self.slots[rank].place.load().map(Place::Rust))
    }

    /// Returns the name of a place, such as `src/main.rs:12:24`.
    fn name(&self, place: Place) -> Option<String> {
        match (place, &self.observer) {
            (Place::Rust(location), _) => Some(location.to_string()),
            (Place::Observed(number), observer) => observer.as_ref()?.name(number),
        }
    }

    /// Returns the name of the place of a node's last call.
    pub(super) fn last_call(&self, rank: Rank) -> Option<String> {
        self.place(rank).and_then(|place| self.name(place))
    }

    /// Completes a list of blocked nodes: removes nodes whose programs have returned, and adds library calls and places.
    pub(super) fn complete(&self, mut blocked: Vec<BlockedNode>) -> Vec<BlockedNode> {
        blocked.retain(|node| !self.has_returned(node.rank));
        for node in &mut blocked {
            node.within = *self.slots[node.rank].within.lock();
            node.last_call = self.last_call(node.rank);
        }
        blocked
    }

    /// Makes the report of a run in which no node can continue, from the blocked nodes and from messages with their targets. A dead node does not count as returned, even if its thread has ended.
    pub(super) fn deadlock(
        &self,
        blocked: Vec<BlockedNode>,
        unreceived: impl IntoIterator<Item = (NodeId, Label, u64)>,
        is_dead: impl Fn(Rank) -> bool,
    ) -> DeadlockReport {
        let returned = |&rank: &Rank| self.has_returned(rank) && !is_dead(rank);
        let contexts = self.contexts.lock();
        let unreceived =
            unreceived.into_iter().filter_map(|(to, label, bytes)| contexts.unreceived(to, label, bytes));
        DeadlockReport::new(blocked, (0..self.slots.len()).filter(returned).collect(), unreceived.collect())
    }

    pub(super) fn take_cause(&self) -> Option<Cause> {
        self.cause.lock().take()
    }
}

/// Counts a call of a program that should have ended; after many such calls the program is unwound without a message.
pub(super) fn count_call_after_end(calls_after_end: &Cell<u32>) {
    calls_after_end.set(calls_after_end.get() + 1);
    if calls_after_end.get() > MAX_CALLS_AFTER_END && !std::thread::panicking() {
        resume_unwind(Box::new(Unwound));
    }
}

impl Shared for RunState {
    fn machine(&self) -> &MachineSpec {
        &self.machine
    }

    fn cache(&self) -> &Cache {
        &self.cache
    }

    fn is_traced(&self) -> bool {
        self.traced
    }

    fn context(&self, parent: Context, members: &[Rank], nth: u32, name: &dyn Fn() -> String) -> Context {
        self.contexts.lock().of(parent, members, nth, name)
    }

    fn is_private(&self, context: Context) -> bool {
        self.contexts.lock().is_private(context)
    }
}

/// The payload of the panic that unwinds a program.
struct Unwound;

impl Fault {
    /// Returns the text of a panic.
    pub(super) fn of(panic: Box<dyn Any + Send>) -> Fault {
        if panic.is::<Unwound>() {
            return Fault::Panic("unwound after the end".into());
        }
        Fault::Panic(panics::message(panic))
    }
}
