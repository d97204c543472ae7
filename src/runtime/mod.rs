//! Threads and clocks: one OS thread for each node, in virtual or in real time.
//!
//! The [kernel](crate::kernel) computes the effect of every call in modeled time; this module connects it to threads.
//! [`NodeThread`] is a node's side: it makes calls, and its messages and the kernel's answers come in through one
//! crossbeam channel. The kernel is [driven](driving) by the node threads, ahead of the programs' clocks as far as
//! their calls are known. There is one clock, modeled time; in real time it is [paced](pacing): answers are held back
//! until they are due on the wall clock. [`bell`] puts threads to sleep and wakes them.

mod affinity;
mod agreement;
mod away;
mod bell;
mod driving;
mod limits;
mod node_thread;
mod pacing;
mod shared;
mod slip;
mod sync;

pub use affinity::Pinning;
pub(crate) use limits::{Shortage, shortage, spare_threads};
pub(crate) use shared::{Contexts, Pace};
pub use slip::Slip;
pub(crate) use slip::Slips;

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;
use tracing::debug;

use self::{
    affinity::Cores,
    node_thread::NodeThread,
    pacing::Pacing,
    shared::{Cause, Delivery, Fault, Outboxes, Shared, Unwound},
};
use crate::{
    comm::Node,
    endpoint::Memo,
    error::{Failure, RunError},
    kernel::Outcomes,
    model::Description,
    rank::Rank,
    time::Time,
    wire::NodeId,
};

/// The time that a failed program is given to become the first failure in modeled time, too, before the run is ended
/// whatever the others do.
const GRACE: Duration = Duration::from_millis(500);

/// The settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) pace: Pace,
    pub(crate) stack_size: usize,
    pub(crate) pinning: Pinning,
    pub(crate) wall_limit: Option<Duration>,
    pub(crate) traced: bool,
    /// A memo that is kept from one run to the next.
    pub(crate) memo: Arc<Memo>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            pace: Pace::Virtual,
            stack_size: 1 << 20,
            pinning: Pinning::Auto,
            wall_limit: None,
            traced: false,
            memo: Arc::default(),
        }
    }
}

/// The results of a run that came to its end.
#[derive(Debug)]
pub(crate) struct Ended<T> {
    pub(crate) outputs: Vec<T>,
    pub(crate) outcomes: Outcomes,
    /// The time from the common start of all programs to the end of the last; in virtual time of the whole run.
    pub(crate) wall: Duration,
    /// The lateness of answers; real time only.
    pub(crate) slips: Slips,
    /// The names of groups, for the messages never received.
    pub(crate) contexts: Contexts,
}

/// Runs `program` on every node of `machine`.
pub(crate) fn run<T, F>(machine: &Description, settings: &Settings, program: F) -> Result<Ended<T>, RunError>
where
    T: Send,
    F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
{
    let began = Instant::now();
    let (shared, inboxes) = Shared::new(machine.clone(), settings);
    let limit = settings.wall_limit.and_then(|limit| began.checked_add(limit));
    let cores = Cores::new(settings.pinning, machine.nodes());
    let (results, refused) = thread::scope(|scope| {
        let mut handles = Vec::with_capacity(inboxes.len());
        let mut refused = None;
        for (rank, inbox) in inboxes.into_iter().enumerate() {
            let (shared, program, cores) = (&shared, &program, &cores);
            let builder = thread::Builder::new().name(format!("node {rank}")).stack_size(settings.stack_size);
            let node = move || {
                cores.place(rank);
                node_main(rank, shared, inbox, program)
            };
            match builder.spawn_scoped(scope, node) {
                Ok(handle) => handles.push(handle),
                Err(source) => {
                    refused = Some(RunError::Spawn { rank, source });
                    shared.stop(Cause::Spawn);
                    shared.threads.lock().ended += machine.nodes() - rank;
                    shared.all_ended.notify_all();
                    break;
                }
            }
        }
        debug!(threads = handles.len(), "all nodes started");
        let _slack = shared.pacing.is_some().then(PreciseTimers::set);
        shared.supervise(limit);
        let join = |handle: thread::ScopedJoinHandle<'_, _>| {
            handle.join().unwrap_or_else(|panic| {
                // It has been reported by the thread itself; only what it panicked with is left.
                drop(Fault::of(panic));
                None
            })
        };
        let results: Vec<Option<(T, Slips)>> = handles.into_iter().map(join).collect();
        (results, refused)
    });
    let wall = match shared.pacing.as_ref().and_then(Pacing::epoch) {
        Some(epoch) => {
            shared.threads.lock().last.map_or(Duration::ZERO, |last| last.saturating_duration_since(epoch))
        }
        None => began.elapsed(),
    };
    if let Some(error) = refused {
        return Err(error);
    }
    if let Some(error) = why_it_ended(&shared, settings) {
        debug!(%error, "run ended early");
        return Err(error);
    }
    let Shared { kernel, contexts, .. } = shared;
    let mut kernel = kernel.into_inner();
    // What nobody has received is still on its way.
    kernel.advance(Time::MAX, &mut crate::kernel::NoCalls);
    let (outputs, slips): (Vec<T>, Vec<Slips>) = results.into_iter().flatten().unzip();
    Ok(Ended {
        outputs,
        outcomes: kernel.outcomes(),
        wall,
        slips: slips.into_iter().fold(Slips::default(), Slips::and),
        contexts: contexts.into_inner(),
    })
}

