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
    files::{OutputFile, TraceFiles},
    options::{MachineOptions, RunOptions},
    progress::Progress,
};

mod csv;
mod execution;
mod fraction;
mod names;
mod outcome;
mod reasons;
mod single;
mod sweep;
mod task;

use self::{
    execution::execute,
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
    let machine = options.build(&arguments.machine.description()?, options.clock())?;
    let content = match arguments.phantom {
        true => Content::Phantom,
        false => Content::Random { seed: options.seed },
    };
    let tasks = task::tasks(arguments, machine.description())?;
    let runs = arguments.run.unwrap_or(if tasks.len() > 1 { Runs::Fastest } else { Runs::All });
    if runs != Runs::None {
        tasks.iter().try_for_each(|task| task::check(task, content))?;
    }
    let csv = options.csv.as_ref().map(OutputFile::create).transpose()?;
    let labels: Vec<String> = tasks.iter().flat_map(|task| labels(arguments, runs, content, task)).collect();
    let mut traces = TraceFiles::create(options.trace(), &labels)?.into_files();

    let progress = Progress::new(tasks.len() * arguments.algorithm.as_slice().len());
    let mut solved = Vec::new();
    for task in tasks {
        let solver = Solver { arguments, machine: &machine, runs, content, progress: &progress };
        solved.push(solver.solve(task, &mut traces)?);
    }
    drop(progress);
    // Where nothing at all can be done, the reason is not for a table.
    let lines = || solved.iter().flat_map(|solved| &solved.lines);
    let cause = lines().find_map(|line| Some((line.algorithm, line.attempts.as_ref().err()?)));
    if let (true, Some((algorithm, cause))) = (lines().all(|line| line.attempts.is_err()), cause) {
        return Err(Error::usage(format!("no plan by {algorithm}: {cause}")));
    }

    let results = Results { clock: options.clock(), content, seeds: arguments.seeds, solved };
    match &results.solved[..] {
        [one] => write!(out, "{}", Single { results: &results, solved: one })?,
        _ => write!(out, "{}", Sweep { results: &results })?,
    }
    match csv {
        Some(file) => csv::write(&results, file),
        None => Ok(()),
    }
}

/// The ways in which an algorithm is tried: one for each seed if it has one.
fn attempts(arguments: &Arguments, algorithm: Algorithm) -> Vec<Algorithm> {
    let seed = |nth: u64| algorithm.with_seed(arguments.options.seed.wrapping_add(nth));
    let attempts = if algorithm.seed().is_some() { arguments.seeds } else { 1 };
    (0..attempts).map(seed).collect()
}

/// Whether an algorithm works on such data: what is sorted must be there.
fn can_be_run(algorithm: Algorithm, content: Content) -> bool {
    algorithm != Algorithm::Sorting || content != Content::Phantom
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
    let label = |algorithm: Algorithm| {
        let several = arguments.seeds > 1;
        let seed = algorithm.seed().filter(|_| several).map_or(String::new(), |seed| format!("-{seed}"));
        format!("{}-{algorithm}{seed}", task.label())
    };
    let all = arguments.algorithm.as_slice().iter().flat_map(|&algorithm| attempts(arguments, algorithm));
    let fastest = (runs == Runs::Fastest).then(|| format!("{}-fastest", task.label()));
    all.filter(|&algorithm| runs.include(algorithm, content)).map(label).chain(fastest).collect()
}

/// Makes plans, and runs those that are to be run.
struct Solver<'a> {
    arguments: &'a Arguments,
    machine: &'a Machine,
    runs: Runs,
    content: Content,
    progress: &'a Progress,
}

impl Solver<'_> {
    fn solve(
        &self,
        task: Task,
        traces: &mut impl Iterator<Item = Option<OutputFile>>,
    ) -> Result<Solved, Error> {
        let clock = clock::name(self.arguments.options.clock());
        let case = |algorithm: Algorithm| format!("{} by {algorithm}, {clock} time", task.name());
        let mut lines: Vec<Line> = Vec::new();
        let mut fastest: Option<(Span, [usize; 2], Plan)> = None;
        for &algorithm in self.arguments.algorithm.as_slice() {
            self.progress.begin(&case(algorithm));
            let mut tried = Ok(Vec::new());
            for (nth, algorithm) in attempts(self.arguments, algorithm).into_iter().enumerate() {
                let is_run = self.runs.include(algorithm, self.content);
                let trace = if is_run { traces.next().flatten() } else { None };
                let plan = algorithm.plan(&task.instance).map_err(|cause| cause.to_string());
                let attempt = plan.and_then(|plan| Ok((Attempt::of(algorithm, &plan, is_run)?, plan)));
                match (attempt, &mut tried) {
                    (Ok((mut attempt, plan)), Ok(attempts)) => {
                        if is_run {
                            attempt.ran =
                                Some(execute(self.machine, &plan, self.content, &case(algorithm), trace)?);
                        } else if let Some(predicted) = attempt.predicted
                            && can_be_run(algorithm, self.content)
                            && fastest.as_ref().is_none_or(|&(least, ..)| predicted < least)
                        {
                            fastest = Some((predicted, [lines.len(), nth], plan));
                        }
                        attempts.push(attempt);
                    }
                    (Err(cause), tried) => *tried = Err(cause),
                    _ => {}
                }
            }
            lines.push(Line { algorithm, attempts: tried });
            self.progress.end();
        }
        if self.runs == Runs::Fastest {
            let trace = traces.next().flatten();
            if let Some((_, [line, nth], plan)) = fastest {
                let case = case(lines[line].algorithm);
                self.progress.begin(&case);
                let ran = execute(self.machine, &plan, self.content, &case, trace)?;
                if let Ok(attempts) = &mut lines[line].attempts {
                    attempts[nth].ran = Some(ran);
                }
            }
        }
        Ok(Solved { bound: task.instance.lower_bound(), task, lines })
    }
}
