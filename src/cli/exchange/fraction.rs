//! Fractions as people write them: `1/32`, `0.25`.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// A number from 0 to 1, and how it was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fraction {
    spelled: String,
    value: f64,
}

/// What is no fraction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum FractionError {
    #[error("`{0}` is no fraction; allowed are such as 1/32, and decimal numbers such as 0.25")]
    Unreadable(String),
    #[error("`{0}` is out of range: from 0 to 1 is allowed")]
    Range(String),
}

impl Fraction {
    /// One part of several.
    pub(super) fn one_of(parts: usize) -> Fraction {
        Fraction { spelled: format!("1/{parts}"), value: 1.0 / parts.max(1) as f64 }
    }

    pub(super) fn value(&self) -> f64 {
        self.value
    }
}

impl FromStr for Fraction {
    type Err = FractionError;

    fn from_str(text: &str) -> Result<Fraction, FractionError> {
        let unreadable = || FractionError::Unreadable(text.to_owned());
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let value = match text.split_once('/') {
            None => number(text).ok_or_else(unreadable)?,
            Some((above, below)) => {
                let below = number(below).filter(|&below| below != 0.0);
                number(above).zip(below).map(|(above, below)| above / below).ok_or_else(unreadable)?
            }
        };
        match (0.0..=1.0).contains(&value) {
            true => Ok(Fraction { spelled: text.trim().to_owned(), value }),
            false => Err(FractionError::Range(text.to_owned())),
        }
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_read() {
        for (text, value) in [("1/32", 1.0 / 32.0), ("0.25", 0.25), ("0", 0.0), ("1", 1.0), (" 3 / 4", 0.75)]
        {
            assert_eq!(text.parse::<Fraction>().unwrap().value(), value, "{text}");
        }
        for text in ["", "half", "1/0", "1/", "/2", "1/2/3", "nan", "inf"] {
            assert_eq!(text.parse::<Fraction>(), Err(FractionError::Unreadable(text.to_owned())), "{text}");
        }
        for text in ["-1/2", "1.5", "33/32", "-0.1"] {
            assert_eq!(text.parse::<Fraction>(), Err(FractionError::Range(text.to_owned())), "{text}");
        }
    }
}
