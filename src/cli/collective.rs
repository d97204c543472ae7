//! `multicomputer collective`: the algorithms of collective operations side by side, for one length or for many.
//!
//! All of them are predicted, which is exact and needs no threads. Which of the plans are then also run is the user's
//! choice; the fastest for each length is, unless said otherwise. What cannot be done is found out before the first
//! plan is made. A plan is dropped as soon as its figures are known, for those of a long sweep would not fit in memory
//! together.

use std::{fmt, io::Write};

use clap::{Args, ValueEnum};
use multicomputer::{Machine, Span, collective::Plan, units::Sizes};

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
mod data;
mod execution;
mod members;
pub(super) mod names;
mod outcome;
mod single;
mod sweep;
mod task;

pub(super) use self::{
    execution::run_checked,
    task::{MOST_DATA, default_element},
};

use self::{
    execution::{Ran, execute},
    members::Members,
    names::{Algorithms, Operations},
    outcome::{Line, Results, Solved},
    single::Single,
    sweep::Sweep,
    task::Task,
};

/// What the command can be told.
#[derive(Args, Debug)]
#[command(after_help = names::after_help(EXAMPLES))]
pub(super) struct Arguments {
    // The help texts of names are made from what can be spelled.
    #[arg(value_name = "OPERATION", help = names::operation_help())]
    operation: Operations,

    /// The length of the whole vector: 2K, a list 1K,4K, or a doubling range 8..1M
    #[arg(long, value_name = "SIZES", default_value = "2K", allow_negative_numbers = true)]
    bytes: Sizes,

    /// Bytes of an element, which is never divided [default: 8 for operations that combine, 1 for the others]
    #[arg(long, value_name = "BYTES", value_parser = task::read_element, allow_negative_numbers = true)]
    element: Option<u64>,

    /// The rank of the root among the members
    #[arg(long, value_name = "RANK", default_value_t = 0, value_parser = super::options::read_number::<usize>, allow_negative_numbers = true)]
    root: usize,

    /// The nodes that take part, in rank order: all, row:3, column:0, block:4x4@2+0 or a list such as 0,5,8-15
    #[arg(long, value_name = "NODES", default_value = "all")]
    members: Members,

    #[arg(long, value_name = "NAMES", default_value = "all", help = names::algorithm_help())]
    algorithm: Algorithms,

    /// Combine in rank order only, as for an operator that is not commutative
    #[arg(long)]
    in_order: bool,

    /// Which of the plans are also run, and their results checked
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Runs::Fastest)]
    run: Runs,

    /// Run with lengths instead of data, for vectors that would not fit in memory; then only lengths are checked
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
    /// The fastest for each length
    Fastest,
    /// All of them
    All,
    /// No plan: modeled times are predictions
    None,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer collective broadcast                   all algorithms on one vector
  multicomputer collective broadcast --mesh 15x30 --bytes 8..1M
                                                       a sweep over lengths
  multicomputer collective collect --members row:2 --bytes 64K --algorithm 2x5:MC,10:B,auto
                                                       strategies, in a row of the mesh
  multicomputer collective all --bytes 8,64K --run none --csv times.csv
                                                       all operations, predicted only, into a file
  multicomputer collective combine-to-all --mesh 4x4 --clock real:8 --run all
                                                       all algorithms in real time";

/// Predicts all algorithms on all tasks, runs some of them, and prints how they compare.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let description = arguments.machine.description()?;
    // A prediction needs no threads: only what is run must be a machine that this host can run.
    let machine = match arguments.run {
        Runs::None => None,
        _ => Some(options.build(&description, options.clock())?),
    };
    let content = match arguments.phantom {
        true => Content::Phantom,
        false => Content::Random { seed: options.seed },
    };
    let tasks = task::tasks(arguments, &description, content)?;
    let csv = CsvFile::create(options.csv(), csv::HEADER)?;
    let labels: Vec<String> = tasks.iter().flat_map(|task| labels(arguments.run, task)).collect();
    let mut traces = Traces::create(options.trace(), &labels)?;

    let progress = Progress::new(tasks.iter().map(|task| task.asked.len()).sum());
    let solved = csv.fill(|csv| {
        let mut solver = Solver {
            arguments,
            machine: machine.as_ref(),
            content,
            progress: &progress,
            traces: &mut traces,
            csv,
        };
        let solved = tasks.into_iter().map(|task| solver.solve(task)).collect::<Result<Vec<_>, Error>>()?;
        // Where nothing at all can be done, the reason is not for a table.
        let lines = || solved.iter().flat_map(|solved| &solved.lines);
        if let (true, Some(cause)) =
            (lines().all(|line| line.figures.is_err()), lines().find_map(|line| line.figures.as_ref().err()))
        {
            csv.discard();
            return Err(Error::usage(cause.as_str()));
        }
        Ok(solved)
    })?;
    drop(progress);

    let results = Results { clock: options.clock(), content, solved };
    for (index, solved) in results.by_operation().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        match solved {
            [one] => write!(out, "{}", Single { results: &results, solved: one })?,
            several => write!(out, "{}", Sweep { results: &results, solved: several })?,
        }
    }
    Ok(write!(out, "{traces}")?)
}

