//! Reception of messages and of the kernel's replies. The thread waits for both at one channel, and matches the messages itself if the data
//! alone determines the match.

use std::sync::atomic::Ordering;

use super::{
    super::world::{Delivery, KERNEL_REPLY},
    Local, NodeThread, Pending,
};
use crate::{
    endpoint::Envelope,
    error::CommError,
    kernel::{Outcome, Reply},
    wire::{MessageId, RequestId, Selector},
};

impl NodeThread<'_> {
    pub(super) fn received(&self, reply: Reply) -> Result<Envelope, CommError> {
        match self.maybe_received(reply)? {
            Some(envelope) => Ok(envelope),
            None => Err(self.world.run_state.ended()),
        }
    }

    /// Returns the message that the kernel reports as received.
    pub(super) fn maybe_received(&self, reply: Reply) -> Result<Option<Envelope>, CommError> {
        let (Outcome::Received(id)
        | Outcome::Completed { received: Some(id), .. }
        | Outcome::Interrupted { received: id, .. }) = reply.outcome
        else {
            return Ok(None);
        };
        Ok(self.take_message(id))
    }

    /// Takes the data of a message that the kernel has named. It has arrived here before, because a sender dispatches the data before the
    /// call.
    pub(super) fn take_message(&self, id: MessageId) -> Option<Envelope> {
        self.drain();
        let local = &mut *self.local.borrow_mut();
        if let Some(returned) = local.returned.remove(&id) {
            return Some(returned);
        }
        let held = local.held.iter().position(|envelope| envelope.id == id);
        let envelope = held.and_then(|at| local.held.remove(at));
        let envelope = envelope.or_else(|| local.matching.take_if(|envelope| envelope.id == id));
        envelope.or_else(|| {
            let request = *local.received.iter().find(|(_, envelope)| envelope.id == id)?.0;
            local.received.remove(&request)
        })
    }

    pub(super) fn take_data(&self, select: &Selector) -> Result<Envelope, CommError> {
        self.wait_for_data(select, |local| local.matching.take(select))
    }

    /// Waits until `take` finds a message from the source that `select` names.
    pub(super) fn wait_for_data(
        &self,
        select: &Selector,
        take: impl Fn(&mut Local) -> Option<Envelope>,
    ) -> Result<Envelope, CommError> {
        self.sleep_until(select.source.unwrap_or(KERNEL_REPLY), take)
    }

    /// Takes all messages and replies out of the channel, and matches the messages that this thread may match.
    pub(super) fn drain(&self) {
        let local = &mut *self.local.borrow_mut();
        let by_time = local.matched_by_kernel > 0 || self.world.fallible;
        if !by_time {
            while let Some(envelope) = local.held.pop_front() {
                local.take_in(envelope);
            }
        }
        while let Ok(delivery) = self.inbox.try_recv() {
            match delivery {
                Delivery::Reply(reply) => local.answer = Some(reply),
                Delivery::Returned(envelope) => drop(local.returned.insert(envelope.id, envelope)),
                Delivery::Message(envelope) if by_time => local.held.push_back(envelope),
                Delivery::Message(envelope) => local.take_in(envelope),
            }
        }
    }

    /// Polls before sleeping, because sleeping and waking cost the host several times the cost of a send. Where every node has a core, the
    /// awaited event may be imminent; otherwise the sender may be next in line for this core.
    fn linger(&self) {
        for _ in 0..self.world.polls {
            if !self.inbox.is_empty() {
                return;
            }
            std::hint::spin_loop();
        }
        std::thread::yield_now();
    }

    /// Sleeps until `take` finds a result among the messages and replies received.
    pub(super) fn sleep_until<T>(
        &self,
        awaited_event: u32,
        take: impl Fn(&mut Local) -> Option<T>,
    ) -> Result<T, CommError> {
        let poll = || {
            self.drain();
            take(&mut self.local.borrow_mut())
        };
        let parker = &self.world.run_state.slot(self.id).parker;
        loop {
            if let Some(found) = poll() {
                return Ok(found);
            }
            if self.world.run_state.is_stopped() {
                return Err(self.world.run_state.ended());
            }
            if !self.is_held() {
                self.linger();
                if let Some(found) = poll() {
                    return Ok(found);
                }
            }
            parker.prepare(awaited_event);
            let found = poll();
            if found.is_some() || self.world.run_state.is_stopped() {
                if !parker.cancel() {
                    // A claim has counted this thread as awake once more, although it has not slept.
                    self.world.run_state.awake.fetch_sub(1, Ordering::AcqRel);
                }
                match found {
                    Some(found) => return Ok(found),
                    None => continue,
                }
            }
            self.world.drive_if_useful(self.id);
            self.world.retire();
            parker.sleep();
        }
    }
}

impl Local {
    fn take_in(&mut self, envelope: Envelope) {
        if let Some((request, envelope)) = self.matching.arrive(envelope) {
            if self.pending.contains_key(&request) {
                self.received.insert(request, envelope);
            } else {
                self.drop_message(request, envelope);
            }
        }
    }

    /// Drops a message taken by a receive that the program has dropped. The message is kept while an earlier receive of the same source is
    /// open: if the program withdraws this one, the dropped receive takes an earlier message, and this message goes to another receive.
    pub(super) fn drop_message(&mut self, request: RequestId, envelope: Envelope) {
        let source = Some(envelope.id.source);
        let mut earlier = self.pending.range(..request).map(|(_, pending)| pending);
        if earlier.any(|pending| matches!(pending, Pending::Recv { select, .. } if select.source == source)) {
            self.dropped.push(envelope);
        }
    }

    /// Leaves the matching of all receives to the kernel, because `request` is withdrawn: if it is a receive that this thread matches, then
    /// messages that this thread has matched ahead of modeled time may belong to other receives now. They are found by their identities when
    /// the kernel names them. The thread matches again when all these receives have ended; a receive that the program has dropped never
    /// ends.
    pub(super) fn match_by_kernel(&mut self, request: RequestId) {
        if let Some(Pending::Recv { matched_by_kernel: true, .. }) = self.pending.get(&request) {
            return;
        }
        let mut messages: Vec<Envelope> = std::mem::take(&mut self.dropped);
        self.matched_by_kernel += messages.len() as u32;
        for pending in self.pending.values_mut() {
            if let Pending::Recv { matched_by_kernel, .. } = pending
                && !std::mem::replace(matched_by_kernel, true)
            {
                self.matched_by_kernel += 1;
            }
        }
        let pending = &self.pending;
        let dropped = self.matching.posted().filter(|(_, request)| !pending.contains_key(request)).count();
        self.matched_by_kernel += dropped as u32;
        self.matching.withdraw_all();
        messages.extend(std::mem::take(&mut self.received).into_values());
        while let Some(envelope) = self.matching.take_if(|_| true) {
            messages.push(envelope);
        }
        // All of them came before the held messages of their senders.
        messages.sort_unstable_by_key(|envelope| envelope.id);
        for envelope in messages.into_iter().rev() {
            self.held.push_front(envelope);
        }
    }
}
