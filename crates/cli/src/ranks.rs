//! MPI ranks as a place for runs: calls are repeated and timed on all ranks.
//!
//! Processes have no common clock. Each rank therefore times each call by its own clock, from the end of the barrier
//! before the call; the time of the call is the maximum over all ranks, which an all-reduce distributes. All ranks thus
//! have the same figures, and make the same choices.

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

/// Report of one call, and the times of all calls.
pub(super) type Measured = (RunReport, Vec<Span>);

/// MPI ranks; this process is one of them.
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

    /// Returns whether this process prints.
    pub(super) fn is_first(&self) -> bool {
        self.job.rank() == 0
    }

    /// Returns the machine for which plans are made.
    pub(super) fn machine(&self) -> &MachineSpec {
        self.job.machine()
    }

    /// Runs a program on every rank; `fault` checks the outputs of the first and the last call.
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
        // Separate from the check, so that the report counts the messages of exactly one call.
        let first = self.job.run(&program)?;
        self.job.run(|_| check(&first.output))?;
        let times = self.timed(program, check)?;
        Ok((first.report, times))
    }

    /// Calls MPI's native operation on every rank; `fault` checks the results of the first and the last call.
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
        // A rank with an error fails here, because nothing ends the ranks that wait in a native MPI call.
        self.job.run(|_| Ok(()))?;
        let first = self.job.run(program)?.report;
        self.job.run(|_| check(&()))?;
        let times = self.timed(program, check)?;
        Ok((first, times))
    }

    /// Times all calls.
    fn timed<T>(
        &self,
        program: impl Fn(&Node<'_>) -> Result<T, Failure>,
        check: impl Fn(&T) -> Result<(), Failure>,
    ) -> Result<Vec<Span>, Error> {
        let run = self.job.run(|node| {
            let mut seconds = vec![0.0; self.repetitions];
            let mut last = None;
            for seconds in &mut seconds {
                // Frees the memory of the last output for the next one.
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
        // Clocks may be adjusted: a negative time counts as 0.
        Ok(run.output.into_iter().map(|seconds| Span::from_secs_f64(seconds.max(0.0))).collect())
    }
}
