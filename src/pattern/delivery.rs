//! Verification that a schedule terminates and delivers every block correctly.
//!
//! The schedule is executed without data and without time: each rank performs a step as soon as the inputs of the step are available. For
//! each block the set of ranks whose versions it contains is tracked. Messages between two ranks do not overtake each other and every
//! receive names its sender, so the result does not depend on the order in which ranks are processed.

mod error;
mod replay;

use std::{
    collections::BTreeMap,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
    sync::Arc,
};

pub use self::error::DeliveryError;
use self::replay::Replay;
use super::Schedule;
use crate::rank::Rank;

/// A check of a schedule, with the part of the data that each block represents, the initial holders of the blocks, and the rules of the
/// machine and the operator.
///
/// ```
/// use multicomputer::pattern::{Builder, Delivery, DeliveryError, Exchange, Transfer};
///
/// // Block 0 is at rank 0, and is to go to all; rank 2 is forgotten.
/// let mut builder = Builder::new(3, &[0], &[100], Exchange::InTurn);
/// builder.iteration([Transfer { from: 0, to: 1, blocks: [0].into() }]);
/// let schedule = builder.finish();
/// let delivery = Delivery::new(&schedule, &[0], |rank, _| rank == 0);
/// let error = delivery.check(|_, _| Some(0..1)).unwrap_err();
/// assert_eq!(error.to_string(), "rank 2 ends with nothing in block 0, expected the data of rank 0");
/// assert!(matches!(error, DeliveryError::Undelivered { rank: 2, block: 0, .. }));
/// ```
pub struct Delivery<'a> {
    schedule: &'a Schedule,
    parts: &'a [u32],
    given: Box<dyn Fn(Rank, u32) -> bool + 'a>,
    rendezvous: Option<u64>,
    barriers: bool,
    in_order: bool,
    alike: bool,
}

