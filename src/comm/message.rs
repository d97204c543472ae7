//! A received message.

use bytes::Bytes;

use super::Status;
use crate::{
    error::{CommError, MessageError},
    payload::{Buffer, Element, Payload, PayloadError},
    rank::{NULL_PROCESS, Rank, Tag},
    wire::{MessageId, NodeId},
};

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
            source: NULL_PROCESS,
            tag: Tag::default(),
            payload: Payload::empty(),
            id: MessageId { source: NodeId::MAX, seq: 0 },
        }
    }

    /// Whether this is the result of a receive from the null process (`None`), for example from beyond the edge of a
    /// [grid](super::Cartesian): it is empty, its `source` is `Rank::MAX`, and its tag is 0.
    pub fn is_null(&self) -> bool {
        self.source == NULL_PROCESS
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

    /// The data as elements, copied out of the message once, as by [`to_vec`](Message::to_vec); the message is dropped, so that its memory
    /// is freed at once.
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

    /// Copies the data into a slice of the same length. The [null message](Message::is_null) leaves the slice unchanged, as a receive from
    /// `MPI_PROC_NULL` does.
    ///
    /// # Errors
    /// As [`to_vec`](Message::to_vec), and [`PayloadError::OtherLength`] if the slice has another length.
    pub fn copy_to<T: Element>(&self, elements: &mut [T]) -> Result<(), MessageError> {
        if self.is_null() {
            return Ok(());
        }
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

    /// Copies the data to the beginning of a buffer, which may be longer, and returns the status of the message.
    pub(super) fn store(&self, buffer: &mut (impl Buffer + ?Sized)) -> Result<Status, CommError> {
        self.named(self.payload.copy_into(buffer.as_mut_slice()))?;
        Ok(self.status())
    }

    /// Adds the message to the error of reading its payload.
    fn named<T>(&self, read: Result<T, PayloadError>) -> Result<T, MessageError> {
        let Message { source: from, tag, ref payload, .. } = *self;
        read.map_err(|error| MessageError { from, tag, bytes: payload.len(), error })
    }
}
