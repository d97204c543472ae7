//! Operators that vectors are combined with.

use std::{
    any::{TypeId, type_name},
    ops::{Add, BitAnd as And, BitOr as Or, BitXor as Xor, Mul},
};

use crate::payload::{Element, Payload, PayloadError};

/// An associative operator on the elements of vectors.
///
/// Those of the library are [`Sum`], [`Product`], [`Min`], [`Max`], [`BitAnd`], [`BitOr`], [`BitXor`], [`LogicalAnd`],
/// [`LogicalOr`] and [`LogicalXor`]; any function is one through [`commutative`] and [`associative`].
///
/// Sums of floating-point numbers are not quite associative: the last digits may depend on the algorithm. They are the
/// same on all ranks, and do not depend on the schedule of the threads.
pub trait Operator<T> {
    /// Its name in messages.
    fn name(&self) -> &str;

    /// Makes one of two operands; that of the lower ranks is the left one if the operator is not commutative.
    fn combine(&self, left: T, right: T) -> T;

    /// Whether the order of the operands does not matter: it does not unless said.
    fn is_commutative(&self) -> bool {
        true
    }

    /// Whether results are the same to the last bit, however operands are grouped, as those of whole numbers are. If
    /// not, which is so unless said, an algorithm in which every rank groups them in its own way is not used: all ranks
    /// are to have the same result.
    fn is_exact(&self) -> bool {
        false
    }
}

macro_rules! operators {
    ($($(#[$about:meta])* $name:ident, $spelled:literal, $bound:path, $exact:expr, |$left:ident, $right:ident| $result:expr;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl<T: Element + $bound> Operator<T> for $name {
            fn name(&self) -> &str {
                $spelled
            }

            fn combine(&self, $left: T, $right: T) -> T {
                $result
            }

            fn is_exact(&self) -> bool {
                let exact: fn() -> bool = $exact;
                exact()
            }
        }
    )*};
}

/// Whether operations on this type lose no digits: it is one of whole numbers. Of a program's own types nothing is known,
/// and there may be floating-point numbers in them.
fn is_whole<T: 'static>() -> bool {
    macro_rules! is_one_of {
        ($($whole:ty),*) => { [$(TypeId::of::<$whole>()),*].contains(&TypeId::of::<T>()) };
    }
    is_one_of!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, bool)
}

/// Whether it cannot be compared, even with itself.
fn is_odd<T: PartialOrd>(value: &T) -> bool {
    value.partial_cmp(value).is_none()
}

/// Truth values: `bool`, and whole numbers, of which 0 is no and all else is yes.
pub trait Truth: PartialEq + From<bool> {
    /// Whether it says yes.
    fn is_true(&self) -> bool {
        *self != Self::from(false)
    }
}

impl<T: PartialEq + From<bool>> Truth for T {}

operators! {
    /// The sum; integers that overflow do what `+` does.
    Sum, "sum", Add<Output = T>, is_whole::<T>, |left, right| left + right;
    /// The product; integers that overflow do what `*` does.
    Product, "product", Mul<Output = T>, is_whole::<T>, |left, right| left * right;
    /// The smaller one. What cannot be compared even with itself (NaN) wins; of equal ones (0 and -0) it is either.
    Min, "min", PartialOrd, is_whole::<T>, |left, right| if right < left || is_odd(&right) { right } else { left };
    /// The larger one. What cannot be compared even with itself (NaN) wins; of equal ones (0 and -0) it is either.
    Max, "max", PartialOrd, is_whole::<T>, |left, right| if right > left || is_odd(&right) { right } else { left };
    /// The bits that are set in both.
    BitAnd, "bitwise and", And<Output = T>, || true, |left, right| left & right;
    /// The bits that are set in one of them.
    BitOr, "bitwise or", Or<Output = T>, || true, |left, right| left | right;
    /// The bits that are set in exactly one of them.
    BitXor, "bitwise xor", Xor<Output = T>, || true, |left, right| left ^ right;
    /// Whether both say yes: `true` and `false`, or 1 and 0.
    LogicalAnd, "logical and", Truth, || true, |left, right| T::from(left.is_true() && right.is_true());
    /// Whether one of them says yes: `true` and `false`, or 1 and 0.
    LogicalOr, "logical or", Truth, || true, |left, right| T::from(left.is_true() || right.is_true());
    /// Whether exactly one of them says yes: `true` and `false`, or 1 and 0.
    LogicalXor, "logical xor", Truth, || true, |left, right| T::from(left.is_true() != right.is_true());
}

/// See [`commutative`] and [`associative`].
#[derive(Clone, Copy, Debug)]
pub struct Function<F> {
    function: F,
    is_commutative: bool,
}

