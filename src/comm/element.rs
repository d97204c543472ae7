//! What a payload is an array of: [`Element`], the type that a message was made from.

use std::{
    any::{TypeId, type_name},
    fmt,
};

use bytemuck::Pod;

/// The type of the elements of a message.
///
/// A message carries it beside its bytes, so that a receiver that asks for another type gets an error instead of
/// nonsense. It takes no modeled time and no bytes on the wire.
///
/// ```
/// use multicomputer::Element;
/// let element = Element::of::<f64>();
/// assert_eq!((element.name(), element.size()), ("f64", 8));
/// assert_ne!(element, Element::of::<u64>());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Element {
    id: TypeId,
    name: &'static str,
    size: usize,
}

impl Element {
    /// The element of arrays of `T`.
    pub fn of<T: Pod>() -> Element {
        Element { id: TypeId::of::<T>(), name: type_name::<T>(), size: size_of::<T>() }
    }

    /// The name of the type, as Rust prints it: for people, not for comparing.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        self.size
    }

    /// Whether arrays of this type are plain bytes, which read as every type: `u8`, and types without any bytes.
    pub(crate) fn is_plain(self) -> bool {
        self.id == TypeId::of::<u8>() || self.size == 0
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
