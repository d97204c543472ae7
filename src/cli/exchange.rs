//! `multicomputer exchange`: the algorithms of many-to-many communication side by side, on one matrix or on many.
//!
//! Those that can be predicted are, which is exact and needs no threads. The others are run, since only a run can tell
//! what they take. What cannot be done is found out before the first plan is made.

use std::{
    fmt::{self, Write as _},
    io::Write,
    rc::Rc,
};

use clap::Args;
use multicomputer::{
    Clock, Payload, Span,
    exchange::{Algorithm, Plan, PlanError},
    prelude::{Node, Rank},
    units::{Sizes, format_bytes},
};

use super::{
    clock,
    compare::{
        Attempt, Case, Column, Comparison, Execution, Figure, Ran, Refusal, Row, Runs, Solved, bound_columns,
        bound_line, by_algorithm, choices, clock_column, compare, fastest_line, left_out, machine_columns,
        mean, of_runs, pace_columns, restriction_column, run_columns, run_parser, starred, table,
        time_columns, unit_of,
    },
    data::Content,
    error::Error,
    lists::{List, items},
    options::{MachineOptions, RunOptions, read_number},
    unit::Unit,
};

mod task;

use self::task::{Fraction, Generated, Source, Task};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(super) struct Arguments {
    /// The communication matrix: figure-1 of the paper, or a CSV file with a line for each sender that has the bytes
    /// for each receiver [default: one at random, by the next three options]
    #[arg(long, value_name = "FILE", value_parser = task::source, conflicts_with_all = ["fan_out", "traffic", "nonuniformity"])]
    matrix: Option<Source>,

    /// How many nodes each node sends to, k [default: all]
    #[arg(long, value_name = "NUMBER", value_parser = read_number::<usize>, allow_negative_numbers = true)]
    fan_out: Option<usize>,

    /// The bytes that each node sends, and receives, t: 64K, a list 1K,64K, or a doubling range 1K..1M
    #[arg(long, value_name = "SIZES", default_value = "64K", allow_negative_numbers = true)]
    traffic: Sizes,

    /// l, from 0 to 1, as 1/32 or 0.25: the fraction l of the traffic of a node goes to (1 - l) k nodes, the rest to l
    /// k [default: 1/k, so that one node gets nearly all]
    #[arg(long, value_name = "FRACTION", value_parser = task::fraction, allow_hyphen_values = true)]
    nonuniformity: Option<Fraction>,

    /// The algorithms (see below), or a list of such, or all
    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = read_algorithms)]
    algorithm: List<Algorithm>,

    /// Try so many seeds, from --seed on, for what algorithms choose at random; the matrix stays the same
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = task::seeds, allow_negative_numbers = true)]
    seeds: u64,

    /// Which of the plans that are predicted are also run; the others are run in any case, unless none is [default: all
    /// for one matrix, fastest in a sweep]
    #[arg(long, value_name = "WHICH", value_parser = run_parser(
        "The fastest of those predicted, and those that cannot be predicted",
        "All of them",
        "No plan: modeled times are predictions, where there are some",
    ))]
    run: Option<Runs>,

    /// Send lengths without data, for messages that would not fit in memory; then only lengths are checked
    #[arg(long)]
    phantom: bool,

    #[command(flatten)]
    machine: MachineOptions,

    #[command(flatten)]
    options: RunOptions,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer exchange --machine cm5:32 --fan-out 32 --traffic 64K --nonuniformity 1/32
                                                       all algorithms on one matrix, as in figure 9 of the paper
  multicomputer exchange --machine cm5:32 --fan-out 2 --nonuniformity 1/2 --traffic 1K..1M --algorithm improved,two-stage
                                                       a sweep over the traffic, as in figure 10
  multicomputer exchange --mesh 2x4 --matrix figure-1  the matrix of figure 1
  multicomputer exchange --mesh 4x4 --matrix loads.csv --csv times.csv
                                                       a matrix of one's own, and all figures into a file
  multicomputer exchange --mesh 4x4 --algorithm random,improved,shuffled --seeds 20
                                                       how much times vary with what is chosen at random";

/// The most columns of a matrix that is shown in numbers.
const WIDEST: usize = 100;

