//! Rendezvous: senders that wait until a receive takes their message.
//!
//! A message of at least the threshold length *meets* a receive when both are there: at its arrival, if the receive has been posted by
//! then, otherwise at the posting. Until then its sender waits, or the sender's request is incomplete. The other times do not change: the
//! message leaves and arrives, and the receive ends, at the same instants as without rendezvous. The same holds for synchronous messages,
//! whatever their length and on all machines.
//!
//! A node may be ahead of the network, so a match may be known before its instant. It takes effect by an event of kind [`Kind::Match`],
//! so that a test finds the request complete from this instant on, and not earlier. The event is never late: guards are at the nodes'
//! clocks, and a node's next receive is not before its clock.

use std::collections::BTreeMap;

use super::{
    Kernel, Kind,
    node::NodeState,
    op::{Cause, Outcome},
    ports::Outgoing,
    request::{Arrived, Request},
};
use crate::{
    record::{EventKind, WaitEnd},
    time::Time,
    wire::{Label, MessageId, NodeId, Parcel, RequestId},
};

/// A message whose sender waits for its receive.
#[derive(Clone, Copy, Debug)]
struct Awaited {
    target: NodeId,
    label: Label,
    left: Time,
    /// The request that the match completes; `None` if the sender is blocked.
    request: Option<RequestId>,
    /// The time of the match with a receive, if it is known.
    matched: Option<Time>,
}

/// The threshold of a machine on which only synchronous messages wait: longer than any message.
const NO_THRESHOLD: u64 = u64::MAX;

/// The messages whose senders wait for their receives.
#[derive(Debug)]
pub(super) struct Rendezvous {
    /// The rendezvous threshold in bytes: senders of messages of this length or more wait for the receive.
    threshold: u64,
    awaited: BTreeMap<MessageId, Awaited>,
}

impl Rendezvous {
    pub(super) fn new(threshold: u64) -> Rendezvous {
        Rendezvous { threshold, awaited: BTreeMap::new() }
    }

    /// The awaited messages of one node.
    fn awaited_of(&self, source: NodeId) -> impl Iterator<Item = (MessageId, &Awaited)> {
        let id = |seq| MessageId { source, seq };
        self.awaited.range(id(0)..=id(u64::MAX)).map(|(&id, awaited)| (id, awaited))
    }
}

impl Kernel {
    /// Whether the sender of a message waits for its receive.
    pub(super) fn is_rendezvous(&self, parcel: &Parcel) -> bool {
        let is_long = |rendezvous: &Rendezvous| parcel.bytes >= rendezvous.threshold;
        !parcel.active && (parcel.synchronous || self.rendezvous.as_deref().is_some_and(is_long))
    }

    /// Prepares a machine without a rendezvous threshold for its first synchronous message, when the message is sent.
    pub(super) fn prepare_rendezvous(&mut self, parcel: &Parcel) {
        if parcel.synchronous && self.rendezvous.is_none() {
            self.rendezvous = Some(Box::new(Rendezvous::new(NO_THRESHOLD)));
            self.end_lookahead();
        }
    }

    /// Registers a departing message if its sender waits for the receive, and returns whether it does; must be called before the arrival.
    pub(super) fn await_match(&mut self, message: &Outgoing, left: Time) -> bool {
        let Some(rendezvous) = &mut self.rendezvous else { return false };
        let &Outgoing { target, label, seq, request, blocking, .. } = message;
        if !message.rendezvous || (request.is_none() && !blocking) {
            return false;
        }
        let id = MessageId { source: label.source, seq };
        rendezvous.awaited.insert(id, Awaited { target, label, left, request, matched: None });
        true
    }

    /// Notifies the sender, which waits for the receive, that its message has left.
    pub(super) fn awaited_message_left(&mut self, source: NodeId, message: &Outgoing, left: Time) {
        if source == message.target {
            // The sender of a message to itself is still in the call that sends it.
            return;
        }
        if message.request.is_none() {
            self.blocking_send_left(source, left, true);
        }
        // If a member of the library call has died, no node will receive the message.
        if let Some((_, cause)) = self.death_of_call(message.label.context, left) {
            self.fail_awaited(MessageId { source, seq: message.seq }, left, cause);
        }
    }

