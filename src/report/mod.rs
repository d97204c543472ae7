//! The report of a run: one [`RunReport`] with all counters, and the [`Explanation`] of a recorded one; as text, as CSV, or
//! through serde.

mod csv;
mod explanation;
mod text;

pub use self::{csv::CsvError, explanation::Explanation};
pub use crate::{
    fabric::{LinkLoad, Work},
    runtime::Slip,
};

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use serde::Serialize;

use crate::{
    record::{LostMessage, NodeRecord, UnreceivedMessage},
    runtime::Slips,
    time::{Span, Time},
    topology::{Link, LinkId},
};

/// All counters of a run. In virtual time they are the same, byte for byte, whenever the same program is run again.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunReport {
    /// The machine's name.
    pub machine: String,
    /// The time at which the last node finished: modeled, or, under the [host's clock](crate::Clock::Host), the wall
    /// clock's.
    pub modeled: Time,
    /// Whether times are modeled, and not those of the host's wall clock.
    pub is_modeled: bool,
    /// The number of messages sent, including those of nodes to themselves.
    pub messages: u64,
    /// The bytes of these messages.
    pub bytes: u64,
    /// The time that all messages together took to leave beyond n * beta, because they shared links or ports.
    pub lost_to_sharing: Span,
    /// The pace of the host; real time only.
    pub real_time: Option<RealTimeReport>,
    /// The counters of each node, in rank order.
    pub nodes: Vec<NodeRecord>,
    /// Every link that carried a message.
    pub links: Vec<LinkReport>,
    /// Every named phase, in order of name.
    pub phases: Vec<PhaseReport>,
    /// Messages that faults of the machine lost, in the order in which that happened.
    pub lost: Vec<LostMessage>,
    /// Messages that no program received, in order of their senders.
    pub unreceived: Vec<UnreceivedMessage>,
}

/// The pace of the host compared with the model. Modeled times do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RealTimeReport {
    /// The number of wall seconds that one modeled second was to take.
    pub dilation: f64,
    /// The time from the common start of all programs to the end of the last.
    pub wall: Duration,
    /// The emulation error: the difference between wall / dilation and the modeled time, as a fraction of the latter.
    pub error: f64,
    /// The number of answers given to programs, which is the number of their calls.
    pub answers: u64,
    /// The number of answers that came later than they were due by more than the send overhead, and by more than the
    /// 0.1 ms that a host may need to wake a thread.
    pub late_answers: u64,
    /// The slip of the latest of all answers.
    pub slip: Slip,
    /// Whether the host kept pace.
    pub verdict: Verdict,
}

/// Whether a host kept pace with the model in real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// The run took as long as it should, by 2 % or 0.1 ms at most, and no answer was late by more than a
    /// millisecond, or a tenth of the whole run if that is longer.
    Kept,
    /// The host could not keep up. Modeled times are still right; wall-clock times are too long.
    Slipped,
}

/// The largest error at the end of a run with the verdict "kept".
pub(crate) const KEPT_ERROR: f64 = 0.02;

/// The largest slip of a run with the verdict "kept", as a fraction of the time that the run should take; and a slip
/// in seconds that is always accepted: a host that is busy with something else for a moment has not lost the pace.
const KEPT_SLIP: f64 = 0.1;
const MOMENT: f64 = 1e-3;

/// The time that the host may need to wake the last thread, in seconds: a run that ends late by no more counts as on
/// time.
const WAKE_UP: f64 = 1e-4;

impl RealTimeReport {
    pub(crate) fn new(dilation: f64, wall: Duration, modeled: Time, slips: Slips) -> RealTimeReport {
        let due = modeled.as_secs_f64() * dilation;
        let error = if due > 0.0 { wall.as_secs_f64() / due - 1.0 } else { 0.0 };
        let late = wall.as_secs_f64() - due;
        let kept = late <= WAKE_UP.max(KEPT_ERROR * due)
            && slips.largest.by.as_secs_f64() <= MOMENT.max(KEPT_SLIP * due);
        RealTimeReport {
            dilation,
            wall,
            error,
            answers: slips.answers,
            late_answers: slips.late,
            slip: slips.largest,
            verdict: if kept || due == 0.0 { Verdict::Kept } else { Verdict::Slipped },
        }
    }

    /// Whether the host kept pace.
    pub fn is_kept(&self) -> bool {
        self.verdict == Verdict::Kept
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Kept => "kept",
            Verdict::Slipped => "slipped",
        })
    }
}

/// The load of one directed link.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LinkReport {
    /// The number of the link in the topology.
    pub id: LinkId,
    /// The ends of the link.
    pub link: Link,
    /// The load of the link.
    pub load: LinkLoad,
}

/// One named phase over all nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PhaseReport {
    /// The name of the phase.
    pub name: Arc<str>,
    /// The number of nodes that were in the phase.
    pub nodes: usize,
    /// The time at which the first node entered the phase.
    pub begin: Time,
    /// The time at which the last node left the phase.
    pub end: Time,
    /// The longest time that a node spent in the phase.
    pub longest: Span,
    /// The mean time that a node spent in the phase, over the nodes that were in it.
    pub mean: Span,
}

impl RunReport {
    /// The link that carried the most bytes; the first of several equal ones.
    pub fn most_loaded_link(&self) -> Option<&LinkReport> {
        self.links.iter().reduce(|most, link| if link.load.bytes > most.load.bytes { link } else { most })
    }

    /// Whether noise has prolonged anything.
    pub(crate) fn has_noise(&self) -> bool {
        self.nodes.iter().any(|node| !node.noise.is_zero())
    }

    /// The report of nodes without a model and without a network: those counters that follow from theirs.
    pub(crate) fn of_nodes(machine: String, nodes: Vec<NodeRecord>) -> RunReport {
        RunReport {
            machine,
            modeled: nodes.iter().map(|node| node.finished).max().unwrap_or_default(),
            is_modeled: false,
            messages: nodes.iter().map(|node| node.messages_sent).sum(),
            bytes: nodes.iter().map(|node| node.bytes_sent).sum(),
            lost_to_sharing: Span::ZERO,
            real_time: None,
            links: Vec::new(),
            phases: RunReport::phases_of(&nodes),
            nodes,
            lost: Vec::new(),
            unreceived: Vec::new(),
        }
    }

    /// Summarizes the phases of all nodes.
    fn phases_of(nodes: &[NodeRecord]) -> Vec<PhaseReport> {
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
