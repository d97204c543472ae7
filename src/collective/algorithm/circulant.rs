//! *Circulant*: an all-gather on one circulant graph of all members, and the operations derived from it.
//!
//! **What it does.** In each round every rank sends the data that the receiver lacks to the rank `d` further on around a ring, where `d`
//! runs through `ceil(p/2)`, `ceil(p/4)`, .., 1: the strategy `p:B`, on the members in rank order and on compact halves of their rectangle.
//! Its dual is a reduce-scatter, and both in a row are an all-reduce.
//!
//! **Restrictions.** No root; a commutative operator.
//!
//! **Cost.** `ceil(log2 p) alpha + (p - 1)/p n beta` for an all-gather of `n` bytes, on any `p`, and `(p - 1)/p n gamma` to
//! combine.
//!
//! **Source.** J. Bruck et al., "Efficient algorithms for all-to-all communications in multiport message-passing systems",
//! 1997; J. L. Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", 2024.

use super::{
    super::{
        Operation, Strategy,
        draft::Tuning,
        strategy::{AllGatherKind, Order},
    },
    Algorithm, Entry, of,
    strategies::{IN_ORDER, variants},
};
use crate::plan::Restriction;

impl Algorithm {
    /// An all-gather on one circulant graph of all ranks, in `ceil(log2 p)` rounds, and the operations derived from it (Bruck, Träff).
    pub const CIRCULANT: Algorithm = of(&CIRCULANT);
}

static CIRCULANT: Entry = Entry::new("circulant", |planning| {
    let task = planning.problem;
    let strategy = |order| Strategy { order, ..Strategy::long([(task.size(), AllGatherKind::Circulant)]) };
    variants(task, [Order::Rows, Order::Compact].map(strategy), &Tuning::candidates_for(task))
})
.aliases(&["bruck"])
.about("one circulant graph, ceil(log2 p) rounds (Bruck, Traeff)")
.source("Bruck et al. 1997; Traeff 2024")
.cost("all-gather: `ceil(log2 p) alpha + (p - 1)/p n beta`; reduce-scatter: plus `(p - 1)/p n gamma`; all-reduce: both")
.kinds(|operation| !operation.has_root() && operation != Operation::Scan)
.only_if(&[Restriction {
    text: IN_ORDER,
    is_met: |task, _| !task.is_in_order(),
    found: |_, _| String::new(),
}]);
