//! The messages and requests of a node that matches its messages on its own thread.

use std::{collections::BTreeMap, sync::Arc};

use slab::Slab;

use super::{
    unreceived::{Unreceived, unreceived},
    waiting::AwaitedEvent,
};
use crate::{
    endpoint::{Envelope, Mark},
    record::{Event, EventKind, NodeRecord, Part},
    time::Time,
    wire::{Matching, MessageId, Parcel, RequestId, Selector},
};

/// The state of a request.
#[derive(Debug)]
pub(super) enum Request {
    /// A send in progress; with the parcel if it waits for its receive (rendezvous).
    Sending(Option<Parcel>),
    /// A complete send, with its number in the order of completion.
    Sent(u64),
    /// A receive whose message has not arrived.
    Posted(Selector),
    /// A complete receive, with its number in the order of completion.
    Received(u64, Envelope),
    /// A posted receive or a send in progress that the program has dropped.
    Forgotten,
}

/// The messages and requests of a node.
#[derive(Debug, Default)]
pub(super) struct Local {
    pub(super) matching: Matching<Envelope, RequestId>,
    pub(super) requests: Slab<Request>,
    /// The number of requests completed so far.
    pub(super) completed: u64,
    pub(super) record: NodeRecord,
    /// The messages that probes have set aside.
    pub(super) claimed: BTreeMap<MessageId, Envelope>,
    /// The messages that matched receives after the program had dropped the receives.
    pub(super) lost: Vec<Unreceived>,
    /// The sends whose requests the program has dropped without a wait.
    pub(super) unwaited: Vec<Parcel>,
    /// The nesting depth of the library calls that the program is in.
    pub(super) depth: u32,
    /// The open phases and parts, with the times of their beginnings.
    phases: Vec<(Arc<str>, Time)>,
    parts: Vec<(Part, Time)>,
    /// The events so far, if the run is traced.
    pub(super) events: Vec<Event>,
}

impl Local {
    /// Matches an arrived message; returns its identity if a posted receive has taken it.
    pub(super) fn take_in(&mut self, envelope: Envelope) -> Option<MessageId> {
        let (request, envelope) = self.matching.arrive(envelope)?;
        let id = envelope.id;
        self.completed += 1;
        match &mut self.requests[request as usize] {
            Request::Forgotten => {
                self.lost.push(unreceived(&envelope));
                self.requests.remove(request as usize);
            }
            posted => *posted = Request::Received(self.completed, envelope),
        }
        Some(id)
    }

    /// Completes a send in progress.
    pub(super) fn sent(&mut self, request: RequestId) {
        self.completed += 1;
        match self.requests.get_mut(request as usize) {
            Some(Request::Forgotten) => drop(self.requests.remove(request as usize)),
            Some(sending) => *sending = Request::Sent(self.completed),
            None => {}
        }
    }

    /// Returns the number of a request in the order of completion; `None` if it is not complete.
    pub(super) fn completion(&self, request: RequestId) -> Option<u64> {
        match self.requests.get(request as usize)? {
            Request::Sent(nth) | Request::Received(nth, _) => Some(*nth),
            Request::Sending(_) | Request::Posted(_) | Request::Forgotten => None,
        }
    }

    /// Removes a complete request; returns its message if it was a receive.
    pub(super) fn settle(&mut self, request: RequestId) -> Option<Envelope> {
        match self.requests.try_remove(request as usize)? {
            Request::Received(_, envelope) => Some(envelope),
            _ => None,
        }
    }

    /// Drops a request. A request in progress is removed when it completes.
    pub(super) fn forget(&mut self, request: RequestId) {
        match self.requests.get_mut(request as usize) {
            Some(open @ (Request::Posted(_) | Request::Sending(_))) => *open = Request::Forgotten,
            Some(_) => {
                let lost = self.settle(request);
                self.lost.extend(lost.as_ref().map(unreceived));
            }
            None => {}
        }
    }

    /// Returns the event that an incomplete request waits for.
    pub(super) fn waits_for(&self, request: RequestId) -> Option<AwaitedEvent> {
        match self.requests.get(request as usize)? {
            Request::Posted(select) => Some(AwaitedEvent::Message(*select)),
            Request::Sending(Some(parcel)) => Some(AwaitedEvent::Receive(*parcel)),
            Request::Sending(None) => Some(AwaitedEvent::Departure),
            _ => None,
        }
    }

    /// Records a mark. If the mark ends a phase or a part, returns its beginning and its kind of event.
    pub(super) fn mark(&mut self, mark: Mark, now: Time) -> Option<(Time, EventKind)> {
        match mark {
            Mark::PhaseBegin(name) => {
                self.phases.push((name, now));
                None
            }
            Mark::PhaseEnd(name) => {
                // The innermost phase of this name: phases need not end in the order of their nesting.
                let at = self.phases.iter().rposition(|(known, _)| *known == name)?;
                let (name, begin) = self.phases.remove(at);
                self.record.add_phase(name.clone(), begin, now);
                Some((begin, EventKind::Phase { name }))
            }
            Mark::PartBegin(part) => {
                self.parts.push((part, now));
                None
            }
            // Only drawings of a modeled network show the data that nodes hold, and here the network is not modeled.
            Mark::Holds(_) => None,
            Mark::PartEnd => self.parts.pop().map(|(part, begin)| (begin, EventKind::Part(part))),
        }
    }

    /// Completes the record of the node. Returns the phases and parts left open by the program, with their beginnings.
    pub(super) fn finish(&mut self, now: Time) -> Vec<(Time, EventKind)> {
        self.record.finished = now;
        let mut open = Vec::new();
        while let Some((name, begin)) = self.phases.pop() {
            self.record.add_phase(name.clone(), begin, now);
            open.push((begin, EventKind::Phase { name }));
        }
        open.extend(self.parts.drain(..).map(|(part, begin)| (begin, EventKind::Part(part))));
        open
    }

    /// Returns all messages that the program has not received.
    pub(super) fn unreceived(&self) -> Vec<Unreceived> {
        let mut left = self.lost.clone();
        left.extend(self.matching.arrived().chain(self.claimed.values()).map(unreceived));
        left.extend(self.requests.iter().filter_map(|(_, request)| match request {
            Request::Received(_, envelope) => Some(unreceived(envelope)),
            _ => None,
        }));
        left
    }
}
