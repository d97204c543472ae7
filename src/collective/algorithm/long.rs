//! *Long*: InterCom's algorithm for long vectors, scatter and ring all-gather in rows and columns.
//!
//! **What it does.** The rows and the columns of the members' rectangle are two long-vector dimensions, or one dimension on a line: the
//! strategy `cxr:SSCC` of a broadcast. A broadcast scatters within the row of the root and then within the columns, and collects in rings
//! in reverse order. The other operations are parts of the broadcast or its dual; see [*Hybrid*](super::hybrid).
//!
//! **Restrictions.** A commutative operator, except on a single rank.
//!
//! **Cost.** `(ceil(log2 r) + ceil(log2 c) + r + c - 2) alpha + 2 (p - 1)/p n beta` for a broadcast of `n` bytes on `r` rows
//! and `c` columns.
//!
//! **Source.** Barnett et al., "Building a High-Performance Collective Communication Library", 1994, sections 4 and 7.

use super::{
    super::{Strategy, draft::Tuning, strategy::AllGatherKind},
    Algorithm, Entry, is_no_scan, of,
    strategies::{IN_ORDER, variants},
};
use crate::plan::Restriction;

impl Algorithm {
    /// InterCom's long-vector algorithm: scatter and ring all-gather, within the rows and the columns of a rectangle.
    pub const LONG: Algorithm = of(&LONG);
}

static LONG: Entry = Entry::new("long", |planning| {
    let grid = planning.problem.layout().grid;
    let sides = [grid.columns, grid.rows].into_iter().filter(|&side| side > 1);
    let strategy = Strategy::long(sides.map(|side| (side, AllGatherKind::Ring)));
    variants(planning.problem, [strategy], &[Tuning::PLAIN])
})
.aliases(&["van-de-geijn", "scatter-allgather", "ring"])
.about("InterCom, long vectors: scatter and ring all-gather in rows and columns")
.source("Barnett et al. 1994, sections 4 and 7")
.cost("broadcast: `(ceil(log2 r) + ceil(log2 c) + r + c - 2) alpha + 2 (p - 1)/p n beta`; all-gather: `(r + c - 2) alpha + (p - 1)/p n beta`; reduce, reduce-scatter: plus `(p - 1)/p n gamma`")
.kinds(is_no_scan)
.only_if(&[Restriction {
    text: IN_ORDER,
    is_met: |task, _| !task.is_in_order() || task.size() == 1,
    found: |_, _| String::new(),
}]);
