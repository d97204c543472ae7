//! `multicomputer exchange`: the algorithms of many-to-many communication side by side, on one matrix or on many.
//!
//! Those that can be predicted are, which is exact and needs no threads. The others are run, since only a run can tell
//! what they take. What cannot be done is found out before the first plan is made. A plan is dropped as soon as its
//! figures are known, for those of a long sweep would not fit in memory together.

use std::io::Write;

use clap::{Args, ValueEnum};
use multicomputer::{
    Machine, Span,
    exchange::{Algorithm, Plan},
    units::Sizes,
};

use super::{
    clock,
    data::Content,
    error::Error,
    files::{CsvFile, Traces},
    options::{MachineOptions, RunOptions},
    patience,
    progress::Progress,
};

mod csv;
mod execution;
mod fraction;
mod names;
mod outcome;
mod single;
mod sweep;
mod task;

use self::{
    execution::{Ran, execute},
    fraction::Fraction,
    names::Algorithms,
    outcome::{Attempt, Line, Results, Solved},
    single::Single,
    sweep::Sweep,
    task::{Source, Task},
};

/// What the command can be told.
#[derive(Args, Debug)]
#[command(after_help = names::after_help(EXAMPLES))]
pub(super) struct Arguments {
    /// The communication matrix: figure-1 of the paper, or a CSV file with a line for each sender that has the bytes
    /// for each receiver [default: one at random, by the next three options]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fan_out", "traffic", "nonuniformity"])]
    matrix: Option<Source>,

    /// How many nodes each node sends to, k [default: all]
    #[arg(long, value_name = "NUMBER", value_parser = super::options::read_number::<usize>, allow_negative_numbers = true)]
    fan_out: Option<usize>,

    /// The bytes that each node sends, and receives, t: 64K, a list 1K,64K, or a doubling range 1K..1M
    #[arg(long, value_name = "SIZES", default_value = "64K", allow_negative_numbers = true)]
    traffic: Sizes,

    /// l, from 0 to 1, as 1/32 or 0.25: the fraction l of the traffic of a node goes to (1 - l) k nodes, the rest to l
    /// k [default: 1/k, so that one node gets nearly all]
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true)]
    nonuniformity: Option<Fraction>,

    #[arg(long, value_name = "NAMES", default_value = "all", help = names::algorithm_help())]
    algorithm: Algorithms,

    /// Try so many seeds, from --seed on, for what algorithms choose at random; the matrix stays the same
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = task::read_seeds, allow_negative_numbers = true)]
    seeds: u64,

    /// Which of the plans that are predicted are also run; the others are run in any case, unless none is [default: all
    /// for one matrix, fastest in a sweep]
    #[arg(long, value_name = "WHICH", value_enum)]
    run: Option<Runs>,

    /// Send lengths without data, for messages that would not fit in memory; then only lengths are checked
    #[arg(long)]
    phantom: bool,

    #[command(flatten)]
    machine: MachineOptions,

    #[command(flatten)]
    options: RunOptions,
}

/// Which plans are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Runs {
    /// The fastest of those predicted, and those that cannot be predicted
    Fastest,
    /// All of them
    All,
    /// No plan: modeled times are predictions, where there are some
    None,
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

/// Predicts or runs all algorithms on all matrices, and prints how they compare.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let description = arguments.machine.description()?;
    // A prediction needs no threads: only what is run must be a machine that this host can run.
    let machine = match arguments.run {
        Some(Runs::None) => None,
        _ => Some(options.build(&description, options.clock())?),
    };
    let content = match arguments.phantom {
        true => Content::Phantom,
        false => Content::Random { seed: options.seed },
    };
    let tasks = task::tasks(arguments, &description)?;
    let runs = arguments.run.unwrap_or(if tasks.len() > 1 { Runs::Fastest } else { Runs::All });
    if machine.is_some() {
        tasks.iter().try_for_each(|task| task::check(task, content))?;
    }
    let csv = CsvFile::create(options.csv(), csv::HEADER)?;
    let labels: Vec<String> = tasks.iter().flat_map(|task| labels(arguments, runs, content, task)).collect();
    let mut traces = Traces::create(options.trace(), &labels)?;

    let progress = Progress::new(tasks.len() * arguments.algorithm.as_slice().len());
    let solved = csv.fill(|csv| {
        let (machine, progress, traces) = (machine.as_ref(), &progress, &mut traces);
        let mut solver = Solver { arguments, machine, runs, content, progress, traces, csv };
        let solved = tasks.into_iter().map(|task| solver.solve(task)).collect::<Result<Vec<_>, Error>>()?;
        // Where nothing at all can be done, the reason is not for a table.
        let lines = || solved.iter().flat_map(|solved| &solved.lines);
        let cause = lines().find_map(|line| Some((line.algorithm, line.attempts.as_ref().err()?)));
        if let (true, Some((algorithm, cause))) = (lines().all(|line| line.attempts.is_err()), cause) {
            csv.discard();
            return Err(Error::usage(format!("no plan by {algorithm}: {cause}")));
        }
        Ok(solved)
    })?;
    drop(progress);

    let results = Results { clock: options.clock(), content, seeds: arguments.seeds, solved };
    match &results.solved[..] {
        [one] => write!(out, "{}", Single { results: &results, solved: one })?,
        _ => write!(out, "{}", Sweep { results: &results })?,
    }
    Ok(write!(out, "{traces}")?)
}

