//! Writes what a recorded run did in GOAL.

use std::{collections::BTreeMap, io::Write};

use super::{error::WriteError, write::Writer};
use crate::{
    model::MachineSpec,
    rank::Rank,
    record::{Event, EventKind, Trace, Transfer, WaitEnd},
    time::{Span, Time},
};

/// Writes the calls of all nodes of a recorded run.
///
/// The operations of a rank are in the order in which its calls ended, each requires the previous one, and a message has the number of the
/// messages that its sender had sent before as tag, so each receive takes the message that it took in the run.
///
/// # Errors
/// [`WriteError`] if GOAL cannot express the run.
pub(crate) fn write(trace: &Trace, machine: &MachineSpec, out: impl Write) -> Result<(), WriteError> {
    if machine.rendezvous().is_some() {
        return Err(WriteError::Rendezvous);
    }
    if machine.noise().is_some() || machine.faults().is_some() {
        return Err(WriteError::Disturbed);
    }
    if trace.transfers.iter().any(|transfer| transfer.access.is_some()) {
        return Err(WriteError::Remote);
    }
    let mut calls = vec![Vec::new(); machine.nodes()];
    for event in &trace.events {
        calls[event.rank].push(event);
    }
    let transfers =
        trace.transfers.iter().map(|transfer| ((transfer.from, transfer.seq), transfer)).collect();
    let mut writer = Writer::new(machine.nodes(), out)?;
    for (rank, calls) in calls.iter_mut().enumerate() {
        // The events of a run are in the order of their starts, the longest first; a call of no length precedes them.
        calls.sort_by_key(|call| (call.start, call.end));
        writer.begin(rank)?;
        let mut rank = Calls {
            writer: &mut writer,
            machine,
            transfers: &transfers,
            computing: Span::ZERO,
            started: BTreeMap::new(),
            last_left: Time::ZERO,
            probing: None,
        };
        for (at, call) in calls.iter().enumerate() {
            rank.add(call, calls.get(at + 1).copied())?;
        }
        rank.flush()?;
        writer.end()?;
    }
    writer.finish()
}

/// The calls of one rank.
struct Calls<'w, W> {
    writer: &'w mut Writer<W>,
    machine: &'w MachineSpec,
    transfers: &'w BTreeMap<(Rank, u64), &'w Transfer>,
    /// The computation since the last operation.
    computing: Span,
    /// The labels of the sends of the rank by their numbers, until a wait.
    started: BTreeMap<u64, u64>,
    /// The departure of the rank's last message.
    last_left: Time,
    /// The start of a wait for the message that the next call receives.
    probing: Option<Time>,
}

impl<W: Write> Calls<'_, W> {
    fn add(&mut self, call: &Event, next: Option<&Event>) -> Result<(), WriteError> {
        let Event { rank, start, end, ref kind } = *call;
        match *kind {
            EventKind::Send { to, bytes, seq, overhead, .. } => {
                self.flush()?;
                let goes_on = end == start + overhead;
                let label = self.writer.send(bytes, to, seq, goes_on)?;
                if goes_on {
                    self.started.insert(seq, label);
                }
                if to != rank {
                    self.last_left = self.last_left.max(self.left(rank, seq));
                }
            }
            EventKind::Recv { from, bytes, seq, overhead, .. } => {
                self.flush()?;
                self.writer.recv(bytes, from, seq)?;
                let posted = self.probing.take().unwrap_or(start);
                let expected = self.overhead(bytes, posted, self.transfers.get(&(from, seq)).copied());
                // A receive that was posted before may have other overheads than one that is posted now.
                if overhead < expected {
                    return Err(WriteError::Unexpected);
                }
                self.computing = overhead - expected;
            }
            EventKind::Wait { until: WaitEnd::Left { seq } | WaitEnd::Met { seq } } => {
                self.flush()?;
                if let Some(label) = self.started.remove(&seq) {
                    self.writer.require(label);
                }
                self.computing = end.since(start.max(self.left(rank, seq)));
            }
            EventKind::Wait { until: WaitEnd::Arrived { from, seq } } if is_receive(next, from, seq) => {
                self.probing = Some(start);
            }
            EventKind::Compute | EventKind::Charge | EventKind::Wait { .. } => {
                self.computing += end.since(start);
            }
            EventKind::Barrier => return Err(WriteError::Barrier),
            EventKind::SendRecv | EventKind::Phase { .. } | EventKind::Part(_) => {}
        }
        Ok(())
    }

    /// Writes the computation since the last operation.
    fn flush(&mut self) -> Result<(), WriteError> {
        let computing = std::mem::take(&mut self.computing);
        self.writer.calc(computing)
    }

    fn left(&self, rank: Rank, seq: u64) -> Time {
        self.transfers.get(&(rank, seq)).map_or(Time::ZERO, |transfer| transfer.left)
    }

    /// The processor time of a receive that is posted at `posted`, when all messages of the rank so far have been sent.
    fn overhead(&self, bytes: u64, posted: Time, transfer: Option<&Transfer>) -> Span {
        let parameters = self.machine.parameters();
        let (_, overhead) = parameters.overheads(bytes);
        let Some(arrived) = transfer.map(|transfer| transfer.arrived) else { return overhead };
        if arrived < posted {
            overhead + parameters.unexpected(bytes).unwrap_or(Span::ZERO)
        } else if arrived > posted && self.last_left > posted {
            overhead + parameters.exchange_overhead()
        } else {
            overhead
        }
    }
}

/// Whether a call receives this message.
fn is_receive(call: Option<&Event>, sender: Rank, number: u64) -> bool {
    call.is_some_and(
        |call| matches!(call.kind, EventKind::Recv { from, seq, .. } if (from, seq) == (sender, number)),
    )
}
