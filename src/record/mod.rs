//! The records of a run: counters of every node and, if asked for, all events of nodes, all transfers of messages, and
//! their shares of the network. Plain data.

mod chrome;
mod content;
mod event;
mod share;
mod transfer;

pub use chrome::write_chrome_trace;
pub use content::{Change, Content};
pub use event::{Event, EventKind, Part, WaitEnd};
pub use share::{Bottleneck, Share};
pub use transfer::Transfer;

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    rank::{Rank, Tag},
    time::{Span, Time},
};

/// All events, transfers and shares of a run, if a trace was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// The events of nodes, in the order of their beginnings.
    pub events: Vec<Event>,
    /// The messages, in the order in which they left.
    pub transfers: Vec<Transfer>,
    /// The rates of messages and what determined them, in the order of their beginnings.
    pub shares: Vec<Share>,
    /// The changes of what nodes hold of the data of library calls, those of one node in the order in which they happened.
    pub contents: Vec<Content>,
}

/// The counters of one node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NodeRecord {
    /// The node's clock when its program returned.
    pub finished: Time,
    /// The number of messages sent.
    pub messages_sent: u64,
    /// The number of bytes sent.
    pub bytes_sent: u64,
    /// The number of messages received.
    pub messages_received: u64,
    /// The number of bytes received.
    pub bytes_received: u64,
    /// The time charged by `compute`, combining and copying; under the [host's clock](crate::Clock::Host) by `compute` alone.
    pub computing: Span,
    /// The CPU time of sending and receiving (o_s, o_r, o_x); under the host's clock it is not known, and 0.
    pub overhead: Span,
    /// The time blocked: until a message leaves or arrives, or at a barrier. Under the host's clock it is the time that the
    /// thread was asleep, from when it made ready to sleep until it ran again: without the time for which it looked for a
    /// message beforehand, and with that for which it waited for a core.
    pub waiting: Span,
    /// The time by which noise has prolonged computing and overheads.
    pub noise: Span,
    /// The time spent in each named phase.
    #[serde(skip)]
    pub phases: BTreeMap<Arc<str>, PhaseRecord>,
}

impl NodeRecord {
    /// Adds a stay in a phase.
    pub(crate) fn add_phase(&mut self, name: Arc<str>, begin: Time, end: Time) {
        let phase = self.phases.entry(name).or_insert(PhaseRecord { begin, end, time: Span::ZERO });
        phase.end = end;
        phase.time += end.since(begin);
    }
}

/// The time of one node in one named phase, over all times that it was in the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PhaseRecord {
    /// The time at which the node first entered the phase.
    pub begin: Time,
    /// The time at which the node last left the phase.
    pub end: Time,
    /// The total time in the phase.
    pub time: Span,
}

/// A message that a fault of the machine lost: it was sent, and never arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LostMessage {
    /// The sender, as a rank of the world.
    pub from: Rank,
    /// The target node, as a rank of the world.
    pub to: Rank,
    /// The tag of the message.
    pub tag: Tag,
    /// The length of the message in bytes.
    pub bytes: u64,
    /// The group in which it was sent.
    pub group: String,
    /// The time at which it was lost.
    pub at: Time,
}

/// A message that no program received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnreceivedMessage {
    /// The sender, as a rank of the world.
    pub from: Rank,
    /// The target node, as a rank of the world.
    pub to: Rank,
    /// The tag of the message.
    pub tag: Tag,
    /// The length of the message in bytes.
    pub bytes: u64,
    /// The group in which it was sent.
    pub group: String,
}
