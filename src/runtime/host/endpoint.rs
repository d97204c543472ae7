//! A node on the host: its program's calls, and the messages that come in.

use std::{
    cell::{Cell, RefCell},
    hint::spin_loop,
    sync::Arc,
    thread::yield_now,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;
use slab::Slab;

use super::{
    Host, HostOutcome,
    ring::{KnownTypes, Ring, Sent},
    waiting::{Waiting, WhatFor},
};
use crate::{
    endpoint::{Cache, Call, Endpoint, Envelope, First, Mark},
    error::CommError,
    model::Description,
    payload::Payload,
    rank::Rank,
    record::{Event, EventKind, NodeRecord, Part},
    runtime::sync::Ordering,
    time::{Span, Time},
    wire::{Context, Label, Matching, MessageId, NodeId, Parcel, RequestId, Selector},
};

/// The state of a thread's parker while it sleeps for any message; a state that is no such constant is the rank of the
/// node whose message it sleeps for.
const ANY_MESSAGE: u32 = u32::MAX - 1;

/// The state of a thread's parker while it sleeps until all nodes have come to the barrier.
const BARRIER: u32 = u32::MAX - 2;

/// The time for which a thread gives its core away to others, where there are more nodes than cores, before it sleeps: to
/// sleep and to be woken costs several times what it costs to be passed over. Where many can run, one turn takes longer.
const LINGER: Duration = Duration::from_micros(20);

/// The state of a request.
#[derive(Debug)]
enum Request {
    /// A send, which is complete when it is made; the n-th request of the node to be complete.
    Sent(u64),
    /// A receive whose message has not come.
    Posted(Selector),
    /// A receive that has taken its message; the n-th request of the node to be complete.
    Received(u64, Envelope),
    /// A posted receive that the program has dropped.
    Forgotten,
}

/// The messages and requests of a node.
#[derive(Debug, Default)]
struct Local {
    matching: Matching<Envelope, RequestId>,
    /// The messages taken out of each node's ring to this one.
    taken: Vec<u64>,
    /// The messages put into each ring from this node.
    sent: Vec<Sent>,
    requests: Slab<Request>,
    /// The number of requests that have been complete.
    completed: u64,
    record: NodeRecord,
    /// Messages that receives have taken which the program had dropped.
    lost: Vec<(Label, u64)>,
    /// The phases and parts that the program is in, with their beginnings.
    phases: Vec<(Arc<str>, Time)>,
    parts: Vec<(Part, Time)>,
    /// What happened, if that is kept.
    events: Vec<Event>,
}

/// A node of the host; see the [module](self).
#[derive(Debug)]
pub(in crate::runtime) struct HostNode<'run> {
    id: NodeId,
    host: &'run Host,
    inbox: Receiver<Envelope>,
    local: RefCell<Local>,
    element_types: KnownTypes,
    /// The nesting depth of the library calls that the program is in.
    depth: Cell<u32>,
    calls_after_end: Cell<u32>,
}

