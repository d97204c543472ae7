//! Message sizes: whole bytes, in powers of 1024, or of 1000 with kB, MB and GB.

use std::{iter, slice, str::FromStr, vec};

use super::{UnitError, split};

/// The binary units of sizes with their exponents of two, the largest first.
const BINARY: [(&str, u32); 3] = [("G", 30), ("M", 20), ("K", 10)];

/// The form that [`parse_bytes`] reads.
const BYTES: &str = "a number of bytes such as 1536, 2K or 1.5M (K, M and G, or KiB, MiB and GiB, are powers of 1024; kB, MB and \
                     GB are powers of 1000)";

/// Reads a number of bytes: `1536`, `2K`, `1.5M`, `64 KiB`, `1 GB`.
///
/// K, M and G are powers of 1024, in upper or lower case, with or without `i` or `iB`. With `B` they are powers of 1000, as in the
/// International System of Units. The `B` must be upper case: `b` means bit, and sizes cannot be given in bits.
///
/// ```
/// use multicomputer::units::parse_bytes;
/// assert_eq!(parse_bytes("2K"), Ok(2048));
/// assert_eq!(parse_bytes("1.5 MiB"), Ok(1_572_864));
/// assert_eq!(parse_bytes("1.5 MB"), Ok(1_500_000));
/// assert!(parse_bytes("0.3K").is_err());
/// ```
///
/// # Errors
/// [`UnitError`] if the text is not a number with one of these units, is negative, is not a whole number of bytes or does not fit in 64
/// bits.
pub fn parse_bytes(text: &str) -> Result<u64, UnitError> {
    let given = || text.to_owned();
    let unreadable = || UnitError::Unreadable { given: given(), expected: BYTES };
    let overflow = || UnitError::TooLarge { given: given(), most: "2^64 - 1 bytes" };
    let fractional = || UnitError::Fraction { given: given() };

    let (number, unit) = split(text);
    let (two, five) = powers(unit).ok_or_else(unreadable)?;
    let scale = 5_u64.pow(five) << two;
    if number.starts_with('-') {
        return Err(UnitError::Negative { given: given() });
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return Err(unreadable());
    }
    let whole: u64 = whole.parse().map_err(|_| overflow())?;
    let whole = whole.checked_mul(scale).ok_or_else(overflow)?;

    // A fraction f / 10^d (d digits) of the scale 2^two 5^five is a whole number of bytes if 10^d divides f 2^two 5^five. `five` is 0 or
    // `two`. The last digit of f is not 0, so f is not divisible by both 2 and 5; 2^d therefore divides 2^two in either case. The factors
    // of 5^d that 5^five lacks must divide f.
    let fraction = fraction.trim_end_matches('0');
    let digits = fraction.len() as u32;
    if digits == 0 {
        return Ok(whole);
    }
    if digits > two {
        return Err(fractional());
    }
    let power = 5_u128.pow(digits.saturating_sub(five));
    let fraction: u128 = fraction.parse().map_err(|_| fractional())?;
    if !fraction.is_multiple_of(power) {
        return Err(fractional());
    }
    let bytes = ((fraction / power) << (two - digits)) * 5_u128.pow(five.saturating_sub(digits));
    u64::try_from(bytes).ok().and_then(|bytes| whole.checked_add(bytes)).ok_or_else(overflow)
}

/// Formats a number of bytes in the largest binary unit that divides the number: `2 KiB`, `1536 B`, `0 B`.
///
/// [`parse_bytes`] reads the result back.
pub fn format_bytes(bytes: u64) -> String {
    BINARY
        .into_iter()
        .find(|(_, shift)| bytes != 0 && bytes.is_multiple_of(1 << shift))
        .map_or_else(|| format!("{bytes} B"), |(unit, shift)| format!("{} {unit}iB", bytes >> shift))
}

/// Formats a number of bytes and a limit in the same unit, the largest binary unit that divides both, so that they are easy to compare:
/// `2097153 B` and `1048576 B`, `2048 MiB` and `512 MiB`.
///
/// ```
/// use multicomputer::units::format_with_limit;
/// assert_eq!(format_with_limit(3 << 30, 512 << 20), ["3072 MiB", "512 MiB"]);
/// ```
pub fn format_with_limit(bytes: u64, most: u64) -> [String; 2] {
    let divides =
        |&(_, shift): &(&str, u32)| [bytes, most].iter().all(|bytes| bytes.is_multiple_of(1 << shift));
    let (unit, shift) = BINARY
        .into_iter()
        .find(divides)
        .map_or(("B".to_owned(), 0), |(unit, shift)| (format!("{unit}iB"), shift));
    [bytes, most].map(|bytes| format!("{} {unit}", bytes >> shift))
}

