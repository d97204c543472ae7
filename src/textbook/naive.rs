//! The naive *one-to-all broadcast*: the source sends to each other node in turn.
//!
//! **What it does.** The source sends `p - 1` messages, first to the next higher rank and then on around the ring. The source is a
//! bottleneck, and only one of its links is busy at a time.
//!
//! **Restrictions.** None.
//!
//! **Cost.** `(p - 1) (t_s + t_w m)`, that is `(p - 1) (alpha + n beta)`, if a send occupies its sender until the message has arrived
//! (`o_s = alpha`, `o_r = 0`). If a part of the start-up belongs to the receiver, the source is free for the next message earlier:
//! `(p - 1) (o_s + n beta) + L + o_r`.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", section 4.1.1.

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
    /// Naive one-to-all broadcast: the source sends to each other node in turn.
    pub const NAIVE: Algorithm = Algorithm(&NAIVE);
}

static NAIVE: Entry = Entry {
    registered: plan::Entry::new("naive", |planning| NAIVE.variants(planning.problem))
        .about("naive one-to-all broadcast")
        .source(BOOK)
        .kinds(|operation| operation == NAIVE.operation),
    operation: Operation::Broadcast,
    section: "4.1.1",
    formula: "(p - 1) (t_s + t_w m)",
    equation_number: None,
    equation: |task| equation::naive(task.size(), task.bytes()),
    network: "ring:8",
    draft: |task| root_vector_draft(task, |builder, whole| spread(builder, task.size(), task.root(), whole)),
};

/// Sends blocks from one rank to each other rank.
fn spread(builder: &mut Builder, size: usize, source: Rank, blocks: &Blocks) {
    for distance in 1..size {
        let to = (source + distance) % size;
        builder.iteration([Transfer { from: source, to, blocks: blocks.clone() }]);
    }
}