impl<'run> HostNode<'run> {
    /// Creates node `id`, on its thread.
    pub(super) fn new(id: NodeId, host: &'run Host, inbox: Receiver<Envelope>) -> HostNode<'run> {
        let (element_types, depth, calls_after_end) = Default::default();
        let (taken, sent) = (vec![0; host.rings.len()], vec![Sent::default(); host.rings.len()]);
        let local = RefCell::new(Local { taken, sent, ..Local::default() });
        HostNode { id, host, inbox, local, element_types, depth, calls_after_end }
    }

    /// The program has returned or failed.
    pub(super) fn end(self) -> HostOutcome {
        let now = self.host.now();
        self.drain();
        let mut local = self.local.into_inner();
        while let Some((name, begin)) = local.phases.pop() {
            local.record.add_phase(name, begin, now);
        }
        local.record.finished = now;
        let mut unreceived = local.lost;
        let label = |envelope: &Envelope| (envelope.label, envelope.payload.len());
        unreceived.extend(local.matching.arrived().map(label));
        unreceived.extend(local.requests.iter().filter_map(|(_, request)| match request {
            Request::Received(_, envelope) => Some(label(envelope)),
            _ => None,
        }));
        HostOutcome {
            record: local.record,
            events: local.events,
            unreceived,
            inbox: self.inbox,
            taken: local.taken,
        }
    }

    fn check_running(&self) -> Result<(), CommError> {
        self.host.crew.check_running(&self.calls_after_end)
    }

    /// The present time if events are kept, which costs some ten nanoseconds to ask for.
    fn began(&self) -> Time {
        if self.host.crew.traced { self.host.now() } else { Time::ZERO }
    }

    /// Keeps an event that has just ended, if events are kept.
    fn note(&self, start: Time, kind: impl FnOnce() -> EventKind) {
        if self.host.crew.traced {
            let event = Event { rank: self.id as Rank, start, end: self.host.now(), kind: kind() };
            self.local.borrow_mut().events.push(event);
        }
    }

    /// Hands a message to its receiver: through a ring if it is short and there is one, or else through its channel.
    fn deliver(&self, parcel: Parcel, payload: Payload) {
        let began = self.began();
        let label = Label { context: parcel.context, source: self.id, tag: parcel.tag };
        let seq = {
            let local = &mut *self.local.borrow_mut();
            let seq = local.record.messages_sent;
            local.record.messages_sent += 1;
            local.record.bytes_sent += parcel.bytes;
            let ring = self.host.rings.get(parcel.target as usize).map(|rings| &rings[self.id as usize]);
            let is_sent = ring.is_some_and(|ring| {
                let short = self.element_types.short(&self.host.element_types, seq, label, &payload);
                short.is_some_and(|short| ring.put(&mut local.sent[parcel.target as usize], &short))
            });
            if !is_sent {
                let envelope = Envelope { id: MessageId { source: self.id, seq }, label, payload };
                // The receivers live as long as the run.
                let _ = self.host.inboxes[parcel.target as usize].send(envelope);
            }
            seq
        };
        let crew = &self.host.crew;
        let parker = &crew.seat(parcel.target).parker;
        if parker.claim(&[self.id, ANY_MESSAGE], &crew.awake) {
            parker.wake();
        }
        let (to, bytes, tag) = (parcel.target as Rank, parcel.bytes, parcel.tag);
        self.note(began, || EventKind::Send { to, bytes, tag, seq, overhead: Span::ZERO });
    }

    /// The rings to this node, by sender; none where there are more nodes than cores.
    fn rings(&self) -> &[Ring] {
        self.host.rings.get(self.id as usize).map_or(&[], |rings| rings)
    }

    /// Waits a moment for a short message that no other receive can want, and takes it past all lists.
    fn take_directly(&self, select: &Selector) -> Option<Envelope> {
        let source = select.source?;
        let ring = self.rings().get(source as usize)?;
        let local = &mut *self.local.borrow_mut();
        if !local.matching.is_empty() {
            return None;
        }
        for _ in 0..self.host.looks {
            if ring.has(local.taken[source as usize]) {
                break;
            }
            if !self.inbox.is_empty() {
                return None;
            }
            spin_loop();
        }
        // What was sent before it through the channel is there by now.
        let label = ring.label(local.taken[source as usize], source)?;
        if !self.inbox.is_empty() || !select.accepts(&label) {
            return None;
        }
        Some(self.short_message(local, source))
    }

    /// Whether a message has come that has not been taken in.
    fn has_mail(&self) -> bool {
        let has = |ring: &Ring, taken: &u64| ring.has(*taken);
        !self.inbox.is_empty()
            || self.rings().iter().zip(&self.local.borrow().taken).any(|(ring, taken)| has(ring, taken))
    }

    /// Takes in all messages that have come; those of each sender in the order in which it sent them.
    fn drain(&self) {
        let local = &mut *self.local.borrow_mut();
        for (source, ring) in self.rings().iter().enumerate() {
            while ring.has(local.taken[source]) {
                // What went through the channel before this one is there by now, and may bring this one in.
                let taken = local.taken[source];
                self.drain_channel(local);
                if local.taken[source] == taken {
                    self.take_short(local, source);
                }
            }
        }
        self.drain_channel(local);
    }

    /// Takes in all messages of the channel, after those of rings that were sent before.
    fn drain_channel(&self, local: &mut Local) {
        // Cheaper than to try, which takes a fence.
        if self.inbox.is_empty() {
            return;
        }
        while let Ok(envelope) = self.inbox.try_recv() {
            let MessageId { source, seq } = envelope.id;
            if let Some(ring) = self.rings().get(source as usize) {
                while ring.seq(local.taken[source as usize]).is_some_and(|earlier| earlier < seq) {
                    self.take_short(local, source as usize);
                }
            }
            local.take_in(envelope);
        }
    }

    /// Takes the next message of a ring, which is there.
    fn short_message(&self, local: &mut Local, source: NodeId) -> Envelope {
        let short = self.rings()[source as usize].take(&mut local.taken[source as usize]);
        let (label, payload) = self.element_types.long(&self.host.element_types, source, &short);
        Envelope { id: MessageId { source, seq: short.seq }, label, payload }
    }

    /// Takes in the next message of a ring, which is there.
    fn take_short(&self, local: &mut Local, source: usize) {
        let envelope = self.short_message(local, source as NodeId);
        local.take_in(envelope);
    }

    /// Sleeps until `take` finds what it wants among the messages that have come, or until `deadline`. `event` is what
    /// claims the thread, and `what_for` tells it in reports.
    fn wait_until<T>(
        &self,
        event: u32,
        what_for: impl Fn(&Local) -> WhatFor,
        deadline: Time,
        mut take: impl FnMut(&mut Local) -> Option<T>,
    ) -> Result<Option<T>, CommError> {
        let (host, crew) = (self.host, &self.host.crew);
        let parker = &crew.seat(self.id).parker;
        let mut look = || {
            self.drain();
            take(&mut self.local.borrow_mut())
        };
        if let Some(found) = look() {
            return Ok(Some(found));
        }
        let instant = host.instant(deadline);
        loop {
            if crew.is_stopped() {
                return Err(crew.ended());
            }
            if deadline != Time::MAX && host.now() >= deadline {
                return Ok(None);
            }
            self.linger();
            if let Some(found) = look() {
                return Ok(Some(found));
            }
            let since = host.now();
            *host.waiting[self.id as usize].lock() =
                Some(Waiting { since, what_for: what_for(&self.local.borrow()) });
            parker.prepare(event);
            let found = look();
            if found.is_some() || crew.is_stopped() {
                if !parker.cancel() {
                    // Somebody has counted this thread as woken.
                    crew.awake.fetch_sub(1, Ordering::AcqRel);
                }
            } else if let Some(instant) = instant {
                // A thread with a deadline goes on by itself, so it is not counted out.
                if parker.sleep_until(instant) {
                    crew.awake.fetch_sub(1, Ordering::AcqRel);
                }
            } else {
                host.retire();
                parker.sleep();
            }
            *host.waiting[self.id as usize].lock() = None;
            self.local.borrow_mut().record.waiting += host.now().since(since);
            if let Some(found) = found.or_else(&mut look) {
                return Ok(Some(found));
            }
        }
    }

    /// Does not sleep yet, as what is awaited may be a moment away.
    fn linger(&self) {
        for _ in 0..self.host.looks {
            if self.has_mail() {
                return;
            }
            spin_loop();
        }
        if self.host.is_crowded() {
            let began = Instant::now();
            while began.elapsed() < LINGER {
                yield_now();
                if self.has_mail() {
                    return;
                }
            }
        }
    }

    /// Gives the core away where others may lack it, since the program has looked in vain.
    fn in_vain(&self) {
        if self.host.is_crowded() {
            yield_now();
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
        self.note(began, || EventKind::Recv { from, bytes, tag, seq, overhead: Span::ZERO });
        envelope
    }

    fn new_request(&self, request: Request) -> RequestId {
        self.local.borrow_mut().requests.insert(request) as RequestId
    }
}

impl Local {
    /// Matches a message that has come.
    fn take_in(&mut self, envelope: Envelope) {
        let Some((request, envelope)) = self.matching.arrive(envelope) else { return };
        self.completed += 1;
        match &mut self.requests[request as usize] {
            Request::Forgotten => {
                self.lost.push((envelope.label, envelope.payload.len()));
                self.requests.remove(request as usize);
            }
            posted => *posted = Request::Received(self.completed, envelope),
        }
    }

    /// The place of a request in the order of completion; `None` if it is not complete.
    fn completion(&self, request: RequestId) -> Option<u64> {
        match self.requests.get(request as usize)? {
            Request::Sent(nth) | Request::Received(nth, _) => Some(*nth),
            Request::Posted(_) | Request::Forgotten => None,
        }
    }

    /// Takes a complete request out, with its message if it was a receive.
    fn settle(&mut self, request: RequestId) -> Option<Envelope> {
        match self.requests.try_remove(request as usize)? {
            Request::Received(_, envelope) => Some(envelope),
            _ => None,
        }
    }

    fn selector(&self, request: RequestId) -> Option<Selector> {
        match self.requests.get(request as usize)? {
            Request::Posted(select) => Some(*select),
            _ => None,
        }
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

    fn machine(&self) -> &Description {
        &self.host.crew.machine
    }

    fn cache(&self) -> &Cache {
        &self.host.crew.cache
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
        let (_, first) = self.wait_any_until([request].into(), Time::MAX)?;
        Ok(first.and_then(|(_, envelope)| envelope))
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
        let first =
            first.map(|(index, envelope)| (index, envelope.map(|envelope| self.received(began, envelope))));
        Ok((self.host.now(), first))
    }

    fn test(&self, request: RequestId, _: bool) -> Result<(Time, Option<Option<Envelope>>), CommError> {
        self.check_running()?;
        let began = self.began();
        self.drain();
        let settled = {
            let local = &mut *self.local.borrow_mut();
            local.completion(request).map(|_| local.settle(request))
        };
        if settled.is_none() {
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
                local.lost.extend(lost.map(|envelope| (envelope.label, envelope.payload.len())));
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
        self.in_vain();
        Ok(self.host.now())
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
        self.note(began, || EventKind::Compute);
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
    ) -> Result<(Time, Option<Envelope>), CommError> {
        let began = self.host.now();
        loop {
            let (now, complete) = self.test(request, true)?;
            if complete.is_some() || now >= deadline {
                self.local.borrow_mut().record.computing += now.since(began);
                return Ok((now, complete.flatten()));
            }
            spin_loop();
        }
    }

    fn context(&self, parent: Context, members: &[Rank], nth: u32, name: &dyn Fn() -> String) -> Context {
        self.host.crew.contexts.lock().of(parent, members, nth, name)
    }

    fn agree(
        &self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call,
    ) -> Result<(), (Rank, Call)> {
        self.host.crew.agreements.lock().arrive(context, nth, size, rank, call)
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
            for _ in 0..host.looks {
                if host.barrier.is_passed(nth) {
                    break;
                }
                spin_loop();
            }
            let passed = |_: &mut Local| host.barrier.is_passed(nth).then_some(());
            self.wait_until(BARRIER, |_| WhatFor::Barrier, Time::MAX, passed)?;
        }
        self.note(began, || EventKind::Barrier);
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

    fn is_traced(&self) -> bool {
        self.host.crew.traced
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
            Mark::PartEnd => local.parts.pop().map(|(part, begin)| (begin, EventKind::Part(part))),
        };
        if let Some((start, kind)) = ended.filter(|_| self.host.crew.traced) {
            local.events.push(Event { rank: self.id as Rank, start, end: now, kind });
        }
        Ok(())
    }
}
