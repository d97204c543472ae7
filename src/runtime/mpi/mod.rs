//! Runs over MPI: every node is a rank of an MPI job, on this host or on the hosts of a cluster.
//!
//! A short message is a frame: one MPI message with a header in front of its data ([`frame`]). Long data follows its header as separate
//! messages ([`connection`]). This library does the matching, as on the host, so that tags, groups and receives from any source behave the
//! same everywhere; MPI sees only two tags of one communicator. No memory is shared: groups are identified by digests ([`groups`]),
//! deadlocks are detected by queries ([`queries`], [`inquiry`]), and all ranks end a run together with the same result ([`ending`]).

mod connection;
mod dispatch;
mod ending;
mod frame;
mod groups;
mod idle;
mod inquiry;
mod job;
mod node;
mod pool;
mod queries;
mod serialized_node;
mod synchronous;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

pub(crate) use frame::ROOM;
pub use job::MpiError;
pub(crate) use job::{Job, library_error};

use self::node::{Cause, MpiNode};
use super::run_state::Fault;
use crate::{
    comm::Node,
    endpoint::Cache,
    error::{CommError, Failure, RunError},
    model::MachineSpec,
    record::{NodeRecord, UnreceivedMessage, UnwaitedSend},
};

/// The settings of runs over MPI.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) wall_limit: Option<Duration>,
    /// The time after which a waiting rank queries the others.
    pub(crate) patience: Duration,
    pub(crate) cache: Arc<Cache>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { wall_limit: None, patience: Duration::from_secs(5), cache: Arc::default() }
    }
}

/// The result of a run that ended normally, equal on all ranks except for the output.
#[derive(Debug)]
pub(crate) struct Ended<T> {
    /// The output of this rank.
    pub(crate) output: T,
    pub(crate) nodes: Vec<NodeRecord>,
    pub(crate) unreceived: Vec<UnreceivedMessage>,
    pub(crate) unwaited: Vec<UnwaitedSend>,
}

/// Runs `program` on this rank; all other ranks must do the same.
pub(crate) fn run<T>(
    job: &Job,
    machine: &MachineSpec,
    settings: &Settings,
    program: &dyn Fn(&Node<'_>) -> Result<T, Failure>,
) -> Result<Ended<T>, RunError> {
    if job.is_running.replace(true) {
        return Err(RunError::Node {
            rank: job.rank(),
            source: "a job cannot run a program within another".into(),
            last_call: None,
        });
    }
    let ended = run_alone(job, machine, settings, program);
    job.is_running.set(false);
    ended
}

/// Runs `program` as [`run`] does, without the check that no other program is running.
fn run_alone<T>(
    job: &Job,
    machine: &MachineSpec,
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
    let (nodes, unreceived, unwaited) = node.finish()?;
    let output = output.ok_or_else(|| job.failed(CommError::Ended))?;
    Ok(Ended { output, nodes, unreceived, unwaited })
}
