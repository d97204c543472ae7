//! *Wider*: the schedules of an operation whose results include those of this operation.
//!
//! **What it does.** A collect brings to all ranks what a gather brings to one; a combine-to-all brings everywhere the results of a
//! combine-to-one or a distributed combine; a broadcast brings to all ranks the blocks of a scatter; a scan leaves the result of a
//! combine-to-one at the last rank. Their schedules are therefore candidates; messages with unneeded results are removed.
//!
//! **Restrictions.** Those of the algorithms of the wider operations.
//!
//! **Cost.** That of the chosen algorithm.
//!
//! **Source.** Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE TPDS 21(5), 2010.

use super::{super::Operation, Algorithm, Entry, of};
use crate::plan::Related;

impl Algorithm {
    /// The schedules of a wider operation: of a collect for a gather, of a combine-to-all for a combine-to-one or a distributed combine,
    /// and of a broadcast for a scatter.
    pub const WIDER: Algorithm = of(&WIDER);
}

static WIDER: Entry = Entry::new("wider", |planning| Ok(planning.problem.wider()))
    .about("by the schedule of an operation that wants more, such as a collect for a gather")
    .source("Träff, Gropp, Thakur 2010")
    .kinds(|operation| {
        use Operation::{CombineToOne, DistributedCombine, Gather, Scatter};
        matches!(operation, Scatter | Gather | CombineToOne | DistributedCombine)
    });
