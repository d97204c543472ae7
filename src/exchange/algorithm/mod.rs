//! The algorithms: one file for each family, which opens with what it does, its restrictions, its cost in the symbols
//! of the timing model, and its source, and has the entries of the registry.

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
mod sorting;
mod two_stage;

use super::{Instance, PlanError};
use crate::plan;

/// An algorithm for many-to-many communication.
///
/// In the documentation of each, `p` is the number of nodes, `s` the longest message, `t` the most that any node sends
/// or receives, `h` the most messages that any node sends or receives; its file in `src/exchange/algorithm` says more.
///
/// ```
/// use multicomputer::exchange::Algorithm;
///
/// let algorithm: Algorithm = "two-stage".parse()?;
/// assert_eq!(algorithm, Algorithm::TWO_STAGE);
/// assert_eq!(Algorithm::RANDOM.with_seed(7).seed(), Some(7));
/// # Ok::<(), multicomputer::plan::ParseAlgorithmError>(())
/// ```
pub type Algorithm = plan::Algorithm<Instance>;

/// An entry of the registry.
type Entry = plan::Entry<Instance>;

/// An exchange that is planned, by an algorithm.
type Planning<'a> = plan::Planning<'a, Instance>;

/// The algorithm of an entry that makes no choices at random.
const fn of(entry: &'static Entry) -> Algorithm {
    Algorithm::with(entry, None)
}

/// The algorithm of an entry that makes choices at random, with seed 1.
const fn seeded(entry: &'static Entry) -> Algorithm {
    Algorithm::with(entry, Some(1))
}

/// The error of an algorithm that does not work for an exchange.
fn refused(algorithm: Algorithm, text: String) -> PlanError {
    PlanError::Restricted { algorithm: algorithm.to_string(), text, found: String::new() }
}

static OWN: Entry = Entry::own();

impl Algorithm {
    /// The algorithm that plans of [one's own](super::Own) name. It makes no plans itself: those are made by the `Own`.
    pub const OWN: Algorithm = of(&OWN);

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

    /// The seed of its random choices; `None` if it makes none.
    pub fn seed(&self) -> Option<u64> {
        *self.parameter()
    }

    /// The same with another seed, if it makes random choices.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Algorithm {
        self.with_parameter(self.seed().map(|_| seed))
    }
}
