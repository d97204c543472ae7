//! `calibrate`: the threads of this host as a machine.

use std::io::Write;

use clap::Args;
use multicomputer::{calibration, model::Description};

use super::error::Error;

const EXAMPLES: &str = "\
Examples:
  multicomputer calibrate --nodes 16 > host.toml
  multicomputer collective broadcast --machine host.toml --clock host --bytes 8..1M

All nodes do the same at the same time, so where there are more nodes than cores the times of one node include those of the
others on its core. Measure on an idle host, for as many nodes as are to be run.";

/// The arguments of the command.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The number of nodes: threads that hand messages over among each other
    #[arg(long, value_name = "NODES", default_value_t = 16)]
    nodes: usize,
}

/// Measures, and prints a machine file.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let name = format!("host:{}", arguments.nodes);
    let machine: Description = name.parse().map_err(Error::usage)?;
    let parameters = calibration::host::measure(&machine)?;
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let measured = Description::new(name, machine.topology().clone(), parameters);
    writeln!(out, "# Threads of a host with {cores} cores, as measured by `multicomputer calibrate`.")?;
    Ok(write!(out, "{}", measured.to_toml())?)
}
