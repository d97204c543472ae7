//! *Balanced*: rounds in which no link has more to carry than the ports of the nodes let through anyway, where that is
//! possible.
//!
//! **What it does.** It begins with rounds that somebody else has made: of linear permutation if the messages are of
//! one length, otherwise by coloring. In some of them many messages may want to go over the same link, such as in the
//! rounds of linear permutation in which everybody on a fat tree sends to the other half of the machine, while in
//! others hardly any do. Take two rounds, and draw a line from each sender to its receiver in either: this makes paths
//! and rings in which the lines belong to the two rounds in turn. In each of them the rounds can be exchanged without
//! harm to the rest. This is done wherever it makes the two rounds together shorter. So each round of a fat tree gets
//! some messages that cross the top and some that do not.
//!
//! **Restrictions.** None; where no link is ever too narrow it changes nothing. In large exchanges the looks for
//! rounds to mix are limited to so many for each message.
//!
//! **Cost.** As that of the rounds it begins with, without links that are shared: `h (alpha + s beta)`. The length of a
//! round is estimated by the 16-norm of what each link and each port needs for its bytes, which is close to the largest
//! of these and goes down with any of them.
//!
//! **Source.** This project. That two matchings make paths and rings, C. Berge, "Two theorems in graph theory", PNAS
//! 43(9), 1957; that exchange rounds on a CM-5 should mix messages of all distances, E. A. Brewer, B. C. Kuszmaul, "How
//! to get good performance from the CM-5 data network", IPPS 1994.

use super::{
    super::{
        PlanError,
        planner::{Planner, Variant},
    },
    Algorithm, Entry, Planning, of,
};

static BALANCED: Entry = Entry::new("balanced", variants)
    .about("colored, with rounds mixed so that links are less crowded")
    .source("this project; Brewer, Kuszmaul 1994")
    .cost("that of `colored`, without links that are shared");

impl Algorithm {
    /// As few rounds as possible, in which no link has more to carry than it must.
    pub const BALANCED: Algorithm = of(&BALANCED);
}

/// The rounds it begins with where there is nothing to be made better.
fn variants(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let planner = planning.workspace;
    let rounds = |planner: &Planner| Ok(planner.balanced().unwrap_or_else(|| planner.plain()));
    let same = if planner.balanced().is_some() { "balanced" } else { planner.plain_name() };
    Ok(planner.in_styles_as("balanced", same, rounds))
}
