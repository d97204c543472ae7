//! Exploration of all orders of arrival.
//!
//! A program with a receive from any source, a probe, or a wait for any of several requests may depend on which message arrives first. One run
//! shows one order. [`Machine::explore`] runs the program once for every order that can make a difference, on any machine and under any timing,
//! and collects results and failures.
//!
//! ```
//! use multicomputer::{Machine, prelude::*};
//!
//! let machine = Machine::hockney(1, 4).build()?;
//! let found = machine.explore(|node| {
//!     let world = node.world();
//!     if node.rank() > 0 {
//!         return Ok(world.send(0, [node.rank() as u8]).map(|()| 0)?);
//!     }
//!     // Wrong: the sum of differences depends on the order.
//!     let mut sum = 0_i32;
//!     for nth in 0..3 {
//!         sum += nth * world.recv(ANY_SOURCE)?.source as i32;
//!     }
//!     Ok(sum)
//! })?;
//! assert_eq!(found.orders(), 6);
//! assert!(found.is_complete() && !found.is_clean());
//! assert_eq!(found.results().len(), 4, "{found}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is tried
//!
//! * Which message a receive or a probe from any source takes: every message that it could take under some timing. These are the messages
//!   that do not follow it causally, within the rule that messages of one sender do not overtake each other.
//! * Which request a wait or a test of several requests returns.
//! * Whether a call that need not wait (a test, a probe without waiting, a receive or a wait with a deadline) finds something. If such a call is
//!   repeated directly after it has found nothing, modeled time decides: a loop that polls does not make infinitely many orders.
//!
//! * Whether sends wait for their receives, as MPI allows for any standard send. On a machine without
//!   [rendezvous](crate::MachineBuilder::rendezvous) no send waits in the runs, and each run tells whether it would end in a deadlock if all sends
//!   waited ([`Order::sends_wait`]): a program that relies on the buffering of messages is not clean. Library operations, such as collective
//!   ones, do not rely on it. On a machine with rendezvous, sends wait as the machine says.
//! * Whether calls wait for all members of a group that may do so or not ([`Transport::may_wait_for_all`](crate::comm::transport::Transport::may_wait_for_all)),
//!   as collective calls of MPI: in the same way, by a look at each run.
//!
//! Two orders with the same decisions are the same order, and it is run once ([`orders`](Exploration::orders) is the number of runs). Runs are
//! in virtual time.
//!
//! The program must be deterministic apart from the order of arrival: the same messages must lead to the same calls. It must not depend on
//! modeled time, on data shared between nodes outside of messages, or on the number of runs. If it repeats a part of a run differently, the
//! exploration ends with [`ExploreError::Differs`].
//!
//! Not tried: the order of remote memory accesses at a target, and the moment of a [cancellation](crate::comm::transport::Transport::cancel).

mod driver;
mod graph;
mod latest;
mod log;
mod order;
mod program;
mod recorder;
mod search;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    fmt::{self, Debug},
    sync::Arc,
    thread::available_parallelism,
    time::Duration,
};

use parking_lot::Mutex;
use thiserror::Error;

use self::{
    driver::Extent,
    log::{RankLog, RankScript, Took},
    order::Waits,
    program::Function,
    recorder::Recorder,
    search::{decisions, stuck_if_calls_wait},
};
pub use self::{
    order::{Order, OrderError},
    program::{ExploredProgram, Messages},
};
use crate::{
    comm::Node,
    error::{DeadlockReport, Failure, RunError},
    machine::{Machine, Run},
    model::Faults,
    panics::caught,
    rank::Rank,
    runtime::{Observer, keep_outputs},
    text::count,
};

/// The limits of an exploration.
#[derive(Clone, Copy, Debug)]
struct Budget {
    runs: u64,
    host_time: Option<Duration>,
    threads: usize,
}

/// The settings of an exploration of a program's orders of arrival: [`Machine::explorer`].
#[derive(Clone, Debug)]
#[must_use = "an explorer has to run a program"]
pub struct Explorer<'m> {
    machine: &'m Machine,
    budget: Budget,
}

/// The error of an exploration that could not go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// A run failed for a reason outside of the program, such as a limit of the host.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A run could not begin: see [`ExploredProgram::begin`].
    #[error(transparent)]
    Begin(Failure),
    /// The program did something else after the same decisions.
    #[error(
        "node {rank} did not repeat what it had done with the same messages: an explored program must not depend on modeled time, on data that \
         nodes share outside of messages, or on earlier runs"
    )]
    Differs {
        /// The node, as a rank of the world.
        rank: Rank,
    },
    /// Links or nodes of the machine die.
    #[error(
        "orders of arrival are explored on machines whose links and nodes do not die: remove the faults of the machine"
    )]
    Faults,
}

