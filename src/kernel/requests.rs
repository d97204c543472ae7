//! Sends and receives that were started without waiting: posting, waiting for one or any, testing, forgetting.

use super::{
    Kernel, Kind,
    node::{Arrived, Doing, Receiver, Request},
    op::{NodeId, Outcome, RequestId, Selector},
};
use crate::{record::EventKind, time::Time};

impl Kernel {
    pub(super) fn post(&mut self, id: NodeId, select: Selector, request: RequestId) {
        let node = &mut self.nodes[id as usize];
        let posted = node.clock;
        let state = match node.matching.take(&select) {
            Some(message) => Request::Received { posted, message },
            None => {
                node.matching.post(select, Receiver::Request(request));
                node.wild += u32::from(select.is_wild());
                Request::RecvPosted { posted, select }
            }
        };
        node.requests.insert(request, state);
        self.finish(id, posted, Outcome::Done);
    }

    /// A request is complete since `at`; whoever waits for it goes on.
    pub(super) fn request_completed(&mut self, id: NodeId, request: RequestId, at: Time) {
        let node = &self.nodes[id as usize];
        match &node.doing {
            Doing::Wait { called, request: waited } if *waited == request => {
                let called = *called;
                if let Some((end, message)) = self.end_of(id, called, request) {
                    self.complete(id, called, request, end, message);
                    self.release(id, end, message.map_or(Outcome::Done, |m| Outcome::Received(m.id)));
                }
            }
            Doing::WaitAny { requests, .. } if requests.contains(&request) => {
                // Another one may complete at this very instant: the earlier in the list is to win.
                let serial = u64::from(node.serial);
                self.schedule(at.max(self.now), Kind::Resume, id, serial);
            }
            _ => {}
        }
    }

    /// When a wait called at `called` for a complete request returns, and the message received.
    fn end_of(&self, id: NodeId, called: Time, request: RequestId) -> Option<(Time, Option<Arrived>)> {
        match *self.nodes[id as usize].requests.get(&request)? {
            Request::Sent { at } => Some((called.max(at), None)),
            Request::Received { posted, message } => {
                Some((self.receive_end(id, called, posted, &message).0, Some(message)))
            }
            _ => None,
        }
    }

    /// Strikes a request off that a wait from `called` to `end` has seen complete.
    fn complete(
        &mut self,
        id: NodeId,
        called: Time,
        request: RequestId,
        end: Time,
        message: Option<Arrived>,
    ) {
        self.nodes[id as usize].requests.remove(&request);
        match message {
            Some(message) => {
                let overhead = end.since(called.max(message.at));
                self.received(id, called, end, overhead, &message);
            }
            None => self.waited(id, called, end, EventKind::Wait),
        }
    }

    pub(super) fn wait(&mut self, id: NodeId, called: Time, request: RequestId) {
        match self.end_of(id, called, request) {
            Some((end, message)) => {
                self.complete(id, called, request, end, message);
                self.finish(id, end, message.map_or(Outcome::Done, |m| Outcome::Received(m.id)));
            }
            None => self.nodes[id as usize].doing = Doing::Wait { called, request },
        }
    }

    /// Takes the request that was complete first; ties go to the first in the list.
    pub(super) fn wait_any(&mut self, id: NodeId, called: Time, requests: Box<[RequestId]>) {
        let node = &self.nodes[id as usize];
        let completed = |(index, request): (usize, &RequestId)| match *node.requests.get(request)? {
            Request::Sent { at } => Some((at, index)),
            Request::Received { message, .. } => Some((message.at, index)),
            _ => None,
        };
        let Some((_, index)) = requests.iter().enumerate().filter_map(completed).min() else {
            self.nodes[id as usize].doing = Doing::WaitAny { called, requests };
            return;
        };
        let request = requests[index];
        if let Some((end, message)) = self.end_of(id, called, request) {
            self.complete(id, called, request, end, message);
            self.release(id, end, Outcome::Completed { index, received: message.map(|m| m.id) });
        }
    }

    pub(super) fn test(&mut self, id: NodeId, request: RequestId) {
        let called = self.nodes[id as usize].clock;
        let complete = match self.nodes[id as usize].requests.get(&request) {
            Some(Request::Sent { at }) => *at <= called,
            Some(Request::Received { message, .. }) => message.at <= called,
            _ => false,
        };
        match self.end_of(id, called, request) {
            Some((end, message)) if complete => {
                self.complete(id, called, request, end, message);
                self.finish(id, end, Outcome::Completed { index: 0, received: message.map(|m| m.id) });
            }
            _ => self.in_vain(id, Outcome::Nothing),
        }
    }

    pub(super) fn forget(&mut self, id: NodeId, request: RequestId) {
        let node = &mut self.nodes[id as usize];
        match node.requests.remove(&request) {
            Some(Request::Received { message, .. }) => node.dropped.push(message),
            Some(Request::RecvPosted { select, .. }) => {
                node.requests.insert(request, Request::Forgotten { select });
            }
            _ => {}
        }
        let clock = node.clock;
        self.finish(id, clock, Outcome::Done);
    }
}
