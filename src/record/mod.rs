//! What a run leaves behind: counters of every node and, if asked for, every event. Plain data.

mod chrome;
mod event;

pub use chrome::write_chrome_trace;
pub use event::{Event, EventKind};

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;

use crate::time::{Span, Time};

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
