//! The messages at the out-ports of a node: those in a port, and those that wait for one.

use std::collections::VecDeque;

use crate::{
    time::Time,
    wire::{Label, NodeId, RequestId, keep_small},
};

/// A message on its way from its sender to the network, or in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outgoing {
    pub(super) target: NodeId,
    pub(super) label: Label,
    pub(super) bytes: u64,
    pub(super) seq: u64,
    pub(super) active: bool,
    /// The out-port that it has been given.
    pub(super) port: u32,
    /// The time at which the sender's CPU is done with the message.
    pub(super) ready: Time,
    /// The request that completes when it has left, or been matched with a receive.
    pub(super) request: Option<RequestId>,
    /// The node is blocked until then.
    pub(super) blocking: bool,
}

/// The messages at the out-ports of a node.
///
/// Ports are given in the order of the sends, but to one message for a target at a time, so that no message overtakes another
/// one between the same two nodes. While a port is free, all that wait have one to their target before them.
#[derive(Debug, Default)]
pub(super) struct Ports {
    /// First the messages that have been given a port, then those that wait, in the order of their sends.
    messages: VecDeque<Outgoing>,
    /// The number of the former.
    given: usize,
}

impl Ports {
    /// Adds a message, and gives it a port if one of `ports` is free and no message to its target is before it; returns whether
    /// it has one.
    pub(super) fn push(&mut self, message: Outgoing, ports: u32) -> bool {
        keep_small(&mut self.messages);
        let place = self.messages.len();
        self.messages.push_back(message);
        let has_port = self.given < ports as usize && self.may_have_port(place);
        if has_port {
            self.give_to(place);
        }
        has_port
    }

    /// Gives a port that is free to the first message that may have it, and returns that.
    pub(super) fn give(&mut self, ports: u32) -> Option<&Outgoing> {
        if self.given == ports as usize {
            return None;
        }
        let place = (self.given..self.messages.len()).find(|&place| self.may_have_port(place))?;
        self.give_to(place);
        self.messages.get(self.given - 1)
    }

    /// Whether no message to the same target has a port.
    fn may_have_port(&self, place: usize) -> bool {
        self.given().all(|other| other.target != self.messages[place].target)
    }

    /// Gives the lowest port that is free to a message that waits.
    fn give_to(&mut self, place: usize) {
        let Some(mut message) = self.messages.remove(place) else { return };
        let is_free = |port: &u32| self.given().all(|other| other.port != *port);
        message.port = (0..).find(is_free).unwrap_or_default();
        self.messages.insert(self.given, message);
        self.given += 1;
    }

    /// Takes out the message that has been given a port.
    pub(super) fn clear(&mut self, port: u32) -> Option<Outgoing> {
        let place = self.given().position(|message| message.port == port)?;
        self.given -= 1;
        self.messages.remove(place)
    }

    /// The first message of those that have been given a port for which this holds.
    pub(super) fn find(&self, holds: impl Fn(&Outgoing) -> bool) -> Option<Outgoing> {
        self.given().find(|message| holds(message)).copied()
    }

    /// The messages that have been given a port.
    fn given(&self) -> impl Iterator<Item = &Outgoing> {
        self.messages.iter().take(self.given)
    }

    /// Notes that the node is not blocked by any of the messages any more.
    pub(super) fn unblock(&mut self) {
        self.messages.iter_mut().for_each(|message| message.blocking = false);
    }

    /// Takes all messages out.
    pub(super) fn take(&mut self) -> VecDeque<Outgoing> {
        self.given = 0;
        std::mem::take(&mut self.messages)
    }
}
