//! The matching of messages with receives in modeled time.
//!
//! A message goes to the first posted receive that accepts it, and a receive takes the first message that it accepts.
//! Messages from one source come in the order of their sends, so a receive that names its source is matched as soon as a
//! message is there. A receive from any source takes, of the messages that arrive at one instant, that of the lowest
//! rank, which may be the last one to become known. So a message that such a receive may take is *undecided* until all
//! messages of its instant are known: then an event of the kind [`Kind::Delivery`] matches all undecided messages of
//! the node, in the order of their sources. For a receive that is posted at that instant, this is when all is done that
//! comes before receives from any source; for one of a node that is ahead of the network, when the instant is over. Messages that receives with a named source take meanwhile do not wait for
//! that, as these receives do not depend on it: a node goes on with them, and what it sends then may still arrive at the
//! same instant.

use super::{
    Kernel, Kind,
    node::{Doing, Receiver},
    op::Cause,
    request::{Arrived, Request},
};
use crate::{
    time::{Span, Time},
    wire::{Labeled, NodeId, Selector},
};

/// What a receive finds among the messages that have arrived.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// The message that it takes.
    Message,
    /// No message that it accepts.
    Nothing,
    /// Messages that it accepts, of which another receive may take some, or to which others of the same instant may still
    /// be added.
    Undecided,
}

impl Kernel {
    /// Takes the message that a receive takes at its call, or posts the receive. Fails where no message of the source can come
    /// any more.
    pub(super) fn take_or_post(
        &mut self,
        id: NodeId,
        select: &Selector,
        receiver: Receiver,
    ) -> Result<Option<Arrived>, (Time, Cause)> {
        let found = self.found(id, select);
        let called = self.nodes[id as usize].clock;
        let doomed = self.doomed(id, select, called);
        match (found, doomed) {
            (Found::Message, _) => {
                let taken = self.nodes[id as usize].matching.take(select);
                return Ok(taken);
            }
            (Found::Nothing, Some(doomed)) if !select.is_wild() => return Err(doomed),
            // A message may still arrive at the instant of the call.
            (_, Some(doomed)) => self.fail_when_decided(id, receiver, called, doomed),
            (Found::Nothing | Found::Undecided, None) => {}
        }
        if matches!(found, Found::Undecided) {
            while let Some(message) = self.nodes[id as usize].matching.take(select) {
                self.set_aside(id, message);
            }
        }
        self.nodes[id as usize].post(*select, receiver);
        Ok(None)
    }

    /// What a receive finds at its call, at which messages may still arrive.
    fn found(&self, id: NodeId, select: &Selector) -> Found {
        let node = &self.nodes[id as usize];
        let accepts = |message: &&Arrived| select.accepts(&message.label);
        let is_undecided = match node.matching.arrived().find(accepts) {
            // All messages of earlier instants are known, and precede those of this one.
            Some(first) if first.at < self.now => false,
            Some(_) if select.is_wild() => true,
            Some(first) => node.undecided.iter().filter(accepts).any(|other| other.precedes(first)),
            None if node.undecided.iter().any(|message| accepts(&message)) => true,
            None => return Found::Nothing,
        };
        if is_undecided { Found::Undecided } else { Found::Message }
    }

    /// Handles the arrival of a message at its target.
    pub(super) fn arrive(&mut self, target: NodeId, message: Arrived) {
        if self.is_undecided(target, &message, false) {
            self.set_aside(target, message);
        } else {
            self.meet(target, message);
        }
    }

    /// Whether another message of the present instant may decide which receive takes a message; `all_are_there` if all messages
    /// have arrived that receives posted by now may take.
    fn is_undecided(&self, target: NodeId, message: &Arrived, all_are_there: bool) -> bool {
        let node = &self.nodes[target as usize];
        if node.wild == 0 && node.undecided.is_empty() {
            return false;
        }
        match node.matching.first_posted(&message.label) {
            // One that is posted later takes the first message of an instant that is over by then.
            Some((select, receiver)) if select.is_wild() => {
                message.at == self.now && !(all_are_there && node.posted(*receiver) <= self.now)
            }
            // It takes an earlier message of the same source if no other receive does.
            Some((select, _)) => {
                let is_earlier = |other: &&Arrived| other.precedes(message) && select.accepts(&other.label);
                node.undecided.iter().any(|other| is_earlier(&other))
            }
            None => false,
        }
    }

    /// Keeps a message until all messages of the present instant are known.
    fn set_aside(&mut self, target: NodeId, message: Arrived) {
        if self.nodes[target as usize].undecided.is_empty() {
            self.schedule(self.now, Kind::Delivery, target, 0);
        }
        self.nodes[target as usize].undecided.push(message);
    }

    /// Matches the undecided messages of a node, in the order of the senders' ranks, as all messages have arrived that its
    /// receives may take. A blocking receive from any source that has been called by now is carried out after that.
    pub(super) fn deliver(&mut self, target: NodeId) {
        let mut messages = std::mem::take(&mut self.nodes[target as usize].undecided);
        messages.sort_unstable_by_key(|message| (message.at, message.id));
        for message in messages {
            if self.is_undecided(target, &message, true) {
                self.nodes[target as usize].undecided.push(message);
            } else {
                self.meet(target, message);
            }
        }
        if !self.nodes[target as usize].undecided.is_empty() {
            // The node is ahead: its receives are posted later than now.
            self.schedule(self.now + Span::from_picos(1), Kind::Delivery, target, 0);
        }
        self.fail_decided(target);
        let node = &mut self.nodes[target as usize];
        let next = node.calls.front().and_then(|call| call.op.depends_on_instant());
        if matches!(node.doing, Doing::Resume) && node.clock <= self.now && next == Some(Kind::Delivery) {
            node.doing = Doing::Idle;
            self.execute_next(target);
        }
    }

    /// Matches a message with a receive.
    pub(super) fn meet(&mut self, target: NodeId, message: Arrived) {
        let node = &mut self.nodes[target as usize];
        let Some((receiver, message)) = node.matching.arrive(message) else {
            if matches!(node.doing, Doing::Probe { .. }) {
                let serial = u64::from(node.serial);
                self.schedule(self.now, Kind::Resume, target, serial);
            }
            return;
        };
        match receiver {
            Receiver::Blocking => self.blocking_receive_met(target, message),
            Receiver::Request(request) => match node.requests.remove(request) {
                Some(Request::RecvPosted { posted, select }) => {
                    node.wild -= u32::from(select.is_wild());
                    node.requests
                        .insert(request, Request::Received { posted, select, message: message.into() });
                    self.meets(&message, posted);
                    self.request_completed(target, request, message.at);
                }
                Some(Request::Forgotten { posted, select }) => {
                    node.wild -= u32::from(select.is_wild());
                    node.lost.push((request, select, message));
                    self.meets(&message, posted);
                }
                _ => {}
            },
        }
    }
}
