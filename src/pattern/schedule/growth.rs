//! The growth of a broadcast: the two quantities that determine its time.

use super::Schedule;
use crate::rank::Rank;

/// The number of nodes that hold a block, and the maximum number of bytes held by a node, before the first iteration of a broadcast and
/// after each iteration.
///
/// ```
/// use multicomputer::pattern::{Builder, Exchange};
///
/// // Two messages of 10 bytes, at the ends of a line of four.
/// let mut builder = Builder::new(4, &[0, 3], &[10, 10], Exchange::Together);
/// builder.halve(&[vec![0, 1, 2, 3]]);
/// let growth = builder.growth();
/// assert_eq!([0, 1, 2].map(|after| growth.active_after(after)), [2, 4, 4]);
/// assert_eq!([0, 1, 2].map(|after| growth.longest_after(after)), [10, 10, 20]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    moments: Vec<(usize, u64)>,
}

impl Growth {
    /// Computes the growth of any schedule; `given` returns whether a rank holds a block initially.
    pub(crate) fn of(schedule: &Schedule, given: impl Fn(Rank, u32) -> bool) -> Growth {
        let (sizes, mut growth) = (schedule.sizes(), Growth::default());
        let mut held: Vec<Vec<bool>> = (0..schedule.nodes())
            .map(|rank| (0..sizes.len() as u32).map(|block| given(rank, block)).collect())
            .collect();
        let sum = |held: &Vec<bool>| {
            let held = held.iter().zip(sizes).filter(|&(&is_held, _)| is_held);
            held.fold(0_u64, |sum, (_, &size)| sum.saturating_add(size))
        };
        let mut bytes: Vec<u64> = held.iter().map(sum).collect();
        let mut active: Vec<bool> = held.iter().map(|held| held.contains(&true)).collect();
        let mut received: Vec<(usize, Rank, &[u32])> = Vec::new();
        for rank in 0..schedule.nodes() {
            for step in schedule.steps(rank) {
                let message = step.action.received();
                received.extend(message.map(|message| (step.iteration, rank, &*message.blocks)));
            }
        }
        received.sort_by_key(|&(iteration, ..)| iteration);
        let mut received = received.into_iter().peekable();
        let mut add = |active: &[bool], bytes: &[u64]| {
            let active = active.iter().filter(|&&is_active| is_active).count();
            growth.add(active, bytes.iter().copied().max().unwrap_or(0));
        };
        add(&active, &bytes);
        for iteration in 0..schedule.iterations() {
            while let Some((_, rank, blocks)) = received.next_if(|&(of, ..)| of == iteration) {
                for &block in blocks {
                    let Some(is_held) = held[rank].get_mut(block as usize) else { continue };
                    if !std::mem::replace(is_held, true) {
                        bytes[rank] = bytes[rank].saturating_add(sizes[block as usize]);
                        active[rank] = true;
                    }
                }
            }
            add(&active, &bytes);
        }
        growth
    }

    /// Adds the values after an iteration: the number of nodes that hold a block, and the maximum number of bytes held by a node.
    pub(super) fn add(&mut self, active: usize, longest: u64) {
        self.moments.push((active, longest));
    }

    /// Returns this growth followed by the growth of other blocks, while all nodes keep the blocks of this growth.
    #[must_use]
    pub(crate) fn then(mut self, next: &Growth) -> Growth {
        let (held, bytes) = self.after(self.iterations());
        let moments = next.moments.iter().skip(1);
        self.moments
            .extend(moments.map(|&(active, longest)| (active.max(held), longest.saturating_add(bytes))));
        self
    }

    /// Returns the number of iterations.
    pub fn iterations(&self) -> usize {
        self.moments.len().saturating_sub(1)
    }

    /// Returns the number of nodes that hold a block after `iterations` iterations. In a broadcast this number should grow as fast as
    /// possible. Iterations after the last one change nothing.
    pub fn active_after(&self, iterations: usize) -> usize {
        self.after(iterations).0
    }

    /// Returns the maximum number of bytes held by a node after `iterations` iterations. If nodes send all blocks that they hold, this is
    /// the length of the longest message of the next iteration. It should grow as slowly as possible. Iterations after the last one change
    /// nothing.
    pub fn longest_after(&self, iterations: usize) -> u64 {
        self.after(iterations).1
    }

    fn after(&self, iterations: usize) -> (usize, u64) {
        self.moments.get(iterations.min(self.iterations())).copied().unwrap_or_default()
    }
}
