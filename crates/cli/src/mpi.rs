//! `multicomputer mpi`: commands that are carried out by the ranks of MPI, as in `mpirun -n 16 multicomputer mpi s-to-p`.
//!
//! Every rank reads the same arguments and makes the same calls. The first one prints, and writes files. An error that only
//! one rank has ends the run in which all others are, or to which they come next; see [`concluded`].

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use multicomputer::{
    error::Failure,
    mpi::{Job, MpiError},
};

use super::{
    all_to_all, collective,
    error::{self, Error},
    s_to_p,
};

mod calibrate;
mod compared;
mod help;

pub(super) use self::help::adapted;

use self::compared::Compared;

/// The variables by which launchers tell a process its rank.
const LAUNCHED_AS: [&str; 3] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = help::EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compare s-to-p broadcasting algorithms with MPI's Allgatherv
    #[command(name = "s-to-p")]
    SToP(Compared<s_to_p::Arguments>),
    /// Compare algorithms for collective operations with MPI's operations
    Collective(Compared<collective::Arguments>),
    /// Compare all-to-all algorithms with MPI's Alltoallv
    #[command(name = "all-to-all")]
    AllToAll(Compared<all_to_all::Arguments>),
    /// Measure the ranks as a machine, and print them as a machine file
    Calibrate(calibrate::Arguments),
}

/// Carries out a command on all ranks.
pub(super) fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Error> {
    let job = match Job::start() {
        Ok(job) => job,
        // Where all processes are alone each has the error, and one says it for all.
        Err(MpiError::WrongLauncher { .. }) if is_launched_behind() => {
            return Err(Error::Reported { status: error::FAILED });
        }
        Err(cause) => return Err(cause.into()),
    };
    let mut nowhere = io::sink();
    let out = if job.rank() == 0 { out } else { &mut nowhere };
    match arguments.command {
        Command::SToP(compared) => compared.run(job, out),
        Command::Collective(compared) => compared.run(job, out),
        Command::AllToAll(compared) => compared.run(job, out),
        Command::Calibrate(arguments) => {
            let result = calibrate::run(&arguments, &job, out);
            concluded(&job, result)
        }
    }
}

/// The end of a command, which all ranks come to. One that has an error of its own fails in the run in which all others are, or
/// which they make in the same way in the end, and so all of them end. The first one says why before any of them does, for
/// launchers end all as soon as one has ended with an error.
fn concluded(job: &Job, result: Result<(), Error>) -> Result<(), Error> {
    let all = match &result {
        Ok(()) => job.run(|_| Ok(())).map(drop),
        Err(error) if error.is_of_run() => Ok(()),
        Err(error) => {
            // Whatever comes of it is this error, or that of a rank before this one.
            let _ = job.run(|_| Err::<(), _>(Failure::from(error.plain())));
            Ok(())
        }
    };
    let result = result.and(all.map_err(Error::from));
    if let (0, Err(error)) = (job.rank(), &result) {
        error.say();
    }
    // All end with the status of the first one. If that fails MPI fails, and there is nobody to wait for.
    let mut status = [result.as_ref().err().map_or(error::SUCCESS, Error::status)];
    let _ = job.native().broadcast(&mut status, 0);
    result.map_err(|_| Error::Reported { status: status[0] })
}

/// Says that arguments cannot be understood, on all ranks that there are: once, and before any of them ends.
pub(super) fn refused(refusal: &clap::Error) -> ExitCode {
    let status = if refusal.use_stderr() { error::USAGE } else { error::SUCCESS };
    let is_launched = LAUNCHED_AS.iter().any(|name| env::var_os(name).is_some());
    if !is_launched {
        let _ = refusal.print();
        return ExitCode::from(status);
    }
    let job = if refusal.use_stderr() { Job::start().ok() } else { None };
    if let Some(job) = &job {
        // Ranks that understand theirs are in a run, or come to one.
        let _ = job.run(|_| Err::<(), _>(Failure::from(refusal.to_string())));
    }
    if !is_launched_behind() {
        let _ = refusal.print();
    }
    if let Some(job) = &job {
        let _ = job.native().barrier();
    }
    ExitCode::from(status)
}

/// Whether a launcher has started this process, and not as its first one.
fn is_launched_behind() -> bool {
    let launched_as = LAUNCHED_AS.iter().find_map(|name| env::var(name).ok());
    launched_as.is_some_and(|rank| rank.trim() != "0")
}
