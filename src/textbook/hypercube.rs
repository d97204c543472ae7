//! Algorithms 4.7 and 4.8: *all-to-all broadcast* and *all-to-all reduction* on a hypercube.
//!
//! **What it does.** In step `i`, counted from 0, the nodes whose labels differ in bit `i` exchange all that they hold, so message lengths
//! double (figure 4.11). A reduction is the reverse, the highest bit first: each node sends the half of its blocks that belongs to the
//! nodes with the other bit, and adds the half that it receives. On a ring or a mesh several messages of a step share a link: on a linear
//! array, `2^i` messages (figure 4.12).
//!
//! **Restrictions.** A power of two ranks. The reduction first adds operands of distant ranks, so the operator must be commutative.
//!
//! **Cost.** Equation 4.4: `t_s log2 p + t_w m (p - 1)`, that is `log2 p alpha + (p - 1) n beta`; a reduction adds
//! `gamma` for `(p - 1) m` elements.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", sections 4.2.3 and 4.2.4.

use super::{
    Algorithm,
    algorithm::{BOOK, COMMUTATIVE, Entry, all_blocks_draft},
    equation,
};
use crate::{
    collective::{Operation, Task},
    pattern::{Builder, Transfer},
    plan::{self, Restriction},
    text::count,
};

impl Algorithm {
    /// Algorithm 4.7: all-to-all broadcast on a hypercube.
    pub const HYPERCUBE_ALL_TO_ALL: Algorithm = Algorithm(&HYPERCUBE_ALL_TO_ALL);

    /// Algorithm 4.8: all-to-all reduction on a hypercube.
    pub const HYPERCUBE_REDUCTION: Algorithm = Algorithm(&HYPERCUBE_REDUCTION);
}

static HYPERCUBE_ALL_TO_ALL: Entry = Entry {
    registered: plan::Entry::new("4.7", |planning| HYPERCUBE_ALL_TO_ALL.variants(planning.problem))
        .about("all-to-all broadcast on a hypercube")
        .title("algorithm 4.7")
        .aliases(&["hypercube-all-to-all"])
        .source(BOOK)
        .kinds(|operation| operation == HYPERCUBE_ALL_TO_ALL.operation)
        .only_if(&[POWER_OF_TWO]),
    operation: Operation::AllGather,
    section: "4.2.3",
    formula: "t_s log2 p + t_w m (p - 1)",
    equation_number: Some("4.4"),
    equation: |task| equation::all_to_all_hypercube(task.size(), task.longest_block()),
    network: "hypercube:8",
    draft: |task| all_blocks_draft(task, |builder| spread(builder, task.size())),
};

static HYPERCUBE_REDUCTION: Entry = Entry {
    registered: plan::Entry::new("4.8", |planning| HYPERCUBE_REDUCTION.variants(planning.problem))
        .about("all-to-all reduction on a hypercube")
        .title("algorithm 4.8")
        .aliases(&["hypercube-reduction"])
        .source(BOOK)
        .kinds(|operation| operation == HYPERCUBE_REDUCTION.operation)
        .only_if(&[POWER_OF_TWO, COMMUTATIVE]),
    operation: Operation::ReduceScatter,
    section: "4.2.3",
    formula: "t_s log2 p + (t_w + gamma) m (p - 1)",
    equation_number: Some("4.4"),
    equation: |task| equation::all_to_all_hypercube(task.size(), task.longest_block()),
    network: "hypercube:8",
    draft: |task| (HYPERCUBE_ALL_TO_ALL.draft)(task).combining(),
};

const POWER_OF_TWO: Restriction<Task> = Restriction {
    text: "a number of ranks that is a power of two",
    is_met: |task, _| task.size().is_power_of_two(),
    found: |task, _| count(task.size() as u64, "rank"),
};

/// Exchanges all data that nodes hold along each dimension, the lowest first.
fn spread(builder: &mut Builder, size: usize) {
    for bit in 0..size.ilog2() {
        let all: Vec<Transfer> = (0..size)
            .map(|from| Transfer { from, to: from ^ 1 << bit, blocks: builder.held(from).into() })
            .collect();
        builder.iteration(all);
    }
}
