//! What was used last: a table of things that take long to make, which forgets those that nobody has asked for lately.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

/// Something that is made once, or is being made.
pub(crate) type Slot<T, E> = Arc<OnceLock<Result<Arc<T>, E>>>;

/// So much weight is kept, in steps of schedules of about 100 bytes each; then what was used the longest time ago goes.
pub(crate) const MOST_STEPS: usize = 4_000_000;

/// So many things are kept at most.
const MOST: usize = 4096;

/// A place for each key, until it is forgotten.
#[derive(Debug)]
pub(crate) struct Recent<K, T, E> {
    known: BTreeMap<K, Entry<T, E>>,
    uses: u64,
    steps: usize,
}

#[derive(Debug)]
struct Entry<T, E> {
    slot: Slot<T, E>,
    used: u64,
    steps: usize,
}

impl<K, T, E> Default for Recent<K, T, E> {
    fn default() -> Self {
        Recent { known: BTreeMap::new(), uses: 0, steps: 0 }
    }
}

impl<K: Ord + Clone, T, E> Recent<K, T, E> {
    /// The place of a key, which is the one used last from now on.
    pub(crate) fn slot(&mut self, key: &K) -> Slot<T, E> {
        self.uses += 1;
        let used = self.uses;
        let entry =
            self.known.entry(key.clone()).or_insert_with(|| Entry { slot: Slot::default(), used, steps: 0 });
        entry.used = used;
        let slot = entry.slot.clone();
        self.forget();
        slot
    }

    /// How many steps an entry has, if it is still here.
    pub(crate) fn weigh(&mut self, key: &K, steps: usize) {
        if let Some(entry) = self.known.get_mut(key) {
            self.steps += steps - entry.steps.min(steps);
            entry.steps = entry.steps.max(steps);
        }
        self.forget();
    }

    /// The one used last stays in any case.
    fn forget(&mut self) {
        while self.known.len() > 1 && (self.known.len() > MOST || self.steps > MOST_STEPS) {
            let oldest = self.known.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(entry) = oldest.and_then(|oldest| self.known.remove(&oldest)) else { return };
            self.steps -= entry.steps;
        }
    }

    /// How many are known.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_the_longest_time_ago_goes() {
        let mut recent: Recent<usize, (), ()> = Recent::default();
        for key in 0..3 {
            recent.slot(&key);
        }
        (0..3).for_each(|key| recent.weigh(&key, MOST_STEPS / 3));
        recent.slot(&0);
        recent.slot(&3);
        recent.weigh(&3, MOST_STEPS / 3);
        let kept: Vec<bool> = (0..3).map(|key| recent.known.contains_key(&key)).collect();
        assert_eq!(kept, [true, false, true]);
        recent.weigh(&3, 2 * MOST_STEPS);
        assert_eq!(recent.len(), 1, "the newest stays, however long it is");
    }
}
