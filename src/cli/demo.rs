//! `multicomputer demo`, and `multicomputer` alone: an s-to-p broadcast of real data from several placements of the
//! sources, in virtual and in real time.

use std::{fmt, io::Write};

use clap::Args;
use multicomputer::{
    Clock, Machine,
    model::Description,
    stop::{Algorithm, Distribution, Instance, Plan},
    units::{Sizes, format_bytes},
};

use super::{
    broadcast::broadcast,
    clock,
    data::Content,
    error::Error,
    files::{CsvFile, Traces},
    options::{MachineOptions, RunOptions, as_grid, read_number},
    patience,
    progress::Progress,
};

mod results;

use self::results::{Outcome, Results};

/// So many sources unless told otherwise, or all nodes of a smaller machine.
const DEFAULT_SOURCES: usize = 30;

/// Where the sources are unless told otherwise.
const DEFAULT_DISTRIBUTIONS: [Distribution; 3] =
    [Distribution::Row, Distribution::RightDiagonal, Distribution::SquareBlock];

/// What the command can be told.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// How many nodes hold a message [default: as many as a block or a list has, otherwise 30, or all nodes of a
    /// smaller machine]
    #[arg(long, value_name = "NUMBER", value_parser = read_number::<usize>, allow_negative_numbers = true)]
    sources: Option<usize>,

    /// The length of each message: 2K, a list 1K,4K, or a doubling range 8..64K
    #[arg(long, value_name = "SIZES", default_value = "2K", allow_negative_numbers = true)]
    bytes: Sizes,

    // The help text is made from what can be spelled.
    #[arg(long, value_name = "NAME", value_delimiter = ',', help = distribution_help())]
    distribution: Vec<Distribution>,

    #[command(flatten)]
    machine: MachineOptions,

    #[command(flatten)]
    options: RunOptions,
}

fn distribution_help() -> String {
    let default = DEFAULT_DISTRIBUTIONS.map(|distribution| distribution.name()).join(", ");
    format!(
        "Where the sources are; may be given several times, or as a list: {} [default: {default}]",
        Distribution::spellings()
    )
}

/// One run of the demonstration.
#[derive(Clone, Debug)]
struct Case {
    clock: Clock,
    bytes: u64,
    distribution: Distribution,
}

/// `row, 2 KiB, virtual`
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.distribution, format_bytes(self.bytes), clock::name(self.clock))
    }
}

/// Runs all cases, and prints their table and what it shows.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let description = arguments.machine.description()?;
    let fixed = arguments.distribution.iter().find_map(Distribution::sources);
    let sources = arguments.sources.or(fixed).unwrap_or(DEFAULT_SOURCES.min(description.nodes()));
    let clocks = options.clocks();
    let machines = clocks.iter().map(|&clock| Ok((clock, options.build(&description, clock)?)));
    let machines: Vec<(Clock, Machine)> = machines.collect::<Result<_, Error>>()?;
    // Only now: machines that this host cannot run have been refused, and theirs would not fit in memory.
    let plans = plans(arguments, &description, sources)?;

    let mut cases = Vec::new();
    for (clock, machine) in &machines {
        for (bytes, distribution, plan) in &plans {
            let case = Case { clock: *clock, bytes: *bytes, distribution: distribution.clone() };
            cases.push((case, machine, plan));
        }
    }
    // Before the first run, for virtual time comes first.
    for (case, _, plan) in &cases {
        patience::check(case.clock, plan.prediction().modeled.since_start(), &case.to_string())?;
    }
    let (many_sizes, many_clocks) = (arguments.bytes.as_slice().len() > 1, clocks.len() > 1);
    let labels: Vec<String> = cases.iter().map(|(case, ..)| case.label(many_sizes, many_clocks)).collect();
    let csv = CsvFile::create(options.csv(), results::HEADER)?;
    let mut traces = Traces::create(options.trace(), &labels)?;

    let progress = Progress::new(cases.len());
    let results = csv.fill(|csv| {
        let mut results = Results::new(&description, sources);
        for ((case, machine, plan), label) in cases.into_iter().zip(labels) {
            progress.begin(&case.to_string());
            let modeled = plan.prediction().modeled.since_start();
            patience::announce(case.clock, modeled, &case.to_string(), &progress)?;
            let run = broadcast(machine, plan, Content::Random { seed: options.seed }, &case)?;
            traces.of(label).write(&run)?;
            let bound = plan.instance().lower_bound();
            let outcome = Outcome { case, report: run.report, wall: run.wall, bound };
            csv.row(results.row(&outcome))?;
            results.add(outcome);
            progress.end();
        }
        Ok(results)
    })?;
    drop(progress);
    Ok(write!(out, "{results}{traces}")?)
}

/// The broadcasts of all sizes from the distributions asked for, each once, in the order in which they are named; from
/// the default ones if none is.
fn plans(
    arguments: &Arguments,
    description: &Description,
    sources: usize,
) -> Result<Vec<(u64, Distribution, Plan)>, Error> {
    let grid = as_grid(description);
    let mut asked: Vec<Distribution> = Vec::new();
    for distribution in &arguments.distribution {
        if !asked.contains(distribution) {
            asked.push(distribution.clone());
        }
    }
    if asked.is_empty() {
        asked.extend(DEFAULT_DISTRIBUTIONS);
    }
    let mut plans = Vec::new();
    for bytes in &arguments.bytes {
        for distribution in &asked {
            let ranks = distribution.place(grid, sources).map_err(Error::usage)?;
            let instance = Instance::new(description, &ranks, &vec![bytes; sources]).map_err(Error::usage)?;
            let plan = Algorithm::BR_LIN.plan(&instance).map_err(Error::usage)?;
            plans.push((bytes, distribution.clone(), plan));
        }
    }
    Ok(plans)
}

impl Case {
    /// What tells this case from the others, for the name of a file.
    fn label(&self, with_bytes: bool, with_clock: bool) -> String {
        let mut label = self.distribution.to_string().replace(':', "-"); // not allowed on every host
        if with_bytes {
            label += &format!("-{}", self.bytes);
        }
        if with_clock {
            label += &format!("-{}", clock::name(self.clock));
        }
        label
    }
}
