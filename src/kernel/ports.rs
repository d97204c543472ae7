//! The messages at the out-ports of a node: messages in a port, and messages that wait for a port.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use smallvec::SmallVec;

use crate::{
    time::Time,
    wire::{Label, NodeId, RequestId, reserve_one},
};

/// The part that a message plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leg {
    /// A message to be received.
    Message,
    /// A remote memory access on its way to its target.
    Out,
    /// What a remote memory access returns, sent by the network interface of its target.
    Back,
}

/// A message between the call of its sender and its departure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outgoing {
    pub(super) target: NodeId,
    pub(super) label: Label,
    pub(super) bytes: u64,
    pub(super) seq: u64,
    pub(super) active: bool,
    /// Whether the sender waits, if it waits at all, until a receive has taken the message (rendezvous).
    pub(super) rendezvous: bool,
    pub(super) leg: Leg,
    /// The place of the message in the queue at the out-ports.
    pub(super) order: u64,
    /// The out-port that the message occupies.
    pub(super) port: Option<u32>,
    /// The time at which the sender's CPU has finished with the message.
    pub(super) ready: Time,
    /// The request that completes when the message has left, or under rendezvous has been matched.
    pub(super) request: Option<RequestId>,
    /// Whether the node is blocked until the message has left, and under rendezvous has been matched.
    pub(super) blocking: bool,
}

/// The messages at the out-ports of a node.
///
/// Ports are promised in the order of the sends, but to only one message per target at a time, so that messages between two nodes do not
/// overtake each other. The message enters a port when it is ready and a port is free. The port number is determined only then, because a
/// node may be ahead of the network. A message that must wait for an earlier message to the same target is moved once to a queue of this
/// target, so each message costs O(log n) for n waiting messages.
#[derive(Debug, Default)]
pub(super) struct Ports {
    /// The messages that have been promised a port or occupy one.
    promised: SmallVec<[Outgoing; 1]>,
    /// The messages that have not been examined, in their order; empty while a port is free.
    waiting: VecDeque<Outgoing>,
    /// By target, the messages that wait for an earlier message to the same target.
    behind: BTreeMap<NodeId, VecDeque<Outgoing>>,
    /// The first message of each queue in `behind`, with its target, if no message to the target holds a port.
    first: BTreeSet<(u64, NodeId)>,
    /// The number of messages that have joined the queue.
    joined: u64,
    /// Messages that join the queue when they are ready, in the order of their sends; only in runs with remote memory accesses.
    later: VecDeque<Outgoing>,
}

impl Ports {
    /// Adds a message.
    pub(super) fn push(&mut self, message: Outgoing) {
        reserve_one(&mut self.waiting);
        self.waiting.push_back(Outgoing { order: self.joined, ..message });
        self.joined += 1;
    }

    /// Adds a message that joins the queue when it is ready.
    pub(super) fn push_later(&mut self, message: Outgoing) {
        self.later.push_back(message);
    }

    /// Lets the messages that are ready by `now` join the queue; returns whether there were any.
    pub(super) fn join(&mut self, now: Time) -> bool {
        let mut any = false;
        while let Some(&message) = self.later.front().filter(|message| message.ready <= now) {
            self.later.pop_front();
            self.push(message);
            any = true;
        }
        any
    }

    /// Takes the messages that are in no port and for which `wanted` returns true, in their order, out of the queue. Ports promised to other
    /// messages have to be promised again.
    pub(super) fn recall(&mut self, wanted: impl Fn(&Outgoing) -> bool) -> Vec<Outgoing> {
        let is_wanted = |message: &Outgoing| message.port.is_none() && wanted(message);
        let behind = self.behind.values().flatten();
        if !self.promised.iter().chain(&self.waiting).chain(behind).any(is_wanted) {
            return Vec::new();
        }
        let (in_ports, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.promised).into_iter().partition(|message| message.port.is_some());
        let mut all = others;
        all.extend(std::mem::take(&mut self.waiting));
        all.extend(std::mem::take(&mut self.behind).into_values().flatten());
        self.first.clear();
        all.sort_unstable_by_key(|message| message.order);
        let (recalled, kept) = all.into_iter().partition(is_wanted);
        (self.promised, self.waiting) = (in_ports.into(), Vec::into(kept));
        recalled
    }

