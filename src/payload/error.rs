//! Errors of reading and cutting payloads.

use thiserror::Error;

use super::ElementType;
use crate::text::count;

/// The reason why a payload cannot be read or cut as requested.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// Phantom bytes cannot be read: they have a length but no data.
    #[error("{phantom} of the {len} bytes are phantom: they have a length but no data to read")]
    Phantom {
        /// The number of bytes without data.
        phantom: u64,
        /// The length of the whole payload in bytes.
        len: u64,
    },
    /// The elements do not have the requested type.
    #[error("the data was sent as {sent} but is read as {asked}: read it as {sent} or as u8")]
    TypeMismatch {
        /// The type that the payload was made from.
        sent: ElementType,
        /// The requested type.
        asked: ElementType,
    },
    /// The length is not a multiple of the element size.
    #[error("{len} bytes are not a multiple of the {} bytes of {element}", element.size())]
    PartialElement {
        /// The length of the payload in bytes.
        len: u64,
        /// The requested type.
        element: ElementType,
    },
    /// Data sent as plain bytes is not a valid value of the requested type, such as a `bool` with byte 2.
    #[error("element {at} is not a valid {element}: its bytes are {bytes:?}")]
    Invalid {
        /// The index of the element in the payload, counted from 0.
        at: u64,
        /// The bytes of the element.
        bytes: Vec<u8>,
        /// The requested type.
        element: ElementType,
    },
    /// The target slice does not have the length of the payload.
    #[error("the data has {}, the slice {}: {}", elements(*len, *element), elements(*room, *element), match len > room {
        true => "give a longer slice, or take the first elements by `copy_prefix_to`",
        false => "give a shorter slice, or fill only its beginning by `copy_prefix_to` or `recv_into`",
    })]
    OtherLength {
        /// The length of the payload in bytes.
        len: u64,
        /// The length of the slice in bytes.
        room: u64,
        /// The type of the elements.
        element: ElementType,
    },
    /// The message is longer than the slice into which it is received.
    #[error(
        "the data has {}, the slice {}: give `recv_into` a longer slice, or use `recv`, and `copy_prefix_to` to take \
         the first elements", elements(*len, *element), elements(*room, *element)
    )]
    TooLong {
        /// The length of the message in bytes.
        len: u64,
        /// The length of the slice in bytes.
        room: u64,
        /// The type of the elements.
        element: ElementType,
    },
    /// One element is requested, and the payload has none or more than one.
    #[error("message has {len} bytes, one {element} has {}: use `to_vec` to take any number", element.size())]
    NotOne {
        /// The length of the payload in bytes.
        len: u64,
        /// The requested type.
        element: ElementType,
    },
    /// The range of a cut lies outside the payload or is reversed.
    #[error(
        "bytes {start} to {end} are out of range: the payload has {len} bytes, and the start must not exceed the end"
    )]
    OutOfRange {
        /// The start of the requested range in bytes.
        start: u64,
        /// The end of the requested range in bytes, exclusive.
        end: u64,
        /// The length of the payload in bytes.
        len: u64,
    },
}

/// Returns a length in elements, such as `32 elements of f64`.
fn elements(bytes: u64, element: ElementType) -> String {
    let size = (element.size() as u64).max(1);
    format!("{} of {element}", count(bytes / size, "element"))
}