impl<'a> Delivery<'a> {
    /// Creates a check of a schedule whose block `k` holds versions of part `parts[k]` of the data. `given` returns whether a rank
    /// initially has its own version of a block.
    pub fn new(
        schedule: &'a Schedule,
        parts: &'a [u32],
        given: impl Fn(Rank, u32) -> bool + 'a,
    ) -> Delivery<'a> {
        let given = Box::new(given);
        Delivery { schedule, parts, given, rendezvous: None, barriers: false, in_order: false, alike: false }
    }

    /// Assumes a machine on which a send of `from_bytes` bytes or more waits for its receive (rendezvous protocol). Default: no send waits.
    #[must_use]
    pub fn under_rendezvous(self, from_bytes: Option<u64>) -> Delivery<'a> {
        Delivery { rendezvous: from_bytes, ..self }
    }

    /// Assumes that all nodes of a machine with hardware barriers take part. Default: there are no hardware barriers.
    #[must_use]
    pub fn with_barriers(self, barriers: bool) -> Delivery<'a> {
        Delivery { barriers, ..self }
    }

    /// Requires that versions are combined in rank order, as contiguous ranges of ranks. Default: any order.
    #[must_use]
    pub fn in_order(self, in_order: bool) -> Delivery<'a> {
        Delivery { in_order, ..self }
    }

    /// Requires that all ranks that receive the combination of the same versions group them in the same way, because a floating-point sum
    /// depends on the grouping. Default: any grouping.
    #[must_use]
    pub fn alike(self, alike: bool) -> Delivery<'a> {
        Delivery { alike, ..self }
    }

    /// Executes the schedule and checks its final state. For each rank and block, `wanted` returns the ranks whose combined versions the
    /// block must contain, or `None` if any content is allowed.
    ///
    /// The host needs about one microsecond per block of a message, and memory for each block held by each rank.
    ///
    /// # Errors
    ///
    /// The first fault found; [`DeliveryError`] lists the possible faults.
    pub fn check(&self, wanted: impl Fn(Rank, u32) -> Option<Range<Rank>>) -> Result<(), DeliveryError> {
        let blocks = self.schedule.sizes().len();
        if self.parts.len() != blocks {
            return Err(DeliveryError::Pieces { given: self.parts.len(), blocks });
        }
        let held = Replay::of(self).run()?;
        let mut groupings: BTreeMap<(u32, Rank, Rank), u64> = BTreeMap::new();
        for (rank, held) in held.iter().enumerate() {
            for block in 0..blocks as u32 {
                let Some(wanted) = wanted(rank, block) else { continue };
                let version = held.get(&block);
                let Some(version) = version.filter(|version| version.is_of(&wanted)) else {
                    let holds = version.map_or_else(|| "nothing".to_owned(), |held| held.to_string());
                    return Err(DeliveryError::Undelivered { rank, block, holds, wanted: named(wanted) });
                };
                let same = (self.parts[block as usize], wanted.start, wanted.end);
                if self.alike && *groupings.entry(same).or_insert(version.grouping) != version.grouping {
                    return Err(DeliveryError::Grouped { rank, block });
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Delivery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Delivery({} blocks among {} ranks)", self.parts.len(), self.schedule.nodes())
    }
}

/// The combination of versions of a part.
#[derive(Debug, PartialEq, Eq)]
struct Version {
    /// The ranks whose versions are included, as a bit set.
    ranks: Box<[u64]>,
    /// A digest of the grouping in which the versions were combined.
    grouping: u64,
}

/// The reason why two versions cannot be combined.
enum Misfit {
    /// Both include the version of the same rank.
    Twice,
    /// The right version does not follow the left version in rank order.
    Order,
}

impl Version {
    /// Creates the version of one rank.
    fn of(rank: Rank, ranks: usize) -> Arc<Version> {
        let mut words = vec![0_u64; ranks.div_ceil(64)];
        words[rank / 64] |= 1 << (rank % 64);
        Arc::new(Version { ranks: words.into(), grouping: digest((rank, u64::MAX)) })
    }

    /// Combines two versions; `left` is the left operand.
    fn combined(left: &Version, right: &Version, in_order: bool) -> Result<Arc<Version>, Misfit> {
        let both = || left.ranks.iter().zip(&right.ranks);
        if both().any(|(left, right)| left & right != 0) {
            return Err(Misfit::Twice);
        }
        // With `in_order`, versions cover contiguous ranks.
        if in_order && left.last().map(|last| last + 1) != right.first() {
            return Err(Misfit::Order);
        }
        // The operands of a commutative operator may be swapped.
        let (one, other) = match in_order || left.grouping <= right.grouping {
            true => (left.grouping, right.grouping),
            false => (right.grouping, left.grouping),
        };
        let ranks = both().map(|(left, right)| left | right).collect();
        Ok(Arc::new(Version { ranks, grouping: digest((one, other)) }))
    }

    fn first(&self) -> Option<Rank> {
        let word = self.ranks.iter().position(|&word| word != 0)?;
        Some(word * 64 + self.ranks[word].trailing_zeros() as usize)
    }

    fn last(&self) -> Option<Rank> {
        let word = self.ranks.iter().rposition(|&word| word != 0)?;
        Some(word * 64 + 63 - self.ranks[word].leading_zeros() as usize)
    }

    fn count(&self) -> usize {
        self.ranks.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether the version includes exactly these ranks.
    fn is_of(&self, ranks: &Range<Rank>) -> bool {
        (self.first(), self.last()) == (Some(ranks.start), ranks.end.checked_sub(1))
            && self.count() == ranks.len()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first(), self.count()) {
            (Some(rank), 1) => write!(f, "the data of rank {rank}"),
            (Some(first), count) if self.is_of(&(first..first + count)) => {
                f.write_str(&named(first..first + count))
            }
            (_, count) => write!(f, "the combined data of {count} ranks"),
        }
    }
}

/// Describes the versions of a contiguous range of ranks.
fn named(ranks: Range<Rank>) -> String {
    match ranks.len() {
        1 => format!("the data of rank {}", ranks.start),
        _ => format!("the combined data of ranks {} to {}", ranks.start, ranks.end.saturating_sub(1)),
    }
}

fn digest(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
