//! Threads and clocks: one OS thread a node, in virtual or in real time.
//!
//! The [kernel](crate::kernel) knows what every call means in modeled time; here is what makes threads of it.
//! [`NodeThread`] is a node's side: it makes calls, and its messages and the kernel's answers come in through one
//! crossbeam channel. [`virtual_time`] and [`real_time`] are the two ways of driving the kernel. [`bell`] is how a
//! thread goes to sleep and is woken.

mod agreement;
mod bell;
mod limits;
mod moment;
mod node_thread;
mod real_time;
mod shared;
mod sync;
mod virtual_time;

pub(crate) use agreement::Agreements;
pub(crate) use limits::{Shortage, shortage, spare_threads};
pub(crate) use node_thread::NodeThread;
pub(crate) use shared::{Contexts, Envelope, Pace};

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;
use tracing::{debug, debug_span};

use self::shared::{Cause, Delivery, Fault, Outboxes, Shared, Unwound};
use crate::{
    comm::{Memo, Node},
    error::{Failure, RunError},
    kernel::{NodeId, Outcomes},
    model::Description,
    rank::Rank,
    time::Time,
};

/// How a program that fails is given time to be the first to fail in modeled time, too, before the run is ended
/// whatever the others do.
const GRACE: Duration = Duration::from_millis(500);

/// On which cores the threads run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pinning {
    /// Wherever the host puts them.
    #[default]
    None,
    /// All on the first core: a thread is woken fastest on the core that wakes it, so programs that only communicate
    /// may gain; programs that compute lose.
    OneCore,
    /// Neighbouring ranks together, spread evenly over all cores.
    Spread,
}

/// How a run is to be done.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) pace: Pace,
    pub(crate) stack_size: usize,
    pub(crate) pinning: Pinning,
    pub(crate) wall_limit: Option<Duration>,
    pub(crate) traced: bool,
    /// Kept from one run to the next.
    pub(crate) memo: Arc<Memo>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            pace: Pace::Virtual,
            stack_size: 1 << 20,
            pinning: Pinning::None,
            wall_limit: None,
            traced: false,
            memo: Arc::default(),
        }
    }
}

/// What a run that came to its end leaves.
#[derive(Debug)]
pub(crate) struct Ended<T> {
    pub(crate) outputs: Vec<T>,
    pub(crate) outcomes: Outcomes,
    /// From the common start of all programs to the end of the last; in virtual time of the whole run.
    pub(crate) wall: Duration,
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
    let limit = settings.wall_limit.and_then(|limit| Some((began.checked_add(limit)?, limit)));
    let cores = match settings.pinning {
        Pinning::None => Vec::new(),
        Pinning::OneCore | Pinning::Spread => core_affinity::get_core_ids().unwrap_or_default(),
    };
    let core_of = |rank: Rank| match settings.pinning {
        Pinning::OneCore => cores.first().copied(),
        _ => cores.get(rank * cores.len() / machine.nodes()).copied(),
    };
    let (results, refused) = thread::scope(|scope| {
        let mut handles = Vec::with_capacity(inboxes.len());
        let mut refused = None;
        for (rank, inbox) in inboxes.into_iter().enumerate() {
            let (shared, program, core) = (&shared, &program, core_of(rank));
            let builder = thread::Builder::new().name(format!("node {rank}")).stack_size(settings.stack_size);
            let node = move || {
                if let Some(core) = core {
                    core_affinity::set_for_current(core);
                }
                node_main(rank, shared, inbox, program)
            };
            match builder.spawn_scoped(scope, node) {
                Ok(handle) => handles.push(handle),
                Err(source) => {
                    refused = Some((RunError::Spawn { rank, source }, machine.nodes() - rank));
                    break;
                }
            }
        }
        if let Some((_, missing)) = &refused {
            shared.stop(Cause::Spawn);
            shared.threads.lock().ended += missing;
            shared.caller.notify_all();
        }
        debug!(threads = handles.len(), "all nodes started");
        match settings.pace {
            Pace::Virtual => {}
            Pace::Real(_) => pace_precisely(&shared, limit),
        }
        wait_for_the_end(&shared, limit);
        let results: Vec<_> = handles.into_iter().map(|handle| handle.join().unwrap_or(None)).collect();
        (results, refused)
    });
    let wall = match shared.epoch.get() {
        Some(epoch) if settings.pace != Pace::Virtual => {
            shared.threads.lock().last.map_or(Duration::ZERO, |last| last.saturating_duration_since(*epoch))
        }
        _ => began.elapsed(),
    };
    if let Some((error, _)) = refused {
        return Err(error);
    }
    if let Some(error) = why_it_ended(&shared, settings) {
        debug!(%error, "run ended early");
        return Err(error);
    }
    let Shared { core, contexts, .. } = shared;
    let mut kernel = core.into_inner().kernel;
    // What nobody has received is still on its way.
    kernel.advance(Time::MAX, &mut crate::kernel::NoCalls);
    Ok(Ended {
        outputs: results.into_iter().flatten().collect(),
        outcomes: kernel.outcomes(),
        wall,
        contexts: contexts.into_inner(),
    })
}

