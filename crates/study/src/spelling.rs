//! Names and values as they are written: settings of study files, efforts and fractions.

use multicomputer::{names, plan::Effort};

/// Keys of settings that are not axes.
pub(crate) const SETTINGS: [&str; 6] = ["title", "algorithm", "run", "phantom", "element", "in-order"];

/// Reads an effort: `estimate`, `quick`, `normal` or `thorough`.
///
/// # Errors
///
/// A text with the nearest name and all names.
pub fn read_effort(text: &str) -> Result<Effort, String> {
    let known = Effort::ALL.map(Effort::name);
    let named = Effort::ALL.into_iter().find(|effort| effort.name() == names::normalized(text));
    named.ok_or_else(|| names::unknown("effort", text, names::nearest(text, known), &known.join(", ")))
}

/// Reads a fraction from 0 to 1: `1/32`, `0.25`.
///
/// # Errors
///
/// A text that says what is wrong and what can be written.
pub fn read_fraction(text: &str) -> Result<f64, String> {
    let unreadable = || format!("`{text}` is not a fraction: write 1/32 or 0.25");
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let value = match text.split_once('/') {
        None => number(text),
        Some((above, below)) => {
            let below = number(below).filter(|&below| below != 0.0);
            number(above).zip(below).map(|(above, below)| above / below)
        }
    };
    match value.ok_or_else(unreadable)? {
        value if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err(format!("`{text}` is out of range: give a number from 0 to 1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_read() {
        assert_eq!((read_fraction("1/32"), read_fraction("0.25")), (Ok(1.0 / 32.0), Ok(0.25)));
        assert!(read_fraction("2").is_err() && read_fraction("1/0").is_err() && read_fraction("x").is_err());
    }
}
