//! Nonblocking sends and receives: posting, waiting for one or any, testing, forgetting.

use super::{
    Kernel, Kind,
    node::{NodeState, Receiver},
    op::{AnyOf, Cause, Outcome},
    request::{Arrived, Request},
};
use crate::{
    rank::Rank,
    record::{EventKind, WaitEnd},
    time::{Span, Time},
    wire::{MessageId, NodeId, RequestId, Selector},
};

/// The result of a complete request.
#[derive(Clone, Copy)]
enum RequestEnd {
    /// The message has left, and under rendezvous has been matched with a receive.
    Left,
    /// A remote memory access, which this message brought to its target, has returned.
    Returned(MessageId),
    /// A message has been received.
    Received(Arrived),
    /// A fault ended the request.
    Failed(Cause),
}

impl RequestEnd {
    /// The outcome of a wait for a single request.
    fn outcome(self) -> Outcome {
        match self {
            RequestEnd::Left => Outcome::Done,
            RequestEnd::Returned(id) => Outcome::Received(id),
            RequestEnd::Received(message) => Outcome::Received(message.id),
            RequestEnd::Failed(cause) => Outcome::Failed(cause),
        }
    }

    /// The outcome of a wait for or test of several requests, where this is the request at `index`.
    fn outcome_among(self, index: usize) -> Outcome {
        match self {
            RequestEnd::Left => Outcome::Completed { index, received: None },
            RequestEnd::Returned(id) => Outcome::Completed { index, received: Some(id) },
            RequestEnd::Received(message) => Outcome::Completed { index, received: Some(message.id) },
            RequestEnd::Failed(cause) => Outcome::FailedAmong { index, cause },
        }
    }
}

impl Kernel {
    pub(super) fn post(&mut self, id: NodeId, select: Selector, request: RequestId) {
        let posted = self.nodes[id as usize].clock;
        let receiver = Receiver::Request(request);
        let taken = match self.death_of_call(select.context, posted) {
            Some((since, cause)) => Err((since, cause)),
            None => self.take_or_post(id, &select, receiver),
        };
        let state = match taken {
            Ok(Some(message)) => {
                self.record_match(&message, posted);
                Request::Received { posted, select, message: message.into() }
            }
            Ok(None) => Request::RecvPosted { posted, select },
            Err((since, cause)) => Request::Failed { at: since.max(posted), cause },
        };
        self.nodes[id as usize].requests.insert(request, state);
        self.finish(id, posted, Outcome::Done);
    }

    /// Handles the completion of a request at `at`; a node that waits for the request continues.
    pub(super) fn request_completed(&mut self, id: NodeId, request: RequestId, at: Time) {
        let node = &self.nodes[id as usize];
        match &node.state {
            NodeState::Wait { called, request: waited } if *waited == request => {
                let called = *called;
                if let Some((end, ended)) = self.end_of(id, called, request) {
                    self.complete(id, called, request, end, ended);
                    self.release(id, end, ended.outcome());
                }
            }
            NodeState::WaitAny { wait, .. } if wait.requests.contains(&request) => {
                // Another request may complete at the same instant; the wait must return the earlier one in the list.
                let serial = u64::from(node.serial);
                self.schedule(at.max(self.now), Kind::Resume, id, serial);
            }
            _ => {}
        }
    }

    /// Returns the end of a wait called at `called` for a complete request, and the end state of the request.
    fn end_of(&mut self, id: NodeId, called: Time, request: RequestId) -> Option<(Time, RequestEnd)> {
        match *self.nodes[id as usize].requests.get(request)? {
            Request::Sent { at, .. } => Some((called.max(at), RequestEnd::Left)),
            Request::Returned { at, seq, .. } => {
                Some((called.max(at), RequestEnd::Returned(MessageId { source: id, seq })))
            }
            Request::Failed { at, cause } => Some((called.max(at), RequestEnd::Failed(cause))),
            Request::Received { posted, ref message, .. } => {
                let message = **message;
                Some(match message.lost {
                    Some(cause) => (called.max(message.at), RequestEnd::Failed(cause)),
                    None => (self.receive_end(id, called, posted, &message), RequestEnd::Received(message)),
                })
            }
            _ => None,
        }
    }

