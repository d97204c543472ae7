//! The critical path: the chain of events from the end of the last node back to time zero.
//!
//! It is computed backwards. On a node it goes from each event to the previous one, until the node waited. There it moves to the cause
//! that ended the wait. For a message, it goes back to the departure from the sender's port, and then either to an earlier message that
//! occupied the port when this one was ready, or to the sender's previous event. For a barrier, it moves to the last node that entered.
//! Every step goes to an earlier event in causal order, even if it took no time, so the path ends at the start of a node.

use std::{collections::BTreeMap, fmt};

use serde::Serialize;

use super::{
    AnalysisError, MessageRef,
    messages::{Messages, Moved},
};
use crate::{
    model::MachineSpec,
    rank::Rank,
    record::{Bottleneck, Event, EventKind, Trace, WaitEnd},
    time::{Span, Time},
};

/// The chain of events that determined the time of a run, in contiguous pieces from time zero to the end.
///
/// If several nodes finish last, the path ends at the node with the lowest rank. If a node's wait has several causes at the same instant,
/// the path stays on the node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CriticalPath {
    /// The node at whose end the path ends, as a rank of the world. The last piece of the path may be the transfer of a message that this node received without
    /// overhead.
    pub last_node: Rank,
    /// The pieces, in time order. No piece is empty, and each begins at the end of the previous one.
    pub pieces: Vec<Piece>,
}

/// A piece of a [critical path](CriticalPath).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Piece {
    /// The start time.
    pub start: Time,
    /// The end time.
    pub end: Time,
    /// The kind of time.
    pub kind: Kind,
    /// The node, as a rank of the world; for a message in the network, the sender.
    pub rank: Rank,
    /// The message that was sent, in transit or received; its route is from its sender to its receiver.
    pub message: Option<MessageRef>,
    /// The bottleneck, if the time was lost to [contention](Kind::Sharing).
    pub place: Option<Bottleneck>,
}

/// The kind of time of a [`Piece`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// Processor time of a send, o_s, including active messages.
    SendOverhead,
    /// Processor time of a receive, o_r and o_x, including active messages.
    ReceiveOverhead,
    /// Latency after the message has left the sender's port: L and the hops; for an active message, its whole flight.
    Latency,
    /// Transfer of a message's bytes, in the time without other traffic: n * beta, or longer over a slower link.
    Bytes,
    /// Contention: the extra transfer time of a message because it shared links or ports.
    Sharing,
    /// Waiting until a deadline that passed, or until a failure.
    Waiting,
    /// Computation by the program.
    Computing,
    /// Work charged by a library: combining, copying, and the pauses of time-triggered schedules.
    Library,
    /// The hardware barrier, from the entry of its last node.
    Barrier,
}

impl Kind {
    /// All kinds, in the order of tables.
    pub const ALL: [Kind; 9] = [
        Kind::SendOverhead,
        Kind::ReceiveOverhead,
        Kind::Latency,
        Kind::Bytes,
        Kind::Sharing,
        Kind::Waiting,
        Kind::Computing,
        Kind::Library,
        Kind::Barrier,
    ];

    /// Returns whether the kind is part of a message's start-up, alpha = o_s + L + o_r.
    pub fn is_start_up(self) -> bool {
        matches!(self, Kind::SendOverhead | Kind::ReceiveOverhead | Kind::Latency)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::SendOverhead => "send overhead",
            Kind::ReceiveOverhead => "receive overhead",
            Kind::Latency => "latency",
            Kind::Bytes => "bytes",
            Kind::Sharing => "sharing",
            Kind::Waiting => "waiting",
            Kind::Computing => "computing",
            Kind::Library => "library",
            Kind::Barrier => "barrier",
        })
    }
}

impl Piece {
    /// Returns the duration.
    pub fn span(&self) -> Span {
        self.end.since(self.start)
    }
}

