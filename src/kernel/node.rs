//! The state of one node in the kernel.

use std::{collections::VecDeque, sync::Arc};

use super::{
    noise::Noisy,
    op::{AnyOf, Call},
    ports::Ports,
    request::{Arrived, Request},
    sends::Sends,
    table::Requests,
};
use crate::{
    record::{Event, NodeRecord, Part},
    time::Time,
    wire::{Matching, RequestId, Selector},
};

/// The receive of a node that a message was matched with; requests in the order in which they were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Receiver {
    Blocking,
    Request(RequestId),
}

/// The state of a node, as far as its next step depends on others.
#[derive(Clone, Debug)]
pub(super) enum Doing {
    /// The next call is not known yet.
    Idle,
    /// The next call must wait until the network has reached the node's clock.
    Resume,
    /// The message of a blocking send has not left, or not been matched with a receive where the node waits for that.
    Send {
        called: Time,
    },
    Recv {
        called: Time,
        select: Selector,
    },
    SendRecv {
        called: Time,
        select: Selector,
        /// When its message has left.
        sent: Option<Time>,
        /// When its message has been matched with a receive, if the node waits for that.
        met: Option<Time>,
        received: Option<Arrived>,
    },
    Wait {
        called: Time,
        request: RequestId,
    },
    WaitAny {
        called: Time,
        wait: AnyOf,
    },
    Probe {
        called: Time,
        select: Selector,
    },
    Barrier {
        called: Time,
    },
    Finished,
    /// The call under way will not end: the node dies before.
    Dying,
    Dead,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) clock: Time,
    pub(super) doing: Doing,
    /// Whether the current call asks for a reply.
    pub(super) reply: bool,
    pub(super) calls: VecDeque<Call>,
    /// The instant at which the node dies; the end of time if it does not.
    pub(super) dies: Time,
    pub(super) noisy: Option<Box<Noisy>>,
    /// The last guard that stands for this node.
    pub(super) guard: Option<Time>,
    pub(super) ports: Ports,
    pub(super) sent: u64,
    pub(super) matching: Matching<Arrived, Receiver>,
    pub(super) requests: Requests,
    /// The number of posted receives from any source that have not been matched.
    pub(super) wild: u32,
    /// Messages that have arrived and that such a receive may take, until it is decided; see [`matching`](super::matching).
    pub(super) undecided: Vec<Arrived>,
    /// The next instant at which that is decided for some of them.
    pub(super) delivery: Option<Time>,
    /// Sends that a receive may still overlap.
    pub(super) sends: Sends,
    /// The number of probes and tests without success since the clock last moved.
    pub(super) polls: u32,
    /// Distinguishes the waits of a node, so that a timer of an earlier one is ignored.
    pub(super) serial: u32,
    pub(super) phases: Vec<(Arc<str>, Time)>,
    /// The parts of calls under way, for the trace alone.
    pub(super) parts: Vec<(Part, Time)>,
    pub(super) record: NodeRecord,
    pub(super) events: Vec<Event>,
    /// Messages taken by receives that the program never waited for, and these receives.
    pub(super) lost: Vec<(RequestId, Selector, Arrived)>,
}

impl Node {
    pub(super) fn new() -> Node {
        Node {
            clock: Time::ZERO,
            doing: Doing::Idle,
            reply: false,
            calls: VecDeque::new(),
            dies: Time::MAX,
            noisy: None,
            guard: None,
            ports: Ports::default(),
            sent: 0,
            matching: Matching::default(),
            requests: Requests::default(),
            wild: 0,
            undecided: Vec::new(),
            delivery: None,
            sends: Sends::default(),
            polls: 0,
            serial: 0,
            phases: Vec::new(),
            parts: Vec::new(),
            record: NodeRecord::default(),
            events: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Posts a receive, which waits for a message.
    pub(super) fn post(&mut self, select: Selector, receiver: Receiver) {
        self.matching.post(select, receiver);
        self.wild += u32::from(select.is_wild());
    }

    /// When a receive was posted that waits for a message.
    pub(super) fn posted(&self, receiver: Receiver) -> Time {
        match (receiver, &self.doing) {
            (Receiver::Request(request), _) => match self.requests.get(request) {
                Some(Request::RecvPosted { posted, .. } | Request::Forgotten { posted, .. }) => *posted,
                _ => self.clock,
            },
            (Receiver::Blocking, Doing::Recv { called, .. } | Doing::SendRecv { called, .. }) => *called,
            (Receiver::Blocking, _) => self.clock,
        }
    }

    /// Forgets the sends that no receive can overlap any more.
    pub(super) fn prune_sends(&mut self) {
        let oldest = self.requests.oldest_receive().map_or(self.clock, |posted| posted.min(self.clock));
        self.sends.forget(oldest);
    }
}
