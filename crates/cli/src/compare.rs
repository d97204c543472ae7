//! Framework of the commands that compare algorithms.
//!
//! A [`Comparison`] defines how an algorithm is planned and run on a problem, and its [columns](Column). [`compare`]
//! does the rest: it plans and runs all cases in order, shows progress, and writes traces and CSV rows. Tables and CSV
//! files are lists of column names, so that every figure is defined once.

pub(super) mod column;
mod common;
mod explained;
mod measured;
mod place;
mod results;
mod runner;
mod schedules;
mod solved;

use std::fmt;

use multicomputer::{
    Clock, Span,
    model::MachineSpec,
    msccl::{Program, WriteError},
    pattern::Schedule,
    plan::{LowerBound, Search},
};

use super::error::Error;

pub(super) use self::{
    column::{Column, Figure, record, table},
    common::title,
    explained::Explanations,
    measured::Spread,
    place::Place,
    results::{Results, bound_line, on_the_host},
    runner::{Execution, Ran, Runs, compare, run_parser},
    solved::{Attempt, Line, Row, Solved, mean},
};

use self::results::decides;

/// A comparison of algorithms: planning, running, showing.
pub(super) trait Comparison: Sized {
    /// Problem of a case.
    type Problem;
    /// An algorithm with all of its choices; displayed as its name.
    type Algorithm: Clone + fmt::Display;
    /// Plan of an algorithm for a problem.
    type Plan;
    /// Figures of a plan that are specific to this comparison.
    type Facts;

    /// Names of the CSV columns, separated by blanks.
    const FILE: &'static str;

    /// Returns the name of a run, for errors and the progress bar.
    fn describe(&self, problem: &Self::Problem, algorithm: &Self::Algorithm) -> String;

    /// Returns the label of a run in file names; without an algorithm, the label of the fastest run.
    fn label(&self, problem: &Self::Problem, algorithm: Option<&Self::Algorithm>) -> String;

    /// Returns whether plans of an algorithm have a predicted time; otherwise only a run shows the time.
    fn is_predictable(&self, _algorithm: &Self::Algorithm) -> bool {
        true
    }

    /// Returns whether plans of an algorithm can be run.
    fn can_be_run(&self, _algorithm: &Self::Algorithm) -> bool {
        true
    }

    /// Plans a problem, or returns the reason why the algorithm does not apply.
    fn plan(
        &self,
        problem: &Self::Problem,
        algorithm: &Self::Algorithm,
        search: Search,
    ) -> Attempted<Self::Plan>;

    /// Returns the schedule of a plan, if it is known before a run.
    fn schedule<'a>(&self, plan: &'a Self::Plan) -> Option<&'a Schedule>;

    /// Converts a plan to an MSCCL program.
    fn msccl(&self, _plan: &Self::Plan) -> Result<Program, WriteError> {
        Err(WriteError::Operation { operation: "operation of this command".to_owned() })
    }

    /// Returns the specific figures of a plan, and of its run if it was run.
    fn facts(&self, problem: &Self::Problem, planned: &Planned<Self::Plan>, ran: Option<&Ran>)
    -> Self::Facts;

    /// Runs a plan, and checks the data of every node after the run.
    fn run(&self, plan: &Self::Plan, execution: Execution<'_>) -> Result<Ran, Error>;

    /// Returns the time by which attempts are compared. By default: over MPI, the time of the run; otherwise the
    /// prediction, or the modeled time of the run if there is no prediction.
    fn time(&self, attempt: &Attempt<Self>) -> Option<Span> {
        if let Some(ran) = attempt.ran.as_ref().filter(|ran| ran.spread.is_some()) {
            return Some(ran.time);
        }
        let ran = attempt.ran.as_ref().filter(|ran| ran.is_modeled);
        attempt.predicted.or(ran.map(|ran| ran.time))
    }

    /// Returns the columns that are specific to this comparison, and shared columns with other titles.
    fn columns<'a>(&self) -> Vec<Column<'a, Row<'a, Self>>>;

    /// Returns the error if no algorithm applies to any case.
    fn no_plan_error(&self, _algorithm: &Self::Algorithm, cause: &str) -> String {
        cause.to_owned()
    }

    /// Writes the results as text.
    fn show(&self, results: &Results<'_, Self>, text: &mut String) -> fmt::Result;
}

/// A plan, or the reason why the algorithm does not apply to a problem, which does not end the command.
pub(super) type Attempted<P> = Result<Result<Planned<P>, String>, Error>;

/// A plan with its figures.
pub(super) struct Planned<P> {
    pub(super) plan: P,
    /// Modeled time, if it can be predicted.
    pub(super) predicted: Option<Span>,
    /// Name of the schedule variant that was chosen.
    pub(super) chosen: String,
    /// Whether the search tried all candidates that could be faster.
    pub(super) is_complete: bool,
}

/// A problem on a machine, and the algorithms to compare.
pub(super) struct Case<C: Comparison> {
    pub(super) problem: C::Problem,
    /// One line for each algorithm, with one or several attempts that differ in choices such as the seed.
    pub(super) lines: Vec<Vec<C::Algorithm>>,
    /// Lower bound on the time of any algorithm.
    pub(super) bound: LowerBound,
    pub(super) spec: MachineSpec,
    /// Place of the runs; `None` if nothing is run.
    pub(super) place: Option<Place>,
    /// Clock of machines of this process.
    pub(super) clock: Clock,
}

impl<C: Comparison> Case<C> {
    pub(super) fn is_over_mpi(&self) -> bool {
        self.place.as_ref().is_some_and(Place::is_over_mpi)
    }
}
