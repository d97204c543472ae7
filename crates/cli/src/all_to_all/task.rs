//! All-to-all problems of a sweep: one for each matrix.

use std::path::Path;

use multicomputer::{
    all_to_all::{Figures, Generator, Instance, Matrix, MatrixReader},
    model::MachineSpec,
    names,
    units::{format_bytes, format_with_limit},
};

use super::{
    super::{
        count::counted,
        data::{Content, MAX_DATA},
        error::Error,
    },
    Arguments,
};

/// Maximum number of nodes for a random matrix, which has an entry for each pair of nodes.
const MAX_NODES: usize = 1 << 14;

/// Maximum number of seeds.
const MAX_SEEDS: u64 = 10_000;

/// A number from 0 to 1, and its text as given: `1/32`, `0.25`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fraction {
    pub(super) spelled: String,
    value: f64,
}

/// An all-to-all problem.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) instance: Instance,
    pub(super) figures: Figures,
    /// Description of the matrix: `figure 1`, `fan-out 32, traffic 64 KiB, non-uniformity 1/32, seed 1`
    pub(super) matrix: String,
    /// Generator and skew of a random matrix.
    pub(super) generated: Option<(Generator, Fraction)>,
}

/// Parses a number of seeds.
pub(super) fn seeds(text: &str) -> Result<u64, String> {
    let seeds = text.trim().parse().ok().filter(|seeds| (1..=MAX_SEEDS).contains(seeds));
    seeds.ok_or_else(|| format!("give a whole number from 1 to {MAX_SEEDS}"))
}

/// Parses a fraction from 0 to 1.
pub(super) fn fraction(text: &str) -> Result<Fraction, String> {
    let value = multicomputer_study::read_fraction(text)?;
    Ok(Fraction { spelled: text.trim().to_owned(), value })
}

/// Returns all requested problems, at least one: the given matrix, or a random matrix for each traffic.
pub(super) fn tasks(arguments: &Arguments, machine: &MachineSpec) -> Result<Vec<Task>, Error> {
    let task = |matrix: Matrix, name: String, generated| {
        let figures = matrix.figures();
        if figures.nodes != machine.nodes() {
            return Err(Error::usage(format!(
                "{name}: the matrix is for {}, and {} has {}: choose a machine with the nodes of the matrix",
                counted(figures.nodes, "node"),
                machine.name(),
                machine.nodes()
            )));
        }
        let instance = Instance::new(machine, matrix).map_err(Error::usage)?;
        Ok(Task { instance, figures, matrix: name, generated })
    };
    if let Some(path) = &arguments.matrix {
        let (matrix, name) = match path.to_str() {
            Some(name) if names::normalized(name) == "figure1" => (Matrix::figure_1(), "figure 1".to_owned()),
            _ => (read(path, arguments.total, machine)?, path.display().to_string()),
        };
        return Ok(vec![task(matrix, name, None)?]);
    }
    if machine.nodes() > MAX_NODES {
        return Err(Error::usage(format!(
            "a random matrix for {} nodes does not fit in memory: use at most {MAX_NODES} nodes",
            machine.nodes()
        )));
    }
    let mut tasks: Vec<Task> = Vec::new();
    for traffic in &arguments.traffic {
        if tasks.iter().any(|task| task.generated.as_ref().is_some_and(|(known, _)| known.traffic == traffic))
        {
            continue;
        }
        let (nodes, seed) = (machine.nodes(), arguments.options.seed);
        let fan_out = arguments.fan_out.unwrap_or(nodes);
        let one_of_all = || Fraction { spelled: format!("1/{fan_out}"), value: 1.0 / fan_out.max(1) as f64 };
        let fraction = arguments.nonuniformity.clone().unwrap_or_else(one_of_all);
        let generator = Generator { nodes, fan_out, traffic, nonuniformity: fraction.value, seed };
        let (bytes, spelled) = (format_bytes(traffic), &fraction.spelled);
        let name = format!("fan-out {fan_out}, traffic {bytes}, non-uniformity {spelled}, seed {seed}");
        tasks.push(task(generator.matrix().map_err(Error::usage)?, name, Some((generator, fraction)))?);
    }
    Ok(tasks)
}

/// Reads the matrix in a file.
fn read(path: &Path, total: Option<u64>, machine: &MachineSpec) -> Result<Matrix, Error> {
    let reader = MatrixReader::new().nodes(machine.nodes());
    let reader = total.map_or(reader, |total| reader.total(total));
    reader.from_file(path).map_err(Error::usage)
}

/// Returns an error if the data of a task exceeds the limit for runs.
pub(super) fn check(task: &Task, content: Content) -> Result<(), Error> {
    match content {
        Content::Random { .. } if task.figures.bytes > u128::from(MAX_DATA) => {
            let [data, most] =
                format_with_limit(u64::try_from(task.figures.bytes).unwrap_or(u64::MAX), MAX_DATA);
            Err(Error::usage(format!(
                "the nodes would send {data} of data, and the limit is {most}: use --phantom (lengths only) or \
                 --run none (predict only)"
            )))
        }
        _ => Ok(()),
    }
}
