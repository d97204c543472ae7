//! Numbers of things in words: `1 node`, `2 nodes`.

use std::fmt::Display;

/// A number with its noun.
pub(super) fn counted(count: impl Display, one: &str) -> String {
    let count = count.to_string();
    match &count[..] {
        "1" => format!("1 {one}"),
        _ if one.ends_with("ch") => format!("{count} {one}es"),
        _ => format!("{count} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_several() {
        assert_eq!(
            [counted(0, "node"), counted(1_u64, "node"), counted(2, "switch"), counted(11, "byte")],
            ["0 nodes", "1 node", "2 switches", "11 bytes"]
        );
    }
}
