//! Numbers with units in their usual notation: `2K`, `8..64K`, `92 us`, `30.6 ns/B`, `175 MB/s`.
//!
//! Sizes of messages are powers of 1024 and whole bytes. Figures of machines are decimal, as in their manuals, and
//! are read as the nearest `f64` of the number as written (`30.6 ns` is exactly the literal `30.6e-9`). A number that
//! cannot be represented is refused, never rounded: a fraction of a byte, a number that overflows, a number that
//! underflows to 0.

use std::{fmt, iter, slice, str::FromStr, vec};

use serde::{Deserialize, Deserializer, de};
use thiserror::Error;

/// The binary units of a size, with the power of two of each, the largest first.
const BINARY: [(&str, u32); 3] = [("G", 30), ("M", 20), ("K", 10)];

/// The form that [`parse_bytes`] reads.
const BYTES: &str = "a number of bytes such as 1536, 2K or 1.5M (K, M and G are powers of 1024)";

/// Reads a number of bytes: `1536`, `2K`, `1.5M`, `64 KiB`, `1 GB`.
///
/// K, M and G are powers of 1024, in either case, with or without `B` or `iB`.
///
/// ```
/// use multicomputer::units::parse_bytes;
/// assert_eq!(parse_bytes("2K"), Ok(2048));
/// assert_eq!(parse_bytes("1.5 MiB"), Ok(1_572_864));
/// assert!(parse_bytes("0.3K").is_err());
/// ```
///
/// # Errors
/// [`UnitError`] for a text that is not a number with one of these units, is negative, is not a whole number of bytes
/// or does not fit in 64 bits.
pub fn parse_bytes(text: &str) -> Result<u64, UnitError> {
    let given = || text.to_owned();
    let unreadable = || UnitError::Unreadable { given: given(), expected: BYTES };
    let overflow = || UnitError::TooLarge { given: given(), most: "2^64 - 1 bytes" };
    let fractional = || UnitError::Fraction { given: given() };

    let (number, unit) = split(text);
    let shift = binary_shift(unit).ok_or_else(unreadable)?;
    if number.starts_with('-') {
        return Err(UnitError::Negative { given: given() });
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return Err(unreadable());
    }
    let whole: u64 = whole.parse().map_err(|_| overflow())?;
    let whole = whole.checked_mul(1 << shift).ok_or_else(overflow)?;

    // A fraction of d digits is a whole number of bytes if 10^d divides it times 2^shift. Its last digit is not 0,
    // so 5^d has to divide the digits themselves, which leaves them odd, and 2^d has to divide 2^shift.
    let fraction = fraction.trim_end_matches('0');
    let digits = fraction.len() as u32;
    if digits == 0 {
        return Ok(whole);
    }
    if digits > shift {
        return Err(fractional());
    }
    let power = 5_u128.pow(digits);
    let fraction: u128 = fraction.parse().map_err(|_| fractional())?;
    if !fraction.is_multiple_of(power) {
        return Err(fractional());
    }
    let bytes = (fraction / power) << (shift - digits);
    u64::try_from(bytes).ok().and_then(|bytes| whole.checked_add(bytes)).ok_or_else(overflow)
}

/// Formats a number of bytes in the largest binary unit that divides it: `2 KiB`, `1536 B`, `0 B`.
///
/// [`parse_bytes`] reads it back.
pub fn format_bytes(bytes: u64) -> String {
    BINARY
        .into_iter()
        .find(|(_, shift)| bytes != 0 && bytes.is_multiple_of(1 << shift))
        .map_or_else(|| format!("{bytes} B"), |(unit, shift)| format!("{} {unit}iB", bytes >> shift))
}

/// The power of two of a unit of a size; `None` if there is no such unit.
fn binary_shift(unit: &str) -> Option<u32> {
    let unit = unit.to_ascii_uppercase();
    if unit.is_empty() || unit == "B" {
        return Some(0);
    }
    BINARY
        .into_iter()
        .find_map(|(prefix, shift)| matches!(unit.strip_prefix(prefix)?, "" | "B" | "IB").then_some(shift))
}

/// The sizes of a sweep, in bytes: at least one, in the order given.
///
/// Read from a list of sizes and doubling ranges: `2K` is one size, `1,2K,8` are three, and `8..64K` is 8, 16, 32
/// and so on up to 65536. The upper end of a range always belongs to it, also where doubling would miss it:
/// `3..10` is 3, 6, 10. A range from 0 goes on with 1. Each end has its own unit, as in [`parse_bytes`].
///
/// ```
/// use multicomputer::units::Sizes;
///
/// let sizes: Sizes = "8..64, 2K".parse()?;
/// assert_eq!(sizes.into_iter().collect::<Vec<u64>>(), [8, 16, 32, 64, 2048]);
/// # Ok::<(), multicomputer::units::UnitError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(Vec<u64>);

