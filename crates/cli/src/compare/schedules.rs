//! Schedule of a plan in a file: in GOAL, or in the XML of MSCCL.

use std::path::Path;

use multicomputer::{
    goal::{self, WriteError},
    model::MachineSpec,
    pattern::Schedule,
};

use super::{
    super::{error::Error, files::TextFile, options::RunOptions},
    Case, Comparison,
};

/// Files for the schedule of a command's only plan, if requested.
#[derive(Debug)]
pub(super) struct ScheduleFiles {
    goal: Option<TextFile>,
    msccl: Option<TextFile>,
}

impl ScheduleFiles {
    /// Opens the requested files; returns an error unless the command makes exactly one plan.
    pub(super) fn create<C: Comparison>(
        options: &RunOptions,
        cases: &[Case<C>],
    ) -> Result<ScheduleFiles, Error> {
        let plans: usize = cases.iter().flat_map(|case| &case.lines).map(Vec::len).sum();
        let create = |option, path: Option<&Path>| match path {
            Some(_) if plans != 1 => Err(Error::usage(format!(
                "{option} writes one schedule, and this command makes {plans}: choose one algorithm (--algorithm) \
                 and one problem"
            ))),
            path => path.map(TextFile::create).transpose(),
        };
        let (goal, msccl) = (options.goal.as_deref(), options.msccl.as_deref());
        Ok(ScheduleFiles { goal: create("--goal", goal)?, msccl: create("--msccl", msccl)? })
    }

    /// Writes the schedule of a plan.
    pub(super) fn write<C: Comparison>(
        &mut self,
        of: &C,
        plan: &C::Plan,
        machine: &MachineSpec,
    ) -> Result<(), Error> {
        if let Some(file) = self.goal.take() {
            file.write(&in_goal(of.schedule(plan), machine)?)?;
        }
        if let Some(file) = self.msccl.take() {
            file.write(&of.msccl(plan).map_err(Error::usage)?.to_string())?;
        }
        Ok(())
    }
}

fn in_goal(schedule: Option<&Schedule>, machine: &MachineSpec) -> Result<String, Error> {
    let Some(schedule) = schedule else {
        return Err(Error::usage(
            "--goal cannot be used with this algorithm: it has no schedule before it runs",
        ));
    };
    let mut text = Vec::new();
    goal::write(schedule, machine, &mut text).map_err(|cause| match cause {
        cause @ WriteError::Io(_) => Error::Wrong(cause.to_string()),
        cause => Error::usage(cause),
    })?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
