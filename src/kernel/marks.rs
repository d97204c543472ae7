//! Records of a node for reports and traces: events, times, phases and parts.

use super::Kernel;
use crate::{
    rank::Rank,
    record::{Event, EventKind},
    time::{Span, Time},
    wire::NodeId,
};

impl Kernel {
    /// Returns `at`, or the time of the node's death if it is earlier.
    pub(super) fn clamp_to_death(&self, id: NodeId, at: Time) -> Time {
        at.min(self.nodes[id as usize].dies)
    }

    /// Records an event for the trace, truncated at the node's death.
    pub(super) fn record_event(&mut self, id: NodeId, start: Time, end: Time, kind: EventKind) {
        if self.traced {
            let end = self.clamp_to_death(id, end);
            self.nodes[id as usize].events.push(Event { rank: id as Rank, start, end, kind });
        }
    }

    /// Records computation, truncated at the node's death; returns the time computed without noise.
    pub(super) fn record_compute(&mut self, id: NodeId, start: Time, end: Time, kind: EventKind) -> Span {
        let span = self.count_noise(id, start, end);
        self.nodes[id as usize].record.computing += span;
        self.record_event(id, start, end, kind);
        span
    }

    /// Counts a wait, truncated at the node's death.
    pub(super) fn count_wait(&mut self, id: NodeId, start: Time, end: Time) {
        let waiting = self.clamp_to_death(id, end).since(start);
        self.nodes[id as usize].record.waiting += waiting;
    }

    /// Records a call that only waited.
    pub(super) fn record_wait(&mut self, id: NodeId, start: Time, end: Time, kind: EventKind) {
        self.count_wait(id, start, end);
        if end > start {
            self.record_event(id, start, end, kind);
        }
    }

    /// Records the end of a program, and ends its phases and parts.
    pub(super) fn close(&mut self, id: NodeId, at: Time) {
        while !self.nodes[id as usize].parts.is_empty() {
            self.end_part(id);
        }
        for nth in (0..self.nodes[id as usize].phases.len()).rev() {
            self.end_phase(id, nth);
        }
        self.nodes[id as usize].record.finished = at;
    }

    /// Ends the innermost part.
    pub(super) fn end_part(&mut self, id: NodeId) {
        let node = &mut self.nodes[id as usize];
        let end = node.clock;
        if let Some((part, begin)) = node.parts.pop().filter(|&(_, begin)| begin < end) {
            self.record_event(id, begin, end, EventKind::Part(part));
        }
    }

    /// Ends one of the open phases.
    pub(super) fn end_phase(&mut self, id: NodeId, at: usize) {
        let node = &mut self.nodes[id as usize];
        let (name, begin) = node.phases.remove(at);
        let end = node.clock;
        node.record.add_phase(name.clone(), begin, end);
        self.record_event(id, begin, end, EventKind::Phase { name });
    }
}
