//! *Wider*: the schedules of an operation whose results include those of this operation.
//!
//! **What it does.** An all-gather brings to all ranks what a gather brings to one; an all-reduce brings everywhere the results of a
//! reduce or a reduce-scatter; a broadcast brings to all ranks the blocks of a scatter; a scan leaves the result of a
//! reduce at the last rank. Their schedules are therefore candidates; messages with unneeded results are removed.
//!
//! **Restrictions.** Those of the algorithms of the wider operations.
//!
//! **Cost.** That of the chosen algorithm.
//!
//! **Source.** Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE TPDS 21(5), 2010.

use super::{super::Operation, Algorithm, Entry, of};
use crate::plan::Related;

impl Algorithm {
    /// The schedules of a wider operation: of an all-gather for a gather, of an all-reduce for a reduce or a reduce-scatter,
    /// and of a broadcast for a scatter.
    pub const WIDER: Algorithm = of(&WIDER);
}

static WIDER: Entry = Entry::new("wider", |planning| Ok(planning.problem.wider()))
    .about("with the schedule of an operation with a larger result, such as all-gather for gather")
    .source("Träff, Gropp, Thakur 2010")
    .cost("cost of the chosen algorithm")
    .kinds(|operation| {
        use Operation::{Gather, Reduce, ReduceScatter, Scatter};
        matches!(operation, Scatter | Gather | Reduce | ReduceScatter)
    });
