//! The predefined operators (MPI 5.0, section 6.9.2) on packed elements.
//!
//! An operator and a type select one loop; nothing is decided per element, so the compiler vectorizes the loops.

use crate::{
    datatype::basic::{Basic, Class, Element},
    word::Handle,
};

use super::soft_float::{Half, LongDouble, Quad};

/// A predefined operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are MPI's")]
pub enum Predefined {
    Sum,
    Min,
    Max,
    Prod,
    Band,
    Bor,
    Bxor,
    Land,
    Lor,
    Lxor,
    Minloc,
    Maxloc,
    Replace,
    NoOp,
}

use Predefined as P;

/// Handles and names in the standard ABI.
pub(super) const PREDEFINED: [(usize, &str, Predefined); 14] = [
    (0x21, "MPI_SUM", P::Sum),
    (0x22, "MPI_MIN", P::Min),
    (0x23, "MPI_MAX", P::Max),
    (0x24, "MPI_PROD", P::Prod),
    (0x28, "MPI_BAND", P::Band),
    (0x29, "MPI_BOR", P::Bor),
    (0x2a, "MPI_BXOR", P::Bxor),
    (0x30, "MPI_LAND", P::Land),
    (0x31, "MPI_LOR", P::Lor),
    (0x32, "MPI_LXOR", P::Lxor),
    (0x38, "MPI_MINLOC", P::Minloc),
    (0x39, "MPI_MAXLOC", P::Maxloc),
    (0x3c, "MPI_REPLACE", P::Replace),
    (0x3d, "MPI_NO_OP", P::NoOp),
];

/// Characters of one byte count as signed integers, which the standard does not ask for, but programs use.
fn as_number(element: Element) -> Element {
    match element {
        Element::One(basic) if basic.class == Class::Character && basic.size == 1 => {
            Element::One(Basic { class: Class::Signed, ..basic })
        }
        other => other,
    }
}

impl Predefined {
    /// Returns the operator of a handle.
    pub fn of_handle(handle: Handle) -> Option<Predefined> {
        PREDEFINED.iter().find(|entry| entry.0 == handle.0).map(|entry| entry.2)
    }