impl Sizes {
    /// The sizes in bytes, in the order given.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }
}

impl FromStr for Sizes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Sizes, UnitError> {
        let mut sizes = Vec::new();
        for item in text.split(',') {
            match item.split_once("..") {
                None => sizes.push(parse_bytes(item)?),
                Some((low, high)) => {
                    let (low, high) = (parse_bytes(low)?, parse_bytes(high)?);
                    if low > high {
                        return Err(UnitError::Descending { given: item.trim().to_owned() });
                    }
                    let next = |&size: &u64| (size < high).then(|| size.saturating_mul(2).clamp(1, high));
                    sizes.extend(iter::successors(Some(low), next));
                }
            }
        }
        Ok(Sizes(sizes))
    }
}

impl IntoIterator for Sizes {
    type Item = u64;
    type IntoIter = vec::IntoIter<u64>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Sizes {
    type Item = u64;
    type IntoIter = iter::Copied<slice::Iter<'a, u64>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().copied()
    }
}

/// Reads a time in seconds: `92 us`, `0.34 us`, `1.5e-3 s`; a plain number is in seconds.
///
/// The units are s, ms, us (or µs), ns and ps.
///
/// ```
/// use multicomputer::units::parse_seconds;
/// assert_eq!(parse_seconds("92 us"), Ok(92e-6));
/// assert_eq!(parse_seconds("0.5"), Ok(0.5));
/// ```
///
/// # Errors
/// [`UnitError`] for a text that is not a number with one of these units, is negative, or lies outside the range of
/// an `f64`.
pub fn parse_seconds(text: &str) -> Result<f64, UnitError> {
    const UNITS: [(&str, i32); 5] = [("s", 0), ("ms", -3), ("us", -6), ("ns", -9), ("ps", -12)];
    parse_decimal(
        text,
        power_of_ten(&UNITS),
        "a time such as `92 us` (units s, ms, us, ns, ps; plain numbers are s)",
    )
}

/// Reads a time per byte in seconds per byte: `30.6 ns/B`, `0.394 us/byte`; a plain number is in s/B.
///
/// The units are those of [`parse_seconds`], followed by `/B` or `/byte`.
///
/// ```
/// use multicomputer::units::parse_seconds_per_byte;
/// assert_eq!(parse_seconds_per_byte("30.6 ns/B"), Ok(30.6e-9));
/// ```
///
/// # Errors
/// As [`parse_seconds`].
pub fn parse_seconds_per_byte(text: &str) -> Result<f64, UnitError> {
    const UNITS: [(&str, i32); 5] = [("s/B", 0), ("ms/B", -3), ("us/B", -6), ("ns/B", -9), ("ps/B", -12)];
    const EXPECTED: &str =
        "a time per byte such as `30.6 ns/B` (units s/B, ms/B, us/B, ns/B, ps/B; plain numbers are s/B)";
    parse_decimal(text, power_of_ten(&UNITS), EXPECTED)
}

/// Reads a bandwidth in bytes per second: `175 MB/s`, `100 Gb/s`, `2.8e6 B/s`; a plain number is in B/s.
///
/// A large `B` (or `byte`) is a byte and a small `b` (or `bit`) is a bit, an eighth of it. k (or K), M, G and T are powers
/// of 1000, as in the data sheets of real machines; Ki, Mi, Gi and Ti are powers of 1024.
///
/// ```
/// use multicomputer::units::parse_bytes_per_second;
/// assert_eq!(parse_bytes_per_second("175 MB/s"), Ok(175e6));
/// assert_eq!(parse_bytes_per_second("100 Gb/s"), Ok(12.5e9));
/// assert_eq!(parse_bytes_per_second("2 GiB/s"), Ok(2_147_483_648.0));
/// ```
///
/// # Errors
/// As [`parse_seconds`].
pub fn parse_bytes_per_second(text: &str) -> Result<f64, UnitError> {
    const PREFIXES: [(&str, i32, i32); 10] = [
        ("", 0, 0),
        ("k", 3, 0),
        ("K", 3, 0),
        ("M", 6, 0),
        ("G", 9, 0),
        ("T", 12, 0),
        ("Ki", 0, 10),
        ("Mi", 0, 20),
        ("Gi", 0, 30),
        ("Ti", 0, 40),
    ];
    const EXPECTED: &str = "a bandwidth such as `175 MB/s` or `100 Gb/s` (units B/s, kB/s, MB/s, GB/s, TB/s, powers of \
        1000; KiB/s to TiB/s, powers of 1024; the same with b for bits; plain numbers are B/s)";
    let scale = |unit: &str| {
        let unit = unit.strip_suffix("/s")?;
        let bytes = |unit: &str| unit.strip_suffix("byte").or(unit.strip_suffix('B')).map(str::to_owned);
        let bits = |unit: &str| unit.strip_suffix("bit").or(unit.strip_suffix('b')).map(str::to_owned);
        let (prefix, eighths) = bytes(unit).map(|unit| (unit, 0)).or(bits(unit).map(|unit| (unit, -3)))?;
        let &(_, ten, two) = PREFIXES.iter().find(|(name, ..)| *name == prefix)?;
        Some((ten, two + eighths))
    };
    parse_decimal(text, scale, EXPECTED)
}

