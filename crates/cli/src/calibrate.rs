//! `multicomputer calibrate`: measures the threads of this host as a machine.

use std::io::Write;

use clap::Args;
use multicomputer::{
    Pinning,
    calibration::host::{self, MeasureError},
    model::MachineSpec,
};

use super::{
    error::Error,
    options::{read_machine, read_pinning},
};

const EXAMPLES: &str = "\
Examples:
  multicomputer calibrate --nodes 16 > host.toml
  multicomputer collective broadcast --machine host.toml --clock host --bytes 8..1M
  multicomputer calibrate --machine mesh:2x3 --pin spread > mesh.toml

All nodes are measured at the same time. With more nodes than cores, times include waiting for a core.
Measure on an idle host, with the number of nodes and the pinning of the runs to plan.";

/// Default number of nodes.
const NODES: usize = 16;

/// The arguments of the command.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Measure this number of threads, each a node; short for --machine host:NODES [default: 16]
    #[arg(long, value_name = "NODES", conflicts_with = "machine")]
    nodes: Option<usize>,

    /// Measure for the topology of this machine, such as mesh:2x3, for algorithms that use rows and columns; its
    /// parameters are ignored
    #[arg(long, value_name = "MACHINE", value_parser = read_machine)]
    machine: Option<MachineSpec>,

    /// Pin the threads of the nodes to cores: auto or none (the host decides), one-core (all on the first) or spread
    /// (over all cores, neighbouring ranks together)
    #[arg(long, value_name = "CORES", default_value = "auto", value_parser = read_pinning)]
    pin: Pinning,
}

/// Measures, and prints a machine file.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
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
