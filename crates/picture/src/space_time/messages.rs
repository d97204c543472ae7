//! The messages of a run, each from the time it begins to leave its sender to its arrival at the receiver.

use std::collections::BTreeMap;

use multicomputer::{
    Rank, Span, Time,
    model::MachineSpec,
    record::{EventKind, Trace},
    units::format_bytes,
};

use super::super::{canvas::rounded, traffic};

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) from: Rank,
    pub(super) to: Rank,
    pub(super) bytes: u64,
    pub(super) leaves: Time,
    pub(super) arrives: Time,
    /// Whether another message used one of the message's links at the same time.
    pub(super) shared: bool,
    /// The time by which leaving took longer than the transfer time of its bytes.
    pub(super) lost: Span,
}

/// Returns all messages in the order of leaving. Without a model there are no transfers; a message then lasts from the
/// start of its send to the end of its receive, if it has both.
pub(super) fn messages(trace: &Trace, machine: &MachineSpec) -> Vec<Message> {
    if trace.transfers.is_empty() {
        return untransferred(trace);
    }
    let shared = traffic::Traffic::of(&trace.transfers, &**machine.topology()).shared;
    let messages = trace.transfers.iter().zip(shared).map(|(transfer, shared)| Message {
        from: transfer.from,
        to: transfer.to,
        bytes: transfer.bytes,
        leaves: transfer.entered,
        arrives: transfer.arrived,
        shared,
        lost: traffic::lost(transfer, machine.parameters()),
    });
    messages.collect()
}

fn untransferred(trace: &Trace) -> Vec<Message> {
    let mut sends: BTreeMap<(Rank, u64), Time> = BTreeMap::new();
    for event in &trace.events {
        if let EventKind::Send { seq, .. } = event.kind {
            sends.insert((event.rank, seq), event.start);
        }
    }
    let received = trace.events.iter().filter_map(|event| match event.kind {
        EventKind::Recv { from, bytes, seq, .. } => {
            let leaves = sends.remove(&(from, seq))?;
            let arrives = event.end.max(leaves);
            Some(Message { from, to: event.rank, bytes, leaves, arrives, shared: false, lost: Span::ZERO })
        }
        _ => None,
    });
    let mut messages: Vec<Message> = received.collect();
    messages.sort_by_key(|message| (message.leaves, message.from));
    messages
}

impl Message {
    /// Returns the style class of the message's line.
    pub(super) fn class(&self) -> Class {
        Class { late: !self.lost.is_zero(), shared: self.shared }
    }

    /// Describes the message for a tooltip.
    pub(super) fn describe(&self) -> String {
        let Message { from, to, bytes, leaves, arrives, shared, lost } = *self;
        let took = arrives.since(leaves);
        let mut text = format!("{from} to {to}: {}, {took} from {leaves}", format_bytes(bytes));
        match (shared, lost.is_zero()) {
            (true, true) => text += "; shared a link, not delayed",
            (true, false) => text += &format!("; shared a link, delayed by {}", rounded(lost)),
            (false, false) => text += &format!("; delayed by {} without sharing a link", rounded(lost)),
            (false, true) => {}
        }
        text
    }
}

/// Style class of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class {
    /// The message took longer to leave than the transfer time of its bytes.
    pub(super) late: bool,
    /// The message shared a link with another message.
    pub(super) shared: bool,
}

impl Class {
    /// Returns the CSS classes of the lines.
    pub(super) fn name(self) -> &'static str {
        match (self.late, self.shared) {
            (false, false) => "m",
            (false, true) => "m sh",
            (true, false) => "m la",
            (true, true) => "m la sh",
        }
    }

    /// Returns the text of the legend.
    pub(super) fn describe(self) -> &'static str {
        match (self.late, self.shared) {
            (false, false) => "message",
            (false, true) => "shared a link, not delayed",
            (true, false) => "delayed (slow link or shared port)",
            (true, true) => "shared a link and delayed",
        }
    }
}
