//! The naive *one-to-all broadcast*: the source sends to each of the others in turn.
//!
//! **What it does.** `p - 1` messages from the source, to the next higher rank first, then on around the ring. The
//! source is a bottleneck, and only one link around it is busy at a time.
//!
//! **Restrictions.** None.
//!
//! **Cost.** `(p - 1) (t_s + t_w m)`, that is `(p - 1) (alpha + n beta)`, where a send keeps its sender busy until the
//! message is there (`o_s = alpha`, `o_r = 0`). Where the receiver has its own part of the start-up the source is
//! sooner free for the next one: `(p - 1) (o_s + n beta) + L + o_r`.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", section 4.1.1.

use crate::{
    pattern::{Blocks, Builder, Transfer},
    rank::Rank,
};

/// Sends blocks from one rank to each of the others.
pub(super) fn spread(builder: &mut Builder, size: usize, source: Rank, blocks: &Blocks) {
    for distance in 1..size {
        let to = (source + distance) % size;
        builder.iteration([Transfer { from: source, to, blocks: blocks.clone() }]);
    }
}
