//! *Auto*: the fastest plan found among all algorithms with a prediction.
//!
//! **What it does.** It searches for the fastest plan that treats all messages [`alike`]. If lengths differ much, it then tries to plan
//! long and short messages [apart].
//!
//! **Restrictions.** Random scheduling is excluded, because only a run gives its time. Sorting is excluded, because it needs real data.
//! For large exchanges fewer variants are tried.
//!
//! **Cost.** The cost of the chosen algorithm.
//!
//! **Source.** This project.

pub(super) mod alike;
mod few;

use self::alike::{Predicted, left_out, whole, worth};
use super::{
    super::{PlanError, planner::Variant},
    Algorithm, Entry, Planning, apart, of,
};
use crate::{plan::Budget, time::Time};

static AUTO: Entry = Entry::searching("auto", search)
    .about("the fastest that is found among those that can be predicted, but for sorting")
    .source("this project")
    .cost("what that takes");

impl Algorithm {
    /// The fastest plan found among all algorithms with a prediction, except sorting, which needs real data. For large exchanges fewer
    /// variants are tried. If all nodes send to each other, planning takes 0.01 to 0.3 s of host time on 32 nodes, 0.03 to 1.2 s on 256,
    /// 0.1 to 7 s on 512, and 0.5 to 40 s on 1,024. It takes longest if a few messages are much longer than the others.
    pub const AUTO: Algorithm = of(&AUTO);
}

fn search(planning: &Planning<'_>, _: &Budget) -> Result<(Variant, Predicted), PlanError> {
    let (instance, planner) = (planning.problem, planning.workspace);
    let (variant, found) = whole(planner, Time::MAX)?;
    let limit = worth(planner, found.prediction.modeled);
    let faster = apart::faster(instance, limit).or_else(|| left_out(planner, limit));
    Ok(faster.unwrap_or((variant, found)))
}
