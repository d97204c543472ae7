//! Helpers for error messages: numbers with their nouns, lists, and quoted inputs.

use std::{collections::BTreeMap, fmt::Display};

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

/// Maximum number of lines of a list.
const LISTED: usize = 10;

/// Lists lines under a title: equal lines once, with their number, and at most ten lines.
pub(crate) fn listed(title: String, lines: impl IntoIterator<Item = impl Display>) -> String {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut counts: Vec<(String, usize)> = Vec::new();
    for line in lines {
        let line = line.to_string();
        let next = counts.len();
        match *known.entry(line.clone()).or_insert(next) {
            at if at == next => counts.push((line, 1)),
            at => counts[at].1 += 1,
        }
    }
    let more: usize = counts.iter().skip(LISTED).map(|(_, number)| number).sum();
    let mut text = title;
    for (line, number) in counts.into_iter().take(LISTED) {
        text += &match number {
            1 => format!("\n  {line}"),
            _ => format!("\n  {line}: {number} times"),
        };
    }
    if more > 0 {
        text += &format!("\n  and {more} more");
    }
    text
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
