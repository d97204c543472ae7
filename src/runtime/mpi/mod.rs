//! Processes of MPI: every node is a rank of an MPI job, on this host or on the hosts of a cluster.
//!
//! A short message is a frame: one message of MPI with a header in front of its data ([`frame`]). Long data follows its
//! header from where it lies, uncopied ([`line`]). The matching is our own, as on the host, so that tags, groups and
//! receives from any source are the same everywhere; MPI only sees two tags of one communicator. No memory is shared:
//! groups agree on their names by digests ([`groups`]), a deadlock is found by asking around ([`asking`], [`inquiry`]), and all
//! ranks come to the end of a run together and with the same result ([`ending`]).

mod asking;
mod ending;
mod frame;
mod groups;
mod idle;
mod inquiry;
mod job;
mod line;
mod node;
mod pool;
mod taking;
mod told;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

pub(crate) use frame::ROOM;
pub(crate) use job::Job;
pub use job::MpiError;

use self::node::{Cause, MpiNode};
use super::crew::Fault;
use crate::{
    comm::Node,
    endpoint::Cache,
    error::{CommError, Failure, RunError},
    model::Description,
    record::{NodeRecord, UnreceivedMessage},
};

/// The settings of runs over MPI.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) wall_limit: Option<Duration>,
    /// The time after which a rank that waits asks the others.
    pub(crate) patience: Duration,
    pub(crate) cache: Arc<Cache>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { wall_limit: None, patience: Duration::from_secs(5), cache: Arc::default() }
    }
}

/// The end of a run in order, as every rank knows it.
#[derive(Debug)]
pub(crate) struct Ended<T> {
    /// The output of this rank.
    pub(crate) output: T,
    pub(crate) nodes: Vec<NodeRecord>,
    pub(crate) unreceived: Vec<UnreceivedMessage>,
}

/// Runs `program` on this rank, as all other ranks do.
pub(crate) fn run<T>(
    job: &Job,
    machine: &Description,
    settings: &Settings,
    program: &dyn Fn(&Node<'_>) -> Result<T, Failure>,
) -> Result<Ended<T>, RunError> {
    if job.is_running.replace(true) {
        return Err(RunError::Node {
            rank: job.rank(),
            source: "a job cannot run a program within another".into(),
        });
    }
    let ended = run_alone(job, machine, settings, program);
    job.is_running.set(false);
    ended
}

/// The same, where no program runs.
fn run_alone<T>(
    job: &Job,
    machine: &Description,
    settings: &Settings,
    program: &dyn Fn(&Node<'_>) -> Result<T, Failure>,
) -> Result<Ended<T>, RunError> {
    job.begin()?;
    let node = MpiNode::new(job, machine, settings, job.seconds());
    let result = catch_unwind(AssertUnwindSafe(|| program(&Node::new(&node))));
    let output = match result {
        Ok(Ok(output)) => Some(output),
        Ok(Err(error)) => {
            node.stop(Cause::Fault(Fault::Error(error)));
            None
        }
        Err(panic) => {
            node.stop(Cause::Fault(Fault::of(panic)));
            None
        }
    };
    let (nodes, unreceived) = node.finish()?;
    let output = output.ok_or_else(|| job.failed(CommError::Ended))?;
    Ok(Ended { output, nodes, unreceived })
}
