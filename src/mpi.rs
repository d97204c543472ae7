//! The same programs over MPI: every node is a process, a rank of an MPI job, on one host or on many.
//!
//! A [`Job`] is MPI as this process sees it. [`Job::run`] takes the same program as [`Machine::run`](crate::Machine::run);
//! every rank calls it, and runs the program for itself. Libraries, groups, requests, element types, errors and reports are
//! those of all machines. There is no model: time is MPI's clock, and the [machine](Job::planned_for) only serves libraries
//! to plan.
//!
//! ```
//! use multicomputer::{collective::Sum, mpi::Job, prelude::*};
//!
//! // By itself one rank; `mpirun -n 4 program` starts four.
//! let job = Job::start()?;
//! let run = job.run(|node| {
//!     let mut sum = [node.rank() as u64];
//!     node.world().combine_all(&mut sum, Sum)?;
//!     Ok(sum[0])
//! })?;
//! assert_eq!(run.output, (0..job.size() as u64).sum::<u64>());
//! if job.rank() == 0 {
//!     println!("{}", run.report);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A program that fails, panics or dies on one rank ends the run on all: every rank gets the same [`RunError`]. A deadlock is
//! found, too, by asking around after [some seconds](Job::patience) of waiting. A process that is killed is the launcher's
//! affair, which ends all others. A send returns when MPI has the message; as every rank takes in what comes whenever it makes
//! a call, two that send to each other at the same time both go on.

mod native;

use std::time::Duration;

pub use self::native::Native;
pub use crate::runtime::mpi::MpiError;
use crate::{
    comm::Node,
    error::{ConfigError, Failure, RunError},
    model::{Description, presets},
    rank::Rank,
    report::RunReport,
    runtime::mpi::{self, Settings},
};

/// MPI as this process sees it, one of its ranks; it ends when this is dropped.
///
/// There is one at a time, and it stays on its thread. Dropped, it waits until all ranks begin a run, which is refused then, or end
/// theirs; dropped by a panic it ends all ranks with status 101.
#[derive(Debug)]
pub struct Job {
    job: mpi::Job,
    machine: Description,
    settings: Settings,
    unreceived_is_an_error: bool,
}

/// The result of a run over MPI, as one rank knows it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Run<T> {
    /// The output of this rank's program.
    pub output: T,
    /// The counters of all ranks, the same on all of them. Times are those of MPI's clock since the common start.
    pub report: RunReport,
}

impl Job {
    /// Starts MPI in this process.
    ///
    /// # Errors
    /// [`MpiError`]: MPI fails or was started before, or the launcher is of another MPI than the library, so that every
    /// process is alone.
    pub fn start() -> Result<Job, MpiError> {
        let job = mpi::Job::start()?;
        let machine =
            presets::mpi::machine(job.size()).map_err(|error| MpiError::Library(error.to_string()))?;
        Ok(Job { job, machine, settings: Settings::default(), unreceived_is_an_error: false })
    }

    /// Sets the machine that libraries plan for, such as one that `multicomputer mpi calibrate` has written; unless given one
    /// with the parameters of [`Parameters::mpi`](crate::model::Parameters::mpi). Its nodes are the ranks. Every rank sets
    /// the same.
    ///
    /// # Errors
    /// [`ConfigError::Ranks`] if it has another number of nodes; [`ConfigError::Unmodeled`] if it has noise or faults.
    pub fn planned_for(mut self, machine: Description) -> Result<Job, ConfigError> {
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

    /// Sets a limit of wall-clock time for a run; there is none unless given. It is looked at while a rank waits, and at every
    /// 64th call. A rank that makes no calls cannot be stopped in order, after an error of another neither: ten seconds later all
    /// are aborted.
    pub fn wall_limit(mut self, limit: Duration) -> Job {
        self.settings.wall_limit = Some(limit);
        self
    }

    /// Sets the time for which a rank waits before it asks the others whether anyone can go on; 5 s unless given. A rank that
    /// computes is waited for, however long that takes: only a deadlock is reported as one.
    pub fn patience(mut self, patience: Duration) -> Job {
        self.settings.patience = patience;
        self
    }

    /// Sets whether a run in which messages were never received is [an error](RunError::Unreceived); unless given they are
    /// only listed in the report.
    pub fn deny_unreceived(mut self, denied: bool) -> Job {
        self.unreceived_is_an_error = denied;
        self
    }

    /// The rank of this process.
    pub fn rank(&self) -> Rank {
        self.job.rank()
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.job.size()
    }

    /// The name and version of the MPI library.
    pub fn library(&self) -> &str {
        self.job.library()
    }

    /// The host of each rank; hosts are numbered from 0 in the order of their first ranks.
    pub fn hosts(&self) -> &[usize] {
        self.job.hosts()
    }

    /// Whether ranks of a host share cores, so that one that waits gives its core away.
    pub fn is_crowded(&self) -> bool {
        self.job.is_crowded()
    }

    /// The machine that libraries plan for.
    pub fn machine(&self) -> &Description {
        &self.machine
    }

    /// MPI's own collective operations among the same ranks, to compare with.
    pub fn native(&self) -> Native<'_> {
        Native::new(&self.job.native)
    }

    /// The time of MPI's clock in seconds; only differences mean something.
    pub fn seconds(&self) -> f64 {
        self.job.seconds()
    }

    /// Runs `program` on this rank, as all others do: every rank makes the same calls of this in the same order. Returns when the
    /// programs of all have returned. Refused within a program that runs, and when the job of another rank has ended.
    ///
    /// # Errors
    /// [`RunError`], the same on all ranks but for the source of [`RunError::Node`], which only the rank that failed has in
    /// its own type: a program failed or panicked, no rank can go on, the wall-clock limit is reached, messages were
    /// not received on a job that treats that as an error, a rank has ended its job instead.
    pub fn run<T>(&self, program: impl Fn(&Node<'_>) -> Result<T, Failure>) -> Result<Run<T>, RunError> {
        let ended = mpi::run(&self.job, &self.machine, &self.settings, &program)?;
        if self.unreceived_is_an_error && !ended.unreceived.is_empty() {
            return Err(RunError::Unreceived(ended.unreceived));
        }
        let report = RunReport {
            unreceived: ended.unreceived,
            ..RunReport::of_nodes(self.machine.name().into(), ended.nodes)
        };
        Ok(Run { output: ended.output, report })
    }
}
