//! Global operations: every node calls them, in the same order, and every node gets the result.

use std::ops::{BitAnd, BitOr, BitXor};

use bytemuck::Pod;

use super::{Nx, NxError};
use crate::payload::Payload;

/// An integer of C's type `long`: `i32`, as on the Paragon, or `i64`, as on newer hosts.
pub trait Long:
    Pod + Send + Ord + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + From<bool>
{
    /// The sum modulo the number of values.
    fn plus(self, other: Self) -> Self;

    /// The product modulo the number of values.
    fn times(self, other: Self) -> Self;

    /// Returns whether the integer is true: not 0.
    fn is_true(self) -> bool {
        self != Self::from(false)
    }
}

macro_rules! longs {
    ($($type:ty),*) => {$(
        impl Long for $type {
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
    )*};
}

longs!(i32, i64);

/// Defines the methods that combine vectors element by element.
macro_rules! elementwise {
    ($($name:ident $(<$t:ident>)?: $type:ty, $what:literal, $operator:expr;)*) => {
        impl Nx<'_, '_> {
            $(
                #[doc = concat!($what, ", element by element, over the vectors `x` of all nodes, which must have one ",
                    "length. `x` is the result on every node.")]
                ///
                /// NX's algorithms combine elements in the order of node numbers, InterCom's in any order. For the time see
                /// [`Library`](super::Library).
                ///
                /// # Errors
                /// The errors of [`gopf`](Nx::gopf).
                #[track_caller]
                pub fn $name $(<$t: Long>)? (&self, x: &mut [$type]) -> Result<(), NxError> {
                    let operator: fn($type, $type) -> $type = $operator;
                    self.combine(stringify!($name), x, true, |x, other| {
                        x.iter_mut().zip(other).for_each(|(x, &other)| *x = operator(*x, other));
                    })
                }
            )*
        }
    };
}

elementwise! {
    gdsum: f64, "The sum", |x, y| x + y;
    gdprod: f64, "The product", |x, y| x * y;
    gdhigh: f64, "The greatest value", f64::max;
    gdlow: f64, "The least value", f64::min;
    gssum: f32, "The sum", |x, y| x + y;
    gsprod: f32, "The product", |x, y| x * y;
    gshigh: f32, "The greatest value", f32::max;
    gslow: f32, "The least value", f32::min;
    gisum<T>: T, "The sum modulo 2^32 (or 2^64)", Long::plus;
    giprod<T>: T, "The product modulo 2^32 (or 2^64)", Long::times;
    gihigh<T>: T, "The greatest value", Ord::max;
    gilow<T>: T, "The least value", Ord::min;
    giand<T>: T, "The bitwise \"and\"", |x, y| x & y;
    gior<T>: T, "The bitwise \"or\"", |x, y| x | y;
    gixor<T>: T, "The bitwise \"exclusive or\" (not among the Paragon's calls)", |x, y| x ^ y;
}

/// Defines the methods that combine truth values.
macro_rules! logical {
    ($($name:ident: $what:literal, $operator:expr;)*) => {
        impl Nx<'_, '_> {
            $(
                #[doc = concat!("The logical ", $what, ", element by element, over the vectors `x` of all nodes, ",
                    "which must have one length. `x` is the result on every node.")]
                ///
                /// 0 is false and every other value true; the result is 0 or 1. For the time see [`Library`](super::Library).
                ///
                /// # Errors
                /// The errors of [`gopf`](Nx::gopf).
                #[track_caller]
                pub fn $name<T: Long>(&self, x: &mut [T]) -> Result<(), NxError> {
                    let operator: fn(bool, bool) -> bool = $operator;
                    x.iter_mut().for_each(|x| *x = T::from(x.is_true()));
                    self.combine(stringify!($name), x, true, |x, other| {
                        x.iter_mut()
                            .zip(other)
                            .for_each(|(x, other)| *x = T::from(operator(x.is_true(), other.is_true())));
                    })
                }
            )*
        }
    };
}

logical! {
    gland: "\"and\"", |x, y| x && y;
    glor: "\"or\"", |x, y| x || y;
    glxor: "\"exclusive or\" (not among the Paragon's calls)", |x, y| x != y;
}

