//! Sends a node's calls to the kernel: `notify` lets the program continue, `query` waits for the end of the call.

use std::sync::atomic::Ordering;

use super::{
    super::{
        driving::{MAX_BYTES, MAX_CALLS},
        outbox::without_reply,
        world::{Delivery, KERNEL_REPLY, REPLY_DUE},
    },
    NodeThread,
};
use crate::{
    endpoint::Envelope,
    error::CommError,
    kernel::{self, Op, Outcome, Reply},
    payload::{Payload, Segment},
    wire::{Label, MessageId, Parcel},
};

impl NodeThread<'_> {
    /// Sends a message to its receiver's channel, before the kernel learns of it; returns its number of bytes of real data.
    pub(super) fn dispatch(&self, parcel: Parcel, payload: Payload) -> Result<u64, CommError> {
        self.check_running()?;
        self.declare_context(parcel.context);
        let data =
            payload.segments().iter().filter(|part| matches!(part, Segment::Data(_))).map(Segment::len).sum();
        let label = Label { context: parcel.context, source: self.id, tag: parcel.tag };
        let envelope = Envelope { id: self.next_message(), label, payload };
        let target = parcel.target;
        // A node whose program has returned needs no messages; the kernel lists them as never received.
        let _ = self.world.mailboxes[target as usize].inbox.send(Delivery::Message(envelope));
        let parker = &self.world.run_state.slot(target).parker;
        if parker.claim(&[self.id], &self.world.run_state.awake) {
            parker.wake();
        }
        Ok(data)
    }

    /// Counts a message that this node sends; returns its identity.
    pub(super) fn next_message(&self) -> MessageId {
        let local = &mut *self.local.borrow_mut();
        local.sent += 1;
        MessageId { source: self.id, seq: local.sent - 1 }
    }

    /// Makes a call without waiting for its end, unless it returns to a program that is held.
    pub(super) fn notify(&self, op: Op) -> Result<(), CommError> {
        self.notify_send(op, 0, false)
    }

    /// Makes a call that sends `data` bytes of data, like [`notify`](NodeThread::notify). Waits for the end of a call that may never end
    /// (`may_hang`), so that the program does not continue.
    pub(super) fn notify_send(&self, op: Op, data: u64, may_hang: bool) -> Result<(), CommError> {
        if may_hang || self.is_held() || self.world.fallible {
            return self.query(op).map(drop);
        }
        self.check_running()?;
        self.notified.set(true);
        if self.push(without_reply(op), data) {
            self.query(Op::Sync)?;
        }
        Ok(())
    }

    /// Makes a call that takes no modeled time, without waiting for its end.
    pub(super) fn notify_zero_time(&self, op: Op) -> Result<(), CommError> {
        self.check_running()?;
        if self.push(without_reply(op), 0) {
            self.query(Op::Sync)?;
        }
        Ok(())
    }

    /// Makes a call and waits for its end.
    pub(super) fn query(&self, op: Op) -> Result<Reply, CommError> {
        self.check_running()?;
        let is_time_query = matches!(op, Op::Now);
        self.push(kernel::Call { op, reply: true }, 0);
        // The receiver exists until the end of the run.
        let _ = self.world.queries.0.send(self.id);
        self.world.awaiting_replies.fetch_add(1, Ordering::AcqRel);
        self.world.drive(false);
        let awaited_event = if self.is_held() { REPLY_DUE } else { KERNEL_REPLY };
        let reply = self.sleep_until(awaited_event, |local| local.answer.take());
        self.world.awaiting_replies.fetch_sub(1, Ordering::AcqRel);
        let reply = reply?;
        self.clock.set(reply.clock);
        self.notified.set(false);
        let unsuccessful_poll =
            is_time_query || matches!(reply.outcome, Outcome::Nothing | Outcome::TimedOut);
        self.unsuccessful_poll.set(Some(unsuccessful_poll));
        match reply.outcome {
            Outcome::Livelock => Err(CommError::Livelock { at: reply.clock }),
            Outcome::Failed(cause) => Err(self.failure(cause)),
            _ => Ok(reply),
        }
    }

    /// Puts a call into the outbox; returns whether the outbox is so full that the node should wait for the kernel.
    pub(super) fn push(&self, call: kernel::Call, bytes: u64) -> bool {
        let mut outbox = self.world.mailboxes[self.id as usize].outbox.lock();
        outbox.calls.push_back(call);
        outbox.bytes += bytes;
        outbox.calls.len() >= MAX_CALLS || outbox.bytes >= MAX_BYTES
    }

    /// Whether the sender of a message waits for its receive (rendezvous).
    pub(super) fn is_rendezvous(&self, parcel: &Parcel) -> bool {
        let from = self.world.run_state.machine.rendezvous();
        !parcel.active && (parcel.synchronous || from.is_some_and(|from| parcel.bytes >= from))
    }
}
