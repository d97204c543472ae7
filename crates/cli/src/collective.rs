//! `multicomputer collective`: compares algorithms for collective operations, for one length or a sweep.

use std::{io::Write, path::PathBuf};

use clap::Args;
use multicomputer::{
    collective::{Algorithm, Operation},
    model::MachineSpec,
    units::{Sizes, parse_bytes},
};
use multicomputer_study::{self as study, Elements, Problem, Vector};

use super::{
    compare::Runs,
    error::Error,
    lists::{List, algorithm_lines, is_all, lengths},
    operations::{CompareOptions, Compared, Task, cell},
    options::read_number,
    site::Site,
};

mod members;

use self::members::Members;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(super) struct Arguments {
    // The help text is generated from the names of the operations.
    #[arg(value_name = "OPERATION", value_parser = operations, help = operation_help())]
    operation: List<Operation>,

    /// Set the length of the whole vector: 2K, a list 1K,4K, or a doubling range 8..1M (K is 1024 bytes, kB 1000)
    #[arg(long, value_name = "SIZES", default_value = "2K", allow_negative_numbers = true)]
    bytes: Sizes,

    /// Set the length of the block of every rank, for operations with blocks: 64K,15x32 is one block of 64 KiB and
    /// fifteen of 32 bytes
    #[arg(long, value_name = "LENGTHS", value_parser = lengths, conflicts_with = "bytes")]
    blocks: Option<List<u64>>,

    /// Set the bytes of an element, which is never divided [default: 8 for operations that combine, 1 for others]
    #[arg(long, value_name = "BYTES", value_parser = read_element, allow_negative_numbers = true)]
    element: Option<u64>,

    /// Set the rank of the root among the members, for operations with a root [default: 0]
    #[arg(long, value_name = "RANK", value_parser = read_number::<usize>, allow_negative_numbers = true)]
    root: Option<usize>,

    /// Choose the members, in rank order: all, row:3, column:0, block:4x4@2+0 or a list such as 0,5,8-15
    #[arg(long, value_name = "NODES", default_value = "all", value_parser = members::read)]
    members: Members,

    /// Add a custom schedule in the XML of MSCCL, which is run with data like the others; repeatable
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,

    /// Combine in rank order, as for an operator that is not commutative
    #[arg(long)]
    in_order: bool,

    /// Show bandwidths as nccl-tests defines them: algbw is the bytes of the vector over the time; busbw does not
    /// depend on the number of members, and compares with the bandwidth of a port. Not over MPI, where --csv has them
    #[arg(long)]
    bandwidth: bool,

    #[command(flatten)]
    pub(super) compared: CompareOptions,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer collective broadcast                   all algorithms on one vector
  multicomputer collective broadcast --mesh 15x30 --bytes 8..1M
                                                       a sweep over lengths
  multicomputer collective all-gather --members row:2 --bytes 64K --algorithm 2x5:MC,10:B,auto
                                                       strategies, in a row of the mesh
  multicomputer collective all --bytes 8,64K --run none --csv times.csv
                                                       all operations, predicted only, into a file
  multicomputer collective all-gather --blocks 128K,99x32
                                                       one long block and 99 short ones
  multicomputer collective all-reduce --mesh 4x4 --clock real:8 --run all
                                                       all algorithms in real time
  multicomputer collective all-gather --machine complete:8 --with ring.xml
                                                       with a schedule of MSCCL";

/// Returns the end of the help: algorithms and examples.
fn after_help() -> String {
    format!(
        "Algorithms:\n{}\n\nOnly by name:\n{}\n\nAlso strategies such as 2x3x5:SSMCC or 6x5:SMC,columns.\n\n{EXAMPLES}",
        algorithm_lines(Algorithm::NAMED.iter().cloned(), 11),
        algorithm_lines(Algorithm::UNTRIED.iter().cloned(), 11)
    )
}

/// Predicts all algorithms on all tasks, runs the chosen plans, and prints the comparison.
pub(super) fn run(arguments: &Arguments, site: &Site, out: &mut impl Write) -> Result<(), Error> {
    let operations = &arguments.operation;
    check_option(operations, arguments.root.is_some(), Operation::has_root, "with a root", "--root")?;
    check_option(operations, arguments.in_order, Operation::combines, "that combines", "--in-order")?;
    if let (Some(_), Some(operation)) =
        (&arguments.blocks, operations.iter().find(|operation| !operation.has_blocks()))
    {
        let all = Operation::ALL.into_iter().filter(|operation| operation.has_blocks());
        return Err(Error::usage(format!(
            "--blocks is not for {operation}: use --bytes, or choose an operation with blocks ({})",
            all.map(Operation::name).collect::<Vec<_>>().join(", ")
        )));
    }
    let compared = Compared {
        title: "Collective communication",
        operations: &operations.iter().copied().map(study::Operation::Collective).collect::<Vec<_>>(),
        options: &arguments.compared,
        with: &arguments.with,
        seeds: 1,
        bandwidth: arguments.bandwidth,
        default_runs: |_| Runs::Fastest,
    };
    compared.run(site, |machine| tasks(arguments, machine), out)
}

/// Returns all requested tasks of a machine, ordered by operation, then length.
fn tasks(arguments: &Arguments, machine: &MachineSpec) -> Result<Vec<Task>, Error> {
    let members = arguments.members.on(machine).map_err(Error::usage)?;
    let vectors: Vec<Vector<'_>> = match &arguments.blocks {
        Some(blocks) => vec![Vector::Blocks(blocks)],
        None => (&arguments.bytes).into_iter().map(Vector::Whole).collect(),
    };
    let (elements, root) =
        (Elements { bytes: arguments.element, in_order: arguments.in_order }, arguments.root.unwrap_or(0));
    let task = |(operation, vector): (Operation, Vector<'_>)| {
        let problem = Problem::collective(machine, operation, vector, elements, root, members.as_deref());
        let members = cell("members", &arguments.members.spelled, "");
        Ok(Task::new(problem.map_err(Error::usage)?, [members]))
    };
    let each = arguments
        .operation
        .iter()
        .flat_map(|&operation| vectors.iter().map(move |&vector| (operation, vector)));
    each.map(task).collect()
}

