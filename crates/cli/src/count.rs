//! Numbers with nouns: `1 node`, `2 nodes`.

use std::fmt::Display;

/// Formats a number with its noun, given in the singular.
pub(super) fn counted(count: impl Display, one: &str) -> String {
    let count = count.to_string();
    match &count[..] {
        "1" => format!("1 {one}"),
        _ if one.ends_with("ch") => format!("{count} {one}es"),
        _ => format!("{count} {one}s"),
    }
}
