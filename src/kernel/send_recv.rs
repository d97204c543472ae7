//! A simultaneous send and receive, and its failure.

use super::{
    Kernel,
    node::{NodeState, Receiver},
    op::{Cause, Outcome},
    ports::Leg,
};
use crate::{
    record::{EventKind, WaitEnd},
    time::Time,
    wire::{NodeId, Parcel, Selector},
};

impl Kernel {
    pub(super) fn send_recv(&mut self, id: NodeId, parcel: Parcel, select: Selector) {
        let called = self.nodes[id as usize].clock;
        if let Some((_, cause)) = self.death_of_call(select.context, called) {
            self.nodes[id as usize].sent += 1;
            self.fail(id, called, cause);
            return;
        }
        let (received, doomed) = match self.take_or_post(id, &select, Receiver::Blocking) {
            Ok(Some(message)) => (Some(message), message.lost.map(|cause| (message.at, cause))),
            Ok(None) => (None, None),
            Err(doomed) => (None, Some(doomed)),
        };
        if let Some(message) = &received {
            self.record_match(message, called);
        }
        let is_rendezvous = self.is_rendezvous(&parcel);
        let node = &mut self.nodes[id as usize];
        let seq = node.sent;
        let to_self = parcel.target == id;
        // If the sender need not wait for the receive, its message counts as already matched.
        let matched = (!is_rendezvous).then_some(called);
        node.state = NodeState::SendRecv { called, select, sent: None, matched, received };
        let (ready, _) = self.launch(id, parcel, None, !to_self || is_rendezvous, Leg::Message);
        self.note_send(id, called, ready, &parcel, seq);
        let node = &mut self.nodes[id as usize];
        if let NodeState::SendRecv { sent, .. } = &mut node.state
            && to_self
            && ready <= node.dies
        {
            *sent = Some(ready);
        }
        match doomed {
            Some((since, cause)) => self.fail_send_recv(id, since, cause),
            None => self.try_end_send_recv(id),
        }
    }

    /// Ends a `sendrecv` when its message has left, under rendezvous has been matched, and the other message has arrived.
    pub(super) fn try_end_send_recv(&mut self, id: NodeId) {
        let NodeState::SendRecv {
            called,
            sent: Some(sent),
            matched: Some(matched),
            received: Some(message),
            ..
        } = self.nodes[id as usize].state
        else {
            return;
        };
        let overhead = self.receive_overhead_of(message.bytes)
            + self.exchange_overhead
            + self.copy_of_unexpected(called, &message);
        let node = &mut self.nodes[id as usize];
        let seq = node.sent - 1;
        // The node waits for its own message to leave, and then for the arrival of the other message.
        let (clock, left) = (node.clock, node.clock.max(sent));
        node.record.waiting += left.since(clock);
        let taken = self.work_end(id, left.max(message.at), overhead);
        self.received(id, left, taken, &message);
        let end = taken.max(matched);
        self.record_wait(id, taken, end, EventKind::Wait { until: WaitEnd::Met { seq } });
        self.record_event(id, called, end, EventKind::SendRecv);
        self.release(id, end, Outcome::Received(message.id));
    }

    /// Ends a `sendrecv` of which one half has failed: the other half is given up, but a message in transit continues.
    pub(super) fn fail_send_recv(&mut self, id: NodeId, at: Time, cause: Cause) {
        let node = &mut self.nodes[id as usize];
        let NodeState::SendRecv { called, select, received, .. } = node.state else { return };
        if received.is_none() && node.matching.withdraw(&Receiver::Blocking) {
            node.wild -= u32::from(select.is_wild());
        }
        node.ports.unblock();
        self.forget_awaited(id);
        self.fail_waiting(id, called, at, cause);
        // A message that the call has already received becomes available to another receive.
        if let Some(message) = received.filter(|message| message.lost.is_none()) {
            self.match_message(id, message);
        }
    }
}
