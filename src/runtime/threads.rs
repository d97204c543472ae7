//! The threads of a run, one per node, from start to end.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tracing::debug;

use super::{
    Settings,
    affinity::Cores,
    limits::Permit,
    run_state::{Cause, Fault, RunState},
};
use crate::{
    comm::Node,
    endpoint::Endpoint,
    error::{Failure, RunError},
    kernel::BlockedNode,
    panics::drop_quietly,
    rank::Rank,
    time::Time,
    wire::NodeId,
};

/// The time after a program's failure in which another program may turn out to have failed earlier in modeled time; then the run is ended.
const GRACE: Duration = Duration::from_millis(500);

/// The time between two calls of an observer.
const OBSERVED: Duration = Duration::from_millis(20);

/// The endpoints of a run and the state that its threads share.
pub(super) trait World: Sync {
    /// The receiving side of a node, passed to its thread.
    type Inbox: Send;
    /// The endpoint of a node.
    type Endpoint<'w>: Endpoint
    where
        Self: 'w;
    /// The outcome of the run on one node.
    type Outcome: Send;

    fn run_state(&self) -> &RunState;

    /// Creates the endpoint of a node on its thread, and waits until the program may start.
    fn begin(&self, node: NodeId, inbox: Self::Inbox) -> Self::Endpoint<'_>;

    /// Is called when all threads have been started. Does nothing by default.
    fn all_started(&self) {}

