//! A rank as a node of a run: it sends messages, receives messages, and waits for them.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    panic::Location,
};

use super::{
    Settings,
    connection::transport_error,
    frame::{Header, Kind},
    groups::{CallMismatch, Groups},
    idle::Idle,
    inquiry::Inquiry,
    job::Job,
    synchronous::Synchronous,
};
use crate::{
    endpoint::{Cache, Call, Effect, Endpoint, Envelope, Shared},
    error::{CommError, DeadlockReport, MismatchedCall},
    kernel::BlockedNode,
    model::MachineSpec,
    payload::{ElementType, Payload},
    rank::{Rank, Tag},
    record::{EventKind, UnreceivedMessage},
    runtime::{
        carrier::Carrier,
        local::Local,
        run_state::{Fault, count_call_after_end},
        unreceived::{MAX_UNRECEIVED, unreceived},
        waiting::{AwaitedEvent, Waiting},
    },
    time::{Span, Time},
    wire::{Context, Label, MessageId, NodeId, Parcel, RequestId, Selector},
};

/// The number of polls for a message that bypasses the matching lists.
const DIRECT_POLLS: u32 = 200;

/// The number of unsuccessful polls after which a wait appears in reports.
const SHORT: u32 = 64;

/// The number of calls from one poll to the next. A program that never waits notices the end of the run and its time limit only by these
/// polls.
const CALLS: u64 = 64;

/// The number of polls from one check of the clock to the next.
const POLLS: u32 = 256;

/// The cause of the early end of a run, as known to this rank.
#[derive(Debug)]
pub(super) enum Cause {
    /// This rank's program failed.
    Fault(Fault),
    Deadlock(DeadlockReport),
    WallLimit(Vec<BlockedNode>),
    /// Another rank has ended the run.
    OtherRank,
}

/// This rank in a run; see the [module](self).
#[derive(Debug)]
pub(super) struct MpiNode<'j> {
    pub(super) job: &'j Job,
    pub(super) settings: &'j Settings,
    machine: MachineSpec,
    pub(super) local: RefCell<Local>,
    pub(super) groups: RefCell<Groups>,
    /// The time in seconds of MPI's clock at which all programs began.
    epoch: f64,
    /// The number of calls of the program.
    pub(super) calls: Cell<u64>,
    calls_after_end: Cell<u32>,
    pub(super) ended: RefCell<Option<Cause>>,
    /// The event that the program has waited for beyond a short time, and whether it waits without a deadline.
    pub(super) waiting: RefCell<Option<(Waiting, bool)>>,
    pub(super) within: Cell<Option<&'static str>>,
    pub(super) place: Cell<Option<&'static Location<'static>>>,
    pub(super) has_returned: Cell<bool>,
    /// Whether the programs of all ranks have returned.
    pub(super) is_over: Cell<bool>,
    pub(super) inquiry: RefCell<Inquiry>,
    /// The time at which the run ends after its limit has been reached.
    pub(super) ends: Cell<Option<Time>>,
    pub(super) mismatch: Cell<Option<CallMismatch>>,
    /// The different call that another rank has reported.
    pub(super) reported_call: RefCell<Option<MismatchedCall>>,
    /// The element types that this rank has described to other ranks, and the types that other ranks have described.
    pub(super) named: RefCell<BTreeSet<(NodeId, u64)>>,
    pub(super) types: RefCell<BTreeMap<u64, ElementType>>,
    pub(super) synchronous: Synchronous,
}

