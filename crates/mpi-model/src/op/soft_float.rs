//! Binary floating-point numbers that Rust has no types for: 16 and 128 bits, and the 80 bits of `long double` on x86-64.
//!
//! Sums and products are rounded once, to nearest, ties to even, as hardware does it.

use std::cmp::Ordering;

use crate::datatype::external::IS_X87;

/// A number with a precision of `P` bits and an exponent of `E` bits, encoded as in IEEE 754: sign, exponent, and a fraction of `P - 1` bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Soft<const P: u32, const E: u32>(u128);

/// A finite number: mantissa times 2^exponent. The least bit also stands for all digits that were cut off.
struct Finite {
    is_negative: bool,
    exponent: i32,
    mantissa: u128,
}

impl<const P: u32, const E: u32> Soft<P, E> {
    const FRACTION: u32 = P - 1;
    const SIGN: u128 = 1 << (Self::FRACTION + E);
    /// All exponent bits; without a fraction: infinity.
    const INFINITY: u128 = ((1 << E) - 1) << Self::FRACTION;
    const NAN: u128 = Self::INFINITY | 1 << (Self::FRACTION - 1);
    /// The exponent of the least bit of the smallest numbers.
    const LEAST: i32 = 2 - (1 << (E - 1)) - Self::FRACTION as i32;

    fn magnitude(self) -> u128 {
        self.0 & (Self::SIGN - 1)
    }

    fn is_nan(self) -> bool {
        self.magnitude() > Self::INFINITY
    }

    fn is_infinite(self) -> bool {
        self.magnitude() == Self::INFINITY
    }

    fn is_negative(self) -> bool {
        self.0 & Self::SIGN != 0
    }

    fn finite(self) -> Finite {
        let field = (self.magnitude() >> Self::FRACTION) as i32;
        let fraction = self.magnitude() & ((1 << Self::FRACTION) - 1);
        Finite {
            is_negative: self.is_negative(),
            exponent: Self::LEAST + field.max(1) - 1,
            mantissa: if field == 0 { fraction } else { fraction | 1 << Self::FRACTION },
        }
    }

    fn with_sign(magnitude: u128, is_negative: bool) -> Self {
        Soft(magnitude | if is_negative { Self::SIGN } else { 0 })
    }

    /// Rounds a number with at least two bits more than the precision, or an exact one.
    fn round(number: &Finite) -> Self {
        if number.mantissa == 0 {
            return Self::with_sign(0, number.is_negative);
        }
        let bits = (128 - number.mantissa.leading_zeros()) as i32;
        let mut exponent = (number.exponent + bits - P as i32).max(Self::LEAST);
        let shift = exponent - number.exponent;
        let mut mantissa = match shift {
            ..=0 => number.mantissa << -shift,
            1..=127 => {
                let (whole, rest) = (number.mantissa >> shift, number.mantissa & ((1 << shift) - 1));
                let half = 1 << (shift - 1);
                whole + u128::from(rest > half || rest == half && whole & 1 == 1)
            }
            _ => 0,
        };
        if mantissa >> P != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
        // A subnormal number has no bit before the fraction, and the field 0.
        let field = (exponent - Self::LEAST) as u128 + (mantissa >> Self::FRACTION);
        if field >= (1 << E) - 1 {
            return Self::with_sign(Self::INFINITY, number.is_negative);
        }
        let fraction = mantissa & ((1 << Self::FRACTION) - 1);
        Self::with_sign(field << Self::FRACTION | fraction, number.is_negative)
    }

    pub(super) fn negate(self) -> Self {
        Soft(self.0 ^ Self::SIGN)
    }

    pub(super) fn sum(self, other: Self) -> Self {
        match (self.is_infinite(), other.is_infinite()) {
            _ if self.is_nan() || other.is_nan() => return Soft(Self::NAN),
            (true, true) if self.is_negative() != other.is_negative() => return Soft(Self::NAN),
            (true, _) => return self,
            (_, true) => return other,
            _ => {}
        }
        let (mut large, mut small) = (self.finite(), other.finite());
        if (large.exponent, large.mantissa) < (small.exponent, small.mantissa) {
            (large, small) = (small, large);
        }
        // Three more bits suffice for one rounding: the sum of two normalized numbers whose exponents differ by more than 1 loses at most one bit.
        let shift = (large.exponent - small.exponent) as u32;
        let (a, b) = (large.mantissa << 3, right(small.mantissa << 3, shift));
        let is_difference = large.is_negative != small.is_negative;
        let mantissa = if is_difference { a - b } else { a + b };
        Self::round(&Finite {
            // An exact difference of 0 is positive, the sum of two negative zeros is negative.
            is_negative: large.is_negative && (mantissa != 0 || !is_difference),
            exponent: large.exponent - 3,
            mantissa,
        })
    }