/// Returns the function that finds the scale of a unit in a list of units and powers of ten.
fn power_of_ten(units: &[(&str, i32)]) -> impl Fn(&str) -> Option<(i32, i32)> {
    move |unit| {
        // Both code points of the micro sign are in use.
        let unit = unit.replace("byte", "B").replace(['\u{b5}', '\u{3bc}'], "u");
        units.iter().find(|(name, _)| *name == unit).map(|&(_, power)| (power, 0))
    }
}

/// Reads a decimal number, with a unit of which `scale` gives the powers of ten and of two, or without a unit.
fn parse_decimal(
    text: &str,
    scale: impl Fn(&str) -> Option<(i32, i32)>,
    expected: &'static str,
) -> Result<f64, UnitError> {
    let given = || text.to_owned();
    let unreadable = || UnitError::Unreadable { given: given(), expected };

    let (number, unit) = split(text);
    let (ten, two) = if unit.is_empty() { (0, 0) } else { scale(unit).ok_or_else(unreadable)? };
    // The power of ten goes into the exponent of the text, so that the number is rounded once; multiplying by a power
    // of two does not round.
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i32 = exponent.parse().map_err(|_| unreadable())?;
    let number = format!("{mantissa}e{}", exponent.saturating_add(ten));
    let value = number.parse::<f64>().map_err(|_| unreadable())? * f64::from(two).exp2();

    let vanished = value == 0.0 && mantissa.contains(|digit: char| matches!(digit, '1'..='9'));
    match value {
        _ if mantissa.starts_with('-') => Err(UnitError::Negative { given: given() }),
        _ if vanished => Err(UnitError::TooSmall { given: given() }),
        f64::INFINITY => Err(UnitError::TooLarge { given: given(), most: "1.8e308" }),
        _ => Ok(value),
    }
}

/// Splits a text into its number and its unit, without the blanks around them. No unit begins with an `e`.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let is_unit = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E'));
    let (number, unit) = text.split_at(text.find(is_unit).unwrap_or(text.len()));
    (number, unit.trim_start())
}

/// A quantity in a file: a number in SI units, or a text with a unit.
#[derive(Clone, Debug)]
pub(crate) enum Quantity {
    /// A plain number.
    Number(f64),
    /// A text for one of the parsers of this module.
    Text(String),
}

