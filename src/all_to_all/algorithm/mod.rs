//! The algorithms, one file for each family. A file starts with the description, the restrictions, the cost in the symbols of the timing
//! model, and the source, and holds the entries of the registry.

mod apart;
mod auto;
mod balance;
mod bruck;
mod coloring;
mod detour;
mod levels;
mod mixed;
mod packed;
mod permutation;
mod random;
mod selectors;
mod sorting;
mod two_stage;
mod unsplit;

use super::{Instance, PlanError};
use crate::plan;

/// An algorithm for many-to-many communication.
///
/// In the documentation of the algorithms, `p` is the number of nodes, `s` the length of the longest message, `t` the maximum bytes that
/// any node sends or receives, and `h` the maximum number of messages that any node sends or receives. The files in
/// `src/all_to_all/algorithm` say more.
///
/// ```
/// use multicomputer::all_to_all::Algorithm;
///
/// let algorithm: Algorithm = "two-stage".parse()?;
/// assert_eq!(algorithm, Algorithm::TWO_STAGE);
/// assert_eq!(Algorithm::RANDOM.with_seed(7).seed(), Some(7));
/// # Ok::<(), multicomputer::plan::ParseAlgorithmError>(())
/// ```
pub type Algorithm = plan::Algorithm<Instance>;

/// Registry entry of an exchange algorithm.
type Entry = plan::Entry<Instance>;

/// An exchange to be planned by an algorithm.
type Planning<'a> = plan::Planning<'a, Instance>;

/// Returns the algorithm of an entry without random choices.
const fn of(entry: &'static Entry) -> Algorithm {
    Algorithm::with(entry, None)
}

/// Returns the algorithm of an entry with random choices, with seed 1.
const fn seeded(entry: &'static Entry) -> Algorithm {
    Algorithm::with(entry, Some(1))
}

/// Returns the error of an algorithm that does not support an exchange.
fn refused(algorithm: Algorithm, text: String) -> PlanError {
    PlanError::Restricted { algorithm: algorithm.to_string(), text, found: String::new() }
}

impl Algorithm {
    /// All algorithms, with seed 1.
    pub const ALL: &[Algorithm] = &[
        Algorithm::AUTO,
        Algorithm::LINEAR,
        Algorithm::MODIFIED,
        Algorithm::PAIRWISE,
        Algorithm::RANDOM,
        Algorithm::MEASURED,
        Algorithm::EARLY,
        Algorithm::IMPROVED,
        Algorithm::TWO_STAGE,
        Algorithm::SHUFFLED,
        Algorithm::SCHEDULED,
        Algorithm::SORTING,
        Algorithm::COLORED,
        Algorithm::BALANCED,
        Algorithm::SLICED,
        Algorithm::PACKED,
        Algorithm::RELAYED,
        Algorithm::DETOUR,
        Algorithm::BRUCK,
        Algorithm::LEVELS,
        Algorithm::MIXED,
        Algorithm::APART,
    ];

    /// Further algorithms with a name, which *Auto* and comparisons of all algorithms leave out: the selectors of other libraries.
    pub const UNTRIED: &[Algorithm] = &[Algorithm::MPICH, Algorithm::OPEN_MPI];

    /// Returns the seed of the random choices; `None` if the algorithm makes none.
    pub fn seed(&self) -> Option<u64> {
        self.parameter().copied().flatten()
    }

    /// Returns the algorithm with another seed, if it makes random choices.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Algorithm {
        self.with_parameter(self.seed().map(|_| seed))
    }
}
