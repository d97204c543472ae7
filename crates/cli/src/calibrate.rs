//! `multicomputer calibrate`: measures the threads of this host as a machine, or fits a machine to a table of measured times; or measures the
//! time of a basic block.

mod blocks;

use std::{fs::File, io::Write, path::PathBuf};

use clap::Args;
use multicomputer::{
    Pinning,
    calibration::host::{self, MeasureError},
    model::MachineSpec,
};
use multicomputer_study::{Measurements, StudyError};

use super::{
    error::Error,
    options::{read_machine, read_pinning},
};

const EXAMPLES: &str = "\
Examples:
  multicomputer calibrate --nodes 16 > host.toml
  multicomputer collective broadcast --machine host.toml --clock host --bytes 8..1M
  multicomputer calibrate --machine mesh:2x3 --pin spread > mesh.toml
  multicomputer calibrate --from times.csv --machine complete:16 > cluster.toml
  multicomputer calibrate --compute=-O3

With --from, a row is half the round-trip time of a ping-pong, or the time of an operation. Columns: bytes; time_s, time_ms,
time_us or time_ns; optionally from and to (nodes of a message), or operation, algorithm, nodes and other columns of
`multicomputer study --csv`. docs/machines.md has a worked example.

Without --from, all nodes are measured at the same time. With more nodes than cores, times include waiting for a core.
Measure on an idle host, with the number of nodes and the pinning of the runs to plan.

With --compute, six kernels in C are compiled by `multicomputer cc` with and without --count and run five times: triad, stencil,
matrix product, sparse matrix times vector, sorting, a queue of priorities. The time of a block differs among them: blocks differ
in length, and a compiler may vectorize. For one program, divide its processor time by its blocks instead: what
`run --compute measured` shows without --count, by what `run --compute counted:1ns` shows.";

/// Default number of nodes.
const NODES: usize = 16;

/// The arguments of the command.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Measure this number of threads, each a node; short for --machine host:NODES [default: 16]
    #[arg(long, value_name = "NODES", conflicts_with = "machine")]
    nodes: Option<usize>,

    /// Fit alpha, beta, o_s, o_r and k to the times in this CSV file instead of measuring
    #[arg(long, value_name = "TIMES.csv", conflicts_with_all = ["nodes", "pin"])]
    from: Option<PathBuf>,

    /// Measure for the topology of this machine, such as mesh:2x3, for algorithms that use rows and columns; its
    /// parameters are ignored. With --from, it has the network, and the parameters that the times do not tell [default
    /// with --from: the first of the column machine, or a complete network]
    #[arg(long, value_name = "MACHINE", value_parser = read_machine)]
    machine: Option<MachineSpec>,

    /// Pin the threads of the nodes to cores: auto or none (the host decides), one-core (all on the first) or spread
    /// (over all cores, neighbouring ranks together)
    #[arg(long, value_name = "CORES", default_value = "auto", value_parser = read_pinning)]
    pin: Pinning,

    /// Measure the time of a basic block instead, for `run --compute counted:TIME`, with these options of the C compiler
    /// [default options: -O2]
    #[arg(
        long,
        value_name = "OPTIONS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "-O2",
        conflicts_with_all = ["nodes", "from", "machine", "pin"]
    )]
    compute: Option<String>,
}

/// Measures or fits, and prints a machine file.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    if let Some(options) = &arguments.compute {
        return Ok(write!(out, "{}", blocks::measure(options)?)?);
    }
    if let Some(path) = &arguments.from {
        let unreadable = |cause| StudyError::Unreadable { path: path.clone(), cause };
        let times = File::open(path).map_err(unreadable)?;
        let fit = Measurements::read(path, times, arguments.machine.clone())?.fit()?;
        writeln!(out, "# By `multicomputer calibrate --from {}`.", path.display())?;
        return Ok(write!(out, "{}", fit.to_toml())?);
    }
    let machine = match &arguments.machine {
        Some(machine) => machine.clone(),
        None => {
            let nodes = arguments.nodes.unwrap_or(NODES);
            format!("host:{nodes}").parse().map_err(Error::usage)?
        }
    };
    let parameters = host::measure(&machine, arguments.pin).map_err(|cause| match cause {
        MeasureError::Config(cause) => Error::usage(cause),
        cause => cause.into(),
    })?;
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let pinned = match arguments.pin {
        Pinning::OneCore => ", all on one core",
        Pinning::Spread => ", spread over the cores",
        _ => "",
    };
    let measured = MachineSpec::new(machine.name(), machine.topology().clone(), parameters);
    writeln!(
        out,
        "# Threads of a host with {cores} cores{pinned}, as measured by `multicomputer calibrate`."
    )?;
    Ok(write!(out, "{}", measured.to_toml())?)
}
