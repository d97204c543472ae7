//! Reports of runs: [`RunReport`] with all counters, and [`Explanation`] of a recorded run; as text, as CSV, or through serde.

mod csv;
mod explanation;
mod text;

pub use self::{csv::CsvError, explanation::Explanation};
pub use crate::{
    fabric::{LinkLoad, Work},
    runtime::Lateness,
};

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use serde::Serialize;

use crate::{
    error::RunError,
    record::{LostMessage, NodeRecord, UnreceivedMessage, UnwaitedSend},
    runtime::LatenessStats,
    text::count,
    time::{Span, Time},
    topology::{Link, LinkId},
};

/// All counters of a run. In virtual time, repeated runs of the same program give byte-identical reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunReport {
    /// The name of the machine.
    pub machine: String,
    /// The finish time of the last node: in modeled time, or, under the [host's clock](crate::Clock::Host), in wall-clock time.
    pub makespan: Time,
    /// Whether times are modeled; otherwise they are times of the host's wall clock.
    pub is_modeled: bool,
    /// The number of messages sent, including messages from a node to itself.
    pub messages: u64,
    /// The number of bytes of these messages.
    pub bytes: u64,
    /// The total contention delay of all messages: the time by which they took longer to leave than n * beta, because of shared links or
    /// ports, or of links slower than the ports.
    pub lost_to_sharing: Span,
    /// The comparison of wall-clock time with modeled time; only of runs in real time.
    pub real_time: Option<RealTimeReport>,
    /// The counters of each node, in rank order.
    pub nodes: Vec<NodeRecord>,
    /// All links that carried a message.
    pub links: Vec<LinkReport>,
    /// All named phases, ordered by name.
    pub phases: Vec<PhaseReport>,
    /// Messages lost to faults of the machine, in chronological order.
    pub lost: Vec<LostMessage>,
    /// Messages that no program received, ordered by sender.
    pub unreceived: Vec<UnreceivedMessage>,
    /// Sends whose requests were dropped without a wait, ordered by sender.
    pub unwaited: Vec<UnwaitedSend>,
}

/// Comparison of wall-clock time with modeled time, for a run in real time. Modeled times do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RealTimeReport {
    /// The dilation: wall-clock seconds per modeled second.
    pub dilation: f64,
    /// The wall-clock time from the common start of all programs to the end of the last.
    pub wall: Duration,
    /// The emulation error: (wall / dilation - modeled) / modeled.
    pub error: f64,
    /// The number of calls of programs that returned.
    pub calls: u64,
    /// The number of calls that returned late by more than the send overhead and by more than 0.1 ms, the time that a
    /// host may need to wake a thread.
    pub late_calls: u64,
    /// The largest lateness of a call's return.
    pub largest_lateness: Lateness,
    /// Whether the host was fast enough for the dilation.
    pub verdict: Verdict,
}

/// Whether a host was fast enough for the dilation of a run in real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// The run ended late by at most 2 % or 0.1 ms, and no call returned late by more than 1 ms or a tenth of the run,
    /// whichever is longer.
    Kept,
    /// The host could not keep up. Modeled times are still valid; wall-clock times are too long.
    Slipped,
}

/// Maximum relative delay at the end of a run with the verdict "kept".
pub(crate) const KEPT_ERROR: f64 = 0.02;

/// Maximum lateness for the verdict "kept", as a fraction of the due time of the run. A lateness up to `ALWAYS_ACCEPTED`, in seconds, is
/// accepted in every run, because a short interruption of the host is harmless.
const MAX_KEPT_LATENESS: f64 = 0.1;
const ALWAYS_ACCEPTED: f64 = 1e-3;

/// Time that the host may need to wake the last thread, in seconds. A run that ends late by no more counts as on time.
const WAKE_UP: f64 = 1e-4;

impl RealTimeReport {
    pub(crate) fn new(
        dilation: f64,
        wall: Duration,
        modeled: Time,
        lateness: LatenessStats,
    ) -> RealTimeReport {
        let due = modeled.as_secs_f64() * dilation;
        let error = if due > 0.0 { wall.as_secs_f64() / due - 1.0 } else { 0.0 };
        let late = wall.as_secs_f64() - due;
        let kept = late <= WAKE_UP.max(KEPT_ERROR * due)
            && lateness.largest.by.as_secs_f64() <= ALWAYS_ACCEPTED.max(MAX_KEPT_LATENESS * due);
        RealTimeReport {
            dilation,
            wall,
            error,
            calls: lateness.replies,
            late_calls: lateness.late,
            largest_lateness: lateness.largest,
            verdict: if kept || due == 0.0 { Verdict::Kept } else { Verdict::Slipped },
        }
    }

    /// Returns whether the verdict is [`Verdict::Kept`].
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
    /// The link's number in the topology.
    pub id: LinkId,
    /// The ends of the link.
    pub link: Link,
    /// The load of the link.
    pub load: LinkLoad,
}

/// Writes one line: `node 1 -> node 2: 4000 bytes in 2 messages, at most 2 at once, busy 200 us`.
impl fmt::Display for LinkReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinkLoad { messages, bytes, busy, most_flows } = self.load;
        let (bytes, messages) = (count(bytes, "byte"), count(messages, "message"));
        write!(f, "{}: {bytes} in {messages}, at most {most_flows} at once, busy {busy}", self.link)
    }
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
    /// Returns the link that carried the most bytes; the first one on a tie.
    pub fn most_loaded_link(&self) -> Option<&LinkReport> {
        self.links.iter().reduce(|most, link| if link.load.bytes > most.load.bytes { link } else { most })
    }

    /// Returns whether noise has prolonged any event.
    pub(crate) fn has_noise(&self) -> bool {
        self.nodes.iter().any(|node| !node.noise.is_zero())
    }

    /// Creates the report of a run without a model, which has only the counters of nodes.
    pub(crate) fn of_nodes(machine: String, nodes: Vec<NodeRecord>) -> RunReport {
        RunReport {
            machine,
            makespan: nodes.iter().map(|node| node.finished).max().unwrap_or_default(),
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
            unwaited: Vec::new(),
        }
    }

    /// Fails if a message was never received or a send was never waited for.
    pub(crate) fn check_communication(&self) -> Result<(), RunError> {
        if !self.unreceived.is_empty() {
            return Err(RunError::Unreceived(self.unreceived.clone()));
        }
        if !self.unwaited.is_empty() {
            return Err(RunError::Unwaited(self.unwaited.clone()));
        }
        Ok(())
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
