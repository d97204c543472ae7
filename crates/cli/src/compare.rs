//! The frame of the commands that compare algorithms.
//!
//! A [`Comparison`] says what its cases are, which algorithms there are for each, how one is planned and run, and its
//! [columns](Column). [`compare`] does the rest: plans and runs in order, progress, traces, rows of the CSV file as they
//! come. Tables and CSV files are lists of names of the same columns, so that a figure is written once.

pub(super) mod column;
mod common;
mod explained;
mod measured;
mod place;
mod results;
mod runner;
mod schedules;
mod solved;
mod way;

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
    results::{NOT_RUN, Results, bound_line, left_out, on_the_host},
    runner::{Execution, Ran, Runs, compare, run_parser},
    solved::{Attempt, Line, Row, Solved, mean},
    way::Implementation,
};

use self::results::decides;

/// Algorithms side by side: planning, running, showing.
pub(super) trait Comparison: Sized {
    /// Subject of a case.
    type Problem;
    /// An algorithm, with all choices that it leaves open, shown by its name.
    type Algorithm: Clone + fmt::Display;
    /// Solution of a case by an algorithm.
    type Plan;
    /// The figures of a plan that no other comparison has.
    type Facts;

    /// The columns of the CSV file.
    const FILE: &'static str;
    /// CSV columns for runs over MPI.
    const MPI_FILE: &'static str = Self::FILE;

    /// The name of a run in errors and in the progress.
    fn describe(&self, problem: &Self::Problem, algorithm: &Self::Algorithm) -> String;

    /// The same for a list of several runs, with what they differ in, the algorithm, first.
    fn heading(&self, problem: &Self::Problem, algorithm: &Self::Algorithm) -> String {
        self.describe(problem, algorithm)
    }

    /// The name of a run in the names of traces; without an algorithm that of the fastest.
    fn label(&self, problem: &Self::Problem, algorithm: Option<&Self::Algorithm>) -> String;

    /// Whether an algorithm stands for MPI's own operation.
    fn is_mpi(&self, _algorithm: &Self::Algorithm) -> bool {
        false
    }

    /// Whether plans of an algorithm say what they take; otherwise only a run can tell.
    fn is_predictable(&self, _algorithm: &Self::Algorithm) -> bool {
        true
    }

    /// Whether plans of an algorithm can be run.
    fn can_be_run(&self, _algorithm: &Self::Algorithm) -> bool {
        true
    }

    /// Plans a case, or says why the algorithm is left out.
    fn plan(
        &self,
        problem: &Self::Problem,
        algorithm: &Self::Algorithm,
        search: Search,
    ) -> Attempted<Self::Plan>;

    /// The schedule of a plan, if it is known before a run.
    fn schedule<'a>(&self, plan: &'a Self::Plan) -> Option<&'a Schedule>;

    /// The schedule of a plan as one of MSCCL.
    fn msccl(&self, _plan: &Self::Plan) -> Result<Program, WriteError> {
        Err(WriteError::Operation { operation: "operation of this command".to_owned() })
    }

    /// The figures of a plan, and of its run if there was one by now.
    fn facts(&self, problem: &Self::Problem, planned: &Planned<Self::Plan>, ran: Option<&Ran>)
    -> Self::Facts;

    /// Runs a plan, and checks what every node has in the end.
    fn run(&self, plan: &Self::Plan, execution: Execution<'_>) -> Result<Ran, Error>;

    /// The time by which attempts are compared: by default the prediction, or the modeled time of a run
    /// where there is none; over MPI that of the run.
    fn time(&self, attempt: &Attempt<Self>) -> Option<Span> {
        if let Some(ran) = attempt.ran.as_ref().filter(|ran| ran.spread.is_some()) {
            return Some(ran.time);
        }
        let ran = attempt.ran.as_ref().filter(|ran| ran.is_modeled);
        attempt.predicted.or(ran.map(|ran| ran.time))
    }

    /// The figures that no other comparison has, or has under another title.
    fn columns<'a>(&self) -> Vec<Column<'a, Row<'a, Self>>>;

    /// The error if no algorithm works at all.
    fn no_plan_error(&self, _algorithm: &Self::Algorithm, cause: &str) -> String {
        cause.to_owned()
    }

    /// Writes the results for people.
    fn show(&self, results: &Results<'_, Self>, text: &mut String) -> fmt::Result;
}

/// A plan; or why an algorithm has none for a problem, which does not end the command.
pub(super) type Attempted<P> = Result<Result<Planned<P>, String>, Error>;

/// A plan that is made.
pub(super) struct Planned<P> {
    pub(super) plan: P,
    /// The modeled time, if it can be predicted.
    pub(super) predicted: Option<Span>,
    /// The way that was chosen by the algorithm.
    pub(super) chosen: String,
    /// Whether the search tried all candidates that could be faster.
    pub(super) is_complete: bool,
}

/// A problem on a machine, and the algorithms for it.
pub(super) struct Case<C: Comparison> {
    pub(super) problem: C::Problem,
    /// The algorithms: a line each, with one or several attempts, which differ in choices that are left open.
    pub(super) lines: Vec<Vec<C::Algorithm>>,
    /// The limit that no algorithm can beat.
    pub(super) bound: LowerBound,
    pub(super) spec: MachineSpec,
    /// Where the runs are; `None` if nothing is run.
    pub(super) place: Option<Place>,
    /// The clock of machines; over MPI that of the host.
    pub(super) clock: Clock,
}

impl<C: Comparison> Case<C> {
    fn is_over_mpi(&self) -> bool {
        self.place.as_ref().is_some_and(Place::is_over_mpi)
    }
}
