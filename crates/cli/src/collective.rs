//! `multicomputer collective`: compares algorithms for collective operations, for one length or a sweep.
//!
//! All algorithms are predicted, which is exact and needs no threads. `--run` chooses which plans are also run; by
//! default, the fastest for each length. Errors in arguments are reported before the first plan is made.

use std::{
    fmt::{self, Write as _},
    io::Write,
    path::PathBuf,
};

use clap::Args;
use multicomputer::{
    Clock, Span,
    collective::{Algorithm, Operation, Plan, Task as Collective},
    msccl::{Program, WriteError},
    pattern::Schedule,
    plan::Search,
    units::Sizes,
};
use multicomputer_study::checked;

use super::{
    compare::{
        Attempted, Case, Column, Comparison, Execution, Figure, Implementation, NOT_RUN, Planned, Ran,
        Results, Row, Runs, Solved, compare, left_out, run_parser,
    },
    data::Content,
    error::Error,
    files::harmless,
    lists::{List, algorithm_lines, lengths},
    options::{MachineOptions, RunOptions, read_number},
    setting::machine_columns,
    site::Site,
};

mod bandwidth;
mod lists;
mod members;
mod native;
mod task;

pub(super) use self::{
    lists::{operation_help, operations},
    task::default_element,
};

use self::{
    lists::{Algorithms, Requested},
    members::Members,
    task::Task,
};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(super) struct Arguments {
    // The help text is generated from the names of the operations.
    #[arg(value_name = "OPERATION", value_parser = operations, help = operation_help())]
    operation: List<Operation>,

    /// Set the length of the whole vector: 2K, a list 1K,4K, or a doubling range 8..1M (K is 1024 bytes, kB 1000)
    #[arg(long, value_name = "SIZES", default_value = "2K", allow_negative_numbers = true)]
    bytes: Sizes,

    /// Set the length of the block of every rank, for operations with blocks: 64K,15x32 is one block of 64 KiB and
    /// fifteen of 32 bytes
    #[arg(long, value_name = "LENGTHS", value_parser = lengths, conflicts_with = "bytes")]
    blocks: Option<List<u64>>,

    /// Set the bytes of an element, which is never divided [default: 8 for operations that combine, 1 for others]
    #[arg(long, value_name = "BYTES", value_parser = task::read_element, allow_negative_numbers = true)]
    element: Option<u64>,

    /// Set the rank of the root among the members, for operations with a root [default: 0]
    #[arg(long, value_name = "RANK", value_parser = read_number::<usize>, allow_negative_numbers = true)]
    root: Option<usize>,

    /// Choose the members, in rank order: all, row:3, column:0, block:4x4@2+0 or a list such as 0,5,8-15
    #[arg(long, value_name = "NODES", default_value = "all", value_parser = members::read)]
    members: Members,

    /// Compare these algorithms, comma-separated: names (listed below), strategies such as 2x3x5:SSMCC or
    /// 6x5:SMC,columns, or all for all names
    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = lists::algorithms)]
    algorithm: Algorithms,

    /// Add a custom schedule in the XML of MSCCL, which is run with data like the others; repeatable
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,

    /// Combine in rank order, as for an operator that is not commutative
    #[arg(long)]
    in_order: bool,

    /// Show bandwidths as nccl-tests defines them: algbw is the bytes of the vector over the time; busbw does not
    /// depend on the number of members, and compares with the bandwidth of a port. Not over MPI, where --csv has them
    #[arg(long)]
    bandwidth: bool,

    /// Choose which plans are also run and checked [default: fastest; over MPI all]
    #[arg(long, value_name = "WHICH", value_parser = run_parser(
        "The fastest plan for each length",
        "All plans",
        "No plan: times are predictions",
    ))]
    pub(super) run: Option<Runs>,

    /// Send lengths without data, for messages that do not fit in memory; only lengths are checked
    #[arg(long)]
    pub(super) phantom: bool,

    #[command(flatten)]
    pub(super) machine: MachineOptions,

    #[command(flatten)]
    pub(super) options: RunOptions,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer collective broadcast                   all algorithms on one vector
  multicomputer collective broadcast --mesh 15x30 --bytes 8..1M
                                                       a sweep over lengths
  multicomputer collective all-gather --members row:2 --bytes 64K --algorithm 2x5:MC,10:B,auto
                                                       strategies, in a row of the mesh
  multicomputer collective all --bytes 8,64K --run none --csv times.csv
                                                       all operations, predicted only, into a file
  multicomputer collective all-gather --blocks 128K,99x32
                                                       one long block and 99 short ones
  multicomputer collective all-reduce --mesh 4x4 --clock real:8 --run all
                                                       all algorithms in real time
  multicomputer collective all-gather --machine complete:8 --with ring.xml
                                                       with a schedule of MSCCL";

/// Returns the end of the help: algorithms and examples.
fn after_help() -> String {
    format!("Algorithms:\n{}\n\n{EXAMPLES}", algorithm_lines(Algorithm::NAMED.iter().cloned(), 11))
}

