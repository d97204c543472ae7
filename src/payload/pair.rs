//! Pairs as elements of messages.

use bytemuck::{Pod, Zeroable};

/// Two numbers, or other plain values, as one element of messages, in place of a tuple.
///
/// A tuple cannot be an element: Rust fixes neither the order of its fields nor the gaps between them. A pair has the size of its two values,
/// without a gap. It converts from and to a tuple, and compares as a tuple does. The operators
/// [`MaxLoc`](crate::collective::MaxLoc) and [`MinLoc`](crate::collective::MinLoc) combine pairs of a value and its location.
///
/// ```
/// use multicomputer::{ElementType, Pair, Payload};
///
/// let payload = Payload::from(vec![Pair::new(0.5, 7_u32), Pair::new(2.5, 1)]);
/// assert_eq!(payload.len(), 2 * 12);
/// let (value, place) = payload.to_vec::<Pair<f64, u32>>()?[1].into();
/// assert_eq!((value, place), (2.5, 1));
/// # Ok::<(), multicomputer::PayloadError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C, packed)]
pub struct Pair<A, B> {
    first: A,
    second: B,
}

impl<A: Copy, B: Copy> Pair<A, B> {
    /// Creates a pair.
    pub const fn new(first: A, second: B) -> Pair<A, B> {
        Pair { first, second }
    }

    /// Returns the first value.
    pub const fn first(self) -> A {
        self.first
    }

    /// Returns the second value.
    pub const fn second(self) -> B {
        self.second
    }
}

impl<A: Copy, B: Copy> From<(A, B)> for Pair<A, B> {
    fn from((first, second): (A, B)) -> Pair<A, B> {
        Pair { first, second }
    }
}

impl<A: Copy, B: Copy> From<Pair<A, B>> for (A, B) {
    fn from(pair: Pair<A, B>) -> (A, B) {
        (pair.first, pair.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::ElementType;

    #[test]
    fn a_pair_is_displayed_without_the_private_path() {
        let element = ElementType::of::<[Pair<u64, Pair<f32, u32>>; 2]>();
        assert_eq!(element.to_string(), "[Pair<u64, Pair<f32, u32>>; 2]");
    }
}
