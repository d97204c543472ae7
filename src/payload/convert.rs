//! The values that turn into a payload: a vector is taken, a slice is copied.

use bytes::Bytes;

use super::{Element, ElementType, Payload, Segment, as_bytes};

/// A vector that [`Bytes`] can own.
struct Owner<T>(Vec<T>);

impl<T: Element> AsRef<[u8]> for Owner<T> {
    fn as_ref(&self) -> &[u8] {
        as_bytes(&self.0)
    }
}

/// Takes over the bytes, untyped.
impl From<Bytes> for Payload {
    fn from(bytes: Bytes) -> Payload {
        Payload::from_segment(Segment::Data(bytes), None)
    }
}

/// Copies the text, untyped.
impl From<&str> for Payload {
    fn from(text: &str) -> Payload {
        Payload::from_slice(text.as_bytes())
    }
}

/// Takes over the text, untyped: nothing is copied.
impl From<String> for Payload {
    fn from(text: String) -> Payload {
        Payload::from(text.into_bytes())
    }
}

/// Takes over the vector: its memory becomes that of the payload, nothing is copied.
impl<T: Element + Send> From<Vec<T>> for Payload {
    fn from(vector: Vec<T>) -> Payload {
        Payload::from_segment(Segment::Data(Bytes::from_owner(Owner(vector))), Some(ElementType::of::<T>()))
    }
}

/// Copies the elements, once.
impl<T: Element> From<&[T]> for Payload {
    fn from(slice: &[T]) -> Payload {
        Payload::from_slice(slice)
    }
}

/// Copies the elements, once.
impl<T: Element> From<&Vec<T>> for Payload {
    fn from(vector: &Vec<T>) -> Payload {
        Payload::from_slice(vector)
    }
}

/// Copies the elements, once.
impl<T: Element, const N: usize> From<&[T; N]> for Payload {
    fn from(array: &[T; N]) -> Payload {
        Payload::from_slice(array)
    }
}

/// Copies the elements, once.
impl<T: Element, const N: usize> From<[T; N]> for Payload {
    fn from(array: [T; N]) -> Payload {
        Payload::from_slice(&array)
    }
}
