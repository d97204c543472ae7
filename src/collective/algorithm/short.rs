//! *Short*: InterCom's algorithm for short vectors, minimum spanning trees by recursive halving.
//!
//! **What it does.** One short-vector dimension of all members: the strategy `p:M` of a broadcast. The root sends to the middle of the
//! other half, and then each half proceeds independently. The other operations are parts of the broadcast or its dual; see
//! [*Hybrid*](super::hybrid).
//!
//! **Restrictions.** None; for operators that are not commutative, combined ranks are always contiguous.
//!
//! **Cost.** `ceil(log2 p) (alpha + n beta)` for a broadcast of `n` bytes, and `gamma n` more in each round to combine.
//!
//! **Source.** Barnett et al., "Building a High-Performance Collective Communication Library", 1994, section 4.

use super::{
    super::{Strategy, draft::Tuning, strategy::Tree},
    Algorithm, Entry, is_no_scan, of,
    strategies::variants,
};

impl Algorithm {
    /// InterCom's short-vector algorithm: minimum spanning trees by recursive halving.
    pub const SHORT: Algorithm = of(&SHORT);
}

static SHORT: Entry = Entry::new("short", |planning| {
    let task = planning.problem;
    variants(task, [Strategy::short(task.size(), Tree::Halves)], &Tuning::candidates_for(task))
})
.aliases(&["mst", "binomial"])
.about("InterCom, short vectors: minimum spanning trees by recursive halving")
.source("Barnett et al. 1994, section 4")
.cost("broadcast: `ceil(log2 p) (alpha + n beta)`; reduce: plus `ceil(log2 p) n gamma`; scatter, gather: `ceil(log2 p) alpha + (p - 1)/p n beta`; others: two of these")
.kinds(is_no_scan);
