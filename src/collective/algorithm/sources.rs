//! *Sources*: the schedules of an equal operation.
//!
//! **What it does.** An all-gather is an s-to-p broadcast from the ranks with non-empty blocks, and a broadcast is one from its root, so the
//! schedules of [s-to-p broadcasts](crate::stop) are candidates. An all-gather with a single non-empty block is a broadcast, so the algorithms
//! of either are candidates for the other. A broadcast of an unevenly cut vector equals a broadcast of an evenly cut one. The same holds
//! for the duals, reduce-scatter and reduce.
//!
//! **Restrictions.** Some block is not empty; a commutative operator, unless only one rank has data at the end.
//!
//! **Cost.** That of the chosen algorithm.
//!
//! **Source.** The sources of the algorithms for broadcasts.

use super::{
    super::{Operation, Task},
    Algorithm, Entry, of,
};
use crate::plan::{Related, Restriction};

impl Algorithm {
    /// The schedules of equal operations: of s-to-p broadcasts, and of an all-gather for a broadcast.
    pub const SOURCES: Algorithm = of(&SOURCES);
}

static SOURCES: Entry = Entry::new("sources", |planning| Ok(planning.problem.equal()))
    .about("as the equivalent s-to-p broadcast from the ranks that have data")
    .source("this project")
    .cost("cost of the chosen algorithm")
    .kinds(|operation| {
        use Operation::{AllGather, Broadcast, Reduce, ReduceScatter};
        matches!(operation, Broadcast | AllGather | Reduce | ReduceScatter)
    })
    .only_if(&[
        Restriction {
            text: "at least one block that is not empty",
            is_met: |task, _| task.bytes() > 0,
            found: |_, _| String::new(),
        },
        Restriction {
            text: "a commutative operator, or a result on a single rank",
            is_met: |task, _| !task.is_in_order() || has_one_holder(task),
            found: |_, _| String::new(),
        },
    ]);

/// Whether only one rank has data at the end.
fn has_one_holder(task: &Task) -> bool {
    task.operation() == Operation::Reduce || task.longest_block() == task.bytes()
}