/// The end of the help: the algorithms, and some examples.
fn after_help() -> String {
    let line = |algorithm: &Algorithm| format!("  {:10} {}", algorithm.name(), algorithm.about());
    let lines: Vec<String> = Algorithm::ALL.iter().map(line).collect();
    let waiting = "Waiting is that of a node on average, for messages to leave or to come.";
    format!("Algorithms:\n{}\n\n{waiting}\n\n{EXAMPLES}", lines.join("\n"))
}

/// Reads algorithms: each once, in the order of the registry.
fn read_algorithms(text: &str) -> Result<List<Algorithm>, String> {
    let mut asked: Vec<Algorithm> = Vec::new();
    for item in items(text) {
        match item {
            "all" => asked.extend(Algorithm::ALL),
            name => asked.push(name.parse().map_err(|_| {
                let all: Vec<&str> = Algorithm::ALL.iter().map(Algorithm::name).collect();
                format!("`{name}` is no algorithm; allowed are {}, and all", all.join(", "))
            })?),
        }
    }
    Ok(List::of(Algorithm::ALL.iter().copied().filter(|algorithm| asked.contains(algorithm))))
}

/// Predicts or runs all algorithms on all matrices, and prints how they compare.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let description = arguments.machine.description()?;
    // A prediction needs no threads: only what is run must be a machine that this host can run.
    let machine = match arguments.run {
        Some(Runs::None) => None,
        _ => Some(Rc::new(options.build(&description, options.clock())?)),
    };
    let content = Content::new(arguments.phantom, options.seed);
    let tasks = task::tasks(arguments, &description)?;
    let runs = arguments.run.unwrap_or(if tasks.len() > 1 { Runs::Fastest } else { Runs::All });
    if machine.is_some() {
        tasks.iter().try_for_each(|task| task::check(task, content))?;
    }
    let case = |task: Task| Case {
        lines: arguments.algorithm.iter().map(|algorithm| attempts(arguments, algorithm)).collect(),
        bound: task.instance.lower_bound(),
        description: description.clone(),
        machine: machine.clone(),
        clock: options.clock(),
        problem: task,
    };
    let cases = tasks.into_iter().map(case).collect();
    compare(&Exchanges { arguments, content, runs }, cases, runs, options, out)
}

/// The attempts with an algorithm: one for each seed if it has one.
fn attempts(arguments: &Arguments, algorithm: &Algorithm) -> Vec<Algorithm> {
    let attempts = if algorithm.seed().is_some() { arguments.seeds } else { 1 };
    let seeds = (0..attempts).map(|nth| arguments.options.seed.wrapping_add(nth));
    seeds.map(|seed| algorithm.with_seed(seed)).collect()
}

/// An algorithm on a matrix.
type R<'a, 'e> = Row<'a, Exchanges<'e>>;

/// The comparison.
struct Exchanges<'a> {
    arguments: &'a Arguments,
    content: Content,
    runs: Runs,
}

