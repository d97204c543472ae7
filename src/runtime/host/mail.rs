//! Sending and receiving of messages on the host, in the order of sending. A short message goes through a ring if there is one, any other
//! message through a channel.

use std::hint::spin_loop;

use super::{endpoint::HostNode, ring::Ring, sleeping::ANY_MESSAGE};
use crate::{
    endpoint::Envelope,
    payload::Payload,
    rank::Rank,
    record::EventKind,
    runtime::{carrier::Carrier, local::Local},
    wire::{Label, MessageId, NodeId, Parcel, Selector},
};

impl HostNode<'_> {
    /// Delivers a message to its receiver: through a ring if it is short and there is a ring, otherwise through its channel. Returns the
    /// sequence number if the sender has to wait for the receive.
    pub(super) fn hand_over(&self, parcel: Parcel, payload: Payload) -> Option<u64> {
        self.polled.set(false);
        let began = self.began();
        let label = Label { context: parcel.context, source: self.id, tag: parcel.tag };
        let seq = self.count_sent(parcel.bytes);
        let awaited = self.waits_for_receive(&parcel).then_some(seq);
        if let Some(seq) = awaited {
            self.expect_receive(seq);
        }
        let ring = self.host.rings.get(parcel.target as usize).map(|rings| &rings[self.id as usize]);
        let is_sent = ring.is_some_and(|ring| {
            let short = self.element_types.short(&self.host.element_types, seq, label, &payload);
            short.is_some_and(|short| ring.put(&mut self.sent.borrow_mut()[parcel.target as usize], &short))
        });
        if !is_sent {
            let envelope = Envelope { id: MessageId { source: self.id, seq }, label, payload };
            // Sending cannot fail: the receivers exist until the end of the run.
            let _ = self.host.inboxes[parcel.target as usize].send(envelope);
        }
        let run_state = &self.host.run_state;
        let parker = &run_state.slot(parcel.target).parker;
        if parker.claim(&[self.id, ANY_MESSAGE], &run_state.awake) {
            parker.wake();
        }
        let (to, bytes, tag) = (parcel.target as Rank, parcel.bytes, parcel.tag);
        // This call never waits: all of its time is overhead.
        self.note(began, |overhead| EventKind::Send { to, bytes, tag, seq, overhead });
        awaited
    }

    /// The rings to this node, by sender; empty where there are more nodes than cores.
    pub(super) fn rings(&self) -> &[Ring] {
        self.host.rings.get(self.id as usize).map_or(&[], |rings| rings)
    }

    /// Polls briefly for a short message that no other receive could match, and returns it without going through the matching lists.
    pub(super) fn take_at_once(&self, select: &Selector) -> Option<Envelope> {
        let source = select.source?;
        let local = &mut *self.local.borrow_mut();
        if !local.matching.is_empty() {
            return None;
        }
        let Some(ring) = self.rings().get(source as usize) else {
            return self.take_from_channel(local, select);
        };
        for _ in 0..self.host.polls {
            if ring.has(self.taken.borrow()[source as usize]) {
                break;
            }
            if !self.inbox.is_empty() {
                return None;
            }
            spin_loop();
        }
        // All earlier messages of this sender that went through the channel have arrived by now.
        let label = ring.label(self.taken.borrow()[source as usize], source)?;
        if !self.inbox.is_empty() || !select.accepts(&label) {
            return None;
        }
        Some(self.short_message(source))
    }

    /// Takes the next message of the channel if there are no rings and the selector accepts it.
    fn take_from_channel(&self, local: &mut Local, select: &Selector) -> Option<Envelope> {
        if self.inbox.is_empty() || !self.rings().is_empty() {
            return None;
        }
        let envelope = self.inbox.try_recv().ok()?;
        if select.accepts(&envelope.label) {
            return Some(envelope);
        }
        self.sort(local, envelope);
        None
    }

    /// Whether a message has arrived that has not been taken in.
    pub(super) fn has_mail(&self) -> bool {
        let has = |ring: &Ring, taken: &u64| ring.has(*taken);
        !self.inbox.is_empty()
            || self.rings().iter().zip(&*self.taken.borrow()).any(|(ring, taken)| has(ring, taken))
    }

    /// Takes in all messages that have arrived; messages of one sender in the order of sending.
    pub(super) fn take_in_all(&self) {
        let local = &mut *self.local.borrow_mut();
        self.complete_matched(local);
        for (source, ring) in self.rings().iter().enumerate() {
            while ring.has(self.taken.borrow()[source]) {
                // All earlier messages of this sender in the channel have arrived by now; draining the channel may also take in this
                // message.
                let taken = self.taken.borrow()[source];
                self.drain_channel(local);
                if self.taken.borrow()[source] == taken {
                    self.take_short(local, source);
                }
            }
        }
        self.drain_channel(local);
    }

    /// Takes in all messages of the channel, each after the earlier messages of its sender's ring.
    fn drain_channel(&self, local: &mut Local) {
        // Cheaper than `try_recv`, which needs a fence.
        if self.inbox.is_empty() {
            return;
        }
        while let Ok(envelope) = self.inbox.try_recv() {
            let MessageId { source, seq } = envelope.id;
            if let Some(ring) = self.rings().get(source as usize) {
                while ring.seq(self.taken.borrow()[source as usize]).is_some_and(|earlier| earlier < seq) {
                    self.take_short(local, source as usize);
                }
            }
            self.sort(local, envelope);
        }
    }

    /// Matches an arrived message, and notifies a sender that waits for the match.
    fn sort(&self, local: &mut Local, envelope: Envelope) {
        if let Some(matched) = local.take_in(envelope) {
            self.notify_matched(matched);
        }
    }

    /// Takes the next message out of a ring; the message must be there.
    fn short_message(&self, source: NodeId) -> Envelope {
        let short = self.rings()[source as usize].take(&mut self.taken.borrow_mut()[source as usize]);
        let (label, payload) = self.element_types.long(&self.host.element_types, source, &short);
        Envelope { id: MessageId { source, seq: short.seq }, label, payload }
    }

    /// Takes in the next message of a ring; the message must be there.
    fn take_short(&self, local: &mut Local, source: usize) {
        let envelope = self.short_message(source as NodeId);
        self.sort(local, envelope);
    }
}
