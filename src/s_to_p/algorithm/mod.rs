//! The algorithms and their registry. Each algorithm has one file, which begins with what the algorithm does, its restrictions, its cost in
//! the symbols of the timing model, and its source.
//!
//! `ideal` computes ideal places for sources; `variant` builds the variants that several algorithms share.

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

pub(super) use self::auto::unsplit_variants;
pub(crate) use self::auto::{families, reversible};
pub use self::ideal::ideal_places;
use self::variant::{VariantCost, Variants, by_nodes, each, each_with_cost, in_node_order, only};
use super::{
    Instance,
    draft::{Draft, Piece},
};
use crate::plan;

/// An algorithm for s-to-p broadcasting.
///
/// In the documentation of the algorithms, `p = r c` is the number of nodes, `s` the number of sources and `n` the bytes of each message;
/// the files in `src/s_to_p/algorithm` have the details. The algorithms of the papers follow the papers exactly. The other algorithms have
/// several variants; [`plan`](Algorithm::plan) chooses the variant with the shortest predicted time for the instance.
///
/// ```
/// use multicomputer::s_to_p::Algorithm;
/// let algorithm: Algorithm = "repos-br-xy-source".parse()?;
/// assert_eq!(algorithm.to_string(), "repos-br-xy-source");
/// assert!(Algorithm::PAPER.contains(&algorithm));
/// # Ok::<(), multicomputer::plan::ParseAlgorithmError>(())
/// ```
pub type Algorithm = plan::Algorithm<Instance>;

/// The registry entry of an algorithm.
type Entry = plan::Entry<Instance>;

/// Returns the algorithm of a registry entry.
const fn of(entry: &'static Entry) -> Algorithm {
    Algorithm::with(entry, ())
}

impl Algorithm {
    /// The algorithms of the papers.
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

    /// Algorithms that are not in the papers, without restriction on lengths or machine, except [`Algorithm::AUTO`]. They are ordered by
    /// how likely they are to be the fastest.
    pub const BEYOND: &[Algorithm] = &[
        Algorithm::IN_TURN,
        Algorithm::SPREAD,
        Algorithm::SPLIT,
        Algorithm::CIRCULANT,
        Algorithm::BUCKET,
        Algorithm::TREE,
    ];

    /// Restricted algorithms: for messages that leave some nodes with more bytes than others, for long messages on networks that are not
    /// grids, for long messages from few sources, for messages of different lengths; and the collective algorithms. The papers do not have
    /// them. *Auto* tries them too.
    pub const FOR_SOME: &[Algorithm] =
        &[Algorithm::LEVEL, Algorithm::FOREST, Algorithm::PIPELINE, Algorithm::COLLECTIVE, Algorithm::APART];

    /// Returns all algorithms without restriction on lengths or machine, [`Algorithm::AUTO`] last.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        Algorithm::PAPER.iter().chain(Algorithm::BEYOND).cloned().chain([Algorithm::AUTO])
    }
}
