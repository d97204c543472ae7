//! Schedules derived from others: the dual of a schedule, and concatenated schedules.
//!
//! Reversed in time, a schedule that distributes data gathers it: a message from `a` to `b` becomes a message from `b` to `a`, and the last
//! message comes first. The dual of a broadcast combines all data at the root, the dual of an all-gather leaves each rank with its combined
//! block, the dual of a scatter gathers. If no node receives a block that it already has, each node combines its version of a block with
//! the versions from all nodes to which it had sent the block, and then sends the result on once.

use std::{collections::BTreeMap, sync::Arc};

use super::{Action, Blocks, Message, Schedule, Step};
use crate::rank::Rank;

impl Schedule {
    /// Returns the schedule reversed in time, in which every rank initially has its own version of every block, and a received version is
    /// combined with the receiver's version.
    ///
    /// The former origin of a block has the combined block at the end. No node may receive a block that it already has. A node that sends a
    /// block away and receives it back later now sends its version away and later receives the combined version.
    #[must_use]
    pub fn combining(self) -> Schedule {
        self.reversed(true)
    }

    /// Returns the schedule reversed in time, in which each block starts at its former destination and goes to its former origin.
    #[must_use]
    pub fn gathering(self) -> Schedule {
        self.reversed(false)
    }

    fn reversed(self, combines: bool) -> Schedule {
        let last = self.iterations().saturating_sub(1);
        let is_overlapped = self.starts_sends();
        // The blocks whose version the node has already sent away.
        let mut gone = vec![false; if combines { self.sizes.len() } else { 0 }];
        let mut sorter = Sorter::default();
        let turned = |steps: Vec<Step>| {
            gone.fill(false);
            reversed(steps, last, combines.then_some(&mut gone), is_overlapped, &mut sorter)
        };
        Schedule { steps: self.steps.into_iter().map(turned).collect(), ..self }
    }

    /// Returns this schedule followed by another one on the same blocks, which starts from the final state of this one. The messages of
    /// either schedule may have no blocks.
    ///
    /// # Panics
    ///
    /// If the two schedules have different nodes or blocks.
    #[must_use]
    pub fn then(mut self, next: Schedule) -> Schedule {
        assert_eq!(self.nodes(), next.nodes(), "both are for the same nodes");
        if self.sizes.is_empty() {
            self.sizes = next.sizes;
        } else {
            assert!(next.sizes.is_empty() || self.sizes == next.sizes, "both are for the same blocks");
        }
        let before = self.iterations();
        for (steps, more) in self.steps.iter_mut().zip(next.steps) {
            steps.extend(more.into_iter().map(|step| Step { iteration: before + step.iteration, ..step }));
        }
        self.iterations += next.iterations;
        self
    }

    /// Returns whether a rank starts a send without waiting for it.
    pub(crate) fn starts_sends(&self) -> bool {
        self.steps.iter().flatten().any(is_start)
    }

    /// Returns the schedule with a last step on each rank that starts sends: the rank waits until all of them have left.
    #[must_use]
    pub(crate) fn waiting(mut self) -> Schedule {
        let iteration = self.iterations().saturating_sub(1);
        for steps in &mut self.steps {
            if steps.iter().any(is_start) {
                steps.push(Step { iteration, action: Action::WaitAll });
            }
        }
        self
    }

    /// Returns this schedule followed by another one with separate blocks, which are numbered after the blocks of this schedule. Both must
    /// have the same element size.
    ///
    /// # Panics
    ///
    /// If the two schedules have different numbers of nodes.
    #[must_use]
    pub fn then_others(mut self, mut next: Schedule) -> Schedule {
        let before = self.sizes.len() as u32;
        let sizes: Arc<[u64]> = self.sizes.iter().chain(&*next.sizes).copied().collect();
        for step in next.steps.iter_mut().flatten() {
            if let Action::Merge { left, right, into } = &mut step.action {
                [left, right, into].into_iter().for_each(|block| *block += before);
            }
            for message in step.action.messages_mut() {
                message.blocks = message.blocks.iter().map(|block| block + before).collect();
            }
        }
        (self.sizes, next.sizes) = (sizes.clone(), sizes);
        self.then(next)
    }

    /// Returns the same schedule for other ranks: rank `ranks[k]` performs the steps of rank `k`. `ranks` is a permutation.
    #[must_use]
    pub(crate) fn by_ranks(mut self, ranks: &[Rank]) -> Schedule {
        let mut steps = vec![Vec::new(); self.steps.len()];
        for (&rank, mut own) in ranks.iter().zip(self.steps) {
            let messages = own.iter_mut().flat_map(|step: &mut Step| step.action.messages_mut());
            messages.for_each(|message| message.peer = ranks[message.peer]);
            steps[rank] = own;
        }
        self.steps = steps;
        self
    }

    /// Returns the same schedule with a pack step before each message that has none yet and for which `is_apart` is true.
    #[must_use]
    pub(crate) fn packing(mut self, is_apart: impl Fn(Rank, &Message) -> bool) -> Schedule {
        for (rank, steps) in self.steps.iter_mut().enumerate() {
            let mut packed: Vec<Step> = Vec::with_capacity(steps.len());
            for step in steps.drain(..) {
                let is_packed = packed.last().is_some_and(|last| matches!(last.action, Action::Pack(_)));
                if let Some(message) =
                    step.action.sent().filter(|message| !is_packed && is_apart(rank, message))
                {
                    packed.push(Step { iteration: step.iteration, action: Action::Pack(message.bytes) });
                }
                packed.push(step);
            }
            *steps = packed;
        }
        self
    }
}

