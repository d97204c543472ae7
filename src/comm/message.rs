//! A received message.

use bytes::Bytes;

use crate::{
    payload::{Element, Payload, PayloadError},
    rank::{Rank, Tag},
    wire::MessageId,
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
    /// [`PayloadError`] if the data has another type, is not a whole number of elements, or is phantom.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, PayloadError> {
        self.payload.to_vec()
    }

    /// The data as elements, copied out of the message once; the message is dropped.
    ///
    /// # Errors
    /// As [`to_vec`](Message::to_vec).
    pub fn into_vec<T: Element>(self) -> Result<Vec<T>, PayloadError> {
        self.payload.to_vec()
    }

    /// The only element of a message of one element.
    ///
    /// # Errors
    /// As [`to_vec`](Message::to_vec), and [`PayloadError::NotOne`] if the message has no element or more than one.
    pub fn to_value<T: Element>(&self) -> Result<T, PayloadError> {
        self.payload.to_value()
    }

    /// Copies the data into a slice of the same length.
    ///
    /// # Errors
    /// As [`to_vec`](Message::to_vec), and [`PayloadError::OtherLength`] if the slice has another length.
    pub fn copy_to<T: Element>(&self, elements: &mut [T]) -> Result<(), PayloadError> {
        self.payload.copy_to(elements)
    }

    /// Copies the first elements, as many as the slice takes, and returns their number.
    ///
    /// # Errors
    /// As [`to_vec`](Message::to_vec).
    pub fn copy_prefix_to<T: Element>(&self, elements: &mut [T]) -> Result<usize, PayloadError> {
        self.payload.copy_prefix_to(elements)
    }

    /// The data as contiguous bytes, copied only if it consists of several segments.
    ///
    /// # Errors
    /// [`PayloadError::Phantom`] if any part of the data is phantom.
    pub fn to_bytes(&self) -> Result<Bytes, PayloadError> {
        self.payload.to_bytes()
    }
}

/// What [`recv_into`](crate::comm::Group::recv_into) has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// The sender, as a rank of the group in which the message was received.
    pub source: Rank,
    /// The tag of the message.
    pub tag: Tag,
    /// The number of elements.
    pub elements: usize,
}
