//! *One-to-all broadcasts* from several sources: pipelined as one all-to-all broadcast, or one after the other.
//!
//! **What it does.** *Pipelined*: the data of all sources goes around a ring as in algorithm 4.4, and nodes that are not sources only
//! forward data. *In turn*: the broadcasts of algorithm 4.2 run one after the other. Gaussian elimination, back substitution and Floyd's
//! shortest paths benefit from pipelining.
//!
//! **Restrictions.** None; the sources are the ranks with a block that is not empty.
//!
//! **Cost.** For `n` sources: pipelined at most `(p - 1) (t_s + t_w m)` for any `n`, in turn `n ceil(log2 p) (t_s + t_w m)`.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", section 4.2.4.

use super::{
    Algorithm,
    algorithm::{BOOK, Entry, source_blocks_draft},
    equation, one_to_all, ring,
    shape::Shape,
};
use crate::{collective::Operation, pattern::Builder, plan, rank::Rank};

impl Algorithm {
    /// Broadcasts from several sources, pipelined around a ring.
    pub const PIPELINED: Algorithm = Algorithm(&PIPELINED);

    /// Broadcasts from several sources, one after the other.
    pub const IN_TURN: Algorithm = Algorithm(&IN_TURN);
}

static PIPELINED: Entry = Entry {
    registered: plan::Entry::new("pipelined", |planning| PIPELINED.variants(planning.problem))
        .about("broadcasts from several sources, pipelined")
        .source(BOOK)
        .kinds(|operation| operation == PIPELINED.operation),
    operation: Operation::AllGather,
    section: "4.2.4",
    formula: "(t_s + t_w m) (p - 1)",
    equation_number: None,
    equation: |task| equation::all_to_all(&[task.size()], task.longest_block()),
    network: "ring:8",
    draft: |task| {
        source_blocks_draft(task, |builder, _| ring::spread(builder, &[(0..task.size()).collect()]))
    },
};

static IN_TURN: Entry = Entry {
    registered: plan::Entry::new("in-turn", |planning| IN_TURN.variants(planning.problem))
        .about("broadcasts from several sources, one after the other")
        .source(BOOK)
        .kinds(|operation| operation == IN_TURN.operation),
    operation: Operation::AllGather,
    section: "4.2.4",
    formula: "n (t_s + t_w m) ceil(log2 p)",
    equation_number: None,
    equation: |task| {
        let sources = (0..task.size()).filter(|&rank| !task.block(rank).is_empty()).count();
        equation::in_turn(sources, task.size(), task.longest_block())
    },
    network: "hypercube:8",
    draft: |task| source_blocks_draft(task, |builder, sources| in_turn(builder, &Shape::line(task), sources)),
};

/// Broadcasts block `k` from `sources[k]` to all ranks, one after the other.
fn in_turn(builder: &mut Builder, line: &Shape, sources: &[Rank]) {
    for (block, &source) in (0..).zip(sources) {
        one_to_all::spread(builder, line, source, &[block].into(), [0]);
    }
}
