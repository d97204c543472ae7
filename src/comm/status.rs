//! The description of a message: where it comes from, its tag and its length.

use super::Message;
use crate::{
    payload::Element,
    rank::{Rank, Tag},
};

/// The source, the tag and the length of a message, returned by a [probe](super::Group::probe), by
/// [`recv_into`](super::Group::recv_into) and by [`Message::status`].
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

impl Status {
    /// The number of elements in the message, or `None` if its length is no whole number of them (as `MPI_Get_count`).
    #[doc(alias = "MPI_Get_count")]
    pub fn count<T: Element>(&self) -> Option<usize> {
        let size = size_of::<T>() as u64;
        let is_whole = size > 0 && self.bytes.is_multiple_of(size);
        is_whole.then(|| (self.bytes / size) as usize)
    }
}

impl Message {
    /// The source, the tag and the length of the message.
    pub fn status(&self) -> Status {
        Status { source: self.source, tag: self.tag, bytes: self.len() }
    }
}
