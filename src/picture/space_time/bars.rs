//! The doing of a node at every instant, from its events: bars, none of which lies over another.
//!
//! The time of a send is overhead, then waiting for the out-port, then sending; that of a receive is waiting for a message
//! that has not begun to move, then receiving, which is waiting for one that is on its way, then overhead. So computing and
//! overhead are as long as in the report, and sending, receiving and waiting together as long as `waiting` there.

use std::collections::BTreeMap;

use crate::{
    rank::Rank,
    record::{Event, EventKind, Trace},
    time::Time,
};

/// The kind of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::picture) enum Activity {
    Computing,
    Overhead,
    Sending,
    Receiving,
    Waiting,
}

impl Activity {
    pub(in crate::picture) const ALL: [Activity; 5] =
        [Activity::Computing, Activity::Overhead, Activity::Sending, Activity::Receiving, Activity::Waiting];

    /// The name in legends, which is also that of its class and its pattern.
    pub(in crate::picture) fn name(self) -> &'static str {
        match self {
            Activity::Computing => "computing",
            Activity::Overhead => "overhead",
            Activity::Sending => "sending",
            Activity::Receiving => "receiving",
            Activity::Waiting => "waiting",
        }
    }
}

/// A time of one kind on a node.
#[derive(Clone, Copy, Debug)]
pub(in crate::picture) struct Bar<'a> {
    pub(in crate::picture) rank: Rank,
    pub(in crate::picture) activity: Activity,
    pub(in crate::picture) start: Time,
    pub(in crate::picture) end: Time,
    /// Of which it is a part.
    pub(in crate::picture) event: &'a Event,
}

/// The bars of all nodes, in the order of events; none is without length.
pub(in crate::picture) fn bars(trace: &Trace) -> Vec<Bar<'_>> {
    let transfers = trace.transfers.iter();
    let entered: BTreeMap<(Rank, u64), Time> =
        transfers.map(|transfer| ((transfer.from, transfer.seq), transfer.entered)).collect();
    let mut bars = Vec::with_capacity(3 * trace.events.len());
    for event in &trace.events {
        let Event { rank, start, end, ref kind } = *event;
        let mut add = |activity, start: Time, end: Time| {
            if start < end {
                bars.push(Bar { rank, activity, start, end, event });
            }
        };
        match *kind {
            EventKind::Send { seq, overhead, .. } => {
                let ready = end.min(start + overhead);
                // Time that is not known to wait for the port is sending: under the host's clock all of it.
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
            EventKind::SendRecv | EventKind::Phase { .. } | EventKind::Part(_) => {}
        }
    }
    bars
}

impl Bar<'_> {
    /// The doing of the node, for a tooltip.
    pub(in crate::picture) fn says(&self) -> String {
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
