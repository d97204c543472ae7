//! Buffers: the memory from which a call reads its elements and into which it stores its result.

use std::slice;

use bytemuck::Pod;

use super::{Element, Pair, Payload};

/// One or more elements in memory, from which a call reads and into which it stores its result: a slice, an array, a vector, or a single
/// number.
///
/// Calls such as [`all_reduce`](crate::collective::Collective::all_reduce) and [`recv_into`](crate::comm::Group::recv_into) take a
/// reference to a buffer. A number is a buffer of one element. An array is a buffer of its elements, also if the array could be an element
/// itself. No call changes the length of a vector.
///
/// ```
/// use multicomputer::{collective::Sum, prelude::*};
///
/// let run = Machine::hockney(1, 4).build()?.run(|node| {
///     let mut number = node.rank() as f64;
///     let mut array = [1_u32; 3];
///     let mut vector = vec![0.5; 8];
///     node.world().all_reduce(&mut number, Sum)?;
///     node.world().all_reduce(&mut array, Sum)?;
///     node.world().all_reduce(&mut vector, Sum)?;
///     node.world().all_reduce(&mut vector[..4], Sum)?;
///     Ok((number, array, vector[3], vector[4]))
/// })?;
/// assert_eq!(run.outputs, [(6.0, [4; 3], 8.0, 2.0); 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A single struct that is an [`Element`] is passed by [`slice::from_mut`], or implements this trait with `slice::from_ref(self)` and
/// `slice::from_mut(self)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a buffer of elements",
    label = "a number, an array, a vector or a slice of elements is needed here",
    note = "pass a single struct by `std::slice::from_mut(&mut value)`, and a type that dereferences to a slice by `&mut value[..]`"
)]
pub trait Buffer {
    /// The type of the elements.
    type Element: Element + Send;

    /// Returns the elements.
    fn as_slice(&self) -> &[Self::Element];

    /// Returns the elements for writing.
    fn as_mut_slice(&mut self) -> &mut [Self::Element];
}

impl<T: Element + Send> Buffer for [T] {
    type Element = T;

    fn as_slice(&self) -> &[T] {
        self
    }

    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Element + Send, const N: usize> Buffer for [T; N] {
    type Element = T;

    fn as_slice(&self) -> &[T] {
        self
    }

    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Element + Send> Buffer for Vec<T> {
    type Element = T;

    fn as_slice(&self) -> &[T] {
        self
    }

    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Element + Send> Buffer for Box<[T]> {
    type Element = T;

    fn as_slice(&self) -> &[T] {
        self
    }

    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}

/// Makes types buffers of one element, and payloads from their values.
macro_rules! scalars {
    ($({$($generics:tt)*} $scalar:ty;)*) => {$(
        impl<$($generics)*> Buffer for $scalar {
            type Element = $scalar;

            fn as_slice(&self) -> &[$scalar] {
                slice::from_ref(self)
            }

            fn as_mut_slice(&mut self) -> &mut [$scalar] {
                slice::from_mut(self)
            }
        }

        /// Copies the value: a payload of one element.
        impl<$($generics)*> From<$scalar> for Payload {
            fn from(value: $scalar) -> Payload {
                Payload::from_slice(&[value])
            }
        }
    )*};
}

scalars! {
    {} u8; {} u16; {} u32; {} u64; {} u128; {} usize;
    {} i8; {} i16; {} i32; {} i64; {} i128; {} isize;
    {} f32; {} f64; {} bool; {} char;
    {A: Pod + Send, B: Pod + Send} Pair<A, B>;
}
