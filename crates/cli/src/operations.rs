//! Comparison of algorithms of the operations: the common part of `s-to-p`, `collective` and `all-to-all`.
//!
//! A command makes [tasks](Task), problems of one machine each. All requested algorithms are planned for each task; predictions are exact
//! and need no threads. `--run` chooses which plans are also run. Errors in arguments are reported before the first plan is made.

use std::{fmt, io::Write, path::PathBuf};

use clap::Args;
use multicomputer::{
    Span,
    model::MachineSpec,
    msccl::{Program, WriteError},
    pattern::Schedule,
    plan::{PlanError, Search},
};
use multicomputer_study::{Algorithm, Operation, Plan, Problem, check_algorithm, read_algorithms};

use super::{
    compare::{
        Attempted, Case, Column, Comparison, Execution, Place, Planned, Ran, Results, Row, Runs, compare,
        run_parser,
    },
    data::Content,
    error::Error,
    options::{MachinesOptions, RunOptions},
    setting::Setting,
    site::Site,
};

mod columns;
mod growth;
mod native;
mod requested;
mod show;
mod task;

pub(super) use self::task::{Cell, Task, cell};

use self::{growth::Growth, requested::Requested, task::Differences};

/// Options of the commands that compare algorithms.
#[derive(Args, Debug)]
pub(super) struct CompareOptions {
    /// Compare these algorithms (listed below), comma-separated, or all. Algorithms that do not apply are skipped
    #[arg(long, value_name = "NAMES", default_value = "all")]
    pub(super) algorithm: String,

    /// Choose which plans are also run; plans without a prediction are run unless this is none [default: all for
    /// s-to-p, for one matrix and over MPI, otherwise fastest]
    #[arg(long, value_name = "WHICH", value_parser = run_parser())]
    pub(super) run: Option<Runs>,

    /// Send lengths without data, for messages that do not fit in memory; only lengths are checked
    #[arg(long)]
    pub(super) phantom: bool,

    #[command(flatten)]
    pub(super) machines: MachinesOptions,

    #[command(flatten)]
    pub(super) options: RunOptions,
}

/// A command that compares algorithms of operations.
pub(super) struct Compared<'a> {
    /// Title of the results.
    pub(super) title: &'static str,
    pub(super) operations: &'a [Operation],
    pub(super) options: &'a CompareOptions,
    /// Files of MSCCL schedules.
    pub(super) with: &'a [PathBuf],
    /// Number of attempts of algorithms with random choices.
    pub(super) seeds: u64,
    /// Whether tables have the bandwidths of nccl-tests.
    pub(super) bandwidth: bool,
    /// Default choice of the plans that are run, for a number of problems.
    pub(super) default_runs: fn(usize) -> Runs,
}

impl Compared<'_> {
    /// Plans all algorithms for all tasks of all machines, runs the chosen plans, and prints the comparison.
    pub(super) fn run(
        &self,
        site: &Site,
        tasks_on: impl Fn(&MachineSpec) -> Result<Vec<Task>, Error>,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let (options, run) = (&self.options.options, self.options.run);
        let names = read_algorithms(&self.options.algorithm);
        names.iter().try_for_each(|name| check_algorithm(self.operations, name)).map_err(Error::usage)?;
        let schedules = requested::schedules(self.with)?;
        let content = Content::new(self.options.phantom, options.seed);
        let (mut machines, mut tasks): (Vec<(Setting, Option<Place>)>, Vec<Task>) = (Vec::new(), Vec::new());
        for machine in site.specs(&self.options.machines)? {
            let machine = options.with_rendezvous_option(machine);
            let setting = Setting::of(&machine, options.seed);
            if machines.iter().any(|(known, _)| *known == setting) {
                continue;
            }
            // Before the problems, which might not fit in memory for a machine that this host cannot run. Predictions
            // need no threads.
            let place = match run {
                Some(Runs::None) => None,
                _ => Some(site.place(options, &machine)?),
            };
            for mut task in tasks_on(&machine)? {
                task.machine = machines.len();
                if let Some(other) =
                    tasks.iter().find(|other| other.machine == task.machine && task.has_same_matrix(other))
                    && !task.is_same(other)
                {
                    return Err(Error::usage(format!(
                        "{task} has the same matrix as {other}: choose lengths that make different matrices"
                    )));
                }
                if !tasks.iter().any(|other| task.is_same(other)) {
                    tasks.push(task);
                }
            }
            machines.push((setting, place));
        }
        let runs = run.unwrap_or(site.runs((self.default_runs)(tasks.len())));
        if runs != Runs::None {
            tasks.iter().try_for_each(|task| task.problem.check_data(content)).map_err(Error::usage)?;
        }
        let of = Operations {
            title: self.title,
            time: site.time(options),
            content,
            runs,
            differences: Differences::of(&tasks),
            seeds: self.seeds,
            seed: options.seed,
            bandwidth: self.bandwidth,
        };
        let native = || site.is_over_mpi().then(|| vec![Requested::Mpi]);
        let case = |task: Task| {
            let seeds = [self.seeds, options.seed];
            let ours = requested::lines(task.problem.operation(), &names, &schedules, seeds);
            Case {
                lines: native().into_iter().chain(ours).collect(),
                bound: task.problem.lower_bound(),
                spec: task.problem.machine().clone(),
                place: machines[task.machine].1.clone(),
                clock: options.clock(),
                problem: task,
            }
        };
        let cases = tasks.into_iter().map(case).collect();
        compare(&of, cases, runs, options, out)
    }
}

