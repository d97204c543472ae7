//! The state of a request, and the messages that have arrived.

use super::op::Cause;
use crate::{
    time::Time,
    wire::{Label, Labeled, MessageId, Selector},
};

/// A message that has arrived: it has been taken, or waits for a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrived {
    pub(super) at: Time,
    pub(super) id: MessageId,
    pub(super) label: Label,
    pub(super) bytes: u64,
    pub(super) active: bool,
    /// The message was lost on its way: the receive that would take it fails.
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

/// The state of a request: small, since a node may have many that wait.
#[derive(Clone, Debug)]
pub(super) enum Request {
    SendUnderWay,
    Sent {
        at: Time,
        /// The number of messages that the node had sent before.
        seq: u64,
        /// Whether the request was to wait for the receive of the message, too.
        met: bool,
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
    /// A fault ended it at this instant.
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
    /// Since when it is complete, if it is.
    pub(super) fn complete_since(&self) -> Option<Time> {
        match self {
            Request::Sent { at, .. } | Request::Failed { at, .. } => Some(*at),
            Request::Received { message, .. } => Some(message.at),
            Request::SendUnderWay | Request::RecvPosted { .. } | Request::Forgotten { .. } => None,
        }
    }

    /// When it was posted, if it is a receive that its node may still wait for.
    pub(super) fn posted(&self) -> Option<Time> {
        match self {
            Request::RecvPosted { posted, .. } | Request::Received { posted, .. } => Some(*posted),
            _ => None,
        }
    }
}