/// A result of a program, and the orders that lead to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OrderResult<T> {
    /// The outputs of all nodes, in rank order.
    pub outputs: Vec<T>,
    /// The number of orders with these outputs.
    pub orders: u64,
    /// One of these orders.
    pub order: Order,
}

/// A failure of a program, and the orders that lead to it.
#[derive(Debug)]
#[non_exhaustive]
pub struct OrderFailure {
    /// The error of a run with [`order`](OrderFailure::order).
    pub error: RunError,
    /// The number of orders with this failure.
    pub orders: u64,
    /// One of these orders.
    pub order: Order,
}

/// The result of an exploration.
#[derive(Debug)]
pub struct Exploration<T> {
    extent: Extent,
    results: Vec<OrderResult<T>>,
    failures: Vec<OrderFailure>,
}

impl<T> Exploration<T> {
    /// Whether all orders were tried, all have the same result, and none fails.
    pub fn is_clean(&self) -> bool {
        self.is_complete() && self.results.len() == 1 && self.failures.is_empty()
    }

    /// Whether all orders were tried.
    pub fn is_complete(&self) -> bool {
        self.extent.is_complete
    }

    /// The number of orders that were tried: the number of runs.
    pub fn orders(&self) -> u64 {
        self.extent.runs
    }

    /// The fraction of all orders that were tried; 1 if all were. If a budget was spent, it is an estimate: each run counts as much as each of the
    /// alternatives that it showed (Knuth's estimate of the size of a search tree).
    pub fn covered(&self) -> f64 {
        self.extent.covered
    }

    /// The different outputs of the orders that do not fail, the most frequent first.
    pub fn results(&self) -> &[OrderResult<T>] {
        &self.results
    }

    /// The different failures, the most frequent first.
    pub fn failures(&self) -> &[OrderFailure] {
        &self.failures
    }
}

/// The maximum number of results or failures in a text.
const LISTED: usize = 8;

/// Indents the lines of a text.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("\n    {line}")).collect()
}

impl<T: Debug> fmt::Display for Exploration<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let orders = |number| count(number, "order");
        f.write_str(&orders(self.orders()))?;
        match self.is_complete() {
            true => f.write_str(", all tried: ")?,
            false => {
                write!(f, " tried, about {:.3} % of all: the budget is spent: ", 100.0 * self.covered())?;
            }
        }
        let (results, failures) = (self.results.len() as u64, self.failures.len() as u64);
        write!(f, "{}, {}", count(results, "result"), count(failures, "failure"))?;
        if results > 1 {
            for OrderResult { outputs, orders: number, order } in self.results.iter().take(LISTED) {
                write!(f, "\n  result in {}: {outputs:?}, as with", orders(*number))?;
                f.write_str(&indented(&order.to_string()))?;
            }
        }
        for OrderFailure { error, orders: number, order } in self.failures.iter().take(LISTED) {
            write!(f, "\n  failure in {}: {}", orders(*number), error.to_string().replace('\n', "\n  "))?;
            f.write_str("\n  with")?;
            f.write_str(&indented(&order.to_string()))?;
        }
        let more = results.max(failures).saturating_sub(LISTED as u64);
        if more > 0 {
            write!(f, "\n  and {more} more")?;
        }
        Ok(())
    }
}

/// A failure of a node: its rank and message.
type NodeFailure = (Rank, String);

/// One run with its decisions.
struct Explored {
    logs: Vec<RankLog>,
    ended: Result<Run<bool>, RunError>,
    /// The failure of the lowest node whose program returned an error or panicked.
    failure: Option<NodeFailure>,
}

