//! *One-to-all broadcast* by recursive doubling with the nearest first: the order that the book warns of.
//!
//! **What it does.** The source sends to its neighbour, then both to the nodes two away, then all four to those four
//! away. On a ring or a linear array `2^i` messages share one link in step `i`, counted from 0. On a hypercube the
//! order of the dimensions does not matter, and nothing is shared.
//!
//! **Restrictions.** None. Labels are XORed with that of the source on a power of two ranks; on another number they are
//! counted from the source on.
//!
//! **Cost.** `ceil(log2 p) (t_s + t_w m)` where no link is shared; on a ring or array of a power of two whose links are
//! as fast as its nodes `log2 p (t_s) + (p - 1) t_w m` if all nodes keep in step, for `2^i` messages follow each other
//! over one link.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", sections 4.1.1 and 4.1.3.

use crate::{
    pattern::{Blocks, Builder, Transfer},
    rank::Rank,
};

/// Brings blocks from one rank to all.
pub(super) fn spread(builder: &mut Builder, size: usize, source: Rank, blocks: &Blocks) {
    let rank = |label: usize| {
        if size.is_power_of_two() { label ^ source } else { (source + label) % size }
    };
    let mut reached = 1;
    while reached < size {
        let next = (2 * reached).min(size);
        builder.iteration((reached..next).map(|label| Transfer {
            from: rank(label - reached),
            to: rank(label),
            blocks: blocks.clone(),
        }));
        reached = next;
    }
}
