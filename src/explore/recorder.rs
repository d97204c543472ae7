//! The endpoint through which an explored program communicates: it passes calls on, makes forced decisions, and keeps the log of its rank.
//!
//! A decision is forced by a change of the call. A receive from any source for which a message is forced becomes a receive from the source of
//! this message: which of its messages it takes follows from the decisions before. A wait for any of several requests becomes a wait for one.
//! So the machine below has no second kind of matching, and the times are those of a program that makes these calls.

mod logging;

use std::{
    cell::{Cell, RefCell},
    panic::Location,
};

use super::{
    log::{Decision, Entry, Meeting, Open, RankLog, RankScript, Took},
    order::Waits,
};
use crate::{
    endpoint::{Call, Claim, Effect, Endpoint, Envelope, First, Mark, Shared},
    error::CommError,
    payload::Payload,
    rank::{Rank, Tag},
    time::{Span, Time},
    wire::{Context, Label, NodeId, Parcel, RequestId, Selector},
};

/// The endpoint of one rank; see the [module](self).
#[derive(Debug)]
pub(super) struct Recorder<'e> {
    inner: &'e dyn Endpoint,
    script: &'e RankScript,
    waits: Waits,
    /// The number of library calls that have begun and not ended. Which request they take first is not seen by the program.
    library_calls: Cell<u32>,
    log: RefCell<RankLog>,
}

impl<'e> Recorder<'e> {
    pub(super) fn new(inner: &'e dyn Endpoint, script: &'e RankScript, waits: Waits) -> Recorder<'e> {
        Recorder { inner, script, waits, library_calls: Cell::new(0), log: RefCell::default() }
    }

    fn is_in_library(&self) -> bool {
        self.library_calls.get() > 0
    }

    /// Whether a message is one of a library operation: whether it waits for its receive is up to the library.
    fn is_of_library(&self, parcel: &Parcel) -> bool {
        parcel.active || self.inner.shared().is_private(parcel.context)
    }

    /// The message as it is sent.
    fn as_sent(&self, parcel: Parcel) -> Parcel {
        let waits = self.waits.sends && !self.is_of_library(&parcel);
        Parcel { synchronous: parcel.synchronous || waits, ..parcel }
    }

    pub(super) fn into_log(self) -> RankLog {
        self.log.into_inner()
    }

    /// Notes whether a call failed because the run is over.
    fn checked<T>(&self, result: Result<T, CommError>) -> Result<T, CommError> {
        if let Err(CommError::Deadlock | CommError::Ended | CommError::Mismatch(_)) = &result {
            self.log.borrow_mut().over = true;
        }
        result
    }

    fn is_waiting(&self, parcel: &Parcel) -> bool {
        let threshold = self.inner.shared().machine().rendezvous();
        !parcel.active && (parcel.synchronous || threshold.is_some_and(|threshold| parcel.bytes >= threshold))
    }
}

/// The receive from the source of a decision.
fn from(select: Selector, decision: Option<Decision>) -> Selector {
    match decision {
        Some(Decision::From(source)) => Selector { source: Some(source), ..select },
        _ => select,
    }
}

