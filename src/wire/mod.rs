//! Identifiers of messages and receives between nodes, as plain data shared by all transports.

mod matching;

pub(crate) use matching::{Labeled, Matching, reserve_one};

use crate::rank::Tag;

/// The maximum length of a message in bytes: 1 GiB. A payload may be longer as long as it is not sent.
pub const MAX_MESSAGE: u64 = 1 << 30;

/// The name in reports of a wait for several requests. Unlike in other library calls, its messages are those of the program.
pub(crate) const WAIT_ALL: &str = "a wait for several requests";

/// The stored form of the rank of a node of the machine.
pub(crate) type NodeId = u32;

/// The number that separates the messages of different groups (a communicator context).
pub(crate) type Context = u32;

/// The number of a request of one node, valid until the request has been waited for.
pub(crate) type RequestId = u32;

/// The identity of a message in the whole run: its sender, and the number of messages that this node sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MessageId {
    pub(crate) source: NodeId,
    pub(crate) seq: u64,
}

/// The message fields that matching compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) context: Context,
    pub(crate) source: NodeId,
    pub(crate) tag: Tag,
}

/// The labels that a receive accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) context: Context,
    pub(crate) source: Option<NodeId>,
    pub(crate) tag: Option<Tag>,
}

impl Selector {
    pub(crate) fn accepts(&self, label: &Label) -> bool {
        self.context == label.context
            && self.source.is_none_or(|source| source == label.source)
            && self.tag.is_none_or(|tag| tag == label.tag)
    }

    /// Returns whether the receive accepts any source, so that modeled time decides which message it takes.
    pub(crate) fn is_wild(&self) -> bool {
        self.source.is_none()
    }
}

/// The envelope of a message to be sent: all but its data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parcel {
    pub(crate) target: NodeId,
    pub(crate) context: Context,
    pub(crate) tag: Tag,
    pub(crate) bytes: u64,
    /// Whether the message is an active message: one packet, with its own overheads, sent between the packets of other messages.
    pub(crate) active: bool,
    /// Whether the sender waits until a receive takes the message (MPI's synchronous mode), whatever its length and whatever the machine's
    /// rendezvous threshold.
    pub(crate) synchronous: bool,
}
