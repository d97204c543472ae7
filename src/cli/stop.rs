//! `multicomputer stop`: the s-to-p algorithms side by side, on one problem with all that is known of it, or in a sweep
//! over machines, distributions, numbers of sources and lengths.
//!
//! What cannot be done is found out before the first run. Plans are made one at a time, each just before its run, for
//! those of a long sweep would not fit in memory together.

use std::io::Write;

use clap::Args;
use multicomputer::{Machine, units::Sizes};

use super::{
    broadcast::broadcast,
    clock,
    data::Content,
    error::Error,
    files::{CsvFile, Traces},
    options::{MachinesOptions, RunOptions},
    patience,
    progress::Progress,
};

mod csv;
mod differences;
mod growth;
mod names;
mod numbers;
mod outcome;
mod single;
mod sweep;
mod task;

use self::{
    differences::Differences,
    names::{Algorithms, Distributions},
    numbers::{Counts, Ranks},
    outcome::{Outcome, Results, Solved},
    single::Single,
    sweep::Sweep,
};

/// What the command can be told.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// How many nodes hold a message: 30, a list 1,5,10, a doubling range 1..64, or one in steps 10..100+10
    /// [default: as many as a block or a list has, otherwise 30, or all nodes of a smaller machine]
    #[arg(long, value_name = "NUMBERS", allow_negative_numbers = true)]
    sources: Option<Counts>,

    // The help texts of names are made from what can be spelled.
    #[arg(long, value_name = "NAMES", default_value = "row", help = names::distribution_help())]
    distribution: Distributions,

    /// The ranks of the sources, such as 0,5,17
    #[arg(long, value_name = "RANKS", conflicts_with_all = ["sources", "distribution"])]
    at: Option<Ranks>,

    /// The length of each message: 2K, a list 1K,4K, or a doubling range 8..64K
    #[arg(long, value_name = "SIZES", default_value = "2K", allow_negative_numbers = true)]
    bytes: Sizes,

    #[arg(long, value_name = "NAMES", default_value = "all", help = names::algorithm_help())]
    algorithm: Algorithms,

    /// Send lengths without data, for messages that would not fit in memory; then only lengths are checked
    #[arg(long)]
    phantom: bool,

    #[command(flatten)]
    machines: MachinesOptions,

    #[command(flatten)]
    options: RunOptions,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer stop                                   all algorithms on one problem
  multicomputer stop --at 0,7,42 --bytes 8M --phantom  given sources, long messages without data
  multicomputer stop --sources 10..100+10 --algorithm br-lin,2-step,auto
                                                       a sweep over the number of sources
  multicomputer stop --mesh 4x4,8x8,16x16 --bytes 64..16K --csv times.csv
                                                       over shapes and lengths, into a file
  multicomputer stop --mesh 4x4 --algorithm auto --clock real:8
                                                       in real time";

/// Runs all algorithms on all problems, and prints how they compare.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let clock = options.clock();
    let machines = arguments.machines.descriptions()?;
    let machines = machines.iter().map(|description| options.build(description, clock));
    let machines: Vec<Machine> = machines.collect::<Result<_, Error>>()?;
    // Only now: machines that this host cannot run have been refused, and their problems would not fit in memory.
    let tasks = task::tasks(arguments, &machines)?;
    let differences = Differences::of(&tasks);

    let labels: Vec<String> = tasks.iter().flat_map(|task| differences.labels(task)).collect();
    let csv = CsvFile::create(options.csv(), csv::HEADER)?;
    let mut traces = Traces::create(options.trace(), &labels)?;

    let content = match arguments.phantom {
        true => Content::Phantom,
        false => Content::Random { seed: options.seed },
    };
    let progress = Progress::new(labels.len());
    let solved = csv.fill(|csv| {
        let mut all = Vec::new();
        for task in tasks {
            let (bound, algorithms) = (task.instance.lower_bound(), task.algorithms.clone());
            let labels = differences.labels(&task);
            let mut solved = Solved { bound, task, outcomes: Vec::new() };
            for (algorithm, label) in algorithms.into_iter().zip(labels) {
                let task = &solved.task;
                let case = format!("{algorithm} on {task}, {}", clock::name(clock));
                progress.begin(&case);
                let plan = algorithm.plan(&task.instance).map_err(Error::usage)?;
                patience::announce(clock, plan.prediction().modeled.since_start(), &case, &progress)?;
                let run = broadcast(&machines[task.machine], &plan, content, &case)?;
                traces.of(label).write(&run)?;
                let outcome = Outcome::of(algorithm, &plan, &run.report);
                csv.row(csv::row(clock, &solved, &outcome))?;
                solved.outcomes.push(outcome);
                progress.end();
            }
            all.push(solved);
        }
        Ok(all)
    })?;
    drop(progress);

    let results = Results { clock, content, solved };
    match &results.solved[..] {
        [one] => write!(out, "{}", Single { results: &results, solved: one, differences })?,
        _ => write!(out, "{}", Sweep { results: &results, differences })?,
    }
    Ok(write!(out, "{traces}")?)
}
