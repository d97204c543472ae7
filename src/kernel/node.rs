//! The state of one node in the kernel.

use std::{collections::VecDeque, sync::Arc};

use super::{
    noise::NodeNoise,
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

/// The receive that a message was matched with. Requests are ordered by their creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Receiver {
    Blocking,
    Request(RequestId),
}

/// The state of a node: the call that it executes, and the event that this call waits for.
#[derive(Clone, Debug)]
pub(super) enum NodeState {
    /// The next call is not known yet.
    Idle,
    /// The next call must wait until the network has reached the node's clock.
    Resume,
    /// The message of a blocking send has not left, or under rendezvous has not been matched with a receive.
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
        /// The time at which the node's message left.
        sent: Option<Time>,
        /// The time at which the node's message was matched with a receive, if the node waits for the match.
        matched: Option<Time>,
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
        claims: bool,
    },
    Barrier {
        called: Time,
    },
    Finished,
    /// The call in progress will not end, because the node dies before.
    Dying,
    Dead,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) clock: Time,
    pub(super) state: NodeState,
    /// Whether the current call needs a reply.
    pub(super) reply: bool,
    pub(super) calls: VecDeque<Call>,
    /// The time of the node's death; `MAX` if it does not die.
    pub(super) dies: Time,
    pub(super) node_noise: Option<Box<NodeNoise>>,
    /// The time of the last scheduled guard of this node.
    pub(super) guard: Option<Time>,
    pub(super) ports: Ports,
    pub(super) sent: u64,
    /// The number of messages that the network interface has sent by itself, for remote memory accesses.
    pub(super) returned: u64,
    pub(super) matching: Matching<Arrived, Receiver>,
    pub(super) requests: Requests,
    /// Messages that probes have set aside and no receive has taken.
    pub(super) claimed: Vec<Arrived>,
    /// The number of unmatched posted receives from any source.
    pub(super) wild: u32,
    /// Arrived messages that a receive from any source may take, not matched yet; see [`matching`](super::matching).
    pub(super) undecided: Vec<Arrived>,
    /// The next instant at which undecided messages are matched.
    pub(super) delivery: Option<Time>,
    /// The sends that a receive of this node may still overlap.
    pub(super) sends: Sends,
    /// The number of probes and tests without success since the clock last moved.
    pub(super) polls: u32,
    /// Identifies the wait of a node, so that timers of earlier waits are ignored.
    pub(super) serial: u32,
    pub(super) phases: Vec<(Arc<str>, Time)>,
    /// The open parts of calls, only for the trace.
    pub(super) parts: Vec<(Part, Time)>,
    pub(super) record: NodeRecord,
    pub(super) events: Vec<Event>,
    /// Messages taken by receives that the program never waited for, with these receives.
    pub(super) lost: Vec<(RequestId, Selector, Arrived)>,
}

impl Node {
    pub(super) fn new() -> Node {
        Node {
            clock: Time::ZERO,
            state: NodeState::Idle,
            reply: false,
            calls: VecDeque::new(),
            dies: Time::MAX,
            node_noise: None,
            guard: None,
            ports: Ports::default(),
            sent: 0,
            returned: 0,
            matching: Matching::default(),
            claimed: Vec::new(),
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

    /// Posts a receive.
    pub(super) fn post(&mut self, select: Selector, receiver: Receiver) {
        self.matching.post(select, receiver);
        self.wild += u32::from(select.is_wild());
    }

    /// The time at which a waiting receive was posted.
    pub(super) fn posted(&self, receiver: Receiver) -> Time {
        match (receiver, &self.state) {
            (Receiver::Request(request), _) => match self.requests.get(request) {
                Some(Request::RecvPosted { posted, .. } | Request::Forgotten { posted, .. }) => *posted,
                _ => self.clock,
            },
            (Receiver::Blocking, NodeState::Recv { called, .. } | NodeState::SendRecv { called, .. }) => {
                *called
            }
            (Receiver::Blocking, _) => self.clock,
        }
    }

    /// Removes the sends that no receive can overlap any more.
    pub(super) fn prune_sends(&mut self) {
        let oldest = self.requests.oldest_receive().map_or(self.clock, |posted| posted.min(self.clock));
        self.sends.forget(oldest);
    }
}
