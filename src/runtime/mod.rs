//! Threads and clocks: one OS thread a node, and the ways in which its messages reach the others.
//!
//! [`threads`] starts, watches and ends the threads of a run, [`crew`] is their knowledge of each other, [`parker`] puts
//! them to sleep and wakes them. Each way to carry messages is a folder with an [endpoint](crate::endpoint) and the state
//! that its threads share: [`modeled`] has the timing model, in virtual and in real time; [`host`] has none, and hands
//! messages over as fast as the host can. What endpoints without a model have in common is in [`carrier`].

mod affinity;
mod agreement;
mod carrier;
mod contexts;
mod crew;
pub(crate) mod host;
pub(crate) mod limits;
mod local;
pub(crate) mod modeled;
#[cfg(feature = "mpi")]
pub(crate) mod mpi;
mod parker;
mod sync;
mod threads;
mod waiting;

pub use affinity::Pinning;
pub(crate) use contexts::Contexts;
pub use modeled::Slip;
pub(crate) use modeled::{Pace, Slips};
pub(crate) use threads::{Program, keep_outputs};

use std::{sync::Arc, time::Duration};

use crate::{endpoint::Cache, kernel::Outcomes};

/// The settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) stack_size: usize,
    pub(crate) pinning: Pinning,
    pub(crate) wall_limit: Option<Duration>,
    pub(crate) traced: bool,
    /// The cache of the machine, kept from one run to the next.
    pub(crate) cache: Arc<Cache>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            stack_size: 1 << 20,
            pinning: Pinning::Auto,
            wall_limit: None,
            traced: false,
            cache: Arc::default(),
        }
    }
}

/// The results of a run that came to its end.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Whether each node survived: one that died has no output.
    pub(crate) survived: Vec<bool>,
    pub(crate) outcomes: Outcomes,
    /// The time from the common start of all programs to the end of the last; in virtual time of the whole run.
    pub(crate) wall: Duration,
    /// The lateness of answers; real time only.
    pub(crate) slips: Slips,
    /// The names of groups, for the messages never received.
    pub(crate) contexts: Contexts,
}