/// What the traces of a task's runs are called.
fn labels(runs: Runs, task: &Task) -> Vec<String> {
    match runs {
        Runs::None => Vec::new(),
        Runs::Fastest => vec![label(task, FASTEST)],
        Runs::All => task.asked.iter().map(|asked| label(task, &asked.name)).collect(),
    }
}

/// In the names of traces what stands for the algorithm, if the fastest is run.
const FASTEST: &str = "fastest";

/// What the trace of a run is called.
fn label(task: &Task, algorithm: &str) -> String {
    let is_harmless = |c: char| c.is_alphanumeric() || c == '-';
    let algorithm: String = algorithm.chars().map(|c| if is_harmless(c) { c } else { '-' }).collect();
    format!("{}-{}-{algorithm}", task.task.operation(), task.task.bytes())
}

/// Makes plans, and runs those that are to be run.
struct Solver<'a> {
    arguments: &'a Arguments,
    /// There is one if something is run.
    machine: Option<&'a Machine>,
    content: Content,
    progress: &'a Progress,
    traces: &'a mut Traces,
    csv: &'a mut CsvFile<{ csv::HEADER.len() }>,
}

impl Solver<'_> {
    fn solve(&mut self, task: Task) -> Result<Solved, Error> {
        let runs = self.arguments.run;
        let mut solved = Solved { bound: task.task.lower_bound(), task, lines: Vec::new() };
        let mut fastest: Option<(Span, usize, Plan)> = None;
        for number in 0..solved.task.asked.len() {
            let task = &solved.task;
            let asked = &task.asked[number];
            self.progress.begin(&format!("{} by {}", task.name(), asked.name));
            let plan = match &asked.algorithm {
                Ok(algorithm) => algorithm.plan(&task.task).map_err(|cause| cause.to_string()),
                Err(cause) => Err(cause.to_string()),
            };
            let mut line = Line::of(&asked.name, plan.as_ref());
            if let (Runs::All, Ok(plan), Ok(figures)) = (runs, &plan, &mut line.figures) {
                figures.ran = self.execute(task, plan, &asked.name, &asked.name)?;
            }
            if let (Ok(plan), Some(modeled)) = (plan, line.modeled()) {
                let is_faster = fastest.as_ref().is_none_or(|&(least, ..)| modeled < least);
                if is_faster && runs == Runs::Fastest {
                    fastest = Some((modeled, solved.lines.len(), plan));
                }
            }
            if runs != Runs::Fastest {
                self.csv.row(csv::row(self.arguments, &solved, &line))?;
            }
            solved.lines.push(line);
            self.progress.end();
        }
        if let Some((_, index, plan)) = fastest {
            let ran = self.execute(&solved.task, &plan, &solved.lines[index].algorithm, FASTEST)?;
            if let Ok(figures) = &mut solved.lines[index].figures {
                figures.ran = ran;
            }
        }
        // Which of them is run is known only now.
        if runs == Runs::Fastest {
            solved.lines.iter().try_for_each(|line| self.csv.row(csv::row(self.arguments, &solved, line)))?;
        }
        Ok(solved)
    }

    /// Runs a plan.
    fn execute(
        &mut self,
        task: &Task,
        plan: &Plan,
        algorithm: &str,
        label: &str,
    ) -> Result<Option<Ran>, Error> {
        let Some(machine) = self.machine else { return Ok(None) };
        let clock = clock::name(self.arguments.options.clock());
        let case = format!("{} by {algorithm}, {clock} time", task.name());
        self.progress.begin(&case);
        let modeled = plan.prediction().modeled.since_start();
        patience::announce(self.arguments.options.clock(), modeled, &case, self.progress)?;
        let trace = self.traces.of(self::label(task, label));
        execute(machine, plan, self.content, &case, trace).map(Some)
    }
}

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Runs::Fastest => "fastest",
            Runs::All => "all",
            Runs::None => "none",
        })
    }
}
