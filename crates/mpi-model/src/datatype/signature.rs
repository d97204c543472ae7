//! Signatures: the sequence of basic types of a message, to compare what was sent with what is received.
//!
//! A sequence is represented by its length and a polynomial hash (Karp and Rabin), which is computed from the hashes of the parts: a vector of a
//! million blocks costs as much as a few multiplications. A signature is as small as an envelope of a message needs it, and the receiver
//! computes the hash of as many of its elements as were sent.

use std::fmt;

use super::{
    Object,
    basic::Basic,
    layout::{Layout, Shape},
};

/// The signature of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Bytes of data.
    pub bytes: u64,
    /// The number of basic types.
    pub elements: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `MPI_PACKED` occurs: the data can be received as anything.
    Untyped,
    /// Only one basic type.
    One(Basic),
    /// The hash of several basic types.
    Several(u64),
}

/// How two signatures differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The basic types differ.
    Type,
    /// One has more elements.
    Count,
}

impl Signature {
    /// How the signature differs from another one, if it does. Untyped data differs by its length only.
    pub fn difference(&self, other: &Signature) -> Option<Difference> {
        let hash = |signature: &Signature| match signature.kind {
            Kind::One(basic) => copies(code(basic), 1, signature.elements),
            Kind::Several(hash) => hash,
            Kind::Untyped => 0,
        };
        match (self.kind, other.kind) {
            (Kind::Untyped, _) | (_, Kind::Untyped) => {
                (self.bytes != other.bytes).then_some(Difference::Count)
            }
            (Kind::One(a), Kind::One(b)) if code(a) != code(b) => Some(Difference::Type),
            _ if self.elements != other.elements => Some(Difference::Count),
            _ => (hash(self) != hash(other)).then_some(Difference::Type),
        }
    }
}

impl Object {
    /// The signature of `count` elements.
    pub fn signature(&self, count: u64) -> Signature {
        self.layout.signature(count)
    }
}

impl Layout {
    /// The signature of `count` elements.
    pub fn signature(&self, count: u64) -> Signature {
        let kind = match self.single() {
            _ if count == 0 || self.elements() == 0 => Kind::Several(0),
            _ if self.is_untyped() => Kind::Untyped,
            Some(basic) => Kind::One(basic),
            None => Kind::Several(copies(self.hash(), self.elements(), count)),
        };
        Signature { bytes: self.size() * count, elements: self.elements() * count, kind }
    }

    /// Returns whether a message can be received as elements of this layout (MPI 5.0, section 3.3.1): its basic types are the first ones of the
    /// receiver. Types of one kind and size match whatever their names are; `MPI_BYTE` matches itself only.
    pub fn accepts(&self, sent: &Signature) -> bool {
        if sent.elements == 0 || self.elements() == 0 || self.is_untyped() {
            return true;
        }
        match (sent.kind, self.single()) {
            (Kind::Untyped, _) => true,
            (Kind::One(basic), Some(own)) => code(basic) == code(own),
            (Kind::Several(_), Some(_)) => false,
            (Kind::One(basic), None) => {
                self.hash_of_first(sent.elements) == copies(code(basic), 1, sent.elements)
            }
            (Kind::Several(hash), None) => self.hash_of_first(sent.elements) == hash,
        }
    }

    /// The hash of one element.
    fn hash(&self) -> u64 {
        *self.hash.get_or_init(|| match &self.shape {
            Shape::Empty => 0,
            Shape::Basic(basic) => code(*basic),
            Shape::Repeat { of, .. } | Shape::Blocks { of, .. } => {
                copies(of.hash(), of.elements(), self.elements() / of.elements())
            }
            Shape::Struct { members } => members.iter().fold(0, |hash, member| {
                let (layout, count) = (&member.layout, member.count);
                let own = copies(layout.hash(), layout.elements(), count);
                join(hash, own, layout.elements() * count)
            }),
        })
    }

