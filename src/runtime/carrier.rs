//! The common part of the endpoints without a timing model. A node receives its messages and matches them on its own thread, in the order
//! of arrival. Time is wall-clock time.
//!
//! A [`Carrier`] defines how a message is delivered, how arrived messages are received, and how a node waits. All calls of an [`Endpoint`]
//! are implemented with these operations, [`Local`] and the common matching rule.

use std::{cell::RefCell, fmt, hint::spin_loop, panic::Location};

use super::{
    local::{Local, Request},
    waiting::AwaitedEvent,
};
use crate::{
    endpoint::{Call, Claim, Effect, Endpoint, Envelope, First, Mark, Shared},
    error::CommError,
    payload::Payload,
    rank::Rank,
    record::{Event, EventKind},
    time::{Span, Time},
    wire::{Context, Label, MessageId, NodeId, Parcel, RequestId, Selector},
};

/// A node that matches its messages itself; see the [module](self).
pub(super) trait Carrier: fmt::Debug {
    /// The rank of this node in the world.
    fn id(&self) -> NodeId;

    /// The data that all nodes of the run share.
    fn shared(&self) -> &dyn Shared;

    /// The messages and requests of the node.
    fn local(&self) -> &RefCell<Local>;

    /// The present time.
    fn time(&self) -> Time;

    /// Returns an error once the run is over. A program that goes on making calls is unwound.
    fn check_running(&self) -> Result<(), CommError>;

    /// Returns the error of every call once the run is over; `None` before.
    fn ended(&self) -> Option<CommError>;

