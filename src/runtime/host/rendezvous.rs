//! Rendezvous on the host: senders that wait until a receive takes their message, and receivers that notify them.
//!
//! The sequence number of a rendezvous message is put into the sender's list before the message is delivered. The thread that matches the
//! message with a receive removes the number, and claims the sender if it sleeps. The sender checks its list whenever it checks for
//! messages.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU64, Ordering},
};

use parking_lot::Mutex;

use super::{
    endpoint::HostNode,
    sleeping::{ANY_MESSAGE, MATCH},
};
use crate::{
    error::CommError,
    record::{EventKind, WaitEnd},
    runtime::{carrier::Carrier, local::Local, waiting::AwaitedEvent},
    time::Time,
    wire::{MessageId, Parcel},
};

/// The messages of a node that wait for their receives. Aligned so that the states of no two nodes share a cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct PendingRendezvous {
    open: Mutex<BTreeSet<u64>>,
    /// The number of messages in `open`. A receiver reads it for every message, so that it takes the lock only if a message may wait.
    waiting: AtomicU64,
    /// The number of messages that have been matched with their receives.
    matched: AtomicU64,
}

impl HostNode<'_> {
    /// Whether the sender of a message waits for its receive.
    pub(super) fn waits_for_receive(&self, parcel: &Parcel) -> bool {
        let from = self.host.run_state.machine.rendezvous();
        !parcel.active && (parcel.synchronous || from.is_some_and(|from| parcel.bytes >= from))
    }

    fn rendezvous(&self) -> &PendingRendezvous {
        &self.host.rendezvous[self.id as usize]
    }

    /// Records, before delivery, that the sender will wait for a message to be matched.
    pub(super) fn expect_receive(&self, seq: u64) {
        let rendezvous = self.rendezvous();
        rendezvous.open.lock().insert(seq);
        // The delivery of the message makes this visible to the receiver.
        rendezvous.waiting.fetch_add(1, Ordering::Release);
    }

    /// Whether a message has been matched with its receive.
    fn is_matched(&self, seq: u64) -> bool {
        !self.rendezvous().open.lock().contains(&seq)
    }

    /// Waits until a message has been matched with its receive.
    pub(super) fn wait_for_match(&self, parcel: Parcel, seq: u64) -> Result<(), CommError> {
        let began = self.began();
        let matched = |_: &mut Local| self.is_matched(seq).then_some(());
        self.sleep_until(|_| AwaitedEvent::Receive(parcel), Time::MAX, matched)?;
        self.note(began, |_| EventKind::Wait { until: WaitEnd::Met { seq } });
        Ok(())
    }

    /// Notifies the sender of a message, if it waits, that the message has been matched with a receive.
    pub(super) fn notify_matched(&self, MessageId { source, seq }: MessageId) {
        let rendezvous = &self.host.rendezvous[source as usize];
        if rendezvous.waiting.load(Ordering::Acquire) == 0 || !rendezvous.open.lock().remove(&seq) {
            return;
        }
        rendezvous.waiting.fetch_sub(1, Ordering::Release);
        rendezvous.matched.fetch_add(1, Ordering::Release);
        let run_state = &self.host.run_state;
        let parker = &run_state.slot(source).parker;
        if parker.claim(&[MATCH, ANY_MESSAGE], &run_state.awake) {
            parker.wake();
        }
    }

    /// Returns whether a message of this node has been matched since the node last read the number of matches.
    pub(super) fn has_new_match(&self) -> bool {
        self.rendezvous().matched.load(Ordering::Acquire) != self.seen.get()
    }

    /// Completes the requests whose messages have been matched with their receives.
    pub(super) fn complete_matched(&self, local: &mut Local) {
        let rendezvous = self.rendezvous();
        self.seen.set(rendezvous.matched.load(Ordering::Acquire));
        let mut started = self.started.borrow_mut();
        if started.is_empty() {
            return;
        }
        let open = rendezvous.open.lock();
        started.retain(|&(seq, request)| {
            let is_open = open.contains(&seq);
            if !is_open {
                local.sent(request);
            }
            is_open
        });
    }
}
