//! The labels of one rank: a map from label to operation.
//!
//! A hash table with chaining, because files have millions of labels and each label is looked up several times. The
//! table is never iterated, so no result depends on the hash order. It is reused for the next rank.

/// Marks the end of a chain.
const NONE: u32 = u32::MAX;

/// Minimum number of chains of a table.
const MIN_CHAINS: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: usize,
    length: u32,
    hash: u32,
    operation: u32,
    /// The next entry of the chain.
    next: u32,
}

/// Hash table from the labels of a rank to its operations.
#[derive(Debug)]
pub(super) struct Labels {
    text: Vec<u8>,
    entries: Vec<Entry>,
    /// The first entry of each chain. The number of chains is a power of two.
    chains: Vec<u32>,
}

impl Labels {
    pub(super) fn new() -> Labels {
        Labels { text: Vec::new(), entries: Vec::new(), chains: vec![NONE; MIN_CHAINS] }
    }

    /// Returns the operation with a label.
    pub(super) fn get(&self, label: &[u8]) -> Option<u32> {
        self.find(label, hash(label))
    }

    fn find(&self, label: &[u8], hash: u32) -> Option<u32> {
        let mut at = self.chains[hash as usize & (self.chains.len() - 1)];
        while at != NONE {
            let entry = &self.entries[at as usize];
            if entry.hash == hash && &self.text[entry.start..entry.start + entry.length as usize] == label {
                return Some(entry.operation);
            }
            at = entry.next;
        }
        None
    }

    /// Adds a label for an operation; returns false if the label is taken.
    pub(super) fn insert(&mut self, label: &[u8], operation: u32) -> bool {
        let hash = hash(label);
        if self.find(label, hash).is_some() {
            return false;
        }
        if self.entries.len() == self.chains.len() {
            self.grow();
        }
        let entry = Entry { start: self.text.len(), length: label.len() as u32, hash, operation, next: NONE };
        self.text.extend_from_slice(label);
        self.entries.push(entry);
        self.link(self.entries.len() - 1);
        true
    }

    /// Inserts an entry at the head of its chain.
    fn link(&mut self, at: usize) {
        let chain = self.entries[at].hash as usize & (self.chains.len() - 1);
        self.entries[at].next = std::mem::replace(&mut self.chains[chain], at as u32);
    }

    fn grow(&mut self) {
        self.chains = vec![NONE; 2 * self.chains.len()];
        for at in 0..self.entries.len() {
            self.link(at);
        }
    }

    /// Removes all labels in time proportional to their number; the table keeps its capacity.
    pub(super) fn clear(&mut self) {
        let last = self.chains.len() - 1;
        for entry in self.entries.drain(..) {
            self.chains[entry.hash as usize & last] = NONE;
        }
        self.text.clear();
    }
}

/// 32-bit FNV-1a hash (Fowler, Noll, Vo), followed by a step that mixes the high bits into the low ones.
fn hash(label: &[u8]) -> u32 {
    let hash =
        label.iter().fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_until_they_are_cleared() {
        let mut labels = Labels::new();
        for round in 0..2 {
            for number in 0..1000 {
                assert!(labels.insert(format!("l{number}").as_bytes(), number + round));
            }
            assert!(!labels.insert(b"l7", 1));
            for number in 0..1000 {
                assert_eq!(labels.get(format!("l{number}").as_bytes()), Some(number + round));
            }
            assert_eq!(labels.get(b"l1000"), None);
            labels.clear();
            assert_eq!(labels.get(b"l7"), None);
        }
    }
}
