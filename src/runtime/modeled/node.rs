//! The thread of a node. It makes the calls of the program, receives its [messages](incoming), and in real time [holds](boundary) the
//! program until its calls may return.

mod boundary;
mod failing;
mod incoming;
mod kernel_calls;
mod requests;

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet, VecDeque},
    panic::Location,
    sync::atomic::Ordering,
};

use crossbeam_channel::Receiver;

use self::boundary::TimeEffect;
use super::{
    compute_meter::{ComputeMeter, thread_number},
    lateness::LatenessStats,
    outbox::without_reply,
    world::{Delivery, Modeled, PendingEffect},
};
use crate::{
    endpoint::{Call, Claim, Effect, Endpoint, Envelope, First, Mark, Shared},
    error::CommError,
    kernel::{AnyOf, Op, Outcome, Reply},
    payload::Payload,
    rank::Rank,
    runtime::run_state::count_call_after_end,
    time::{Span, Time},
    wire::{Context, Label, Matching, MessageId, NodeId, Parcel, RequestId, Selector},
};

/// Returns the effect on time of a call that may wait or not: `Poll` if it returns without waiting (`at_once`).
fn poll_effect(at_once: bool) -> TimeEffect {
    if at_once { TimeEffect::Poll } else { TimeEffect::TakesTime }
}

/// The state of a request of the thread.
#[derive(Clone, Copy, Debug)]
enum Pending {
    /// A send; if `is_rendezvous`, it is complete only after a receive has taken the message.
    Send { is_rendezvous: bool },
    /// A remote memory access.
    Remote,
    /// A receive; `matched_by_kernel` if it was posted when only the kernel could match it.
    Recv { select: Selector, matched_by_kernel: bool },
}

#[derive(Debug, Default)]
struct Local {
    /// The number of messages sent so far.
    sent: u64,
    next_request: RequestId,
    pending: BTreeMap<RequestId, Pending>,
    /// The number of pending receives that only the kernel can match. While there are any, the kernel matches all receives, so that this
    /// thread takes no message that belongs to another receive.
    matched_by_kernel: u32,
    /// Unmatched messages, and posted receives that name their source.
    matching: Matching<Envelope, RequestId>,
    /// The messages taken by posted receives.
    received: BTreeMap<RequestId, Envelope>,
    /// The messages taken by receives that the program has dropped, as long as another receive may still take them instead.
    dropped: Vec<Envelope>,
    /// The arrived messages that this thread must not match, because receives are matched by the kernel at present or always.
    held: VecDeque<Envelope>,
    /// The messages that probes have set aside.
    claimed: BTreeMap<MessageId, Envelope>,
    /// What remote memory accesses have returned, by the messages that they sent.
    returned: BTreeMap<MessageId, Envelope>,
    answer: Option<Reply>,
    /// The sends whose requests the program has dropped without a wait.
    unwaited: Vec<Parcel>,
}

/// The thread of a node; see the [module](self).
#[derive(Debug)]
pub(in crate::runtime) struct NodeThread<'run> {
    id: NodeId,
    world: &'run Modeled,
    inbox: Receiver<Delivery>,
    local: RefCell<Local>,
    /// The node's clock at the return of the last call that waited for a reply.
    clock: Cell<Time>,
    /// Whether calls that take time have been made since `clock` was set.
    notified: Cell<bool>,
    /// The nesting depth of calls: a library call counts as [`boundary`]'s `LIBRARY_CALL`, another call as 1.
    depth: Cell<u32>,
    /// Whether the program has only polled without success since it last waited; real time only.
    polled: Cell<bool>,
    /// Whether the last call with a reply was a poll without success (the time query counts as one); `None` if there was no such call.
    unsuccessful_poll: Cell<Option<bool>>,
    /// Whether the program has made a call yet; real time only.
    called: Cell<bool>,
    lateness: Cell<LatenessStats>,
    /// The number of this thread, on a host that reports the CPU time of other threads.
    thread: Option<i32>,
    calls_after_end: Cell<u32>,
    /// The time at which this node died, if it is dead.
    died: Cell<Option<Time>>,
    /// The contexts whose members have been declared to the kernel; used only where calls may fail.
    declared_contexts: RefCell<BTreeSet<Context>>,
}

