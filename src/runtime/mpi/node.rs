//! A rank as a node of a run: how it hands messages to others, takes theirs in, and waits.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use ferrompi::Error;

use super::{
    Settings,
    frame::{Header, Kind},
    groups::{Difference, Groups},
    idle::Idle,
    inquiry::Inquiry,
    job::Job,
    line::Arrived,
};
use crate::{
    endpoint::{Cache, Call, Endpoint, Envelope, Shared},
    error::{CommError, DeadlockReport},
    kernel::BlockedNode,
    model::Description,
    payload::{ElementType, Payload},
    rank::{Rank, Tag},
    record::EventKind,
    runtime::{
        carrier::Carrier,
        crew::{Fault, count_call_after_end},
        local::Local,
        waiting::{Waiting, WhatFor},
    },
    time::{Span, Time},
    wire::{Context, Label, MessageId, NodeId, Parcel, RequestId, Selector},
};

/// The number of looks in vain after which a wait is one that reports know of.
const SHORT: u32 = 64;

/// The number of looks between two at the clock.
const LOOKS: u32 = 256;

/// The time for which an answer is waited for that only makes an error clearer.
const COURTESY: Duration = Duration::from_secs(1);

/// The reason why a run ends early, as this rank knows it.
#[derive(Debug)]
pub(super) enum Cause {
    /// This rank's program failed.
    Fault(Fault),
    Deadlock(DeadlockReport),
    WallLimit(Vec<BlockedNode>),
    /// Another rank says so.
    Told,
}

/// This rank in a run; see the [module](self).
#[derive(Debug)]
pub(super) struct MpiNode<'j> {
    pub(super) job: &'j Job,
    pub(super) settings: &'j Settings,
    machine: Description,
    pub(super) local: RefCell<Local>,
    pub(super) groups: RefCell<Groups>,
    /// The second of MPI's clock at which all programs began.
    epoch: f64,
    /// The calls that the program has made.
    pub(super) calls: Cell<u64>,
    calls_after_end: Cell<u32>,
    pub(super) ended: RefCell<Option<Cause>>,
    /// The event that the program waits for, if it has for more than a moment, and whether it has no deadline.
    pub(super) waiting: RefCell<Option<(Waiting, bool)>>,
    pub(super) within: Cell<Option<&'static str>>,
    pub(super) has_returned: Cell<bool>,
    pub(super) inquiry: RefCell<Inquiry>,
    difference: Cell<Option<Difference>>,
    /// The call of the rank that makes another one, as it tells it.
    told: RefCell<Option<(Rank, String)>>,
    /// The element types that this rank has named to others, and those that others have named.
    named: RefCell<BTreeSet<(NodeId, u64)>>,
    types: RefCell<BTreeMap<u64, ElementType>>,
}