    /// The name, such as `MPI_SUM`.
    pub fn name(self) -> &'static str {
        PREDEFINED.iter().find(|entry| entry.2 == self).map_or("", |entry| entry.1)
    }

    /// Returns whether the operator is defined for a type: by the standard, or as numbers for characters, or as truth values for real numbers, which other MPI libraries accept. `MPI_REPLACE` and `MPI_NO_OP` are defined for all.
    pub fn is_defined_for(self, element: Element) -> bool {
        use Class::{Byte, Complex, Logical, LongDouble, LongDoubleComplex, Real, Signed, Unsigned};
        let element = as_number(element);
        let one_of =
            |classes: &[Class]| matches!(element, Element::One(basic) if classes.contains(&basic.class));
        match self {
            P::Min | P::Max => one_of(&[Signed, Unsigned, Real, LongDouble]),
            P::Sum | P::Prod => one_of(&[Signed, Unsigned, Real, LongDouble, Complex, LongDoubleComplex]),
            P::Land | P::Lor | P::Lxor => one_of(&[Signed, Unsigned, Logical, Real, LongDouble]),
            P::Band | P::Bor | P::Bxor => one_of(&[Signed, Unsigned, Byte]),
            P::Minloc | P::Maxloc => matches!(element, Element::Pair(..)),
            P::Replace | P::NoOp => true,
        }
    }

    /// Sets `right` to `left op right`, element by element, of a type for which the operator is defined.
    pub fn combine(self, element: Element, left: &[u8], right: &mut [u8]) {
        let element = as_number(element);
        match self {
            P::Replace => right.copy_from_slice(left),
            P::NoOp => {}
            P::Band => bytes(left, right, |a, b| a & b),
            P::Bor => bytes(left, right, |a, b| a | b),
            P::Bxor => bytes(left, right, |a, b| a ^ b),
            P::Land | P::Lor | P::Lxor | P::Sum | P::Min | P::Max | P::Prod => {
                if let Element::One(basic) = element {
                    self.combine_values(basic, left, right);
                }
            }
            P::Minloc | P::Maxloc => {
                if let Element::Pair(value, index) = element {
                    self.combine_pairs(value, index, left, right);
                }
            }
        }
    }

    fn combine_values(self, basic: Basic, left: &[u8], right: &mut [u8]) {
        if matches!(self, P::Land | P::Lor | P::Lxor) {
            return match basic.size {
                2 if basic.class == Class::Real => self.logical::<Half>(left, right),
                4 if basic.class == Class::Real => self.logical::<f32>(left, right),
                8 if basic.class == Class::Real => self.logical::<f64>(left, right),
                16 if basic.class == Class::Real => self.logical::<Quad>(left, right),
                _ if basic.class == Class::LongDouble => self.logical::<LongDouble>(left, right),
                1 => self.logical::<u8>(left, right),
                2 => self.logical::<u16>(left, right),
                4 => self.logical::<u32>(left, right),
                8 => self.logical::<u64>(left, right),
                _ => self.logical::<u128>(left, right),
            };
        }
        match (basic.class, basic.size) {
            (Class::Signed, 1) => self.arithmetic::<i8>(left, right),
            (Class::Signed, 2) => self.arithmetic::<i16>(left, right),
            (Class::Signed, 4) => self.arithmetic::<i32>(left, right),
            (Class::Signed, 8) => self.arithmetic::<i64>(left, right),
            (Class::Signed, _) => self.arithmetic::<i128>(left, right),
            (Class::Unsigned, 1) => self.arithmetic::<u8>(left, right),
            (Class::Unsigned, 2) => self.arithmetic::<u16>(left, right),
            (Class::Unsigned, 4) => self.arithmetic::<u32>(left, right),
            (Class::Unsigned, 8) => self.arithmetic::<u64>(left, right),
            (Class::Unsigned, _) => self.arithmetic::<u128>(left, right),
            (Class::Real, 2) => self.arithmetic::<Half>(left, right),
            (Class::Real, 4) => self.arithmetic::<f32>(left, right),
            (Class::Real, 8) => self.arithmetic::<f64>(left, right),
            (Class::Real, _) => self.arithmetic::<Quad>(left, right),
            (Class::LongDouble, _) => self.arithmetic::<LongDouble>(left, right),
            (Class::Complex, 4) => self.complex::<Half>(left, right),
            (Class::Complex, 8) => self.complex::<f32>(left, right),
            (Class::Complex, 16) => self.complex::<f64>(left, right),
            (Class::Complex, _) => self.complex::<Quad>(left, right),
            (Class::LongDoubleComplex, _) => self.complex::<LongDouble>(left, right),
            (Class::Packed | Class::Byte | Class::Character | Class::Logical, _) => {}
        }
    }

    fn arithmetic<T: Value>(self, left: &[u8], right: &mut [u8]) {
        match self {
            P::Sum => each(left, right, T::sum),
            P::Prod => each(left, right, T::product),
            P::Min => each(left, right, |a: T, b: T| if a < b { a } else { b }),
            P::Max => each(left, right, |a: T, b: T| if a > b { a } else { b }),
            _ => {}
        }
    }

    fn complex<T: Value>(self, left: &[u8], right: &mut [u8]) {
        match self {
            P::Sum => each(left, right, T::sum),
            P::Prod => {
                let size = 2 * T::SIZE;
                for (a, b) in left.chunks_exact(size).zip(right.chunks_exact_mut(size)) {
                    let load = |number: &[u8]| (T::load(&number[..T::SIZE]), T::load(&number[T::SIZE..]));
                    let ((a_re, a_im), (b_re, b_im)) = (load(a), load(b));
                    let re = a_re.product(b_re).sum(a_im.product(b_im).negate());
                    let im = a_re.product(b_im).sum(a_im.product(b_re));
                    re.store(&mut b[..T::SIZE]);
                    im.store(&mut b[T::SIZE..]);
                }
            }
            _ => {}
        }
    }

    fn logical<T: Value + From<bool>>(self, left: &[u8], right: &mut [u8]) {
        let no = T::from(false);
        match self {
            P::Land => each(left, right, |a: T, b: T| T::from((a != no) & (b != no))),
            P::Lor => each(left, right, |a: T, b: T| T::from((a != no) | (b != no))),
            P::Lxor => each(left, right, |a: T, b: T| T::from((a != no) ^ (b != no))),
            _ => {}
        }
    }

    fn combine_pairs(self, value: Basic, index: Basic, left: &[u8], right: &mut [u8]) {
        let index_less = match (index.class, index.size) {
            (Class::Real, 4) => less::<f32>,
            (Class::Real, _) => less::<f64>,
            (Class::Unsigned, 1) => less::<u8>,
            (Class::Unsigned, 2) => less::<u16>,
            (Class::Unsigned, 4) => less::<u32>,
            (Class::Unsigned, _) => less::<u64>,
            (_, 1) => less::<i8>,
            (_, 2) => less::<i16>,
            (_, 4) => less::<i32>,
            (_, 8) => less::<i64>,
            _ => less::<i128>,
        };
        let size = usize::from(index.size);
        match (value.class, value.size) {
            (Class::Real, 2) => self.pairs::<Half>(size, index_less, left, right),
            (Class::Real, 4) => self.pairs::<f32>(size, index_less, left, right),
            (Class::Real, 8) => self.pairs::<f64>(size, index_less, left, right),
            (Class::Real, _) => self.pairs::<Quad>(size, index_less, left, right),
            (Class::LongDouble, _) => self.pairs::<LongDouble>(size, index_less, left, right),
            (Class::Unsigned, 1) => self.pairs::<u8>(size, index_less, left, right),
            (Class::Unsigned, 2) => self.pairs::<u16>(size, index_less, left, right),
            (Class::Unsigned, 4) => self.pairs::<u32>(size, index_less, left, right),
            (Class::Unsigned, _) => self.pairs::<u64>(size, index_less, left, right),
            (_, 1) => self.pairs::<i8>(size, index_less, left, right),
            (_, 2) => self.pairs::<i16>(size, index_less, left, right),
            (_, 4) => self.pairs::<i32>(size, index_less, left, right),
            (_, 8) => self.pairs::<i64>(size, index_less, left, right),
            _ => self.pairs::<i128>(size, index_less, left, right),
        }
    }

    /// The better value and its index; of equal values, the smaller index.
    fn pairs<T: Value>(self, index: usize, index_less: Less, left: &[u8], right: &mut [u8]) {
        let size = T::SIZE + index;
        for (a, b) in left.chunks_exact(size).zip(right.chunks_exact_mut(size)) {
            let (x, y) = (T::load(&a[..T::SIZE]), T::load(&b[..T::SIZE]));
            let is_better = if self == P::Minloc { x < y } else { x > y };
            if is_better || x == y && index_less(&a[T::SIZE..], &b[T::SIZE..]) {
                b.copy_from_slice(a);
            }
        }
    }
}

