//! *All-to-all broadcast* on a linear array in both directions at once.
//!
//! **What it does.** Without a way around, data goes both ways from where it is: in each step a node sends to the right
//! what has last come from the left, and to the left what has last come from the right, its own data first. After `p -
//! 1` steps the data of either end is at the other one. No message ever goes further than to a neighbour.
//!
//! **Restrictions.** None.
//!
//! **Cost.** A node that passes data on in both directions has two messages in a step, one after the other through its
//! one port. In step `s` of three nodes or more there are such nodes as long as `s - 1 <= p - s`. If all keep in step
//! this is `(p - 1 + floor((p + 1) / 2)) (t_s + t_w m)`; nodes that are done with one direction run ahead. So on nodes
//! that send one message at a time the way around ([algorithm 4.4](super::Algorithm::RING_ALL_TO_ALL)) is faster: its
//! messages back use the other direction of the links, which is what the book means by "the same procedure would also
//! work on a linear array with bidirectional links".
//!
//! **Source.** After Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", section 4.2.1.

use super::{
    Algorithm,
    algorithm::{BOOK, Entry, of_all},
    equation, ring,
};
use crate::{
    collective::Operation,
    pattern::{Builder, Transfer},
    plan,
};

impl Algorithm {
    /// All-to-all broadcast on a linear array, both ways at once.
    pub const LINE_ALL_TO_ALL: Algorithm = Algorithm(&LINE_ALL_TO_ALL);
}

static LINE_ALL_TO_ALL: Entry = Entry {
    registered: plan::Entry::new("line-all-to-all", |planning| LINE_ALL_TO_ALL.variants(planning.problem))
        .about("all-to-all broadcast on a linear array, both ways at once")
        .source(BOOK)
        .kinds(|operation| operation == LINE_ALL_TO_ALL.operation),
    operation: Operation::Collect,
    section: "4.2.1",
    formula: "(t_s + t_w m) (p - 1 + floor((p + 1) / 2))",
    equation_number: None,
    equation: |task| equation::both_ways(task.size(), task.longest_block()),
    network: "line:8",
    draft: |task| of_all(task, |builder| spread(builder, task.size())),
};

/// Brings block `i`, which is at rank `i`, to all.
fn spread(builder: &mut Builder, size: usize) {
    if size < 3 {
        // Two nodes exchange: nobody has anything to pass on, and what goes left need not wait for what goes right.
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
