//! The results of a run.

use std::{io, time::Duration};

use crate::{
    analysis::{self, AnalysisError, Blame, CriticalPath},
    error::RunError,
    goal::{self, WriteError},
    model::MachineSpec,
    rank::Rank,
    record::{Trace, write_chrome_trace},
    report::{Explanation, RunReport, Work},
    time::Time,
};

/// The results of a run of a [`Machine`](crate::Machine).
#[derive(Debug)]
#[non_exhaustive]
pub struct Run<T> {
    /// The return values of the programs, in rank order.
    pub outputs: Vec<T>,
    /// The counters of all nodes; in virtual time the same in every run.
    pub report: RunReport,
    /// Wall-clock time. In virtual time: of the whole run. In real time and under the host's clock: from the common
    /// start of the programs to the end of the last.
    pub wall: Duration,
    /// All events on the nodes' clocks, if the machine was built with a [trace](crate::MachineBuilder::trace). Without
    /// a model the trace has no transfers.
    pub trace: Trace,
    /// The host's work for computing bandwidth shares; zero without a model.
    pub work: Work,
    pub(super) machine: MachineSpec,
    pub(super) is_traced: bool,
}

impl<T> Run<Option<T>> {
    /// Unwraps the outputs of all nodes; returns an error if nodes died.
    pub(super) fn of_all(mut self) -> Result<Run<T>, RunError> {
        let nodes = self.report.nodes.iter().map(|node| node.finished).zip(&self.outputs).enumerate();
        let died: Vec<(Rank, Time)> =
            nodes.filter_map(|(rank, (at, output))| output.is_none().then_some((rank, at))).collect();
        if !died.is_empty() {
            return Err(RunError::NodesDied(died));
        }
        let outputs = std::mem::take(&mut self.outputs).into_iter().flatten().collect();
        Ok(self.with_outputs(outputs))
    }
}

impl<T> Run<T> {
    /// Replaces the outputs of the run.
    pub(super) fn with_outputs<O>(self, outputs: Vec<O>) -> Run<O> {
        let Run { report, wall, trace, work, machine, is_traced, .. } = self;
        Run { outputs, report, wall, trace, work, machine, is_traced }
    }

    /// Drops the outputs of the programs, so that runs of different programs have one type.
    pub fn without_outputs(self) -> Run<()> {
        let nodes = self.outputs.len();
        self.with_outputs(vec![(); nodes])
    }

    /// Returns the topology and the parameters of the machine of the run.
    pub fn machine(&self) -> &MachineSpec {
        &self.machine
    }

    /// Returns whether the machine was built with a [trace](crate::MachineBuilder::trace).
    pub fn is_traced(&self) -> bool {
        self.is_traced
    }

    /// Writes the trace as a Chrome trace-event file, which opens in Perfetto (ui.perfetto.dev) and in
    /// `chrome://tracing`: nodes, messages and links on the clock of the run. [`write_chrome_trace`] describes its content.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn write_trace(&self, writer: impl io::Write) -> io::Result<()> {
        write_chrome_trace(&self.trace, &self.machine, writer)
    }

    /// Writes what the run did as a schedule in GOAL: the sends, receives and computations of every node, in their order. The run must have
    /// a [trace](crate::MachineBuilder::trace). Read back and run with [blocking](crate::goal::Sends::Blocking) sends on the same machine,
    /// the schedule takes the time of the run. Waits that GOAL cannot express, such as those of probes, are written as computations of the
    /// same length, and tags are the numbers of the messages.
    ///
    /// # Errors
    /// [`WriteError`] if nothing was recorded, or GOAL cannot express the run.
    pub fn write_goal(&self, writer: impl io::Write) -> Result<(), WriteError> {
        self.check_recorded().map_err(|error| WriteError::Unrecorded(error.to_string()))?;
        goal::write_run(&self.trace, &self.machine, writer)
    }

    /// Returns the critical path: the chain of events that determined the duration of the run. The run must have a
    /// [trace](crate::MachineBuilder::trace). The durations of its pieces add up to the modeled time exactly.
    ///
    /// # Errors
    /// [`AnalysisError`] if nothing was recorded, or times are not modeled.
    pub fn critical_path(&self) -> Result<CriticalPath, AnalysisError> {
        self.check_recorded()?;
        CriticalPath::of(&self.trace, &self.machine)
    }

    /// Returns the contention losses of messages, by competing message and by link. The run must have a
    /// [trace](crate::MachineBuilder::trace). The losses add up to [`RunReport::lost_to_sharing`] exactly.
    ///
    /// # Errors
    /// [`AnalysisError`] if nothing was recorded, or times are not modeled.
    pub fn blame(&self) -> Result<Blame, AnalysisError> {
        self.check_recorded()?;
        Blame::of(&self.trace, &self.machine)
    }

    /// Explains where the time of the run went: [`critical_path`](Run::critical_path) and [`blame`](Run::blame), as text and as tables.
    ///
    /// ```
    /// use multicomputer::{Machine, prelude::*};
    ///
    /// let machine = Machine::paragon(4, 4).trace(true).build()?;
    /// let run = machine.run(|node| Ok(node.world().broadcast(0, &mut [0_u8; 1000])?))?;
    /// println!("{}\n\n{}", run.report, run.explain()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`AnalysisError`] if nothing was recorded, or times are not modeled.
    pub fn explain(&self) -> Result<Explanation, AnalysisError> {
        self.check_recorded()?;
        let (path, blame) = analysis::explain(&self.trace, &self.machine)?;
        Ok(Explanation::new(self.machine.name(), &**self.machine.topology(), path, blame))
    }

    fn check_recorded(&self) -> Result<(), AnalysisError> {
        match () {
            () if !self.report.is_modeled => Err(AnalysisError::NotModeled),
            () if self.trace.events.is_empty() && self.report.makespan > Time::ZERO => {
                Err(AnalysisError::NotTraced)
            }
            () => Ok(()),
        }
    }
}