/// Writes one line: the time of the path, and its division by kind.
impl fmt::Display for CriticalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to the end of node {}", self.span(), self.last_node)?;
        let times = Kind::ALL.map(|kind| (kind, self.time(kind)));
        for (nth, (kind, time)) in times.iter().filter(|(_, time)| !time.is_zero()).enumerate() {
            write!(f, "{} {kind} {time}", if nth == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

impl CriticalPath {
    /// Finds the critical path of a run on `machine`, up to the last event of its trace.
    ///
    /// # Errors
    /// [`AnalysisError::Incomplete`] if `trace` is not the whole trace of a run in modeled time on this machine.
    ///
    /// # Cost
    /// Time and memory proportional to the events and shares of the trace, apart from sorting.
    pub fn of(trace: &Trace, machine: &MachineSpec) -> Result<CriticalPath, AnalysisError> {
        CriticalPath::through(trace, machine, &Messages::of(trace, machine)?)
    }

    pub(super) fn through(
        trace: &Trace,
        machine: &MachineSpec,
        messages: &Messages,
    ) -> Result<CriticalPath, AnalysisError> {
        let nodes = Nodes::of(trace, machine.nodes())?;
        let mut walk = Walk { nodes: &nodes, messages, pieces: Vec::new() };
        let last = (0..machine.nodes()).max_by_key(|&rank| (nodes.end(rank), std::cmp::Reverse(rank)));
        if let Some(rank) = last {
            let mut at = Some(Here { rank, before: nodes.events[rank].len(), time: nodes.end(rank) });
            while let Some(here) = at {
                at = walk.back(here)?;
            }
        }
        let mut pieces = walk.pieces;
        pieces.reverse();
        Ok(CriticalPath { last_node: last.unwrap_or_default(), pieces })
    }

    /// Returns the length of the path, which is the modeled time of the run.
    pub fn span(&self) -> Span {
        self.pieces.iter().map(Piece::span).sum()
    }

    /// Returns the total time of all pieces of one kind.
    pub fn time(&self, kind: Kind) -> Span {
        self.pieces.iter().filter(|piece| piece.kind == kind).map(Piece::span).sum()
    }

    /// Returns the time of message start-ups: overheads and latency.
    pub fn start_up(&self) -> Span {
        Kind::ALL.into_iter().filter(|kind| kind.is_start_up()).map(|kind| self.time(kind)).sum()
    }

    /// Returns the messages on the path, in time order; each once.
    pub fn messages(&self) -> Vec<MessageRef> {
        let moving = |piece: &&Piece| matches!(piece.kind, Kind::Latency | Kind::Bytes | Kind::Sharing);
        let mut messages: Vec<_> =
            self.pieces.iter().filter(moving).filter_map(|piece| piece.message).collect();
        messages.dedup();
        messages
    }
}

/// The events of each node in chronological order, without events that enclose others (phases, parts, combined sends and receives).
struct Nodes<'a> {
    events: Vec<Vec<&'a Event>>,
    /// The index of each send among the events of its node.
    sends: BTreeMap<(Rank, u64), usize>,
    /// The indices of each node's barriers. Every node has the same number.
    barriers: Vec<Vec<usize>>,
}

impl<'a> Nodes<'a> {
    fn of(trace: &'a Trace, nodes: usize) -> Result<Nodes<'a>, AnalysisError> {
        let mut events: Vec<Vec<&Event>> = vec![Vec::new(); nodes];
        let around = |kind: &EventKind| {
            matches!(kind, EventKind::SendRecv | EventKind::Phase { .. } | EventKind::Part(_))
        };
        for event in trace.events.iter().filter(|event| !around(&event.kind)) {
            let (rank, at) = (event.rank, event.start);
            let of_node = events.get_mut(rank);
            of_node.ok_or(AnalysisError::Incomplete { what: "node", rank, at })?.push(event);
        }
        let (mut sends, mut barriers) = (BTreeMap::new(), vec![Vec::new(); nodes]);
        for (rank, events) in events.iter_mut().enumerate() {
            // Events of zero duration precede longer events with the same start.
            events.sort_by_key(|event| (event.start, event.end));
            for (place, event) in events.iter().enumerate() {
                match event.kind {
                    EventKind::Send { seq, .. } => drop(sends.insert((rank, seq), place)),
                    EventKind::Barrier => barriers[rank].push(place),
                    _ => {}
                }
            }
        }
        Ok(Nodes { events, sends, barriers })
    }

    fn end(&self, rank: Rank) -> Time {
        self.events[rank].last().map_or(Time::ZERO, |event| event.end)
    }

    /// Returns the last node that entered the barrier at this index: the node that delayed the others.
    fn last_in_barrier(&self, rank: Rank, place: usize, at: Time) -> Result<Here, AnalysisError> {
        let number = self.barriers[rank].partition_point(|&other| other < place);
        let mut last: Option<Here> = None;
        for (rank, barriers) in self.barriers.iter().enumerate() {
            let missing = AnalysisError::Incomplete { what: "barrier", rank, at };
            let before = *barriers.get(number).ok_or(missing)?;
            let time = self.events[rank][before].start;
            if last.is_none_or(|last| last.time < time) {
                last = Some(Here { rank, before, time });
            }
        }
        last.ok_or(AnalysisError::Incomplete { what: "barrier", rank, at })
    }
}

/// A position in the events of a node: after its first `before` events.
#[derive(Clone, Copy)]
struct Here {
    rank: Rank,
    before: usize,
    time: Time,
}

struct Walk<'a> {
    nodes: &'a Nodes<'a>,
    messages: &'a Messages,
    /// The pieces found so far, the latest first.
    pieces: Vec<Piece>,
}

impl Walk<'_> {
    /// Moves back over the previous event; `None` at the beginning of the run.
    fn back(&mut self, here: Here) -> Result<Option<Here>, AnalysisError> {
        let Here { rank, before, time } = here;
        let missing = AnalysisError::Incomplete { what: "event", rank, at: time };
        let Some(place) = before.checked_sub(1) else {
            return if time == Time::ZERO { Ok(None) } else { Err(missing) };
        };
        let event = self.nodes.events[rank][place];
        let (start, end) = (event.start, event.end);
        if end != time {
            return Err(missing);
        }
        let earlier = Here { rank, before: place, time: start };
        let whole = |kind| Piece { start, end, kind, rank, message: None, place: None };
        Ok(Some(match event.kind {
            EventKind::Compute => {
                self.add(whole(Kind::Computing));
                earlier
            }
            EventKind::Charge => {
                self.add(whole(Kind::Library));
                earlier
            }
            EventKind::Send { seq, overhead, .. } if end > start + overhead => self.port(rank, seq, end)?,
            EventKind::Send { to, seq, .. } => {
                let message = Some(MessageRef { from: rank, seq, to });
                self.add(Piece { message, ..whole(Kind::SendOverhead) });
                earlier
            }
            EventKind::Recv { from, seq, overhead, .. } => {
                let came = end - overhead;
                let message = Some(MessageRef { from, seq, to: rank });
                self.add(Piece { start: came, message, ..whole(Kind::ReceiveOverhead) });
                if came > start { self.network(from, seq, came)? } else { earlier }
            }
            EventKind::Wait { .. } if start == end => earlier,
            EventKind::Wait { until: WaitEnd::Left { seq } } => self.port(rank, seq, end)?,
            EventKind::Wait { until: WaitEnd::Met { seq } } => self.meeting(rank, seq, end)?,
            EventKind::Wait { until: WaitEnd::Returned { from, seq } } => self.network(from, seq, end)?,
            EventKind::Wait { until: WaitEnd::Arrived { from, seq } } => self.network(from, seq, end)?,
            EventKind::Wait { until: WaitEnd::Deadline | WaitEnd::Failure } => {
                self.add(whole(Kind::Waiting));
                earlier
            }
            EventKind::Barrier => {
                let last = self.nodes.last_in_barrier(rank, place, end)?;
                self.add(Piece { start: last.time, rank: last.rank, ..whole(Kind::Barrier) });
                last
            }
            EventKind::SendRecv | EventKind::Phase { .. } | EventKind::Part(_) => return Err(missing),
        }))
    }

    /// Moves back from the arrival of a message, at the instant `at`, to its sender.
    fn network(&mut self, from: Rank, seq: u64, at: Time) -> Result<Here, AnalysisError> {
        let moved = self.messages.get(from, seq, at)?;
        if moved.transfer.arrived != at {
            return Err(AnalysisError::Incomplete { what: "message", rank: from, at });
        }
        let (left, message) = (moved.transfer.left, Some(moved.message()));
        self.add(Piece { start: left, end: at, kind: Kind::Latency, rank: from, message, place: None });
        self.port(from, seq, left)
    }

    /// Moves back from the instant `at` at which a message met a receive: along the message if the message came last,
    /// otherwise to the receiver, which posted the receive at `at`.
    fn meeting(&mut self, from: Rank, seq: u64, at: Time) -> Result<Here, AnalysisError> {
        let moved = self.messages.get(from, seq, at)?;
        if moved.transfer.arrived == at {
            return self.network(from, seq, at);
        }
        let rank = moved.transfer.to;
        let before = self.nodes.events[rank].partition_point(|event| event.end <= at && event.start < at);
        Ok(Here { rank, before, time: at })
    }

    /// Moves back from the departure of a message at `at` to the instant when its sender had it ready: over all earlier
    /// messages that had to leave before it.
    fn port(&mut self, from: Rank, mut seq: u64, mut at: Time) -> Result<Here, AnalysisError> {
        loop {
            let missing = |what| AnalysisError::Incomplete { what, rank: from, at };
            let moved = self.messages.get(from, seq, at)?;
            if moved.transfer.left != at {
                return Err(missing("message"));
            }
            let message = Some(moved.message());
            let shares = self.messages.shares[moved.shares.clone()].iter().zip(&moved.lost);
            for (share, &lost) in shares.rev() {
                let (start, end, rank) = (share.start, share.end, from);
                let slow = end - lost;
                let place = share.bottleneck;
                self.add(Piece { start: slow, end, kind: Kind::Sharing, rank, message, place });
                self.add(Piece { start, end: slow, kind: Kind::Bytes, rank, message, place: None });
            }
            let entered = moved.transfer.entered;
            // What a remote memory access returns is ready at the arrival of the access.
            if let Some(access) = moved.transfer.access {
                let origin = moved.transfer.to;
                if self.messages.get(origin, access, entered)?.transfer.arrived == entered {
                    return self.network(origin, access, entered);
                }
                (seq, at) = (self.left_before(from, seq, entered)?, entered);
                continue;
            }
            let place = *self.nodes.sends.get(&(from, seq)).ok_or(missing("send"))?;
            let send = self.nodes.events[from][place];
            let EventKind::Send { overhead, .. } = send.kind else { return Err(missing("send")) };
            let ready = send.start + overhead;
            if entered == ready {
                let (start, kind) = (send.start, Kind::SendOverhead);
                self.add(Piece { start, end: ready, kind, rank: from, message, place: None });
                return Ok(Here { rank: from, before: place, time: start });
            }
            (seq, at) = (self.left_before(from, seq, entered)?, entered);
        }
    }

    /// Returns the last message before message `seq` that left at this instant: the one that `seq`, which waited for busy ports or for an
    /// earlier message to the same node, waited for.
    fn left_before(&self, from: Rank, seq: u64, at: Time) -> Result<u64, AnalysisError> {
        let left = |(_, moved): &(&(Rank, u64), &Moved)| moved.transfer.left == at;
        let earlier = self.messages.moved.range((from, 0)..(from, seq)).rev();
        let mut earlier = earlier.filter(left).filter(|(_, moved)| moved.transfer.access.is_none());
        // Messages of the network interface have no place among the sends of the node.
        let others = || {
            let all = self.messages.moved.range((from, 0)..=(from, u64::MAX));
            all.filter(left).find(|(_, moved)| moved.transfer.entered < at)
        };
        let last = earlier.next().or_else(others);
        Ok(last.ok_or(AnalysisError::Incomplete { what: "message", rank: from, at })?.0.1)
    }

    /// Adds a piece before the pieces found so far; merges it with the earliest of them if only their times differ.
    fn add(&mut self, piece: Piece) {
        if piece.start == piece.end {
            return;
        }
        match self.pieces.last_mut() {
            Some(later) if *later == (Piece { start: later.start, end: later.end, ..piece }) => {
                later.start = piece.start;
            }
            _ => self.pieces.push(piece),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::Parameters,
        payload::Payload,
        rank::Tag,
        runtime::{Pace, Settings, modeled},
        topology,
        wire::{Parcel, Selector},
    };

    /// Node 0 gets 1000 bytes from node 1, which sends 2000 bytes to node 2. The message of node 1 leaves after what the
    /// access returns. This is worked example 21b of the timing model.
    #[test]
    fn the_path_leads_through_what_a_remote_memory_access_returns() {
        let parameters = Parameters::builder().send_overhead(65e-6).receive_overhead(65e-6).beta(50e-9);
        let line = topology::parse("line:3").unwrap();
        let machine = MachineSpec::new("line:3", line, parameters.build().unwrap());
        let settings = Settings { traced: true, ..Settings::default() };
        let program = |node: &crate::comm::Node<'_>| {
            let node = node.endpoint();
            let bytes = if node.id() == 1 { 2000 } else { 0 };
            let target = node.id() + 1;
            let parcel = Parcel { target, context: 0, tag: Tag(0), bytes, active: false, synchronous: false };
            match node.id() {
                0 => drop(node.wait(node.remote(
                    parcel,
                    Some(1000),
                    Box::new(|at| (Payload::phantom(1000), at)),
                )?)?),
                1 => node.send(parcel, Payload::phantom(bytes))?,
                _ => drop(node.recv(Selector { context: 0, source: Some(1), tag: None })?),
            }
            Ok(())
        };
        let ended = modeled::run(&machine, Pace::Virtual, &settings, &program, |_| {});
        let trace = ended.unwrap().outcomes.trace;
        let path = CriticalPath::of(&trace, &machine).unwrap();
        let all: Vec<_> = path.pieces.iter().map(|piece| (piece.rank, piece.kind, piece.span())).collect();
        let us = Span::from_micros;
        let bytes = Kind::Bytes;
        let due =
            [(0, Kind::SendOverhead, 65), (1, bytes, 50), (1, bytes, 100), (2, Kind::ReceiveOverhead, 65)];
        assert_eq!(all, due.map(|(rank, kind, micros)| (rank, kind, us(micros))));
    }
}
