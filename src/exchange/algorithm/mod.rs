//! The algorithms: one file for each family, and the registry of what can be asked for by name.

mod about;
mod balance;
mod bruck;
mod coloring;
mod detour;
pub(super) mod mixed;
mod packed;
mod permutation;
mod random;
mod sorting;
mod two_stage;

use std::fmt;

use super::planner::{PlanError, Planner, Variant};

/// How an exchange is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// The fastest that is found among those that can be predicted, but for sorting, which needs data. From ten thousand
    /// messages on fewer ways are tried.
    Auto,
    /// Linear permutation, for uniform messages.
    Linear,
    /// Modified linear permutation: lengths are told first, and everybody waits after each round.
    Modified,
    /// Linear permutation without either.
    Pairwise,
    /// Distributed random scheduling.
    Random {
        /// What all choices follow from.
        seed: u64,
    },
    /// The same where a busy receiver says for how long: the first of the paper's improvements.
    Measured {
        /// What all choices follow from.
        seed: u64,
    },
    /// The same where a receiver gives its go-ahead before it is free: the second one.
    Early {
        /// What all choices follow from.
        seed: u64,
    },
    /// The same with both improvements.
    Improved {
        /// What all choices follow from.
        seed: u64,
    },
    /// Two stages, each by modified linear permutation.
    TwoStage,
    /// Two stages with parts that are shuffled.
    Shuffled {
        /// What all choices follow from.
        seed: u64,
    },
    /// Sorting by destination.
    Sorting,
    /// As few rounds as possible.
    Colored,
    /// The same, in which no link has more to carry than it must.
    Balanced,
    /// The same, of slices of messages.
    Sliced,
    /// A plan by the clock that keeps nodes busy and links free.
    Packed,
    /// Two stages without telling and without barriers.
    Relayed,
    /// Full rounds of slices; what crowded links cannot carry goes by way of others.
    Detour,
    /// Bruck's few long messages.
    Bruck,
    /// Bruck's way for short messages, and as few rounds as possible for long ones.
    Mixed,
}

impl Algorithm {
    /// All of them, with seed 1.
    pub const ALL: [Algorithm; 19] = [
        Algorithm::Auto,
        Algorithm::Linear,
        Algorithm::Modified,
        Algorithm::Pairwise,
        Algorithm::Random { seed: 1 },
        Algorithm::Measured { seed: 1 },
        Algorithm::Early { seed: 1 },
        Algorithm::Improved { seed: 1 },
        Algorithm::TwoStage,
        Algorithm::Shuffled { seed: 1 },
        Algorithm::Sorting,
        Algorithm::Colored,
        Algorithm::Balanced,
        Algorithm::Sliced,
        Algorithm::Packed,
        Algorithm::Relayed,
        Algorithm::Detour,
        Algorithm::Bruck,
        Algorithm::Mixed,
    ];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::Linear => "linear",
            Algorithm::Modified => "modified",
            Algorithm::Pairwise => "pairwise",
            Algorithm::Random { .. } => "random",
            Algorithm::Measured { .. } => "measured",
            Algorithm::Early { .. } => "early",
            Algorithm::Improved { .. } => "improved",
            Algorithm::TwoStage => "two-stage",
            Algorithm::Shuffled { .. } => "shuffled",
            Algorithm::Sorting => "sorting",
            Algorithm::Colored => "colored",
            Algorithm::Balanced => "balanced",
            Algorithm::Sliced => "sliced",
            Algorithm::Packed => "packed",
            Algorithm::Relayed => "relayed",
            Algorithm::Detour => "detour",
            Algorithm::Bruck => "bruck",
            Algorithm::Mixed => "mixed",
        }
    }

    /// Whether a plan says what it takes; otherwise only a run can tell.
    pub fn is_predictable(self) -> bool {
        !matches!(
            self,
            Algorithm::Random { .. }
                | Algorithm::Measured { .. }
                | Algorithm::Early { .. }
                | Algorithm::Improved { .. }
        )
    }

    /// What its choices at random follow from; `None` if it makes none.
    pub fn seed(self) -> Option<u64> {
        match self {
            Algorithm::Random { seed }
            | Algorithm::Measured { seed }
            | Algorithm::Early { seed }
            | Algorithm::Improved { seed }
            | Algorithm::Shuffled { seed } => Some(seed),
            _ => None,
        }
    }

    /// The same with other choices; the same if it makes none.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Algorithm {
        match self {
            Algorithm::Random { .. } => Algorithm::Random { seed },
            Algorithm::Measured { .. } => Algorithm::Measured { seed },
            Algorithm::Early { .. } => Algorithm::Early { seed },
            Algorithm::Improved { .. } => Algorithm::Improved { seed },
            Algorithm::Shuffled { .. } => Algorithm::Shuffled { seed },
            other => other,
        }
    }

    /// The ways in which it can carry an exchange out, at least one; none for *Auto*.
    pub(super) fn variants(self, planner: &Planner) -> Result<Vec<Variant>, PlanError> {
        match self {
            Algorithm::Auto => Ok(Vec::new()),
            Algorithm::Linear => permutation::linear(planner),
            Algorithm::Modified => permutation::modified(planner),
            Algorithm::Pairwise => permutation::pairwise(planner),
            Algorithm::Random { seed } => random::variants(planner, seed),
            Algorithm::Measured { seed } => random::measured(planner, seed),
            Algorithm::Early { seed } => random::early(planner, seed),
            Algorithm::Improved { seed } => random::improved(planner, seed),
            Algorithm::TwoStage => two_stage::variants(planner),
            Algorithm::Shuffled { seed } => two_stage::shuffled(planner, seed),
            Algorithm::Sorting => sorting::variants(planner),
            Algorithm::Colored => coloring::colored(planner),
            Algorithm::Balanced => balance::variants(planner),
            Algorithm::Sliced => coloring::sliced(planner),
            Algorithm::Packed => packed::variants(planner),
            Algorithm::Relayed => two_stage::relayed(planner),
            Algorithm::Detour => detour::variants(planner),
            Algorithm::Bruck => bruck::variants(planner),
            Algorithm::Mixed => mixed::variants(planner),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
