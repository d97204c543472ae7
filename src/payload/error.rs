//! Payloads that cannot be read or cut as asked.

use thiserror::Error;

use super::ElementType;

/// The reason why a payload cannot be read or cut as asked.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// Data was asked for that exists only as a length.
    #[error("{phantom} of the {len} bytes are phantom: they have a length but no data to read")]
    Phantom {
        /// The number of bytes without data.
        phantom: u64,
        /// The length of the whole payload in bytes.
        len: u64,
    },
    /// The elements are not of the type that was asked for.
    #[error("the data was sent as {sent} and is asked for as {asked}: ask for {sent}, or for u8")]
    TypeMismatch {
        /// The type that the payload was made from.
        sent: ElementType,
        /// The type asked for.
        asked: ElementType,
    },
    /// The bytes do not make up whole elements.
    #[error("{len} bytes are no multiple of the {} bytes of {element}", element.size())]
    PartialElement {
        /// The length of the payload in bytes.
        len: u64,
        /// The type asked for.
        element: ElementType,
    },
    /// Data sent as plain bytes is not a value of the type that was asked for, such as a `bool` of 2.
    #[error("element {at} is no {element}: no {element} has the bytes {bytes:?}")]
    Invalid {
        /// The index of the element in the payload, counted from 0.
        at: u64,
        /// The bytes of the element.
        bytes: Vec<u8>,
        /// The type asked for.
        element: ElementType,
    },
    /// The slice that is to take the data has another length.
    #[error(
        "the payload has {len} bytes, the slice takes {room}: cut the payload with `slice` to take a part of it"
    )]
    OtherLength {
        /// The length of the payload in bytes.
        len: u64,
        /// The length of the slice in bytes.
        room: u64,
    },
    /// A cut before the beginning or past the end.
    #[error("bytes {start} to {end} are asked for, of a payload of {len}: start <= end <= {len} is allowed")]
    OutOfRange {
        /// The first byte asked for.
        start: u64,
        /// The position after the last byte asked for.
        end: u64,
        /// The length of the payload in bytes.
        len: u64,
    },
}

crate::text::debug_as_text!(PayloadError);