/// An associative and commutative function as an operator.
///
/// ```
/// use multicomputer::{Machine, collective::{Collective, commutative}, prelude::*};
///
/// let machine = Machine::paragon(2, 3).build()?;
/// let run = machine.run(|node| {
///     let mut angle = [node.rank() as u32 * 100];
///     node.world().combine_all(&mut angle, commutative(|a: u32, b| (a + b) % 360))?;
///     Ok(angle[0])
/// })?;
/// assert_eq!(run.outputs, [60; 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn commutative<T, F: Fn(T, T) -> T>(function: F) -> Function<F> {
    Function { function, is_commutative: true }
}

/// An associative function whose operands may not change places, such as the product of matrices. Only algorithms that
/// keep the order of ranks are used.
pub fn associative<T, F: Fn(T, T) -> T>(function: F) -> Function<F> {
    Function { function, is_commutative: false }
}

impl<T, F: Fn(T, T) -> T> Operator<T> for Function<F> {
    fn name(&self) -> &str {
        if self.is_commutative { "a commutative function" } else { "an associative function" }
    }

    fn combine(&self, left: T, right: T) -> T {
        (self.function)(left, right)
    }

    fn is_commutative(&self) -> bool {
        self.is_commutative
    }
}

impl<T, O: Operator<T> + ?Sized> Operator<T> for &O {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn combine(&self, left: T, right: T) -> T {
        (**self).combine(left, right)
    }

    fn is_commutative(&self) -> bool {
        (**self).is_commutative()
    }

    fn is_exact(&self) -> bool {
        (**self).is_exact()
    }
}

/// Properties of an operator that all members must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Named<'a> {
    /// Its name in messages.
    pub(crate) name: &'a str,
    /// Tells apart what has the same name.
    pub(crate) of: &'static str,
    /// Whether operands may change places.
    pub(crate) is_commutative: bool,
    /// Whether results do not depend on how operands are grouped.
    pub(crate) is_exact: bool,
}

impl Named<'_> {
    pub(super) fn of<T, O: Operator<T>>(operator: &O) -> Named<'_> {
        Named {
            name: operator.name(),
            of: type_name::<(T, O)>(),
            is_commutative: operator.is_commutative(),
            is_exact: operator.is_exact(),
        }
    }
}

/// Combines two vectors of the same length. Phantom ones make a phantom one.
pub(super) fn combined<T: Element + Send>(
    operator: &impl Operator<T>,
    left: &Payload,
    right: &Payload,
) -> Result<Payload, PayloadError> {
    if left.is_phantom() || right.is_phantom() {
        return Ok(Payload::phantom(left.len()));
    }
    let (left, right) = (left.elements::<T>()?, right.elements::<T>()?);
    let pairs = left.iter().zip(right.iter());
    Ok(Payload::from(pairs.map(|(&left, &right)| operator.combine(left, right)).collect::<Vec<T>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_do_what_they_are_called() {
        assert_eq!(Sum.combine(3, 4), 7);
        assert_eq!(Product.combine(1.5, 4.0), 6.0);
        assert_eq!((Min.combine(3, -4), Max.combine(3, -4)), (-4, 3));
        assert_eq!((BitAnd.combine(6_u8, 3), BitOr.combine(6_u8, 3), BitXor.combine(6_u8, 3)), (2, 7, 5));
        let logical =
            |a: i32, b: i32| [LogicalAnd.combine(a, b), LogicalOr.combine(a, b), LogicalXor.combine(a, b)];
        assert_eq!([logical(5, -1), logical(0, 7), logical(0, 0)], [[1, 1, 0], [0, 1, 1], [0, 0, 0]]);
        assert!(Min.combine(f64::NAN, 1.0).is_nan() && Max.combine(1.0, f64::NAN).is_nan(), "on either side");
        assert!(Operator::<i32>::is_exact(&Sum) && !Operator::<f64>::is_exact(&Sum));
        let first = associative(|a: u32, _: u32| a);
        assert_eq!((first.combine(1, 2), first.is_commutative()), (1, false));
    }

    #[test]
    fn vectors_are_combined_wherever_they_lie() {
        let left = Payload::concat([Payload::from([1_u64]), Payload::from([2_u64, 3])]);
        let right = Payload::from(vec![9_u8, 10, 20, 30]).slice(1..).unwrap();
        let odd = Payload::from([10_u64, 20, 30]);
        let sum = combined::<u64>(&Sum, &left, &odd).unwrap();
        assert_eq!(sum.to_vec::<u64>().unwrap(), [11, 22, 33]);
        assert_eq!(combined::<u8>(&Max, &right, &right).unwrap().to_vec::<u8>().unwrap(), [10, 20, 30]);
        assert!(combined::<u64>(&Sum, &Payload::phantom(24), &odd).unwrap().is_phantom());
        assert!(combined::<f32>(&Sum, &left, &odd).is_err(), "another type");
    }
}
