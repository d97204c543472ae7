//! Matching of messages and receives.
//!
//! The usual matching rule: a message goes to the first posted receive that accepts it; a receive takes the first arrived message that it
//! accepts. Messages from one sender are examined in the order in which they were sent. The kernel applies the rule in modeled time. For
//! receives with a given source the result does not depend on time, so a node thread can apply the rule to the data ahead of the kernel.

use std::collections::VecDeque;

use super::{Label, Selector};

/// A message that can be matched by its label.
pub(crate) trait Labeled {
    fn label(&self) -> Label;

    /// Returns whether this message precedes `other`, which arrived before it. By default messages keep the order of arrival.
    fn precedes(&self, other: &Self) -> bool
    where
        Self: Sized,
    {
        let _ = other;
        false
    }
}

/// The queues of posted receives and of unexpected messages. Searches are linear: both queues are short in programs that receive all
/// messages sent to them.
#[derive(Debug)]
pub(crate) struct Matching<M, R> {
    posted: VecDeque<(Selector, R)>,
    arrived: VecDeque<M>,
}

impl<M, R> Default for Matching<M, R> {
    fn default() -> Self {
        Matching { posted: VecDeque::new(), arrived: VecDeque::new() }
    }
}

impl<M: Labeled, R: PartialEq> Matching<M, R> {
    /// Takes the first arrived message that a receive accepts; does not post the receive if there is none.
    pub(crate) fn take(&mut self, select: &Selector) -> Option<M> {
        let at = self.arrived.iter().position(|message| select.accepts(&message.label()))?;
        self.arrived.remove(at)
    }

    /// Posts a receive.
    pub(crate) fn post(&mut self, select: Selector, receive: R) {
        reserve_one(&mut self.posted);
        self.posted.push_back((select, receive));
    }

    /// Matches an arriving message with a posted receive; an unexpected message is queued.
    pub(crate) fn arrive(&mut self, message: M) -> Option<(R, M)> {
        let label = message.label();
        match self.posted.iter().position(|(select, _)| select.accepts(&label)) {
            Some(at) => self.posted.remove(at).map(|(_, receive)| (receive, message)),
            None => {
                reserve_one(&mut self.arrived);
                let later = self.arrived.iter().rev().take_while(|other| message.precedes(other)).count();
                self.arrived.insert(self.arrived.len() - later, message);
                None
            }
        }
    }

    /// Returns the first posted receive that accepts a message.
    pub(crate) fn first_posted(&self, label: &Label) -> Option<&(Selector, R)> {
        self.posted.iter().find(|(select, _)| select.accepts(label))
    }

    /// Returns whether both queues are empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.posted.is_empty() && self.arrived.is_empty()
    }

    /// Returns a message taken by a receive to the front of the queue.
    pub(crate) fn return_to_front(&mut self, message: M) {
        self.arrived.push_front(message);
    }

    /// Withdraws a posted receive; returns whether it was posted.
    pub(crate) fn withdraw(&mut self, receive: &R) -> bool {
        let at = self.posted.iter().position(|(_, posted)| posted == receive);
        at.and_then(|at| self.posted.remove(at)).is_some()
    }

    /// Returns the posted receives in the order of posting.
    pub(crate) fn posted(&self) -> impl Iterator<Item = &(Selector, R)> {
        self.posted.iter()
    }

    /// Withdraws all posted receives.
    pub(crate) fn withdraw_all(&mut self) {
        self.posted.clear();
    }

    /// Sorts the posted receives by their identifiers.
    pub(crate) fn sort_posted(&mut self)
    where
        R: Ord,
    {
        self.posted.make_contiguous().sort_by(|(_, one), (_, other)| one.cmp(other));
    }

    /// Returns the unexpected messages in queue order.
    pub(crate) fn arrived(&self) -> impl Iterator<Item = &M> {
        self.arrived.iter()
    }

    /// Takes the first unexpected message for which `wanted` returns true.
    pub(crate) fn take_if(&mut self, wanted: impl FnMut(&M) -> bool) -> Option<M> {
        let at = self.arrived.iter().position(wanted)?;
        self.arrived.remove(at)
    }
}

/// Reserves room for one element in an empty queue. By default a queue reserves room for four elements, and many nodes have only one
/// message or receive at a time.
pub(crate) fn reserve_one<T>(queue: &mut VecDeque<T>) {
    if queue.capacity() == 0 {
        queue.reserve_exact(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::Tag;

    impl Labeled for (Label, char) {
        fn label(&self) -> Label {
            self.0
        }
    }

    fn from(source: u32, tag: u32) -> Label {
        Label { context: 0, source, tag: Tag(tag) }
    }

    fn want(source: Option<u32>, tag: Option<u32>) -> Selector {
        Selector { context: 0, source, tag: tag.map(Tag) }
    }

    #[test]
    fn a_receive_takes_the_first_message_it_accepts() {
        let mut matching: Matching<_, u32> = Matching::default();
        for (label, name) in [(from(1, 5), 'a'), (from(2, 6), 'b'), (from(1, 6), 'c')] {
            assert!(matching.arrive((label, name)).is_none());
        }
        assert_eq!(matching.take(&want(Some(1), Some(6))).unwrap().1, 'c');
        assert_eq!(matching.take(&want(None, None)).unwrap().1, 'a');
        assert!(matching.take(&want(Some(1), None)).is_none());
        assert_eq!(matching.arrived().count(), 1);
    }

    #[test]
    fn a_message_goes_to_the_first_receive_that_accepts_it() {
        let mut matching = Matching::default();
        matching.post(want(Some(1), Some(6)), 'x');
        matching.post(want(Some(1), None), 'y');
        matching.post(want(None, None), 'z');
        assert_eq!(matching.arrive((from(1, 5), 'a')).unwrap().0, 'y');
        assert_eq!(matching.arrive((from(1, 5), 'b')).unwrap().0, 'z');
        assert!(matching.withdraw(&'x'));
        assert!(!matching.withdraw(&'x'));
        assert!(matching.arrive((from(1, 6), 'c')).is_none());
    }

    #[test]
    fn groups_do_not_mix() {
        let mut matching: Matching<_, u32> = Matching::default();
        matching.arrive((Label { context: 1, ..from(1, 5) }, 'a'));
        assert!(matching.take(&want(None, None)).is_none());
    }
}