    /// The hash of the first basic types of any number of elements.
    fn hash_of_first(&self, elements: u64) -> u64 {
        let (whole, rest) = (elements / self.elements(), elements % self.elements());
        let hash = copies(self.hash(), self.elements(), whole);
        if rest == 0 {
            return hash;
        }
        let part = match &self.shape {
            Shape::Empty | Shape::Basic(_) => 0,
            Shape::Repeat { of, .. } | Shape::Blocks { of, .. } => of.hash_of_first(rest),
            Shape::Struct { members } => {
                let (mut hash, mut left) = (0, rest);
                for member in members.iter().filter(|member| member.layout.elements() > 0) {
                    let now = left.min(member.layout.elements() * member.count);
                    hash = join(hash, member.layout.hash_of_first(now), now);
                    left -= now;
                }
                hash
            }
        };
        join(hash, part, rest)
    }
}

/// The number that stands for a basic type in hashes.
fn code(basic: Basic) -> u64 {
    let class = basic.class;
    0x9e37_79b9_7f4a_7c15 % MODULUS + ((class as u64) << 8 | u64::from(basic.size))
}

/// A Mersenne prime.
const MODULUS: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0b4e_5a3f_29c7_81d3;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(MODULUS)) as u64
}

fn plus(a: u64, b: u64) -> u64 {
    (a + b) % MODULUS
}

fn power(mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1, BASE);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, square);
        }
        square = times(square, square);
        exponent >>= 1;
    }
    result
}

/// The hash of a sequence and another one after it.
fn join(first: u64, second: u64, length_of_second: u64) -> u64 {
    plus(times(first, power(length_of_second)), second)
}

/// The hash of copies of a sequence one after the other.
fn copies(hash: u64, length: u64, mut count: u64) -> u64 {
    let (mut result, mut double, mut shift) = (0, hash, power(length));
    while count > 0 {
        if count & 1 == 1 {
            result = plus(times(result, shift), double);
        }
        double = plus(times(double, shift), double);
        shift = times(shift, shift);
        count >>= 1;
    }
    result
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Untyped => write!(f, "{} bytes", self.bytes),
            Kind::One(basic) => write!(f, "{} x {basic}", self.elements),
            Kind::Several(_) => write!(f, "{} values of several types", self.elements),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::datatype::basic::NAMED;

    fn of(name: &str) -> Arc<Layout> {
        Layout::of_element(NAMED.iter().find(|named| named.name == name).unwrap().element)
    }

    #[test]
    fn equal_sequences_match_however_they_are_made() {
        let (int, double) = (of("MPI_INT"), of("MPI_DOUBLE"));
        let pair = Layout::structure(vec![(0, 1, int.clone()), (8, 1, double.clone())]).unwrap();
        let many = Layout::contiguous(1000, &pair).unwrap();
        assert!(many.accepts(&pair.signature(1000)));
        assert!(many.accepts(&pair.signature(999)));
        assert!(pair.accepts(&many.signature(1)));
        // 500 pairs, and an integer.
        let odd = Layout::structure(vec![(0, 500, pair.clone()), (8000, 1, int.clone())]).unwrap();
        assert!(many.accepts(&odd.signature(1)));
        let wrong = Layout::structure(vec![(0, 500, pair.clone()), (8000, 1, double.clone())]).unwrap();
        assert!(!many.accepts(&wrong.signature(1)));
        assert!(!many.accepts(&int.signature(2)) && many.accepts(&int.signature(1)));
        assert!(!int.accepts(&pair.signature(1)));
        assert!(
            of("MPI_PACKED").accepts(&pair.signature(1)) && pair.accepts(&of("MPI_PACKED").signature(12))
        );
        assert!(
            !of("MPI_BYTE").accepts(&int.signature(1))
                && of("MPI_BYTE").accepts(&of("MPI_BYTE").signature(1))
        );
        assert!(
            of("MPI_INT32_T").accepts(&int.signature(3)) && !of("MPI_UNSIGNED").accepts(&int.signature(3))
        );
        let (one, two) = (int.signature(1), int.signature(2));
        assert_eq!((one.difference(&one), one.difference(&two)), (None, Some(Difference::Count)));
        assert_eq!(pair.signature(1).difference(&odd.signature(1)), Some(Difference::Count));
        assert_eq!(many.signature(1).difference(&wrong.signature(1)), Some(Difference::Count));
        assert_eq!(one.difference(&of("MPI_FLOAT").signature(1)), Some(Difference::Type));
        let strided = Layout::repeat(7, 100, &int).unwrap();
        assert!(strided.accepts(&int.signature(7)));
        assert_eq!(strided.signature(2).to_string(), "14 x integer of 4 bytes");
    }
}