impl Endpoint for Recorder<'_> {
    fn id(&self) -> NodeId {
        self.inner.id()
    }

    fn died(&self) -> Option<Time> {
        self.inner.died()
    }

    fn shared(&self) -> &dyn Shared {
        self.inner.shared()
    }

    fn move_here(&self) {
        self.inner.move_here();
    }

    fn send(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError> {
        let parcel = self.as_sent(parcel);
        let seq = self.sends(&parcel, &payload);
        self.checked(self.inner.send(parcel, payload))?;
        self.sent(&parcel, seq);
        Ok(())
    }

    fn recv(&self, select: Selector) -> Result<Envelope, CommError> {
        let (number, forced) = self.posts(select, true, false);
        let envelope = self.checked(self.inner.recv(from(select, forced)))?;
        self.took(number, Took::Message(envelope.id));
        Ok(envelope)
    }

    fn recv_until(&self, select: Selector, deadline: Time) -> Result<Option<Envelope>, CommError> {
        let (number, forced) = self.posts(select, true, true);
        let envelope = self.checked(match forced {
            Some(Decision::From(_)) => self.inner.recv(from(select, forced)).map(Some),
            Some(Decision::Nothing) => self.inner.wait_any_until([].into(), deadline).map(|_| None),
            None => self.inner.recv_until(select, deadline),
        })?;
        self.took(number, envelope.as_ref().map_or(Took::Nothing, |envelope| Took::Message(envelope.id)));
        Ok(envelope)
    }

    fn send_recv(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError> {
        let parcel = self.as_sent(parcel);
        let seq = self.sends(&parcel, &payload);
        let (number, forced) = self.posts(select, true, false);
        let envelope = self.checked(self.inner.send_recv(parcel, payload, from(select, forced)))?;
        self.took(number, Took::Message(envelope.id));
        self.sent(&parcel, seq);
        Ok(envelope)
    }

    fn probe(&self, select: Selector, blocking: bool) -> Result<Option<(Label, u64)>, CommError> {
        let (number, forced) = self.posts(select, false, !blocking);
        let found = self.checked(match forced {
            Some(Decision::From(_)) => self.inner.probe(from(select, forced), true),
            Some(Decision::Nothing) => self.inner.now().map(|_| None),
            None => self.inner.probe(select, blocking),
        })?;
        self.took(number, found.as_ref().map_or(Took::Nothing, |(label, _)| Took::Saw(label.source)));
        Ok(found)
    }

    fn probe_claim(
        &self,
        select: Selector,
        blocking: bool,
    ) -> Result<Option<(Label, u64, Claim)>, CommError> {
        let (number, forced) = self.posts(select, true, !blocking);
        let found = self.checked(match forced {
            Some(Decision::From(_)) => self.inner.probe_claim(from(select, forced), true),
            Some(Decision::Nothing) => self.inner.now().map(|_| None),
            None => self.inner.probe_claim(select, blocking),
        })?;
        let took = found.as_ref().map_or(Took::Nothing, |(_, _, claim)| Took::Message(claim.message()));
        self.took(number, took);
        Ok(found)
    }

    fn recv_claimed(&self, claim: Claim) -> Result<Envelope, CommError> {
        self.claims(&claim);
        self.checked(self.inner.recv_claimed(claim))
    }

    fn irecv_claimed(&self, claim: Claim) -> Result<RequestId, CommError> {
        self.claims(&claim);
        self.checked(self.inner.irecv_claimed(claim))
    }

    fn isend(&self, parcel: Parcel, payload: Payload) -> Result<RequestId, CommError> {
        let parcel = self.as_sent(parcel);
        let seq = self.sends(&parcel, &payload);
        let request = self.checked(self.inner.isend(parcel, payload))?;
        let waits = self.is_waiting(&parcel);
        let is_done = !waits && self.is_of_library(&parcel);
        let open = if is_done { Open::Done } else { Open::Send { seq, waits } };
        self.log.borrow_mut().open.insert(request, open);
        Ok(request)
    }

    fn irecv(&self, select: Selector) -> Result<RequestId, CommError> {
        let (number, forced) = self.posts(select, true, false);
        let request = self.checked(self.inner.irecv(from(select, forced)))?;
        let log = &mut *self.log.borrow_mut();
        log.open.insert(request, Open::Receive(number));
        if let Some(receive) = log.receives.get_mut(number) {
            receive.request = Some(request);
        }
        Ok(request)
    }

    fn remote(&self, parcel: Parcel, back: Option<u64>, effect: Effect) -> Result<RequestId, CommError> {
        {
            let log = &mut *self.log.borrow_mut();
            log.sent += 1;
            log.has_remote = true;
        }
        self.checked(self.inner.remote(parcel, back, effect))
    }

    fn wait(&self, request: RequestId) -> Result<Option<Envelope>, CommError> {
        let envelope = self.checked(self.inner.wait(request))?;
        self.completed(request, envelope.as_ref());
        Ok(envelope)
    }

    fn wait_any_until(
        &self,
        requests: Box<[RequestId]>,
        deadline: Time,
    ) -> Result<(Time, Option<First>), CommError> {
        let (open, forced) = self.picks(&requests);
        let may_fail = deadline < Time::MAX;
        let (at, first) = self.checked(match forced {
            Some(Decision::From(index)) => {
                let one = requests.get(index as usize).copied().into_iter().collect();
                let waited = self.inner.wait_any_until(one, Time::MAX);
                waited.map(|(at, first)| (at, first.map(|(_, received)| (index as usize, received))))
            }
            Some(Decision::Nothing) => self.inner.wait_any_until([].into(), deadline),
            None => self.inner.wait_any_until(requests.clone(), deadline),
        })?;
        let outcome = first.as_ref().map(|(index, received)| {
            let envelope = received.as_ref().ok().and_then(Option::as_ref);
            (*index, envelope)
        });
        self.picked(&requests, open, may_fail, outcome);
        Ok((at, first))
    }

    fn test(&self, request: RequestId, is_poll: bool) -> Result<(Time, Option<Option<Envelope>>), CommError> {
        let (open, forced) = self.picks(&[request]);
        let (at, complete) = self.checked(match forced {
            Some(Decision::From(_)) => {
                self.inner.wait_any_until([request].into(), Time::MAX).and_then(|(at, first)| match first {
                    Some((_, received)) => Ok((at, Some(received?))),
                    None => Ok((at, None)),
                })
            }
            Some(Decision::Nothing) => self.inner.now().map(|at| (at, None)),
            None => self.inner.test(request, is_poll),
        })?;
        let outcome = complete.as_ref().map(|envelope| (0, envelope.as_ref()));
        self.picked(&[request], open, true, outcome);
        Ok((at, complete))
    }

    fn forget(&self, request: RequestId, unwaited: Option<Parcel>) {
        self.log.borrow_mut().open.remove(&request);
        self.inner.forget(request, unwaited);
    }

    fn withdraw(&self, request: RequestId) {
        self.inner.withdraw(request);
        self.withdrawn(request);
    }

    fn cancel(&self, request: RequestId) -> Result<bool, CommError> {
        let is_withdrawn = self.checked(self.inner.cancel(request))?;
        if is_withdrawn {
            self.withdrawn(request);
        }
        Ok(is_withdrawn)
    }

    fn now(&self) -> Result<Time, CommError> {
        self.checked(self.inner.now())
    }

    fn compute(&self, span: Span) -> Result<(), CommError> {
        self.checked(self.inner.compute(span))
    }

    fn charge(&self, span: Span) -> Result<(), CommError> {
        self.checked(self.inner.charge(span))
    }

    fn compute_until(
        &self,
        deadline: Time,
        request: RequestId,
    ) -> Result<(Time, Option<(Envelope, Span)>), CommError> {
        let (open, forced) = self.picks(&[request]);
        let (at, interrupted) = self.checked(match forced {
            Some(Decision::From(_)) => self.inner.compute_until(Time::MAX, request),
            Some(Decision::Nothing) => self.inner.now().and_then(|now| {
                self.inner.compute(deadline.max(now).since(now))?;
                Ok((self.inner.now()?, None))
            }),
            None => self.inner.compute_until(deadline, request),
        })?;
        let outcome = interrupted.as_ref().map(|(envelope, _)| (0, Some(envelope)));
        self.picked(&[request], open, true, outcome);
        Ok((at, interrupted))
    }

    fn barrier(&self) -> Result<(), CommError> {
        let number = {
            let log = &mut *self.log.borrow_mut();
            log.barriers += 1;
            let number = log.barriers - 1;
            log.push(Entry::Enter(number));
            number
        };
        self.checked(self.inner.barrier())?;
        self.log.borrow_mut().push(Entry::Leave(number));
        Ok(())
    }

    fn may_wait_for_all(
        &self,
        group: Context,
        nth: u64,
        members: &[Rank],
        waits: bool,
    ) -> Result<(), CommError> {
        {
            let log = &mut *self.log.borrow_mut();
            if !log.over {
                let number = log.meetings.len();
                log.meetings.push(Meeting { group, nth, size: members.len() });
                log.push(Entry::Meet(number));
                if waits {
                    log.push(Entry::Met(number));
                }
            }
        }
        if self.waits.calls { self.meet(group, nth, members, waits) } else { Ok(()) }
    }

    fn agree(
        &self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call<'_>,
    ) -> Result<(), CommError> {
        self.checked(self.inner.agree(context, nth, size, rank, call))
    }

    fn set_place(&self, place: &'static Location<'static>) {
        self.inner.set_place(place);
    }

    fn enter(&self, name: &'static str) {
        self.library_calls.set(self.library_calls.get() + 1);
        self.inner.enter(name);
    }

    fn leave(&self) -> Result<(), CommError> {
        self.library_calls.set(self.library_calls.get() - 1);
        self.inner.leave()
    }

    fn mark(&self, mark: Mark) -> Result<(), CommError> {
        self.checked(self.inner.mark(mark))
    }
}

impl Recorder<'_> {
    /// Tells all other members of a group of a call, and waits until they have made it too, by messages that are not logged.
    fn meet(&self, group: Context, nth: u64, members: &[Rank], waits: bool) -> Result<(), CommError> {
        let name = || "ranks that wait for each other in a collective call".to_owned();
        let context = self.inner.shared().context(group, members, u32::MAX, &name);
        let tag = Tag::of_call("call", nth);
        let others = || members.iter().map(|&member| member as NodeId).filter(|&member| member != self.id());
        for target in others() {
            let parcel = Parcel { target, context, tag, bytes: 0, active: false, synchronous: false };
            let sent = self.checked(self.inner.isend(parcel, Payload::empty()))?;
            self.inner.forget(sent, None);
        }
        if !waits {
            return Ok(());
        }
        self.inner.enter("a collective call that waits for all ranks");
        for source in others() {
            self.checked(self.inner.recv(Selector { context, source: Some(source), tag: Some(tag) }))?;
        }
        self.checked(self.inner.leave())
    }
}
