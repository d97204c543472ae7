//! *Balanced*: rounds in which, where possible, the links need no longer than the ports of the nodes.
//!
//! **What it does.** The initial rounds are those of linear permutation if all messages are equally long and its number of rounds is
//! minimal, otherwise those of an edge colouring. In some rounds many messages may share a link, while in others few do. For example,
//! linear permutation on a fat tree has rounds in which every node sends to the other half of the machine. Draw an edge from each sender
//! to its receiver in either of two rounds. The edges form paths and cycles on which the two rounds alternate. On each path or cycle the
//! rounds can be swapped without affecting the rest. A swap is kept if it shortens the two rounds together. So each round on a fat tree
//! gets some messages that cross the top and some that do not.
//!
//! **Restrictions.** None. Without congested links the rounds stay unchanged. In large exchanges the search effort per message is
//! limited.
//!
//! **Cost.** The cost of the initial rounds without link contention: `h (alpha + s beta)`. The length of a round is estimated by the
//! 16-norm of the times that each link and each port needs for its bytes. This norm is close to the maximum, and decreases if any of the
//! times decreases.
//!
//! **Source.** This project. Two matchings form paths and cycles: C. Berge, "Two theorems in graph theory", PNAS 43(9), 1957. Exchange
//! rounds on a CM-5 should mix messages of all distances: E. A. Brewer, B. C. Kuszmaul, "How to get good performance from the CM-5 data
//! network", IPPS 1994.

use super::{
    super::{
        PlanError,
        planner::{Planner, Variant},
    },
    Algorithm, Entry, Planning, of,
};

static BALANCED: Entry = Entry::new("balanced", variants)
    .about("`colored`, with messages moved between rounds to reduce link sharing")
    .source("this project; Brewer, Kuszmaul 1994")
    .cost("as `colored`, without link sharing");

impl Algorithm {
    /// Rounds, as few as possible, balanced so that links carry as little as possible in each round.
    pub const BALANCED: Algorithm = of(&BALANCED);
}

/// Returns the balanced rounds in every style, or the initial rounds if balancing does not improve them.
fn variants(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let planner = planning.workspace;
    let rounds = |planner: &Planner| Ok(planner.balanced().unwrap_or_else(|| planner.fewest_rounds()));
    let same = if planner.balanced().is_some() { "balanced" } else { planner.fewest_rounds_name() };
    Ok(planner.in_styles_as("balanced", same, rounds))
}
