//! `multicomputer demo`, and `multicomputer` alone: an s-to-p broadcast of real data from several placements of the
//! sources, in virtual and in real time.
//!
//! The data is made before the runs and checked after them, so that neither takes host time from the nodes while the
//! clock is running: in real time what a program computes counts. Every node's program returns what it holds, and each
//! byte of it is compared with what its source had, made afresh: the nodes pass data on by reference, and the copy that
//! it is compared with is not part of what they share.

use std::{fmt, io::Write};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use multicomputer::{
    Clock, Machine, Payload, Run,
    comm::MAX_MESSAGE,
    prelude::*,
    stop::{Distribution, Schedule, br_lin},
    topology::Grid,
    units::{Sizes, format_bytes},
};

use super::{
    clock, data,
    error::Error,
    files::{OutputFile, TraceFiles},
    options::RunOptions,
    progress::Progress,
};

mod results;

use self::results::Results;

/// So many sources unless told otherwise, or all nodes of a smaller machine.
const DEFAULT_SOURCES: usize = 30;

/// What the command can be told.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// How many nodes hold a message [default: 30, or all nodes of a smaller machine]
    #[arg(long, value_name = "NUMBER")]
    sources: Option<usize>,

    /// The length of each message: 2K, a list 1K,4K, or a doubling range 8..64K
    #[arg(long, value_name = "SIZES", default_value = "2K")]
    bytes: Sizes,

    /// Where the sources are; may be given several times, or as a list [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = distributions())]
    distribution: Vec<Distribution>,

    #[command(flatten)]
    options: RunOptions,
}

/// Reads a distribution; the help lists their names.
fn distributions() -> impl TypedValueParser<Value = Distribution> {
    PossibleValuesParser::new(Distribution::ALL.map(Distribution::name))
        .try_map(|name| name.parse::<Distribution>())
}

/// One run of the demonstration.
#[derive(Clone, Copy, Debug)]
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

/// A source distribution with what follows from it.
struct Placement {
    distribution: Distribution,
    schedule: Schedule,
}

/// Runs all cases, and prints their table and what it shows.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let description = options.description()?;
    let grid = description.topology().grid().ok_or_else(|| {
        Error::usage(format!("{} has no rows and columns to place the sources on", description.name()))
    })?;
    let sources = arguments.sources.unwrap_or(DEFAULT_SOURCES.min(grid.nodes()));
    let clocks = options.clocks();
    let machines = clocks.iter().map(|&clock| Ok((clock, options.build(&description, clock)?)));
    let machines: Vec<(Clock, Machine)> = machines.collect::<Result<_, Error>>()?;
    // Only now: machines that this host cannot run have been refused, and theirs would not fit in memory.
    let placements = placements(arguments, grid, sources)?;

    let mut cases = Vec::new();
    for (clock, machine) in &machines {
        for bytes in &arguments.bytes {
            for placement in &placements {
                let case = Case { clock: *clock, bytes, distribution: placement.distribution };
                cases.push((case, machine, placement));
            }
        }
    }
    let (many_sizes, many_clocks) = (arguments.bytes.as_slice().len() > 1, clocks.len() > 1);
    let labels: Vec<String> = cases.iter().map(|(case, ..)| case.label(many_sizes, many_clocks)).collect();
    let csv = options.csv.as_ref().map(OutputFile::create).transpose()?;
    let traces = TraceFiles::create(options.trace(), &labels)?;

    let mut results = Results::new(&description, sources);
    let progress = Progress::new(cases.len());
    for ((case, machine, placement), trace) in cases.into_iter().zip(traces.into_files()) {
        progress.begin(&case.to_string());
        let run = broadcast(machine, &placement.schedule, options.seed, case)?;
        if let Some(trace) = trace {
            trace.write_trace(&run)?;
        }
        results.add(case, run.report, run.wall);
        progress.end();
    }
    drop(progress);
    write!(out, "{results}")?;
    match csv {
        Some(csv) => results.write_csv(csv),
        None => Ok(()),
    }
}

/// The schedules of the distributions asked for, each once; all of them if none is.
fn placements(arguments: &Arguments, grid: Grid, sources: usize) -> Result<Vec<Placement>, Error> {
    let asked = &arguments.distribution;
    let mut placements = Vec::new();
    for distribution in Distribution::ALL.into_iter().filter(|one| asked.is_empty() || asked.contains(one)) {
        let ranks = distribution.place(grid, sources).map_err(Error::usage)?;
        let schedule = Schedule::br_lin(grid, &ranks).map_err(Error::usage)?;
        check_lengths(&schedule, &arguments.bytes)?;
        placements.push(Placement { distribution, schedule });
    }
    Ok(placements)
}

/// Refuses messages that would become too long on the way.
fn check_lengths(schedule: &Schedule, sizes: &Sizes) -> Result<(), Error> {
    let sent =
        (0..schedule.nodes()).flat_map(|rank| schedule.steps(rank)).filter_map(|step| step.action.sent());
    let blocks = sent.map(|blocks| blocks.len() as u64).max().unwrap_or(1);
    match sizes.into_iter().find(|size| size.saturating_mul(blocks) > MAX_MESSAGE) {
        None => Ok(()),
        Some(size) => Err(Error::usage(format!(
            "--bytes {}: {blocks} of them travel as one message, and a message has at most {}",
            format_bytes(size),
            format_bytes(MAX_MESSAGE)
        ))),
    }
}

/// Broadcasts and checks what every node has in the end.
fn broadcast(
    machine: &Machine,
    schedule: &Schedule,
    seed: u64,
    case: Case,
) -> Result<Run<Vec<Payload>>, Error> {
    let sources = schedule.sources();
    let message = |&source: &Rank| data::message(seed, source, case.bytes);
    let messages: Vec<Payload> = sources.iter().map(message).map(Payload::from).collect();
    let lengths = vec![case.bytes; sources.len()];
    let run = machine.run(|node| {
        let source = sources.iter().position(|&source| source == node.rank());
        let mine = source.map(|source| messages[source].clone());
        Ok(br_lin(node.world(), schedule, &lengths, mine)?)
    })?;
    for (block, source) in sources.iter().enumerate() {
        let expected = message(source);
        for (rank, received) in run.outputs.iter().enumerate() {
            let received = received.get(block).and_then(|payload| payload.to_bytes().ok());
            if received.is_none_or(|received| received != expected) {
                return Err(Error::Wrong(format!(
                    "node {rank} has other bytes than source {source} sent ({case})"
                )));
            }
        }
    }
    Ok(run)
}

impl Case {
    /// What tells this case from the others, for the name of a file.
    fn label(self, with_bytes: bool, with_clock: bool) -> String {
        let mut label = self.distribution.to_string();
        if with_bytes {
            label += &format!("-{}", self.bytes);
        }
        if with_clock {
            label += &format!("-{}", clock::name(self.clock));
        }
        label
    }
}
