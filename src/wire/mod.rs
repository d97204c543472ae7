//! Messages and receives as they are named between nodes, in plain data: how every way to carry messages spells them.

mod matching;

pub(crate) use matching::{Labeled, Matching, keep_small};

use crate::rank::Tag;

/// The longest message that can be sent, in bytes: 1 GiB. A payload may be longer until it is sent.
pub const MAX_MESSAGE: u64 = 1 << 30;

/// The rank of a node of the machine, as it is stored.
pub(crate) type NodeId = u32;

/// The number that separates the messages of different groups.
pub(crate) type Context = u32;

/// The number of a request of one node until it has been waited for.
pub(crate) type RequestId = u32;

/// The identity of a message in the whole run: its sender, and the number of messages that node had sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MessageId {
    pub(crate) source: NodeId,
    pub(crate) seq: u64,
}

/// The fields of a message that matching compares.
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

    /// Whether modeled time decides which message is received, not only the order in which one sender sent.
    pub(crate) fn is_wild(&self) -> bool {
        self.source.is_none()
    }
}

/// A message to be sent, without its data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parcel {
    pub(crate) target: NodeId,
    pub(crate) context: Context,
    pub(crate) tag: Tag,
    pub(crate) bytes: u64,
    /// Whether it is an active message: one packet, with overheads of its own, that slips in between those of others.
    pub(crate) active: bool,
}
