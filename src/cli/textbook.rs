//! `multicomputer textbook`: the textbook's algorithms and figures as runs, its equations beside the modeled times.
//!
//! One thing on one network is shown in full, step by step. Several are a table. Everything is run on real threads,
//! with data that is checked; what is modeled, what the equation says and what links the messages of a step share is
//! put side by side.

use std::io::Write;

use clap::Args;
use multicomputer::model::Description;

use super::{
    error::Error,
    files::{CsvFile, Traces},
    options::{RunOptions, read_machine, read_number},
    progress::Progress,
};

mod case;
mod compare;
mod csv;
mod execution;
mod list;
mod matrix;
mod names;
mod outcome;
mod parameters;
mod single;
mod steps;
mod words;

use self::{
    case::Case,
    execution::Executor,
    names::{Items, Topologies, Words},
    outcome::Outcome,
    parameters::ParameterOptions,
};

/// What the command can be told.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    // The help text is made from what can be spelled.
    #[arg(value_name = "WHAT", required_unless_present = "list", help = names::help())]
    what: Option<Items>,

    /// Print all algorithms with their equations, and all figures
    #[arg(long, conflicts_with = "what")]
    list: bool,

    /// The network, or a list: ring:8,mesh:4x4,hypercube:16 [default: the one that the algorithm is made for]
    #[arg(long, value_name = "TOPOLOGY", conflicts_with = "machine")]
    topology: Option<Topologies>,

    /// The machine instead: paragon:16x32, hockney:10x10, line:8, or a machine file (.toml); may be given several times
    #[arg(long, value_name = "MACHINE", value_parser = read_machine)]
    machine: Vec<Description>,

    /// Words of a message from one node: 1000, a list 10,1000, or a doubling range 1..64K: of the whole vector of a one-to-all broadcast or an all-to-one
    /// reduction, of each node's block in the all-to-all operations; of example-4.1 the rows of the matrix
    /// [default: 1000; of example-4.1 one element a node]
    #[arg(long, value_name = "NUMBERS", allow_negative_numbers = true)]
    words: Option<Words>,

    /// Bytes of a word
    #[arg(long, value_name = "BYTES", default_value_t = 8, value_parser = names::read_word, allow_negative_numbers = true)]
    word_bytes: u64,

    /// The source of a one-to-all broadcast, or the destination of an all-to-one reduction [default: 0]
    #[arg(long, value_name = "RANK", visible_alias = "destination", value_parser = read_number::<usize>, allow_negative_numbers = true)]
    source: Option<usize>,

    /// How many sources `pipelined` and `in-turn` have, spread evenly from node 0 on [default: all nodes]
    #[arg(long, value_name = "NUMBER", value_parser = read_number::<usize>, allow_negative_numbers = true)]
    sources: Option<usize>,

    /// Combine in rank order only, as for an operator that is not commutative
    #[arg(long)]
    in_order: bool,

    #[command(flatten)]
    parameters: ParameterOptions,

    /// Run with lengths instead of data, for vectors that would not fit in memory; then only lengths are checked
    #[arg(long)]
    phantom: bool,

    /// Show all steps with all messages, however many they are
    #[arg(long)]
    full: bool,

    #[command(flatten)]
    options: RunOptions,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer textbook --list                        all algorithms, equations and figures
  multicomputer textbook 4.7                           on the network that it is made for
  multicomputer textbook fig-4.12                      the same on a ring: congestion
  multicomputer textbook 4.2 --source 5 --topology mesh:3x4 --strict
                                                       from any source, with the book's sends
  multicomputer textbook 4.4,4.6,4.7 --topology ring:16,mesh:4x4,hypercube:16 --words 10,1000
                                                       a table: every algorithm on every network
  multicomputer textbook example-4.1 --topology mesh:4x4 --words 64 --gamma 100ns
                                                       a matrix of 64 x 64 times a vector
  multicomputer textbook all                           every algorithm where it belongs";

/// Shows what is asked for.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let Some(items) = arguments.what.as_ref().filter(|_| !arguments.list) else {
        return Ok(write!(out, "{}", list::List)?);
    };
    let cases = case::cases(arguments, items.as_slice())?;
    let options = &arguments.options;
    let machines = cases.iter().map(|case| options.build(&case.machine, options.clock()));
    let machines = machines.collect::<Result<Vec<_>, Error>>()?;
    let csv = CsvFile::create(options.csv(), csv::HEADER)?;
    let labels: Vec<String> = cases.iter().map(Case::label).collect();
    let mut traces = Traces::create(options.trace(), &labels)?;

    let progress = Progress::new(cases.len());
    let executor = Executor { arguments, progress: &progress, in_full: cases.len() == 1 };
    let outcomes = csv.fill(|csv| {
        let mut outcomes: Vec<Outcome> = Vec::new();
        for ((case, machine), label) in cases.into_iter().zip(&machines).zip(labels) {
            progress.begin(&case.to_string());
            let outcome = executor.execute(case, machine, traces.of(label))?;
            csv.row(csv::row(&outcome, arguments))?;
            outcomes.push(outcome);
            progress.end();
        }
        // Where nothing at all can be done, the reason is not for a table.
        let cause = outcomes.iter().find_map(|outcome| outcome.figures.as_ref().err());
        if let (true, Some(cause)) = (outcomes.iter().all(|outcome| outcome.figures.is_err()), cause) {
            csv.discard();
            return Err(Error::usage(cause.as_str()));
        }
        Ok(outcomes)
    })?;
    drop(progress);

    match &outcomes[..] {
        [outcome] => write!(out, "{}", single::Single { arguments, outcome })?,
        outcomes => write!(out, "{}", compare::Comparison { arguments, outcomes })?,
    }
    Ok(write!(out, "{traces}")?)
}
