//! *Wider*: by the schedule of an operation that wants more.
//!
//! **What it does.** A gather wants at one rank what a collect wants at all, and a combine-to-one or a distributed combine wants parts of
//! what a combine-to-all has everywhere in the end; a scatter wants at each rank a part of what a broadcast brings to all; the last rank has
//! the result of a combine-to-one at the end of a scan. So the algorithms for those are taken, and what nobody wants is left.
//!
//! **Restrictions.** Those of the algorithms.
//!
//! **Cost.** That of the algorithm chosen.
//!
//! **Source.** Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE TPDS 21(5), 2010.

use super::{super::Operation, Algorithm, Entry, of};
use crate::plan::Related;

impl Algorithm {
    /// The schedules of an operation that wants more: of a collect for a gather, of a combine-to-all for a combine-to-one and
    /// a distributed combine, of a broadcast for a scatter.
    pub const WIDER: Algorithm = of(&WIDER);
}

static WIDER: Entry = Entry::new("wider", |planning| Ok(planning.problem.wider()))
    .about("by the schedule of an operation that wants more, such as a collect for a gather")
    .source("Träff, Gropp, Thakur 2010")
    .kinds(|operation| {
        use Operation::{CombineToOne, DistributedCombine, Gather, Scatter};
        matches!(operation, Scatter | Gather | CombineToOne | DistributedCombine)
    });
