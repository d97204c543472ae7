//! A node on the host: its program's calls, and the messages that come in.

use std::{
    cell::{Cell, RefCell},
    hint::spin_loop,
};

use crossbeam_channel::Receiver;

use super::{
    Host, HostOutcome,
    local::{Local, Request},
    ring::{KnownTypes, Sent},
    unreceived,
    waiting::WhatFor,
};
use crate::{
    endpoint::{Endpoint, Envelope, First, Mark, Shared},
    error::CommError,
    payload::Payload,
    rank::Rank,
    record::{Event, EventKind},
    time::{Span, Time},
    wire::{Label, NodeId, Parcel, RequestId, Selector},
};

/// The state of a thread's parker while it sleeps for any message; a state that is no such constant is the rank of the
/// node whose message it sleeps for.
pub(super) const ANY_MESSAGE: u32 = u32::MAX - 1;

/// The state of a thread's parker while it sleeps until all nodes have come to the barrier.
pub(super) const BARRIER: u32 = u32::MAX - 2;

/// A node of the host; see the [module](self).
#[derive(Debug)]
pub(in crate::runtime) struct HostNode<'run> {
    pub(super) id: NodeId,
    pub(super) host: &'run Host,
    pub(super) inbox: Receiver<Envelope>,
    pub(super) local: RefCell<Local>,
    pub(super) element_types: KnownTypes,
    /// Whether the program has looked in vain, and made no other call since.
    pub(super) looked: Cell<bool>,
    /// The nesting depth of the library calls that the program is in.
    depth: Cell<u32>,
    calls_after_end: Cell<u32>,
}

impl<'run> HostNode<'run> {
    /// Creates node `id`, on its thread.
    pub(super) fn new(id: NodeId, host: &'run Host, inbox: Receiver<Envelope>) -> HostNode<'run> {
        let (element_types, looked, depth, calls_after_end) = Default::default();
        let (taken, sent) = (vec![0; host.rings.len()], vec![Sent::default(); host.rings.len()]);
        let local = RefCell::new(Local { taken, sent, ..Local::default() });
        HostNode { id, host, inbox, local, element_types, looked, depth, calls_after_end }
    }

    /// The program has returned or failed.
    pub(super) fn end(self) -> HostOutcome {
        let now = self.host.now();
        self.drain();
        let mut local = self.local.into_inner();
        let mut open: Vec<(Time, EventKind)> = Vec::new();
        while let Some((name, begin)) = local.phases.pop() {
            local.record.add_phase(name.clone(), begin, now);
            open.push((begin, EventKind::Phase { name }));
        }
        open.extend(local.parts.drain(..).map(|(part, begin)| (begin, EventKind::Part(part))));
        if self.host.crew.traced {
            let rank = self.id as Rank;
            local.events.extend(open.into_iter().map(|(start, kind)| Event { rank, start, end: now, kind }));
        }
        local.record.finished = now;
        let mut left = local.lost;
        left.extend(local.matching.arrived().map(unreceived));
        left.extend(local.requests.iter().filter_map(|(_, request)| match request {
            Request::Received(_, envelope) => Some(unreceived(envelope)),
            _ => None,
        }));
        HostOutcome {
            record: local.record,
            events: local.events,
            unreceived: left,
            inbox: self.inbox,
            taken: local.taken,
        }
    }

    fn check_running(&self) -> Result<(), CommError> {
        self.host.crew.check_running(&self.calls_after_end)
    }

    /// The present time if events are kept, which costs some ten nanoseconds to ask for.
    pub(super) fn began(&self) -> Time {
        if self.host.crew.traced { self.host.now() } else { Time::ZERO }
    }

    /// Keeps an event that has just ended, if events are kept; its kind may depend on how long it took.
    pub(super) fn note(&self, start: Time, kind: impl FnOnce(Span) -> EventKind) {
        if self.host.crew.traced {
            let end = self.host.now();
            let event = Event { rank: self.id as Rank, start, end, kind: kind(end.since(start)) };
            self.local.borrow_mut().events.push(event);
        }
    }

    /// Notes a message that the program has received.
    fn received(&self, began: Time, envelope: Envelope) -> Envelope {
        let bytes = envelope.payload.len();
        {
            let record = &mut self.local.borrow_mut().record;
            record.messages_received += 1;
            record.bytes_received += bytes;
        }
        let (Label { source, tag, .. }, seq) = (envelope.label, envelope.id.seq);
        let from = source as Rank;
        self.note(began, |_| EventKind::Recv { from, bytes, tag, seq, overhead: Span::ZERO });
        envelope
    }

    fn new_request(&self, request: Request) -> RequestId {
        self.local.borrow_mut().requests.insert(request) as RequestId
    }
}

/// The event that a thread sleeps for which awaits a message.
fn event(select: &Selector) -> u32 {
    select.source.unwrap_or(ANY_MESSAGE)
}

impl Endpoint for HostNode<'_> {
    fn id(&self) -> NodeId {
        self.id
    }

