//! Random programs of nodes: their steps, and the state of a running program.

use std::collections::{BTreeSet, VecDeque};

use rand::{Rng, RngExt};

use super::*;
use crate::{
    rank::Tag,
    wire::{Context, MessageId, Parcel, RequestId, Selector},
};

/// The context of active messages; all other messages have context 0.
const ACTIVE: Context = 1;

/// The messages that a receive or a probe accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    pub(super) source: Option<NodeId>,
    pub(super) tag: Option<u32>,
    pub(super) active: bool,
}

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outbound {
    pub(super) target: NodeId,
    pub(super) bytes: u64,
    pub(super) tag: u32,
    pub(super) synchronous: bool,
}

/// One step of a node's program.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Send(Outbound),
    Isend(Outbound),
    /// A send that the node starts and never waits for.
    Launch(Outbound),
    Active(NodeId),
    /// A remote memory access that returns `back` bytes, if it returns.
    Remote {
        to: Outbound,
        back: Option<u64>,
    },
    SendRecv(Outbound, Selection),
    Recv(Selection),
    Irecv(Selection),
    RecvUntil {
        from: Selection,
        after: Span,
    },
    Probe {
        from: Selection,
        blocking: bool,
    },
    ProbeClaim {
        from: Selection,
        blocking: bool,
    },
    /// Receives the oldest message that a probe has set aside; with a request if `posted`.
    RecvClaimed {
        posted: bool,
    },
    /// Waits for the oldest open request, i.e. one that has not been waited for.
    Wait,
    /// Waits for the first of all open requests, listed from the newest on if `reversed`.
    WaitAny {
        after: Option<Span>,
        reversed: bool,
    },
    /// Computes until the oldest open receive is complete.
    ComputeUntil {
        after: Span,
    },
    /// Tests the newest open request.
    Test,
    /// Withdraws the oldest open receive.
    Withdraw,
    /// Cancels the oldest or the newest open receive, unless it has been matched.
    Cancel {
        newest: bool,
    },
    /// Forgets the newest open receive.
    Forget,
    Compute(Span),
    Charge(Span),
    Barrier,
    Now,
    /// Sends to the source of the last received message.
    Answer {
        bytes: u64,
    },
}

/// Generates a random program for each node.
pub(crate) fn random(random: &mut impl Rng, nodes: u32, unit: Span) -> Vec<Vec<Step>> {
    let longest = random.random_range(2..10);
    let barriers = random.random_range(0..3) * u32::from(random.random_bool(0.2));
    // Some programs spread their calls over a few instants, in others nearly all calls are at one instant.
    let spread = random.random_range(1..6);
    // Only some programs send synchronous messages: without them the kernel has a lookahead.
    let synchronous = if random.random_bool(0.4) { 0.25 } else { 0.0 };
    // Only in programs with remote memory accesses do messages join the queues at the out-ports when they are ready.
    let remote = if random.random_bool(0.4) { 0.25 } else { 0.0 };
    let step = |random: &mut dyn Rng| {
        let tag = u32::from(random.random_bool(0.2));
        let bytes = [0, 0, 0, 0, 8, 1000][random.random_range(0..6)];
        let target = random.random_range(0..nodes);
        let to = Outbound { target, bytes, tag, synchronous: random.random_bool(synchronous) };
        let from = Selection {
            source: random.random_bool(0.35).then(|| random.random_range(0..nodes)),
            tag: random.random_bool(0.3).then_some(tag),
            active: random.random_bool(0.1),
        };
        let after = unit.times(random.random_range(0..spread));
        if random.random_bool(remote) {
            let back = [None, Some(0), Some(0), Some(8), Some(1000)][random.random_range(0..5)];
            return Step::Remote { to: Outbound { synchronous: false, ..to }, back };
        }
        match random.random_range(0..40) {
            0..5 => Step::Send(to),
            5..9 => Step::Isend(to),
            9 => Step::Active(to.target),
            10 => Step::Launch(to),
            11 => Step::SendRecv(to, from),
            12..15 => Step::Recv(from),
            15..18 => Step::Irecv(from),
            18 => Step::RecvUntil { from, after },
            19..21 => Step::Probe { from, blocking: random.random_bool(0.3) },
            21 => Step::Wait,
            22..24 => Step::WaitAny {
                after: random.random_bool(0.4).then_some(after),
                reversed: random.random_bool(0.5),
            },
            24 => Step::ComputeUntil { after },
            25..27 => Step::Test,
            27 => Step::Withdraw,
            28 => Step::Forget,
            29..31 => Step::Compute(after),
            36..38 => Step::ProbeClaim { from, blocking: random.random_bool(0.3) },
            38..40 => Step::RecvClaimed { posted: random.random_bool(0.5) },
            34..36 => Step::Cancel { newest: random.random_bool(0.5) },
            31 => [Step::Now, Step::Charge(after)][random.random_range(0..2)].clone(),
            _ => Step::Answer { bytes },
        }
    };
    (0..nodes)
        .map(|_| {
            let length = random.random_range(1..longest);
            let mut steps: Vec<Step> = (0..length).map(|_| step(random)).collect();
            for _ in 0..barriers {
                let at = random.random_range(0..=steps.len());
                steps.insert(at, Step::Barrier);
            }
            steps
        })
        .collect()
}

