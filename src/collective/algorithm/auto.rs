//! *Auto*: the fastest of all algorithms, by prediction.
//!
//! **What it does.** Of each algorithm the ways that the closed forms find cheapest are candidates, those of related operations
//! ([`sources`](super::sources), [`wider`](super::wider)) among them. They are predicted, the cheapest by the closed forms first but
//! those of many messages last, and the fastest is taken. Then it looks whether it is faster to treat long and short blocks
//! [apart](super::apart).
//!
//! **Restrictions.** None. It is never slower than another algorithm, if all members start at the same instant and nothing else is
//! under way, unless the search was [not complete](crate::plan::Plan::is_complete).
//!
//! **Cost.** That of the algorithm chosen.

use super::{
    super::{Task, candidate::each_once},
    Algorithm, Entry, Variants, of,
};
use crate::{
    plan::{Variant, split::faster},
    time::Span,
};

impl Algorithm {
    /// The fastest of all others: of each, the ways that the closed forms find cheapest are predicted.
    pub const AUTO: Algorithm = of(&AUTO);
}

static AUTO: Entry = Entry::new("auto", |planning| Ok(sorted(listed(planning.problem, |_| true))))
    .improved(faster)
    .about("the fastest of all, by prediction");

/// The variants of all other algorithms, without those that need a nested search.
pub(in super::super) fn others(task: &Task) -> Variants {
    let mut variants = sorted(listed(task, |_| true));
    variants.retain(|variant| !variant.is_searched());
    Ok(variants)
}

/// The variants of all algorithms for the operation itself, without those of related operations.
pub(crate) fn families(task: &Task) -> Vec<Variant<Task>> {
    sorted(listed(task, |algorithm| ![Algorithm::SOURCES, Algorithm::WIDER].contains(algorithm)))
}

/// The variants of the algorithms but *Auto*. One that is restricted is left out.
fn listed(task: &Task, is_asked: impl Fn(&Algorithm) -> bool) -> Vec<Variant<Task>> {
    let algorithms = Algorithm::of(task.operation()).into_iter();
    let asked = algorithms.filter(|algorithm| *algorithm != Algorithm::AUTO && is_asked(algorithm));
    asked.flat_map(|algorithm| algorithm.variants(task, &()).unwrap_or_default()).collect()
}

/// The same, those with the least estimates first, and those without one last: they are many, and take longest to make.
fn sorted(mut variants: Vec<Variant<Task>>) -> Vec<Variant<Task>> {
    variants.sort_by_key(|variant| (variant.estimate() == Span::ZERO, variant.estimate()));
    each_once(variants)
}
