//! The state of a request, and arrived messages.

use super::op::Cause;
use crate::{
    time::Time,
    wire::{Label, Labeled, MessageId, NodeId, Selector},
};

/// An arrived message, either taken or waiting for a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrived {
    pub(super) at: Time,
    pub(super) id: MessageId,
    pub(super) label: Label,
    pub(super) bytes: u64,
    pub(super) active: bool,
    /// Whether the sender waits for the receive (rendezvous).
    pub(super) awaited: bool,
    /// Set if the message was lost in transit: the receive that would take it fails.
    pub(super) lost: Option<Cause>,
}

impl Labeled for Arrived {
    fn label(&self) -> Label {
        self.label
    }

    /// Orders messages by modeled time; ties by rank, then by the order of sending.
    fn precedes(&self, other: &Self) -> bool {
        (self.at, self.id) < (other.at, other.id)
    }
}

/// The state of a request. It is small, because a node may have many requests.
#[derive(Clone, Debug)]
pub(super) enum Request {
    SendUnderWay,
    Sent {
        at: Time,
        /// The sequence number of the message.
        seq: u64,
        /// Whether the request also waited for the receive of the message (rendezvous).
        matched: bool,
    },
    RecvPosted {
        posted: Time,
        select: Selector,
    },
    Received {
        posted: Time,
        select: Selector,
        message: Box<Arrived>,
    },
    /// A remote memory access has returned from this node at this instant.
    Returned {
        at: Time,
        /// The sequence numbers of the access, and of the message that returned, if there was one.
        seq: u64,
        from: NodeId,
        returns: Option<u64>,
    },
    /// A fault ended the request at this instant.
    Failed {
        at: Time,
        cause: Cause,
    },
    /// A receive that the program will not wait for; the message that it takes is lost to the program.
    Forgotten {
        posted: Time,
        select: Selector,
    },
}

impl Request {
    /// The time at which the request became complete, if it is complete.
    pub(super) fn complete_since(&self) -> Option<Time> {
        match self {
            Request::Sent { at, .. } | Request::Returned { at, .. } | Request::Failed { at, .. } => Some(*at),
            Request::Received { message, .. } => Some(message.at),
            Request::SendUnderWay | Request::RecvPosted { .. } | Request::Forgotten { .. } => None,
        }
    }

    /// The posting time, if the request is a receive that its node may still wait for.
    pub(super) fn posted(&self) -> Option<Time> {
        match self {
            Request::RecvPosted { posted, .. } | Request::Received { posted, .. } => Some(*posted),
            _ => None,
        }
    }
}
