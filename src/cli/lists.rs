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
}

impl<T: PartialEq> List<T> {
    /// These items, but for those that were there before.
    pub(super) fn each_once(items: impl IntoIterator<Item = T>) -> List<T> {
        let mut once = Vec::new();
        for item in items {
            if !once.contains(&item) {
                once.push(item);
            }
        }
        List(once)
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}
