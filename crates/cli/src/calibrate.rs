//! `multicomputer calibrate`: measures the threads of this host as a machine, or fits a machine to a table of measured times.

use std::{
    fmt::Write as _,
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args;
use multicomputer::{
    Pinning,
    calibration::host::{self, MeasureError},
    model::MachineSpec,
};
use multicomputer_study::{Axis, Estimate, Identified, Measurements, StudyError};

use super::{
    error::Error,
    machine::{decimal, seconds},
    options::{read_machine, read_pinning},
};

const EXAMPLES: &str = "\
Examples:
  multicomputer calibrate --nodes 16 > host.toml
  multicomputer collective broadcast --machine host.toml --clock host --bytes 8..1M
  multicomputer calibrate --machine mesh:2x3 --pin spread > mesh.toml
  multicomputer calibrate --from times.csv --machine complete:16 > cluster.toml

With --from, a row is half the round-trip time of a ping-pong, or the time of an operation. Columns: bytes; time_s, time_ms,
time_us or time_ns; optionally from and to (nodes of a message), or operation, algorithm, nodes and other columns of
`multicomputer study --csv`. docs/machines.md has a worked example.

Without --from, all nodes are measured at the same time. With more nodes than cores, times include waiting for a core.
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
}

/// Measures or fits, and prints a machine file.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    if let Some(path) = &arguments.from {
        return Ok(out.write_all(fitted(path, arguments.machine.clone())?.as_bytes())?);
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

/// Returns the machine file of a fit, with what the times tell in comments.
fn fitted(path: &Path, machine: Option<MachineSpec>) -> Result<String, Error> {
    let unreadable = |cause| StudyError::Unreadable { path: path.to_owned(), cause };
    let times = File::open(path).map_err(unreadable)?;
    let fit = Measurements::read(path, times, machine)?.fit()?;
    let percent = |error: f64| format!("{} %", decimal(100.0 * error, 2));
    let worst = &fit.worst;
    // Writing to a string cannot fail.
    let mut text = format!(
        "# Fitted to {} rows of {} by `multicomputer calibrate --from`.\n\
         # Errors of the modeled times: root mean square {}, largest {} (line {}: {}, measured {}, modeled {}).\n",
        fit.rows,
        path.display(),
        percent(fit.rms),
        percent((worst.modeled / worst.measured - 1.0).abs()),
        worst.line,
        worst.title,
        seconds(worst.measured),
        seconds(worst.modeled)
    );
    let parameters = fit.machine.parameters();
    for Estimate { parameter, identified, .. } in fit.estimates.iter().copied() {
        let (name, value, of, how) = match parameter {
            Axis::Alpha => ("alpha", parameters.alpha().to_string(), "", "short messages"),
            Axis::Beta => {
                ("beta", format!("{}/B", seconds(parameters.beta())), "", "messages of other, long lengths")
            }
            Axis::SendOverhead => {
                ("o_s", parameters.send_overhead().to_string(), " of alpha", "short scatters by tree")
            }
            Axis::ReceiveOverhead => {
                ("o_r", parameters.receive_overhead().to_string(), " of alpha", "short gathers by tree")
            }
            _ => {
                let how = "long messages that share links, such as all-to-all by pairwise on a mesh";
                ("k", decimal(parameters.link_excess(), 3), "", how)
            }
        };
        let what = if of.is_empty() { "value" } else { "fraction" };
        let known = match identified {
            Identified::Within(error) => format!("standard error {}{of}", percent(error)),
            Identified::Kept => {
                format!("not identified, the machine's {what}{of} is kept; rows of {how} identify it")
            }
            _ => format!("not identified, other values fit as well; rows of {how} identify it"),
        };
        let _ = writeln!(text, "# {name} = {value}: {known}.");
    }
    Ok(text + &fit.machine.to_toml())
}
