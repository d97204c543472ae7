//! *Apart*: long blocks by one algorithm and short ones by another, one after the other.
//!
//! **What it does.** The blocks are parted by length, at a few places that are tried. For each part, a vector of its own, the
//! fastest variant of all other algorithms is taken, and the two follow each other in the order that is faster. No rank
//! waits for the others in between. How the places are found is in `src/plan/apart.rs`.
//!
//! **Restrictions.** Some block is more than twice as long as another one; the root's own does not count, as it stays there.
//!
//! **Cost.** At most that of the two parts together. Most is won where a few blocks are long: these go in pieces, for about
//! `n beta` or straight to where they belong, and the many short ones take `ceil(log2 p) alpha`.
//!
//! **Source.** This project.

use super::{
    super::{Operation, Task},
    Algorithm, Entry, auto, of,
};
use crate::{
    plan::{
        PlanError, Predicted, Restriction, Variant,
        apart::{fastest_apart, is_uneven},
    },
    text::count,
    time::Time,
};

impl Algorithm {
    /// Long blocks and short ones apart, each by the fastest of the other algorithms; only if lengths differ.
    pub const APART: Algorithm = of(&APART);
}

static APART: Entry = Entry::searching("apart", |planning| {
    faster(planning.problem, Time::MAX)
        .ok_or_else(|| PlanError::TooLong { algorithm: Algorithm::APART.to_string() })
})
.about("long blocks by one algorithm and short ones by another, one after the other")
.source("this project")
.kinds(Operation::has_blocks)
.only_if(&[Restriction {
    text: "some block must be more than twice as long as another one, and the root's own does not count",
    is_met: |task, _| is_uneven(task),
    found: |task, _| format!("the longest has {}", count(task.longest_block(), "byte")),
}]);

/// The fastest way to treat blocks apart, if it takes less than the limit.
pub(super) fn faster(task: &Task, limit: Time) -> Option<(Variant<Task>, Predicted<Task>)> {
    fastest_apart(&Algorithm::APART, task, auto::variants, limit)
}
