//! `multicomputer all-to-all`: compares all-to-all algorithms, on one matrix or a sweep of matrices.
//!
//! Algorithms with a schedule are predicted, which is exact and needs no threads. Other algorithms are run, since only
//! a run shows their time. Errors in arguments are reported before the first plan is made.

use std::{
    fmt::{self, Write as _},
    io::Write,
    path::PathBuf,
};

use clap::Args;
use multicomputer::{
    Clock,
    all_to_all::{Algorithm, Generator, Instance, Plan},
    msccl::{Program, WriteError},
    pattern::Schedule,
    plan::{PlanError, Search},
    units::{Sizes, format_bytes},
};
use multicomputer_study::checked;

use super::{
    compare::{
        Attempt, Attempted, Case, Column, Comparison, Execution, Figure, Implementation, NOT_RUN, Planned,
        Ran, Results, Row, Runs, compare, left_out, mean, run_parser, title,
    },
    data::Content,
    error::Error,
    files::harmless,
    lists::{List, algorithm_lines},
    options::{MachineOptions, RunOptions, read_bytes, read_number},
    setting::machine_columns,
    site::Site,
    unit::Unit,
};

mod native;
mod requested;
mod task;

use self::{
    requested::Requested,
    task::{Fraction, Task},
};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(super) struct Arguments {
    /// Read the communication matrix from a file: a row for each sender with the bytes for each receiver, separated by
    /// commas, tabs or blanks; an edge list (sender, receiver, bytes); or MatrixMarket. Or take figure-1 of the paper
    /// [default: a random matrix, by --fan-out, --traffic and --nonuniformity]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fan_out", "traffic", "nonuniformity"])]
    matrix: Option<PathBuf>,

    /// Set the total bytes of all messages of a matrix file, whose entries are then fractions of them: 1M
    #[arg(long, value_name = "BYTES", requires = "matrix", value_parser = read_bytes, allow_negative_numbers = true)]
    total: Option<u64>,

    /// Set the number of receivers of each node, k [default: all nodes]
    #[arg(long, value_name = "NUMBER", value_parser = read_number::<usize>, allow_negative_numbers = true)]
    fan_out: Option<usize>,

    /// Set the bytes that each node sends, and receives, t: 64K, a list 1K,64K, or a doubling range 1K..1M (K is 1024
    /// bytes, kB 1000)
    #[arg(long, value_name = "SIZES", default_value = "64K", allow_negative_numbers = true)]
    traffic: Sizes,

    /// Set the skew l, from 0 to 1, such as 1/32 or 0.25: 1/2 is uniform; smaller values send most bytes to few
    /// nodes. A node sends the fraction l of its bytes to (1 - l) k nodes, and the rest to l k nodes [default: 1/k,
    /// most bytes to one node]
    #[arg(long, value_name = "FRACTION", value_parser = task::fraction, allow_hyphen_values = true)]
    nonuniformity: Option<Fraction>,

    /// Compare these algorithms (listed below), comma-separated, or all
    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = requested::read_algorithms)]
    algorithm: List<Algorithm>,

    /// Add a custom schedule in the XML of MSCCL; repeatable
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,

    /// Run algorithms with random choices this number of times, with seeds from --seed on; the matrix stays the same
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = task::seeds, allow_negative_numbers = true)]
    seeds: u64,

    /// Choose which predicted plans are also run; plans without a prediction are run unless this is none [default:
    /// all for one matrix and over MPI, fastest in a sweep]
    #[arg(long, value_name = "WHICH", value_parser = run_parser(
        "The fastest predicted plan, and plans without a prediction",
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
  multicomputer all-to-all --machine cm5:32 --fan-out 32 --traffic 64K --nonuniformity 1/32
                                                       all algorithms on one matrix, as in figure 9 of the paper
  multicomputer all-to-all --machine cm5:32 --fan-out 2 --nonuniformity 1/2 --traffic 1K..1M --algorithm improved,two-stage
                                                       a sweep over the traffic, as in figure 10
  multicomputer all-to-all --mesh 2x4 --matrix figure-1  the matrix of figure 1
  multicomputer all-to-all --mesh 4x4 --matrix loads.csv --csv times.csv
                                                       a custom matrix, results as CSV
  multicomputer all-to-all --mesh 4x4 --algorithm random,improved,shuffled --seeds 20
                                                       variation of times with the seed";