impl<'run> NodeThread<'run> {
    /// Creates the thread state of node `id`; must be called on the node's thread.
    pub(super) fn new(id: NodeId, world: &'run Modeled, inbox: Receiver<Delivery>) -> NodeThread<'run> {
        let thread = thread_number();
        if world.pacing.is_some() {
            world.mailboxes[id as usize].outbox.lock().meter = Some(ComputeMeter::start(thread));
        }
        // Before the first call of a node, only a death at 0 s can have made it dead.
        let is_dead = world.fallible && world.kernel.lock().is_dead(id as Rank);
        NodeThread {
            id,
            world,
            inbox,
            local: RefCell::default(),
            clock: Cell::new(Time::ZERO),
            notified: Cell::new(false),
            depth: Cell::new(0),
            polled: Cell::new(false),
            unsuccessful_poll: Cell::new(None),
            called: Cell::new(false),
            lateness: Cell::default(),
            thread,
            calls_after_end: Cell::new(0),
            died: Cell::new(is_dead.then_some(Time::ZERO)),
            declared_contexts: RefCell::default(),
        }
    }

    fn any_of(&self, wait: AnyOf) -> Result<(Time, Option<First>), CommError> {
        self.call(poll_effect(wait.deadline <= self.clock.get()), || {
            let ids = wait.requests.clone();
            let reply = self.query(Op::WaitAny(wait))?;
            match reply.outcome {
                Outcome::TimedOut => Ok((reply.clock, None)),
                Outcome::Completed { index, .. } => {
                    self.settle(ids[index]);
                    Ok((reply.clock, Some((index, Ok(self.maybe_received(reply)?)))))
                }
                Outcome::FailedAmong { index, cause } => {
                    self.settle(ids[index]);
                    Ok((reply.clock, Some((index, Err(self.failure(cause))))))
                }
                _ => Err(self.world.run_state.ended()),
            }
        })
    }

    /// Ends the node after the program has returned or failed.
    pub(super) fn end(&self, failed: bool) {
        self.enter(TimeEffect::TakesTime);
        self.push(without_reply(if failed { Op::Fail } else { Op::Finish }), 0);
        if failed || self.world.awaiting_replies.load(Ordering::Acquire) > 0 {
            self.world.drive(false);
        }
        self.world.retire();
    }

    /// Returns the sends whose requests the program has dropped without a wait.
    pub(super) fn unwaited(&self) -> Vec<Parcel> {
        std::mem::take(&mut self.local.borrow_mut().unwaited)
    }

    // Making calls.

    fn check_running(&self) -> Result<(), CommError> {
        if let Some(at) = self.died.get() {
            count_call_after_end(&self.calls_after_end);
            return Err(CommError::Died { at });
        }
        self.world.run_state.check_running(&self.calls_after_end)
    }
}

impl Endpoint for NodeThread<'_> {
    fn id(&self) -> NodeId {
        self.id
    }

    fn died(&self) -> Option<Time> {
        self.died.get()
    }

    fn shared(&self) -> &dyn Shared {
        &self.world.run_state
    }

    // Calls that send or receive.