/// Runs a program with the given decisions. A node that fails counts as returned, so that the others go on and the run does not depend on the host.
fn run(
    machine: &Machine,
    script: &[RankScript],
    program: &(dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync),
) -> Explored {
    let nodes = machine.spec().nodes();
    let none = RankScript::default();
    let logs: Vec<Mutex<(RankLog, Option<String>)>> = (0..nodes).map(|_| Mutex::default()).collect();
    let mut taken = Vec::new();
    let recorded = |node: &Node<'_>| {
        let rank = node.rank();
        let recorder = Recorder::new(node.endpoint(), script.get(rank).unwrap_or(&none), Waits::default());
        let failure = match caught(|| program(&Node::new(&recorder)).map_err(|error| error.to_string())) {
            Ok(Ok(())) => None,
            Ok(Err(message)) => Some(message),
            Err(message) => Some(format!("panicked: {message}")),
        };
        let log = recorder.into_log();
        let failure = failure.filter(|_| !log.over);
        *logs[rank].lock() = (log, failure);
        Ok(())
    };
    let ended = machine.run_inspected(&recorded, |kernel| taken = kernel.taken());
    let (mut logs, failures): (Vec<_>, Vec<_>) = logs.into_iter().map(Mutex::into_inner).unzip();
    for (rank, request, id) in taken {
        let open = logs[rank as usize]
            .receives
            .iter_mut()
            .filter(|receive| receive.took.is_none() && !receive.withdrawn && receive.request == request);
        // Only the last blocking receive of a rank may be open.
        open.for_each(|receive| receive.took = Some(Took::Message(id)));
    }
    let failure = failures.into_iter().enumerate().find_map(|(rank, message)| Some((rank, message?)));
    Explored { logs, ended, failure }
}

/// A text that is the same for the same deadlock at other times.
fn deadlock_key(report: &DeadlockReport) -> String {
    let lines = report.blocked.iter().map(|node| {
        let place = node.last_call.as_deref().unwrap_or_default();
        format!("{} {:?} {} {place}\n", node.rank, node.within, node.waits_for)
    });
    lines.collect()
}

/// The results and failures of the runs so far.
struct Found<T> {
    results: Vec<OrderResult<T>>,
    /// By which calls wait, and by a text that tells failures apart; all deadlocks of calls that wait count as one.
    failures: BTreeMap<(Waits, String), (u64, Order)>,
}

impl<T: PartialEq> Found<T> {
    fn add_result(&mut self, outputs: Vec<T>, order: Order) {
        match self.results.iter_mut().find(|known| known.outputs == outputs) {
            Some(known) => {
                known.orders += 1;
                known.order = order.min(std::mem::take(&mut known.order));
            }
            None => self.results.push(OrderResult { outputs, orders: 1, order }),
        }
    }

    fn add_failure(&mut self, order: Order, key: String) {
        let (orders, first) = self.failures.entry((order.waits(), key)).or_insert_with(|| (0, order.clone()));
        *orders += 1;
        // The same order is reported whichever run was first.
        *first = order.min(std::mem::take(first));
    }
}

