//! Sets of ranks, a bit for each.

use crate::rank::Rank;

/// A set of ranks.
#[derive(Clone)]
pub(super) struct Ranks(Vec<u64>);

impl Ranks {
    /// Nobody of so many.
    pub(super) fn new(count: usize) -> Ranks {
        Ranks(vec![0; count.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, rank: Rank) {
        self.0[rank / 64] |= 1 << (rank % 64);
    }

    pub(super) fn remove(&mut self, rank: Rank) {
        self.0[rank / 64] &= !(1 << (rank % 64));
    }

    pub(super) fn contains(&self, rank: Rank) -> bool {
        self.0[rank / 64] >> (rank % 64) & 1 != 0
    }

    /// All of them in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Rank> + '_ {
        ranks(self.0.iter().copied())
    }

    /// Those that are in another set as well, in order.
    pub(super) fn common<'a>(&'a self, other: &'a Ranks) -> impl Iterator<Item = Rank> + 'a {
        ranks(self.0.iter().zip(&other.0).map(|(one, other)| one & other))
    }
}

fn ranks(words: impl Iterator<Item = u64>) -> impl Iterator<Item = Rank> {
    words.enumerate().flat_map(|(nth, word)| {
        let next = |&left: &u64| Some(left & (left - 1)).filter(|&left| left != 0);
        let left = std::iter::successors(Some(word).filter(|&word| word != 0), next);
        left.map(move |left| 64 * nth + left.trailing_zeros() as Rank)
    })
}