    /// Records that a message has been matched with a receive posted at `posted`. Only the first match counts.
    pub(super) fn record_match(&mut self, message: &Arrived, posted: Time) {
        let Some(rendezvous) = self.rendezvous.as_mut().filter(|_| message.awaited) else { return };
        let Some(awaited) = rendezvous.awaited.get_mut(&message.id) else { return };
        if awaited.matched.is_none() {
            let at = posted.max(message.at);
            awaited.matched = Some(at);
            self.schedule(at.max(self.now), Kind::Match, message.id.source, message.id.seq);
        }
    }

    /// Lets the sender of a message continue after the match with a receive.
    pub(super) fn complete_match(&mut self, source: NodeId, seq: u64) {
        let id = MessageId { source, seq };
        let awaited = self.rendezvous.as_mut().and_then(|rendezvous| rendezvous.awaited.remove(&id));
        let Some(Awaited { request, matched: Some(at), .. }) = awaited else { return };
        let node = &mut self.nodes[source as usize];
        if let Some(request) = request {
            if let Some(Request::SendUnderWay) = node.requests.get(request) {
                node.requests.insert(request, Request::Sent { at, seq, matched: true });
                self.request_completed(source, request, at);
            }
            return;
        }
        match &mut node.state {
            NodeState::Send { .. } => {
                let left = node.clock;
                self.record_wait(source, left, at, EventKind::Wait { until: WaitEnd::Met { seq } });
                self.release(source, at, Outcome::Done);
            }
            NodeState::SendRecv { matched, .. } => {
                *matched = Some(at);
                self.try_end_send_recv(source);
            }
            _ => {}
        }
    }

    /// Fails the waits for a receive by a dead node, or in a library call with a dead member.
    pub(super) fn fail_unmatched(&mut self, now: Time) {
        let Some(rendezvous) = &self.rendezvous else { return };
        let doomed = |(&id, awaited): (&MessageId, &Awaited)| {
            let dies = self.nodes[awaited.target as usize].dies;
            let cause = match self.death_of_call(awaited.label.context, now) {
                Some((_, cause)) => cause,
                None if dies <= now => Cause::NodeDied { node: awaited.target, at: dies },
                None => return None,
            };
            awaited.matched.is_none().then_some((id, awaited.left.max(now), cause))
        };
        let doomed: Vec<_> = rendezvous.awaited.iter().filter_map(doomed).collect();
        for (id, at, cause) in doomed {
            self.fail_awaited(id, at, cause);
        }
    }

    /// Fails the wait for a receive that will not happen.
    fn fail_awaited(&mut self, id: MessageId, at: Time, cause: Cause) {
        let source = id.source;
        let awaited = self.rendezvous.as_mut().and_then(|rendezvous| rendezvous.awaited.remove(&id));
        let Some(Awaited { request, .. }) = awaited else { return };
        let node = &mut self.nodes[source as usize];
        if let Some(request) = request {
            if let Some(Request::SendUnderWay) = node.requests.get(request) {
                node.requests.insert(request, Request::Failed { at, cause });
                self.request_completed(source, request, at);
            }
            return;
        }
        match node.state {
            NodeState::Send { called } => self.fail_waiting(source, called, at, cause),
            NodeState::SendRecv { .. } => self.fail_send_recv(source, at, cause),
            _ => {}
        }
    }

    /// Removes the messages for which a blocked node waits; messages of requests stay.
    pub(super) fn forget_awaited(&mut self, source: NodeId) {
        if let Some(rendezvous) = &mut self.rendezvous {
            rendezvous.awaited.retain(|id, awaited| id.source != source || awaited.request.is_some());
        }
    }

    /// The target and the label of the message for whose receive a blocked call, or a request, of a node waits.
    pub(super) fn awaited_by(&self, source: NodeId, request: Option<RequestId>) -> Option<(NodeId, Label)> {
        let mut awaited = self.rendezvous.as_ref()?.awaited_of(source).map(|(_, awaited)| awaited);
        awaited.find(|awaited| awaited.request == request).map(|awaited| (awaited.target, awaited.label))
    }
}
