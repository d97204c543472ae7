//! The queue of a sweep: the resources that may be full next, in the order of their shares.

use std::{cmp::Reverse, collections::BinaryHeap};

/// Marks an entry that stands for a flow instead of a resource.
const FLOW: u32 = 1 << 31;

/// The meaning of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// A resource.
    Resource(u32),
    /// A flow, and of all resources that it alone crosses the first one that may be full.
    Flow(u32),
}

/// Entries ordered by the share, then by the number of the resource.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Each entry is one integer, because that is compared faster than three: from the top, the share, the number, and the
    /// index of a resource or flow.
    heap: BinaryHeap<Reverse<u128>>,
}

impl Queue {
    /// Adds an entry; `share` is not negative, and indices are below 2^31.
    #[inline]
    pub(super) fn push(&mut self, share: i64, number: u32, of: Of) {
        let of = match of {
            Of::Resource(resource) => resource,
            Of::Flow(flow) => flow | FLOW,
        };
        self.heap.push(Reverse((share as u128) << 64 | u128::from(number) << 32 | u128::from(of)));
    }

    /// Whether no entry is before this place in the order.
    #[inline]
    pub(super) fn is_first(&self, share: i64, number: u32) -> bool {
        let place = (share as u128) << 64 | u128::from(number) << 32;
        self.heap.peek().is_none_or(|&Reverse(first)| first >= place)
    }

    /// Takes out the first entry.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(i64, Of)> {
        let Reverse(entry) = self.heap.pop()?;
        let of = entry as u32;
        let of = if of & FLOW == 0 { Of::Resource(of) } else { Of::Flow(of & !FLOW) };
        Some(((entry >> 64) as i64, of))
    }
}
