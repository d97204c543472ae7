//! The event queue.
//!
//! Where many nodes do the same at the same time, most events are scheduled in the order of their due times. An event that is due after all
//! events in the plain queue is appended to this queue at constant cost; all other events go to a heap. The next event is the earlier one
//! of the two heads.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

use super::Event;

/// The scheduled events.
#[derive(Debug, Default)]
pub(super) struct Events {
    in_order: VecDeque<Event>,
    others: BinaryHeap<Reverse<Event>>,
}

impl Events {
    pub(super) fn push(&mut self, event: Event) {
        if self.in_order.back().is_none_or(|last| *last <= event) {
            self.in_order.push_back(event);
        } else {
            self.others.push(Reverse(event));
        }
    }

    /// Returns the next event.
    #[inline]
    pub(super) fn peek(&self) -> Option<Event> {
        match (self.in_order.front(), self.others.peek()) {
            (Some(first), Some(Reverse(other))) => Some(*first.min(other)),
            (Some(event), None) | (None, Some(Reverse(event))) => Some(*event),
            (None, None) => None,
        }
    }

    /// Removes and returns the next event.
    pub(super) fn pop(&mut self) -> Option<Event> {
        match (self.in_order.front(), self.others.peek()) {
            (Some(first), Some(Reverse(other))) if other < first => {
                self.others.pop().map(|Reverse(event)| event)
            }
            (Some(_), _) => self.in_order.pop_front(),
            (None, _) => self.others.pop().map(|Reverse(event)| event),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{
        kernel::Kind,
        time::{Span, Time},
    };

    #[test]
    fn events_pop_in_order_regardless_of_insertion_order() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let (mut events, mut expected) = (Events::default(), Vec::new());
        for serial in 0..10_000 {
            if random.random_bool(0.55) {
                let kind = [Kind::Guard, Kind::Arrival, Kind::Resume][random.random_range(0..3)];
                let at = Time::ZERO + Span::from_picos(random.random_range(0..100) + serial / 10);
                let event = Event { at, kind, rank: random.random_range(0..5), serial, key: 0 };
                events.push(event);
                expected.push(event);
            } else {
                expected.sort_unstable();
                let next = (!expected.is_empty()).then(|| expected.remove(0));
                assert_eq!(events.peek(), next);
                assert_eq!(events.pop(), next);
            }
        }
    }
}
