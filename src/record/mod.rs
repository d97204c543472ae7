//! The records of a run: counters of every node and, if tracing is on, all events of nodes, all transfers of messages, and their shares of
//! the network. The types only hold data.

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

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    rank::{Rank, Tag},
    text::count,
    time::{Span, Time},
};

/// All events, transfers and shares of a traced run.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// The events of nodes, in the order of their start times.
    pub events: Vec<Event>,
    /// The messages, in the order in which they left their senders.
    pub transfers: Vec<Transfer>,
    /// The periods in which a message moves at a constant rate, with the bottleneck of that rate, in the order of their start times.
    pub shares: Vec<Share>,
    /// The changes of the data that nodes hold in library calls, in chronological order for each node.
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
    /// The time charged by `compute`, combining and copying; under the [host's clock](crate::Clock::Host) only by `compute`.
    pub computing: Span,
    /// The processor time of sending and receiving (o_s, o_r, o_x); unknown, and 0, under the host's clock.
    pub overhead: Span,
    /// The time blocked: until a message leaves or arrives, or at a barrier. Under the host's clock, the time that the
    /// thread slept, from the preparation of its sleep until it ran again: the time waiting for a core is included, the
    /// time polling for a message before the sleep is not.
    pub waiting: Span,
    /// The time by which noise has prolonged computing and overheads.
    pub noise: Span,
    /// The time spent in each named phase.
    #[serde(skip)]
    pub phases: BTreeMap<Arc<str>, PhaseRecord>,
}

impl NodeRecord {
    /// Adds the interval from `begin` to `end` to the time spent in phase `name`.
    pub(crate) fn add_phase(&mut self, name: Arc<str>, begin: Time, end: Time) {
        let phase = self.phases.entry(name).or_insert(PhaseRecord { begin, end, time: Span::ZERO });
        phase.end = end;
        phase.time += end.since(begin);
    }
}

/// The time of one node in one named phase, summed over all of its intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PhaseRecord {
    /// The time of the first entry.
    pub begin: Time,
    /// The time of the last exit.
    pub end: Time,
    /// The total time in the phase.
    pub time: Span,
}

/// A message lost to a fault of the machine: it was sent, but never arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LostMessage {
    /// The sender, as a rank of the world.
    pub from: Rank,
    /// The receiver, as a rank of the world.
    pub to: Rank,
    /// The tag of the message.
    pub tag: Tag,
    /// The length of the message in bytes.
    pub bytes: u64,
    /// The group in which the message was sent.
    pub group: String,
    /// The time of the loss.
    pub at: Time,
}

/// A message that no program received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnreceivedMessage {
    /// The sender, as a rank of the world.
    pub from: Rank,
    /// The receiver, as a rank of the world.
    pub to: Rank,
    /// The tag of the message.
    pub tag: Tag,
    /// The length of the message in bytes.
    pub bytes: u64,
    /// The group in which the message was sent.
    pub group: String,
}

/// Prints the message as in reports: `0 -> 1, tag 4, 256 bytes, in the world`.
impl fmt::Display for UnreceivedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnreceivedMessage { from, to, tag, bytes, group } = self;
        write!(f, "{from} -> {to}, {tag}, {}, in {group}", count(*bytes, "byte"))
    }
}

/// A send whose request the program dropped without a wait. Its message was sent all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnwaitedSend {
    /// The sender, as a rank of the world.
    pub from: Rank,
    /// The receiver, as a rank of the world.
    pub to: Rank,
    /// The tag of the message.
    pub tag: Tag,
    /// The length of the message in bytes.
    pub bytes: u64,
    /// The group in which the message was sent.
    pub group: String,
}

/// Prints the send as in reports: `0 -> 1, tag 4, 256 bytes, in the world`.
impl fmt::Display for UnwaitedSend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnwaitedSend { from, to, tag, bytes, group } = self;
        write!(f, "{from} -> {to}, {tag}, {}, in {group}", count(*bytes, "byte"))
    }
}
