//! The schedule of a plan in a file, in GOAL.

use std::path::Path;

use multicomputer::{
    goal::{self, WriteError},
    model::Description,
    pattern::Schedule,
};

use super::{
    super::{error::Error, files::TextFile},
    Case, Comparison,
};

/// A file for the schedule of the only plan of a command, or none if none is asked for.
#[derive(Debug)]
pub(super) struct GoalFile(Option<TextFile>);

impl GoalFile {
    /// Opens the file, if there is a name, for commands with one algorithm on one case.
    pub(super) fn create<C: Comparison>(path: Option<&Path>, cases: &[Case<C>]) -> Result<GoalFile, Error> {
        let Some(path) = path else { return Ok(GoalFile(None)) };
        let plans: usize = cases.iter().flat_map(|case| &case.lines).map(Vec::len).sum();
        if plans != 1 {
            return Err(Error::usage(format!(
                "--goal writes one schedule, and there are {plans}: name one algorithm (--algorithm) and one problem"
            )));
        }
        Ok(GoalFile(Some(TextFile::create(path)?)))
    }

    /// Writes the schedule of a plan.
    pub(super) fn write(&mut self, schedule: Option<&Schedule>, machine: &Description) -> Result<(), Error> {
        let Some(file) = self.0.take() else { return Ok(()) };
        let Some(schedule) = schedule else {
            return Err(Error::usage(
                "--goal cannot be used here: this algorithm has no schedule before it is run",
            ));
        };
        let mut text = Vec::new();
        goal::write(schedule, machine, &mut text).map_err(|cause| match cause {
            cause @ WriteError::Io(_) => Error::Wrong(cause.to_string()),
            cause => Error::usage(cause),
        })?;
        file.write(&String::from_utf8_lossy(&text))
    }
}
