//! Comma-separated lists as option values.

use std::ops::Deref;

use multicomputer::{
    names,
    plan::{Algorithm, Problem},
    units::parse_bytes,
};

/// Maximum number of lengths in a list.
const MAX_LENGTHS: usize = 1 << 20;

/// Items of a comma-separated list. Only a list of lengths can be empty, such as `0x8`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct List<T>(Vec<T>);

/// Returns the items of a comma-separated list, trimmed.
pub(super) fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
}

/// Returns whether a list item is `all`, after [normalization](names::normalized).
pub(super) fn is_all(item: &str) -> bool {
    names::normalized(item) == "all"
}

/// Formats algorithms for a help text: name and description, then a line with the aliases, if there are any.
pub(super) fn algorithm_lines<P: Problem>(
    algorithms: impl Iterator<Item = Algorithm<P>>,
    width: usize,
) -> String {
    let line = |algorithm: Algorithm<P>| {
        let line = format!("  {:width$} {}", algorithm.name(), algorithm.about());
        match algorithm.aliases() {
            [] => line,
            aliases => format!("{line}\n  {:width$} also called {}", "", aliases.join(", ")),
        }
    };
    algorithms.map(line).collect::<Vec<_>>().join("\n")
}

/// Parses lengths; `15x32` stands for 15 lengths of 32 bytes: `64K,15x32`.
pub(super) fn lengths(text: &str) -> Result<List<u64>, String> {
    let mut lengths = Vec::new();
    for item in items(text) {
        let (count, length) = item.split_once('x').unwrap_or(("1", item));
        let strange =
            || format!("`{item}` is not a length: write 64K, or a count and a length such as 15x32");
        let count: usize = count.parse().map_err(|_| strange())?;
        let length = parse_bytes(length).map_err(|_| strange())?;
        if lengths.len().saturating_add(count) > MAX_LENGTHS {
            return Err(format!("more than {MAX_LENGTHS} lengths are given: give fewer"));
        }
        lengths.extend(std::iter::repeat_n(length, count));
    }
    Ok(List(lengths))
}

impl<T> List<T> {
    /// Creates a list of `items`.
    pub(super) fn of(items: impl IntoIterator<Item = T>) -> List<T> {
        List(items.into_iter().collect())
    }

    /// Parses a comma-separated list; `read` returns one or several values for each item.
    pub(super) fn read<I: IntoIterator<Item = T>>(
        text: &str,
        read: impl Fn(&str) -> Result<I, String>,
    ) -> Result<List<T>, String> {
        let read: Vec<I> = items(text).map(read).collect::<Result<_, _>>()?;
        Ok(List::of(read.into_iter().flatten()))
    }
}

impl<T: PartialEq> List<T> {
    /// Removes duplicates; the first occurrence of each item keeps its place.
    pub(super) fn without_duplicates(self) -> List<T> {
        let mut once = Vec::new();
        for item in self.0 {
            if !once.contains(&item) {
                once.push(item);
            }
        }
        List(once)
    }

    /// Returns the items of `all` that are in the list, in the order of `all`.
    pub(super) fn in_order_of(&self, all: impl IntoIterator<Item = T>) -> List<T> {
        List::of(all.into_iter().filter(|item| self.contains(item)))
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}
