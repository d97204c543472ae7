//! *All-to-all broadcast* on a linear array in both directions at the same time.
//!
//! **What it does.** Without a wraparound link, data moves in both directions: in each step a node forwards to the right the data last
//! received from the left, and to the left the data last received from the right, starting with its own data. After `p - 1` steps the data
//! of each end has reached the other end. Messages only go to neighbours.
//!
//! **Restrictions.** None.
//!
//! **Cost.** A node that forwards data in both directions has two messages in a step, which pass its one port one after the other. With at
//! least three nodes, step `s` has such nodes if `s - 1 <= p - s`. With synchronized steps the time is `(p - 1 + floor((p + 1) / 2)) (t_s +
//! t_w m)`. In a run, nodes that have finished one direction are ahead of the others. On nodes that send one message at a time the ring
//! algorithm ([algorithm 4.4](super::Algorithm::RING_ALL_TO_ALL)) is therefore faster: its return messages use the other direction of the
//! links. The book refers to this with "the same procedure would also work on a linear array with bidirectional links".
//!
//! **Source.** After Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", section 4.2.1.

use super::{
    Algorithm,
    algorithm::{BOOK, Entry, all_blocks_draft},
    equation, ring,
};
use crate::{
    collective::Operation,
    pattern::{Builder, Transfer},
    plan,
};

impl Algorithm {
    /// All-to-all broadcast on a linear array, in both directions at the same time.
    pub const LINE_ALL_TO_ALL: Algorithm = Algorithm(&LINE_ALL_TO_ALL);
}

static LINE_ALL_TO_ALL: Entry = Entry {
    registered: plan::Entry::new("line-all-to-all", |planning| LINE_ALL_TO_ALL.variants(planning.problem))
        .about("all-to-all broadcast on a linear array, both ways at once")
        .source(BOOK)
        .kinds(|operation| operation == LINE_ALL_TO_ALL.operation),
    operation: Operation::AllGather,
    section: "4.2.1",
    formula: "(t_s + t_w m) (p - 1 + floor((p + 1) / 2))",
    equation_number: None,
    equation: |task| equation::both_ways(task.size(), task.longest_block()),
    network: "line:8",
    draft: |task| all_blocks_draft(task, |builder| spread(builder, task.size())),
};

/// Broadcasts block `i`, which starts at rank `i`, to all ranks.
fn spread(builder: &mut Builder, size: usize) {
    if size < 3 {
        // Two nodes only exchange their blocks, so the messages to the left need not wait for those to the right.
        return ring::spread(builder, &[(0..size).collect()]);
    }
    let transfer =
        |from: usize, to: usize, block: usize| Transfer { from, to, blocks: [block as u32].into() };
    for step in 1..size {
        let back = step - 1;
        builder.round((back..size - 1).map(|from| transfer(from, from + 1, from - back)));
        builder.round((1..size - back).map(|from| transfer(from, from - 1, from + back)));
        builder.end_iteration();
    }
}