impl<'j> MpiNode<'j> {
    pub(super) fn new(
        job: &'j Job,
        machine: &Description,
        settings: &'j Settings,
        epoch: f64,
    ) -> MpiNode<'j> {
        let (local, groups, calls, calls_after_end, ended, waiting, within, has_returned) =
            Default::default();
        let (inquiry, difference, told, named, types) = Default::default();
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
            has_returned,
            inquiry,
            difference,
            told,
            named,
            types,
        }
    }

    pub(super) fn is_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }

    /// Ends the run for all ranks; the first cause counts.
    pub(super) fn stop(&self, cause: Cause) {
        if self.is_ended() {
            return;
        }
        *self.ended.borrow_mut() = Some(cause);
        for other in (0..self.job.size()).filter(|&other| other != self.job.rank()) {
            // A rank that cannot be told finds out that this one is gone.
            let _ = self.job.line.send_frame(other as NodeId, Header::new(Kind::End), &[]);
        }
    }

    /// Looks once for what has come or left; returns whether there may be more.
    pub(super) fn progress(&self) -> Result<bool, CommError> {
        let arrived = |arrived| self.take(arrived);
        let left = |request| self.local.borrow_mut().sent(request);
        self.job.line.poll(arrived, left).map_err(|error| CommError::Transport(error.to_string()))
    }

    /// Takes something in that has come.
    fn take(&self, (source, header, payload): Arrived) -> Result<(), Error> {
        match header.kind() {
            Some(Kind::Short | Kind::Long) => self.take_message(source, header, payload),
            Some(Kind::Type) => {
                let name = payload.to_bytes().unwrap_or_default();
                let foreign = || {
                    ElementType::foreign(header.element, &String::from_utf8_lossy(&name), header.seq as usize)
                };
                self.types.borrow_mut().entry(header.element).or_insert_with(foreign);
            }
            Some(Kind::Ask) => self.tell_state(source, header)?,
            Some(Kind::State) => {
                let state = payload.to_bytes().unwrap_or_default();
                self.inquiry.borrow_mut().take(source, header.nth, &state);
            }
            Some(Kind::AskCall) => {
                let groups = self.groups.borrow();
                let context = groups.known(header.context);
                let made = context.and_then(|context| groups.made(context));
                if let Some(made) = made.filter(|made| made.nth == header.nth) {
                    let header = Header { tag: made.rank as u32, ..header }.of_kind(Kind::Call);
                    let text = made.text.as_bytes();
                    self.job.line.send_frame(source, header, &text[..text.len().min(1000)])?;
                }
            }
            Some(Kind::Call) => {
                let text = payload.to_bytes().unwrap_or_default();
                let text = String::from_utf8_lossy(&text).into_owned();
                *self.told.borrow_mut() = Some((header.tag as Rank, text));
            }
            Some(Kind::End) => {
                self.ended.borrow_mut().get_or_insert(Cause::Told);
            }
            Some(Kind::More | Kind::Nothing) | None => {}
        }
        Ok(())
    }

    /// Takes a message of a program in.
    fn take_message(&self, source: NodeId, header: Header, payload: Payload) {
        let element = self.types.borrow().get(&header.element).copied();
        let payload = payload.typed(element).on_behalf_of(header.origin.checked_sub(1));
        let id = MessageId { source, seq: header.seq };
        let groups = &mut *self.groups.borrow_mut();
        let label = |context| Label { context, source, tag: Tag(header.tag) };
        let Some(context) = groups.known(header.context) else {
            let stray = Envelope { id, label: label(Context::MAX), payload };
            groups.strays.entry(header.context).or_default().push(stray);
            return;
        };
        if header.call != 0
            && let Some(difference) = groups.compare(source, context, header.nth, header.call)
        {
            self.difference.set(Some(difference));
        }
        self.local.borrow_mut().take_in(Envelope { id, label: label(context), payload });
    }

    /// The error of a collective call of which another rank makes a different one.
    fn mismatch(&self, Difference { source, context, nth }: Difference) -> CommError {
        let (group, rank, call, members, digest) = {
            let groups = self.groups.borrow();
            let Some(made) = groups.made(context) else { return CommError::Ended };
            let members = groups.contexts.members(context);
            (groups.contexts.name(context), made.rank, made.text.clone(), members, groups.digest(context))
        };
        let ask = Header { context: digest, nth, ..Header::new(Kind::AskCall) };
        let began = self.job.seconds();
        if self.job.line.send_frame(source, ask, &[]).is_ok() {
            while self.told.borrow().is_none()
                && self.job.seconds() - began < COURTESY.as_secs_f64()
                && self.progress().is_ok()
            {
                std::thread::yield_now();
            }
        }
        let told = self.told.borrow_mut().take();
        let by_members = || {
            members
                .and_then(|all| all.iter().position(|&node| node == source as Rank))
                .unwrap_or(source as Rank)
        };
        let (other, other_call) = told.unwrap_or_else(|| (by_members(), "another call".into()));
        let other_call = if other_call == call { format!("{call} with other arguments") } else { other_call };
        CommError::Mismatch { group, rank, call, other, other_call }
    }

    /// The header of a message.
    fn header(&self, parcel: Parcel, payload: &Payload) -> Result<Header, CommError> {
        let element = payload.element();
        let digest = element.map_or(0, ElementType::digest);
        if let Some(element) = element
            && self.named.borrow_mut().insert((parcel.target, digest))
        {
            let header = Header { element: digest, seq: element.size() as u64, ..Header::new(Kind::Type) };
            let name = element.name().as_bytes();
            let name = &name[..name.len().min(1000)];
            self.job
                .line
                .send_frame(parcel.target, header, name)
                .map_err(|error| CommError::Transport(error.to_string()))?;
        }
        let groups = self.groups.borrow();
        let (nth, call) = groups.call_of(parcel.context);
        Ok(Header {
            tag: parcel.tag.0,
            context: groups.digest(parcel.context),
            element: digest,
            call,
            nth,
            seq: self.count_sent(parcel.bytes),
            origin: payload.origin().map_or(0, |origin| origin + 1),
            ..Header::default()
        })
    }

    /// Takes in a message of this rank to itself, which needs no library.
    fn keep(&self, parcel: Parcel, payload: Payload) {
        let label = Label { context: parcel.context, source: self.job.rank() as NodeId, tag: parcel.tag };
        let id = MessageId { source: label.source, seq: self.count_sent(parcel.bytes) };
        self.local.borrow_mut().take_in(Envelope { id, label, payload });
    }

    /// Notes a message that has left.
    fn left(&self, began: Time, parcel: Parcel) {
        let (to, bytes, tag) = (parcel.target as Rank, parcel.bytes, parcel.tag);
        self.note(began, |overhead| {
            let seq = self.local.borrow().record.messages_sent - 1;
            EventKind::Send { to, bytes, tag, seq, overhead }
        });
    }

    /// What this rank waits for, as reports tell it.
    pub(super) fn blocked(&self) -> BlockedNode {
        let waiting = self.waiting.borrow();
        let waiting = waiting.as_ref().map(|(waiting, _)| waiting);
        let groups = self.groups.borrow();
        BlockedNode {
            rank: self.job.rank(),
            since: waiting.map_or_else(|| self.time(), |waiting| waiting.since),
            waits_for: Waiting::told(waiting, |context| groups.contexts.name(context)),
            within: self.within.get(),
        }
    }
}

