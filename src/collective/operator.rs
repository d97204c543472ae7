//! Operators for combining vectors.

use std::{
    any::{TypeId, type_name},
    ops::{Add, BitAnd as And, BitOr as Or, BitXor as Xor, Mul},
};

use bytemuck::Pod;

use crate::payload::{Element, Pair, Payload, PayloadError};

/// An associative operator on the elements of vectors.
///
/// The library provides [`Sum`], [`Product`], [`Min`], [`Max`], [`MinLoc`], [`MaxLoc`], [`BitAnd`], [`BitOr`], [`BitXor`], [`LogicalAnd`],
/// [`LogicalOr`] and [`LogicalXor`]. [`commutative`] and [`associative`] turn any function into an operator.
///
/// Sums of floating-point numbers are not exactly associative: the last digits may depend on the algorithm. The result is the same on all
/// ranks and does not depend on thread scheduling.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operator on elements of type `{T}`",
    label = "an operator such as `Sum`, `Max` or `commutative(|a, b| ..)` is needed here",
    note = "a closure becomes an operator by `collective::commutative(|a, b| ..)`, or by `collective::associative(|a, b| ..)` if \
            the order of the operands matters",
    note = "`Sum` needs elements that implement `Add`, `Max` and `Min` need `PartialOrd`, `MaxLoc` and `MinLoc` work on `Pair`s"
)]
pub trait Operator<T> {
    /// Name of the operator in messages.
    fn name(&self) -> &str;

    /// Combines two operands. If the operator is not commutative, `left` is the operand of the lower ranks.
    fn combine(&self, left: T, right: T) -> T;

    /// Whether the order of the operands does not matter; true by default.
    fn is_commutative(&self) -> bool {
        true
    }

    /// Whether results are the same to the last bit for any grouping of the operands, as with integers; false by default. For operators
    /// that are not exact, algorithms in which ranks group operands differently are excluded, because all ranks must get the same result.
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

/// Whether arithmetic on this type is exact, which holds for the integer types and `bool`. A program's own types count as inexact, because
/// they may contain floating-point numbers.
fn is_whole<T: 'static>() -> bool {
    macro_rules! is_one_of {
        ($($whole:ty),*) => { [$(TypeId::of::<$whole>()),*].contains(&TypeId::of::<T>()) };
    }
    is_one_of!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, bool)
}

/// Whether a value does not compare even with itself (NaN).
fn is_odd<T: PartialOrd>(value: &T) -> bool {
    value.partial_cmp(value).is_none()
}

/// Truth values: `bool`, and integers, for which 0 is false and any other value is true.
pub trait Truth: PartialEq + From<bool> {
    /// Whether the value is true.
    fn is_true(&self) -> bool {
        *self != Self::from(false)
    }
}

impl<T: PartialEq + From<bool>> Truth for T {}

operators! {
    /// Sum. Integer overflow behaves as with `+`.
    Sum, "sum", Add<Output = T>, is_whole::<T>, |left, right| left + right;
    /// Product. Integer overflow behaves as with `*`.
    Product, "product", Mul<Output = T>, is_whole::<T>, |left, right| left * right;
    /// Minimum. If an operand does not compare with itself (NaN), the result is NaN. Of equal values (0 and -0) the result is either.
    Min, "min", PartialOrd, is_whole::<T>, |left, right| if right < left || is_odd(&right) { right } else { left };
    /// Maximum. If an operand does not compare with itself (NaN), the result is NaN. Of equal values (0 and -0) the result is either.
    Max, "max", PartialOrd, is_whole::<T>, |left, right| if right > left || is_odd(&right) { right } else { left };
    /// Bitwise AND.
    BitAnd, "bitwise and", And<Output = T>, || true, |left, right| left & right;
    /// Bitwise OR.
    BitOr, "bitwise or", Or<Output = T>, || true, |left, right| left | right;
    /// Bitwise exclusive OR.
    BitXor, "bitwise xor", Xor<Output = T>, || true, |left, right| left ^ right;
    /// Logical AND. The result is `true` or `false`, or 1 or 0.
    LogicalAnd, "logical and", Truth, || true, |left, right| T::from(left.is_true() && right.is_true());
    /// Logical OR. The result is `true` or `false`, or 1 or 0.
    LogicalOr, "logical or", Truth, || true, |left, right| T::from(left.is_true() || right.is_true());
    /// Logical exclusive OR. The result is `true` or `false`, or 1 or 0.
    LogicalXor, "logical xor", Truth, || true, |left, right| T::from(left.is_true() != right.is_true());
}

