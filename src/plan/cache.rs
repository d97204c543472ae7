//! The cache of a machine: results that are costly to make, shared by all libraries and kept across runs, with least
//! recently used eviction.
//!
//! It stores plans, choices of algorithms, and other results that a library makes once for all members of a call.
//! Concurrent requests for the same key wait for the first one to make the value.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    fmt,
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;

use super::Effort;

/// Maximum total size, in steps of schedules of about 100 bytes each. Least recently used entries are evicted beyond it.
const MAX_STEPS: usize = 4_000_000;

/// Maximum number of entries.
const MAX_ENTRIES: usize = 4096;

/// A value that is made once; possibly still being made.
type Slot<T, E> = Arc<OnceLock<Result<Arc<T>, E>>>;

/// A bounded table of values of any types, each under a key of its own type.
#[derive(Default)]
pub(crate) struct Cache {
    tables: Mutex<Tables>,
    effort: Effort,
}

#[derive(Default)]
struct Tables {
    /// Tables by the types of key and value.
    by_type: BTreeMap<TypeId, Box<dyn Table>>,
    uses: u64,
    entries: usize,
    steps: usize,
}

impl Cache {
    /// Creates an empty cache whose plans are searched with this effort.
    pub(crate) fn of(effort: Effort) -> Cache {
        Cache { effort, ..Cache::default() }
    }

    /// Returns the effort with which plans are searched.
    pub(crate) fn effort(&self) -> Effort {
        self.effort
    }

    /// Returns the value of a key. The first request makes the value; concurrent requests wait for it. `weigh` returns
    /// the value's size, in steps of a schedule.
    pub(crate) fn get<K, T, E>(
        &self,
        key: K,
        weigh: impl FnOnce(&T) -> usize,
        make: impl FnOnce() -> Result<Arc<T>, E>,
    ) -> Result<Arc<T>, E>
    where
        K: Ord + Clone + Send + 'static,
        T: Send + Sync + 'static,
        E: Clone + Send + Sync + 'static,
    {
        let slot: Slot<T, E> = self.tables.lock().slot(&key);
        let mut is_new = false;
        let value = slot.get_or_init(|| {
            is_new = true;
            make()
        });
        if let (true, Ok(value)) = (is_new, value) {
            let steps = weigh(value);
            self.tables.lock().weigh::<K, T, E>(&key, steps);
        }
        value.clone()
    }

    /// Returns the number of entries.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.tables.lock().entries
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cache({} entries)", self.tables.lock().entries)
    }
}

impl Tables {
    fn slot<K, T, E>(&mut self, key: &K) -> Slot<T, E>
    where
        K: Ord + Clone + Send + 'static,
        T: Send + Sync + 'static,
        E: Send + Sync + 'static,
    {
        self.uses += 1;
        let used = self.uses;
        let Some(known) = self.known::<K, T, E>() else { return Slot::default() };
        let before = known.len();
        let new = || Entry { slot: Slot::default(), used, steps: 0 };
        let entry = known.entry(key.clone()).or_insert_with(new);
        entry.used = used;
        let slot = entry.slot.clone();
        let added = known.len() - before;
        self.entries += added;
        self.evict();
        slot
    }

    fn weigh<K, T, E>(&mut self, key: &K, steps: usize)
    where
        K: Ord + Clone + Send + 'static,
        T: Send + Sync + 'static,
        E: Send + Sync + 'static,
    {
        let known = self.known::<K, T, E>();
        if let Some(entry) = known.and_then(|known| known.get_mut(key)) {
            let more = steps - entry.steps.min(steps);
            entry.steps += more;
            self.steps += more;
        }
        self.evict();
    }

    /// Returns the entries of these types.
    fn known<K, T, E>(&mut self) -> Option<&mut BTreeMap<K, Entry<T, E>>>
    where
        K: Ord + Clone + Send + 'static,
        T: Send + Sync + 'static,
        E: Send + Sync + 'static,
    {
        let new = || Box::new(BTreeMap::<K, Entry<T, E>>::new()) as Box<dyn Table>;
        let table = self.by_type.entry(TypeId::of::<(K, T, E)>()).or_insert_with(new);
        let table: &mut dyn Any = &mut **table;
        table.downcast_mut()
    }

    /// Evicts the least recently used entries until the cache is within its limits. The most recent entry always stays.
    fn evict(&mut self) {
        while self.entries > 1 && (self.entries > MAX_ENTRIES || self.steps > MAX_STEPS) {
            let tables = self.by_type.values_mut();
            let oldest = tables.filter_map(|table| Some((table.oldest()?, table)));
            let Some((_, table)) = oldest.min_by_key(|&(used, _)| used) else { return };
            self.entries -= 1;
            self.steps -= table.drop_oldest();
        }
    }
}

struct Entry<T, E> {
    slot: Slot<T, E>,
    used: u64,
    steps: usize,
}

/// The entries of one key and value type.
trait Table: Any + Send {
    /// Returns the use counter of the least recently used entry.
    fn oldest(&self) -> Option<u64>;

    /// Evicts the least recently used entry and returns its size.
    fn drop_oldest(&mut self) -> usize;
}

impl<K, T, E> Table for BTreeMap<K, Entry<T, E>>
where
    K: Ord + Clone + Send + 'static,
    T: Send + Sync + 'static,
    E: Send + Sync + 'static,
{
    fn oldest(&self) -> Option<u64> {
        self.values().map(|entry| entry.used).min()
    }

    fn drop_oldest(&mut self) -> usize {
        let oldest = self.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
        oldest.and_then(|oldest| self.remove(&oldest)).map_or(0, |entry| entry.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(cache: &Cache, key: u32, steps: usize) -> Arc<u32> {
        cache.get(key, |_| steps, || Ok::<_, ()>(Arc::new(key))).unwrap()
    }

    #[test]
    fn a_value_is_made_once() {
        let cache = Cache::default();
        assert!(Arc::ptr_eq(&ask(&cache, 1, 0), &ask(&cache, 1, 0)));
        assert!(!Arc::ptr_eq(&ask(&cache, 1, 0), &ask(&cache, 2, 0)));
        let text = cache.get(1, |_| 0, || Ok::<_, ()>(Arc::new("another type"))).unwrap();
        assert_eq!((*text, cache.len()), ("another type", 3));
        let failed = || cache.get((), |_: &u32| 0, || Err("why"));
        assert_eq!((failed(), failed()), (Err("why"), Err("why")));
    }

    #[test]
    fn the_least_recently_used_entry_is_evicted() {
        let cache = Cache::default();
        let firsts: Vec<Arc<u32>> = (0..3).map(|key| ask(&cache, key, MAX_STEPS / 3)).collect();
        ask(&cache, 0, 0);
        // An entry of another type evicts the oldest entry.
        cache.get("key", |_| MAX_STEPS / 3, || Ok::<_, ()>(Arc::new(3_u8))).unwrap();
        let is_kept = |key: u32| Arc::ptr_eq(&firsts[key as usize], &ask(&cache, key, 0));
        assert_eq!([is_kept(0), is_kept(2), is_kept(1)], [true, true, false]);
        ask(&cache, 9, 3 * MAX_STEPS);
        assert_eq!(cache.len(), 1, "the newest stays, however long it is");
    }
}
