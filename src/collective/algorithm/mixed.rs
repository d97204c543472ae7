//! *Mixed*: the fastest of all strategies; their dimensions may also use fastest trees and circulant graphs.
//!
//! **What it does.** As [*Hybrid*](super::hybrid), with more letters: a short-vector dimension may use the fastest tree for the machine
//! (`T`), and a long-vector dimension may collect on a circulant graph (`B`). Each strategy has several variants: sends are blocking or
//! not, and blocks that move around rings are in one piece or several.
//!
//! **Restrictions.** None; for operators that are not commutative, only strategies of one short-vector dimension are candidates.
//!
//! **Cost.** That of the strategy; see [`Cost`](super::super::Cost).
//!
//! **Source.** The strategies: Barnett et al. 1994; the trees: Karp, Sahay, Santos, Schauser, SPAA 1993; the graphs: Bruck et
//! al., "Efficient algorithms for all-to-all communications in multiport message-passing systems", 1997.

use super::{
    super::{
        Operation, Strategy,
        draft::Tuning,
        strategy::{AllGatherKind, Tree},
    },
    Algorithm, Entry, MAX_SIDES, is_no_scan, of,
    strategies::variants,
};

impl Algorithm {
    /// The fastest of all hybrids, including those with fastest trees and circulant graphs.
    pub const MIXED: Algorithm = of(&MIXED);
}

static MIXED: Entry = Entry::new("mixed", |planning| {
    let task = planning.problem;
    let all_gathers = [AllGatherKind::Ring, AllGatherKind::Circulant];
    let kinds = if matches!(task.operation(), Operation::Scatter | Operation::Gather) { 1 } else { 2 };
    let all =
        Strategy::all(task.layout().grid, &all_gathers[..kinds], &[Tree::Halves, Tree::Fastest], MAX_SIDES);
    variants(task, all, &Tuning::candidates_for(task))
})
.about("InterCom: the fastest strategy of S, M, C, T and B")
.source("Barnett et al. 1994; Karp et al. 1993; Bruck et al. 1997")
.cost("the least of its strategies, as `hybrid`, with dimensions that take what `tree` and `circulant` take")
.kinds(is_no_scan);