impl Comparison for Exchanges<'_> {
    type Problem = Task;
    type Algorithm = Algorithm;
    type Plan = Plan;
    /// Iterations and messages of the schedule, if there is one.
    type Facts = Option<(usize, u64)>;

    fn name(&self, algorithm: &Algorithm) -> String {
        algorithm.to_string()
    }

    fn describe(&self, task: &Task, algorithm: &Algorithm) -> String {
        format!(
            "an exchange ({}) by {algorithm}, {} time",
            task.matrix,
            clock::name(self.arguments.options.clock())
        )
    }

    fn label(&self, task: &Task, algorithm: Option<&Algorithm>) -> String {
        let matrix = task.generated.as_ref().map(|generated| generated.traffic.to_string());
        let matrix = matrix.unwrap_or_else(|| "matrix".to_owned());
        let Some(algorithm) = algorithm else { return format!("{matrix}-fastest") };
        let seed = algorithm.seed().filter(|_| self.arguments.seeds > 1);
        let seed = seed.map_or_else(String::new, |seed| format!("-{seed}"));
        format!("{matrix}-{algorithm}{seed}")
    }

    fn is_predictable(&self, algorithm: &Algorithm) -> bool {
        algorithm.is_predictable()
    }

    /// Phantoms cannot be sorted.
    fn can_be_run(&self, algorithm: &Algorithm) -> bool {
        *algorithm != Algorithm::SORTING || self.content != Content::Phantom
    }

    fn plan(&self, task: &Task, algorithm: &Algorithm) -> Result<Plan, Refusal> {
        let plan = algorithm.plan(&task.instance).map_err(Refusal::left_out)?;
        match (plan.schedule(), plan.prediction()) {
            (Some(_), None) => {
                Err(Refusal::left_out(PlanError::TooLong { algorithm: algorithm.to_string() }))
            }
            (None, _) if !self.runs.include(self, algorithm) => Err(Refusal::left_out(
                "only a run can tell what it takes: --run fastest and --run all run it",
            )),
            _ => Ok(plan),
        }
    }

    fn predicted(&self, plan: &Plan) -> Option<Span> {
        plan.prediction().map(|prediction| prediction.modeled.since_start())
    }

    fn chosen(&self, _: &Algorithm, plan: &Plan) -> String {
        plan.name().to_owned()
    }

    fn facts(&self, _: &Task, plan: &Plan, _: Option<&Ran>) -> Option<(usize, u64)> {
        plan.schedule().map(|schedule| (schedule.iterations(), schedule.messages().count() as u64))
    }

    /// The data is made before the run and checked after it, so that neither takes host time from the nodes while the
    /// clock is running: in real time what a program computes counts. What arrives is compared with data made afresh:
    /// the nodes pass data on by reference, and the copy that it is compared with is not part of what they share.
    fn run(&self, plan: &Plan, execution: Execution<'_>) -> Result<Ran, Error> {
        let matrix = plan.instance().matrix();
        let message =
            |from: Rank, to: Rank| self.content.message(from * matrix.nodes() + to, matrix.get(from, to));
        let ranks = || 0..matrix.nodes();
        let given: Vec<Vec<Payload>> =
            ranks().map(|from| ranks().map(|to| message(from, to)).collect()).collect();
        let program = |node: &Node<'_>| Ok(plan.carry_out(node.world(), given[node.rank()].clone())?);
        let run = execution.machine.run(program)?;
        for (from, to) in ranks().flat_map(|from| ranks().map(move |to| (from, to))) {
            if let Some(fault) = self.content.fault(run.outputs[to].get(from), &message(from, to)) {
                let name = execution.name;
                return Err(Error::Wrong(format!(
                    "node {to} does not have what node {from} had for it: {fault} ({name})"
                )));
            }
        }
        execution.finish(&run, plan.prediction().map(|prediction| prediction.modeled))
    }

    fn columns<'a>(&self) -> Vec<Column<Row<'a, Self>>> {
        columns(self)
    }

    fn hopeless(&self, algorithm: &Algorithm, cause: &str) -> String {
        format!("no plan by {algorithm}: {cause}")
    }

    fn show(&self, solved: &[Solved<Self>], text: &mut String) -> fmt::Result {
        let Some(first) = solved.first() else { return Ok(()) };
        let machine = first.case.problem.instance.machine().name();
        let unit = unit_of(self, solved, |row| vec![row.times().min(), mean(row.runs().map(|ran| ran.time))]);
        write!(text, "Many-to-many communication: {machine}")?;
        match solved {
            [one] => self.one(one, unit, text)?,
            several => self.sweep(several, unit, text)?,
        }
        self.notes(solved).into_iter().try_for_each(|note| writeln!(text, "{note}"))
    }
}

