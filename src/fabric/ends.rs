//! The queue of the ends of all current flows: an indexed binary heap whose entries can be moved.
//!
//! A change of shares moves the ends of a few flows only. The queue finds the entry of a flow by its number and sifts it: O(log n) per
//! change, no stale entries.

use crate::time::{Span, Time};

const ABSENT: u32 = u32::MAX;

/// Flows ordered by the instant at which they end; ties are ordered by flow number.
#[derive(Debug, Default)]
pub(super) struct Ends {
    heap: Vec<End>,
    /// The index of each flow in `heap`, or `ABSENT`.
    place: Vec<u32>,
}

/// An instant and a flow, packed into one integer for fast comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End(u128);

impl End {
    fn new(time: Time, flow: u32) -> End {
        End(u128::from(time.as_picos()) << 32 | u128::from(flow))
    }

    fn time(self) -> Time {
        Time::ZERO + Span::from_picos((self.0 >> 32) as u64)
    }

    fn flow(self) -> u32 {
        self.0 as u32
    }
}

impl Ends {
    pub(super) fn new(flows: usize) -> Ends {
        Ends { heap: Vec::new(), place: vec![ABSENT; flows] }
    }

    /// Returns the instant of the next end.
    #[inline]
    pub(super) fn first(&self) -> Option<Time> {
        self.heap.first().map(|end| end.time())
    }

    /// Removes and returns the next end if it is at or before `until`.
    #[inline]
    pub(super) fn pop(&mut self, until: Time) -> Option<(Time, u32)> {
        let &first = self.heap.first()?;
        if first.time() > until {
            return None;
        }
        self.remove(first.flow());
        Some((first.time(), first.flow()))
    }

    /// Returns whether a flow has an end.
    pub(super) fn contains(&self, flow: u32) -> bool {
        self.place[flow as usize] != ABSENT
    }

    /// Removes the end of `flow`, which must have one.
    pub(super) fn remove(&mut self, flow: u32) {
        let at = std::mem::replace(&mut self.place[flow as usize], ABSENT) as usize;
        self.heap.swap_remove(at);
        if at < self.heap.len() {
            let at = self.sift_up(at);
            self.sift_down(at);
        }
    }

    /// Sets the end of `flow` to `time`, and adds an entry if there is none.
    #[inline]
    pub(super) fn set(&mut self, flow: u32, time: Time) {
        let end = End::new(time, flow);
        let at = match self.place[flow as usize] {
            ABSENT => {
                self.heap.push(end);
                self.heap.len() - 1
            }
            at => {
                self.heap[at as usize] = end;
                at as usize
            }
        };
        let at = self.sift_up(at);
        self.sift_down(at);
    }

    fn sift_up(&mut self, mut at: usize) -> usize {
        let entry = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.heap[parent] <= entry {
                break;
            }
            self.put(at, self.heap[parent]);
            at = parent;
        }
        self.put(at, entry);
        at
    }

    fn sift_down(&mut self, mut at: usize) {
        let entry = self.heap[at];
        loop {
            let left = 2 * at + 1;
            let Some(&first) = self.heap.get(left) else { break };
            let (child, least) = match self.heap.get(left + 1) {
                Some(&second) if second < first => (left + 1, second),
                _ => (left, first),
            };
            if entry <= least {
                break;
            }
            self.put(at, least);
            at = child;
        }
        self.put(at, entry);
    }

    fn put(&mut self, at: usize, entry: End) {
        self.heap[at] = entry;
        self.place[entry.flow() as usize] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn always_gives_the_earliest(changes in prop::collection::vec((0u32..20, 0u64..50, 0..4), 1..300)) {
            let mut ends = Ends::new(20);
            let mut model = BTreeMap::new();
            for (flow, at, what) in changes {
                let at = Time::ZERO + Span::from_nanos(at);
                prop_assert_eq!(ends.contains(flow), model.contains_key(&flow));
                if what == 0 && model.remove(&flow).is_some() {
                    ends.remove(flow);
                } else if what == 1 {
                    let expected = model.iter().map(|(&flow, &at)| (at, flow)).min().filter(|first| first.0 <= at);
                    prop_assert_eq!(ends.pop(at), expected);
                    expected.map(|(_, flow)| model.remove(&flow));
                } else {
                    ends.set(flow, at);
                    model.insert(flow, at);
                }
                prop_assert_eq!(ends.first(), model.values().min().copied());
            }
        }
    }
}
