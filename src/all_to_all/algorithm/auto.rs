//! *Auto*: the fastest plan found among all algorithms with a prediction.
//!
//! **What it does.** It searches for the fastest plan that treats all messages alike ([`unsplit`]). If lengths differ much, it also plans
//! long and short messages [apart].
//!
//! **Restrictions.** Random scheduling is excluded, because only a run gives its time. Sorting is excluded, because it needs real data.
//! In large exchanges, unless the effort is *thorough*, the search leaves out variants that might be the fastest.
//!
//! **Cost.** The cost of the chosen algorithm.
//!
//! **Source.** This project.

use super::{
    super::{PlanError, planner::Variant},
    Algorithm, Entry, Planning, apart, of,
    unsplit::{self, Predicted},
};
use crate::{
    plan::Budget,
    time::{Span, Time},
};

static AUTO: Entry = Entry::searching("auto", search)
    .about("the fastest of all predictable algorithms except `sorting`")
    .source("this project")
    .cost("cost of the chosen algorithm");

impl Algorithm {
    /// The fastest plan found among all algorithms with a prediction, except sorting, which needs real data.
    pub const AUTO: Algorithm = of(&AUTO);
}

fn search(planning: &Planning<'_>, budget: &Budget) -> Result<(Variant, Predicted), PlanError> {
    let (instance, planner) = (planning.problem, planning.workspace);
    let (variant, found) = unsplit::fastest(planner, Time::MAX, budget)?;
    let limit = found.prediction.modeled - Span::from_picos(1);
    let split = apart::fastest_split(instance, limit, unsplit::is_pruned(planner, budget), budget);
    Ok(split.unwrap_or((variant, found)))
}
