//! Helpers for error messages: numbers with their nouns, and quoted inputs.

/// Returns a number with its noun: `1 byte`, `2 bytes`.
pub(crate) fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Returns a number with its noun and verb: `1 byte is`, `2 bytes are`.
pub(crate) fn are(number: usize, what: &str) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", count(number as u64, what))
}

/// Quotes an input in an error: escapes control characters and cuts the text after 40 characters.
pub(crate) fn shown(given: &str) -> String {
    const MAX_LENGTH: usize = 40;
    let mut shown = String::new();
    for (nth, character) in given.chars().enumerate() {
        if nth == MAX_LENGTH {
            return shown + "..";
        }
        match character.is_control() {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    shown
}
