//! Runs of the same programs over MPI: every node is a process, a rank of an MPI job, on one host or on several.
//!
//! A [`Job`] is the MPI library in this process. [`Job::run`] takes the same programs as [`Machine::run`](crate::Machine::run);
//! every rank calls it and runs the program itself. Libraries, groups, requests, element types, errors and reports are those of
//! all machines. There is no model: time is MPI's clock, and libraries use the [machine](Job::planned_for) for planning only.
//!
//! ```
//! use multicomputer::{collective::Sum, mpi::Job, prelude::*};
//!
//! // By itself one rank; `mpirun -n 4 program` starts four.
//! let job = Job::start()?;
//! let run = job.run(|node| {
//!     let mut sum = node.rank() as u64;
//!     node.world().all_reduce(&mut sum, Sum)?;
//!     Ok(sum)
//! })?;
//! assert_eq!(run.output, (0..job.size() as u64).sum::<u64>());
//! if job.rank() == 0 {
//!     println!("{}", run.report);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A program that fails, panics or dies on one rank ends the run on all ranks: every rank gets the same [`RunError`]. To detect deadlocks,
//! a rank queries the others after [some seconds](Job::patience) of waiting. If a process is killed, the launcher ends the others. A send
//! returns when MPI has accepted the message. Every call of a rank also accepts incoming messages, so two ranks that send to each other at
//! the same time do not block.

mod native;

use std::time::Duration;

pub use self::native::Native;
pub use crate::runtime::mpi::MpiError;
use crate::{
    comm::Node,
    error::{ConfigError, Failure, RunError},
    model::{MachineSpec, presets},
    rank::Rank,
    report::RunReport,
    runtime::mpi::{self, Settings},
};

/// MPI in this process, which is one rank of the job. Dropping the job finalizes MPI.
///
/// A process has at most one job at a time, and the job stays on its thread. Drop waits until every other rank drops its job or calls
/// [`run`](Job::run), which then fails. If a panic drops the job, all ranks are aborted with status 101.
#[derive(Debug)]
pub struct Job {
    job: mpi::Job,
    machine: MachineSpec,
    settings: Settings,
    unreceived_is_an_error: bool,
}

/// The result of a run over MPI on one rank.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Run<T> {
    /// The output of this rank's program.
    pub output: T,
    /// The counters of all ranks, the same on every rank. Times are MPI's clock since the common start.
    pub report: RunReport,
}

impl Job {
    /// Starts MPI in this process.
    ///
    /// # Errors
    /// [`MpiError`]: MPI fails or was started before, or the launcher belongs to another MPI than the library, so that
    /// every process forms a job of one rank.
    pub fn start() -> Result<Job, MpiError> {
        let job = mpi::Job::start()?;
        let machine =
            presets::mpi::machine(job.size()).map_err(|error| MpiError::Library(error.to_string()))?;
        Ok(Job { job, machine, settings: Settings::default(), unreceived_is_an_error: false })
    }

    /// Sets the machine for which libraries plan, for example the output of `multicomputer mpi calibrate`. The default has
    /// [`Parameters::mpi`](crate::model::Parameters::mpi). Its nodes are the ranks. All ranks must set the same machine.
    ///
    /// # Errors
    /// [`ConfigError::Ranks`] if the number of nodes differs; [`ConfigError::Unmodeled`] if the machine has noise or faults.
    pub fn planned_for(mut self, machine: MachineSpec) -> Result<Job, ConfigError> {
        let (nodes, ranks) = (machine.nodes(), self.size());
        if nodes != ranks {
            return Err(ConfigError::Ranks { nodes, ranks });
        }
        let modeled = [("noise", machine.noise().is_some()), ("faults", machine.faults().is_some())];
        if let Some((what, _)) = modeled.into_iter().find(|(_, given)| *given) {
            return Err(ConfigError::Unmodeled(what));
        }
        self.machine = machine;
        Ok(self)
    }

    /// Sets a limit of wall-clock time for a run (default: none). A rank checks the limit while it waits and at every 64th call. A rank
    /// that makes no calls cannot be stopped cleanly, neither at the limit nor after an error of another rank: all ranks are aborted ten
    /// seconds later.
    pub fn wall_limit(mut self, limit: Duration) -> Job {
        self.settings.wall_limit = Some(limit);
        self
    }

    /// Sets how long a rank waits before it queries the other ranks for a deadlock (default 5 s). A rank that computes may take any time:
    /// it is never reported as a deadlock.
    pub fn patience(mut self, patience: Duration) -> Job {
        self.settings.patience = patience;
        self
    }

    /// Sets whether a run fails if messages were [never received](RunError::Unreceived) or sends were [never waited
    /// for](RunError::Unwaited). By default the report only lists them.
    pub fn deny_unreceived(mut self, denied: bool) -> Job {
        self.unreceived_is_an_error = denied;
        self
    }

    /// Returns the rank of this process.
    pub fn rank(&self) -> Rank {
        self.job.rank()
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.job.size()
    }

    /// Returns the name and version of the MPI library.
    pub fn library(&self) -> &str {
        self.job.library()
    }

    /// Returns the host of each rank; hosts are numbered from 0 in the order of their first ranks.
    pub fn hosts(&self) -> &[usize] {
        self.job.hosts()
    }

    /// Returns whether some host has more ranks than cores; waiting ranks then yield their cores.
    pub fn is_oversubscribed(&self) -> bool {
        self.job.is_oversubscribed()
    }

    /// Returns the machine for which libraries plan.
    pub fn machine(&self) -> &MachineSpec {
        &self.machine
    }

    /// Returns MPI's own collective operations among the same ranks, for comparison.
    pub fn native(&self) -> Native<'_> {
        Native::new(&self.job.native)
    }

    /// Returns the time of MPI's clock in seconds; only differences are meaningful.
    pub fn seconds(&self) -> f64 {
        self.job.seconds()
    }

    /// Runs `program` on this rank and returns when the programs of all ranks have returned. Every rank must make the same
    /// sequence of `run` calls. A call inside a running program, or after another rank has ended its job, is refused.
    ///
    /// # Errors
    /// [`RunError`]: a program failed or panicked, no rank can proceed, the wall-clock limit is reached, messages were never received on a
    /// job that treats this as an error, or a rank has ended its job instead. The error is the same on all ranks, except that
    /// [`RunError::Node`] has the error's original type only on the failed rank.
    pub fn run<T>(&self, program: impl Fn(&Node<'_>) -> Result<T, Failure>) -> Result<Run<T>, RunError> {
        let ended = mpi::run(&self.job, &self.machine, &self.settings, &program)?;
        let report = RunReport {
            unreceived: ended.unreceived,
            unwaited: ended.unwaited,
            ..RunReport::of_nodes(self.machine.name().into(), ended.nodes)
        };
        if self.unreceived_is_an_error {
            report.check_communication()?;
        }
        Ok(Run { output: ended.output, report })
    }
}