/// A node's thread from its first to its last moment.
fn node_main<T, F>(rank: Rank, shared: &Shared, inbox: Receiver<Delivery>, program: &F) -> Option<T>
where
    F: Fn(&Node<'_>) -> Result<T, Failure>,
{
    let span = debug_span!("node", rank);
    let _entered = span.enter();
    let thread = NodeThread::new(rank as NodeId, shared, inbox);
    let result = catch_unwind(AssertUnwindSafe(|| program(&Node::new(&thread))));
    let returned = Instant::now();
    let (output, fault) = match result {
        Ok(Ok(output)) => (Some(output), None),
        Ok(Err(error)) => (None, Some(Fault::Error(error))),
        Err(panic) if panic.is::<Unwound>() => (None, Some(Fault::Panic("unwound after the end".into()))),
        Err(panic) => (None, Some(Fault::Panic(panic_message(&*panic)))),
    };
    let failed = fault.is_some();
    if let Some(fault) = fault {
        debug!(?fault, "program failed");
        shared.fault(rank as NodeId, fault);
    }
    // The last to fall asleep carries out the calls of others; a topology of the user's that panics there must not
    // leave them asleep.
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| thread.end(failed))) {
        shared.fault(rank as NodeId, Fault::Panic(panic_message(&*panic)));
        shared.stop(Cause::Failed(rank as NodeId));
    }
    shared.thread_ended(returned);
    output
}

impl Shared {
    fn thread_ended(&self, returned: Instant) {
        {
            let mut threads = self.threads.lock();
            threads.ended += 1;
            threads.last = threads.last.max(Some(returned));
            if self.pace == Pace::Virtual || threads.ended == self.seats.len() {
                self.caller.notify_all();
            }
        }
        if self.pace == Pace::Virtual {
            return;
        }
        self.wake_pacer();
        // To take a thread down costs the host some time, which those that still run would lack.
        let mut threads = self.threads.lock();
        while threads.ended < self.seats.len() {
            self.caller.wait(&mut threads);
        }
    }
}

/// Paces the run on this thread, whose timers are set to be precise meanwhile.
fn pace_precisely(shared: &Shared, limit: Option<(Instant, Duration)>) {
    #[cfg(target_os = "linux")]
    let slack = {
        let slack = rustix::thread::current_timer_slack().ok();
        // A host that does not allow it wakes the pacer some 50 us later.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        slack
    };
    let paced = catch_unwind(AssertUnwindSafe(|| shared.pace(limit)));
    #[cfg(target_os = "linux")]
    if let Some(slack) = slack {
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(slack));
    }
    if let Err(panic) = paced {
        // A topology of the user's: nobody may wait for the pacer.
        shared.stop(Cause::WallLimit(Vec::new()));
        resume_unwind(panic);
    }
}

/// Sleeps until all threads have ended, and ends them if a limit is reached.
fn wait_for_the_end(shared: &Shared, limit: Option<(Instant, Duration)>) {
    let mut threads = shared.threads.lock();
    while threads.ended < shared.seats.len() {
        let patience = threads.failed.map(|failed| failed + GRACE);
        let until = if shared.is_stopped() {
            None
        } else {
            limit.map(|(at, _)| at).into_iter().chain(patience).min()
        };
        let Some(until) = until else {
            shared.caller.wait(&mut threads);
            continue;
        };
        if !shared.caller.wait_until(&mut threads, until).timed_out() {
            continue;
        }
        let failed = threads.faults.keys().next().copied();
        drop(threads);
        match failed {
            Some(node) if patience.is_some_and(|patience| Instant::now() >= patience) => {
                shared.stop(Cause::Failed(node));
            }
            _ => {
                let mut core = shared.core.lock();
                if shared.pace == Pace::Virtual {
                    // What those that sleep wait for may still be in their outboxes.
                    core.kernel.advance(Time::MAX, &mut Outboxes(&shared.seats));
                }
                let blocked = shared.blocked(&core.kernel);
                drop(core);
                shared.stop(Cause::WallLimit(blocked));
            }
        }
        threads = shared.threads.lock();
    }
}

/// The error that a run ends with, if it has not come to its end.
fn why_it_ended(shared: &Shared, settings: &Settings) -> Option<RunError> {
    let cause = shared.cause.lock().take();
    let mut threads = shared.threads.lock();
    let mut of_node = |node: NodeId| match threads.faults.remove(&node) {
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
        Some(Cause::Spawn) | None => {
            let first = threads.faults.keys().next().copied()?;
            let fault = threads.faults.remove(&first)?;
            Some(match fault {
                Fault::Panic(message) => RunError::Panicked { rank: first as Rank, message },
                Fault::Error(source) => RunError::Node { rank: first as Rank, source },
            })
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).into(),
        (_, Some(message)) => message.clone(),
        _ => "it panicked with something that is no text".into(),
    }
}
