//! Threads and clocks: one OS thread per node, and the endpoints through which nodes communicate.
//!
//! [`threads`] starts, monitors and ends the threads of a run, [`run_state`] is their shared state, [`parker`] lets them sleep and wakes
//! them. The implementations of the [endpoint](crate::endpoint) are folders, each with the state that its threads share. [`modeled`] uses
//! the timing model, in virtual and in real time. [`host`] has no model and delivers messages as fast as the host allows. [`carrier`] is
//! the common part of the endpoints without a model.

mod affinity;
mod agreement;
mod carrier;
mod contexts;
#[cfg(test)]
mod endpoint_tests;
pub(crate) mod host;
pub(crate) mod limits;
mod local;
pub(crate) mod modeled;
#[cfg(feature = "mpi")]
pub(crate) mod mpi;
mod observer;
mod parker;
mod run_state;
mod sync;
mod threads;
mod unreceived;
mod waiting;

pub use affinity::Pinning;
pub(crate) use contexts::Contexts;
pub use modeled::Lateness;
pub(crate) use modeled::{LatenessStats, Pace};
pub use observer::Observer;
pub(crate) use threads::{Program, keep_outputs};

use std::{sync::Arc, time::Duration};

use crate::{
    endpoint::Cache,
    kernel::Outcomes,
    wire::{NodeId, Parcel},
};

/// The settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) stack_size: usize,
    pub(crate) pinning: Pinning,
    pub(crate) wall_limit: Option<Duration>,
    pub(crate) traced: bool,
    /// The plans and other results cached for the machine, kept across runs.
    pub(crate) cache: Arc<Cache>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            stack_size: 1 << 20,
            pinning: Pinning::Auto,
            wall_limit: None,
            traced: false,
            cache: Arc::default(),
            observer: None,
        }
    }
}

/// The results of a run that ended normally.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Whether each node survived; a node that died has no output.
    pub(crate) survived: Vec<bool>,
    pub(crate) outcomes: Outcomes,
    /// The wall-clock time from the common start of all programs to the end of the last one; in virtual time, of the whole run.
    pub(crate) wall: Duration,
    /// The sends whose requests were dropped without a wait, with their senders, ordered by sender.
    pub(crate) unwaited: Vec<(NodeId, Parcel)>,
    /// The lateness of replies; real time only.
    pub(crate) lateness: LatenessStats,
    /// The names of groups, used to list messages.
    pub(crate) contexts: Contexts,
}

/// Joins lists of sends, one list for each node.
fn by_sender(nodes: impl Iterator<Item = Vec<Parcel>>) -> Vec<(NodeId, Parcel)> {
    (0..).zip(nodes).flat_map(|(rank, sends)| sends.into_iter().map(move |send| (rank, send))).collect()
}
