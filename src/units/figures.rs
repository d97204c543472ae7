//! Machine parameters: times and rates, in decimal units.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

use super::{UnitError, split};

/// Reads a time in seconds: `92 us`, `0.34 us`, `1.5e-3 s`. Only 0 needs no unit.
///
/// The units are s, ms, us (or µs), ns and ps.
///
/// ```
/// use multicomputer::units::parse_seconds;
/// assert_eq!(parse_seconds("92 us"), Ok(92e-6));
/// assert_eq!(parse_seconds("0"), Ok(0.0));
/// assert_eq!(
///     parse_seconds("0.5").unwrap_err().to_string(),
///     "`0.5` has no unit; write a time such as `92 us` (units s, ms, us, ns, ps)"
/// );
/// ```
///
/// # Errors
/// [`UnitError`] if the text is not a number with one of these units, has no unit, is negative, or lies outside the range of an `f64`.
pub fn parse_seconds(text: &str) -> Result<f64, UnitError> {
    const UNITS: [(&str, i32); 5] = [("s", 0), ("ms", -3), ("us", -6), ("ns", -9), ("ps", -12)];
    parse_decimal(text, power_of_ten(&UNITS), "a time such as `92 us` (units s, ms, us, ns, ps)")
}

/// Reads a time per byte in seconds per byte: `30.6 ns/B`, `0.394 us/byte`. Only 0 needs no unit.
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
    const EXPECTED: &str = "a time per byte such as `30.6 ns/B` (units s/B, ms/B, us/B, ns/B, ps/B)";
    parse_decimal(text, power_of_ten(&UNITS), EXPECTED)
}

/// Reads a bandwidth in bytes per second: `175 MB/s`, `100 Gb/s`, `2.8e6 B/s`. Only 0 needs no unit.
///
/// `B` (or `byte`) is a byte; `b` (or `bit`) is a bit, one eighth of a byte. k (or K), M, G and T are powers of 1000, as in the data sheets
/// of real machines; Ki, Mi, Gi and Ti are powers of 1024.
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
        1000; KiB/s to TiB/s, powers of 1024; the same with b for bits)";
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
        // The micro sign has two code points: U+00B5 and, as the Greek letter, U+03BC.
        let unit = unit.replace("byte", "B").replace(['\u{b5}', '\u{3bc}'], "u");
        units.iter().find(|(name, _)| *name == unit).map(|&(_, power)| (power, 0))
    }
}

/// Reads a decimal number with a unit. `scale` maps the unit to its powers of ten and of two.
fn parse_decimal(
    text: &str,
    scale: impl Fn(&str) -> Option<(i32, i32)>,
    expected: &'static str,
) -> Result<f64, UnitError> {
    let given = || text.to_owned();
    let unreadable = || UnitError::Unreadable { given: given(), expected };

    let (number, unit) = split(text);
    let (ten, two) = if unit.is_empty() { (0, 0) } else { scale(unit).ok_or_else(unreadable)? };
    // The power of ten is added to the exponent in the text, so that the number is rounded once. Multiplication by a power of two is exact.
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i32 = exponent.parse().map_err(|_| unreadable())?;
    let number = format!("{mantissa}e{}", exponent.saturating_add(ten));
    let value = number.parse::<f64>().map_err(|_| unreadable())? * f64::from(two).exp2();

    let vanished = value == 0.0 && mantissa.contains(|digit: char| matches!(digit, '1'..='9'));
    match value {
        _ if mantissa.starts_with('-') => Err(UnitError::Negative { given: given() }),
        _ if vanished => Err(UnitError::TooSmall { given: given() }),
        f64::INFINITY => Err(UnitError::TooLarge { given: given(), most: "1.8e308" }),
        _ if unit.is_empty() && value != 0.0 => Err(UnitError::NoUnit { given: given(), expected }),
        _ => Ok(value),
    }
}

/// A quantity in a machine file: a number in SI units, or a text with a unit.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_parsed_to_the_nearest_number() {
        for (text, seconds) in [
            ("92 us", 92e-6),
            ("92us", 92e-6),
            ("92 \u{b5}s", 92e-6),
            ("92 \u{3bc}s", 92e-6),
            ("0.34 us", 0.34e-6),
            ("30.6 ns", 30.6e-9),
            ("13 ps", 13e-12),
            ("1.5e3 ms", 1.5),
            ("1E-3s", 1e-3),
            ("0", 0.0),
        ] {
            assert_eq!(parse_seconds(text), Ok(seconds), "{text}");
        }
        assert_eq!(parse_seconds_per_byte("0.394 us/byte"), Ok(0.394e-6));
        assert_eq!(parse_seconds_per_byte("5e-8 s/B"), Ok(5e-8));
        assert_eq!(parse_bytes_per_second("2.8 MB/s"), Ok(2.8e6));
        assert_eq!(parse_bytes_per_second("1 Gbyte/s"), parse_bytes_per_second("1e9 B/s"));
        assert_eq!(parse_bytes_per_second("3 KB/s"), parse_bytes_per_second("3 kB/s"));
    }

    #[test]
    fn figures_out_of_range_are_refused() {
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
             1000; KiB/s to TiB/s, powers of 1024; the same with b for bits)"
        );
        for (text, read) in [
            ("1", parse_seconds as fn(&str) -> Result<f64, UnitError>),
            ("1e-3", parse_seconds),
            ("5e-8", parse_seconds_per_byte),
            ("1e9", parse_bytes_per_second),
        ] {
            let refusal = read(text).unwrap_err().to_string();
            assert!(refusal.starts_with(&format!("`{text}` has no unit; write a ")), "{refusal}");
        }
        assert_eq!((parse_seconds("0.0"), parse_bytes_per_second("0")), (Ok(0.0), Ok(0.0)));
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
    fn bits_bytes_and_powers_of_1000_and_1024_are_distinguished() {
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
}