/// Runs a node's thread from its first to its last moment.
fn node_main<T, F>(rank: Rank, shared: &Shared, inbox: Receiver<Delivery>, program: &F) -> Option<(T, Slips)>
where
    F: Fn(&Node<'_>) -> Result<T, Failure>,
{
    let mut ending = Ending { shared, node: rank as NodeId, returned: None };
    let _slack = shared.pacing.is_some().then(PreciseTimers::set);
    if let Some(together) = &shared.together {
        together.join();
    }
    let thread = NodeThread::new(rank as NodeId, shared, inbox);
    let result = catch_unwind(AssertUnwindSafe(|| program(&Node::new(&thread))));
    ending.returned = Some(Instant::now());
    shared.seats[rank].returned.store(true, Ordering::Release);
    let (output, fault) = match result {
        Ok(Ok(output)) => (Some(output), None),
        Ok(Err(error)) => (None, Some(Fault::Error(error))),
        Err(panic) => (None, Some(Fault::of(panic))),
    };
    let failed = fault.is_some();
    if let Some(fault) = fault {
        debug!(parent: None, rank, ?fault, "program failed");
        shared.fault(rank as NodeId, fault);
    }
    // The last to fall asleep carries out the calls of others; a topology of the user's that panics there must not
    // leave them asleep.
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| thread.end(failed))) {
        shared.fault(rank as NodeId, Fault::of(panic));
        shared.stop(Cause::Failed(rank as NodeId));
    }
    ending.in_order();
    Some((output?, thread.slips()))
}

/// The end of a node's thread, whatever its cause: a run never waits for a thread that no longer exists.
struct Ending<'run> {
    shared: &'run Shared,
    node: NodeId,
    returned: Option<Instant>,
}

impl Ending<'_> {
    /// Records the normal end of the thread.
    fn in_order(self) {
        self.shared.thread_ended(self.returned);
        std::mem::forget(self);
    }
}

impl Drop for Ending<'_> {
    /// Records a panic that has passed every handler.
    fn drop(&mut self) {
        self.shared.seats[self.node as usize].returned.store(true, Ordering::Release);
        self.shared.fault(self.node, Fault::Panic("its thread ended in a panic outside its program".into()));
        self.shared.stop(Cause::Failed(self.node));
        self.shared.thread_ended(self.returned);
    }
}

impl Shared {
    fn thread_ended(&self, returned: Option<Instant>) {
        let mut threads = self.threads.lock();
        threads.ended += 1;
        threads.last = threads.last.max(returned);
        if threads.ended == self.seats.len() {
            self.caller.unpark();
            self.all_ended.notify_all();
        }
        // To take a thread down costs the host some time, which those that still run would lack.
        while self.pacing.is_some() && threads.ended < self.seats.len() {
            self.all_ended.wait(&mut threads);
        }
    }