    fn send(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError> {
        self.call(TimeEffect::TakesTime, || {
            let data = self.dispatch(parcel, payload)?;
            self.notify_send(Op::Send { parcel, request: None }, data, self.is_rendezvous(&parcel))
        })
    }

    fn isend(&self, parcel: Parcel, payload: Payload) -> Result<RequestId, CommError> {
        self.call(TimeEffect::TakesTime, || {
            let data = self.dispatch(parcel, payload)?;
            let request = self.new_request(Pending::Send { is_rendezvous: self.is_rendezvous(&parcel) });
            self.notify_send(Op::Send { parcel, request: Some(request) }, data, false)?;
            Ok(request)
        })
    }

    fn recv(&self, select: Selector) -> Result<Envelope, CommError> {
        self.call(TimeEffect::TakesTime, || {
            self.declare_context(select.context);
            let op = Op::Recv { select, request: None };
            if self.kernel_decides(&select) {
                let reply = self.query(op)?;
                return self.received(reply);
            }
            self.notify(op)?;
            self.take_data(&select)
        })
    }

    fn recv_until(&self, select: Selector, deadline: Time) -> Result<Option<Envelope>, CommError> {
        self.call(poll_effect(deadline <= self.clock.get()), || {
            self.declare_context(select.context);
            let reply = self.query(Op::RecvUntil { select, deadline })?;
            match reply.outcome {
                Outcome::TimedOut => Ok(None),
                _ => self.received(reply).map(Some),
            }
        })
    }

    fn send_recv(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError> {
        self.call(TimeEffect::TakesTime, || {
            let data = self.dispatch(parcel, payload)?;
            let op = Op::SendRecv { parcel, select };
            if self.kernel_decides(&select) || self.is_rendezvous(&parcel) {
                let reply = self.query(op)?;
                return self.received(reply);
            }
            self.notify_send(op, data, false)?;
            self.take_data(&select)
        })
    }

    fn irecv(&self, select: Selector) -> Result<RequestId, CommError> {
        self.call(TimeEffect::ZeroTime, || {
            self.declare_context(select.context);
            self.drain();
            let matched_by_kernel = self.matches_by_time(&select);
            let request = self.new_request(Pending::Recv { select, matched_by_kernel });
            {
                let local = &mut *self.local.borrow_mut();
                if matched_by_kernel {
                    local.matched_by_kernel += 1;
                } else if let Some(envelope) = local.matching.take(&select) {
                    local.received.insert(request, envelope);
                } else {
                    local.matching.post(select, request);
                }
            }
            self.notify_zero_time(Op::Recv { select, request: Some(request) })?;
            Ok(request)
        })
    }

    fn remote(&self, parcel: Parcel, back: Option<u64>, effect: Effect) -> Result<RequestId, CommError> {
        self.call(TimeEffect::TakesTime, || {
            self.check_running()?;
            self.declare_context(parcel.context);
            let id = self.next_message();
            let Parcel { context, tag, target, bytes, .. } = parcel;
            let label = back.map(|_| Label { context, source: target, tag });
            let mailbox = &self.world.mailboxes[self.id as usize];
            mailbox.effects.lock().insert(id.seq, PendingEffect { effect, label });
            let request = self.new_request(Pending::Remote);
            self.notify_send(Op::Remote { parcel, back, request }, bytes, false)?;
            Ok(request)
        })
    }

    fn wait(&self, request: RequestId) -> Result<Option<Envelope>, CommError> {
        self.call(TimeEffect::TakesTime, || {
            let pending = self.local.borrow().pending.get(&request).copied();
            let op = Op::Wait { request };
            match pending {
                Some(Pending::Recv { select, .. }) if self.kernel_decides(&select) => {
                    let envelope = self.query(op).and_then(|reply| self.received(reply));
                    self.settle(request);
                    envelope.map(Some)
                }
                Some(Pending::Recv { select, .. }) => {
                    self.notify(op)?;
                    let data = self.wait_for_data(&select, |local| local.received.remove(&request))?;
                    self.settle(request);
                    Ok(Some(data))
                }
                // A look, so that afterwards the program sees all accesses to its memory up to its clock.
                Some(Pending::Remote) => {
                    self.settle(request);
                    let (requests, deadline) = ([request].into(), Time::MAX);
                    let reply = self.query(Op::WaitAny(AnyOf { requests, deadline, computing: false }))?;
                    match reply.outcome {
                        Outcome::FailedAmong { cause, .. } => Err(self.failure(cause)),
                        _ => self.maybe_received(reply),
                    }
                }
                _ => {
                    self.settle(request);
                    let may_hang = matches!(pending, Some(Pending::Send { is_rendezvous: true }));
                    self.notify_send(op, 0, may_hang).map(|()| None)
                }
            }
        })
    }

    fn wait_any_until(
        &self,
        requests: Box<[RequestId]>,
        deadline: Time,
    ) -> Result<(Time, Option<First>), CommError> {
        self.any_of(AnyOf { requests, deadline, computing: false })
    }

    fn compute_until(
        &self,
        deadline: Time,
        request: RequestId,
    ) -> Result<(Time, Option<(Envelope, Span)>), CommError> {
        let wait = AnyOf { requests: [request].into(), deadline, computing: true };
        self.call(poll_effect(deadline <= self.clock.get()), || {
            let reply = self.query(Op::WaitAny(wait))?;
            match reply.outcome {
                Outcome::TimedOut => Ok((reply.clock, None)),
                Outcome::Interrupted { computed, .. } => {
                    self.settle(request);
                    Ok((reply.clock, self.maybe_received(reply)?.map(|envelope| (envelope, computed))))
                }
                Outcome::FailedAmong { cause, .. } => Err(self.failure(cause)),
                _ => Err(self.world.run_state.ended()),
            }
        })
    }

    fn test(&self, request: RequestId, is_poll: bool) -> Result<(Time, Option<Option<Envelope>>), CommError> {
        self.call(if is_poll { TimeEffect::Poll } else { TimeEffect::ZeroTime }, || {
            let reply = self.query(Op::Test { request })?;
            match reply.outcome {
                Outcome::Completed { .. } => {
                    self.settle(request);
                    Ok((reply.clock, Some(self.maybe_received(reply)?)))
                }
                _ => Ok((reply.clock, None)),
            }
        })
    }

    fn forget(&self, request: RequestId, unwaited: Option<Parcel>) {
        if self.local.borrow().pending.contains_key(&request) {
            // An error means that the run has ended or the node is dead: the kernel no longer needs this call, and the program could not
            // have waited.
            let forgotten = self.call(TimeEffect::ZeroTime, || self.notify_zero_time(Op::Forget { request }));
            let local = &mut *self.local.borrow_mut();
            local.pending.remove(&request);
            if let Some(envelope) = local.received.remove(&request) {
                local.drop_message(request, envelope);
            }
            local.unwaited.extend(unwaited.filter(|_| forgotten.is_ok()));
        }
    }

    fn withdraw(&self, request: RequestId) {
        if self.is_receive(request) {
            // The kernel knows which other receives the messages are matched with now.
            self.local.borrow_mut().match_by_kernel(request);
            let op = Op::Withdraw { request, unless_matched: false };
            // An error means that the run has ended, and the kernel no longer needs this call.
            let _ = self.call(TimeEffect::ZeroTime, || self.notify_zero_time(op));
            self.settle(request);
        }
    }

    fn cancel(&self, request: RequestId) -> Result<bool, CommError> {
        self.call(TimeEffect::ZeroTime, || {
            if !self.is_receive(request) {
                return self.check_running().map(|()| false);
            }
            let reply = self.query(Op::Withdraw { request, unless_matched: true })?;
            let is_withdrawn = reply.outcome == Outcome::Withdrawn;
            if is_withdrawn {
                // The receive may have taken data that arrives later in modeled time.
                self.local.borrow_mut().match_by_kernel(request);
                self.settle(request);
            }
            Ok(is_withdrawn)
        })
    }

    fn probe(&self, select: Selector, blocking: bool) -> Result<Option<(Label, u64)>, CommError> {
        self.call(poll_effect(!blocking), || {
            self.declare_context(select.context);
            let reply = self.query(Op::Probe { select, blocking, claims: false })?;
            match reply.outcome {
                Outcome::Found { label, bytes } => Ok(Some((label, bytes))),
                _ => Ok(None),
            }
        })
    }

    fn probe_claim(
        &self,
        select: Selector,
        blocking: bool,
    ) -> Result<Option<(Label, u64, Claim)>, CommError> {
        self.call(poll_effect(!blocking), || {
            self.declare_context(select.context);
            let reply = self.query(Op::Probe { select, blocking, claims: true })?;
            let Outcome::Claimed { id, label, bytes } = reply.outcome else { return Ok(None) };
            let envelope = self.take_message(id);
            self.local.borrow_mut().claimed.extend(envelope.map(|envelope| (id, envelope)));
            Ok(Some((label, bytes, Claim::of(id))))
        })
    }

    fn recv_claimed(&self, claim: Claim) -> Result<Envelope, CommError> {
        self.call(TimeEffect::TakesTime, || {
            self.notify(Op::RecvClaimed { message: claim.message(), request: None })?;
            self.take_claimed(&claim)
        })
    }

    fn irecv_claimed(&self, claim: Claim) -> Result<RequestId, CommError> {
        self.call(TimeEffect::ZeroTime, || {
            let envelope = self.take_claimed(&claim)?;
            let Label { context, source, tag } = envelope.label;
            let select = Selector { context, source: Some(source), tag: Some(tag) };
            let request = self.new_request(Pending::Recv { select, matched_by_kernel: false });
            self.local.borrow_mut().received.insert(request, envelope);
            self.notify_zero_time(Op::RecvClaimed { message: claim.message(), request: Some(request) })?;
            Ok(request)
        })
    }

    // Other calls.

    fn now(&self) -> Result<Time, CommError> {
        self.call(TimeEffect::Poll, || Ok(self.query(Op::Now)?.clock))
    }

    fn compute(&self, span: Span) -> Result<(), CommError> {
        self.call(TimeEffect::TakesTime, || self.notify(Op::Compute { span }))
    }

    fn charge(&self, span: Span) -> Result<(), CommError> {
        self.call(TimeEffect::TakesTime, || self.notify(Op::Charge { span }))
    }

    fn agree(
        &self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call<'_>,
    ) -> Result<(), CommError> {
        let run_state = &self.world.run_state;
        let place = run_state.place(self.id as Rank);
        run_state.agreements.lock().arrive(context, nth, size, rank, call, place);
        let op = Op::Agree { context, nth, size, rank, digest: call.digest() };
        self.call(TimeEffect::ZeroTime, || self.notify_zero_time(op))
    }

    fn barrier(&self) -> Result<(), CommError> {
        self.call(TimeEffect::TakesTime, || self.query(Op::Barrier).map(drop))
    }

    fn mark(&self, mark: Mark) -> Result<(), CommError> {
        let op = match mark {
            Mark::PhaseBegin(name) => Op::PhaseBegin { name },
            Mark::PhaseEnd(name) => Op::PhaseEnd { name },
            Mark::PartBegin(part) => Op::PartBegin { part },
            Mark::PartEnd => Op::PartEnd,
            Mark::Holds(change) => Op::Holds { change },
        };
        self.call(TimeEffect::ZeroTime, || self.notify_zero_time(op))
    }

    fn move_here(&self) {
        self.world.run_state.slot(self.id).parker.set_owner();
    }

    fn set_place(&self, place: &'static Location<'static>) {
        if self.depth.get() == 0 {
            self.world.run_state.slot(self.id).place.store(Some(place));
        }
    }

    fn enter(&self, name: &'static str) {
        self.enter_library(name);
    }

    fn leave(&self) -> Result<(), CommError> {
        self.leave_library()
    }
}