    /// Promises one of `ports` ports, if one is free, to the first eligible message, and returns the message.
    pub(super) fn promise(&mut self, ports: u32) -> Option<Outgoing> {
        if self.promised.len() == ports as usize {
            return None;
        }
        while let Some(&next) = self.waiting.front() {
            let is_taken = self.promised.iter().any(|other| other.target == next.target);
            if is_taken || self.behind.contains_key(&next.target) {
                self.waiting.pop_front();
                self.behind.entry(next.target).or_default().push_back(next);
            } else {
                break;
            }
        }
        let waiting = self.waiting.front().map(|message| message.order);
        let message = match self.first.first() {
            Some(&(order, target)) if waiting.is_none_or(|waiting| order < waiting) => {
                self.first.pop_first();
                self.next_message_to(target)
            }
            _ => self.waiting.pop_front(),
        }?;
        self.promised.push(message);
        Some(message)
    }

    /// Takes the first message of the queue in `behind` for a target.
    fn next_message_to(&mut self, target: NodeId) -> Option<Outgoing> {
        let behind = self.behind.get_mut(&target)?;
        let message = behind.pop_front();
        if behind.is_empty() {
            self.behind.remove(&target);
        }
        message
    }

    /// Assigns the lowest free port to the first message that has been promised a port and is ready by `now`, and returns the message.
    pub(super) fn take_port(&mut self, now: Time) -> Option<Outgoing> {
        let is_free = |port: &u32| self.promised.iter().all(|other| other.port != Some(*port));
        let port = (0..).find(is_free);
        let ready = self.promised.iter_mut().filter(|message| message.port.is_none() && message.ready <= now);
        let message = ready.min_by_key(|message| message.order)?;
        message.port = port;
        Some(*message)
    }

    /// Removes the message in a port.
    pub(super) fn clear(&mut self, port: u32) -> Option<Outgoing> {
        let place = self.promised.iter().position(|message| message.port == Some(port))?;
        let message = self.promised.remove(place);
        if let Some(next) = self.behind.get(&message.target).and_then(VecDeque::front) {
            self.first.insert((next.order, message.target));
        }
        Some(message)
    }

    /// Returns the first message in a port for which `holds` is true.
    pub(super) fn in_port(&self, holds: impl Fn(&Outgoing) -> bool) -> Option<Outgoing> {
        self.promised.iter().find(|message| message.port.is_some() && holds(message)).copied()
    }

    /// Records that none of the messages blocks the node any more.
    pub(super) fn unblock(&mut self) {
        let behind = self.behind.values_mut().flatten();
        let all = self.promised.iter_mut().chain(&mut self.waiting).chain(behind).chain(&mut self.later);
        all.for_each(|message| message.blocking = false);
    }

    /// Removes all messages, in the order of their sends.
    pub(super) fn take(&mut self) -> Vec<Outgoing> {
        let Ports { promised, waiting, behind, later, .. } = std::mem::take(self);
        let mut all: Vec<Outgoing> = promised.into_iter().chain(waiting).chain(later).collect();
        all.extend(behind.into_values().flatten());
        all.sort_unstable_by_key(|message| message.seq);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Context;

    fn message(seq: u64, target: NodeId) -> Outgoing {
        Outgoing {
            target,
            label: Label { context: Context::default(), source: 9, tag: crate::rank::Tag(0) },
            bytes: 1,
            seq,
            active: false,
            rendezvous: false,
            leg: Leg::Message,
            order: 0,
            port: None,
            ready: Time::ZERO,
            request: None,
            blocking: true,
        }
    }

    /// Tests two ports and messages to 1, 1, 1, 2, 2, 3: messages to one target follow each other, and others may pass them.
    #[test]
    fn one_message_per_target_is_in_a_port_at_a_time() {
        let mut ports = Ports::default();
        let mut entered = Vec::new();
        let mut enter = |ports: &mut Ports| {
            while let Some(next) = ports.promise(2) {
                entered.push((next.seq, ports.take_port(Time::ZERO).and_then(|message| message.port)));
            }
        };
        for (seq, target) in [(0, 1), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] {
            ports.push(message(seq, target));
            enter(&mut ports);
        }
        // Clears port 1, port 0, port 0 again, and port 1 again.
        for port in [1, 0, 0, 1] {
            assert!(ports.clear(port).is_some());
            enter(&mut ports);
        }
        let [zero, one] = [Some(0), Some(1)];
        assert_eq!(entered, [(0, zero), (3, one), (4, one), (1, zero), (2, zero), (5, one)]);
        ports.unblock();
        assert!(ports.take().iter().all(|message| !message.blocking));
        assert!(ports.promise(2).is_none());
    }
}
