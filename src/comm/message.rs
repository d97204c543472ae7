//! A received message.

use bytes::Bytes;

use crate::{
    payload::{Element, Payload, PayloadError},
    rank::{Rank, Tag},
    wire::MessageId,
};

/// A message as a receive returns it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Message {
    /// The sender, as a rank of the group in which the message was received.
    pub source: Rank,
    /// The tag of the message.
    pub tag: Tag,
    /// The data, not copied on the way.
    pub payload: Payload,
    /// The message in the whole run.
    pub(crate) id: MessageId,
}

impl Message {
    /// The length in bytes.
    pub fn len(&self) -> u64 {
        self.payload.len()
    }

    /// Whether the message has no bytes.
    pub fn is_empty(&self) -> bool {
        self.payload.is_empty()
    }

    /// The data as elements, copied out of the message.
    ///
    /// # Errors
    /// [`PayloadError`] if the data is of another type, no whole number of elements, or phantom.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, PayloadError> {
        self.payload.to_vec()
    }

    /// The data as contiguous bytes; copied only if it is in several segments.
    ///
    /// # Errors
    /// [`PayloadError::Phantom`] if any part of the data is phantom.
    pub fn to_bytes(&self) -> Result<Bytes, PayloadError> {
        self.payload.to_bytes()
    }
}
