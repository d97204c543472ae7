//! A received message.

use bytes::Bytes;

use crate::{
    payload::{Element, Payload, PayloadError},
    rank::{Rank, Tag},
};

/// A message as a receive returns it.
#[derive(Clone, Debug)]
pub struct Message {
    /// Who sent it, as a rank of the group in which it was received.
    pub source: Rank,
    /// Its tag.
    pub tag: Tag,
    /// Its data, not copied on the way.
    pub payload: Payload,
}

impl Message {
    /// The length in bytes.
    pub fn len(&self) -> u64 {
        self.payload.len()
    }

    /// Whether it has no bytes.
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

    /// The data in one piece; copied only if it is in several.
    ///
    /// # Errors
    /// [`PayloadError::Phantom`] if there is no data behind the length.
    pub fn to_bytes(&self) -> Result<Bytes, PayloadError> {
        self.payload.to_bytes()
    }
}
