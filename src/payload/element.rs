//! Payload elements: the trait [`Element`] of allowed types, and [`ElementType`], which identifies a type at run time.

use std::{
    any::{TypeId, type_name},
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
};

use bytemuck::{CheckedBitPattern, NoUninit};

/// A type that can be an element of messages: numbers, `bool`, `char`, arrays of numbers, and plain types of the program.
///
/// The trait is implemented automatically: a type is an element if it is [`NoUninit`] (all its bytes are initialized and can be sent) and
/// [`CheckedBitPattern`] (received bytes can be checked to be a valid value). For a struct of numbers both traits follow from `Pod` and
/// `Zeroable`, which can be derived; they are in the crate [`multicomputer::bytemuck`](crate::bytemuck):
///
/// ```
/// use multicomputer::{Machine, bytemuck::{Pod, Zeroable}, prelude::*};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
/// #[bytemuck(crate = "multicomputer::bytemuck")] // not needed where `bytemuck` is a dependency itself
/// #[repr(C)] // the fields lie in this order
/// struct Particle {
///     position: [f64; 3],
///     charge: i32,
///     spare: [u8; 4], // there must be no gap, so what would be one has a name
/// }
///
/// let machine = Machine::hockney(1, 2).build()?;
/// let sent = Particle { position: [1.0, 2.0, 3.0], charge: -1, spare: [0; 4] };
/// let run = machine.run(|node| {
///     let world = node.world();
///     if node.rank() == 0 {
///         world.send(1, &[sent; 10])?;
///         return Ok(vec![]);
///     }
///     Ok(world.recv(0)?.to_vec::<Particle>()?)
/// })?;
/// assert_eq!(run.outputs[1], [sent; 10]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// An enum without data derives `NoUninit` and `CheckedBitPattern` instead, with the same attribute. A struct that contains a `bool` or an
/// enum derives the same traits; but the derive macro then ignores the attribute and requires `bytemuck` as a dependency of the program:
/// `bytemuck = { version = "1", features = ["derive"] }`.
///
/// An array of numbers is an element, so that a vector of points can be a `Vec<[f64; 3]>`. A tuple is not an element, because Rust fixes
/// neither the order of its fields nor the gaps between them. Use [`Pair`](crate::Pair) for two values, and a struct as above for more.
///
/// A type that is not plain bytes is not an element, and the compiler error says what to derive:
///
/// ```compile_fail,E0277
/// let names = multicomputer::Payload::from(vec![String::from("no")]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a message",
    label = "elements are numbers, `bool`s and plain data types that implement `Pod`",
    note = "a struct of numbers derives it: `#[derive(Clone, Copy, Pod, Zeroable)] #[bytemuck(crate = \
            \"multicomputer::bytemuck\")] #[repr(C)]`, with `use multicomputer::bytemuck::{{Pod, Zeroable}};`",
    note = "there must be no gaps between its fields; for enums and structs with `bool`s see the documentation of \
            `multicomputer::Element`",
    note = "`String`, `Vec` and references are not elements: send their contents",
    note = "a tuple is not an element: use `multicomputer::Pair`, an array, or a struct",
    note = "a type of another crate: enable its feature `bytemuck` (num-complex, half, glam)"
)]
pub trait Element: NoUninit + CheckedBitPattern {}

#[diagnostic::do_not_recommend]
impl<T: NoUninit + CheckedBitPattern> Element for T {}

/// The run-time identity of an element type.
///
/// A message carries the element type in addition to its bytes, so that a receiver that asks for another type gets an error instead of
/// invalid values. The element type takes no modeled time and no bytes in the message.
///
/// ```
/// use multicomputer::ElementType;
/// let element = ElementType::of::<f64>();
/// assert_eq!((element.name(), element.size()), ("f64", 8));
/// assert_ne!(element, ElementType::of::<u64>());
/// ```
#[derive(Clone, Copy)]
pub struct ElementType {
    /// A single pointer, to keep messages small.
    properties: &'static Properties,
}

struct Properties {
    id: Id,
    name: fn() -> &'static str,
    size: usize,
}

/// The identity of a type.
enum Id {
    Known(fn() -> TypeId),
    /// A type received from another process of the same program: its digest and its name.
    #[cfg(feature = "mpi")]
    Foreign(u64, &'static str),
}

impl ElementType {
    /// Returns the element type of arrays of `T`.
    pub fn of<T: Element>() -> ElementType {
        let properties = const {
            &Properties { id: Id::Known(TypeId::of::<T>), name: type_name::<T>, size: size_of::<T>() }
        };
        ElementType { properties }
    }

    /// Returns the name of the type, as Rust prints it: for display, not for comparison.
    pub fn name(self) -> &'static str {
        match self.properties.id {
            Id::Known(_) => (self.properties.name)(),
            #[cfg(feature = "mpi")]
            Id::Foreign(_, name) => name,
        }
    }

    /// Returns the size of one element in bytes.
    pub fn size(self) -> usize {
        self.properties.size
    }

    /// Returns whether arrays of this type are plain bytes, which can be read as every type: `u8` and zero-sized types.
    pub(crate) fn is_plain(self) -> bool {
        self.size() == 0 || self == ElementType::of::<u8>()
    }
}

/// Exchange of types between processes of the same program.
impl ElementType {
    /// Returns a number that identifies the type in all processes of a program; never 0.
    pub(crate) fn digest(self) -> u64 {
        match self.properties.id {
            Id::Known(id) => {
                let mut hasher = DefaultHasher::new();
                id().hash(&mut hasher);
                hasher.finish().max(1)
            }
            #[cfg(feature = "mpi")]
            Id::Foreign(digest, _) => digest,
        }
    }

    /// Creates a type from the description received from another process. Its memory is never freed; a program has few types.
    #[cfg(feature = "mpi")]
    pub(crate) fn foreign(digest: u64, name: &str, size: usize) -> ElementType {
        let name = Box::leak(name.to_owned().into_boxed_str());
        let id = Id::Foreign(digest, name);
        ElementType { properties: Box::leak(Box::new(Properties { id, name: || "", size })) }
    }
}

/// Compares identities, not addresses: one type may have several addresses, and one address may belong to two types.
impl PartialEq for ElementType {
    fn eq(&self, other: &ElementType) -> bool {
        match (&self.properties.id, &other.properties.id) {
            (Id::Known(one), Id::Known(other)) => one() == other(),
            #[cfg(feature = "mpi")]
            _ => self.digest() == other.digest(),
        }
    }
}

impl Eq for ElementType {}

impl Hash for ElementType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest().hash(state);
    }
}

/// Displays the name, in which [`Pair`](super::Pair) has no path, because the path is private.
impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().split("multicomputer::payload::pair::").try_for_each(|part| f.write_str(part))
    }
}

impl fmt::Debug for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
