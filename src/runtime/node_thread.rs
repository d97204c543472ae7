//! A node's side of the run: its thread makes calls here, and its messages [come in](incoming) here.

mod incoming;

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, VecDeque},
    sync::atomic::Ordering,
    time::Duration,
};

use crossbeam_channel::Receiver;

use super::{
    agreement::Agreements,
    bell::FOR_THE_KERNEL,
    moment::{Moment, cpu_time},
    shared::{Contexts, Delivery, Envelope, Pace, Shared, silent, unwind_silently},
    virtual_time::{MOST_BYTES, MOST_CALLS},
};
use crate::{
    comm::{Memo, Payload, Segment},
    error::CommError,
    kernel::{Call, Label, Matching, MessageId, NodeId, Op, Outcome, Parcel, Reply, RequestId, Selector},
    model::Description,
    time::{Span, Time},
};

/// So many calls may be made after the run has ended before the program is unwound.
const MOST_CALLS_AFTER_END: u32 = 1_000;

/// What the thread knows of a request of its own.
#[derive(Clone, Copy, Debug)]
enum Pending {
    Send,
    /// `by_kernel`: it was posted when only the kernel could match.
    Recv {
        select: Selector,
        by_kernel: bool,
    },
}

#[derive(Debug, Default)]
struct Local {
    /// Messages sent so far.
    sent: u64,
    next_request: RequestId,
    pending: BTreeMap<RequestId, Pending>,
    /// Receives among them that only the kernel can match. While there are some, it matches all others too, so that
    /// none takes here what is theirs there.
    by_kernel: u32,
    /// Messages and the receives that name their source.
    matching: Matching<Envelope, RequestId>,
    /// What such receives have taken.
    received: BTreeMap<RequestId, Envelope>,
    /// Messages that only the kernel can match, for now or at all.
    held: VecDeque<Envelope>,
    answer: Option<Reply>,
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct NodeThread<'run> {
    id: NodeId,
    shared: &'run Shared,
    inbox: Receiver<Delivery>,
    local: RefCell<Local>,
    /// When the last call returned; real time only.
    resumed: Cell<Moment>,
    /// Whether the program has made a call yet; real time only.
    called: Cell<bool>,
    calls_after_end: Cell<u32>,
}

impl<'run> NodeThread<'run> {
    /// The side of node `id`, to be made on its thread.
    pub(super) fn new(id: NodeId, shared: &'run Shared, inbox: Receiver<Delivery>) -> NodeThread<'run> {
        shared.seats[id as usize].bell.own();
        NodeThread {
            id,
            shared,
            inbox,
            local: RefCell::default(),
            resumed: Cell::new(Moment::now()),
            called: Cell::new(false),
            calls_after_end: Cell::new(0),
        }
    }

    pub(crate) fn id(&self) -> NodeId {
        self.id
    }

    pub(crate) fn machine(&self) -> &'run Description {
        &self.shared.machine
    }