    fn died(&self) -> Option<Time> {
        None
    }

    fn shared(&self) -> &dyn Shared {
        &self.host.crew
    }

    fn send(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError> {
        self.check_running()?;
        self.deliver(parcel, payload);
        Ok(())
    }

    fn recv(&self, select: Selector) -> Result<Envelope, CommError> {
        self.recv_until(select, Time::MAX)?.ok_or_else(|| self.host.crew.ended())
    }

    fn recv_until(&self, select: Selector, deadline: Time) -> Result<Option<Envelope>, CommError> {
        self.check_running()?;
        let began = self.began();
        if let Some(envelope) = self.take_directly(&select) {
            return Ok(Some(self.received(began, envelope)));
        }
        let what_for = |_: &Local| WhatFor::Message(select);
        let found =
            self.wait_until(event(&select), what_for, deadline, |local| local.matching.take(&select))?;
        Ok(found.map(|envelope| self.received(began, envelope)))
    }

    fn send_recv(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError> {
        self.send(parcel, payload)?;
        self.recv(select)
    }

    fn probe(&self, select: Selector, blocking: bool) -> Result<Option<(Label, u64)>, CommError> {
        self.check_running()?;
        let look = |local: &mut Local| {
            let mut arrived = local.matching.arrived();
            arrived
                .find(|envelope| select.accepts(&envelope.label))
                .map(|envelope| (envelope.label, envelope.payload.len()))
        };
        if blocking {
            return self.wait_until(event(&select), |_| WhatFor::Message(select), Time::MAX, look);
        }
        self.drain();
        let found = look(&mut self.local.borrow_mut());
        if found.is_none() {
            self.in_vain();
        }
        Ok(found)
    }

    fn isend(&self, parcel: Parcel, payload: Payload) -> Result<RequestId, CommError> {
        self.send(parcel, payload)?;
        let nth = {
            let local = &mut *self.local.borrow_mut();
            local.completed += 1;
            local.completed
        };
        Ok(self.new_request(Request::Sent(nth)))
    }

    fn irecv(&self, select: Selector) -> Result<RequestId, CommError> {
        self.check_running()?;
        self.drain();
        let local = &mut *self.local.borrow_mut();
        let request = match local.matching.take(&select) {
            Some(envelope) => {
                local.completed += 1;
                Request::Received(local.completed, envelope)
            }
            None => Request::Posted(select),
        };
        let is_posted = matches!(request, Request::Posted(_));
        let id = local.requests.insert(request) as RequestId;
        if is_posted {
            local.matching.post(select, id);
        }
        Ok(id)
    }

    fn wait(&self, request: RequestId) -> Result<Option<Envelope>, CommError> {
        self.check_running()?;
        let began = self.began();
        let event = self.local.borrow().selector(request).map_or(ANY_MESSAGE, |select| event(&select));
        let what_for = |local: &Local| WhatFor::Any(local.selector(request).into_iter().collect());
        let complete = |local: &mut Local| local.completion(request).map(|_| local.settle(request));
        let found = self.wait_until(event, what_for, Time::MAX, complete)?;
        Ok(found.flatten().map(|envelope| self.received(began, envelope)))
    }

    fn wait_any_until(
        &self,
        requests: Box<[RequestId]>,
        deadline: Time,
    ) -> Result<(Time, Option<First>), CommError> {
        self.check_running()?;
        let began = self.began();
        let selects = |local: &Local| -> Vec<Selector> {
            requests.iter().filter_map(|&request| local.selector(request)).collect()
        };
        let event = match selects(&self.local.borrow())[..] {
            [one] => event(&one),
            _ => ANY_MESSAGE,
        };
        let what_for = |local: &Local| match selects(local)[..] {
            [one] => WhatFor::Message(one),
            ref several => WhatFor::Any(several.to_vec()),
        };
        let first = self.wait_until(event, what_for, deadline, |local| {
            let complete = requests.iter().enumerate();
            let complete = complete.filter_map(|(index, &request)| Some((local.completion(request)?, index)));
            let (_, index) = complete.min()?;
            Some((index, local.settle(requests[index])))
        })?;
        let first = first
            .map(|(index, envelope)| (index, Ok(envelope.map(|envelope| self.received(began, envelope)))));
        Ok((self.host.now(), first))
    }

    fn test(&self, request: RequestId, looks: bool) -> Result<(Time, Option<Option<Envelope>>), CommError> {
        self.check_running()?;
        let began = self.began();
        self.drain();
        let settled = {
            let local = &mut *self.local.borrow_mut();
            local.completion(request).map(|_| local.settle(request))
        };
        if looks && settled.is_none() {
            self.in_vain();
        }
        let settled = settled.map(|envelope| envelope.map(|envelope| self.received(began, envelope)));
        Ok((self.host.now(), settled))
    }

    fn forget(&self, request: RequestId) {
        let local = &mut *self.local.borrow_mut();
        match local.requests.get_mut(request as usize) {
            Some(posted @ Request::Posted(_)) => *posted = Request::Forgotten,
            Some(_) => {
                let lost = local.settle(request);
                local.lost.extend(lost.as_ref().map(unreceived));
            }
            None => {}
        }
    }

    fn withdraw(&self, request: RequestId) {
        let local = &mut *self.local.borrow_mut();
        local.matching.withdraw(&request);
        if let Some(envelope) = local.settle(request) {
            local.matching.put_back(envelope);
        }
    }

    fn now(&self) -> Result<Time, CommError> {
        self.check_running()?;
        let now = self.host.now();
        self.in_vain();
        Ok(now)
    }

    fn compute(&self, span: Span) -> Result<(), CommError> {
        self.check_running()?;
        let (host, began) = (self.host, self.host.now());
        while host.now() < began + span {
            if host.crew.is_stopped() {
                return Err(host.crew.ended());
            }
            spin_loop();
        }
        self.local.borrow_mut().record.computing += span;
        self.note(began, |_| EventKind::Compute);
        Ok(())
    }

    /// The work is really done, and takes its time.
    fn charge(&self, _: Span) -> Result<(), CommError> {
        Ok(())
    }

    fn compute_until(
        &self,
        deadline: Time,
        request: RequestId,
    ) -> Result<(Time, Option<(Envelope, Span)>), CommError> {
        let began = self.host.now();
        loop {
            let (now, complete) = self.test(request, false)?;
            if complete.is_some() || now >= deadline {
                self.local.borrow_mut().record.computing += now.since(began);
                return Ok((now, complete.flatten().map(|envelope| (envelope, now.since(began)))));
            }
            spin_loop();
        }
    }

    fn barrier(&self) -> Result<(), CommError> {
        self.check_running()?;
        let (host, crew, began) = (self.host, &self.host.crew, self.began());
        let (nth, is_last) = host.barrier.arrive(crew.seats.len());
        if is_last {
            for seat in &crew.seats {
                if seat.parker.claim(&[BARRIER], &crew.awake) {
                    seat.parker.wake();
                }
            }
        } else {
            let passed = |_: &mut Local| host.barrier.is_passed(nth).then_some(());
            self.wait_until(BARRIER, |_| WhatFor::Barrier, Time::MAX, passed)?;
        }
        self.note(began, |_| EventKind::Barrier);
        Ok(())
    }

    fn enter(&self, name: &'static str) {
        if self.depth.replace(self.depth.get() + 1) == 0 {
            *self.host.crew.seat(self.id).within.lock() = Some(name);
        }
    }

    fn leave(&self) -> Result<(), CommError> {
        self.depth.set(self.depth.get() - 1);
        if self.depth.get() == 0 {
            *self.host.crew.seat(self.id).within.lock() = None;
        }
        Ok(())
    }

    fn mark(&self, mark: Mark) -> Result<(), CommError> {
        self.check_running()?;
        let now = self.host.now();
        let local = &mut *self.local.borrow_mut();
        let ended = match mark {
            Mark::PhaseBegin(name) => {
                local.phases.push((name, now));
                None
            }
            Mark::PhaseEnd(name) => {
                // The innermost phase of this name: phases need not end in the order of their nesting.
                let at = local.phases.iter().rposition(|(known, _)| *known == name);
                at.map(|at| {
                    let (name, begin) = local.phases.remove(at);
                    local.record.add_phase(name.clone(), begin, now);
                    (begin, EventKind::Phase { name })
                })
            }
            Mark::PartBegin(part) => {
                local.parts.push((part, now));
                None
            }
            // Pictures of what nodes hold are of networks, and there is none.
            Mark::Holds(_) => None,
            Mark::PartEnd => local.parts.pop().map(|(part, begin)| (begin, EventKind::Part(part))),
        };
        if let Some((start, kind)) = ended.filter(|_| self.host.crew.traced) {
            local.events.push(Event { rank: self.id as Rank, start, end: now, kind });
        }
        Ok(())
    }
}