    /// Removes a complete request after a wait from `called` to `end`.
    fn complete(&mut self, id: NodeId, called: Time, request: RequestId, end: Time, ended: RequestEnd) {
        let state = self.nodes[id as usize].requests.remove(request);
        match ended {
            RequestEnd::Received(message) => self.received(id, called, end, &message),
            RequestEnd::Failed(cause) => {
                self.record_wait(id, called, end, EventKind::Wait { until: WaitEnd::Failure });
                self.notify(id, cause);
            }
            RequestEnd::Left | RequestEnd::Returned(_) => {
                let until = match state {
                    Some(Request::Returned { from, returns: Some(seq), .. }) => {
                        WaitEnd::Returned { from: from as Rank, seq }
                    }
                    Some(Request::Sent { seq, matched: true, .. }) => WaitEnd::Met { seq },
                    Some(Request::Sent { seq, .. }) => WaitEnd::Left { seq },
                    _ => WaitEnd::Deadline,
                };
                self.record_wait(id, called, end, EventKind::Wait { until });
            }
        }
    }

    pub(super) fn wait(&mut self, id: NodeId, called: Time, request: RequestId) {
        match self.end_of(id, called, request) {
            Some((end, ended)) => {
                self.complete(id, called, request, end, ended);
                self.finish(id, end, ended.outcome());
            }
            None => self.nodes[id as usize].state = NodeState::Wait { called, request },
        }
    }

    /// Begins to wait for the first of several requests, until a deadline.
    pub(super) fn begin_wait_any(&mut self, id: NodeId, called: Time, wait: AnyOf) {
        let mut deadline = wait.deadline.max(called);
        if wait.computing {
            deadline = self.work_end(id, called, deadline.since(called));
        }
        self.wait_any(id, called, AnyOf { deadline, ..wait });
        if matches!(self.nodes[id as usize].state, NodeState::WaitAny { .. }) && deadline < Time::MAX {
            let serial = u64::from(self.nodes[id as usize].serial);
            self.schedule(deadline, Kind::Resume, id, serial);
        }
    }

    /// Takes the request that completed first, unless this was after the deadline; ties go to the first in the list.
    pub(super) fn wait_any(&mut self, id: NodeId, called: Time, wait: AnyOf) {
        let AnyOf { ref requests, deadline, computing } = wait;
        let first = self.nodes[id as usize].requests.first_complete(requests);
        let Some((at, index)) = first.filter(|&(at, _)| at <= deadline) else {
            if deadline == called {
                self.finish_without_result(id, Outcome::TimedOut);
            } else if deadline <= self.now {
                if computing {
                    self.record_compute(id, called, deadline, EventKind::Compute);
                } else {
                    self.record_wait(id, called, deadline, EventKind::Wait { until: WaitEnd::Deadline });
                }
                self.release(id, deadline, Outcome::TimedOut);
            } else {
                self.nodes[id as usize].state = NodeState::WaitAny { called, wait };
            }
            return;
        };
        let request = requests[index];
        if let Some((end, ended)) = self.end_of(id, called, request) {
            let mut computed = Span::ZERO;
            if computing && at > called {
                computed = self.record_compute(id, called, at, EventKind::Compute);
            }
            let waiting = if computing { called.max(at) } else { called };
            self.complete(id, waiting, request, end, ended);
            let outcome = match ended {
                RequestEnd::Received(message) if computing => {
                    Outcome::Interrupted { received: message.id, computed }
                }
                _ => ended.outcome_among(index),
            };
            self.release(id, end, outcome);
        }
    }

    pub(super) fn test(&mut self, id: NodeId, request: RequestId) {
        let called = self.nodes[id as usize].clock;
        let since = self.nodes[id as usize].requests.get(request).and_then(Request::complete_since);
        let complete = since.is_some_and(|at| at <= called);
        match self.end_of(id, called, request) {
            Some((end, ended)) if complete => {
                self.complete(id, called, request, end, ended);
                let outcome = match ended {
                    RequestEnd::Failed(cause) => Outcome::Failed(cause),
                    _ => ended.outcome_among(0),
                };
                self.finish(id, end, outcome);
            }
            _ => self.finish_without_result(id, Outcome::Nothing),
        }
    }

