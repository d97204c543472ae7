//! The notes on a node for reports and traces: events, times, phases and parts.

use super::Kernel;
use crate::{
    rank::Rank,
    record::{Event, EventKind},
    time::{Span, Time},
    wire::NodeId,
};

impl Kernel {
    /// An instant, or the one at which the node dies if that is before.
    pub(super) fn lived(&self, id: NodeId, at: Time) -> Time {
        at.min(self.nodes[id as usize].dies)
    }

    /// Notes an event, as far as the node lives to see it.
    pub(super) fn note(&mut self, id: NodeId, start: Time, end: Time, kind: EventKind) {
        if self.traced {
            let end = self.lived(id, end);
            self.nodes[id as usize].events.push(Event { rank: id as Rank, start, end, kind });
        }
    }

    /// Notes that a node has computed, as far as noise has let it; returns for how long it has.
    pub(super) fn computed(&mut self, id: NodeId, start: Time, end: Time, kind: EventKind) -> Span {
        let span = self.spent(id, start, end);
        self.nodes[id as usize].record.computing += span;
        self.note(id, start, end, kind);
        span
    }

    /// Counts a wait, as far as the node lives to wait.
    pub(super) fn idle(&mut self, id: NodeId, start: Time, end: Time) {
        let waiting = self.lived(id, end).since(start);
        self.nodes[id as usize].record.waiting += waiting;
    }

    /// Notes a call that only waited.
    pub(super) fn waited(&mut self, id: NodeId, start: Time, end: Time, kind: EventKind) {
        self.idle(id, start, end);
        if end > start {
            self.note(id, start, end, kind);
        }
    }

    /// Notes the end of a program, and of its phases and parts.
    pub(super) fn close(&mut self, id: NodeId, at: Time) {
        while !self.nodes[id as usize].parts.is_empty() {
            self.end_part(id);
        }
        for nth in (0..self.nodes[id as usize].phases.len()).rev() {
            self.end_phase(id, nth);
        }
        self.nodes[id as usize].record.finished = at;
    }

    /// Ends the part that began last.
    pub(super) fn end_part(&mut self, id: NodeId) {
        let node = &mut self.nodes[id as usize];
        let end = node.clock;
        if let Some((part, begin)) = node.parts.pop().filter(|&(_, begin)| begin < end) {
            self.note(id, begin, end, EventKind::Part(part));
        }
    }

    /// Ends one of the phases.
    pub(super) fn end_phase(&mut self, id: NodeId, at: usize) {
        let node = &mut self.nodes[id as usize];
        let (name, begin) = node.phases.remove(at);
        let end = node.clock;
        node.record.add_phase(name.clone(), begin, end);
        self.note(id, begin, end, EventKind::Phase { name });
    }
}