/// Sorts the blocks of messages by number: in this order a node that has a version of every block stores its blocks. Both ends of a message
/// share the memory of their blocks, so the sorted list of the second end is found by address.
#[derive(Default)]
struct Sorter {
    known: BTreeMap<*const u32, (Blocks, Blocks)>,
    /// One bit for each block between the first and the last block of a message; all bits are 0 between calls.
    marks: Vec<u64>,
}

impl Sorter {
    fn sorted(&mut self, blocks: Blocks) -> Blocks {
        if blocks.is_sorted() {
            return blocks;
        }
        let place = blocks.as_ptr();
        if let Some((_, sorted)) = self.known.remove(&place) {
            return sorted;
        }
        let sorted = self.in_order(&blocks);
        self.known.insert(place, (blocks, sorted.clone()));
        sorted
    }

    /// Sorts blocks. Duplicates are rare.
    fn in_order(&mut self, blocks: &[u32]) -> Blocks {
        let (first, last) =
            blocks.iter().fold((u32::MAX, 0), |(first, last), &block| (first.min(block), last.max(block)));
        let words = ((last - first) / 64 + 1) as usize;
        self.marks.resize(words.max(self.marks.len()), 0);
        for &block in blocks {
            let bit = block - first;
            self.marks[(bit / 64) as usize] |= 1 << (bit % 64);
        }
        let marks = &mut self.marks[..words];
        let distinct: u32 = marks.iter().map(|word| word.count_ones()).sum();
        if distinct as usize == blocks.len() && distinct - 1 == last - first {
            marks.fill(0);
            return (first..=last).collect();
        }
        let mut sorted = Vec::with_capacity(blocks.len());
        for (nth, word) in (0..).zip(marks) {
            while *word != 0 {
                sorted.push(first + 64 * nth + word.trailing_zeros());
                *word &= *word - 1;
            }
        }
        if sorted.len() < blocks.len() {
            sorted = blocks.to_vec();
            sorted.sort_unstable();
        }
        sorted.into()
    }
}

fn is_start(step: &Step) -> bool {
    matches!(step.action, Action::Start(_))
}

/// Returns the steps of one node in reverse order, with sends turned into receives and receives into sends. With `gone`, received versions
/// are combined.
fn reversed(
    forward: Vec<Step>,
    last: usize,
    mut gone: Option<&mut Vec<bool>>,
    is_overlapped: bool,
    sorter: &mut Sorter,
) -> Vec<Step> {
    // Each received message needs a separate step for combining.
    let received = forward.iter().filter(|step| gone.is_some() && step.action.sent().is_some()).count();
    let mut steps = Vec::with_capacity(forward.len() + received);
    for Step { iteration, action } in forward.into_iter().rev() {
        let mut add = |action| steps.push(Step { iteration: last - iteration, action });
        let (sends, receives) = match action {
            Action::Send(message) | Action::Start(message) => (None, Some(message)),
            Action::Recv(message) => (Some(message), None),
            Action::Exchange { send, recv } => (Some(recv), Some(send)),
            _ => (None, None),
        };
        let send = sends.map(|message| {
            let blocks = sorter.sorted(message.blocks);
            if !blocks.is_sorted_by(|a, b| a + 1 == *b) {
                add(Action::Pack(message.bytes));
            }
            Message { blocks, combined: false, ..message }
        });
        let recv = receives.map(|message| {
            let is_gone =
                |gone: &Vec<bool>| message.blocks.first().is_some_and(|&block| gone[block as usize]);
            let combined = gone.as_ref().is_some_and(|gone| !is_gone(gone));
            Message { blocks: sorter.sorted(message.blocks), combined, ..message }
        });
        if let (Some(send), Some(gone)) = (&send, &mut gone) {
            send.blocks.iter().for_each(|&block| gone[block as usize] = true);
        }
        let combined = recv.as_ref().filter(|recv| recv.combined).map(|recv| recv.bytes);
        match (send, recv) {
            (Some(send), Some(recv)) => add(Action::Exchange { send, recv }),
            (Some(send), None) if is_overlapped => add(Action::Start(send)),
            (Some(send), None) => add(Action::Send(send)),
            (None, Some(recv)) => add(Action::Recv(recv)),
            (None, None) => {}
        }
        if let Some(bytes) = combined {
            add(Action::Combine(bytes));
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(blocks: &[u32]) -> Vec<u32> {
        let mut sorted = blocks.to_vec();
        sorted.sort_unstable();
        sorted
    }

    #[test]
    fn repeated_blocks_stay_repeated() {
        let mut sorter = Sorter::default();
        for blocks in [&[3, 1, 1][..], &[4, 4, 1, 1], &[7, 7], &[0, u32::MAX >> 8, 0]] {
            assert_eq!(&*sorter.in_order(blocks), sorted(blocks));
        }
    }

    proptest! {
        /// Tests sorting; repeated calls show that no mark is left over.
        #[test]
        fn blocks_are_put_in_order(
            messages in prop::collection::vec(prop::collection::vec(0..300_u32, 1..100), 1..4),
            several in prop::collection::vec(Just((100..200_u32).collect::<Vec<_>>()).prop_shuffle(), 0..2)
        ) {
            let mut sorter = Sorter::default();
            for blocks in messages.iter().chain(&several).chain(&messages) {
                prop_assert_eq!(&*sorter.in_order(blocks), sorted(blocks));
            }
        }
    }
}
