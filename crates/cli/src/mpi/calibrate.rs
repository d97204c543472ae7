//! `multicomputer mpi calibrate`: measures the MPI ranks as a machine.

use std::{fmt::Write as _, io::Write, path::PathBuf};

use clap::Args;
use multicomputer::{calibration, mpi::Job};

use super::super::{
    count::counted,
    error::Error,
    files::{TextFile, output_file},
};

const EXAMPLES: &str = "\
Examples:
  mpirun -n 16 multicomputer mpi calibrate > cluster.toml
  mpirun -n 16 multicomputer mpi collective all --machine cluster.toml --bytes 8..1M

Measure with the number of ranks and the hosts of the runs to plan, on idle hosts. Where ranks share cores, times include
waiting for a core.";

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Write the machine file here [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file("TOML"))]
    out: Option<PathBuf>,
}

/// Measures, and prints a machine file.
pub(super) fn run(arguments: &Arguments, job: &Job, out: &mut dyn Write) -> Result<(), Error> {
    let file = arguments.out.as_deref().filter(|_| job.rank() == 0).map(TextFile::create).transpose()?;
    let machine = calibration::mpi::measure(job)?;
    let mut text = String::new();
    let hosts = job.hosts().iter().max().map_or(1, |last| last + 1);
    let on: Vec<String> =
        (0..hosts).map(|host| job.hosts().iter().filter(|&&of| of == host).count().to_string()).collect();
    let crowded = if job.is_oversubscribed() { ", which share cores" } else { "" };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "# {} on {} ({}){crowded}, over {}, as measured by `multicomputer mpi calibrate`.",
        counted(job.size(), "rank"),
        counted(hosts, "host"),
        on.join(" + "),
        job.library()
    );
    text += &machine.to_toml();
    match file {
        Some(file) => file.write(&text),
        None => Ok(out.write_all(text.as_bytes())?),
    }
}