/// Maximum width, in characters, of a matrix that is printed as numbers.
const MAX_WIDTH: usize = 100;

/// Returns the end of the help: algorithms and examples.
fn after_help() -> String {
    let lines = algorithm_lines(Algorithm::ALL.iter().cloned(), 10);
    let waiting =
        "Column waiting: time that a node waits for sends and receives to complete, mean over nodes.";
    format!("Algorithms:\n{lines}\n\n{waiting}\n\n{EXAMPLES}")
}

/// Predicts or runs all algorithms on all matrices, and prints the comparison.
pub(super) fn run(arguments: &Arguments, site: &Site, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let spec = options.with_rendezvous_option(site.spec(&arguments.machine)?);
    // Predictions need no threads: only runs need a machine that this host can build.
    let place = match arguments.run {
        Some(Runs::None) => None,
        _ => Some(site.place(options, &spec)?),
    };
    let content = Content::new(arguments.phantom, options.seed);
    let requested = requested::requested(&arguments.algorithm, &arguments.with)?;
    let tasks = task::tasks(arguments, &spec)?;
    let on_machines = if tasks.len() > 1 { Runs::Fastest } else { Runs::All };
    let runs = arguments.run.unwrap_or(site.runs(on_machines));
    if place.is_some() {
        tasks.iter().try_for_each(|task| task::check(task, content))?;
    }
    let case = |task: Task| Case {
        lines: site
            .lines(requested.iter().map(|requested| requested.attempts(arguments.seeds, options.seed))),
        bound: task.instance.lower_bound(),
        spec: spec.clone(),
        place: place.clone(),
        clock: options.clock(),
        problem: task,
    };
    let cases = tasks.into_iter().map(case).collect();
    compare(
        &AllToAlls { arguments, requested, time: site.time(options), content, runs },
        cases,
        runs,
        options,
        out,
    )
}

/// Returns the seed of an algorithm that makes random choices.
fn seed(algorithm: &Implementation<Requested>) -> Option<u64> {
    algorithm.ours()?.algorithm.seed()
}

/// Returns the reason why an algorithm has no plan, with the name of the algorithm unless the reason contains it.
fn named(algorithm: &Implementation<Requested>, cause: &str) -> String {
    let name = format!("`{algorithm}`");
    if cause.contains(&name) { cause.to_owned() } else { format!("{name} has no plan: {cause}") }
}

/// A table row: one algorithm on one matrix.
type R<'a, 'e> = Row<'a, AllToAlls<'e>>;

/// Comparison of all-to-all algorithms.
struct AllToAlls<'a> {
    arguments: &'a Arguments,
    requested: Vec<Requested>,
    /// Kind of time: the name of the clock, or `MPI`.
    time: &'static str,
    content: Content,
    runs: Runs,
}

