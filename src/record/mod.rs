//! What a run leaves behind: counters of every node and, if asked for, all that nodes did and all that was on its way.
//! Plain data.

mod chrome;
mod event;
mod transfer;

pub use chrome::write_chrome_trace;
pub use event::{Event, EventKind, Part};
pub use transfer::Transfer;

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;

use crate::time::{Span, Time};

/// All that happened in a run, if it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// What nodes did, in order of their beginnings.
    pub events: Vec<Event>,
    /// The messages, in the order in which they left.
    pub transfers: Vec<Transfer>,
}

/// What one node did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NodeRecord {
    /// The node's clock when its program returned.
    pub finished: Time,
    /// Messages sent.
    pub messages_sent: u64,
    /// Bytes sent.
    pub bytes_sent: u64,
    /// Messages received.
    pub messages_received: u64,
    /// Bytes received.
    pub bytes_received: u64,
    /// Time charged by `compute`, combining and copying.
    pub computing: Span,
    /// CPU time of sending and receiving (o_s, o_r, o_x).
    pub overhead: Span,
    /// Time blocked: for a message to leave or to arrive, or at a barrier.
    pub waiting: Span,
    /// The time spent in each named phase.
    #[serde(skip)]
    pub phases: BTreeMap<Arc<str>, PhaseRecord>,
}

/// One node's time in one named phase, over all the times that it was in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PhaseRecord {
    /// When the node first entered the phase.
    pub begin: Time,
    /// When the node last left it.
    pub end: Time,
    /// The total time within.
    pub time: Span,
}
