//! *Hybrid*: the group as a logical mesh, with a building block for each dimension.
//!
//! **What it does.** A [`Strategy`] defines how the group is divided; nodes are nearest in the first dimension. A broadcast scatters the
//! vector in the long-vector dimensions, one after the other, broadcasts the parts in the short-vector dimension, and collects the parts in
//! the long-vector dimensions in reverse order. Vectors are thus longest where nodes are nearest. The other operations are parts of the
//! broadcast or its dual: a scatter, an all-gather (gather and broadcast in the short dimension), and their duals, the gather and the
//! reduce-scatter; an all-reduce is the dual of an all-gather followed by the all-gather. The extremes are included: one short dimension
//! is the minimum spanning tree, one long dimension is scatter and all-gather, and the rows and columns of a mesh are two long dimensions.
//!
//! **Restrictions.** An operator that is not commutative needs one short-vector dimension in rank order: only there combined ranks are
//! contiguous.
//!
//! **Cost.** With `g_i = d_1 .. d_(i-1)` and `c_i = max(1, h_i / k)`, where `h_i` counts only the factors of `g_i` in
//! the same direction of the machine's mesh, a broadcast of `n` bytes takes
//!
//! ```text
//! sum over long i of [ (ceil(log2 d_i) + d_i - 1) alpha + 2 c_i (d_i - 1)/d_i (n / g_i) beta ]
//!   + ceil(log2 d_k) (alpha + c_k (n / g_k) beta)                          for a short dimension k
//! ```
//!
//! The other operations take the corresponding terms; see [`Cost`](super::super::Cost).
//!
//! **Source.** Barnett et al., "Building a High-Performance Collective Communication Library", 1994, sections 4 to 7;
//! the dual pairs also in Chan, Heimlich, Purkayastha, van de Geijn, "Collective communication: theory, practice, and
//! experience", CCPE 19(13), 2007.

use super::{
    super::{
        Strategy,
        draft::Tuning,
        strategy::{AllGatherKind, Tree},
    },
    Algorithm, Entry, MAX_SIDES, is_no_scan, of,
    strategies::{IN_ORDER, is_in_order, variants},
};
use crate::{plan::Restriction, text::count};

impl Algorithm {
    /// The fastest of the paper's hybrids, over all strategies with the letters `S`, `M` and `C`.
    pub const HYBRID: Algorithm = of(&HYBRID);

    /// The algorithm that consists of a single strategy.
    pub const fn strategy(strategy: Strategy) -> Algorithm {
        Algorithm::with(&STRATEGY, Some(strategy))
    }
}

static HYBRID: Entry = Entry::new("hybrid", |planning| {
    let all =
        Strategy::all(planning.problem.layout().grid, &[AllGatherKind::Ring], &[Tree::Halves], MAX_SIDES);
    variants(planning.problem, all, &[Tuning::PLAIN])
})
.about("InterCom: the fastest strategy of S, M and C")
.source("Barnett et al. 1994")
.cost("the least of its strategies; broadcast: for each dimension of `d` ranks that share `m` bytes, long `(ceil(log2 d) + d - 1) alpha + 2 (d - 1)/d m beta`, short `ceil(log2 d) (alpha + m beta)`; more where messages share links")
.kinds(is_no_scan);

static STRATEGY: Entry = Entry::new("strategy", |planning| {
    variants(planning.problem, planning.parameter.clone(), &[Tuning::PLAIN])
})
.about("InterCom: the hybrid strategy that is given")
.source("Barnett et al. 1994")
.cost("the sum over its dimensions, as `hybrid`")
.kinds(is_no_scan)
.only_if(&[
    Restriction {
        text: "sides whose product is the number of ranks",
        is_met: |task, strategy| strategy.as_ref().is_some_and(|strategy| strategy.nodes() == task.size()),
        found: |task, strategy| {
            let product = strategy.as_ref().map_or(0, Strategy::nodes);
            format!("product {product}, {}", count(task.size() as u64, "rank"))
        },
    },
    Restriction {
        text: "alternating sides that divide the rows and the columns of the group in turn",
        is_met: |task, strategy| strategy.as_ref().is_some_and(|strategy| strategy.fits(task.layout().grid)),
        found: |task, _| {
            let grid = task.layout().grid;
            format!("{} of {}", count(grid.rows as u64, "row"), count(grid.columns as u64, "rank"))
        },
    },
    Restriction {
        text: IN_ORDER,
        is_met: |task, strategy| strategy.as_ref().is_some_and(|strategy| is_in_order(task, strategy)),
        found: |_, _| String::new(),
    },
]);
