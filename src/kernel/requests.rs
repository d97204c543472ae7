//! Nonblocking sends and receives: posting, waiting for one or any, testing, forgetting.

use super::{
    Kernel, Kind,
    node::{Arrived, Doing, Receiver, Request},
    op::{AnyOf, Outcome},
};
use crate::{
    record::{EventKind, WaitEnd},
    time::Time,
    wire::{NodeId, RequestId, Selector},
};

impl Kernel {
    pub(super) fn post(&mut self, id: NodeId, select: Selector, request: RequestId) {
        let node = &mut self.nodes[id as usize];
        let posted = node.clock;
        let state = match node.matching.take(&select) {
            Some(message) => Request::Received { posted, select, message },
            None => {
                node.matching.post(select, Receiver::Request(request));
                node.wild += u32::from(select.is_wild());
                Request::RecvPosted { posted, select }
            }
        };
        node.requests.insert(request, state);
        self.finish(id, posted, Outcome::Done);
    }

    /// Notes that a request is complete since `at`; a node that waits for it goes on.
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
            Doing::WaitAny { wait, .. } if wait.requests.contains(&request) => {
                // Another request may complete at the same instant: the earlier one in the list is to win.
                let serial = u64::from(node.serial);
                self.schedule(at.max(self.now), Kind::Resume, id, serial);
            }
            _ => {}
        }
    }

    /// The time at which a wait called at `called` for a complete request returns, and the message received.
    fn end_of(&self, id: NodeId, called: Time, request: RequestId) -> Option<(Time, Option<Arrived>)> {
        match *self.nodes[id as usize].requests.get(&request)? {
            Request::Sent { at, .. } => Some((called.max(at), None)),
            Request::Received { posted, message, .. } => {
                Some((self.receive_end(id, called, posted, &message).0, Some(message)))
            }
            _ => None,
        }
    }

    /// Removes a complete request after a wait from `called` to `end`.
    fn complete(
        &mut self,
        id: NodeId,
        called: Time,
        request: RequestId,
        end: Time,
        message: Option<Arrived>,
    ) {
        let state = self.nodes[id as usize].requests.remove(&request);
        match message {
            Some(message) => {
                let overhead = end.since(called.max(message.at));
                self.received(id, called, end, overhead, &message);
            }
            None => {
                let until = match state {
                    Some(Request::Sent { seq, .. }) => WaitEnd::Left { seq },
                    _ => WaitEnd::Deadline,
                };
                self.waited(id, called, end, EventKind::Wait { until });
            }
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

    /// Begins to wait for the first of several requests, until a deadline.
    pub(super) fn begin_wait_any(&mut self, id: NodeId, called: Time, wait: AnyOf) {
        let deadline = wait.deadline.max(called);
        self.wait_any(id, called, AnyOf { deadline, ..wait });
        if matches!(self.nodes[id as usize].doing, Doing::WaitAny { .. }) && deadline < Time::MAX {
            let serial = u64::from(self.nodes[id as usize].serial);
            self.schedule(deadline, Kind::Resume, id, serial);
        }
    }

    /// Takes the request that was complete first, unless that was after the deadline; ties go to the first in the
    /// list.
    pub(super) fn wait_any(&mut self, id: NodeId, called: Time, wait: AnyOf) {
        let AnyOf { ref requests, deadline, computing } = wait;
        let node = &self.nodes[id as usize];
        let completed = |(index, request): (usize, &RequestId)| match *node.requests.get(request)? {
            Request::Sent { at, .. } => Some((at, index)),
            Request::Received { message, .. } => Some((message.at, index)),
            _ => None,
        };
        let first = requests.iter().enumerate().filter_map(completed).min();
        let Some((at, index)) = first.filter(|&(at, _)| at <= deadline) else {
            if deadline == called {
                self.in_vain(id, Outcome::TimedOut);
            } else if deadline <= self.now {
                if computing {
                    self.computed(id, called, deadline, EventKind::Compute);
                } else {
                    self.waited(id, called, deadline, EventKind::Wait { until: WaitEnd::Deadline });
                }
                self.release(id, deadline, Outcome::TimedOut);
            } else {
                self.nodes[id as usize].doing = Doing::WaitAny { called, wait };
            }
            return;
        };
        let request = requests[index];
        if let Some((end, message)) = self.end_of(id, called, request) {
            let mut waiting = called;
            if computing && at > called {
                self.computed(id, called, at, EventKind::Compute);
                waiting = at;
            }
            self.complete(id, waiting, request, end, message);
            self.release(id, end, Outcome::Completed { index, received: message.map(|m| m.id) });
        }
    }

    pub(super) fn test(&mut self, id: NodeId, request: RequestId) {
        let called = self.nodes[id as usize].clock;
        let complete = match self.nodes[id as usize].requests.get(&request) {
            Some(Request::Sent { at, .. }) => *at <= called,
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
            Some(Request::Received { select, message, .. }) => node.lost.push((request, select, message)),
            Some(Request::RecvPosted { select, .. }) => {
                node.requests.insert(request, Request::Forgotten { select });
            }
            _ => {}
        }
        let clock = node.clock;
        self.finish(id, clock, Outcome::Done);
    }

    /// Withdraws a receive: a message that it has taken by the node's clock becomes available to other receives, in
    /// its place in the order. The network may be further on; messages that have arrived since are matched anew, as
    /// if the receive had no longer been posted.
    pub(super) fn withdraw(&mut self, id: NodeId, request: RequestId) {
        let node = &mut self.nodes[id as usize];
        let clock = node.clock;
        match node.requests.remove(&request) {
            Some(Request::RecvPosted { select, .. }) => {
                node.matching.withdraw(&Receiver::Request(request));
                node.wild -= u32::from(select.is_wild());
            }
            Some(Request::Received { message, .. }) => {
                let mut messages = self.unmatch_since(id, clock);
                messages.push(message);
                messages.sort_unstable_by_key(|message| (message.at, message.id));
                for message in messages {
                    self.meet(id, message);
                }
            }
            _ => {}
        }
        self.finish(id, clock, Outcome::Done);
    }

    /// Takes all messages that have arrived after `instant` back from receives that the program has not waited for;
    /// these receives are posted again in their original order.
    fn unmatch_since(&mut self, id: NodeId, instant: Time) -> Vec<Arrived> {
        let node = &mut self.nodes[id as usize];
        let (late, lost) = std::mem::take(&mut node.lost).into_iter().partition(|lost| lost.2.at > instant);
        node.lost = lost;
        let mut taken: Vec<(RequestId, Selector, Arrived)> = late;
        for &(request, select, _) in &taken {
            node.requests.insert(request, Request::Forgotten { select });
        }
        for (&request, state) in &mut node.requests {
            if let Request::Received { posted, select, message } = *state
                && message.at > instant
            {
                taken.push((request, select, message));
                *state = Request::RecvPosted { posted, select };
            }
        }
        let mut messages = Vec::new();
        for (request, select, message) in taken {
            messages.push(message);
            node.matching.post(select, Receiver::Request(request));
            node.wild += u32::from(select.is_wild());
        }
        node.matching.sort_posted();
        while let Some(message) = node.matching.take_if(|message| message.at > instant) {
            messages.push(message);
        }
        messages
    }
}
