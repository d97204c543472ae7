//! Programs over MPI. `.ci/mpi` starts this executable by `mpirun`, with different libraries and numbers of ranks; by itself it
//! is a job of one rank. Its argument says what is run:
//!
//! * `conformance` (unless another is given): all programs that check themselves
//! * `errors`: runs that end with an error, which all ranks get, and after each a run that does not
//! * `killed`: a rank is killed while the others wait for it; the launcher ends them
//! * `hangs`: a rank never makes a call again after the run is over, so that all are aborted

#[path = "../support/conformance/mod.rs"]
mod conformance;

mod errors;

use std::{
    env,
    process::{Command, id},
    time::Duration,
};

use multicomputer::{error::Failure, mpi::Job, prelude::*};

use self::conformance::Runner;

/// A test that hangs is to fail instead.
const PATIENCE: Duration = Duration::from_secs(600);

impl Runner for Job {
    fn nodes(&self) -> usize {
        self.size()
    }

    fn run(&self, name: &str, program: &(dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync)) {
        match Job::run(self, program) {
            Ok(run) if self.rank() == 0 => {
                println!("{name}: {} messages in {}", run.report.messages, run.report.makespan);
            }
            Ok(_) => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

fn main() {
    let what = env::args().nth(1).filter(|word| !word.starts_with('-'));
    let job = Job::start().unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(1);
    });
    let job = job.wall_limit(PATIENCE).deny_unreceived(true);
    match what.as_deref() {
        None | Some("conformance") => conformance::all(&job),
        Some("errors") => errors::all(job),
        Some("killed") => killed(&job),
        Some("hangs") => hangs(job),
        Some(other) => panic!("{other} is no test; allowed are conformance, errors, killed and hangs"),
    }
}

/// Ends when rank 1 is killed, or never.
fn killed(job: &Job) {
    let run = job.run(|node| {
        if node.rank() == 1 {
            Command::new("kill").args(["-9", &id().to_string()]).status()?;
        }
        node.world().recv(1)?;
        Ok(())
    });
    panic!("{:?}", run.map(|run| run.report));
}

/// Ends when all ranks are aborted, or never.
fn hangs(job: Job) {
    let job = job.wall_limit(Duration::from_secs(1));
    let run = job.run(|node| {
        while node.rank() == 1 {
            std::thread::sleep(Duration::from_millis(10));
        }
        node.world().recv(1)?;
        Ok(())
    });
    panic!("{:?}", run.map(|run| run.report));
}