impl<'j> MpiNode<'j> {
    pub(super) fn new(
        job: &'j Job,
        machine: &MachineSpec,
        settings: &'j Settings,
        epoch: f64,
    ) -> MpiNode<'j> {
        let (local, groups, calls, calls_after_end, ended, waiting, within, has_returned) =
            Default::default();
        let (place, is_over, inquiry, ends, mismatch, reported_call, named, types) = Default::default();
        MpiNode {
            job,
            settings,
            machine: machine.clone(),
            local,
            groups,
            epoch,
            calls,
            calls_after_end,
            ended,
            waiting,
            within,
            place,
            has_returned,
            is_over,
            inquiry,
            ends,
            mismatch,
            reported_call,
            named,
            types,
            synchronous: Synchronous::default(),
        }
    }

    pub(super) fn is_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }

    /// Ends the run for all ranks; the first cause is kept.
    pub(super) fn stop(&self, cause: Cause) {
        if self.is_ended() {
            return;
        }
        *self.ended.borrow_mut() = Some(cause);
        for other in (0..self.job.size()).filter(|&other| other != self.job.rank()) {
            // A rank that cannot be notified notices that this rank has ended.
            let _ = self.job.connection.send_frame(other as NodeId, Header::new(Kind::End), &[]);
        }
    }

    /// Makes the header of a message. If the receiver does not know the element type, first sends its description.
    fn header(&self, parcel: Parcel, payload: &Payload) -> Result<Header, CommError> {
        let element = payload.element();
        let digest = element.map_or(0, ElementType::digest);
        if let Some(element) = element
            && self.named.borrow_mut().insert((parcel.target, digest))
        {
            let header = Header { element: digest, seq: element.size() as u64, ..Header::new(Kind::Type) };
            let name = element.name().as_bytes();
            let name = &name[..name.len().min(1000)];
            self.job.connection.send_frame(parcel.target, header, name).map_err(transport_error)?;
        }
        let groups = self.groups.borrow();
        let (nth, call) = groups.call_of(parcel.context);
        Ok(Header {
            tag: parcel.tag.0,
            synchronous: parcel.synchronous.into(),
            context: groups.digest(parcel.context),
            element: digest,
            call,
            nth,
            seq: self.count_sent(parcel.bytes),
            origin: payload.origin().map_or(0, |origin| origin + 1),
            ..Header::default()
        })
    }

    /// Takes in a message of this rank to itself, without MPI; returns its sequence number.
    fn deliver_to_self(&self, parcel: Parcel, payload: Payload, request: Option<RequestId>) -> u64 {
        let label = Label { context: parcel.context, source: self.job.rank() as NodeId, tag: parcel.tag };
        let id = MessageId { source: label.source, seq: self.count_sent(parcel.bytes) };
        if parcel.synchronous {
            self.expect_match(id.seq, request);
            self.note_awaited(id, &Header { synchronous: 1, ..Header::default() });
        }
        let matched = self.local.borrow_mut().take_in(Envelope { id, label, payload });
        if let Some(matched) = matched {
            self.acknowledge(matched);
        }
        id.seq
    }

    /// Sends a message and returns its sequence number when MPI has accepted it.
    fn hand_over(&self, parcel: Parcel, payload: Payload) -> Result<u64, CommError> {
        if parcel.target == Carrier::id(self) {
            return Ok(self.deliver_to_self(parcel, payload, None));
        }
        let began = self.began();
        let header = self.header(parcel, &payload)?;
        if parcel.synchronous {
            self.expect_match(header.seq, None);
        }
        let mut idle = Idle::new(self.job.is_oversubscribed());
        let meanwhile = || {
            // A failure of MPI is reported by the send itself.
            let _ = self.progress();
            idle.pause();
        };
        self.job.connection.send(parcel.target, header, payload, meanwhile).map_err(transport_error)?;
        self.left(began, parcel);
        Ok(header.seq)
    }

    /// Records a sent message.
    fn left(&self, began: Time, parcel: Parcel) {
        let (to, bytes, tag) = (parcel.target as Rank, parcel.bytes, parcel.tag);
        self.note(began, |overhead| {
            let seq = self.local.borrow().record.messages_sent - 1;
            EventKind::Send { to, bytes, tag, seq, overhead }
        });
    }

    /// Returns the place in the program of its last call.
    pub(super) fn last_call(&self) -> Option<String> {
        self.place.get().map(Location::to_string)
    }

    /// Describes the call in which this rank waits, for reports.
    pub(super) fn blocked(&self) -> BlockedNode {
        let waiting = self.waiting.borrow();
        let waiting = waiting.as_ref().map(|(waiting, _)| waiting);
        let groups = self.groups.borrow();
        BlockedNode {
            rank: self.job.rank(),
            since: waiting.map_or_else(|| self.time(), |waiting| waiting.since),
            waits_for: Waiting::describe(waiting, |context| groups.contexts.name(context)),
            within: self.within.get(),
            last_call: self.last_call(),
        }
    }

    /// Describes the first messages that have arrived and that no receive has taken, for a deadlock report.
    pub(super) fn waiting_messages(&self) -> Vec<UnreceivedMessage> {
        let (groups, local) = (self.groups.borrow(), self.local.borrow());
        let to = self.job.rank() as NodeId;
        let arrived = local.matching.arrived().map(unreceived);
        let described = |(_, label, bytes)| groups.contexts.unreceived(to, label, bytes);
        arrived.filter_map(described).take(MAX_UNRECEIVED).collect()
    }
}