impl Shared for MpiNode<'_> {
    fn machine(&self) -> &Description {
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

    fn agree(
        &self,
        context: Context,
        nth: u64,
        _: usize,
        rank: Rank,
        call: &Call<'_>,
    ) -> Result<(), (Rank, String)> {
        if let Some(difference) = self.groups.borrow_mut().agree(context, nth, rank, call) {
            self.difference.set(Some(difference));
        }
        match self.difference.take().map(|difference| self.mismatch(difference)) {
            Some(CommError::Mismatch { other, other_call, .. }) => Err((other, other_call)),
            _ => Ok(()),
        }
    }
}

impl Carrier for MpiNode<'_> {
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
        if parcel.target == Carrier::id(self) {
            self.keep(parcel, payload);
            return Ok(());
        }
        let began = self.began();
        let header = self.header(parcel, &payload)?;
        let mut idle = Idle::new(self.job.is_crowded());
        let meanwhile = || {
            // A failure of MPI shows in the send itself.
            let _ = self.progress();
            idle.turn();
        };
        let sent = self.job.line.send(parcel.target, header, payload, meanwhile);
        sent.map_err(|error| CommError::Transport(error.to_string()))?;
        self.left(began, parcel);
        Ok(())
    }

    fn begin_delivery(
        &self,
        parcel: Parcel,
        payload: Payload,
        request: RequestId,
    ) -> Result<bool, CommError> {
        if parcel.target == Carrier::id(self) {
            self.keep(parcel, payload);
            return Ok(true);
        }
        let began = self.began();
        let header = self.header(parcel, &payload)?;
        let sent = self.job.line.begin(parcel.target, header, payload, request);
        let is_sent = sent.map_err(|error| CommError::Transport(error.to_string()))?;
        self.left(began, parcel);
        Ok(is_sent)
    }

    fn exchange(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError> {
        // Whoever sends takes in meanwhile, so neither of two that send to each other waits for the other's receive.
        self.deliver(parcel, payload)?;
        self.recv(select)
    }

    fn drain(&self) -> Result<(), CommError> {
        while self.progress()? {}
        Ok(())
    }

    fn take_directly(&self, _: &Selector) -> Option<Envelope> {
        None
    }

    fn wait_until<T>(
        &self,
        what_for: impl Fn(&Local) -> WhatFor,
        deadline: Time,
        mut take: impl FnMut(&mut Local) -> Option<T>,
    ) -> Result<Option<T>, CommError> {
        let mut idle = Idle::new(self.job.is_crowded());
        let result = loop {
            let may_have_more = self.progress()?;
            if let Some(difference) = self.difference.take() {
                break Err(self.mismatch(difference));
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
            idle.turn();
            if idle.looks == SHORT {
                let what_for = what_for(&self.local.borrow());
                let waiting = Waiting { since: self.time(), what_for };
                *self.waiting.borrow_mut() = Some((waiting, deadline == Time::MAX));
            }
            if idle.looks.is_multiple_of(LOOKS) {
                self.mind();
            }
        };
        if let Some((waiting, _)) = self.waiting.borrow_mut().take() {
            self.local.borrow_mut().record.waiting += self.time().since(waiting.since);
        }
        result
    }

    fn in_vain(&self) {
        if self.job.is_crowded() {
            std::thread::yield_now();
        }
    }

    fn meet(&self) -> Result<(), CommError> {
        let waiting = Waiting { since: self.time(), what_for: WhatFor::Barrier };
        *self.waiting.borrow_mut() = Some((waiting, true));
        let control = &self.job.control;
        let meanwhile = || {
            let _ = self.progress();
            self.mind();
        };
        let met = self.job.together(|scope| control.ibarrier(scope), meanwhile);
        *self.waiting.borrow_mut() = None;
        met.map_err(|error| CommError::Transport(error.to_string()))
    }

    fn set_within(&self, name: Option<&'static str>) {
        self.within.set(name);
    }
}

/// Settings of a run over MPI.
impl Default for Settings {
    fn default() -> Settings {
        Settings { wall_limit: None, patience: Duration::from_secs(5), cache: Arc::default() }
    }
}
