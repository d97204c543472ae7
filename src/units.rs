//! Numbers with units in their usual notation: `2K`, `8..64K`, `92 us`, `30.6 ns/B`, `175 MB/s`.
//!
//! Sizes of messages are whole bytes, in powers of 1024, or of 1000 with kB, MB and GB. Figures of machines are decimal, as in their manuals, and
//! are read as the nearest `f64` of the number as written (`30.6 ns` is exactly the literal `30.6e-9`). A number that
//! cannot be represented is refused, never rounded: a fraction of a byte, a number that overflows, a number that
//! underflows to 0.

mod figures;
mod sizes;

pub(crate) use self::figures::Quantity;
pub use self::{
    figures::{parse_bytes_per_second, parse_seconds, parse_seconds_per_byte},
    sizes::{Sizes, format_bytes, format_with_limit, parse_bytes},
};

use thiserror::Error;

/// Splits a text into its number and its unit, without the blanks around them. No unit begins with an `e`.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let is_unit = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E'));
    let (number, unit) = text.split_at(text.find(is_unit).unwrap_or(text.len()));
    (number, unit.trim_start())
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
    /// A number without a unit.
    #[error("`{given}` has no unit; write {expected}")]
    NoUnit {
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

    proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text: String) {
            let _ = (parse_bytes(&text), parse_seconds(&text), text.parse::<Sizes>());
        }
    }
}