    pub(super) fn product(self, other: Self) -> Self {
        let is_negative = self.is_negative() != other.is_negative();
        if self.is_nan() || other.is_nan() {
            return Soft(Self::NAN);
        }
        if self.is_infinite() || other.is_infinite() {
            let is_zero = self.magnitude() == 0 || other.magnitude() == 0;
            return if is_zero { Soft(Self::NAN) } else { Self::with_sign(Self::INFINITY, is_negative) };
        }
        let (a, b) = (self.finite(), other.finite());
        let (high, low) = wide_product(a.mantissa, b.mantissa);
        let exponent = a.exponent + b.exponent;
        if high == 0 {
            return Self::round(&Finite { is_negative, exponent, mantissa: low });
        }
        // The highest 128 bits.
        let shift = 128 - high.leading_zeros();
        let top = if shift == 128 { high } else { high << (128 - shift) | low >> shift };
        let rest = if shift == 128 { low } else { low & ((1 << shift) - 1) };
        let mantissa = top | u128::from(rest != 0);
        Self::round(&Finite { is_negative, exponent: exponent + shift as i32, mantissa })
    }
}

/// Shifts to the right; the least bit of the result is set if any bit was cut off.
fn right(value: u128, shift: u32) -> u128 {
    match shift {
        0 => value,
        1..=127 => value >> shift | u128::from(value & ((1 << shift) - 1) != 0),
        _ => u128::from(value != 0),
    }
}

/// The product of 256 bits: the high and the low half.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    let halves = |value: u128| (value >> 64, value & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    let (middle, low) = halves(a0 * b0);
    let (carry1, middle) = halves(a1 * b0 + middle);
    let (carry0, middle) = halves(a0 * b1 + middle);
    (a1 * b1 + carry1 + carry0, middle << 64 | low)
}

/// 1 or 0.
impl<const P: u32, const E: u32> From<bool> for Soft<P, E> {
    fn from(value: bool) -> Self {
        Soft(if value { ((1 << (E - 1)) - 1) << Self::FRACTION } else { 0 })
    }
}

impl<const P: u32, const E: u32> PartialEq for Soft<P, E> {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl<const P: u32, const E: u32> PartialOrd for Soft<P, E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        let key = |number: &Self| {
            let magnitude = number.magnitude() as i128;
            if number.is_negative() { -magnitude } else { magnitude }
        };
        key(self).partial_cmp(&key(other))
    }
}

/// `REAL*2` of Fortran, binary16.
pub(super) type Half = Soft<11, 5>;
/// `REAL*16` of Fortran, binary128.
pub(super) type Quad = Soft<113, 15>;
/// 80 bits, without the bit for the integer part.
type X87 = Soft<64, 15>;

impl Half {
    pub(super) fn load(bytes: &[u8]) -> Half {
        Soft(u16::from_ne_bytes([bytes[0], bytes[1]]).into())
    }

    pub(super) fn store(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&(self.0 as u16).to_ne_bytes());
    }
}

impl Quad {
    pub(super) fn load(bytes: &[u8]) -> Quad {
        let mut number = [0; 16];
        number.copy_from_slice(bytes);
        Soft(u128::from_ne_bytes(number))
    }

    pub(super) fn store(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.0.to_ne_bytes());
    }
}

/// `long double` in 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) enum LongDouble {
    X87(X87),
    Quad(Quad),
}

impl From<bool> for LongDouble {
    fn from(value: bool) -> LongDouble {
        if IS_X87 { LongDouble::X87(value.into()) } else { LongDouble::Quad(value.into()) }
    }
}

impl LongDouble {
    pub(super) fn load(bytes: &[u8]) -> LongDouble {
        if !IS_X87 {
            return LongDouble::Quad(Quad::load(bytes));
        }
        let mut number = [0; 16];
        number[..10].copy_from_slice(&bytes[..10]);
        let number = u128::from_le_bytes(number);
        // The integer bit of a subnormal number that is set counts as the exponent 1.
        let (upper, integer, fraction) = (number >> 64, number >> 63 & 1, number & ((1 << 63) - 1));
        let upper = if upper & 0x7fff == 0 { upper | integer } else { upper };
        LongDouble::X87(Soft(upper << 63 | fraction))
    }