/// Predicts all algorithms on all tasks, runs the chosen plans, and prints the comparison.
pub(super) fn run(arguments: &Arguments, site: &Site, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let spec = options.with_rendezvous_option(site.spec(&arguments.machine)?);
    let runs = arguments.run.unwrap_or(site.runs(Runs::Fastest));
    // Predictions need no threads: only runs need a machine that this host can build.
    let place = match runs {
        Runs::None => None,
        _ => Some(site.place(options, &spec)?),
    };
    let content = Content::new(arguments.phantom, options.seed);
    let tasks = task::tasks(arguments, &spec, content, runs)?;
    let case = |task: Task| Case {
        lines: site.lines(task.requested.iter().map(|requested| vec![requested.clone()])),
        bound: task.task.lower_bound(),
        spec: spec.clone(),
        place: place.clone(),
        clock: options.clock(),
        problem: task,
    };
    let cases = tasks.into_iter().map(case).collect();
    compare(&Collectives { arguments, time: site.time(options), content }, cases, runs, options, out)
}

/// A table row: one algorithm on one task.
type R<'a, 'e> = Row<'a, Collectives<'e>>;

/// Comparison of algorithms for collective operations.
struct Collectives<'a> {
    arguments: &'a Arguments,
    /// Kind of time: the name of the clock, or `MPI`.
    time: &'static str,
    content: Content,
}