    /// Delivers a message, and returns when the sender may continue.
    fn deliver(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError>;

    /// Starts to deliver a message. Returns whether delivery is complete; if not, [`Local::sent`] completes the request later.
    fn begin_delivery(&self, parcel: Parcel, payload: Payload, request: RequestId)
    -> Result<bool, CommError>;

    /// Delivers a message and concurrently receives another one.
    fn exchange(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError>;

    /// Whether the sender of a message waits for its receive (rendezvous).
    fn is_rendezvous(&self, parcel: &Parcel) -> bool;

    /// Records that a receive has taken a message, in case its sender waits (rendezvous).
    fn on_matched(&self, id: MessageId);

    /// Makes the current thread the one that sleeps for this node.
    fn move_here(&self) {}

    /// Carries out a remote memory access at its target, if the nodes share memory.
    fn carry_out(&self, target: NodeId, effect: Effect) -> Result<Payload, CommError>;

    /// Takes in and matches all messages that have arrived.
    fn drain(&self) -> Result<(), CommError>;

    /// Polls briefly for a message that no other receive could match, and returns it without going through the matching lists.
    fn take_directly(&self, select: &Selector) -> Option<Envelope>;

    /// Waits until `take` finds a result among the arrived messages, or until `deadline`. `awaited_event` describes the event in
    /// reports.
    fn wait_until<T>(
        &self,
        awaited_event: impl Fn(&Local) -> AwaitedEvent,
        deadline: Time,
        take: impl FnMut(&mut Local) -> Option<T>,
    ) -> Result<Option<T>, CommError>;

    /// May yield the core to other threads, after an unsuccessful poll of the program.
    fn after_unsuccessful_poll(&self);

    /// Waits for all nodes.
    fn synchronize(&self) -> Result<(), CommError>;

    /// Compares a collective call with those of other members, as [`Endpoint::agree`] does.
    fn agree(
        &self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call<'_>,
    ) -> Result<(), CommError>;

    /// Sets the place in the program of its last call.
    fn note_place(&self, place: &'static Location<'static>);

    /// Sets the library call that the program is in, or `None`.
    fn set_within(&self, name: Option<&'static str>);

    /// Returns the present time if the run is traced, otherwise zero: reading the clock costs about ten nanoseconds.
    fn began(&self) -> Time {
        if self.shared().is_traced() { self.time() } else { Time::ZERO }
    }

    /// Records an event that ends now, if the run is traced; `kind` gets its duration.
    fn note(&self, start: Time, kind: impl FnOnce(Span) -> EventKind) {
        if self.shared().is_traced() {
            let end = self.time();
            let event = Event { rank: self.id() as Rank, start, end, kind: kind(end.since(start)) };
            self.local().borrow_mut().events.push(event);
        }
    }

    /// Counts a sent message; returns its sequence number.
    fn count_sent(&self, bytes: u64) -> u64 {
        let record = &mut self.local().borrow_mut().record;
        let seq = record.messages_sent;
        record.messages_sent += 1;
        record.bytes_sent += bytes;
        seq
    }

    /// Counts a received message and records its event; returns the message.
    fn received(&self, began: Time, envelope: Envelope) -> Envelope {
        let bytes = envelope.payload.len();
        {
            let record = &mut self.local().borrow_mut().record;
            record.messages_received += 1;
            record.bytes_received += bytes;
        }
        let (Label { source, tag, .. }, seq) = (envelope.label, envelope.id.seq);
        let from = source as Rank;
        self.note(began, |_| EventKind::Recv { from, bytes, tag, seq, overhead: Span::ZERO });
        envelope
    }
}

/// Returns the event that a wait for these requests waits for.
fn requests(local: &Local, requests: &[RequestId]) -> AwaitedEvent {
    AwaitedEvent::of(requests.iter().filter_map(|&request| local.waits_for(request)))
}

/// Looks for a message with `poll`; waits for one if `blocking`.
fn look<C: Carrier, T>(
    node: &C,
    select: Selector,
    blocking: bool,
    mut poll: impl FnMut(&mut Local) -> Option<T>,
) -> Result<Option<T>, CommError> {
    node.check_running()?;
    if blocking {
        return node.wait_until(|_| AwaitedEvent::Message(select), Time::MAX, poll);
    }
    node.drain()?;
    let found = poll(&mut node.local().borrow_mut());
    if found.is_none() {
        node.after_unsuccessful_poll();
    }
    Ok(found)
}

/// Takes a message that a probe has set aside, and notifies its sender if it waits for the receive.
fn take_claimed(node: &impl Carrier, claim: &Claim) -> Result<Envelope, CommError> {
    node.check_running()?;
    let envelope = node.local().borrow_mut().claimed.remove(&claim.message()).ok_or(CommError::Ended)?;
    node.on_matched(envelope.id);
    Ok(envelope)
}

impl<C: Carrier> Endpoint for C {
    fn id(&self) -> NodeId {
        Carrier::id(self)
    }

    fn died(&self) -> Option<Time> {
        None
    }

    fn agree(
        &self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call<'_>,
    ) -> Result<(), CommError> {
        Carrier::agree(self, context, nth, size, rank, call)
    }

    fn shared(&self) -> &dyn Shared {
        Carrier::shared(self)
    }

    fn send(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError> {
        self.check_running()?;
        self.deliver(parcel, payload)
    }

    fn recv(&self, select: Selector) -> Result<Envelope, CommError> {
        self.recv_until(select, Time::MAX)?.ok_or(CommError::Ended)
    }

    fn recv_until(&self, select: Selector, deadline: Time) -> Result<Option<Envelope>, CommError> {
        self.check_running()?;
        let began = self.began();
        if let Some(envelope) = self.take_directly(&select) {
            self.on_matched(envelope.id);
            return Ok(Some(self.received(began, envelope)));
        }
        let awaited_event = |_: &Local| AwaitedEvent::Message(select);
        let found = self.wait_until(awaited_event, deadline, |local| local.matching.take(&select))?;
        Ok(found.map(|envelope| {
            self.on_matched(envelope.id);
            self.received(began, envelope)
        }))
    }

    fn send_recv(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError> {
        self.check_running()?;
        self.exchange(parcel, payload, select)
    }

    fn probe(&self, select: Selector, blocking: bool) -> Result<Option<(Label, u64)>, CommError> {
        look(self, select, blocking, |local| {
            let mut arrived = local.matching.arrived();
            arrived
                .find(|envelope| select.accepts(&envelope.label))
                .map(|envelope| (envelope.label, envelope.payload.len()))
        })
    }

    fn probe_claim(
        &self,
        select: Selector,
        blocking: bool,
    ) -> Result<Option<(Label, u64, Claim)>, CommError> {
        look(self, select, blocking, |local| {
            let envelope = local.matching.take(&select)?;
            let (id, label, bytes) = (envelope.id, envelope.label, envelope.payload.len());
            local.claimed.insert(id, envelope);
            Some((label, bytes, Claim::of(id)))
        })
    }

    fn recv_claimed(&self, claim: Claim) -> Result<Envelope, CommError> {
        let began = self.began();
        let envelope = take_claimed(self, &claim)?;
        Ok(self.received(began, envelope))
    }

    fn irecv_claimed(&self, claim: Claim) -> Result<RequestId, CommError> {
        let envelope = take_claimed(self, &claim)?;
        let local = &mut *self.local().borrow_mut();
        local.completed += 1;
        Ok(local.requests.insert(Request::Received(local.completed, envelope)) as RequestId)
    }

    fn isend(&self, parcel: Parcel, payload: Payload) -> Result<RequestId, CommError> {
        self.check_running()?;
        let sending = Request::Sending(self.is_rendezvous(&parcel).then_some(parcel));
        let request = self.local().borrow_mut().requests.insert(sending) as RequestId;
        if self.begin_delivery(parcel, payload, request)? {
            self.local().borrow_mut().sent(request);
        }
        Ok(request)
    }

    fn irecv(&self, select: Selector) -> Result<RequestId, CommError> {
        self.check_running()?;
        // A message that has arrived but has not been taken in is matched with the posted request later.
        let taken = self.local().borrow_mut().matching.take(&select);
        if let Some(envelope) = &taken {
            self.on_matched(envelope.id);
        }
        let local = &mut *self.local().borrow_mut();
        let is_posted = taken.is_none();
        let request = match taken {
            Some(envelope) => {
                local.completed += 1;
                Request::Received(local.completed, envelope)
            }
            None => Request::Posted(select),
        };
        let id = local.requests.insert(request) as RequestId;
        if is_posted {
            local.matching.post(select, id);
        }
        Ok(id)
    }

    fn remote(&self, parcel: Parcel, back: Option<u64>, effect: Effect) -> Result<RequestId, CommError> {
        self.check_running()?;
        let began = self.began();
        let payload = self.carry_out(parcel.target, effect)?;
        let id = MessageId { source: Carrier::id(self), seq: self.count_sent(parcel.bytes) };
        let Parcel { target, context, tag, bytes, .. } = parcel;
        let (to, seq) = (target as Rank, id.seq);
        self.note(began, |overhead| EventKind::Send { to, bytes, tag, seq, overhead });
        let local = &mut *self.local().borrow_mut();
        local.completed += 1;
        let label = Label { context, source: target, tag };
        let request = match back {
            Some(_) => Request::Received(local.completed, Envelope { id, label, payload }),
            None => Request::Sent(local.completed),
        };
        Ok(local.requests.insert(request) as RequestId)
    }

    fn wait(&self, request: RequestId) -> Result<Option<Envelope>, CommError> {
        self.check_running()?;
        let began = self.began();
        let complete = |local: &mut Local| local.completion(request).map(|_| local.settle(request));
        let found = self.wait_until(|local| requests(local, &[request]), Time::MAX, complete)?;
        Ok(found.flatten().map(|envelope| self.received(began, envelope)))
    }

    fn wait_any_until(
        &self,
        requests: Box<[RequestId]>,
        deadline: Time,
    ) -> Result<(Time, Option<First>), CommError> {
        self.check_running()?;
        let began = self.began();
        let first = self.wait_until(
            |local| self::requests(local, &requests),
            deadline,
            |local| {
                let complete = requests.iter().enumerate();
                let complete =
                    complete.filter_map(|(index, &request)| Some((local.completion(request)?, index)));
                let (_, index) = complete.min()?;
                Some((index, local.settle(requests[index])))
            },
        )?;
        let first = first
            .map(|(index, envelope)| (index, Ok(envelope.map(|envelope| self.received(began, envelope)))));
        Ok((self.time(), first))
    }

    fn test(&self, request: RequestId, is_poll: bool) -> Result<(Time, Option<Option<Envelope>>), CommError> {
        self.check_running()?;
        let began = self.began();
        self.drain()?;
        let settled = {
            let local = &mut *self.local().borrow_mut();
            local.completion(request).map(|_| local.settle(request))
        };
        if is_poll && settled.is_none() {
            self.after_unsuccessful_poll();
        }
        let settled = settled.map(|envelope| envelope.map(|envelope| self.received(began, envelope)));
        Ok((self.time(), settled))
    }

    fn forget(&self, request: RequestId, unwaited: Option<Parcel>) {
        let local = &mut *self.local().borrow_mut();
        local.forget(request);
        local.unwaited.extend(unwaited);
    }

    fn withdraw(&self, request: RequestId) {
        let local = &mut *self.local().borrow_mut();
        local.matching.withdraw(&request);
        if let Some(envelope) = local.settle(request) {
            local.matching.return_to_front(envelope);
        }
    }

    fn cancel(&self, request: RequestId) -> Result<bool, CommError> {
        self.check_running()?;
        self.drain()?;
        let local = &mut *self.local().borrow_mut();
        let is_unmatched = matches!(local.requests.get(request as usize), Some(Request::Posted(_)));
        if is_unmatched {
            local.matching.withdraw(&request);
            local.settle(request);
        }
        Ok(is_unmatched)
    }

    fn now(&self) -> Result<Time, CommError> {
        self.check_running()?;
        let now = self.time();
        self.after_unsuccessful_poll();
        Ok(now)
    }

    fn compute(&self, span: Span) -> Result<(), CommError> {
        self.check_running()?;
        let began = self.time();
        while self.time() < began + span {
            if let Some(ended) = self.ended() {
                return Err(ended);
            }
            spin_loop();
        }
        self.local().borrow_mut().record.computing += span;
        self.note(began, |_| EventKind::Compute);
        Ok(())
    }

    /// Does nothing: without a timing model, work takes its real time.
    fn charge(&self, _: Span) -> Result<(), CommError> {
        Ok(())
    }

    fn compute_until(
        &self,
        deadline: Time,
        request: RequestId,
    ) -> Result<(Time, Option<(Envelope, Span)>), CommError> {
        let began = self.time();
        loop {
            let (now, complete) = self.test(request, false)?;
            if complete.is_some() || now >= deadline {
                self.local().borrow_mut().record.computing += now.since(began);
                return Ok((now, complete.flatten().map(|envelope| (envelope, now.since(began)))));
            }
            spin_loop();
        }
    }

    fn barrier(&self) -> Result<(), CommError> {
        self.check_running()?;
        let began = self.began();
        self.synchronize()?;
        self.note(began, |_| EventKind::Barrier);
        Ok(())
    }

    fn move_here(&self) {
        Carrier::move_here(self);
    }

    fn set_place(&self, place: &'static Location<'static>) {
        if self.local().borrow().depth == 0 {
            self.note_place(place);
        }
    }

    fn enter(&self, name: &'static str) {
        let local = &mut *self.local().borrow_mut();
        local.depth += 1;
        if local.depth == 1 {
            self.set_within(Some(name));
        }
    }

    fn leave(&self) -> Result<(), CommError> {
        let local = &mut *self.local().borrow_mut();
        local.depth -= 1;
        if local.depth == 0 {
            self.set_within(None);
        }
        Ok(())
    }

    fn mark(&self, mark: Mark) -> Result<(), CommError> {
        self.check_running()?;
        let now = self.time();
        let local = &mut *self.local().borrow_mut();
        let ended = local.mark(mark, now);
        if let Some((start, kind)) = ended.filter(|_| Carrier::shared(self).is_traced()) {
            local.events.push(Event { rank: Carrier::id(self) as Rank, start, end: now, kind });
        }
        Ok(())
    }
}