    /// Ends a node after its program has returned or failed.
    fn end(&self, endpoint: Self::Endpoint<'_>, failed: bool) -> Self::Outcome;

    /// Whether finished threads wait for all others: destroying a thread takes host time, which would delay the running threads.
    fn waits_for_all_threads(&self) -> bool;

    /// Does the work that is due now; returns the instant at which to call again, if any.
    fn tick(&self) -> Option<Instant>;

    /// Returns the smallest instant at which a program can still make a call, with the lowest rank that can at this instant.
    fn frontier(&self) -> (Time, Rank);

    /// Returns all nodes whose programs have not returned, with the events that they wait for.
    fn blocked(&self) -> Vec<BlockedNode>;
}

/// The program of all nodes. It stores its outputs itself and is passed by reference, so that the code that runs it is compiled once, and
/// not for every program.
pub(crate) type Program<'p> = dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync + 'p;

/// Runs a program that returns outputs, by `run`. Keeps the output of every node whose program returned `Ok`, including a node that had
/// died before.
pub(crate) fn keep_outputs<T: Send, R>(
    nodes: usize,
    program: &(dyn Fn(&Node<'_>) -> Result<T, Failure> + Sync),
    run: impl FnOnce(&Program<'_>) -> R,
) -> (R, Vec<Option<T>>) {
    let outputs: Vec<Mutex<Option<T>>> = (0..nodes).map(|_| Mutex::default()).collect();
    let ended = run(&|node| {
        let output = program(node)?;
        *outputs[node.rank()].lock() = Some(output);
        Ok(())
    });
    (ended, outputs.into_iter().map(Mutex::into_inner).collect())
}

/// The result of a run that ended normally: whether each node survived, the outcomes of all nodes, and the instant at which the last
/// program returned. A node that died has no output.
pub(super) type Outcome<O> = (Vec<bool>, Vec<O>, Option<Instant>);

/// Runs `program` on a separate thread for every node of a world.
pub(super) fn run_threads<W: World>(
    world: &W,
    inboxes: Vec<W::Inbox>,
    settings: &Settings,
    program: &Program<'_>,
) -> Result<Outcome<W::Outcome>, RunError> {
    let run_state = world.run_state();
    let nodes = run_state.slots.len();
    let limit = settings.wall_limit.and_then(|limit| Instant::now().checked_add(limit));
    let cores = Cores::new(settings.pinning, nodes);
    let permit = Permit::new(nodes, settings.stack_size).map_err(RunError::Limits)?;
    let (results, refused) = thread::scope(|scope| {
        let mut handles = Vec::with_capacity(nodes);
        let mut refused = None;
        for (rank, inbox) in inboxes.into_iter().enumerate() {
            let (cores, permit) = (&cores, &permit);
            let builder = thread::Builder::new().name(format!("node {rank}")).stack_size(settings.stack_size);
            let node = move || {
                permit.started();
                cores.place(rank);
                node_main(rank, world, inbox, program)
            };
            match builder.spawn_scoped(scope, node) {
                Ok(handle) => handles.push(handle),
                Err(source) => {
                    refused = Some(RunError::Spawn { rank, source });
                    run_state.stop(Cause::Spawn);
                    run_state.threads.lock().ended += nodes - rank;
                    run_state.all_ended.notify_all();
                    break;
                }
            }
        }
        debug!(threads = handles.len(), "all nodes started");
        world.all_started();
        supervise(world, limit);
        let join = |handle: thread::ScopedJoinHandle<'_, _>| {
            handle.join().unwrap_or_else(|panic| {
                // The thread itself has reported the panic; only its payload is left.
                drop(Fault::of(panic));
                None
            })
        };
        let results: Vec<Option<(bool, W::Outcome)>> = handles.into_iter().map(join).collect();
        (results, refused)
    });
    if let Some(error) = refused {
        return Err(error);
    }
    if let Some(error) = run_error(run_state, settings) {
        debug!(%error, "run ended early");
        return Err(error);
    }
    let (survived, outcomes) = results.into_iter().flatten().unzip();
    let last = run_state.threads.lock().last;
    Ok((survived, outcomes, last))
}

/// The main function of a node's thread.
fn node_main<W: World>(
    rank: Rank,
    world: &W,
    inbox: W::Inbox,
    program: &Program<'_>,
) -> Option<(bool, W::Outcome)> {
    let run_state = world.run_state();
    let mut ending = Ending { world, node: rank as NodeId, returned: None };
    run_state.slots[rank].parker.set_owner();
    let endpoint = world.begin(rank as NodeId, inbox);
    let result = catch_unwind(AssertUnwindSafe(|| program(&Node::new(&endpoint))));
    ending.returned = Some(Instant::now());
    run_state.slots[rank].returned.store(true, Ordering::Release);
    let fault = match result {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(Fault::Error(error)),
        Err(panic) => Some(Fault::of(panic)),
    };
    // A dead node has neither an output nor a fault, whatever its program does afterwards.
    let survived = endpoint.died().is_none();
    let failed = survived && fault.is_some();
    match fault {
        Some(fault) if survived => {
            debug!(parent: None, rank, ?fault, "program failed");
            run_state.fault(rank as NodeId, fault);
        }
        fault => drop_quietly(fault),
    }
    // The last thread to sleep processes the calls of others. A panic of a user's topology must not leave the others asleep.
    let outcome = catch_unwind(AssertUnwindSafe(|| world.end(endpoint, failed)));
    let outcome = outcome.map_err(|panic| {
        run_state.fault(rank as NodeId, Fault::of(panic));
        run_state.stop(Cause::Failed(rank as NodeId));
    });
    ending.end_normally();
    if failed { None } else { Some((survived, outcome.ok()?)) }
}

/// Reports the end of a node's thread in all cases, so that a run never waits for a thread that no longer exists.
struct Ending<'w, W: World> {
    world: &'w W,
    node: NodeId,
    returned: Option<Instant>,
}

impl<W: World> Ending<'_, W> {
    /// Ends the thread normally.
    fn end_normally(self) {
        self.report_end();
        std::mem::forget(self);
    }

    fn report_end(&self) {
        let run_state = self.world.run_state();
        let mut threads = run_state.threads.lock();
        threads.ended += 1;
        threads.last = threads.last.max(self.returned);
        if threads.ended == run_state.slots.len() {
            run_state.caller.unpark();
            run_state.all_ended.notify_all();
        }
        while self.world.waits_for_all_threads() && threads.ended < run_state.slots.len() {
            run_state.all_ended.wait(&mut threads);
        }
    }
}

impl<W: World> Drop for Ending<'_, W> {
    /// Handles a panic that nothing has caught.
    fn drop(&mut self) {
        let run_state = self.world.run_state();
        run_state.slot(self.node).returned.store(true, Ordering::Release);
        run_state.fault(self.node, Fault::Panic("its thread ended in a panic outside its program".into()));
        run_state.stop(Cause::Failed(self.node));
        self.report_end();
    }
}