/// Defines operators on [pairs](Pair) of a value and its location. `$further` compares values: whether the right one replaces the left one.
macro_rules! located {
    ($($(#[$about:meta])* $name:ident, $spelled:literal, $further:tt;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl<T: Pod + PartialOrd, L: Pod + PartialOrd> Operator<Pair<T, L>> for $name {
            fn name(&self) -> &str {
                $spelled
            }

            fn combine(&self, left: Pair<T, L>, right: Pair<T, L>) -> Pair<T, L> {
                let (one, other) = (left.first(), right.first());
                let takes_right = match (is_odd(&one), is_odd(&other)) {
                    (false, false) if one != other => other $further one,
                    (is_odd, other_is_odd) if is_odd != other_is_odd => other_is_odd,
                    _ => right.second() < left.second(),
                };
                if takes_right { right } else { left }
            }

            fn is_exact(&self) -> bool {
                is_whole::<T>() && is_whole::<L>()
            }
        }
    )*};
}

located! {
    /// Maximum with its location, as MPI's `MAXLOC`: of two [pairs](Pair) of a value and a location, the pair with the larger value. Of
    /// equal values the smaller location wins. A value that does not compare with itself (NaN) wins over all others.
    ///
    /// ```
    /// use multicomputer::{Pair, collective::MaxLoc, prelude::*};
    ///
    /// let readings = [0.5, 2.5, -1.0, 2.5];
    /// let run = Machine::hockney(1, 4).build()?.run(|node| {
    ///     let mut largest = Pair::new(readings[node.rank()], node.rank() as u32);
    ///     node.world().all_reduce(&mut largest, MaxLoc)?;
    ///     Ok((largest.first(), largest.second()))
    /// })?;
    /// assert_eq!(run.outputs, [(2.5, 1); 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    MaxLoc, "maximum with location", >;
    /// Minimum with its location, as MPI's `MINLOC`; otherwise as [`MaxLoc`].
    MinLoc, "minimum with location", <;
}

/// A function as an operator; see [`commutative`] and [`associative`].
#[derive(Clone, Copy, Debug)]
pub struct Function<F> {
    function: F,
    is_commutative: bool,
}

/// Turns an associative and commutative function into an operator.
///
/// ```
/// use multicomputer::{Machine, collective::{Collective, commutative}, prelude::*};
///
/// let machine = Machine::paragon(2, 3).build()?;
/// let run = machine.run(|node| {
///     let mut angle = node.rank() as u32 * 100;
///     node.world().all_reduce(&mut angle, commutative(|a: u32, b| (a + b) % 360))?;
///     Ok(angle)
/// })?;
/// assert_eq!(run.outputs, [60; 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn commutative<T, F: Fn(T, T) -> T>(function: F) -> Function<F> {
    Function { function, is_commutative: true }
}

/// Turns an associative function that is not commutative, such as the matrix product, into an operator. Only algorithms that keep the rank
/// order are used.
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

/// Properties of an operator that must be the same on all members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Named<'a> {
    /// Name in messages.
    pub(crate) name: &'a str,
    /// Type name, which distinguishes operators of the same name.
    pub(crate) of: &'static str,
    /// Whether the order of operands does not matter.
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

/// Combines two vectors of the same length. The result is phantom if either vector is.
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
    fn operators_compute_their_names() {
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
    fn a_location_follows_its_value_in_any_order() {
        let pair = |value: f64, place: u32| Pair::new(value, place);
        let most = |left, right| <(f64, u32)>::from(MaxLoc.combine(left, right));
        assert_eq!(most(pair(1.0, 0), pair(2.0, 1)), (2.0, 1));
        assert_eq!(most(pair(2.0, 3), pair(2.0, 1)), (2.0, 1));
        assert_eq!(most(pair(-0.0, 3), pair(0.0, 1)).1, 1);
        assert_eq!(MinLoc.combine(pair(1.0, 0), pair(2.0, 1)), pair(1.0, 0));
        let odd = pair(f64::NAN, 7);
        assert_eq!(
            [most(odd, pair(9.0, 0)).1, most(pair(9.0, 0), odd).1, most(odd, pair(f64::NAN, 2)).1],
            [7, 7, 2]
        );
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
