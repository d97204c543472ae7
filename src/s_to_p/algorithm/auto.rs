//! Algorithm *Auto*: predicts the time of every variant of the other algorithms and chooses the fastest.
//!
//! **What it does.** All nodes have the machine, the sources and the lengths. Each can therefore compute the same modeled time of every
//! candidate, including link contention, and all choose the same candidate without communication. *Auto* then tests whether it is faster to
//! broadcast long and short messages [separately](super::apart). The search runs once, when the plan is made; it is in
//! `src/plan/search.rs`.
//!
//! **Restrictions.** None. The plan is never slower than the plan of any other algorithm of this module, if all nodes start at the same
//! instant and the network is otherwise idle, unless the search was [not complete](crate::plan::Plan::is_complete).
//!
//! **Cost.** The cost of the algorithm chosen.
//!
//! **Source.** The papers leave this question open: "none of our algorithms tries to analyze the input distribution" (conference version,
//! section 5.2).

use super::{Algorithm, Entry, Instance, Variants, of};
use crate::plan::{Related, Variant, split::fastest_partition};

impl Algorithm {
    /// Predicts the time of all other algorithms on the machine and chooses the fastest.
    pub const AUTO: Algorithm = of(&AUTO);
}

static AUTO: Entry = Entry::new("auto", |planning| match planning.with_related {
    true => Ok(all(planning.problem)),
    false => Ok(families(planning.problem)),
})
.improved(fastest_partition)
.about("the fastest of all other algorithms, by prediction")
.cost("cost of the chosen algorithm");

/// Returns the variants of all other algorithms, except the split by length.
fn all(instance: &Instance) -> Vec<Variant<Instance>> {
    families(instance).into_iter().chain(instance.equal()).collect()
}

/// Returns the variants of all other algorithms, except variants with a nested search.
pub(in super::super) fn unsplit_variants(instance: &Instance) -> Variants {
    let mut variants = all(instance);
    variants.retain(|variant| !variant.is_searched());
    Ok(variants)
}

/// Returns the variants of all algorithms in this module, ordered by how likely the algorithms are to be the fastest.
pub(crate) fn families(instance: &Instance) -> Vec<Variant<Instance>> {
    let every_node_is_a_source = instance.sources().len() == instance.size();
    // With every node a source, *Repos* moves no message, and only *Br_xy_source* may choose another order of dimensions than its base.
    let is_the_same_as_its_base = |algorithm: &Algorithm| {
        let moved = [
            Algorithm::REPOS_BR_LIN,
            Algorithm::REPOS_BR_LIN_DIAGONAL,
            Algorithm::REPOS_BR_LIN_DIAGONAL_ROW_MAJOR,
            Algorithm::REPOS_BR_XY_DIM,
            Algorithm::REPOS_XOR,
            Algorithm::REPOS_TWO_STEP,
        ];
        every_node_is_a_source && moved.contains(algorithm)
    };
    let first = [Algorithm::FOREST, Algorithm::PIPELINE];
    let level = [Algorithm::LEVEL];
    let algorithms = first.iter().chain(Algorithm::BEYOND).chain(&level).chain(Algorithm::PAPER);
    listed(instance, algorithms.filter(|&algorithm| !is_the_same_as_its_base(algorithm)))
}

/// Returns the variants of the algorithms whose schedules can be reversed: they are not time-triggered, and no node is sent a message that
/// it already holds.
pub(crate) fn reversible(instance: &Instance) -> Vec<Variant<Instance>> {
    listed(instance, [Algorithm::FOREST].iter().chain(Algorithm::BEYOND).chain(&[Algorithm::LEVEL]))
}

/// Returns the variants of the given algorithms, without the algorithms whose restrictions are not met.
fn listed<'a>(
    instance: &Instance,
    algorithms: impl Iterator<Item = &'a Algorithm>,
) -> Vec<Variant<Instance>> {
    algorithms.flat_map(|algorithm| algorithm.variants(instance, &()).unwrap_or_default()).collect()
}