/// The ways in which an algorithm is tried: one for each seed if it has one.
fn attempts(arguments: &Arguments, algorithm: Algorithm) -> Vec<Algorithm> {
    let seed = |nth: u64| algorithm.with_seed(arguments.options.seed.wrapping_add(nth));
    let attempts = if algorithm.seed().is_some() { arguments.seeds } else { 1 };
    (0..attempts).map(seed).collect()
}

/// Whether an algorithm works on such data: what is sorted must be there.
fn can_be_run(algorithm: Algorithm, content: Content) -> bool {
    algorithm != Algorithm::SORTING || content != Content::Phantom
}

impl Runs {
    /// Whether an algorithm is run even if it is not the fastest.
    fn include(self, algorithm: Algorithm, content: Content) -> bool {
        match self {
            Runs::None => false,
            // Of these only a run can tell what they take.
            Runs::Fastest => !algorithm.is_predictable(),
            Runs::All => can_be_run(algorithm, content),
        }
    }
}

/// What the traces of a task's runs are called, in the order of the runs.
fn labels(arguments: &Arguments, runs: Runs, content: Content, task: &Task) -> Vec<String> {
    let all = arguments.algorithm.as_slice().iter().flat_map(|&algorithm| attempts(arguments, algorithm));
    let run = all.filter(|&algorithm| runs.include(algorithm, content));
    let fastest = (runs == Runs::Fastest).then(|| fastest_label(task));
    run.map(|algorithm| label(arguments, task, algorithm)).chain(fastest).collect()
}

/// What the trace of a run is called.
fn label(arguments: &Arguments, task: &Task, algorithm: Algorithm) -> String {
    let several = arguments.seeds > 1;
    let seed = algorithm.seed().filter(|_| several).map_or(String::new(), |seed| format!("-{seed}"));
    format!("{}-{algorithm}{seed}", task.label())
}

/// What the trace of the fastest plan is called.
fn fastest_label(task: &Task) -> String {
    format!("{}-fastest", task.label())
}

/// Makes plans, and runs those that are to be run.
struct Solver<'a> {
    arguments: &'a Arguments,
    /// There is one if something is run.
    machine: Option<&'a Machine>,
    runs: Runs,
    content: Content,
    progress: &'a Progress,
    traces: &'a mut Traces,
    csv: &'a mut CsvFile<{ csv::HEADER.len() }>,
}

impl Solver<'_> {
    fn solve(&mut self, task: Task) -> Result<Solved, Error> {
        let mut solved = Solved { bound: task.instance.lower_bound(), task, lines: Vec::new() };
        let mut fastest: Option<(Span, [usize; 2], Plan)> = None;
        for &algorithm in self.arguments.algorithm.as_slice() {
            let task = &solved.task;
            self.progress.begin(&self.case(task, algorithm));
            let mut tried = Ok(Vec::new());
            for (nth, algorithm) in attempts(self.arguments, algorithm).into_iter().enumerate() {
                let is_run = self.runs.include(algorithm, self.content);
                let plan = algorithm.plan(&task.instance).map_err(|cause| cause.to_string());
                let attempt = plan.and_then(|plan| Ok((Attempt::of(algorithm, &plan, is_run)?, plan)));
                match (attempt, &mut tried) {
                    (Ok((mut attempt, plan)), Ok(attempts)) => {
                        if is_run {
                            let label = label(self.arguments, task, algorithm);
                            attempt.ran = self.execute(task, &plan, algorithm, label)?;
                        } else if let Some(predicted) = attempt.predicted
                            && can_be_run(algorithm, self.content)
                            && fastest.as_ref().is_none_or(|&(least, ..)| predicted < least)
                        {
                            fastest = Some((predicted, [solved.lines.len(), nth], plan));
                        }
                        attempts.push(attempt);
                    }
                    (Err(cause), tried) => *tried = Err(cause),
                    _ => {}
                }
            }
            let line = Line { algorithm, attempts: tried };
            if self.runs != Runs::Fastest {
                self.rows(&solved, &line)?;
            }
            solved.lines.push(line);
            self.progress.end();
        }
        if self.runs == Runs::Fastest {
            if let Some((_, [line, nth], plan)) = fastest {
                let (task, algorithm) = (&solved.task, solved.lines[line].algorithm);
                let ran = self.execute(task, &plan, algorithm, fastest_label(task))?;
                if let Ok(attempts) = &mut solved.lines[line].attempts {
                    attempts[nth].ran = ran;
                }
            }
            // Which of them is run is known only now.
            solved.lines.iter().try_for_each(|line| self.rows(&solved, line))?;
        }
        Ok(solved)
    }

    /// Writes what is known of an algorithm to the CSV file.
    fn rows(&mut self, solved: &Solved, line: &Line) -> Result<(), Error> {
        let clock = self.arguments.options.clock();
        csv::rows(clock, solved, line).into_iter().try_for_each(|row| self.csv.row(row))
    }

    /// Runs a plan.
    fn execute(
        &mut self,
        task: &Task,
        plan: &Plan,
        algorithm: Algorithm,
        label: String,
    ) -> Result<Option<Ran>, Error> {
        let Some(machine) = self.machine else { return Ok(None) };
        let case = self.case(task, algorithm);
        self.progress.begin(&case);
        if let Some(prediction) = plan.prediction() {
            let modeled = prediction.modeled.since_start();
            patience::announce(self.arguments.options.clock(), modeled, &case, self.progress)?;
        }
        execute(machine, plan, self.content, &case, self.traces.of(label)).map(Some)
    }

    /// What a run is called.
    fn case(&self, task: &Task, algorithm: Algorithm) -> String {
        format!("{} by {algorithm}, {} time", task.name(), clock::name(self.arguments.options.clock()))
    }
}
