//! The activity of a node at every instant, from its events: bars that do not overlap.
//!
//! A send is overhead, then waiting for the out-port, then sending. A receive is waiting for a message that has not
//! begun to move, then receiving (waiting for a message in transit), then overhead. The sums of computing and overhead
//! equal those of the report, and the sum of sending, receiving and waiting equals its `waiting`.

use std::collections::BTreeMap;

use multicomputer::{
    Rank, Time,
    record::{Event, EventKind, Trace},
};

/// The kind of activity of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Activity {
    Computing,
    Overhead,
    Sending,
    Receiving,
    Waiting,
}

impl Activity {
    pub(crate) const ALL: [Activity; 5] =
        [Activity::Computing, Activity::Overhead, Activity::Sending, Activity::Receiving, Activity::Waiting];

    /// Returns the name for the legend, the CSS class and the pattern.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Activity::Computing => "computing",
            Activity::Overhead => "overhead",
            Activity::Sending => "sending",
            Activity::Receiving => "receiving",
            Activity::Waiting => "waiting",
        }
    }
}

/// A period of one activity on a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar<'a> {
    pub(crate) rank: Rank,
    pub(crate) activity: Activity,
    pub(crate) start: Time,
    pub(crate) end: Time,
    /// The event to which the bar belongs.
    pub(crate) event: &'a Event,
}

/// Returns the bars of all nodes in the order of events; every bar has a positive length.
pub(crate) fn bars(trace: &Trace) -> Vec<Bar<'_>> {
    let transfers = trace.transfers.iter();
    let entered: BTreeMap<(Rank, u64), Time> =
        transfers.map(|transfer| ((transfer.from, transfer.seq), transfer.entered)).collect();
    let mut bars = Vec::with_capacity(3 * trace.events.len());
    for event in &trace.events {
        let Event { rank, start, end, ref kind, .. } = *event;
        let mut add = |activity, start: Time, end: Time| {
            if start < end {
                bars.push(Bar { rank, activity, start, end, event });
            }
        };
        match *kind {
            EventKind::Send { seq, overhead, .. } => {
                let ready = end.min(start + overhead);
                // Time that is not known to be waiting for the port counts as sending; under the host's clock all of it does.
                let moves = entered.get(&(rank, seq)).map_or(ready, |&entered| entered.max(ready).min(end));
                add(Activity::Overhead, start, ready);
                add(Activity::Waiting, ready, moves);
                add(Activity::Sending, moves, end);
            }
            EventKind::Recv { from, seq, overhead, .. } => {
                let came = start.max(end - overhead);
                let moves = entered.get(&(from, seq)).map_or(came, |&entered| entered.max(start).min(came));
                add(Activity::Waiting, start, moves);
                add(Activity::Receiving, moves, came);
                add(Activity::Overhead, came, end);
            }
            EventKind::Compute | EventKind::Charge => add(Activity::Computing, start, end),
            EventKind::Wait { .. } | EventKind::Barrier => add(Activity::Waiting, start, end),
            // A send-receive has events of its own for its two parts; phases and parts are drawn as bands.
            _ => {}
        }
    }
    bars
}

impl Bar<'_> {
    /// Describes the activity for a tooltip.
    pub(crate) fn describe(&self) -> String {
        let Bar { rank, activity, .. } = *self;
        let time = self.end.since(self.start);
        let what = match (&self.event.kind, activity) {
            (EventKind::Send { to, .. }, Activity::Overhead) => format!("overhead of the send to {to}"),
            (EventKind::Send { to, .. }, Activity::Waiting) => {
                format!("waiting for the port, to send to {to}")
            }
            (EventKind::Send { to, .. }, _) => format!("sending to {to}"),
            (EventKind::Recv { from, .. }, Activity::Overhead) => {
                format!("overhead of the receive from {from}")
            }
            (EventKind::Recv { from, .. }, Activity::Receiving) => format!("receiving from {from}"),
            (EventKind::Recv { from, .. }, _) => format!("waiting for {from}"),
            (EventKind::Barrier, _) => "in the barrier".to_owned(),
            _ => activity.name().to_owned(),
        };
        format!("node {rank}: {what}, {time} from {}", self.start)
    }
}