impl Comparison for AllToAlls<'_> {
    type Problem = Task;
    type Algorithm = Implementation<Requested>;
    type Plan = Implementation<Plan, Instance>;
    /// Number of iterations and of messages of the schedule, if the plan has one.
    type Facts = Option<(usize, u64)>;

    const FILE: &'static str = concat!(
        machine_columns!(),
        " matrix k t l matrix_seed class uniform sent received fan_out fan_in entries \
                                bytes algorithm seed chosen modeled_us bound_us decided_by ratio rounds messages \
                                predicted clock run_us waiting_us bytes_sent wall_us dilation error answers \
                                late_answers slip_us pace restriction"
    );
    const MPI_FILE: &'static str = concat!(
        machine_columns!(),
        " matrix k t l matrix_seed class uniform sent received fan_out fan_in entries \
                                    bytes algorithm seed chosen wall_us least_us lower_us upper_us most_us repetitions \
                                    mpi_ratio predicted_us prediction_error rounds messages bytes_sent restriction"
    );

    fn describe(&self, task: &Task, algorithm: &Implementation<Requested>) -> String {
        format!("all-to-all ({}) by {algorithm}, {} time", task.matrix, self.time)
    }

    fn heading(&self, task: &Task, algorithm: &Implementation<Requested>) -> String {
        format!("{algorithm}: all-to-all ({}), {} time", task.matrix, self.time)
    }

    fn label(&self, task: &Task, algorithm: Option<&Implementation<Requested>>) -> String {
        let matrix = task.generated.as_ref().map(|(generator, _)| generator.traffic.to_string());
        let matrix = matrix.unwrap_or_else(|| "matrix".to_owned());
        let Some(algorithm) = algorithm else { return format!("{matrix}-fastest") };
        let seed = seed(algorithm).filter(|_| self.arguments.seeds > 1);
        let seed = seed.map_or_else(String::new, |seed| format!("-{seed}"));
        format!("{matrix}-{}{seed}", harmless(&algorithm.to_string(), "-"))
    }

    fn is_mpi(&self, algorithm: &Implementation<Requested>) -> bool {
        algorithm.ours().is_none()
    }

    fn is_predictable(&self, algorithm: &Implementation<Requested>) -> bool {
        algorithm.ours().is_some_and(|ours| ours.algorithm.is_predictable())
    }

    /// Returns false for sorting without data.
    fn can_be_run(&self, algorithm: &Implementation<Requested>) -> bool {
        !algorithm.ours().is_some_and(Requested::sorts) || self.content != Content::Phantom
    }

    fn plan(
        &self,
        task: &Task,
        requested: &Implementation<Requested>,
        search: Search,
    ) -> Attempted<Self::Plan> {
        let Implementation::Ours(algorithm) = requested else {
            let plan = Implementation::Mpi(task.instance.clone());
            return Ok(Ok(Planned {
                plan,
                predicted: None,
                chosen: "Alltoallv".to_owned(),
                is_complete: true,
            }));
        };
        let plan = match algorithm.algorithm.plan_with(&task.instance, search) {
            Ok(plan) => plan,
            Err(cause) => return Ok(Err(cause.to_string())),
        };
        let predicted = plan.prediction().map(|prediction| prediction.modeled.since_start());
        Ok(match (plan.schedule(), predicted) {
            (Some(_), None) => Err(PlanError::TooLong { algorithm: algorithm.to_string() }.to_string()),
            (None, _) if !self.runs.include(self, requested) => {
                Err(format!("`{algorithm}` has no prediction: run it with --run fastest or --run all"))
            }
            _ => {
                let (chosen, is_complete) = (plan.name().to_owned(), plan.is_complete());
                Ok(Planned { predicted, chosen, is_complete, plan: Implementation::Ours(plan) })
            }
        })
    }

    fn schedule<'a>(&self, plan: &'a Self::Plan) -> Option<&'a Schedule> {
        plan.ours()?.schedule()
    }

    fn msccl(&self, plan: &Self::Plan) -> Result<Program, WriteError> {
        match plan {
            Implementation::Ours(plan) => plan.msccl(),
            Implementation::Mpi(_) => {
                Err(WriteError::Unscheduled { algorithm: "MPI's own operation".to_owned() })
            }
        }
    }

    fn facts(&self, _: &Task, planned: &Planned<Self::Plan>, _: Option<&Ran>) -> Option<(usize, u64)> {
        let schedule = planned.plan.ours()?.schedule()?;
        Some((schedule.iterations(), schedule.messages().count() as u64))
    }

    fn run(&self, plan: &Self::Plan, execution: Execution<'_>) -> Result<Ran, Error> {
        match plan {
            Implementation::Ours(plan) => checked::all_to_all(plan, self.content, execution),
            Implementation::Mpi(instance) => native::run(instance, self.content, execution),
        }
    }

    fn columns<'a>(&self) -> Vec<Column<'a, Row<'a, Self>>> {
        let times = if self.arguments.seeds > 1 { "mean" } else { "modeled" };
        vec![
            Column::new("nodes", |row: &R| row.problem().figures.nodes),
            Column::new("matrix", |row: &R| match &row.problem().generated {
                Some(_) => "generated".to_owned(),
                None => row.problem().matrix.clone(),
            }),
            Column::new("k", |row: &R| generated(row).map(|(generator, _)| generator.fan_out)),
            Column::new("t", |row: &R| generated(row).map(|(generator, _)| generator.traffic)),
            Column::new("l", |row: &R| generated(row).map(|(_, fraction)| &fraction.spelled)),
            Column::new("matrix_seed", |row: &R| generated(row).map(|(generator, _)| generator.seed)),
            Column::new("class", |row: &R| row.problem().figures.class.to_string()),
            Column::new("uniform", |row: &R| row.problem().figures.is_uniform),
            Column::new("sent", |row: &R| row.problem().figures.sent),
            Column::new("received", |row: &R| row.problem().figures.received),
            Column::new("fan_out", |row: &R| row.problem().figures.fan_out),
            Column::new("fan_in", |row: &R| row.problem().figures.fan_in),
            Column::new("entries", |row: &R| row.problem().figures.messages),
            Column::new("bytes", |row: &R| row.problem().figures.bytes.to_string()),
            Column::new("traffic", |row: &R| format_bytes(row.problem().figures.traffic())),
            Column::new("seed", |row: &R| seed(&row.attempts.first()?.algorithm)),
            Column::new("modeled_us", Row::starred).titled(title(times)),
            Column::new("min", |row: &R| row.times().min()),
            Column::new("max", |row: &R| row.times().max()),
            // Means over all seeds.
            Column::new("rounds", |row: &R| row.mean_count(|attempt| Some(attempt.facts?.0 as u64))),
            Column::new("messages", |row: &R| {
                let ran = |attempt: &Attempt<_>| attempt.ran.as_ref().map(|ran| ran.messages);
                row.mean_count(|attempt| ran(attempt).or(attempt.facts.map(|(_, messages)| messages)))
            }),
            Column::new("predicted", |row: &R| {
                row.attempts.first().map(|attempt| attempt.predicted.is_some())
            }),
            // Waiting times can be far shorter than the times of runs.
            Column::new("waiting_us", |row: &R| mean(row.runs().map(|ran| ran.waiting)))
                .titled("waiting {unit}")
                .own_unit(),
        ]
    }

    fn no_plan_error(&self, algorithm: &Implementation<Requested>, cause: &str) -> String {
        named(algorithm, cause)
    }

    fn show(&self, results: &Results<'_, Self>, text: &mut String) -> fmt::Result {
        let machine = results.first().instance.machine().name().to_owned() + &results.setting();
        let unit = results.unit(|row| [row.times().min(), row.run_time()]);
        if results.is_over_mpi() {
            return self.measured(results, text);
        }
        write!(text, "Many-to-many communication: {machine}")?;
        match results.solved.len() {
            1 => self.one(results, unit, text)?,
            _ => self.sweep(results, unit, text)?,
        }
        self.notes(results).into_iter().try_for_each(|note| writeln!(text, "{note}"))
    }
}

