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

use super::{
    Algorithm,
    algorithm::{BOOK, Entry, of_the_root},
    equation,
};
use crate::{
    collective::Operation,
    pattern::{Blocks, Builder, Transfer},
    plan,
    rank::Rank,
};

impl Algorithm {
    /// Recursive doubling, the nearest first.
    pub const NEAREST_FIRST: Algorithm = Algorithm(&NEAREST_FIRST);
}

static NEAREST_FIRST: Entry = Entry {
    registered: plan::Entry::new("nearest-first", |planning| NEAREST_FIRST.variants(planning.problem))
        .about("one-to-all broadcast, the nearest first")
        .source(BOOK)
        .kinds(|operation| operation == NEAREST_FIRST.operation),
    operation: Operation::Broadcast,
    section: "4.1.1",
    formula: "(t_s + t_w m) ceil(log2 p)",
    equation_number: None,
    equation: |task| equation::one_to_all(&[task.size()], task.bytes()),
    // Of the networks that the nearest may come first on, this is the only one without congestion.
    network: "hypercube:8",
    draft: |task| of_the_root(task, |builder, whole| spread(builder, task.size(), task.root(), whole)),
};

/// Brings blocks from one rank to all.
fn spread(builder: &mut Builder, size: usize, source: Rank, blocks: &Blocks) {
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