fn columns<'a, 'e>(exchanges: &Exchanges<'e>) -> Vec<Column<Row<'a, Exchanges<'e>>>> {
    /// A parameter of the generator.
    fn generated(row: &Row<'_, Exchanges<'_>>, figure: fn(&Generated) -> String) -> Figure {
        row.problem().generated.as_ref().map(figure).into()
    }
    let [machine, ..] = machine_columns();
    let [bound, decided_by, ratio] = bound_columns();
    let [run_us, run] = run_columns();
    let [modeled_us, time] = time_columns(if exchanges.arguments.seeds > 1 { "mean" } else { "modeled" });
    let mut columns = vec![
        machine,
        Column::new("nodes", |row: &R| Figure::text(row.problem().figures.nodes)),
        Column::new("matrix", |row: &R| match &row.problem().generated {
            Some(_) => Figure::text("generated"),
            None => Figure::text(&row.problem().matrix),
        }),
        Column::new("k", |row: &R| generated(row, |generated| generated.fan_out.to_string())),
        Column::new("t", |row: &R| generated(row, |generated| generated.traffic.to_string())),
        Column::new("l", |row: &R| generated(row, |generated| generated.nonuniformity.clone())),
        Column::new("matrix_seed", |row: &R| generated(row, |generated| generated.seed.to_string())),
        Column::new("class", |row: &R| Figure::text(row.problem().figures.class)),
        Column::new("uniform", |row: &R| Figure::text(row.problem().figures.is_uniform)),
        Column::new("sent", |row: &R| Figure::text(row.problem().figures.sent)),
        Column::new("received", |row: &R| Figure::text(row.problem().figures.received)),
        Column::new("fan_out", |row: &R| Figure::text(row.problem().figures.fan_out)),
        Column::new("fan_in", |row: &R| Figure::text(row.problem().figures.fan_in)),
        Column::new("entries", |row: &R| Figure::text(row.problem().figures.messages)),
        Column::new("bytes", |row: &R| Figure::text(row.problem().figures.bytes)),
        Column::shown("traffic", |row: &R| Figure::Text(format_bytes(row.problem().figures.traffic()))),
        Column::new("algorithm", |row: &R| Figure::Text(row.name())).left(),
        Column::new("seed", |row: &R| {
            row.attempts
                .first()
                .and_then(|attempt| attempt.algorithm.seed())
                .map(|seed| seed.to_string())
                .into()
        }),
        Column::new("chosen", |row: &R| (!row.attempts.is_empty()).then(|| row.chosen()).into()).left(),
        modeled_us,
        time,
        Column::shown("least", |row: &R| row.times().min().into()),
        Column::shown("most", |row: &R| row.times().max().into()),
        bound,
        decided_by,
        ratio,
        // The means of all seeds.
        Column::new("rounds", |row: &R| row.mean_count(|attempt| Some(attempt.facts?.0 as u64))),
        Column::new("messages", |row: &R| {
            let ran = |attempt: &Attempt<_>| attempt.ran.as_ref().map(|ran| ran.messages);
            row.mean_count(|attempt| ran(attempt).or(attempt.facts.map(|(_, messages)| messages)))
        }),
        Column::new("predicted", |row: &R| {
            row.attempts.first().map(|attempt| attempt.predicted.is_some().to_string()).into()
        }),
        clock_column(),
        run_us,
        run,
        // A short wait is far shorter than what takes so long.
        Column::new("waiting_us", |row: &R| mean(row.runs().map(|ran| ran.waiting)).into())
            .titled("waiting {unit}")
            .own_unit(),
        Column::new("bytes_sent", |row: &R| row.ran().map(|ran| ran.bytes.to_string()).into()),
    ];
    columns.extend(pace_columns());
    columns.push(restriction_column());
    columns
}

