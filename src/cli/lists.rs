//! Lists as options take them: items with commas between them.

use std::ops::Deref;

/// The items of a list, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct List<T>(Vec<T>);

/// The texts between the commas.
pub(super) fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
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
