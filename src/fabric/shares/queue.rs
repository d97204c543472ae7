//! The queue of a sweep: the resources that may become full next, ordered by share.

use std::{cmp::Reverse, collections::BinaryHeap};

/// Marks an entry that represents a flow instead of a resource.
const FLOW: u32 = 1 << 31;

/// The meaning of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// A resource.
    Resource(u32),
    /// A flow; represents the first resource on its path that may become full and is not queued itself.
    Flow(u32),
}

/// Maximum number of entries in the sorted list.
const MAX_SORTED: usize = 32;

/// A priority queue of entries, ordered by share and then by resource number.
///
/// A sweep has a few tens of entries at a time, and most new entries are among the first ten. The first entries are therefore in a sorted
/// list: an insertion examines the entries before the new one, and a removal costs nothing.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The first entries in descending order; empty only if the queue is empty. Each entry is one integer for fast comparison: from the top
    /// bits, the share, the number, and the index of a resource or flow.
    next: Vec<u128>,
    /// The entries after the entries of `next`.
    later: BinaryHeap<Reverse<u128>>,
}

impl Queue {
    /// Adds an entry; `share` must not be negative, and indices must be below 2^31.
    #[inline]
    pub(super) fn push(&mut self, share: i64, number: u32, of: Of) {
        let of = match of {
            Of::Resource(resource) => resource,
            Of::Flow(flow) => flow | FLOW,
        };
        self.insert((share as u128) << 64 | u128::from(number) << 32 | u128::from(of));
    }

    fn insert(&mut self, entry: u128) {
        if self.later.peek().is_some_and(|&Reverse(later)| later < entry) {
            self.later.push(Reverse(entry));
            return;
        }
        let at = self.next.iter().rposition(|&other| other > entry).map_or(0, |at| at + 1);
        self.next.insert(at, entry);
        if self.next.len() > MAX_SORTED {
            self.later.push(Reverse(self.next.remove(0)));
        }
    }

    /// Returns whether no entry is before the position of `share` and `number` in the order.
    #[inline]
    pub(super) fn is_first(&self, share: i64, number: u32) -> bool {
        let place = (share as u128) << 64 | u128::from(number) << 32;
        self.next.last().is_none_or(|&first| first >= place)
    }

    /// Removes and returns the first entry.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(i64, Of)> {
        let entry = self.next.pop()?;
        if self.next.is_empty()
            && let Some(Reverse(first)) = self.later.pop()
        {
            self.next.push(first);
        }
        let of = entry as u32;
        let of = if of & FLOW == 0 { Of::Resource(of) } else { Of::Flow(of & !FLOW) };
        Some(((entry >> 64) as i64, of))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The queue returns entries in sorted order, even if it holds more entries than the sorted list.
        #[test]
        fn the_first_entry_comes_first(
            steps in prop::collection::vec((0..8_u32, 0..40_i64, 0..4_u32, any::<bool>()), 0..400)
        ) {
            let mut queue = Queue::default();
            let mut all: Vec<(i64, u32, u32, Of)> = Vec::new();
            for (nth, (kind, share, number, is_flow)) in (0..).zip(steps) {
                if kind < 5 {
                    let of = if is_flow { Of::Flow(nth) } else { Of::Resource(nth) };
                    queue.push(share, number, of);
                    all.push((share, number, if is_flow { nth | FLOW } else { nth }, of));
                    all.sort_unstable_by_key(|&(share, number, of, _)| (share, number, of));
                } else {
                    let first = (!all.is_empty()).then(|| all.remove(0));
                    prop_assert_eq!(queue.pop(), first.map(|(share, .., of)| (share, of)));
                }
                let is_first = all.first().is_none_or(|&(first, other, ..)| (first, other) >= (share, number));
                prop_assert_eq!(queue.is_first(share, number), is_first);
            }
        }
    }
}
