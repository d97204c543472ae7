//! Synchronous messages: a receiver acknowledges the match of a message whose sender waits for its receive.
//!
//! MPI's own synchronous mode would not do: this library matches messages itself, after MPI has delivered them.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    frame::{Header, Kind},
    node::MpiNode,
};
use crate::{
    error::CommError,
    runtime::{carrier::Carrier, local::Local, waiting::AwaitedEvent},
    time::Time,
    wire::{MessageId, Parcel, RequestId},
};

/// The synchronous messages of a rank.
#[derive(Debug, Default)]
pub(super) struct Synchronous {
    /// The messages of other ranks that have arrived and have not been matched.
    awaited: RefCell<BTreeSet<MessageId>>,
    /// The messages of this rank that have not been matched, by their sequence numbers, with the requests that the matches complete.
    open: RefCell<BTreeMap<u64, Option<RequestId>>>,
    /// The requests of such messages whose data MPI has not sent yet.
    leaving: RefCell<BTreeSet<RequestId>>,
}

impl MpiNode<'_> {
    /// Records that this rank waits for the match of its message, before the message is sent.
    pub(super) fn expect_match(&self, seq: u64, request: Option<RequestId>) {
        self.synchronous.open.borrow_mut().insert(seq, request);
    }

    /// Records that MPI still sends the data of a message that this rank waits for.
    pub(super) fn still_leaves(&self, request: RequestId) {
        self.synchronous.leaving.borrow_mut().insert(request);
    }

    /// Records an arrived message whose sender waits.
    pub(super) fn note_awaited(&self, id: MessageId, header: &Header) {
        if header.synchronous != 0 {
            self.synchronous.awaited.borrow_mut().insert(id);
        }
    }

    /// Waits until a message of this rank has been matched with a receive.
    pub(super) fn wait_for_match(&self, parcel: Parcel, seq: u64) -> Result<(), CommError> {
        let is_matched = |_: &mut Local| (!self.synchronous.open.borrow().contains_key(&seq)).then_some(());
        self.wait_until(|_| AwaitedEvent::Receive(parcel), Time::MAX, is_matched).map(drop)
    }

    /// Notifies the sender of a message, if it waits, that the message has been matched with a receive.
    pub(super) fn acknowledge(&self, id: MessageId) {
        if !self.synchronous.awaited.borrow_mut().remove(&id) {
            return;
        }
        if id.source == Carrier::id(self) {
            self.matched(id.seq);
        } else if !self.is_over.get() {
            // A rank that cannot be notified notices that this rank has ended. After the end of all programs nobody waits, and the frame
            // would arrive in the next run.
            let header = Header { seq: id.seq, ..Header::new(Kind::Matched) };
            let _ = self.job.connection.send_frame(id.source, header, &[]);
        }
    }

    /// Handles the match of a message of this rank with a receive.
    pub(super) fn matched(&self, seq: u64) {
        let request = self.synchronous.open.borrow_mut().remove(&seq).flatten();
        if let Some(request) = request.filter(|request| !self.synchronous.leaving.borrow().contains(request))
        {
            self.local.borrow_mut().sent(request);
        }
    }

    /// Handles the departure of a message: completes its request, unless the request still waits for the match.
    pub(super) fn departed(&self, request: RequestId) {
        let was_leaving = self.synchronous.leaving.borrow_mut().remove(&request);
        if !was_leaving || self.synchronous.open.borrow().values().all(|open| *open != Some(request)) {
            self.local.borrow_mut().sent(request);
        }
    }
}