    /// Stores a number; the 6 bytes after the 80 bits become 0.
    pub(super) fn store(self, bytes: &mut [u8]) {
        match self {
            LongDouble::X87(Soft(number)) => {
                let (upper, fraction) = (number >> 63, number & ((1 << 63) - 1));
                let integer = u128::from(upper & 0x7fff != 0);
                bytes.copy_from_slice(&(upper << 64 | integer << 63 | fraction).to_le_bytes());
            }
            LongDouble::Quad(number) => number.store(bytes),
        }
    }

    fn both(self, other: LongDouble, x87: fn(X87, X87) -> X87, quad: fn(Quad, Quad) -> Quad) -> LongDouble {
        match (self, other) {
            (LongDouble::X87(a), LongDouble::X87(b)) => LongDouble::X87(x87(a, b)),
            (LongDouble::Quad(a), LongDouble::Quad(b)) => LongDouble::Quad(quad(a, b)),
            _ => unreachable!("one machine has one format"),
        }
    }

    pub(super) fn sum(self, other: LongDouble) -> LongDouble {
        self.both(other, X87::sum, Quad::sum)
    }

    pub(super) fn product(self, other: LongDouble) -> LongDouble {
        self.both(other, X87::product, Quad::product)
    }

    pub(super) fn negate(self) -> LongDouble {
        match self {
            LongDouble::X87(number) => LongDouble::X87(number.negate()),
            LongDouble::Quad(number) => LongDouble::Quad(number.negate()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Double = Soft<53, 11>;
    type Single = Soft<24, 8>;

    fn same(soft: u128, hard: u128, is_nan: bool, soft_is_nan: bool) -> bool {
        if is_nan { soft_is_nan } else { soft == hard }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// The same code with the formats that hardware has.
        #[test]
        fn doubles_are_those_of_hardware(a: u64, b: u64, near in 0_u64..3) {
            // Often exponents that are close to each other.
            let b = if near == 0 { b } else { a & !0x000f_ffff_ffff_ffff & !(1 << 63) | b >> 12 | b << 63 };
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let (s, t) = (Double::sum(Soft(a.into()), Soft(b.into())), x + y);
            prop_assert!(same(s.0, t.to_bits().into(), t.is_nan(), s.is_nan()), "{x:e} + {y:e}");
            let (s, t) = (Double::product(Soft(a.into()), Soft(b.into())), x * y);
            prop_assert!(same(s.0, t.to_bits().into(), t.is_nan(), s.is_nan()), "{x:e} * {y:e}");
            prop_assert_eq!(Double::partial_cmp(&Soft(a.into()), &Soft(b.into())), x.partial_cmp(&y));
        }

        #[test]
        fn singles_are_those_of_hardware(a: u32, b: u32) {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            let (s, t) = (Single::sum(Soft(a.into()), Soft(b.into())), x + y);
            prop_assert!(same(s.0, t.to_bits().into(), t.is_nan(), s.is_nan()), "{x:e} + {y:e}");
            let (s, t) = (Single::product(Soft(a.into()), Soft(b.into())), x * y);
            prop_assert!(same(s.0, t.to_bits().into(), t.is_nan(), s.is_nan()), "{x:e} * {y:e}");
        }

        /// A product of two numbers of 53 bits is exact with 113 bits, and differs from that of hardware only by rounding.
        #[test]
        fn quads_round_to_the_product_of_doubles(a in -1e100_f64..1e100, b in -1e100_f64..1e100) {
            let wide = |value: f64| {
                let finite = Double::finite(Soft(value.to_bits().into()));
                Quad::round(&finite)
            };
            let product = wide(a).product(wide(b));
            prop_assert_eq!(Double::round(&product.finite()).0, u128::from((a * b).to_bits()));
        }
    }

    #[test]
    fn long_doubles_keep_64_bits() {
        let number = |value: f64| {
            let mut bytes = [0; 16];
            LongDouble::X87(X87::round(&Double::finite(Soft(value.to_bits().into())))).store(&mut bytes);
            bytes
        };
        if IS_X87 {
            // 1.0: exponent 0x3fff, integer bit.
            assert_eq!(number(1.0)[..10], [0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]);
            let mut sum = [0; 16];
            LongDouble::load(&number(1.0)).sum(LongDouble::load(&number(2_f64.powi(-63)))).store(&mut sum);
            assert_eq!(sum[..10], [1, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]);
            assert!(LongDouble::load(&number(-1.0)) < LongDouble::load(&number(0.5)));
        }
    }
}
