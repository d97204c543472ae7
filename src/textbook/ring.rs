//! Algorithms 4.4 and 4.5: *all-to-all broadcast* and *all-to-all reduction* on a ring.
//!
//! **What it does.** In the first step every node sends its own data to the right; in each later step it forwards the data received from
//! the left in the step before. After `p - 1` steps every node has all data (figure 4.9). A reduction is the reverse: the sum for node `j`
//! starts at `j - 1` and moves to the left; each node adds its own operand, until the sum reaches `j`. On a linear array the last node's
//! messages to the first node go back over all links, in the direction that no other message uses.
//!
//! The book describes the algorithm as a sequence of `p` pipelined broadcasts. With fewer sources the schedule is the same
//! ([`PIPELINED`](super::Algorithm::PIPELINED)): nodes send only the data that they hold.
//!
//! **Restrictions.** The reduction adds in the order of the ring, starting at the node after `j`, so the operator must be commutative.
//!
//! **Cost.** Equation 4.2: `(p - 1) (t_s + t_w m)`, that is `(p - 1) (alpha + n beta)`; a reduction adds `gamma` for each element in each
//! step.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", sections 4.2.1 and 4.2.4.

use super::{
    Algorithm,
    algorithm::{BOOK, COMMUTATIVE, Entry, all_blocks_draft},
    equation,
};
use crate::{
    collective::Operation,
    pattern::{Builder, ring},
    plan,
    rank::Rank,
};

impl Algorithm {
    /// Algorithm 4.4: all-to-all broadcast on a ring.
    pub const RING_ALL_TO_ALL: Algorithm = Algorithm(&RING_ALL_TO_ALL);

    /// Algorithm 4.5: all-to-all reduction on a ring.
    pub const RING_REDUCTION: Algorithm = Algorithm(&RING_REDUCTION);
}

static RING_ALL_TO_ALL: Entry = Entry {
    registered: plan::Entry::new("4.4", |planning| RING_ALL_TO_ALL.variants(planning.problem))
        .about("all-to-all broadcast on a ring")
        .title("algorithm 4.4")
        .aliases(&["ring-all-to-all"])
        .source(BOOK)
        .kinds(|operation| operation == RING_ALL_TO_ALL.operation),
    operation: Operation::AllGather,
    section: "4.2.1",
    formula: "(t_s + t_w m) (p - 1)",
    equation_number: Some("4.2"),
    equation: |task| equation::all_to_all(&[task.size()], task.longest_block()),
    network: "ring:8",
    draft: |task| all_blocks_draft(task, |builder| spread(builder, &[(0..task.size()).collect()])),
};

static RING_REDUCTION: Entry = Entry {
    registered: plan::Entry::new("4.5", |planning| RING_REDUCTION.variants(planning.problem))
        .about("all-to-all reduction on a ring")
        .title("algorithm 4.5")
        .aliases(&["ring-reduction"])
        .source(BOOK)
        .kinds(|operation| operation == RING_REDUCTION.operation)
        .only_if(&[COMMUTATIVE]),
    operation: Operation::ReduceScatter,
    section: "4.2.1",
    formula: "(t_s + t_w m + gamma m) (p - 1)",
    equation_number: Some("4.2"),
    equation: |task| equation::all_to_all(&[task.size()], task.longest_block()),
    network: "ring:8",
    draft: |task| (RING_ALL_TO_ALL.draft)(task).combining(),
};

/// Sends all data that the ranks of each ring hold around the ring, as one message per rank.
pub(super) fn spread(builder: &mut Builder, rings: &[Vec<Rank>]) {
    let everything = |counts: &[usize]| counts.iter().copied().max().unwrap_or(0);
    ring::all_gather(builder, rings, everything);
}