impl Shared for MpiNode<'_> {
    fn machine(&self) -> &MachineSpec {
        &self.machine
    }

    fn cache(&self) -> &Cache {
        &self.settings.cache
    }

    fn is_traced(&self) -> bool {
        false
    }

    fn context(&self, parent: Context, members: &[Rank], nth: u32, name: &dyn Fn() -> String) -> Context {
        let (context, strays) = self.groups.borrow_mut().of(parent, members, nth, name);
        let local = &mut *self.local.borrow_mut();
        for envelope in strays {
            local.take_in(envelope);
        }
        context
    }

    fn is_private(&self, context: Context) -> bool {
        self.groups.borrow().contexts.is_private(context)
    }
}

impl Carrier for MpiNode<'_> {
    fn agree(
        &self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call<'_>,
    ) -> Result<(), CommError> {
        let mut groups = self.groups.borrow_mut();
        let mut mismatch = groups.agree(context, nth, rank, call, self.place.get());
        if groups.contexts.is_of_splits(context) {
            let group = groups.digest(context);
            mismatch = groups.split_by(None, group, nth, call.digest());
            let next = (rank + 1) % size;
            let next = groups.contexts.members(context).map_or(next, |members| members[next]);
            let announcement =
                Header { context: group, nth, call: call.digest(), ..Header::new(Kind::Split) };
            self.job.connection.send_frame(next as NodeId, announcement, &[]).map_err(transport_error)?;
        }
        drop(groups);
        if mismatch.is_some() {
            self.mismatch.set(mismatch);
        }
        self.mismatch.take().map_or(Ok(()), |mismatch| Err(self.mismatch(mismatch)))
    }

    fn id(&self) -> NodeId {
        self.job.rank() as NodeId
    }

    fn shared(&self) -> &dyn Shared {
        self
    }

    fn local(&self) -> &RefCell<Local> {
        &self.local
    }

    fn time(&self) -> Time {
        Time::ZERO + Span::from_secs_f64((self.job.seconds() - self.epoch).max(0.0))
    }

    fn check_running(&self) -> Result<(), CommError> {
        self.calls.set(self.calls.get() + 1);
        if self.calls.get().is_multiple_of(CALLS) {
            self.progress()?;
            self.check_clock();
        }
        match self.ended() {
            None => Ok(()),
            Some(ended) => {
                count_call_after_end(&self.calls_after_end);
                Err(ended)
            }
        }
    }

    fn ended(&self) -> Option<CommError> {
        match *self.ended.borrow() {
            None => None,
            Some(Cause::Deadlock(_)) => Some(CommError::Deadlock),
            Some(_) => Some(CommError::Ended),
        }
    }

    fn deliver(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError> {
        let seq = self.hand_over(parcel, payload)?;
        if parcel.synchronous { self.wait_for_match(parcel, seq) } else { Ok(()) }
    }

    fn begin_delivery(
        &self,
        parcel: Parcel,
        payload: Payload,
        request: RequestId,
    ) -> Result<bool, CommError> {
        if parcel.target == Carrier::id(self) {
            self.deliver_to_self(parcel, payload, Some(request));
            return Ok(!parcel.synchronous);
        }
        let began = self.began();
        let header = self.header(parcel, &payload)?;
        if parcel.synchronous {
            self.expect_match(header.seq, Some(request));
        }
        let is_sent =
            self.job.connection.begin(parcel.target, header, payload, request).map_err(transport_error)?;
        self.left(began, parcel);
        if parcel.synchronous && !is_sent {
            self.still_leaves(request);
        }
        Ok(is_sent && !parcel.synchronous)
    }

    fn exchange(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError> {
        // A sender receives messages meanwhile, so two ranks that send to each other do not deadlock.
        let seq = self.hand_over(parcel, payload)?;
        let received = self.recv(select)?;
        if parcel.synchronous {
            self.wait_for_match(parcel, seq)?;
        }
        Ok(received)
    }

    fn is_rendezvous(&self, parcel: &Parcel) -> bool {
        parcel.synchronous
    }

    fn on_matched(&self, id: MessageId) {
        self.acknowledge(id);
    }

    fn carry_out(&self, _: NodeId, _: Effect) -> Result<Payload, CommError> {
        Err(CommError::NoSharedMemory)
    }

    fn drain(&self) -> Result<(), CommError> {
        while self.progress()? {}
        Ok(())
    }

    /// Polls briefly for the message, bypassing the matching lists, where ranks do not share cores and no other message is in progress.
    fn take_directly(&self, select: &Selector) -> Option<Envelope> {
        let (wanted, connection) = (select.source?, &self.job.connection);
        let context = {
            let groups = self.groups.borrow();
            // Messages of collective calls are excluded, because their calls must be compared.
            (groups.call_of(select.context) == (0, 0)).then(|| groups.digest(select.context))?
        };
        let is_wanted = |source: NodeId, header: &Header| {
            source == wanted
                && header.context == context
                && header.element == 0
                && select.tag.is_none_or(|tag| tag.0 == header.tag)
        };
        for _ in 0..if self.job.is_oversubscribed() { 1 } else { DIRECT_POLLS } {
            if !self.local.borrow().matching.is_empty() || !connection.is_idle() || !connection.is_empty() {
                return None;
            }
            // A failure of MPI is reported by the next call.
            if let Some((source, header, payload)) =
                connection.take_directly(is_wanted, |arrived| self.take(arrived)).ok()?
            {
                let label = Label { context: select.context, source, tag: Tag(header.tag) };
                let payload = payload.on_behalf_of(header.origin.checked_sub(1));
                let id = MessageId { source, seq: header.seq };
                self.note_awaited(id, &header);
                return Some(Envelope { id, label, payload });
            }
        }
        None
    }

    fn wait_until<T>(
        &self,
        awaited_event: impl Fn(&Local) -> AwaitedEvent,
        deadline: Time,
        mut take: impl FnMut(&mut Local) -> Option<T>,
    ) -> Result<Option<T>, CommError> {
        if let Some(mismatch) = self.mismatch.take() {
            return Err(self.mismatch(mismatch));
        }
        // A poll may yield the core to other ranks, so it is avoided if a result is available.
        if let Some(found) = take(&mut self.local.borrow_mut()) {
            return Ok(Some(found));
        }
        let mut idle = Idle::new(self.job.is_oversubscribed());
        let result = loop {
            let may_have_more = self.progress()?;
            if let Some(mismatch) = self.mismatch.take() {
                break Err(self.mismatch(mismatch));
            }
            if let Some(found) = take(&mut self.local.borrow_mut()) {
                break Ok(Some(found));
            }
            if let Some(ended) = self.ended() {
                break Err(ended);
            }
            if deadline != Time::MAX && self.time() >= deadline {
                break Ok(None);
            }
            if may_have_more {
                continue;
            }
            idle.pause();
            if idle.polls == SHORT {
                let awaited_event = awaited_event(&self.local.borrow());
                let waiting = Waiting { since: self.time(), awaited_event, unreceived: Vec::new() };
                *self.waiting.borrow_mut() = Some((waiting, deadline == Time::MAX));
            }
            if idle.polls.is_multiple_of(POLLS) {
                self.check_clock();
            }
        };
        if let Some((waiting, _)) = self.waiting.borrow_mut().take() {
            self.local.borrow_mut().record.waiting += self.time().since(waiting.since);
        }
        result
    }

    fn after_unsuccessful_poll(&self) {
        if self.job.is_oversubscribed() {
            std::thread::yield_now();
        }
    }

    fn synchronize(&self) -> Result<(), CommError> {
        let (since, awaited_event) = (self.time(), AwaitedEvent::Barrier);
        let waiting = Waiting { since, awaited_event, unreceived: Vec::new() };
        *self.waiting.borrow_mut() = Some((waiting, true));
        let control = &self.job.control;
        let meanwhile = || {
            let _ = self.progress();
            self.check_clock();
        };
        let result = self.job.complete_collective(|scope| control.ibarrier(scope), meanwhile);
        *self.waiting.borrow_mut() = None;
        result.map_err(transport_error)
    }

    fn note_place(&self, place: &'static Location<'static>) {
        self.place.set(Some(place));
    }

    fn set_within(&self, name: Option<&'static str>) {
        self.within.set(name);
    }
}