type Less = fn(&[u8], &[u8]) -> bool;

fn less<T: Value>(left: &[u8], right: &[u8]) -> bool {
    T::load(left) < T::load(right)
}

/// A value of a basic type.
trait Value: Copy + PartialOrd {
    const SIZE: usize;

    fn load(bytes: &[u8]) -> Self;

    fn store(self, bytes: &mut [u8]);

    fn sum(self, other: Self) -> Self;

    fn product(self, other: Self) -> Self;

    fn negate(self) -> Self;
}

macro_rules! value {
    (@native $number:ty, $sum:expr, $product:expr, $negate:expr) => {
        impl Value for $number {
            const SIZE: usize = size_of::<$number>();

            #[inline(always)]
            fn load(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$number>()];
                own.copy_from_slice(bytes);
                <$number>::from_ne_bytes(own)
            }

            #[inline(always)]
            fn store(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }

            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                $sum(self, other)
            }

            #[inline(always)]
            fn product(self, other: Self) -> Self {
                $product(self, other)
            }

            #[inline(always)]
            fn negate(self) -> Self {
                $negate(self)
            }
        }
    };
    (@integers $($number:ty),*) => {$(
        value!(@native $number, <$number>::wrapping_add, <$number>::wrapping_mul, <$number>::wrapping_neg);
    )*};
    (@soft $($number:ty: $size:literal),*) => {$(
        impl Value for $number {
            const SIZE: usize = $size;

            fn load(bytes: &[u8]) -> Self {
                <$number>::load(bytes)
            }

            fn store(self, bytes: &mut [u8]) {
                <$number>::store(self, bytes);
            }

            fn sum(self, other: Self) -> Self {
                <$number>::sum(self, other)
            }

            fn product(self, other: Self) -> Self {
                <$number>::product(self, other)
            }

            fn negate(self) -> Self {
                <$number>::negate(self)
            }
        }
    )*};
}

value!(@integers i8, u8, i16, u16, i32, u32, i64, u64, i128, u128);
value!(@native f32, |a, b| a + b, |a, b| a * b, |a: f32| -a);
value!(@native f64, |a, b| a + b, |a, b| a * b, |a: f64| -a);
value!(@soft Half: 2, Quad: 16, LongDouble: 16);

fn each<T: Value>(left: &[u8], right: &mut [u8], combine: impl Fn(T, T) -> T) {
    for (a, b) in left.chunks_exact(T::SIZE).zip(right.chunks_exact_mut(T::SIZE)) {
        combine(T::load(a), T::load(b)).store(b);
    }
}

fn bytes(left: &[u8], right: &mut [u8], combine: impl Fn(u8, u8) -> u8) {
    for (&a, b) in left.iter().zip(right) {
        *b = combine(a, *b);
    }
}
