//! The algorithms: one file each, which begins with what it does, its restrictions, its cost in the symbols of the timing
//! model, and its source, and has its entry in the registry. Here they are listed.
//!
//! `ideal` is where sources are best placed, and `variant` has what many algorithms come in.

mod apart;
mod auto;
mod br_lin;
mod br_xy;
mod bucket;
mod circulant;
mod collective;
mod cut;
mod forest;
mod ideal;
mod in_turn;
mod level;
mod part;
mod pipeline;
#[cfg(test)]
mod plan_tests;
mod repos;
#[cfg(test)]
mod schedule_tests;
mod split;
mod spread;
mod tree;
mod two_step;
mod variant;
mod xor;

pub(super) use self::auto::others;
pub(crate) use self::auto::{families, reversible};
pub use self::ideal::ideal_places;
use self::variant::{Known, Variants, by_nodes, each, each_known, in_node_order, only};
use super::{
    Instance,
    draft::{Draft, Piece},
};
use crate::plan;

/// An algorithm for s-to-p broadcasting.
///
/// In the documentation of each, `p = r c` is the number of nodes, `s` that of the sources, `n` the bytes of each; its file
/// in `src/stop/algorithm` says more. Those of the papers do just what the papers say. The others come in variants, of
/// which [`plan`](Algorithm::plan) takes the one that is predicted to be the fastest for the instance.
///
/// ```
/// use multicomputer::stop::Algorithm;
/// let algorithm: Algorithm = "repos-br-xy-source".parse()?;
/// assert_eq!(algorithm.to_string(), "repos-br-xy-source");
/// assert!(Algorithm::PAPER.contains(&algorithm));
/// # Ok::<(), multicomputer::plan::ParseAlgorithmError>(())
/// ```
pub type Algorithm = plan::Algorithm<Instance>;

/// The entry of an algorithm in the registry.
type Entry = plan::Entry<Instance>;

/// The algorithm of an entry.
const fn of(entry: &'static Entry) -> Algorithm {
    Algorithm::with(entry, ())
}

static OWN: Entry = Entry::own();

impl Algorithm {
    /// The algorithm that plans of [one's own](super::Own) name. It makes no plans itself: those are made by the `Own`.
    pub const OWN: Algorithm = of(&OWN);

    /// Those of the papers.
    pub const PAPER: &[Algorithm] = &[
        Algorithm::BR_LIN,
        Algorithm::BR_LIN_ROW_MAJOR,
        Algorithm::BR_XY_SOURCE,
        Algorithm::BR_XY_DIM,
        Algorithm::XOR,
        Algorithm::TWO_STEP,
        Algorithm::REPOS_BR_LIN,
        Algorithm::REPOS_BR_LIN_DIAGONAL,
        Algorithm::REPOS_BR_LIN_DIAGONAL_ROW_MAJOR,
        Algorithm::REPOS_BR_XY_SOURCE,
        Algorithm::REPOS_BR_XY_DIM,
        Algorithm::REPOS_XOR,
        Algorithm::REPOS_TWO_STEP,
        Algorithm::PART_LIN,
        Algorithm::PART_XY_SOURCE,
    ];

    /// Those that the papers do not have, for any lengths on any machine, without [`Algorithm::AUTO`]. Those most likely to be the
    /// fastest come first.
    pub const BEYOND: &[Algorithm] = &[
        Algorithm::IN_TURN,
        Algorithm::SPREAD,
        Algorithm::SPLIT,
        Algorithm::CIRCULANT,
        Algorithm::BUCKET,
        Algorithm::TREE,
    ];

    /// Those for some problems only: messages that leave some nodes with more bytes than others, long messages on networks that are no
    /// grid, long messages from few sources, and messages of lengths that differ; and the algorithms for collective operations. The
    /// papers do not have them. *Auto* tries them as well.
    pub const FOR_SOME: &[Algorithm] =
        &[Algorithm::LEVEL, Algorithm::FOREST, Algorithm::PIPELINE, Algorithm::COLLECTIVE, Algorithm::APART];

    /// All that are for any lengths on any machine, [`Algorithm::AUTO`] last.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        Algorithm::PAPER.iter().chain(Algorithm::BEYOND).copied().chain([Algorithm::AUTO])
    }
}
