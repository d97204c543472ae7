//! Algorithm *Auto*: predicts every schedule that the other algorithms come in, and takes the fastest.
//!
//! **What it does.** Since all nodes know the machine, the sources and the lengths, each can compute the same modeled
//! time of every candidate, conflicts on the links included, and all take the same one; no message is needed to agree.
//! Then it looks whether it is faster to treat long and short messages [apart](super::apart). The work is done once, when
//! the plan is made; `src/plan/search.rs` has the search.
//!
//! **Restrictions.** None. It is never slower than any other algorithm here, if all nodes start at the same instant and
//! nothing else is under way, unless the search was [not complete](crate::plan::Plan::is_complete).
//!
//! **Cost.** That of the algorithm chosen.
//!
//! **Source.** The papers leave it open: "none of our algorithms tries to analyze the input distribution" (conference
//! version, section 5.2).

use super::{Algorithm, Entry, Instance, Variants, of};
use crate::plan::{Related, Variant, split::faster};

impl Algorithm {
    /// Predicts all others on the machine and takes the fastest.
    pub const AUTO: Algorithm = of(&AUTO);
}

static AUTO: Entry = Entry::new("auto", |planning| Ok(all(planning.problem)))
    .improved(faster)
    .about("the fastest of all others, by prediction");

/// The variants of all other algorithms, but for those that treat messages apart.
fn all(instance: &Instance) -> Vec<Variant<Instance>> {
    families(instance).into_iter().chain(instance.equal()).collect()
}

/// The same variants without those that need a nested search.
pub(in super::super) fn others(instance: &Instance) -> Variants {
    let mut variants = all(instance);
    variants.retain(|variant| !variant.is_searched());
    Ok(variants)
}

/// The variants of all algorithms for s-to-p broadcasts themselves. Those most likely to be the fastest come first.
pub(crate) fn families(instance: &Instance) -> Vec<Variant<Instance>> {
    let every_node_is_a_source = instance.sources().len() == instance.nodes();
    // Then the messages stay where they are, and only *Br_xy_source* may take another dimension first than without.
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
    let algorithms = first.iter().chain(Algorithm::BEYOND).chain(&[Algorithm::LEVEL]).chain(Algorithm::PAPER);
    listed(instance, algorithms.filter(|&algorithm| !is_the_same_as_its_base(algorithm)))
}

/// The variants of those algorithms whose schedules may be carried out backwards: nodes do not go by the clock, and none is sent a
/// message that it has.
pub(crate) fn reversible(instance: &Instance) -> Vec<Variant<Instance>> {
    listed(instance, [Algorithm::FOREST].iter().chain(Algorithm::BEYOND).chain(&[Algorithm::LEVEL]))
}

/// The variants of these algorithms. One that is restricted is left out.
fn listed<'a>(
    instance: &Instance,
    algorithms: impl Iterator<Item = &'a Algorithm>,
) -> Vec<Variant<Instance>> {
    algorithms.flat_map(|algorithm| algorithm.variants(instance, &()).unwrap_or_default()).collect()
}