    /// Supervises the run until all threads have ended: wakes the threads whose answers are due, and ends the run if
    /// a limit is reached.
    fn supervise(&self, limit: Option<Instant>) {
        loop {
            let (ended, failed) = {
                let threads = self.threads.lock();
                (threads.ended, threads.failed)
            };
            if ended == self.seats.len() {
                return;
            }
            let (mut next, now) = (None, Instant::now());
            if !self.is_stopped() {
                let patience = failed.map(|failed| failed + GRACE);
                if patience.is_some_and(|patience| patience <= now) {
                    let first = self.threads.lock().faults.keys().next().copied();
                    self.stop(Cause::Failed(first.unwrap_or_default()));
                    continue;
                }
                let due = || match limit {
                    Some(limit) if limit <= now => {
                        self.end_at_the_limit();
                        Some(now)
                    }
                    _ => self.pacing.as_ref().map(|pacing| self.pace(pacing)),
                };
                // A topology of the user's may panic while this thread drives the kernel: nobody may wait for it.
                let due = catch_unwind(AssertUnwindSafe(due)).unwrap_or_else(|panic| {
                    self.fault(0, Fault::of(panic));
                    self.stop(Cause::Failed(0));
                    Some(now)
                });
                next = [patience, limit, due].into_iter().flatten().min();
            }
            match next {
                Some(next) => thread::park_timeout(next.saturating_duration_since(Instant::now())),
                None => thread::park(),
            }
        }
    }

    fn end_at_the_limit(&self) {
        let mut kernel = self.kernel.lock();
        // What those that sleep wait for may still be in their outboxes.
        kernel.advance(Time::MAX, &mut Outboxes(&self.seats));
        let blocked = self.blocked(&kernel);
        drop(kernel);
        self.stop(Cause::WallLimit(blocked));
    }
}

/// A setting that lets timers of the current thread expire on time, and not up to 50 us later, until this is dropped.
struct PreciseTimers {
    #[cfg(target_os = "linux")]
    slack: Option<u64>,
}

impl PreciseTimers {
    #[cfg(target_os = "linux")]
    fn set() -> PreciseTimers {
        let slack = rustix::thread::current_timer_slack().ok();
        // A host that does not allow it is a little late.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        PreciseTimers { slack }
    }

    #[cfg(not(target_os = "linux"))]
    fn set() -> PreciseTimers {
        PreciseTimers {}
    }
}

impl Drop for PreciseTimers {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(slack) = self.slack {
            let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(slack));
        }
    }
}

/// The error of a run that ended early; `None` if it has come to its end.
fn why_it_ended(shared: &Shared, settings: &Settings) -> Option<RunError> {
    let cause = shared.cause.lock().take();
    let mut faults = std::mem::take(&mut shared.threads.lock().faults);
    let first = faults.keys().next().copied();
    let mut of_node = |node: NodeId| match faults.remove(&node) {
        Some(Fault::Panic(message)) => RunError::Panicked { rank: node as Rank, message },
        Some(Fault::Error(source)) => RunError::Node { rank: node as Rank, source },
        None => RunError::Panicked { rank: node as Rank, message: "its thread ended".into() },
    };
    match cause {
        Some(Cause::Deadlock(report)) => Some(RunError::Deadlock(report)),
        Some(Cause::Failed(node)) => Some(of_node(node)),
        Some(Cause::Overflow(node)) => Some(RunError::TimeOverflow { rank: node as Rank }),
        Some(Cause::WallLimit(nodes)) => {
            Some(RunError::WallLimit { limit: settings.wall_limit.unwrap_or_default(), nodes })
        }
        Some(Cause::TooSlow { at, wait }) => Some(RunError::TooSlow { at, wait }),
        Some(Cause::Spawn) | None => first.map(of_node),
    }
}

impl Fault {
    /// Returns the fault with the message of a panic.
    fn of(panic: Box<dyn Any + Send>) -> Fault {
        let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            _ if panic.is::<Unwound>() => "unwound after the end".into(),
            (Some(message), _) => (*message).into(),
            (_, Some(message)) => message.clone(),
            _ => "it panicked with something that is no text".into(),
        };
        // What it panicked with may panic again as it is dropped.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(again);
        }
        Fault::Panic(message)
    }
}
