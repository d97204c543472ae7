//! *Sources*: the same in the words of an equal operation.
//!
//! **What it does.** A collect is an s-to-p broadcast from those ranks that have something, and a broadcast is one from its root: so the
//! schedules of [s-to-p broadcasts](crate::stop) are taken. A collect with a single block that is not empty is a broadcast, so
//! the algorithms for either are taken for the other. A broadcast of a vector that is cut unevenly is one of a vector cut evenly.
//! Backwards the same holds for a distributed combine and a combine-to-one.
//!
//! **Restrictions.** Some block is not empty; a commutative operator, unless a single rank has data in the end.
//!
//! **Cost.** That of the algorithm chosen.
//!
//! **Source.** Those of the algorithms for broadcasts.

use super::{
    super::{Operation, Task},
    Algorithm, Entry, of,
};
use crate::plan::{Related, Restriction};

impl Algorithm {
    /// The schedules of equal operations: of s-to-p broadcasts, and of a collect for a broadcast.
    pub const SOURCES: Algorithm = of(&SOURCES);
}

static SOURCES: Entry = Entry::new("sources", |planning| Ok(planning.problem.equal()))
    .about("as an equal operation: an s-to-p broadcast from those ranks that have something")
    .source("this project")
    .kinds(|operation| {
        use Operation::{Broadcast, Collect, CombineToOne, DistributedCombine};
        matches!(operation, Broadcast | Collect | CombineToOne | DistributedCombine)
    })
    .only_if(&[
        Restriction {
            text: "some block must not be empty",
            is_met: |task, _| task.bytes() > 0,
            found: |_, _| String::new(),
        },
        Restriction {
            text: "the operator must be commutative, or a single rank have data in the end",
            is_met: |task, _| !task.is_in_order() || has_one_holder(task),
            found: |_, _| String::new(),
        },
    ]);

/// Whether a single rank has data in the end.
fn has_one_holder(task: &Task) -> bool {
    task.operation() == Operation::CombineToOne || task.longest_block() == task.bytes()
}
