//! A received message.

use bytes::Bytes;

use crate::{
    error::MessageError,
    payload::{Element, Payload, PayloadError},
    rank::{Rank, Tag},
    wire::{MessageId, NodeId},
};

/// The source of the null message; no group has this rank.
const NULL: Rank = Rank::MAX;

/// A received message.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Message {
    /// The sender, as a rank of the group in which the message was received.
    pub source: Rank,
    /// The tag of the message.
    pub tag: Tag,
    /// The data, passed by reference without a copy.
    pub payload: Payload,
    /// The identity of the message in the whole run.
    pub(crate) id: MessageId,
}

impl Message {
    /// The message that a receive from the null process returns.
    pub(super) fn null() -> Message {
        Message {
            source: NULL,
            tag: Tag::default(),
            payload: Payload::empty(),
            id: MessageId { source: NodeId::MAX, seq: 0 },
        }
    }

    /// Whether this is the result of a receive from the null process (`None`), for example from beyond the edge of a
    /// [grid](super::Cartesian): it is empty, its `source` is `Rank::MAX`, and its tag is 0.
    pub fn is_null(&self) -> bool {
        self.source == NULL
    }

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
    /// [`MessageError`] if the data has another type, is not a whole number of elements, or is phantom.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, MessageError> {
        self.named(self.payload.to_vec())
    }

    /// The data as elements, copied out of the message once; the message is dropped.
    ///
    /// # Errors
    /// As [`to_vec`](Message::to_vec).
    pub fn into_vec<T: Element>(self) -> Result<Vec<T>, MessageError> {
        self.to_vec()
    }

    /// The only element of a message of one element.
    ///
    /// # Errors
    /// As [`to_vec`](Message::to_vec), and [`PayloadError::NotOne`] if the message has no element or more than one.
    pub fn to_value<T: Element>(&self) -> Result<T, MessageError> {
        self.named(self.payload.to_value())
    }

    /// Copies the data into a slice of the same length.
    ///
    /// # Errors
    /// As [`to_vec`](Message::to_vec), and [`PayloadError::OtherLength`] if the slice has another length.
    pub fn copy_to<T: Element>(&self, elements: &mut [T]) -> Result<(), MessageError> {
        self.named(self.payload.copy_to(elements))
    }

    /// Copies the first elements, as many as the slice takes, and returns their number.
    ///
    /// # Errors
    /// As [`to_vec`](Message::to_vec).
    pub fn copy_prefix_to<T: Element>(&self, elements: &mut [T]) -> Result<usize, MessageError> {
        self.named(self.payload.copy_prefix_to(elements))
    }

    /// The data as contiguous bytes, copied only if it consists of several segments.
    ///
    /// # Errors
    /// [`MessageError`] if any part of the data is phantom.
    pub fn to_bytes(&self) -> Result<Bytes, MessageError> {
        self.named(self.payload.to_bytes())
    }

    /// Adds the message to the error of reading its payload.
    pub(super) fn named<T>(&self, read: Result<T, PayloadError>) -> Result<T, MessageError> {
        let Message { source: from, tag, ref payload, .. } = *self;
        read.map_err(|error| MessageError { from, tag, bytes: payload.len(), error })
    }
}