/// A table row: one algorithm on one task.
type R<'a> = Row<'a, Operations>;

/// Comparison of algorithms of the operations.
pub(super) struct Operations {
    title: &'static str,
    /// Kind of time: the name of the clock, or `MPI`.
    time: &'static str,
    content: Content,
    runs: Runs,
    differences: Differences,
    seeds: u64,
    seed: u64,
    bandwidth: bool,
}

/// A plan of the library, or the problem that MPI's own operation solves.
pub(super) enum Solution {
    Library(Plan),
    Mpi(Problem),
}

/// Figures of a plan; none of MPI's own operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Number of iterations and of messages of the schedule, if it is known before a run.
    iterations: Option<usize>,
    messages: Option<u64>,
    /// Time by the closed form, if the variant has one.
    estimate: Option<Span>,
    growth: Option<Growth>,
}

impl Comparison for Operations {
    type Problem = Task;
    type Algorithm = Requested;
    type Plan = Solution;
    type Facts = Facts;

    const FILE: &'static str = columns::FILE;

    fn describe(&self, task: &Task, requested: &Requested) -> String {
        format!("{requested}: {task}, {} time", self.time)
    }

    fn label(&self, task: &Task, requested: Option<&Requested>) -> String {
        let Some(requested) = requested else { return self.differences.label(task, ["fastest".to_owned()]) };
        let seed = requested.library().and_then(Algorithm::seed).filter(|_| self.seeds > 1);
        let parts = [requested.to_string()].into_iter().chain(seed.map(|seed| seed.to_string()));
        self.differences.label(task, parts)
    }

    fn is_predictable(&self, requested: &Requested) -> bool {
        requested.library().is_some_and(Algorithm::is_predictable)
    }

    fn can_be_run(&self, requested: &Requested) -> bool {
        !requested.library().is_some_and(Algorithm::needs_data) || self.content != Content::Phantom
    }

    fn plan(&self, task: &Task, requested: &Requested, search: Search) -> Attempted<Solution> {
        let planned = |plan: Plan| {
            let predicted = plan.predicted();
            if plan.schedule().is_some() && predicted.is_none() {
                return Err(PlanError::TooLong { algorithm: requested.to_string() }.to_string());
            }
            if predicted.is_none() && !self.runs.include(self, requested) {
                return Err(format!(
                    "`{requested}` has no prediction: run it with --run fastest or --run all"
                ));
            }
            let (chosen, is_complete) = (plan.chosen(), plan.is_complete());
            Ok(Planned { predicted, chosen, is_complete, plan: Solution::Library(plan) })
        };
        Ok(match requested {
            Requested::Library { algorithm, .. } => task.problem.plan(algorithm, search).and_then(planned),
            Requested::Refused { cause, .. } => Err(cause.clone()),
            Requested::Mpi => native::name(&task.problem).map(|name| Planned {
                plan: Solution::Mpi(task.problem.clone()),
                predicted: None,
                chosen: name.to_owned(),
                is_complete: true,
            }),
        })
    }

    fn schedule<'a>(&self, plan: &'a Solution) -> Option<&'a Schedule> {
        match plan {
            Solution::Library(plan) => plan.schedule(),
            Solution::Mpi(_) => None,
        }
    }

    fn msccl(&self, plan: &Solution) -> Result<Program, WriteError> {
        match plan {
            Solution::Library(plan) => plan.msccl(),
            Solution::Mpi(_) => Err(WriteError::Unscheduled { algorithm: "MPI's own operation".to_owned() }),
        }
    }

    fn facts(&self, _: &Task, planned: &Planned<Solution>, _: Option<&Ran>) -> Facts {
        let Solution::Library(plan) = &planned.plan else { return Facts::default() };
        Facts {
            iterations: plan.schedule().map(Schedule::iterations),
            messages: plan.schedule().map(|schedule| schedule.messages().count() as u64),
            estimate: plan.estimate(),
            growth: plan.growth().map(Growth::of),
        }
    }

    fn run(&self, plan: &Solution, execution: Execution<'_>) -> Result<Ran, Error> {
        match plan {
            Solution::Library(plan) => plan.run(self.content, execution),
            Solution::Mpi(problem) => native::run(problem, self.content, execution),
        }
    }

    fn columns<'a>(&self) -> Vec<Column<'a, Row<'a, Self>>> {
        columns::columns(self)
    }

    fn no_plan_error(&self, requested: &Requested, cause: &str) -> String {
        show::named(requested, cause)
    }

    fn show(&self, results: &Results<'_, Self>, text: &mut String) -> fmt::Result {
        show::show(self, results, text)
    }
}