    pub(crate) fn memo(&self) -> &'run Memo {
        &self.shared.memo
    }

    pub(crate) fn with_agreements<T>(&self, f: impl FnOnce(&mut Agreements) -> T) -> T {
        f(&mut self.shared.agreements.lock())
    }

    /// Does something that does not count as work of the program: in real time it takes no modeled time.
    pub(crate) fn off_the_clock<T>(&self, work: impl FnOnce() -> T) -> T {
        let (before, resumed) = (Moment::now(), self.resumed.get());
        let done = work();
        let after = Moment::now();
        self.resumed.set(Moment {
            wall: resumed.wall + (after.wall - before.wall),
            cpu: resumed.cpu + after.cpu.saturating_sub(before.cpu),
        });
        done
    }

    pub(crate) fn with_contexts<T>(&self, f: impl FnOnce(&mut Contexts) -> T) -> T {
        f(&mut self.shared.contexts.lock())
    }

    // Calls that send or receive.

    pub(crate) fn send(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError> {
        let data = self.dispatch(parcel, payload)?;
        self.tell_sending(Op::Send { parcel, request: None }, data)
    }

    pub(crate) fn isend(&self, parcel: Parcel, payload: Payload) -> Result<RequestId, CommError> {
        let data = self.dispatch(parcel, payload)?;
        let request = self.new_request(Pending::Send);
        self.tell_sending(Op::Send { parcel, request: Some(request) }, data)?;
        Ok(request)
    }

    pub(crate) fn recv(&self, select: Selector) -> Result<Envelope, CommError> {
        let op = Op::Recv { select, request: None };
        if self.kernel_decides(&select) {
            let reply = self.ask(op)?;
            return self.received(reply);
        }
        self.tell(op)?;
        self.take_data(&select)
    }

    /// `None` if the deadline passed.
    pub(crate) fn recv_until(&self, select: Selector, deadline: Time) -> Result<Option<Envelope>, CommError> {
        let reply = self.ask(Op::RecvUntil { select, deadline })?;
        match reply.outcome {
            Outcome::TimedOut => Ok(None),
            _ => self.received(reply).map(Some),
        }
    }

    pub(crate) fn send_recv(
        &self,
        parcel: Parcel,
        payload: Payload,
        select: Selector,
    ) -> Result<Envelope, CommError> {
        let data = self.dispatch(parcel, payload)?;
        let op = Op::SendRecv { parcel, select };
        if self.kernel_decides(&select) {
            let reply = self.ask(op)?;
            return self.received(reply);
        }
        self.tell_sending(op, data)?;
        self.take_data(&select)
    }

    pub(crate) fn irecv(&self, select: Selector) -> Result<RequestId, CommError> {
        self.drain();
        let by_kernel = self.kernel_decides(&select);
        let request = self.new_request(Pending::Recv { select, by_kernel });
        {
            let local = &mut *self.local.borrow_mut();
            if by_kernel {
                local.by_kernel += 1;
            } else if let Some(envelope) = local.matching.take(&select) {
                local.received.insert(request, envelope);
            } else {
                local.matching.post(select, request);
            }
        }
        self.tell(Op::Recv { select, request: Some(request) })?;
        Ok(request)
    }

    /// The message of a receive; `None` for a send.
    pub(crate) fn wait(&self, request: RequestId) -> Result<Option<Envelope>, CommError> {
        let pending = self.local.borrow().pending.get(&request).copied();
        let op = Op::Wait { request };
        match pending {
            Some(Pending::Recv { select, .. }) if self.kernel_decides(&select) => {
                let reply = self.ask(op)?;
                self.settle(request);
                self.received(reply).map(Some)
            }
            Some(Pending::Recv { select, .. }) => {
                self.tell(op)?;
                let data = self.wait_for_data(&select, |local| local.received.remove(&request))?;
                self.settle(request);
                Ok(Some(data))
            }
            _ => {
                self.settle(request);
                self.tell(op).map(|()| None)
            }
        }
    }

    /// Which of the requests was complete first, and its message if it was a receive.
    pub(crate) fn wait_any(
        &self,
        requests: Box<[RequestId]>,
    ) -> Result<(usize, Option<Envelope>), CommError> {
        let ids = requests.clone();
        let reply = self.ask(Op::WaitAny { requests })?;
        let Outcome::Completed { index, .. } = reply.outcome else { return Err(self.shared.ended()) };
        self.settle(ids[index]);
        Ok((index, self.maybe_received(reply)?))
    }

    /// `None` if the request is not complete.
    pub(crate) fn test(&self, request: RequestId) -> Result<Option<Option<Envelope>>, CommError> {
        let reply = self.ask(Op::Test { request })?;
        match reply.outcome {
            Outcome::Completed { .. } => {
                self.settle(request);
                self.maybe_received(reply).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Nobody will wait for this request any more. A receive stays posted, here and with the kernel, and what it
    /// takes is lost to the program.
    pub(crate) fn forget(&self, request: RequestId) {
        if self.local.borrow().pending.contains_key(&request) {
            // After the end of the run there is nobody to tell.
            let _ = self.tell(Op::Forget { request });
            let local = &mut *self.local.borrow_mut();
            local.pending.remove(&request);
            local.received.remove(&request);
        }
    }

    /// Label and length of a message that could be received.
    pub(crate) fn probe(&self, select: Selector, blocking: bool) -> Result<Option<(Label, u64)>, CommError> {
        let reply = self.ask(Op::Probe { select, blocking })?;
        match reply.outcome {
            Outcome::Found { label, bytes } => Ok(Some((label, bytes))),
            _ => Ok(None),
        }
    }

    // Calls that do not.

    pub(crate) fn now(&self) -> Result<Time, CommError> {
        Ok(self.ask(Op::Sync)?.clock)
    }

    pub(crate) fn compute(&self, span: Span) -> Result<(), CommError> {
        self.tell(Op::Compute { span })
    }

    pub(crate) fn barrier(&self) -> Result<(), CommError> {
        self.ask(Op::Barrier).map(drop)
    }

    pub(crate) fn phase(&self, op: Op) -> Result<(), CommError> {
        self.tell(op)
    }

    /// The program has returned or failed.
    pub(super) fn end(&self, failed: bool) {
        let op = if failed { Op::Fail } else { Op::Finish };
        match self.shared.pace {
            Pace::Virtual => {
                self.push(silent(op), 0);
                if failed || self.shared.longing.load(Ordering::Acquire) > 0 {
                    self.shared.drive(false);
                }
                self.shared.retire();
            }
            Pace::Real(_) => {
                let computed = self.computed(&op);
                self.call_in_real_time(op, computed);
                self.shared.retire_in_real_time();
            }
        }
    }

    // How calls are made.

    fn new_request(&self, pending: Pending) -> RequestId {
        let local = &mut *self.local.borrow_mut();
        let request = local.next_request;
        local.next_request = request.wrapping_add(1);
        local.pending.insert(request, pending);
        request
    }

    /// A request has been waited for.
    fn settle(&self, request: RequestId) {
        let local = &mut *self.local.borrow_mut();
        match local.pending.remove(&request) {
            Some(Pending::Recv { by_kernel: true, .. }) => local.by_kernel -= 1,
            Some(Pending::Recv { .. }) => {
                local.matching.withdraw(&request);
            }
            _ => {}
        }
    }

    /// Whether modeled time has a say in what a receive takes. If not, the data decides alone: messages from one
    /// sender come in the order in which they were sent, in the channel as in the network.
    fn kernel_decides(&self, select: &Selector) -> bool {
        self.shared.pace != Pace::Virtual || select.is_wild() || self.local.borrow().by_kernel > 0
    }

    /// Brings a message to its node's channel, before the kernel hears of it; how many bytes of data it has.
    fn dispatch(&self, parcel: Parcel, payload: Payload) -> Result<u64, CommError> {
        self.check_running()?;
        let data =
            payload.segments().iter().filter(|part| matches!(part, Segment::Data(_))).map(Segment::len).sum();
        let seq = {
            let local = &mut *self.local.borrow_mut();
            local.sent += 1;
            local.sent - 1
        };
        let label = Label { context: parcel.context, source: self.id, tag: parcel.tag };
        let envelope = Envelope { id: MessageId { source: self.id, seq }, label, payload };
        let seat = &self.shared.seats[parcel.target as usize];
        // A node whose program has returned does not need its messages; the kernel lists them as never received.
        let _ = seat.inbox.send(Delivery::Message(envelope));
        if seat.bell.claim(self.id, &self.shared.running) {
            seat.bell.ring();
        }
        Ok(data)
    }

    /// Makes a call; in virtual time without waiting for it to end.
    fn tell(&self, op: Op) -> Result<(), CommError> {
        self.tell_sending(op, 0)
    }

    /// As [`tell`](NodeThread::tell), for a call that sends so many bytes of data.
    fn tell_sending(&self, op: Op, data: u64) -> Result<(), CommError> {
        if self.shared.pace != Pace::Virtual {
            return self.ask(op).map(drop);
        }
        self.check_running()?;
        if self.push(silent(op), data) {
            self.ask(Op::Sync)?;
        }
        Ok(())
    }

    /// Makes a call and waits for its end.
    fn ask(&self, op: Op) -> Result<Reply, CommError> {
        self.check_running()?;
        let computed = self.computed(&op);
        match self.shared.pace {
            Pace::Virtual => {
                self.push(Call { op, reply: true, not_before: Time::ZERO }, 0);
                self.shared.longing.fetch_add(1, Ordering::AcqRel);
                self.shared.drive(false);
            }
            Pace::Real(_) => self.call_in_real_time(op, computed),
        }
        let reply = self.sleep_until(FOR_THE_KERNEL, |local| local.answer.take());
        if self.shared.pace == Pace::Virtual {
            self.shared.longing.fetch_sub(1, Ordering::AcqRel);
        } else if computed.is_some() || !matches!(reply, Ok(Reply { outcome: Outcome::Nothing, .. })) {
            // Looking in vain takes time, but each look too little to count by itself.
            self.resumed.set(Moment::now());
        }
        let reply = reply?;
        if reply.outcome == Outcome::Livelock {
            return Err(CommError::Livelock { at: reply.clock });
        }
        Ok(reply)
    }

    /// Puts a call into the outbox; whether that is so full that the node should wait for the kernel.
    fn push(&self, call: Call, bytes: u64) -> bool {
        let mut outbox = self.shared.seats[self.id as usize].outbox.lock();
        outbox.calls.push_back(call);
        outbox.bytes += bytes;
        outbox.calls.len() >= MOST_CALLS || outbox.bytes >= MOST_BYTES
    }

    fn check_running(&self) -> Result<(), CommError> {
        if !self.shared.is_stopped() {
            return Ok(());
        }
        self.calls_after_end.set(self.calls_after_end.get() + 1);
        if self.calls_after_end.get() > MOST_CALLS_AFTER_END && !std::thread::panicking() {
            unwind_silently();
        }
        Err(self.shared.ended())
    }

    /// Real time: hands a call in. Modeled time starts when all programs have made their first.
    fn call_in_real_time(&self, op: Op, computed: Option<Span>) {
        self.shared.call_in_real_time(self.id, op, computed);
        if !self.called.replace(true) {
            self.shared.first_call();
        }
    }

    /// Real time: what the node has really computed since its last call returned, if that counts. Less than the send
    /// overhead is within what a node may catch up with. The time that the host has let the thread wait for a core is
    /// not the node's; but a program that looks whether something is there yet waits for it by the wall clock.
    fn computed(&self, op: &Op) -> Option<Span> {
        let Pace::Real(dilation) = self.shared.pace else { return None };
        self.shared.epoch.get()?;
        let least = self.shared.machine.parameters().send_overhead();
        let modeled = |real: Duration| Span::from_secs_f64(real.as_secs_f64() / dilation);
        let resumed = self.resumed.get();
        // No thread has had a core for longer than the wall clock says, which is cheaper to ask.
        let passed = Some(modeled(resumed.wall.elapsed())).filter(|&span| span > least)?;
        match op {
            Op::Test { .. } | Op::Probe { blocking: false, .. } => Some(passed),
            _ => Some(modeled(cpu_time().saturating_sub(resumed.cpu))).filter(|&span| span > least),
        }
    }
}
