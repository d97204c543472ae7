//! *Mixed*: the fastest of all strategies, with fastest trees and circulant graphs in their dimensions too.
//!
//! **What it does.** As [*Hybrid*](super::hybrid), with more letters: a short-vector dimension may have the fastest tree for
//! the machine (`T`) and a long-vector one may collect on a circulant graph (`B`); and each strategy is carried out in
//! several ways, sends blocking or not, blocks that go around in rings in one piece or in several.
//!
//! **Restrictions.** None: where an operator is not commutative, only strategies of one short-vector dimension are tried.
//!
//! **Cost.** That of the strategy; see [`Cost`](super::super::Cost).
//!
//! **Source.** The strategies: Barnett et al. 1994; the trees: Karp, Sahay, Santos, Schauser, SPAA 1993; the graphs: Bruck et
//! al., "Efficient algorithms for all-to-all communications in multiport message-passing systems", 1997.

use super::{
    super::{
        Operation, Strategy,
        draft::Tuning,
        strategy::{Collect, Tree},
    },
    Algorithm, Entry, MOST_SIDES, is_no_scan, of,
    strategies::variants,
};

impl Algorithm {
    /// The fastest of all hybrids, those with fastest trees and circulant graphs among them.
    pub const MIXED: Algorithm = of(&MIXED);
}

static MIXED: Entry = Entry::new("mixed", |planning| {
    let task = planning.problem;
    let collects = [Collect::Ring, Collect::Circulant];
    let kinds = if matches!(task.operation(), Operation::Scatter | Operation::Gather) { 1 } else { 2 };
    let all =
        Strategy::all(task.layout().grid, &collects[..kinds], &[Tree::Halves, Tree::Fastest], MOST_SIDES);
    variants(task, all, &Tuning::worth_trying(task))
})
.about("the fastest strategy with T and B as well")
.source("Barnett et al. 1994; Karp et al. 1993; Bruck et al. 1997")
.kinds(is_no_scan);