/// Refuses `option` if it is given and `has` is false for all operations.
fn check_option(
    operations: &[Operation],
    is_given: bool,
    has: fn(Operation) -> bool,
    what: &str,
    option: &str,
) -> Result<(), Error> {
    if !is_given || operations.iter().any(|&operation| has(operation)) {
        return Ok(());
    }
    let names = |operations: &[Operation]| {
        operations.iter().map(|operation| operation.name()).collect::<Vec<_>>().join(", ")
    };
    let all: Vec<Operation> = Operation::ALL.into_iter().filter(|&operation| has(operation)).collect();
    Err(Error::usage(format!(
        "{option} is not for {}: remove it, or choose an operation {what} ({})",
        names(operations),
        names(&all)
    )))
}

/// Returns the names of all operations, comma-separated; the first alias, usually the MPI name, follows in parentheses
/// unless it begins with the name.
fn spellings() -> String {
    let spelled = |operation: Operation| match operation.aliases() {
        [alias, ..] if !alias.starts_with(operation.name()) => format!("{operation} ({alias})"),
        _ => operation.to_string(),
    };
    Operation::ALL.map(spelled).join(", ")
}

/// Returns the help text of the operations argument.
pub(super) fn operation_help() -> String {
    format!("Compare algorithms for these operations, comma-separated: {}, or all", spellings())
}

/// Parses operations: without duplicates, in the order of [`Operation::ALL`].
pub(super) fn operations(text: &str) -> Result<List<Operation>, String> {
    let read = |item: &str| match study::Operation::named(item) {
        _ if is_all(item) => Ok(Operation::ALL.to_vec()),
        Ok(study::Operation::Collective(operation)) => Ok(vec![operation]),
        Ok(other) => Err(format!("`{item}` has a separate command: write `multicomputer {other}`")),
        Err(cause) => Err(format!("{cause}, all")),
    };
    Ok(List::read(text, read)?.in_order_of(Operation::ALL))
}

/// Parses the length of an element, in bytes.
fn read_element(text: &str) -> Result<u64, String> {
    match parse_bytes(text).map_err(|cause| cause.to_string())? {
        0 => Err("an element has at least 1 byte".to_owned()),
        bytes => Ok(bytes),
    }
}
