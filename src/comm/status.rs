//! The description of a message: where it comes from, its tag and its length.

use super::Message;
use crate::rank::{Rank, Tag};

/// The source, the tag and the length of a message, returned by a [probe](super::Group::probe) and by [`Message::status`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The sender, as a rank of the group in which the message was sent.
    pub source: Rank,
    /// The tag of the message.
    pub tag: Tag,
    /// The length in bytes.
    pub bytes: u64,
}

impl Message {
    /// The source, the tag and the length of the message.
    pub fn status(&self) -> Status {
        Status { source: self.source, tag: self.tag, bytes: self.len() }
    }
}
