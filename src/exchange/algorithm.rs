//! The registry: every algorithm by its name, and the choice among them.

use std::fmt;

use thiserror::Error;

use super::{Instance, MatrixError, Plan, random::Manner, workshop::Workshop};
use crate::comm::MAX_MESSAGE;

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
        self.manner().is_none()
    }

    /// In which manner receivers are asked; `None` if they are not.
    pub(super) fn manner(self) -> Option<Manner> {
        let manner = |measured: bool, early: bool, seed: u64| Some(Manner { measured, early, seed });
        match self {
            Algorithm::Random { seed } => manner(false, false, seed),
            Algorithm::Measured { seed } => manner(true, false, seed),
            Algorithm::Early { seed } => manner(false, true, seed),
            Algorithm::Improved { seed } => manner(true, true, seed),
            _ => None,
        }
    }

    /// What its choices at random follow from; `None` if it makes none.
    pub fn seed(self) -> Option<u64> {
        match self {
            Algorithm::Shuffled { seed } => Some(seed),
            other => other.manner().map(|manner| manner.seed),
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

    /// Plans an exchange. What that takes the host grows with the messages: `Auto`, which tries the most, takes about
    /// 0.1 s on 32 nodes that all have something for each other, and seconds on 256.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the algorithm does not work for it.
    pub fn plan(self, instance: &Instance) -> Result<Plan, PlanError> {
        Ok(Workshop::new(instance).plan(self)?.by(self))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The linear permutation needs one length of messages.
    #[error(
        "linear permutation needs messages of one length from everybody to everybody else, and here they have {least} to \
         {most} bytes: `modified` takes any"
    )]
    NotUniform {
        /// The shortest message, perhaps 0.
        least: u64,
        /// The longest one.
        most: u64,
    },
    /// What is sent together makes a message that is too long.
    #[error("a message of {given} bytes would have to be sent: at most {MAX_MESSAGE} are allowed")]
    MessageTooLong {
        /// Its length.
        given: u64,
    },
    /// What is sent together is too much for a node.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// There are too many pairs of senders and receivers to look at.
    #[error("so many messages among so many nodes take the host too long to pack: `colored` takes any")]
    TooManyPairs,
    /// Sorting takes too much memory of the host.
    #[error("sorting would move records of {given} bytes in all: at most {most} are allowed")]
    TooMuchToSort {
        /// Bytes of all records.
        given: u128,
        /// So many are allowed.
        most: u128,
    },
    /// It takes longer than modeled time can tell.
    #[error("every way to do it takes longer than modeled time can tell")]
    TooLong,
}

crate::text::debug_as_text!(PlanError);

#[cfg(test)]
#[path = "algorithm_tests.rs"]
mod tests;
