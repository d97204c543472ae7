//! Lists of values of an axis: `1,2,5`, a doubling range `16..1024`, a range in steps `1..30+1`.

use multicomputer::units::{parse_bytes, parse_seconds, parse_seconds_per_byte};

/// The largest number of values of an axis.
const MAX_VALUES: usize = 1_000_000;

/// The form of the values of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Whole numbers.
    Count,
    /// Lengths such as `64K`.
    Bytes,
    /// Times such as `10us`.
    Seconds,
    /// Times per byte such as `1ns/B`.
    SecondsPerByte,
    /// Numbers without a unit.
    Number,
    /// Words, which may contain `=`, `:` and `+` but no comma.
    Name,
    /// Noise: an item with `=` that does not begin with `interval` continues the noise before it, because noise may be written with commas.
    Noise,
    /// Machines: an item that begins with a digit continues the name before it, because names of fat trees contain commas.
    Machine,
}

impl ValueKind {
    /// Reads a number in its base unit.
    pub(crate) fn number(self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        match self {
            ValueKind::Count => match text.parse::<u64>() {
                Ok(count) => Ok(count as f64),
                Err(_) => Err(format!("`{text}` is not a whole number")),
            },
            ValueKind::Bytes => {
                parse_bytes(text).map(|bytes| bytes as f64).map_err(|cause| cause.to_string())
            }
            ValueKind::Seconds => parse_seconds(text).map_err(|cause| cause.to_string()),
            ValueKind::SecondsPerByte => parse_seconds_per_byte(text).map_err(|cause| cause.to_string()),
            ValueKind::Number | ValueKind::Name | ValueKind::Noise | ValueKind::Machine => {
                match text.parse::<f64>() {
                    Ok(number) if number.is_finite() => Ok(number),
                    _ => Err(format!("`{text}` is not a number")),
                }
            }
        }
    }

    /// Reads a list of values and ranges into single values, each once, in the order given.
    pub(crate) fn expand(self, text: &str) -> Result<Vec<String>, String> {
        let mut values: Vec<String> = Vec::new();
        for item in text.split(',').map(str::trim) {
            if item.is_empty() {
                return Err(format!("`{text}` has an empty item: write values with one comma between them"));
            }
            match self {
                ValueKind::Machine => match values.last_mut() {
                    Some(name) if item.starts_with(|first: char| first.is_ascii_digit()) => {
                        name.push(',');
                        name.push_str(item);
                    }
                    _ => values.push(item.to_owned()),
                },
                ValueKind::Noise => match values.last_mut() {
                    Some(noise) if item.contains('=') && !item.starts_with("interval") => {
                        noise.push('+');
                        noise.push_str(item);
                    }
                    _ => values.push(item.to_owned()),
                },
                ValueKind::Name => values.push(item.to_owned()),
                _ => self.range(item, &mut values)?,
            }
            if values.len() > MAX_VALUES {
                return Err(format!("`{text}` has more than {MAX_VALUES} values: use larger steps"));
            }
        }
        // Equal numbers may be written in several ways.
        let identity = |value: &String| match self {
            ValueKind::Name | ValueKind::Noise | ValueKind::Machine => value.clone(),
            _ => self.number(value).map_or_else(|_| value.clone(), decimal),
        };
        let mut known = std::collections::BTreeSet::new();
        values.retain(|value| known.insert(identity(value)));
        Ok(values)
    }

