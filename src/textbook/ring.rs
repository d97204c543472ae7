//! Algorithms 4.4 and 4.5: *all-to-all broadcast* and *all-to-all reduction* on a ring.
//!
//! **What it does.** Everybody sends its own data to the right; from then on, what has come from the left in the last
//! step. After `p - 1` steps everybody has everything (figure 4.9). A reduction is the same turned around: the sum for
//! node `j` starts at `j - 1` and goes to the left, each node adding what it has for `j`, until it is at `j`. On a
//! linear array the last node's messages go back over all links, in the direction that nobody else uses.
//!
//! The book calls it a sequence of `p` broadcasts that are pipelined. With fewer sources nothing else changes
//! ([`Pipelined`](super::Algorithm::Pipelined)): nodes send only what they have.
//!
//! **Restrictions.** The reduction adds up in the order of the ring, from the node after `j` on: the operator must be
//! commutative.
//!
//! **Cost.** Equation 4.2: `(p - 1) (t_s + t_w m)`, that is `(p - 1) (alpha + n beta)`; a reduction adds `gamma` for
//! each element of each step.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", sections 4.2.1 and 4.2.4.

use crate::{
    pattern::{Builder, ring},
    rank::Rank,
};

/// All that the ranks of each ring hold goes around it, as one message from each.
pub(super) fn spread(builder: &mut Builder, rings: &[Vec<Rank>]) {
    let everything = |counts: &[usize]| counts.iter().copied().max().unwrap_or(0);
    ring::collect(builder, rings, everything);
}