/// Returns the generator and skew of a random matrix.
fn generated<'a>(row: &R<'a, '_>) -> Option<&'a (Generator, Fraction)> {
    row.problem().generated.as_ref()
}

impl AllToAlls<'_> {
    /// Writes the results of runs over MPI.
    fn measured(&self, results: &Results<'_, Self>, text: &mut String) -> fmt::Result {
        let first = results.first();
        let machine = first.instance.machine().name().to_owned() + &results.setting();
        match (&first.generated, results.solved) {
            (Some((Generator { fan_out, seed, .. }, fraction)), [_, _, ..]) => {
                let heading = format!(
                    "Many-to-many communication: {machine}, fan-out {fan_out}, non-uniformity {}, seed {seed}, MPI time",
                    fraction.spelled
                );
                results.show_measured(&heading, "traffic", "chosen", text)
            }
            _ => {
                let matrix = &first.matrix;
                let heading =
                    format!("Many-to-many communication: {machine}, {matrix}, MPI time\n\n{}", first.figures);
                results.show_measured(&heading, "traffic", "chosen", text)
            }
        }
    }

    /// Writes the results for one matrix, with the properties of the matrix.
    fn one(&self, results: &Results<'_, Self>, unit: Unit, text: &mut String) -> fmt::Result {
        let (matrix, task) = (results.first().instance.matrix(), results.first());
        writeln!(text, ", {}\n\n{}", task.matrix, task.figures)?;
        let numbers = matrix.to_string();
        if numbers.lines().all(|line| line.len() <= MAX_WIDTH) {
            writeln!(text, "{numbers}")?;
        }
        writeln!(text, "{}", matrix.picture())?;
        let names = "algorithm modeled_us min max ratio rounds messages waiting_us run? pace? error? chosen";
        let names = if self.arguments.seeds > 1 { names.to_owned() } else { names.replace("min max ", "") };
        writeln!(text, "{}\n{}", results.table(&names, unit), results.fastest_and_bound(unit))
    }

    /// Writes the results of a sweep over the traffic: modeled times as in figures 9 and 10 of the paper, and the
    /// fastest algorithm for each traffic.
    fn sweep(&self, results: &Results<'_, Self>, unit: Unit, text: &mut String) -> fmt::Result {
        if let Some((Generator { fan_out, seed, .. }, fraction)) = &results.first().generated {
            write!(text, ", fan-out {fan_out}, non-uniformity {}, seed {seed}", fraction.spelled)?;
        }
        writeln!(text, "; modeled times in {}\n", unit.name())?;
        let (requested, seeds) = (&self.requested, self.arguments.seeds);
        let all: Vec<String> = requested.iter().map(Requested::to_string).collect();
        writeln!(text, "{}", results.times(["traffic", ""], &all, unit))?;
        write!(text, "{}", results.wall_times("traffic", &all, unit))?;
        let random = requested.iter().filter(|requested| requested.algorithm.seed().is_some());
        let random: Vec<String> = random.map(Requested::to_string).collect();
        if !random.is_empty() && seeds > 1 {
            let range = |row: &Row<'_, Self>| Some((row.times().min()?, row.times().max()?));
            let range = move |row: Option<&Row<'_, Self>>| match row.and_then(range) {
                Some((least, most)) => Figure::Text(format!("{} to {}", unit.cell(least), unit.cell(most))),
                None => Figure::None,
            };
            let spread = results.by_algorithm(["traffic", ""], random.iter().zip(&random), unit, range);
            writeln!(text, "Minimum and maximum of {seeds} seeds (means above):\n\n{spread}")?;
        }
        writeln!(text, "{}\n{}", results.choices("traffic", unit), unit.star())
    }

    /// Returns notes: what was run and checked, how well the host kept pace, and skipped algorithms.
    fn notes(&self, results: &Results<'_, Self>) -> Vec<String> {
        let mut notes = Vec::new();
        let (all, runs) = results.counts();
        let got = match self.content {
            Content::Random { .. } => "every node received every byte sent to it",
            Content::Phantom => "every node received messages of the right lengths",
        };
        let which = match (runs, all) {
            (1, 1) => "The plan was run".to_owned(),
            (runs, all) if runs == all => format!("All {runs} plans were run"),
            (1, all) => format!("1 of {all} plans was run"),
            (runs, all) => format!("{runs} of {all} plans were run"),
        };
        notes.push(match self.arguments.options.clock() {
            _ if runs == 0 => NOT_RUN.to_owned(),
            Clock::Virtual if !results.has_predictions() => format!("{which}: {got}."),
            Clock::Virtual => format!("{which}: {got}, and predictions are exact."),
            Clock::RealTime { .. } => format!("{which} in real time: {got}."),
            Clock::Host => format!("{which} on the threads of this host: {got}."),
            _ => format!("{which}: {got}."),
        });
        if runs > 0 && runs < all {
            let others = if all - runs == 1 { "other is" } else { "others are" };
            notes.push(format!("The {others} predicted; predictions are exact in virtual time."));
        }
        let is_sorted =
            |row: &R| row.line.algorithm.ours().is_some_and(Requested::sorts) && !row.attempts.is_empty();
        if self.content == Content::Phantom && results.rows().iter().any(is_sorted) {
            notes.push("`sorting` was not run: it needs data, and --phantom sends none.".to_owned());
        }
        notes.extend(results.notes());
        let causes = results.refusals(named);
        notes.extend(left_out(causes, |times| match results.solved.len() {
            all if times == all => String::new(),
            all => format!(" for {times} of {all} matrices"),
        }));
        notes
    }
}
