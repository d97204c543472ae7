//! *One-to-all broadcast* by recursive doubling with the nearest node first, an order that the book advises against.
//!
//! **What it does.** The source sends to its neighbour, then both send to the nodes at distance two, then all four to the nodes at distance
//! four. On a ring or a linear array `2^i` messages share one link in step `i`, counted from 0. On a hypercube the order of the dimensions
//! does not matter, and no link is shared.
//!
//! **Restrictions.** None. On a power of two ranks, labels are XORed with the label of the source; otherwise they are counted from the
//! source.
//!
//! **Cost.** `ceil(log2 p) (t_s + t_w m)` where no link is shared. On a ring or array of a power of two nodes, with links as fast as the
//! nodes, `log2 p (t_s) + (p - 1) t_w m` with synchronized steps, because in step `i` a link carries `2^i` messages.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", sections 4.1.1 and 4.1.3.

use super::{
    Algorithm,
    algorithm::{BOOK, Entry, root_vector_draft},
    equation,
};
use crate::{
    collective::Operation,
    pattern::{Blocks, Builder, Transfer},
    plan,
    rank::Rank,
};

impl Algorithm {
    /// Recursive doubling, the nearest node first.
    pub const NEAREST_FIRST: Algorithm = Algorithm(&NEAREST_FIRST);
}

static NEAREST_FIRST: Entry = Entry {
    registered: plan::Entry::new("nearest-first", |planning| NEAREST_FIRST.variants(planning.problem))
        .about("one-to-all broadcast by recursive doubling, nearest node first")
        .source(BOOK)
        .kinds(|operation| operation == NEAREST_FIRST.operation),
    operation: Operation::Broadcast,
    section: "4.1.1",
    formula: "(t_s + t_w m) ceil(log2 p)",
    equation_number: None,
    equation: |task| equation::one_to_all(&[task.size()], task.bytes()),
    // Of the networks in the book, only on the hypercube no messages of this order share a link.
    network: "hypercube:8",
    draft: |task| root_vector_draft(task, |builder, whole| spread(builder, task.size(), task.root(), whole)),
};

/// Broadcasts blocks from one rank to all ranks.
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