/// A node during the execution of its program.
#[derive(Default)]
pub(crate) struct Runner {
    pub(crate) steps: VecDeque<Step>,
    /// The open requests, each with whether it is a receive.
    open: Vec<(RequestId, bool)>,
    /// The requests of remote memory accesses.
    accesses: BTreeSet<RequestId>,
    /// The messages that probes have set aside.
    claimed: VecDeque<MessageId>,
    /// The requests of the last call, until its reply arrives.
    pub(crate) asked: Option<Vec<RequestId>>,
    next_request: RequestId,
    clock: Time,
    last_source: NodeId,
    pub(super) finished: bool,
    pub(crate) replies: Vec<Reply>,
}

impl Runner {
    pub(crate) fn new(steps: &[Step]) -> Runner {
        Runner { steps: steps.iter().cloned().collect(), ..Runner::default() }
    }

    /// Returns the next call, unless the program waits for a reply.
    pub(crate) fn next(&mut self) -> Option<Op> {
        if self.finished || self.asked.is_some() {
            return None;
        }
        let select = |from: Selection| Selector {
            context: if from.active { ACTIVE } else { 0 },
            source: from.source,
            tag: from.tag.map(Tag),
        };
        let parcel = |to: Outbound| Parcel {
            target: to.target,
            context: 0,
            tag: Tag(to.tag),
            bytes: to.bytes,
            active: false,
            synchronous: to.synchronous,
        };
        let mut requests = Vec::new();
        let op = loop {
            let Some(step) = self.steps.pop_front() else {
                self.finished = true;
                return Some(Op::Finish);
            };
            let receive = self.open.iter().position(|&(_, receives)| receives);
            break match step {
                Step::Send(to) => Op::Send { parcel: parcel(to), request: None },
                Step::Answer { bytes } => {
                    let to = Outbound { target: self.last_source, bytes, tag: 0, synchronous: false };
                    Op::Send { parcel: parcel(to), request: None }
                }
                Step::Active(target) => {
                    let to = Outbound { target, bytes: 16, tag: 0, synchronous: false };
                    Op::Send { parcel: Parcel { context: ACTIVE, active: true, ..parcel(to) }, request: None }
                }
                Step::Launch(to) => Op::Launch { parcel: parcel(to) },
                Step::Remote { to, back } => {
                    let request = self.open(false);
                    self.accesses.insert(request);
                    Op::Remote { parcel: parcel(to), back, request }
                }
                Step::Isend(to) => Op::Send { parcel: parcel(to), request: Some(self.open(false)) },
                Step::SendRecv(to, from) => Op::SendRecv { parcel: parcel(to), select: select(from) },
                Step::Recv(from) => Op::Recv { select: select(from), request: None },
                Step::Irecv(from) => Op::Recv { select: select(from), request: Some(self.open(true)) },
                Step::RecvUntil { from, after } => {
                    Op::RecvUntil { select: select(from), deadline: self.clock + after }
                }
                Step::Probe { from, blocking } => Op::Probe { select: select(from), blocking, claims: false },
                Step::ProbeClaim { from, blocking } => {
                    Op::Probe { select: select(from), blocking, claims: true }
                }
                Step::RecvClaimed { posted } if !self.claimed.is_empty() => {
                    let message = self.claimed.pop_front().unwrap();
                    Op::RecvClaimed { message, request: posted.then(|| self.open(true)) }
                }
                // A wait for a remote memory access is a look.
                Step::Wait
                    if self.open.first().is_some_and(|(request, _)| self.accesses.contains(request)) =>
                {
                    requests.push(self.open[0].0);
                    let (requests, deadline) = (requests.clone().into(), Time::MAX);
                    Op::WaitAny(AnyOf { requests, deadline, computing: false })
                }
                Step::Wait if !self.open.is_empty() => Op::Wait { request: self.open.remove(0).0 },
                Step::WaitAny { after, reversed } if !self.open.is_empty() => {
                    requests = self.open.iter().map(|&(request, _)| request).collect();
                    if reversed {
                        requests.reverse();
                    }
                    let deadline = after.map_or(Time::MAX, |after| self.clock + after);
                    Op::WaitAny(AnyOf { requests: requests.clone().into(), deadline, computing: false })
                }
                Step::ComputeUntil { after } if receive.is_some() => {
                    requests =
                        self.open[receive.unwrap()..][..1].iter().map(|&(request, _)| request).collect();
                    let deadline = self.clock + after;
                    Op::WaitAny(AnyOf { requests: requests.clone().into(), deadline, computing: true })
                }
                Step::Test if !self.open.is_empty() => {
                    let newest = self.open[self.open.len() - 1].0;
                    requests.push(newest);
                    Op::Test { request: newest }
                }
                Step::Withdraw if receive.is_some() => {
                    Op::Withdraw { request: self.open.remove(receive.unwrap()).0, unless_matched: false }
                }
                Step::Cancel { newest } if receive.is_some() => {
                    let last = self.open.iter().rposition(|&(_, receives)| receives);
                    let request = self.open[if newest { last } else { receive }.unwrap()].0;
                    requests.push(request);
                    Op::Withdraw { request, unless_matched: true }
                }
                Step::Forget if receive.is_some() => {
                    let newest = self.open.iter().rposition(|&(_, receives)| receives).unwrap();
                    Op::Forget { request: self.open.remove(newest).0 }
                }
                Step::Compute(span) => Op::Compute { span },
                Step::Charge(span) => Op::Charge { span },
                Step::Barrier => Op::Barrier,
                Step::Now => Op::Now,
                Step::Wait
                | Step::RecvClaimed { .. }
                | Step::WaitAny { .. }
                | Step::ComputeUntil { .. }
                | Step::Test
                | Step::Withdraw
                | Step::Cancel { .. }
                | Step::Forget => continue,
            };
        };
        // As on node threads, the program does not wait for replies that do not depend on time. The source of a message is also part of a
        // reply.
        let notified = matches!(
            op,
            Op::Send { .. }
                | Op::Remote { .. }
                | Op::Launch { .. }
                | Op::Compute { .. }
                | Op::Charge { .. }
                | Op::Withdraw { unless_matched: false, .. }
                | Op::Forget { .. }
                | Op::Recv { request: Some(_), .. }
                | Op::RecvClaimed { request: Some(_), .. }
        );
        if !notified {
            self.asked = Some(requests);
        }
        Some(op)
    }

    fn open(&mut self, receives: bool) -> RequestId {
        let request = self.next_request;
        self.next_request += 1;
        self.open.push((request, receives));
        request
    }

    pub(crate) fn answered(&mut self, reply: Reply) {
        let Some(requests) = self.asked.take() else { return };
        self.clock = reply.clock;
        self.replies.push(reply);
        let (received, ended) = match reply.outcome {
            Outcome::Received(id) => (Some(id), None),
            Outcome::Completed { index, received } => (received, Some(index)),
            Outcome::Interrupted { received, .. } => (Some(received), Some(0)),
            Outcome::FailedAmong { index, .. } => (None, Some(index)),
            Outcome::Withdrawn => (None, Some(0)),
            // A failed test ends its request. A wait has already removed its request from the open ones.
            Outcome::Failed(_) if requests.len() == 1 => (None, Some(0)),
            _ => (None, None),
        };
        if let Outcome::Claimed { id, .. } = reply.outcome {
            self.claimed.push_back(id);
        }
        if let Some(index) = ended {
            self.open.retain(|&(request, _)| request != requests[index]);
        }
        if let Some(id) = received {
            self.last_source = id.source;
        }
    }
}