/// Monitors a run until all threads have ended: lets the world do the work that is due, and ends the run when a limit is reached.
fn supervise(world: &impl World, limit: Option<Instant>) {
    let run_state = world.run_state();
    loop {
        let (ended, failed) = {
            let threads = run_state.threads.lock();
            (threads.ended, threads.failed)
        };
        if ended == run_state.slots.len() {
            return;
        }
        let (mut next, now) = (None, Instant::now());
        if !run_state.is_stopped() {
            let patience = failed.map(|failed| failed + GRACE);
            if patience.is_some_and(|patience| patience <= now) {
                let first = run_state.threads.lock().faults.keys().next().copied();
                run_state.stop(Cause::Failed(first.unwrap_or_default()));
                continue;
            }
            let due = || match limit {
                Some(limit) if limit <= now => {
                    run_state.stop(Cause::WallLimit(world.blocked()));
                    Some(now)
                }
                _ => world.tick(),
            };
            // A user's topology may panic while this thread drives the kernel; other threads must not wait for it.
            let due = catch_unwind(AssertUnwindSafe(due)).unwrap_or_else(|panic| {
                run_state.fault(0, Fault::of(panic));
                run_state.stop(Cause::Failed(0));
                Some(now)
            });
            let observed = run_state.observer.as_ref().map(|observer| {
                let (at, rank) = world.frontier();
                observer.reached(at, rank);
                now + OBSERVED
            });
            next = [patience, limit, due, observed].into_iter().flatten().min();
        }
        match next {
            Some(next) => thread::park_timeout(next.saturating_duration_since(Instant::now())),
            None => thread::park(),
        }
    }
}

/// Returns the error of a run that did not end normally.
fn run_error(run_state: &RunState, settings: &Settings) -> Option<RunError> {
    let cause = run_state.take_cause();
    let mut faults = std::mem::take(&mut run_state.threads.lock().faults);
    let first = faults.keys().next().copied();
    let mut of_node = |node: NodeId| match faults.remove(&node) {
        Some(Fault::Panic(message)) => RunError::Panicked { rank: node as Rank, message },
        Some(Fault::Error(source)) => {
            RunError::Node { rank: node as Rank, source, last_call: run_state.last_call(node as Rank) }
        }
        None => RunError::Panicked { rank: node as Rank, message: "its thread ended".into() },
    };
    let error = match cause {
        Some(Cause::Deadlock(report)) => Some(RunError::Deadlock(report)),
        Some(Cause::Mismatch(mismatch)) => Some(RunError::Mismatch(mismatch)),
        Some(Cause::Topology(error)) => Some(RunError::Topology(error)),
        Some(Cause::Failed(node)) => Some(of_node(node)),
        Some(Cause::Overflow(node)) => Some(RunError::TimeOverflow { rank: node as Rank }),
        Some(Cause::WallLimit(nodes)) => {
            Some(RunError::WallLimit { limit: settings.wall_limit.unwrap_or_default(), nodes })
        }
        Some(Cause::TooSlow { at, wait }) => Some(RunError::TooSlow { at, wait }),
        Some(Cause::Spawn) | None => first.map(of_node),
    };
    // Faults of other nodes are not reported.
    faults.into_values().for_each(drop_quietly);
    error
}
