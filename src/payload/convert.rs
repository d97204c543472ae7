//! Conversions of values into payloads: vectors are moved, slices are copied.

use bytes::Bytes;

use super::{Element, ElementType, Payload, Segment, as_bytes};

/// A wrapper through which [`Bytes`] owns a vector.
struct Owner<T>(Vec<T>);

impl<T: Element> AsRef<[u8]> for Owner<T> {
    fn as_ref(&self) -> &[u8] {
        as_bytes(&self.0)
    }
}

/// Takes ownership of the bytes. The payload is untyped.
impl From<Bytes> for Payload {
    fn from(bytes: Bytes) -> Payload {
        Payload::from_segment(Segment::Data(bytes), None)
    }
}

/// Copies the text. The payload is untyped.
impl From<&str> for Payload {
    fn from(text: &str) -> Payload {
        Payload::from_slice(text.as_bytes())
    }
}

/// Takes ownership of the text without copying. The payload is untyped.
impl From<String> for Payload {
    fn from(text: String) -> Payload {
        Payload::from(text.into_bytes())
    }
}

/// Takes ownership of the vector without copying: the payload uses the memory of the vector.
impl<T: Element + Send> From<Vec<T>> for Payload {
    fn from(vector: Vec<T>) -> Payload {
        Payload::from_segment(Segment::Data(Bytes::from_owner(Owner(vector))), Some(ElementType::of::<T>()))
    }
}

/// Copies the elements once.
impl<T: Element> From<&[T]> for Payload {
    fn from(slice: &[T]) -> Payload {
        Payload::from_slice(slice)
    }
}

/// Copies the elements once.
impl<T: Element> From<&Vec<T>> for Payload {
    fn from(vector: &Vec<T>) -> Payload {
        Payload::from_slice(vector)
    }
}

/// Copies the elements once.
impl<T: Element, const N: usize> From<&[T; N]> for Payload {
    fn from(array: &[T; N]) -> Payload {
        Payload::from_slice(array)
    }
}

/// Copies the elements once.
impl<T: Element, const N: usize> From<[T; N]> for Payload {
    fn from(array: [T; N]) -> Payload {
        Payload::from_slice(&array)
    }
}
