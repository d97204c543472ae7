//! The messages and requests of one node of the host, matched on its own thread.

use std::sync::Arc;

use slab::Slab;

use super::{Unreceived, ring::Sent, unreceived};
use crate::{
    endpoint::Envelope,
    record::{Event, NodeRecord, Part},
    time::Time,
    wire::{Matching, RequestId, Selector},
};

/// The state of a request.
#[derive(Debug)]
pub(super) enum Request {
    /// A send, which is complete when it is made; the n-th request of the node to be complete.
    Sent(u64),
    /// A receive whose message has not come.
    Posted(Selector),
    /// A receive that has taken its message; the n-th request of the node to be complete.
    Received(u64, Envelope),
    /// A posted receive that the program has dropped.
    Forgotten,
}

/// The messages and requests of a node.
#[derive(Debug, Default)]
pub(super) struct Local {
    pub(super) matching: Matching<Envelope, RequestId>,
    /// The messages taken out of each node's ring to this one.
    pub(super) taken: Vec<u64>,
    /// The messages put into each ring from this node.
    pub(super) sent: Vec<Sent>,
    pub(super) requests: Slab<Request>,
    /// The number of requests that have been complete.
    pub(super) completed: u64,
    pub(super) record: NodeRecord,
    /// Messages that receives have taken which the program had dropped.
    pub(super) lost: Vec<Unreceived>,
    /// The phases and parts that the program is in, with their beginnings.
    pub(super) phases: Vec<(Arc<str>, Time)>,
    pub(super) parts: Vec<(Part, Time)>,
    /// The events so far, if they are kept.
    pub(super) events: Vec<Event>,
}

impl Local {
    /// Matches a message that has come.
    pub(super) fn take_in(&mut self, envelope: Envelope) {
        let Some((request, envelope)) = self.matching.arrive(envelope) else { return };
        self.completed += 1;
        match &mut self.requests[request as usize] {
            Request::Forgotten => {
                self.lost.push(unreceived(&envelope));
                self.requests.remove(request as usize);
            }
            posted => *posted = Request::Received(self.completed, envelope),
        }
    }

    /// The place of a request in the order of completion; `None` if it is not complete.
    pub(super) fn completion(&self, request: RequestId) -> Option<u64> {
        match self.requests.get(request as usize)? {
            Request::Sent(nth) | Request::Received(nth, _) => Some(*nth),
            Request::Posted(_) | Request::Forgotten => None,
        }
    }

    /// Takes a complete request out, with its message if it was a receive.
    pub(super) fn settle(&mut self, request: RequestId) -> Option<Envelope> {
        match self.requests.try_remove(request as usize)? {
            Request::Received(_, envelope) => Some(envelope),
            _ => None,
        }
    }

    pub(super) fn selector(&self, request: RequestId) -> Option<Selector> {
        match self.requests.get(request as usize)? {
            Request::Posted(select) => Some(*select),
            _ => None,
        }
    }
}
