//! The ranks of a job as a place for runs: calls are repeated and timed on all of them.
//!
//! Processes have no common clock. So each rank takes the time of each call by its own one, from the moment at which it
//! leaves the barrier before the call; the longest of these durations, which a combine tells all ranks, is the time of the
//! call. All ranks come to the same figures, and make the same choices.

use std::cell::RefCell;

use multicomputer::{
    Rank, Span,
    collective::{Collective, Max},
    comm::Node,
    error::Failure,
    model::MachineSpec,
    mpi::{Job, MpiError, Native},
    report::RunReport,
};

use super::error::Error;

/// The report of one call, and the times of all.
pub(super) type Measured = (RunReport, Vec<Span>);

/// The ranks, one of which this process is.
#[derive(Debug)]
pub(super) struct Ranks {
    job: Job,
    repetitions: usize,
}

impl Ranks {
    pub(super) fn new(job: Job, repetitions: usize) -> Ranks {
        Ranks { job, repetitions }
    }

    pub(super) fn job(&self) -> &Job {
        &self.job
    }

    pub(super) fn size(&self) -> usize {
        self.job.size()
    }

    pub(super) fn rank(&self) -> Rank {
        self.job.rank()
    }

    /// Whether this process is the one that prints.
    pub(super) fn is_first(&self) -> bool {
        self.job.rank() == 0
    }

    /// The machine that plans are made for.
    pub(super) fn machine(&self) -> &MachineSpec {
        self.job.machine()
    }

    /// Runs a program on every rank. What comes out of the first and the last run must have no fault.
    pub(super) fn run<T>(
        &self,
        name: &str,
        program: impl Fn(&Node<'_>) -> Result<T, Failure>,
        fault: impl Fn(&[(Rank, &T)]) -> Option<String>,
    ) -> Result<Measured, Error> {
        let check = |output: &T| match fault(&[(self.rank(), output)]) {
            Some(fault) => Err(Failure::from(format!("{fault} ({name})"))),
            None => Ok(()),
        };
        // By itself, for what is counted is one call.
        let first = self.job.run(&program)?;
        self.job.run(|_| check(&first.output))?;
        let times = self.timed(program, check)?;
        Ok((first.report, times))
    }

    /// Makes a call of MPI's own on every rank in the same way.
    pub(super) fn own<T>(
        &self,
        name: &str,
        got: &mut T,
        call: impl Fn(&Native<'_>, &mut T) -> Result<(), MpiError>,
        fault: impl Fn(&T) -> Option<String>,
    ) -> Result<Measured, Error> {
        let got = RefCell::new(got);
        let program = |_: &Node<'_>| Ok(call(&self.job.native(), &mut got.borrow_mut())?);
        let check = |(): &()| match fault(&got.borrow()) {
            Some(fault) => Err(Failure::from(format!("{fault} ({name})"))),
            None => Ok(()),
        };
        // A rank that cannot go on says so here: nothing ends those that are in a call of MPI itself.
        self.job.run(|_| Ok(()))?;
        let first = self.job.run(program)?.report;
        self.job.run(|_| check(&()))?;
        let times = self.timed(program, check)?;
        Ok((first, times))
    }

    /// The times of all calls.
    fn timed<T>(
        &self,
        program: impl Fn(&Node<'_>) -> Result<T, Failure>,
        check: impl Fn(&T) -> Result<(), Failure>,
    ) -> Result<Vec<Span>, Error> {
        let run = self.job.run(|node| {
            let mut seconds = vec![0.0; self.repetitions];
            let mut last = None;
            for seconds in &mut seconds {
                // Its memory is that of the next one.
                drop(last.take());
                node.world().barrier()?;
                let begin = self.job.seconds();
                last = Some(program(node)?);
                *seconds = self.job.seconds() - begin;
            }
            last.iter().try_for_each(&check)?;
            node.world().all_reduce(&mut seconds, Max)?;
            Ok(seconds)
        })?;
        // The clocks of ranks may differ.
        Ok(run.output.into_iter().map(|seconds| Span::from_secs_f64(seconds.max(0.0))).collect())
    }
}
