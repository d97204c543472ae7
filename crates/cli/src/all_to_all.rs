//! `multicomputer all-to-all`: compares all-to-all algorithms, on one matrix or a sweep of matrices.
//!
//! Algorithms with a schedule are predicted. Other algorithms are run, since only a run shows their time.

use std::{io::Write, path::PathBuf};

use clap::Args;
use multicomputer::{
    all_to_all::{Algorithm, Matrix, MatrixReader},
    model::MachineSpec,
    names,
    units::{Sizes, format_bytes},
};
use multicomputer_study::{Operation, Problem, matrix, read_fraction};

use super::{
    compare::Runs,
    count::counted,
    error::Error,
    lists::algorithm_lines,
    operations::{Cell, CompareOptions, Compared, Task, cell},
    options::{read_bytes, read_number},
    site::Site,
};

/// Maximum number of seeds.
const MAX_SEEDS: u64 = 10_000;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(super) struct Arguments {
    /// Read the communication matrix from a file: a row for each sender with the bytes for each receiver, separated by
    /// commas, tabs or blanks; an edge list (sender, receiver, bytes); or MatrixMarket. Or take figure-1 of the paper
    /// [default: equal messages, by --fan-out and --traffic; with --nonuniformity a random matrix]
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

    /// Take a random matrix with the skew l, from 0 to 1, such as 1/32 or 0.25: 1/2 is uniform; smaller values send
    /// most bytes to few nodes. A node sends the fraction l of its bytes to (1 - l) k nodes, and the rest to l k nodes;
    /// 1/k sends most bytes to one node [default: no skew, equal messages to the k nodes that follow]
    #[arg(long, value_name = "FRACTION", value_parser = fraction, allow_hyphen_values = true)]
    nonuniformity: Option<(String, f64)>,

    /// Add a custom schedule in the XML of MSCCL; repeatable
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,

    /// Run algorithms with random choices this number of times, with seeds from --seed on; the matrix stays the same
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = seeds, allow_negative_numbers = true)]
    seeds: u64,

    #[command(flatten)]
    pub(super) compared: CompareOptions,
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

/// Returns the end of the help: algorithms and examples.
fn after_help() -> String {
    let [lines, untried] =
        [Algorithm::ALL, Algorithm::UNTRIED].map(|all| algorithm_lines(all.iter().cloned(), 10));
    let waiting =
        "Column waiting: time that a node waits for sends and receives to complete, mean over nodes.";
    format!("Algorithms:\n{lines}\n\nOnly by name:\n{untried}\n\n{waiting}\n\n{EXAMPLES}")
}

/// Predicts or runs all algorithms on all matrices, and prints the comparison.
pub(super) fn run(arguments: &Arguments, site: &Site, out: &mut impl Write) -> Result<(), Error> {
    let compared = Compared {
        title: "All-to-all communication",
        operations: &[Operation::AllToAll],
        options: &arguments.compared,
        with: &arguments.with,
        seeds: arguments.seeds,
        bandwidth: false,
        default_runs: |tasks| if tasks > 1 { Runs::Fastest } else { Runs::All },
    };
    compared.run(site, |machine| tasks(arguments, machine), out)
}

/// Returns all requested problems of a machine, at least one: the given matrix, or a matrix for each traffic.
fn tasks(arguments: &Arguments, machine: &MachineSpec) -> Result<Vec<Task>, Error> {
    if let Some(path) = &arguments.matrix {
        let (matrix, name) = match path.to_str() {
            Some(name) if names::normalized(name) == "figure1" => (Matrix::figure_1(), "figure 1".to_owned()),
            _ => {
                let reader = MatrixReader::new().nodes(machine.nodes());
                let reader = arguments.total.map_or(reader, |total| reader.total(total));
                (reader.from_file(path).map_err(Error::usage)?, path.display().to_string())
            }
        };
        let figures = matrix.figures();
        if figures.nodes != machine.nodes() {
            return Err(Error::usage(format!(
                "{name}: the matrix is for {}, and {} has {}: choose a machine with the nodes of the matrix",
                counted(figures.nodes, "node"),
                machine.name(),
                machine.nodes()
            )));
        }
        let problem = Problem::all_to_all(machine, matrix).map_err(Error::usage)?;
        let cells = [
            cell("matrix", &name, &name),
            cell("fan_out", figures.fan_out, ""),
            cell("bytes", figures.traffic(), ""),
        ];
        return Ok(vec![Task::new(problem, cells)]);
    }
    let seed = arguments.compared.options.seed;
    let task = |bytes: u64| {
        let skew = arguments.nonuniformity.as_ref();
        let matrix = matrix(machine, arguments.fan_out, bytes, skew.map(|&(_, value)| value), seed);
        let problem = Problem::all_to_all(machine, matrix.map_err(Error::usage)?).map_err(Error::usage)?;
        let fan_out = arguments.fan_out.unwrap_or(machine.nodes());
        let skewed: Vec<Cell> = match skew {
            Some((spelled, _)) => vec![
                cell("skew", spelled, format!("non-uniformity {spelled}, seed {seed}")),
                cell("matrix_seed", seed, ""),
            ],
            None => vec![],
        };
        let cells = [
            cell("matrix", if skew.is_some() { "generated" } else { "equal" }, ""),
            cell("fan_out", fan_out, format!("fan-out {fan_out}")),
            cell("bytes", bytes, format!("traffic {}", format_bytes(bytes))),
        ];
        Ok(Task::new(problem, cells.into_iter().chain(skewed)))
    };
    (&arguments.traffic).into_iter().map(task).collect()
}

/// Parses a number of seeds.
fn seeds(text: &str) -> Result<u64, String> {
    let seeds = text.trim().parse().ok().filter(|seeds| (1..=MAX_SEEDS).contains(seeds));
    seeds.ok_or_else(|| format!("give a whole number from 1 to {MAX_SEEDS}"))
}

/// Parses a fraction from 0 to 1, which keeps its text.
fn fraction(text: &str) -> Result<(String, f64), String> {
    Ok((text.trim().to_owned(), read_fraction(text)?))
}