/// Returns the exponents of two and five of a size unit; `None` if the unit is unknown.
fn powers(unit: &str) -> Option<(u32, u32)> {
    if matches!(unit, "" | "B") {
        return Some((0, 0));
    }
    let (prefix, rest) = unit.split_at_checked(1)?;
    let (_, shift) = BINARY.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(prefix))?;
    match rest {
        "" | "i" | "iB" => Some((shift, 0)),
        // 1000^n is 2^(3 n) 5^(3 n), and 1024^n is 2^(10 n).
        "B" => Some((shift * 3 / 10, shift * 3 / 10)),
        _ => None,
    }
}

/// The sizes of a sweep in bytes: one or more, in the order given.
///
/// Parsed from a list of sizes and doubling ranges: `2K` is one size, `1,2K,8` are three, and `8..64K` is 8, 16, 32 and so on up to 65536.
/// A range always includes its upper end, even if doubling skips it: `3..10` is 3, 6, 10. A range from 0 continues with 1. Each end has its
/// own unit, as in [`parse_bytes`].
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
    /// Returns the sizes in bytes, in the order given.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sizes(text: &str) -> Vec<u64> {
        text.parse::<Sizes>().unwrap().into_iter().collect()
    }

    #[test]
    fn sizes_are_powers_of_1024_or_of_1000() {
        for (text, bytes) in [
            ("0", 0),
            ("1536", 1536),
            ("2K", 2048),
            ("2k", 2048),
            (" 2 KB ", 2000),
            ("1kB", 1000),
            ("1.5 MB", 1_500_000),
            ("0.001 kB", 1),
            ("1 GB", 1_000_000_000),
            ("2.000000001GB", 2_000_000_001),
            ("2 Ki", 2048),
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
        for text in [
            "", "K", "two", "2T", "2KX", "2iB", "+2", "1e3", ".5K", "1.2.3", "0x10", "2 K B", "1kb", "1 KIB",
            "7 b", "1µ",
        ] {
            assert!(matches!(parse_bytes(text), Err(UnitError::Unreadable { .. })), "{text}");
        }
        for text in [
            "0.3K",
            "1.5",
            "0.0001K",
            "0.0001kB",
            "1.0000000001GB",
            "0.0000000000000000000000000000000000000001G",
        ] {
            assert!(matches!(parse_bytes(text), Err(UnitError::Fraction { .. })), "{text}");
        }
        for text in ["18446744073709551616", "17179869184G", "18446744074GB"] {
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
    fn invalid_sweeps_are_refused() {
        for text in ["", "1,,2", "8..", "..8", "8...64"] {
            assert!(matches!(text.parse::<Sizes>(), Err(UnitError::Unreadable { .. })), "{text}");
        }
        assert_eq!("1, 9..8".parse::<Sizes>(), Err(UnitError::Descending { given: "9..8".to_owned() }));
    }

    #[test]
    fn sizes_are_shown_in_the_largest_unit_that_divides_them() {
        for (bytes, text) in
            [(0, "0 B"), (1536, "1536 B"), (2048, "2 KiB"), (3 << 20, "3 MiB"), (5 << 40, "5120 GiB")]
        {
            assert_eq!(format_bytes(bytes), text);
        }
    }

    #[test]
    fn a_size_and_its_limit_have_one_unit() {
        for (bytes, most, texts) in [
            (0, 1 << 30, ["0 GiB", "1 GiB"]),
            (999_999_999 << 30, 1 << 30, ["999999999 GiB", "1 GiB"]),
            (709_268_400, 512 << 20, ["709268400 B", "536870912 B"]),
            (u64::MAX, 1 << 30, ["18446744073709551615 B", "1073741824 B"]),
            (4 << 30, 512 << 20, ["4096 MiB", "512 MiB"]),
        ] {
            assert_eq!(format_with_limit(bytes, most), texts);
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
    }
}
