//! *Auto*: the fastest of all algorithms, by prediction.
//!
//! **What it does.** Each algorithm contributes the variants that its closed forms rate cheapest; variants of related operations
//! ([`sources`](super::sources), [`wider`](super::wider)) are included. The variants are predicted in order of their closed-form times,
//! where variants without a closed form and schedules of many messages come last, and the fastest is taken. Finally the search checks
//! whether treating long and short blocks [apart](super::apart) is faster.
//!
//! **Restrictions.** None. *Auto* is never slower than another algorithm if all members start at the same instant and no other messages are
//! in transit, unless the search was [not complete](crate::plan::Plan::is_complete).
//!
//! **Cost.** That of the algorithm chosen.

use super::{
    super::{Task, candidate::without_duplicates},
    Algorithm, Entry, Variants, of,
};
use crate::{
    plan::{Variant, split::fastest_partition},
    time::Span,
};

impl Algorithm {
    /// The fastest of all other algorithms, by prediction of the variants that their closed forms rate cheapest.
    pub const AUTO: Algorithm = of(&AUTO);
}

static AUTO: Entry = Entry::new("auto", |planning| match planning.with_related {
    true => Ok(sorted(listed(planning.problem, |_| true))),
    false => Ok(families(planning.problem)),
})
.improved(fastest_partition)
.about("the fastest of all algorithms, by prediction")
.cost("cost of the chosen algorithm");

/// Returns the variants of all algorithms but *Auto*, without variants that contain a search of their own.
pub(in super::super) fn unsplit_variants(task: &Task) -> Variants {
    let mut variants = sorted(listed(task, |_| true));
    variants.retain(|variant| !variant.is_searched());
    Ok(variants)
}

/// The variants of all algorithms for the operation itself, without those of related operations.
pub(crate) fn families(task: &Task) -> Vec<Variant<Task>> {
    sorted(listed(task, |algorithm| ![Algorithm::SOURCES, Algorithm::WIDER].contains(algorithm)))
}

/// The variants of the selected algorithms except *Auto*. Algorithms whose restrictions are not met contribute none.
fn listed(task: &Task, is_selected: impl Fn(&Algorithm) -> bool) -> Vec<Variant<Task>> {
    let algorithms = Algorithm::of(task.operation()).into_iter();
    let selected = algorithms.filter(|algorithm| *algorithm != Algorithm::AUTO && is_selected(algorithm));
    selected.flat_map(|algorithm| algorithm.variants(task, &()).unwrap_or_default()).collect()
}

/// Sorts variants by estimate and removes duplicates. Variants without an estimate come last: they are many, and the slowest to make.
fn sorted(mut variants: Vec<Variant<Task>>) -> Vec<Variant<Task>> {
    variants.sort_by_key(|variant| (variant.estimate() == Span::ZERO, variant.estimate()));
    without_duplicates(variants)
}
