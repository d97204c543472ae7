//! `multicomputer s-to-p`: compares s-to-p broadcast algorithms, on one problem in detail, or in a sweep over machines,
//! distributions, numbers of sources and lengths.

use std::io::Write;

use clap::Args;
use multicomputer::{
    Rank,
    model::MachineSpec,
    s_to_p::{Algorithm, Distribution},
    units::Sizes,
};
use multicomputer_study::{Axis, Operation, Problem, place_sources};

use super::{
    compare::Runs,
    count::counted,
    error::Error,
    lists::{List, algorithm_lines, is_all, lengths},
    operations::{CompareOptions, Compared, Task, cell},
    site::Site,
};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(super) struct Arguments {
    /// Set the number of sources, the nodes that hold a message: 30, a list 1,5,10, a doubling range 1..64, or a
    /// range in steps 10..100+10 [default: the size of a block or a list; otherwise 30, or all nodes of a smaller
    /// machine]
    #[arg(long, value_name = "NUMBERS", value_parser = counts, allow_negative_numbers = true)]
    sources: Option<List<usize>>,

    // The help texts are generated from the names of distributions and algorithms.
    #[arg(long, value_name = "NAMES", default_value = "row", value_parser = distributions, help = distribution_help())]
    distribution: List<Distribution>,

    /// Choose the ranks of the sources, such as 0,5,17
    #[arg(long, value_name = "RANKS", value_parser = ranks, conflicts_with_all = ["sources", "distribution"])]
    at: Option<List<Rank>>,

    /// Set the length of each message: 2K, a list 1K,4K, or a doubling range 8..64K (K is 1024 bytes, kB 1000)
    #[arg(long, value_name = "SIZES", default_value = "2K", allow_negative_numbers = true)]
    bytes: Sizes,

    /// Set the lengths of the messages, in the order of the sources' ranks or of --at: 64K,29x32 is one message of 64
    /// KiB and 29 of 32 bytes
    #[arg(long, value_name = "LENGTHS", value_parser = lengths, conflicts_with = "bytes")]
    lengths: Option<List<u64>>,

    #[command(flatten)]
    pub(super) compared: CompareOptions,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer s-to-p                                 all algorithms on one problem
  multicomputer s-to-p --at 0,7,42 --bytes 8M --phantom
                                                       given sources, long messages without data
  multicomputer s-to-p --sources 6 --lengths 64K,5x32  one long message, five short ones
  multicomputer s-to-p --sources 10..100+10 --algorithm br-lin,2-step,auto
                                                       a sweep over the number of sources
  multicomputer s-to-p --mesh 4x4,8x8,16x16 --bytes 64..16K --csv times.csv
                                                       over shapes and lengths, into a file
  multicomputer s-to-p --mesh 4x4 --algorithm auto --clock real:8
                                                       in real time";

/// Returns the end of the help: algorithms and examples.
fn after_help() -> String {
    let names =
        |algorithms: &[Algorithm]| algorithms.iter().map(Algorithm::name).collect::<Vec<_>>().join(", ");
    let known = Algorithm::PAPER.iter().chain(Algorithm::BEYOND).chain(Algorithm::FOR_SOME).cloned();
    let known = known.chain([Algorithm::AUTO]);
    format!(
        "Algorithms:\n{}\n\nGroups: paper ({}), beyond ({}, {}), all; {} chooses the fastest.\n\n{EXAMPLES}",
        algorithm_lines(known, 31),
        names(Algorithm::PAPER),
        names(Algorithm::BEYOND),
        names(Algorithm::FOR_SOME),
        Algorithm::AUTO
    )
}

/// Runs all algorithms on all problems, and prints the comparison.
pub(super) fn run(arguments: &Arguments, site: &Site, out: &mut impl Write) -> Result<(), Error> {
    let compared = Compared {
        title: "S-to-p broadcasting",
        operations: &[Operation::SToP],
        options: &arguments.compared,
        with: &[],
        seeds: 1,
        bandwidth: false,
        default_runs: |_| Runs::All,
    };
    compared.run(site, |machine| tasks(arguments, machine), out)
}

/// Returns all requested problems of a machine, ordered by distribution, number of sources, length.
fn tasks(arguments: &Arguments, machine: &MachineSpec) -> Result<Vec<Task>, Error> {
    let mut tasks = Vec::new();
    for (distribution, sources) in placements(arguments, machine)? {
        let lengths: Vec<Vec<u64>> = match &arguments.lengths {
            Some(lengths) if lengths.len() != sources.len() && !arguments.has_number_of_sources() => {
                return Err(Error::usage(format!(
                    "{} given, and {distribution} on {} has {}: give a length for each source, or --sources or --at",
                    match lengths.len() {
                        1 => "1 length is".to_owned(),
                        given => format!("{given} lengths are"),
                    },
                    machine.name(),
                    counted(sources.len(), "source"),
                )));
            }
            Some(lengths) => vec![lengths.to_vec()],
            None => (&arguments.bytes).into_iter().map(|bytes| vec![bytes; sources.len()]).collect(),
        };
        for lengths in lengths {
            let problem = Problem::s_to_p(machine, &sources, &lengths).map_err(Error::usage)?;
            tasks.push(Task::new(problem, [cell("distribution", &distribution, &distribution)]));
        }
    }
    Ok(tasks)
}

/// Returns all placements of the sources on a machine, as name and ranks. The ranks of `--at` are named like a
/// distribution: `list:0+5`.
fn placements(arguments: &Arguments, machine: &MachineSpec) -> Result<Vec<(String, Vec<Rank>)>, Error> {
    if let Some(ranks) = &arguments.at {
        let names: Vec<String> = ranks.iter().map(Rank::to_string).collect();
        return Ok(vec![(format!("list:{}", names.join("+")), ranks.to_vec())]);
    }
    let counts = arguments
        .sources
        .as_deref()
        .map_or_else(|| vec![None], |counts| counts.iter().copied().map(Some).collect());
    let each = arguments
        .distribution
        .iter()
        .flat_map(|distribution| counts.iter().map(move |&count| (distribution, count)));
    let place = |(distribution, count): (&Distribution, Option<usize>)| {
        let sources = place_sources(machine, distribution, count).map_err(Error::usage)?;
        Ok((distribution.to_string(), sources))
    };
    each.map(place).collect()
}

impl Arguments {
    /// Returns whether the arguments set the number of sources.
    fn has_number_of_sources(&self) -> bool {
        let has_own_number = |distribution: &Distribution| distribution.sources().is_some();
        self.sources.is_some() || self.at.is_some() || self.distribution.iter().any(has_own_number)
    }
}

/// Returns the help text of `--distribution`.
fn distribution_help() -> String {
    format!(
        "Place the sources, comma-separated: {}; all selects the distributions up to band",
        Distribution::spellings()
    )
}

/// Parses distributions: without duplicates, in the order given.
fn distributions(text: &str) -> Result<List<Distribution>, String> {
    let read = |item: &str| match item {
        all if is_all(all) => Ok(Distribution::ALL.to_vec()),
        name => match name.parse::<Distribution>() {
            Ok(distribution) => Ok(vec![distribution]),
            Err(cause) => Err(cause.to_string()),
        },
    };
    Ok(List::read(text, read)?.without_duplicates())
}

/// Parses numbers of sources, in the order given: a list of numbers and ranges.
fn counts(text: &str) -> Result<List<usize>, String> {
    let counts = Axis::Sources.expand(text)?.into_iter();
    let counts = counts.map(|count| count.parse().map_err(|_| format!("`{count}` sources are too many")));
    Ok(List::of(counts.collect::<Result<Vec<usize>, _>>()?))
}

/// Parses ranks, in the order given.
fn ranks(text: &str) -> Result<List<Rank>, String> {
    List::read(text, |item| match item.parse() {
        Ok(rank) => Ok([rank]),
        Err(_) => Err(format!("`{item}` is not a rank: write whole numbers such as 0,5,17")),
    })
}