impl Quantity {
    /// Returns the number, or the result of `parse` for the text.
    pub(crate) fn read(&self, parse: impl FnOnce(&str) -> Result<f64, UnitError>) -> Result<f64, UnitError> {
        match self {
            Quantity::Number(number) => Ok(*number),
            Quantity::Text(text) => parse(text),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Number(number) => write!(f, "{number}"),
            Quantity::Text(text) => f.write_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Quantity, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Quantity;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number in SI units or a text with a unit, such as \"92 us\"")
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Quantity, E> {
                Ok(Quantity::Number(number))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Quantity, E> {
                Ok(Quantity::Number(number as f64))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Quantity, E> {
                Ok(Quantity::Text(text.to_owned()))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

/// The reason why a text is not a number with a unit.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnitError {
    /// The text is not a number, or has none of the units.
    #[error("`{given}` is not {expected}")]
    Unreadable {
        /// The text that was given.
        given: String,
        /// The form that can be read.
        expected: &'static str,
    },
    /// A negative number.
    #[error("`{given}` is negative; allowed is 0 or more")]
    Negative {
        /// The text that was given.
        given: String,
    },
    /// A size that is not a whole number of bytes.
    #[error("`{given}` is not a whole number of bytes")]
    Fraction {
        /// The text that was given.
        given: String,
    },
    /// A number too large to represent.
    #[error("`{given}` is too large; allowed is at most {most}")]
    TooLarge {
        /// The text that was given.
        given: String,
        /// The largest number that can be represented.
        most: &'static str,
    },
    /// A number so small that it would become 0.
    #[error("`{given}` is too small to be told from 0")]
    TooSmall {
        /// The text that was given.
        given: String,
    },
    /// A range whose lower end is above its upper end.
    #[error("`{given}` goes down; allowed is a range from the smaller to the larger size")]
    Descending {
        /// The range that was given.
        given: String,
    },
}

crate::text::debug_as_text!(UnitError);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sizes(text: &str) -> Vec<u64> {
        text.parse::<Sizes>().unwrap().into_iter().collect()
    }

    #[test]
    fn sizes_are_powers_of_1024() {
        for (text, bytes) in [
            ("0", 0),
            ("1536", 1536),
            ("2K", 2048),
            ("2k", 2048),
            (" 2 KB ", 2048),
            ("2KiB", 2048),
            ("3 MiB", 3 << 20),
            ("1G", 1 << 30),
            ("7 B", 7),
            ("1.5K", 1536),
            ("2.000", 2),
            ("2.", 2),
            ("0.000000000931322574615478515625G", 1),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn sizes_that_cannot_be_kept_are_refused() {
        for text in ["", "K", "two", "2T", "2KX", "2iB", "+2", "1e3", ".5K", "1.2.3", "0x10", "2 K B"] {
            assert!(matches!(parse_bytes(text), Err(UnitError::Unreadable { .. })), "{text}");
        }
        for text in ["0.3K", "1.5", "0.0001K", "0.0000000000000000000000000000000000000001G"] {
            assert!(matches!(parse_bytes(text), Err(UnitError::Fraction { .. })), "{text}");
        }
        for text in ["18446744073709551616", "17179869184G"] {
            assert!(matches!(parse_bytes(text), Err(UnitError::TooLarge { .. })), "{text}");
        }
        assert_eq!(parse_bytes("-2K"), Err(UnitError::Negative { given: "-2K".to_owned() }));
        assert_eq!(parse_bytes("2T").unwrap_err().to_string(), format!("`2T` is not {BYTES}"));
    }

    #[test]
    fn a_sweep_is_a_list_of_sizes_and_doubling_ranges() {
        assert_eq!(sizes("2K"), [2048]);
        assert_eq!(sizes("1,2K,8"), [1, 2048, 8]);
        assert_eq!(sizes("8..64"), [8, 16, 32, 64]);
        assert_eq!(sizes("8..64K").len(), 14);
        assert_eq!(sizes("8..64K").last(), Some(&65536));
        assert_eq!(sizes("3..10"), [3, 6, 10]);
        assert_eq!(sizes("0..4"), [0, 1, 2, 4]);
        assert_eq!(sizes("0..0, 5..5"), [0, 5]);
        assert_eq!(sizes("1..18446744073709551615").len(), 65);
    }

    #[test]
    fn a_sweep_that_is_none_is_refused() {
        for text in ["", "1,,2", "8..", "..8", "8...64"] {
            assert!(matches!(text.parse::<Sizes>(), Err(UnitError::Unreadable { .. })), "{text}");
        }
        assert_eq!("1, 9..8".parse::<Sizes>(), Err(UnitError::Descending { given: "9..8".to_owned() }));
    }

    #[test]
    fn figures_are_the_nearest_numbers_to_what_is_written() {
        for (text, seconds) in [
            ("92 us", 92e-6),
            ("92us", 92e-6),
            ("92 \u{b5}s", 92e-6),
            ("92 \u{3bc}s", 92e-6),
            ("0.34 us", 0.34e-6),
            ("30.6 ns", 30.6e-9),
            ("13 ps", 13e-12),
            ("1.5e3 ms", 1.5),
            ("1E-3", 1e-3),
            ("0", 0.0),
        ] {
            assert_eq!(parse_seconds(text), Ok(seconds), "{text}");
        }
        assert_eq!(parse_seconds_per_byte("0.394 us/byte"), Ok(0.394e-6));
        assert_eq!(parse_seconds_per_byte("5e-8"), Ok(5e-8));
        assert_eq!(parse_bytes_per_second("2.8 MB/s"), Ok(2.8e6));
        assert_eq!(parse_bytes_per_second("1 Gbyte/s"), parse_bytes_per_second("1e9"));
        assert_eq!(parse_bytes_per_second("3 KB/s"), parse_bytes_per_second("3 kB/s"));
    }

    #[test]
    fn figures_that_cannot_be_kept_are_refused() {
        for text in
            ["", "us", "92 min", "92 us/B", "nan", "inf s", "1e s", "1e1.5 s", "--1 s", "1 2 s", "0x1 s"]
        {
            assert!(matches!(parse_seconds(text), Err(UnitError::Unreadable { .. })), "{text}");
        }
        assert!(matches!(parse_seconds("-1 us"), Err(UnitError::Negative { .. })));
        assert!(matches!(parse_seconds("1e400 s"), Err(UnitError::TooLarge { .. })));
        assert!(matches!(parse_seconds("1e-400 s"), Err(UnitError::TooSmall { .. })));
        assert!(matches!(parse_seconds("1e-2147483648 ps"), Err(UnitError::TooSmall { .. })));
        assert_eq!(
            parse_bytes_per_second("175 MB").unwrap_err().to_string(),
            "`175 MB` is not a bandwidth such as `175 MB/s` or `100 Gb/s` (units B/s, kB/s, MB/s, GB/s, TB/s, powers of \
             1000; KiB/s to TiB/s, powers of 1024; the same with b for bits; plain numbers are B/s)"
        );
        for text in [
            "1 kiB/s",
            "1 mB/s",
            "1 gb/s",
            "1 /s",
            "1 i/s",
            "1 MB/s/s",
            "1 bytebit/s",
            "nan",
            "inf B/s",
            "NaN GB/s",
        ] {
            assert!(matches!(parse_bytes_per_second(text), Err(UnitError::Unreadable { .. })), "{text}");
        }
        for text in ["30 ns/b", "30 ns/bit", "30 ns/KiB"] {
            assert!(matches!(parse_seconds_per_byte(text), Err(UnitError::Unreadable { .. })), "{text}");
        }
        assert!(matches!(parse_bytes_per_second("-1 Gb/s"), Err(UnitError::Negative { .. })));
        assert!(matches!(parse_bytes_per_second("1.7e308 KiB/s"), Err(UnitError::TooLarge { .. })));
        assert!(matches!(parse_bytes_per_second("5e-324 b/s"), Err(UnitError::TooSmall { .. })));
    }

    #[test]
    fn bits_and_bytes_and_powers_of_1000_and_1024_are_told_apart() {
        for (text, bytes_per_second) in [
            ("100 Gb/s", 12.5e9),
            ("100 Gbit/s", 12.5e9),
            ("100 GB/s", 100e9),
            ("100 Gbyte/s", 100e9),
            ("100 GiB/s", 107_374_182_400.0),
            ("100 Gib/s", 13_421_772_800.0),
            ("8 b/s", 1.0),
            ("8 kb/s", 1e3),
            ("8 Kb/s", 1e3),
            ("8 Mb/s", 1e6),
            ("8 Tb/s", 1e12),
            ("1 TB/s", 1e12),
            ("1 KiB/s", 1024.0),
            ("1 MiB/s", 1_048_576.0),
            ("1 TiB/s", 1_099_511_627_776.0),
            ("1e300 B/s", 1e300),
        ] {
            assert_eq!(parse_bytes_per_second(text), Ok(bytes_per_second), "{text}");
        }
    }

    #[test]
    fn sizes_are_shown_in_the_largest_unit_that_divides_them() {
        for (bytes, text) in
            [(0, "0 B"), (1536, "1536 B"), (2048, "2 KiB"), (3 << 20, "3 MiB"), (5 << 40, "5120 GiB")]
        {
            assert_eq!(format_bytes(bytes), text);
        }
    }

    proptest! {
        #[test]
        fn sizes_are_read_as_they_are_shown(bytes: u64, shift in 0..64_u32) {
            let bytes = bytes << shift;
            prop_assert_eq!(parse_bytes(&format_bytes(bytes)), Ok(bytes));
        }

        #[test]
        fn quarters_of_a_kibibyte_are_exact(quarters in 0..1_000_000_u64) {
            let text = format!("{}K", quarters as f64 / 4.0);
            prop_assert_eq!(parse_bytes(&text), Ok(quarters * 256));
        }

        #[test]
        fn no_text_makes_the_parsers_panic(text: String) {
            let _ = (parse_bytes(&text), parse_seconds(&text), text.parse::<Sizes>());
        }
    }
}