impl Explorer<'_> {
    /// Sets the maximum number of runs (default: 100,000).
    pub fn runs(mut self, runs: u64) -> Self {
        self.budget.runs = runs;
        self
    }

    /// Sets the maximum wall-clock time; a run that has begun is finished (default: none).
    pub fn host_time(mut self, time: Duration) -> Self {
        self.budget.host_time = Some(time);
        self
    }

    /// Sets the number of runs at once, at least 1 (default: the number of cores). It changes no result, unless a budget is spent.
    pub fn threads(mut self, threads: usize) -> Self {
        self.budget.threads = threads.max(1);
        self
    }

    /// Explores the orders of a program, as [`Machine::explore`].
    ///
    /// # Errors
    /// [`ExploreError`].
    pub fn run<T, F>(&self, program: F) -> Result<Exploration<T>, ExploreError>
    where
        T: Send + PartialEq,
        F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
    {
        self.run_program(&Function::new(program))
    }

    /// Explores the orders of a program whose runs have a state.
    ///
    /// # Errors
    /// [`ExploreError`].
    pub fn run_program<P: ExploredProgram>(
        &self,
        program: &P,
    ) -> Result<Exploration<P::Output>, ExploreError> {
        if self.machine.spec().faults().is_some_and(Faults::are_fatal) {
            return Err(ExploreError::Faults);
        }
        let machine = self.machine.in_virtual_time();
        let has_rendezvous = machine.spec().rendezvous().is_some();
        let found = Mutex::new(Found { results: Vec::new(), failures: BTreeMap::new() });
        let extent = driver::explore(&self.budget, &|script| {
            let nodes = machine.spec().nodes();
            let state = program.begin().map_err(ExploreError::Begin)?;
            let of_node = |node: &Node<'_>| program.run(&state, node);
            let machine = machine.observed(program.observer(&state));
            let (explored, outputs) = keep_outputs(nodes, &of_node, |program| run(&machine, script, program));
            let Explored { logs, ended, failure } = explored;
            let order = Order::of(&logs, decisions(&logs), Waits::default());
            program.ended(state, &order, ended.as_ref().err(), &Messages::of(&logs));
            let is_right = failure.is_none() && ended.is_ok();
            let may_wait = Waits { sends: !has_rendezvous, calls: true };
            let stuck = if is_right { stuck_if_calls_wait(&logs, may_wait, true) } else { None };
            let mut found = found.lock();
            if let Some((waits, stuck)) = stuck {
                found.add_failure(Order::of(&logs, stuck, waits), String::new());
            }
            match (failure, ended) {
                (Some((rank, message)), Ok(_) | Err(RunError::Deadlock(_))) => {
                    found.add_failure(order, format!("node {rank} {message}"));
                }
                (_, Ok(_)) => found.add_result(outputs.into_iter().flatten().collect(), order),
                (_, Err(RunError::Deadlock(report))) => found.add_failure(order, deadlock_key(&report)),
                (
                    _,
                    Err(
                        error @ (RunError::Mismatch(_)
                        | RunError::Unreceived(_)
                        | RunError::Unwaited(_)
                        | RunError::TimeOverflow { .. }),
                    ),
                ) => found.add_failure(order, error.to_string()),
                (_, Err(error)) => return Err(error.into()),
            }
            Ok(logs)
        })?;
        let Found { mut results, failures } = found.into_inner();
        results.sort_by(|one, other| other.orders.cmp(&one.orders).then_with(|| one.order.cmp(&other.order)));
        let mut failed: Vec<OrderFailure> = Vec::new();
        for (orders, order) in failures.into_values() {
            // The run again, now with the usual end of a run with a failure.
            let state = program.begin().map_err(ExploreError::Begin)?;
            let machine = machine.observed(program.observer(&state));
            let error = machine.replay_order(&order, |node| program.run(&state, node)).err();
            if order.waits() != Waits::default() {
                program.ended(state, &order, error.as_ref(), &Messages::of(&[]));
            }
            failed.push(OrderFailure {
                error: error.ok_or(ExploreError::Differs { rank: 0 })?,
                orders,
                order,
            });
        }
        failed.sort_by(|one, other| other.orders.cmp(&one.orders).then_with(|| one.order.cmp(&other.order)));
        Ok(Exploration { extent, results, failures: failed })
    }
}

impl Machine {
    /// Runs a program once for every order of arrival that can make a difference: see the [module](crate::explore).
    ///
    /// As many runs are made at once as there are cores, up to 100,000 runs; [`explorer`](Machine::explorer) has other limits.
    ///
    /// # Errors
    /// [`ExploreError`]: the program is not deterministic apart from the order of arrival, or runs are not possible. Failures of the program are
    /// [results](Exploration::failures).
    pub fn explore<T, F>(&self, program: F) -> Result<Exploration<T>, ExploreError>
    where
        T: Send + PartialEq,
        F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
    {
        self.explorer().run(program)
    }

    /// Returns the settings of an exploration of orders of arrival.
    pub fn explorer(&self) -> Explorer<'_> {
        let threads = available_parallelism().map_or(1, |cores| cores.get());
        Explorer { machine: self, budget: Budget { runs: 100_000, host_time: None, threads } }
    }

    /// Runs a program as [`run`](Machine::run) does, in virtual time and with a given order of arrival. If in this order
    /// [all sends wait](Order::sends_wait), all messages of the program are synchronous.
    ///
    /// # Errors
    /// The errors of [`run`](Machine::run). If the order is that of another program, receives may wait for messages that do not come.
    pub fn replay_order<T, F>(&self, order: &Order, program: F) -> Result<Run<T>, RunError>
    where
        T: Send,
        F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
    {
        self.in_virtual_time().run(|node| {
            let script = order.script(node.rank());
            let recorder = Recorder::new(node.endpoint(), &script, order.waits());
            program(&Node::new(&recorder))
        })
    }

    /// Runs a program as [`replay_order`](Machine::replay_order) does, with an observer as [`run_observed`](Machine::run_observed) has.
    ///
    /// # Errors
    /// The errors of [`replay_order`](Machine::replay_order).
    pub fn replay_order_observed<T, F>(
        &self,
        order: &Order,
        observer: Arc<dyn Observer>,
        program: F,
    ) -> Result<Run<T>, RunError>
    where
        T: Send,
        F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
    {
        self.observed(Some(observer)).replay_order(order, program)
    }
}
