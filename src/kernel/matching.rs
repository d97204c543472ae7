//! Matching of messages with receives in modeled time.
//!
//! A message goes to the first posted receive that accepts it, and a receive takes the first message that it accepts. Messages from one
//! source arrive in the order of sending, so a receive with a named source is matched as soon as a message is there. Of the messages that
//! arrive at one instant, a receive from any source takes that of the lowest rank, which may be the last to become known. A message that
//! such a receive may take is therefore *undecided* until an event of kind [`Kind::Delivery`], at the instant at which both message and
//! receive are there, after all other messages of this instant have arrived. The event matches all undecided messages of the node in order.
//! Messages for receives with a named source are not delayed, because these receives do not depend on the other messages: the node
//! continues, and its next sends may still arrive at the same instant.

use super::{
    Kernel, Kind,
    node::{NodeState, Receiver},
    op::Cause,
    request::{Arrived, Request},
};
use crate::{
    time::Time,
    wire::{Labeled, NodeId, Selector},
};

/// The time at which it is determined which receive takes a message.
#[derive(Clone, Copy, Debug)]
enum Decision {
    /// The available messages determine the receive.
    Now,
    /// Determined at this instant, at which a receive from any source is posted.
    At(Time),
    /// Determined together with an earlier message of the same source.
    WithEarlier,
}

impl Kernel {
    /// Takes the message for a receive at its call, or posts the receive. Fails if no further message of the source can arrive.
    pub(super) fn take_or_post(
        &mut self,
        id: NodeId,
        select: &Selector,
        receiver: Receiver,
    ) -> Result<Option<Arrived>, (Time, Cause)> {
        let node = &self.nodes[id as usize];
        let called = node.clock;
        let doomed = self.death_of_receive(id, select, called);
        if !select.is_wild() && !self.may_be_taken(id, select) {
            let node = &mut self.nodes[id as usize];
            return match (node.matching.take(select), doomed) {
                (Some(message), _) => Ok(Some(message)),
                (None, Some(doomed)) => Err(doomed),
                (None, None) => {
                    node.post(*select, receiver);
                    Ok(None)
                }
            };
        }
        // The receive can take only the first of the arrived messages.
        let node = &mut self.nodes[id as usize];
        let first = node.matching.take(select);
        node.post(*select, receiver);
        if let Some(message) = first {
            node.undecided.push(message);
            self.schedule_matching(id, called);
        }
        if let Some(doomed) = doomed {
            self.fail_when_decided(id, receiver, called, doomed);
        }
        Ok(None)
    }

    /// Whether an earlier posted receive may still take the first message for this receive from a named source.
    fn may_be_taken(&self, id: NodeId, select: &Selector) -> bool {
        let node = &self.nodes[id as usize];
        if node.wild == 0 && node.undecided.is_empty() {
            return false;
        }
        let accepts = |message: &&Arrived| select.accepts(&message.label);
        let first = node.matching.arrived().find(accepts);
        let is_first = |other: &Arrived| first.is_none_or(|first| other.precedes(first));
        node.undecided.iter().filter(accepts).any(is_first)
            || first.is_some_and(|first| node.matching.first_posted(&first.label).is_some())
    }

    /// Handles the arrival of a message at its target.
    pub(super) fn arrive(&mut self, target: NodeId, message: Arrived) {
        match self.decision(target, &message) {
            Decision::Now => self.match_message(target, message),
            Decision::At(instant) => {
                self.nodes[target as usize].undecided.push(message);
                self.schedule_matching(target, instant);
            }
            Decision::WithEarlier => self.nodes[target as usize].undecided.push(message),
        }
    }

    /// Returns the time at which the receive of an arrived message is determined.
    fn decision(&self, target: NodeId, message: &Arrived) -> Decision {
        let node = &self.nodes[target as usize];
        if node.wild == 0 && node.undecided.is_empty() {
            return Decision::Now;
        }
        let is_taken_first =
            |select: &Selector, other: &Arrived| select.accepts(&other.label) && other.precedes(message);
        match node.matching.first_posted(&message.label) {
            Some((select, receiver)) if select.is_wild() => Decision::At(node.posted(*receiver)),
            Some((select, _)) if node.undecided.iter().any(|other| is_taken_first(select, other)) => {
                Decision::WithEarlier
            }
            _ => Decision::Now,
        }
    }

    /// Schedules the matching of the undecided messages of a node.
    fn schedule_matching(&mut self, id: NodeId, instant: Time) {
        let at = instant.max(self.now);
        let node = &mut self.nodes[id as usize];
        if node.delivery.is_none_or(|delivery| at < delivery) {
            node.delivery = Some(at);
            self.schedule(at, Kind::Delivery, id, 0);
        }
    }

    /// Matches the undecided messages of a node with its receives, in the order of sources, after all messages of the instant have arrived.
    /// A blocking receive from any source that has been called by now is executed afterwards.
    pub(super) fn deliver(&mut self, target: NodeId) {
        self.nodes[target as usize].delivery = None;
        let mut messages = std::mem::take(&mut self.nodes[target as usize].undecided);
        messages.sort_unstable_by_key(|message| (message.at, message.id));
        for message in messages {
            match self.decision(target, &message) {
                // A node ahead of the network has posted the receive for a later instant.
                Decision::At(instant) if instant > self.now => {
                    self.nodes[target as usize].undecided.push(message);
                    self.schedule_matching(target, instant);
                }
                Decision::WithEarlier => self.nodes[target as usize].undecided.push(message),
                Decision::Now | Decision::At(_) => self.match_message(target, message),
            }
        }
        self.fail_decided(target);
        let node = &mut self.nodes[target as usize];
        let next = node.calls.front().and_then(|call| call.op.depends_on_instant());
        if matches!(node.state, NodeState::Resume) && node.clock <= self.now && next == Some(Kind::Delivery) {
            node.state = NodeState::Idle;
            self.execute_next(target);
        }
    }

    /// Matches a message with a receive.
    pub(super) fn match_message(&mut self, target: NodeId, message: Arrived) {
        let node = &mut self.nodes[target as usize];
        let Some((receiver, message)) = node.matching.arrive(message) else {
            if matches!(node.state, NodeState::Probe { .. }) {
                let serial = u64::from(node.serial);
                self.schedule(self.now, Kind::Resume, target, serial);
            }
            return;
        };
        match receiver {
            Receiver::Blocking => self.blocking_receive_matched(target, message),
            Receiver::Request(request) => match node.requests.remove(request) {
                Some(Request::RecvPosted { posted, select }) => {
                    node.wild -= u32::from(select.is_wild());
                    node.requests
                        .insert(request, Request::Received { posted, select, message: message.into() });
                    self.record_match(&message, posted);
                    self.request_completed(target, request, message.at);
                }
                Some(Request::Forgotten { posted, select }) => {
                    node.wild -= u32::from(select.is_wild());
                    node.lost.push((request, select, message));
                    self.record_match(&message, posted);
                }
                _ => {}
            },
        }
    }
}