impl Exchanges<'_> {
    /// One matrix with all that is known of it.
    fn one(&self, solved: &Solved<Self>, unit: Unit, text: &mut String) -> fmt::Result {
        let (matrix, task) = (solved.case.problem.instance.matrix(), &solved.case.problem);
        writeln!(text, ", {}\n\n{}", task.matrix, task.figures)?;
        let numbers = matrix.to_string();
        if numbers.lines().all(|line| line.len() <= WIDEST) {
            writeln!(text, "{numbers}")?;
        }
        writeln!(text, "{}", matrix.picture())?;
        let names = "algorithm time least most ratio rounds messages waiting_us run pace error chosen";
        let names =
            if self.arguments.seeds > 1 { names.to_owned() } else { names.replace("least most ", "") };
        writeln!(text, "{}", table(&self.columns(), &names, &solved.rows(self), unit))?;
        fastest_line(self, solved, unit).map_or(Ok(()), |line| writeln!(text, "{line}"))?;
        writeln!(text, "{}", bound_line(&solved.case.bound, unit))
    }

    /// Many amounts of traffic: a table of modeled times as in figures 9 and 10 of the paper, and what is fastest for
    /// each.
    fn sweep(&self, solved: &[Solved<Self>], unit: Unit, text: &mut String) -> fmt::Result {
        if let Some(Generated { fan_out, nonuniformity, seed, .. }) = &solved[0].case.problem.generated {
            write!(text, ", fan-out {fan_out}, non-uniformity {nonuniformity}, seed {seed}")?;
        }
        writeln!(text, "; modeled times in {}\n", unit.name())?;
        let names = |algorithms: &mut dyn Iterator<Item = &Algorithm>| -> Vec<String> {
            algorithms.map(Algorithm::to_string).collect()
        };
        let all = names(&mut self.arguments.algorithm.iter());
        let keys = ["traffic", ""];
        writeln!(text, "{}", by_algorithm(self, solved, keys, &all, unit, |row| starred(row, unit)))?;
        let random =
            names(&mut self.arguments.algorithm.iter().filter(|algorithm| algorithm.seed().is_some()));
        let seeds = self.arguments.seeds;
        if !random.is_empty() && seeds > 1 {
            let range = |row: &Row<'_, Self>| Some((row.times().min()?, row.times().max()?));
            let spread = by_algorithm(self, solved, keys, &random, unit, |row| match row.and_then(range) {
                Some((least, most)) => format!("{} to {}", unit.cell(least), unit.cell(most)),
                None => "-".to_owned(),
            });
            writeln!(text, "Least and most of {seeds} seeds, whose means are above:\n\n{spread}")?;
        }
        writeln!(text, "{}\n{}", choices(self, solved, "traffic", unit), unit.star())
    }

    /// Notes on what was run and checked, and how well the host kept pace.
    fn notes(&self, solved: &[Solved<Self>]) -> Vec<String> {
        let mut notes = Vec::new();
        let rows = || solved.iter().flat_map(|solved| solved.rows(self));
        let all: usize = rows().map(|row| row.attempts.len()).sum();
        let runs: usize = rows().map(|row| row.runs().count()).sum();
        let got = match self.content {
            Content::Random { .. } => "every node got every byte that was for it",
            Content::Phantom => "every node got messages of the right lengths",
        };
        let which = match (runs, all) {
            (1, 1) => "It was run".to_owned(),
            (runs, all) if runs == all => format!("All {runs} plans were run"),
            (1, all) => format!("1 of {all} plans was run"),
            (runs, all) => format!("{runs} of {all} plans were run"),
        };
        notes.push(match self.arguments.options.clock() {
            _ if runs == 0 => {
                "Nothing was run: all times are predictions, which are exact in virtual time.".to_owned()
            }
            Clock::Virtual => format!("{which}: {got}, and what was predicted was exact."),
            Clock::RealTime { .. } => format!("{which} in real time: {got}."),
            Clock::Host => format!("{which} on the threads of this host: {got}."),
        });
        if runs > 0 && runs < all {
            let others = if all - runs == 1 { "other is" } else { "others are" };
            notes.push(format!("The {others} predicted, which is exact in virtual time."));
        }
        let is_sorted =
            |row: Row<'_, Self>| row.line.algorithm == Algorithm::SORTING && !row.attempts.is_empty();
        if self.content == Content::Phantom && rows().any(is_sorted) {
            notes.push("Sorting was not run: what has no data cannot be sorted.".to_owned());
        }
        notes.extend(of_runs(self, solved));
        notes.extend(self.left_out(solved));
        notes
    }

    /// The algorithms that do not work, with the number of matrices and the cause.
    fn left_out(&self, solved: &[Solved<Self>]) -> Vec<String> {
        let lines = 0..self.arguments.algorithm.len();
        let causes = lines.flat_map(|line| {
            let lines = solved.iter().map(move |solved| &solved.lines[line]);
            let mut causes = lines.filter_map(|line| Some((line.algorithm, line.attempts.as_ref().err()?)));
            let first = causes.next().map(|(algorithm, cause)| format!("{algorithm}, since {cause}"));
            // The first cause stands for all.
            first.into_iter().flat_map(move |first| vec![first; 1 + causes.by_ref().count()])
        });
        left_out(causes.collect::<Vec<_>>(), |times| match solved.len() {
            all if times == all => String::new(),
            all => format!(" for {times} of {all} matrices"),
        })
    }
}
