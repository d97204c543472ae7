//! Lists as options take them: items with commas between them.

use std::ops::Deref;

use multicomputer::{
    names,
    plan::{Algorithm, Problem},
    units::parse_bytes,
};

/// The most lengths that are read.
const MAX_LENGTHS: usize = 1 << 20;

/// The items of a list, at least one but in a list of lengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct List<T>(Vec<T>);

/// The texts between the commas.
pub(super) fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
}

/// Whether an item of a list is `all`, in any spelling.
pub(super) fn is_all(item: &str) -> bool {
    names::normalized(item) == "all"
}

/// The algorithms for a help text: name, description and, in a line of their own, the other names.
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

/// Reads lengths, each as itself or with how many follow each other: `64K,15x32`.
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
    /// These items.
    pub(super) fn of(items: impl IntoIterator<Item = T>) -> List<T> {
        List(items.into_iter().collect())
    }

    /// Reads items, each of which stands for one thing or for several.
    pub(super) fn read<I: IntoIterator<Item = T>>(
        text: &str,
        read: impl Fn(&str) -> Result<I, String>,
    ) -> Result<List<T>, String> {
        let read: Vec<I> = items(text).map(read).collect::<Result<_, _>>()?;
        Ok(List::of(read.into_iter().flatten()))
    }
}

impl<T: PartialEq> List<T> {
    /// The same, but for those that were there before.
    pub(super) fn each_once(self) -> List<T> {
        let mut once = Vec::new();
        for item in self.0 {
            if !once.contains(&item) {
                once.push(item);
            }
        }
        List(once)
    }

    /// Those of all that are in it.
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
