//! Modeled times with the programs that measure them, which can be run again under any clock.

use std::{fmt, sync::Arc};

use multicomputer::{
    Clock, Machine, Payload, Tag, comm::walk_combining, error::Failure, model::MachineSpec,
    pattern::Schedule, plan::predict, report::RunReport,
};

/// A program that runs under a given clock, with one thread per node.
type Program = dyn Fn(Clock) -> Result<RunReport, Failure> + Send + Sync;

/// A modeled time and the program that measures it.
#[derive(Clone)]
pub(super) struct Timed {
    /// Modeled milliseconds.
    pub(super) millis: f64,
    program: Arc<Program>,
}

impl Timed {
    /// Predicts the time of a schedule on all nodes of a machine. Its program runs the schedule with phantom payloads.
    pub(super) fn schedule(machine: &MachineSpec, schedule: &Schedule) -> Timed {
        let prediction = predict(machine, schedule).expect("a published schedule can be predicted");
        let (machine, schedule) = (machine.clone(), schedule.clone());
        let program = move |clock: Clock| {
            let run = Machine::builder(machine.clone()).clock(clock).build()?.run(|node| {
                let mut blocks: Vec<Payload> =
                    schedule.sizes().iter().map(|&bytes| Payload::phantom(bytes)).collect();
                walk_combining(node.world(), &schedule, Tag(0), &mut blocks, |left, _| Ok(left))
                    .map_err(Failure::from)
            })?;
            Ok(run.report)
        };
        Timed { millis: prediction.modeled.since_start().as_millis_f64(), program: Arc::new(program) }
    }

    /// Determines the time of a program by a run in virtual time; panics if the run fails.
    pub(super) fn program(
        program: impl Fn(Clock) -> Result<RunReport, Failure> + Send + Sync + 'static,
    ) -> Timed {
        let report = program(Clock::Virtual).expect("a published program ends");
        Timed { millis: report.makespan.since_start().as_millis_f64(), program: Arc::new(program) }
    }

    pub(super) fn run(&self, clock: Clock) -> Result<RunReport, Failure> {
        (self.program)(clock)
    }
}

/// Two times are equal if they share the same program.
impl PartialEq for Timed {
    fn eq(&self, other: &Timed) -> bool {
        Arc::ptr_eq(&self.program, &other.program)
    }
}

impl fmt::Debug for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timed({} ms)", self.millis)
    }
}