impl Nx<'_, '_> {
    /// Returns when all nodes have called it. For the time see [`Library`](super::Library).
    ///
    /// On a machine with a hardware barrier a node that waits here does not forward broadcasts.
    ///
    /// # Errors
    /// Returns [`NxError::Comm`].
    #[track_caller]
    pub fn gsync(&self) -> Result<(), NxError> {
        self.synchronize()
    }

    /// Combines the vectors `x` of all nodes, which must have the same length, by a function of the program: `f(x, other)` combines `other`
    /// into `x`. `x` is the result on every node.
    ///
    /// `f` must be associative. It need not be commutative, because vectors are combined in the order of node numbers; NX did not guarantee
    /// this order. `f` is called with slices of the common length. For the time see [`Library`](super::Library).
    ///
    /// ```
    /// # use multicomputer::{Machine, nx::Nx};
    /// // The node with the greatest value, and that value.
    /// let run = Machine::paragon(2, 3).build()?.run(|node| {
    ///     let nx = Nx::new(node)?;
    ///     let mine = (nx.mynode() * 7) % 5;
    ///     let mut best = [mine, nx.mynode()];
    ///     nx.gopf(&mut best, |best, other| {
    ///         if other[0] > best[0] {
    ///             best.copy_from_slice(other);
    ///         }
    ///     })?;
    ///     Ok(best)
    /// })?;
    /// assert_eq!(run.outputs, [[4, 2]; 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`NxError::Lengths`] if the vectors have different lengths; [`NxError::Data`] if another node called it with elements of
    /// another type; [`NxError::Comm`].
    #[track_caller]
    pub fn gopf<T: Pod + Send>(&self, x: &mut [T], f: impl FnMut(&mut [T], &[T])) -> Result<(), NxError> {
        self.combine("gopf", x, false, f)
    }

    /// Concatenates the vectors `x` of all nodes, in the order of node numbers, into `y` on every node. The vectors may have any lengths,
    /// and a node need not know the lengths of the others. Returns the number of elements in `y`, NX's `ncnt`.
    ///
    /// For the time see [`Library`](super::Library).
    ///
    /// # Errors
    /// Returns [`NxError::ResultTooShort`] if `y` is too short; [`NxError::Data`] if another node called it with elements of another type;
    /// [`NxError::Comm`].
    #[track_caller]
    pub fn gcol<T: Pod>(&self, x: &[T], y: &mut [T]) -> Result<usize, NxError> {
        let whole = self.all_gather(Payload::from(x), None)?.to_vec::<T>()?;
        let given = y.len();
        let place = y.get_mut(..whole.len());
        place.ok_or(NxError::ResultTooShort { needed: whole.len(), given })?.copy_from_slice(&whole);
        Ok(whole.len())
    }

    /// Concatenates like [`gcol`](Nx::gcol), with the lengths given on every node: `xlens[i]` is the number of elements of node `i`.
    ///
    /// # Errors
    /// Returns [`NxError::Parts`] if there is not one length for each node, [`NxError::Part`] if a part, here or on another node, does not
    /// have the announced length, [`NxError::ResultTooShort`] if `y` is shorter than all parts together; otherwise the errors of
    /// [`gcol`](Nx::gcol).
    #[track_caller]
    pub fn gcolx<T: Pod>(&self, x: &[T], xlens: &[usize], y: &mut [T]) -> Result<(), NxError> {
        let (node, nodes) = (self.node.rank(), self.node.size());
        if xlens.len() != nodes {
            return Err(NxError::Parts { given: xlens.len(), nodes });
        }
        let bytes: Vec<u64> =
            xlens.iter().map(|&elements| elements.saturating_mul(size_of::<T>()) as u64).collect();
        if xlens[node] != x.len() {
            return Err(NxError::Part { node, given: size_of_val(x) as u64, expected: bytes[node] });
        }
        let needed = xlens.iter().fold(0, |sum: usize, &elements| sum.saturating_add(elements));
        let given = y.len();
        let place = y.get_mut(..needed).ok_or(NxError::ResultTooShort { needed, given })?;
        let whole = self.all_gather(Payload::from(x), Some(&bytes))?;
        let there = whole.len();
        let here = size_of_val(place) as u64;
        if there != here {
            return Err(NxError::Lengths { node: 0, there, here });
        }
        place.copy_from_slice(&whole.to_vec()?);
        Ok(())
    }
}
