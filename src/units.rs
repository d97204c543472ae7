//! Numbers with units in their usual notation: `2K`, `8..64K`, `92 us`, `30.6 ns/B`, `175 MB/s`.
//!
//! Message sizes are whole bytes. K, M and G are powers of 1024; kB, MB and GB are powers of 1000. Machine parameters are decimal, as in
//! machine manuals, and are read as the `f64` nearest to the number as written (`30.6 ns` equals the literal `30.6e-9`). A number that
//! cannot be represented is refused, never rounded: a fraction of a byte, an overflow, or an underflow to 0.

mod figures;
mod sizes;

pub(crate) use self::figures::Quantity;
pub use self::{
    figures::{parse_bytes_per_second, parse_seconds, parse_seconds_per_byte},
    sizes::{Sizes, format_bytes, format_with_limit, parse_bytes},
};

use thiserror::Error;

/// Splits a text into its number and its unit, and removes surrounding blanks. An `e` belongs to the number: no unit begins with `e`.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let is_unit = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E'));
    let (number, unit) = text.split_at(text.find(is_unit).unwrap_or(text.len()));
    (number, unit.trim_start())
}

/// The reason why a text is not a number with a unit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnitError {
    /// The text is not a number, or its unit is unknown.
    #[error("`{given}` is not {expected}")]
    Unreadable {
        /// The text that was given.
        given: String,
        /// The form that can be read.
        expected: &'static str,
    },
    /// The number has no unit.
    #[error("`{given}` has no unit; write {expected}")]
    NoUnit {
        /// The text that was given.
        given: String,
        /// The form that can be read.
        expected: &'static str,
    },
    /// The number is negative.
    #[error("`{given}` is negative; allowed is 0 or more")]
    Negative {
        /// The text that was given.
        given: String,
    },
    /// The size is not a whole number of bytes.
    #[error("`{given}` is not a whole number of bytes")]
    Fraction {
        /// The text that was given.
        given: String,
    },
    /// The number is too large to represent.
    #[error("`{given}` is too large; the maximum is {most}")]
    TooLarge {
        /// The text that was given.
        given: String,
        /// The largest number that can be represented.
        most: &'static str,
    },
    /// The number is so small that it would be rounded to 0.
    #[error("`{given}` is too small: it would be rounded to 0")]
    TooSmall {
        /// The text that was given.
        given: String,
    },
    /// The lower end of the range is above its upper end.
    #[error("`{given}` is descending; write the smaller size first")]
    Descending {
        /// The range that was given.
        given: String,
    },
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text: String) {
            let _ = (parse_bytes(&text), parse_seconds(&text), text.parse::<Sizes>());
        }
    }
}
