//! What a run shows: one [`RunReport`] with everything that was counted, as text, as CSV, or through serde.

mod csv;
mod text;

pub use self::csv::CsvError;
pub(crate) use self::text::{are, count};

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde::Serialize;

use crate::{
    fabric::LinkLoad,
    rank::{Rank, Tag},
    record::NodeRecord,
    time::{Span, Time},
    topology::{Link, LinkId},
};

/// Everything that was counted in a run. In virtual time it is the same, byte for byte, whenever the same program is
/// run again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// The machine's name.
    pub machine: String,
    /// The modeled time at which the last node finished.
    pub modeled: Time,
    /// Messages sent, those to oneself included.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// By how much all messages together took longer to leave than n * beta, because they shared links or ports.
    pub lost_to_sharing: Span,
    /// What the host made of it; real time only.
    pub real_time: Option<RealTimeReport>,
    /// What each node did, in rank order.
    pub nodes: Vec<NodeRecord>,
    /// Every link that carried a message.
    pub links: Vec<LinkReport>,
    /// Every named phase, in order of name.
    pub phases: Vec<PhaseReport>,
    /// Messages that no program received, in order of their senders.
    pub unreceived: Vec<UnreceivedMessage>,
}

/// How well the host kept pace with the model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RealTimeReport {
    /// So many wall seconds one modeled second was to take.
    pub dilation: f64,
    /// From the common start of all programs to the end of the last.
    pub wall: Duration,
    /// The emulation error: wall / dilation against the modeled time, as a part of the latter.
    pub error: f64,
    /// Messages that entered the network later than the model wants because the host was late.
    pub late_sends: u64,
    /// The largest such lateness, in modeled time.
    pub latest: Span,
}

/// What one directed link carried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkReport {
    /// Its number in the topology.
    pub id: LinkId,
    /// Its ends.
    pub link: Link,
    /// What it carried.
    pub load: LinkLoad,
}

/// One named phase over all nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseReport {
    /// Its name.
    pub name: Arc<str>,
    /// How many nodes were in it.
    pub nodes: usize,
    /// When the first node entered it.
    pub begin: Time,
    /// When the last node left it.
    pub end: Time,
    /// The longest time that a node spent in it.
    pub longest: Span,
    /// The time that a node spent in it on average, over the nodes that were in it.
    pub mean: Span,
}

/// A message that no program received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreceivedMessage {
    /// The sender, as a rank of the world.
    pub from: Rank,
    /// The node it was for, as a rank of the world.
    pub to: Rank,
    /// Its tag.
    pub tag: Tag,
    /// Its length.
    pub bytes: u64,
    /// The group in which it was sent.
    pub group: String,
}

impl RunReport {
    /// The link that carried the most bytes; the first of several.
    pub fn most_loaded_link(&self) -> Option<&LinkReport> {
        self.links.iter().reduce(|most, link| if link.load.bytes > most.load.bytes { link } else { most })
    }

    /// Sums the phases of all nodes up.
    pub(crate) fn phases_of(nodes: &[NodeRecord]) -> Vec<PhaseReport> {
        let mut phases: BTreeMap<Arc<str>, PhaseReport> = BTreeMap::new();
        let mut totals: BTreeMap<Arc<str>, Span> = BTreeMap::new();
        for (name, record) in nodes.iter().flat_map(|node| &node.phases) {
            let phase = phases.entry(name.clone()).or_insert_with(|| PhaseReport {
                name: name.clone(),
                nodes: 0,
                begin: record.begin,
                end: record.end,
                longest: Span::ZERO,
                mean: Span::ZERO,
            });
            phase.nodes += 1;
            phase.begin = phase.begin.min(record.begin);
            phase.end = phase.end.max(record.end);
            phase.longest = phase.longest.max(record.time);
            *totals.entry(name.clone()).or_default() += record.time;
        }
        for (name, phase) in &mut phases {
            phase.mean = Span::from_picos(totals[name].as_picos() / phase.nodes as u64);
        }
        phases.into_values().collect()
    }
}
