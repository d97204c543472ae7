//! `multicomputer mpi`: commands that MPI ranks carry out, as in `mpirun -n 16 multicomputer mpi s-to-p`.
//!
//! Every rank reads the same arguments and makes the same calls. Rank 0 prints, and writes files. An error on one rank
//! ends the current or next run of all ranks; see [`concluded`].

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

/// Environment variables in which launchers tell a process its rank.
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
        // With the wrong launcher, every process is a job of one rank with the same error; only the first process
        // prints it.
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

/// Ends a command on all ranks. A rank with an error fails on purpose: in the run in which the other ranks are, or in
/// the run that they make here. So all ranks end. Rank 0 prints the error before any rank ends, because launchers end
/// all ranks as soon as one ends with an error.
fn concluded(job: &Job, result: Result<(), Error>) -> Result<(), Error> {
    let all = match &result {
        Ok(()) => job.run(|_| Ok(())).map(drop),
        Err(error) if error.is_of_run() => Ok(()),
        Err(error) => {
            // The run ends with this error, or with that of a lower rank.
            let _ = job.run(|_| Err::<(), _>(Failure::from(error.plain())));
            Ok(())
        }
    };
    let result = result.and(all.map_err(Error::from));
    if let (0, Err(error)) = (job.rank(), &result) {
        error.say();
    }
    // All ranks end with the exit status of rank 0. If the broadcast fails, MPI has failed, and no rank waits.
    let mut status = [result.as_ref().err().map_or(error::SUCCESS, Error::status)];
    let _ = job.native().broadcast(&mut status, 0);
    result.map_err(|_| Error::Reported { status: status[0] })
}

/// Prints a refusal of the arguments once for all ranks, before any rank ends.
pub(super) fn refused(refusal: &clap::Error) -> ExitCode {
    let status = if refusal.use_stderr() { error::USAGE } else { error::SUCCESS };
    let is_launched = LAUNCHED_AS.iter().any(|name| env::var_os(name).is_some());
    if !is_launched {
        let _ = refusal.print();
        return ExitCode::from(status);
    }
    let job = if refusal.use_stderr() { Job::start().ok() } else { None };
    if let Some(job) = &job {
        // Ranks with valid arguments are in a run, or will start one.
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

/// Returns whether a launcher has started this process as a rank other than 0.
fn is_launched_behind() -> bool {
    let launched_as = LAUNCHED_AS.iter().find_map(|name| env::var(name).ok());
    launched_as.is_some_and(|rank| rank.trim() != "0")
}