impl Comparison for Collectives<'_> {
    type Problem = Task;
    type Algorithm = Implementation<Requested>;
    type Plan = Implementation<Plan, Collective>;
    /// Time by the closed form, if the plan has one.
    type Facts = Option<Span>;

    const FILE: &'static str = concat!(
        machine_columns!(),
        " seed members size operation root bytes element in_order algorithm chosen \
                                modeled_us estimate_us bound_us decided_by ratio algbw_gb_s busbw_gb_s clock run_us wall_us \
                                dilation error answers late_answers slip_us pace restriction"
    );

    const MPI_FILE: &'static str = concat!(
        machine_columns!(),
        " seed members size operation root bytes element in_order algorithm chosen \
                                    wall_us least_us lower_us upper_us most_us repetitions mpi_ratio predicted_us \
                                    prediction_error algbw_gb_s busbw_gb_s messages bytes_sent restriction"
    );

    fn describe(&self, task: &Task, requested: &Implementation<Requested>) -> String {
        format!("{} by {requested}, {} time", task.name(), self.time)
    }

    fn heading(&self, task: &Task, requested: &Implementation<Requested>) -> String {
        format!("{requested}: {}, {} time", task.name(), self.time)
    }

    fn label(&self, task: &Task, requested: Option<&Implementation<Requested>>) -> String {
        let algorithm = requested.map_or("fastest".to_owned(), Implementation::to_string);
        format!("{}-{}-{}", task.task.operation(), task.task.bytes(), harmless(&algorithm, "-"))
    }

    fn is_mpi(&self, requested: &Implementation<Requested>) -> bool {
        requested.ours().is_none()
    }

    fn plan(
        &self,
        task: &Task,
        requested: &Implementation<Requested>,
        search: Search,
    ) -> Attempted<Self::Plan> {
        let requested = match requested {
            Implementation::Ours(requested) => requested,
            Implementation::Mpi(()) => {
                let plan = Implementation::Mpi(task.task.clone());
                let name = native::name(&task.task).map(str::to_owned);
                return Ok(name.map(|chosen| Planned { plan, predicted: None, chosen, is_complete: true }));
            }
        };
        let plan = |algorithm: &Algorithm| {
            algorithm.plan_with(&task.task, search).map_err(|cause| cause.to_string())
        };
        let plan = requested.algorithm.as_ref().map_err(String::clone).and_then(plan);
        Ok(plan.map(|plan| Planned {
            predicted: Some(plan.prediction().modeled.since_start()),
            chosen: plan.name().to_owned(),
            is_complete: plan.is_complete(),
            plan: Implementation::Ours(plan),
        }))
    }

    fn schedule<'a>(&self, plan: &'a Self::Plan) -> Option<&'a Schedule> {
        Some(plan.ours()?.schedule())
    }

    fn msccl(&self, plan: &Self::Plan) -> Result<Program, WriteError> {
        match plan {
            Implementation::Ours(plan) => plan.msccl(),
            Implementation::Mpi(_) => {
                Err(WriteError::Unscheduled { algorithm: "MPI's own operation".to_owned() })
            }
        }
    }

    fn facts(&self, _: &Task, planned: &Planned<Self::Plan>, _: Option<&Ran>) -> Option<Span> {
        let plan = planned.plan.ours()?;
        // Some variants have no closed form: their estimate is 0.
        Some(plan.estimate()).filter(|estimate| !estimate.is_zero())
    }

    fn run(&self, plan: &Self::Plan, execution: Execution<'_>) -> Result<Ran, Error> {
        match plan {
            Implementation::Ours(plan) => checked::collective(plan, self.content, execution),
            Implementation::Mpi(task) => native::run(task, self.content, execution),
        }
    }

    fn columns<'a>(&self) -> Vec<Column<'a, Row<'a, Self>>> {
        let columns = [
            Column::new("members", |row: &R| &row.of.arguments.members.spelled),
            Column::new("size", |row: &R| row.problem().task.size()),
            Column::new("operation", |row: &R| row.problem().task.operation().name()),
            Column::new("root", |row: &R| {
                let task = &row.problem().task;
                task.operation().has_root().then(|| task.root())
            }),
            Column::new("bytes", |row: &R| row.problem().task.bytes()),
            Column::new("element", |row: &R| row.problem().task.element_bytes()),
            Column::new("in_order", |row: &R| row.problem().task.is_in_order()),
            Column::new("chosen", |row: &R| match &row.line.attempts {
                Ok(_) => Figure::Text(row.chosen()),
                Err(cause) => Figure::Remark(format!("({cause})")),
            })
            .left(),
            Column::new("estimate_us", |row: &R| row.facts().copied().flatten()).titled("closed form"),
        ];
        columns.into_iter().chain(bandwidth::columns()).collect()
    }

    /// Writes a table for each operation.
    fn show(&self, results: &Results<'_, Self>, text: &mut String) -> fmt::Result {
        let operation = |solved: &Solved<Self>| solved.case.problem.task.operation();
        let operations = results.solved.chunk_by(|one, other| operation(one) == operation(other));
        for (index, solved) in operations.enumerate() {
            if index > 0 {
                writeln!(text)?;
            }
            let results = Results { of: self, solved };
            if results.is_over_mpi() {
                let (first, place) = (results.first(), results.first().place() + &results.setting());
                let what = if solved.len() == 1 { first.name() } else { first.task.operation().to_string() };
                let heading = format!("Collective communication: {what}, {place}, MPI time");
                results.show_measured(&heading, "bytes", "chosen", text)?;
                continue;
            }
            let unit = results.unit(|row| [row.time(), row.facts().copied().flatten(), row.run_time()]);
            let (first, place) = (results.first(), results.first().place() + &results.setting());
            let mut causes = Vec::new();
            write!(text, "Collective communication: ")?;
            if solved.len() == 1 {
                let bandwidths = if self.arguments.bandwidth { bandwidth::NAMES } else { "" };
                let names =
                    format!("algorithm modeled_us {bandwidths} estimate_us ratio run? pace? error? chosen");
                writeln!(text, "{}, {place}\n\n{}", first.name(), results.table(&names, unit))?;
                writeln!(text, "{}", results.fastest_and_bound(unit))?;
            } else {
                let operation = first.task.operation();
                writeln!(text, "{operation}, {place}; modeled times in {}\n", unit.name())?;
                let names: Vec<String> = first.requested.iter().map(Requested::to_string).collect();
                let (times, choices) =
                    (results.times(["bytes", ""], &names, unit), results.choices("bytes", unit));
                let walls = results.wall_times("bytes", &names, unit);
                writeln!(text, "{times}\n{walls}{choices}\n{}", unit.star())?;
                if self.arguments.bandwidth {
                    writeln!(text)?;
                    bandwidth::show(&results, &names, unit, text)?;
                }
                causes = results.refusals(|_, cause| cause.to_owned());
            }
            let left_out = left_out(causes, |times| match solved.len() {
                lengths if lengths == times => String::new(),
                lengths => format!(" for {times} of {lengths} lengths"),
            });
            writeln!(text, "{}", self.which_ran(&results))?;
            results.notes().iter().chain(&left_out).try_for_each(|note| writeln!(text, "{note}"))?;
        }
        Ok(())
    }
}

impl Collectives<'_> {
    /// Returns the note on which plans were run, and what was checked.
    fn which_ran(&self, results: &Results<'_, Self>) -> String {
        let has = match self.content {
            Content::Random { .. } => "every member has the correct data",
            Content::Phantom => "every member has a vector of the correct length",
        };
        let which = match results.counts() {
            (_, 0) => return NOT_RUN.to_owned(),
            (1, 1) => "The plan was run".to_owned(),
            (_, 1) => "The fastest plan was run".to_owned(),
            (all, runs) if runs == all => format!("All {runs} plans were run"),
            (_, runs) => format!("The fastest plan for each length was run ({runs} runs)"),
        };
        match self.arguments.options.clock() {
            Clock::Virtual if !results.has_predictions() => format!("{which}: {has}."),
            Clock::Virtual => format!("{which}: predictions are exact, and {has}."),
            Clock::RealTime { .. } => format!("{which} in real time: {has}."),
            Clock::Host => format!("{which} on the threads of this host: {has}."),
            _ => format!("{which}: {has}."),
        }
    }
}