    pub(super) fn forget(&mut self, id: NodeId, request: RequestId) {
        let node = &mut self.nodes[id as usize];
        match node.requests.remove(request) {
            Some(Request::Received { select, message, .. }) => node.lost.push((request, select, *message)),
            Some(Request::RecvPosted { posted, select }) => {
                node.requests.insert(request, Request::Forgotten { posted, select });
            }
            _ => {}
        }
        let clock = node.clock;
        self.finish(id, clock, Outcome::Done);
    }

    /// Withdraws a receive: a message that it has taken by the node's clock becomes available to other receives, at its place in the order.
    /// The network may be ahead; messages that have arrived since are matched again, without the withdrawn receive.
    pub(super) fn withdraw(&mut self, id: NodeId, request: RequestId) {
        let clock = self.nodes[id as usize].clock;
        self.remove_receive(id, request);
        self.finish(id, clock, Outcome::Done);
    }

    /// Withdraws a receive if it has not been matched by the node's clock. The network may be ahead: a message that has arrived since does
    /// not count.
    pub(super) fn cancel(&mut self, id: NodeId, request: RequestId) {
        let node = &self.nodes[id as usize];
        let clock = node.clock;
        let is_unmatched = match node.requests.get(request) {
            Some(Request::RecvPosted { .. }) => true,
            Some(Request::Received { message, .. }) => message.at > clock,
            _ => false,
        };
        if is_unmatched {
            self.remove_receive(id, request);
        }
        self.finish(id, clock, if is_unmatched { Outcome::Withdrawn } else { Outcome::Done });
    }

    /// Removes a receive at the node's clock, and matches the messages again to which it makes a difference.
    fn remove_receive(&mut self, id: NodeId, request: RequestId) {
        let node = &mut self.nodes[id as usize];
        let clock = node.clock;
        match node.requests.remove(request) {
            Some(Request::RecvPosted { select, .. }) => {
                node.matching.withdraw(&Receiver::Request(request));
                node.wild -= u32::from(select.is_wild());
            }
            Some(Request::Received { message, .. }) => {
                let mut messages = self.unmatch_since(id, clock);
                messages.push(*message);
                messages.sort_unstable_by_key(|message| (message.at, message.id));
                for message in messages {
                    self.match_message(id, message);
                }
            }
            _ => {}
        }
    }

    /// Takes all messages that arrived after `instant` back from receives that the program has not waited for, and posts these receives
    /// again in their original order.
    fn unmatch_since(&mut self, id: NodeId, instant: Time) -> Vec<Arrived> {
        let node = &mut self.nodes[id as usize];
        let (late, lost) = std::mem::take(&mut node.lost).into_iter().partition(|lost| lost.2.at > instant);
        node.lost = lost;
        let mut taken: Vec<(RequestId, Selector, Arrived)> = late;
        for &(request, select, _) in &taken {
            // The posting time matters only under rendezvous, where the network is never ahead of a node.
            node.requests.insert(request, Request::Forgotten { posted: instant, select });
        }
        let received = |(&request, state): (&RequestId, &Request)| match *state {
            Request::Received { posted, select, ref message } if message.at > instant => {
                Some((request, posted, select, **message))
            }
            _ => None,
        };
        let received: Vec<_> = node.requests.iter().filter_map(received).collect();
        for (request, posted, select, message) in received {
            taken.push((request, select, message));
            node.requests.insert(request, Request::RecvPosted { posted, select });
        }
        let mut messages = Vec::new();
        for (request, select, message) in taken {
            messages.push(message);
            node.post(select, Receiver::Request(request));
        }
        node.matching.sort_posted();
        while let Some(message) = node.matching.take_if(|message| message.at > instant) {
            messages.push(message);
        }
        messages
    }
}