    /// Reads a value or a range. The upper end always belongs to the range.
    fn range(self, item: &str, values: &mut Vec<String>) -> Result<(), String> {
        let Some((low, rest)) = item.split_once("..") else {
            self.number(item).map_err(|cause| with_hint(item, cause))?;
            values.push(item.to_owned());
            return Ok(());
        };
        let (high, step) = match rest.split_once('+') {
            Some((high, step)) => (high.trim(), Some(self.number(step)?)),
            None => (rest.trim(), None),
        };
        if rest.starts_with('.') {
            return Err(format!("`{item}` is not a range: write two points, as in 4..64"));
        }
        let (low, unit) = (low.trim(), unit(low.trim()));
        let (first, last) = (self.number(low)?, self.number(high)?);
        if first > last {
            return Err(format!("`{item}` is descending: write the smaller value first"));
        }
        if step.is_some_and(|step| step <= 0.0) {
            return Err(format!("`{item}` has steps of 0: use steps above 0"));
        }
        // The value of one unit of the lower end, so that a range in microseconds has values in microseconds.
        let one = self.number(&format!("1{unit}")).unwrap_or(1.0);
        let after = |number: f64, nth: u32| match step {
            Some(step) => first + f64::from(nth) * step,
            None if number == 0.0 => one,
            None => 2.0 * number,
        };
        let (mut number, mut nth) = (first, 0);
        // Rounding must not add a value just below the upper end.
        while number < last * (1.0 - 1e-12) || number == first && first < last {
            values.push(format!("{}{unit}", decimal(number / one)));
            if values.len() > MAX_VALUES {
                return Err(format!("`{item}` has more than {MAX_VALUES} values: use larger steps"));
            }
            nth += 1;
            number = after(number, nth);
        }
        values.push(high.to_owned());
        Ok(())
    }
}

/// Adds the form of a range to an error if `1-64` may have been meant as a range.
fn with_hint(item: &str, cause: String) -> String {
    match item.split_once('-') {
        Some((low, high)) if !low.is_empty() && !high.is_empty() => {
            format!("{cause}; a doubling range is written {low}..{high}, a range in steps {low}..{high}+STEP")
        }
        _ => cause,
    }
}

/// The unit behind a number.
fn unit(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// A number with at most twelve significant digits, so that three steps of 0.1 are 0.3.
fn decimal(number: f64) -> String {
    format!("{number:.11e}").parse::<f64>().unwrap_or(number).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_are_expanded_in_the_unit_of_their_lower_end() {
        for (kind, text, expected) in [
            (ValueKind::Count, "1,2,5", &["1", "2", "5"][..]),
            (ValueKind::Count, "16..128", &["16", "32", "64", "128"]),
            (ValueKind::Count, "3..10", &["3", "6", "10"]),
            (ValueKind::Count, "0..4", &["0", "1", "2", "4"]),
            (ValueKind::Count, "1..4+1,4,4", &["1", "2", "3", "4"]),
            (ValueKind::Count, "7..7", &["7"]),
            (ValueKind::Bytes, "8..64,2K", &["8", "16", "32", "64", "2K"]),
            (ValueKind::Bytes, "1K..4K", &["1K", "2K", "4K"]),
            (ValueKind::Seconds, "1us..4us", &["1us", "2us", "4us"]),
            (ValueKind::Seconds, "0.1us..0.4us+0.1us", &["0.1us", "0.2us", "0.3us", "0.4us"]),
            (ValueKind::Seconds, "500 ns..2us", &["500 ns", "1000 ns", "2us"]),
            (ValueKind::Number, "1..4+1.5", &["1", "2.5", "4"]),
            (ValueKind::Name, "none,interval=1ms+length=50us", &["none", "interval=1ms+length=50us"]),
            (
                ValueKind::Noise,
                "none,interval=1ms,length=50us,interval=2ms+length=1us",
                &["none", "interval=1ms+length=50us", "interval=2ms+length=1us"],
            ),
            (ValueKind::Seconds, "1us,1000ns,2us", &["1us", "2us"]),
            (ValueKind::Machine, "fat-tree:4,2,1,mesh:2x2", &["fat-tree:4,2,1", "mesh:2x2"]),
        ] {
            assert_eq!(kind.expand(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn wrong_lists_are_refused() {
        for (kind, text, part) in [
            (ValueKind::Count, "1,,2", "empty item"),
            (ValueKind::Count, "8..1", "descending"),
            (ValueKind::Count, "1..8+0", "steps of 0"),
            (ValueKind::Count, "1-8", "1..8"),
            (ValueKind::Count, "x", "`x` is not a whole number"),
            (ValueKind::Count, "1..10000000000+1", "use larger steps"),
            (ValueKind::Seconds, "10", "no unit"),
            (ValueKind::Bytes, "1K-1M", "1K..1M"),
        ] {
            let refusal = kind.expand(text).unwrap_err();
            assert!(refusal.contains(part), "{text}: {refusal}");
        }
    }
}
