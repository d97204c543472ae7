//! *Tree*: the fastest tree for the machine.
//!
//! **What it does.** One short-vector dimension of all members, with the tree in which every rank that has the vector forwards it as soon
//! as the parameters allow: the strategy `p:T`, on the members in rank order and on compact halves of their rectangle. The other operations
//! are parts of the broadcast or its dual; see [*Hybrid*](super::hybrid).
//!
//! **Restrictions.** None; for operators that are not commutative the members stay in rank order.
//!
//! **Cost.** Without contention the minimum for a vector in one piece: the number of ranks that have the vector grows as `N(x) = N(x - g) +
//! N(x - t)`, where an edge keeps its sender busy for `g = max(o_s, n beta)` and its receiver can continue after `t = alpha + n beta`.
//!
//! **Source.** Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993; for long
//! messages: Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995.

use super::{
    super::{
        Operation, Strategy,
        draft::Tuning,
        logical_mesh::has_even_tree,
        strategy::{Order, Tree},
    },
    Algorithm, Entry, is_no_scan, of,
    strategies::variants,
};
use crate::pattern::division::Ties;

impl Algorithm {
    /// The fastest tree for the machine (LogGP).
    pub const TREE: Algorithm = of(&TREE);
}

static TREE: Entry = Entry::new("tree", |planning| {
    let task = planning.problem;
    let strategies = [Order::Rows, Order::Compact]
        .map(|order| Strategy { order, ..Strategy::short(task.size(), Tree::Fastest) });
    let mut tunings = Tuning::candidates_for(task);
    // Where messages share links, the choice among equally fast divisions also affects the speed.
    let is_for_blocks = matches!(task.operation(), Operation::Scatter | Operation::Gather);
    if is_for_blocks && has_even_tree(task, &strategies[0]) {
        tunings
            .extend([Tuning::PLAIN, Tuning::OVERLAPPED].map(|tuning| Tuning { ties: Ties::Even, ..tuning }));
    }
    variants(task, strategies, &tunings)
})
.aliases(&["optimal-tree"])
.about("the fastest tree for the machine (LogGP)")
.source("Karp et al., SPAA 1993; Alexandrov et al., SPAA 1995")
.cost("broadcast: the least `x` with `N(x) >= p`, where `N(x) = N(x - g) + N(x - t)` from `t` on and 1 before, `g = max(o_s, n beta)`, `t = alpha + n beta`")
.kinds(is_no_scan);
