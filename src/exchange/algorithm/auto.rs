//! *Auto*: the fastest that is found among all that can be predicted.
//!
//! **What it does.** It looks for the fastest way to treat all messages [`alike`], and then, where lengths differ much, whether long and
//! short messages are faster [apart].
//!
//! **Restrictions.** It leaves out random scheduling, which only a run can time, and sorting, which needs data. Of large exchanges
//! fewer variants are tried.
//!
//! **Cost.** That of what it takes.
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
    /// The fastest that is found among those that can be predicted, but for sorting, which needs data. Of large exchanges
    /// fewer variants are tried. Where all nodes have something for each other, planning takes the host 0.01 to 0.3 s on 32
    /// nodes, 0.03 to 1.2 s on 256, 0.1 to 7 s on 512, and 0.5 to 40 s on 1,024: the most where a few messages are much longer
    /// than the others.
    pub const AUTO: Algorithm = of(&AUTO);
}

fn search(planning: &Planning<'_>, _: &Budget) -> Result<(Variant, Predicted), PlanError> {
    let (instance, planner) = (planning.problem, planning.workspace);
    let (variant, found) = whole(planner, Time::MAX)?;
    let limit = worth(planner, found.prediction.modeled);
    let faster = apart::faster(instance, limit).or_else(|| left_out(planner, limit));
    Ok(faster.unwrap_or((variant, found)))
}
