//! Sets of ranks as bit sets.

use crate::rank::Rank;

/// Returns the number of words of a set among `count` ranks.
pub(super) fn words(count: usize) -> usize {
    count.div_ceil(64)
}

/// A set of ranks.
#[derive(Clone)]
pub(super) struct Ranks(Vec<u64>);

impl Ranks {
    /// Creates an empty set among `count` ranks.
    pub(super) fn new(count: usize) -> Ranks {
        Ranks(vec![0; words(count)])
    }

    #[inline]
    pub(super) fn insert(&mut self, rank: Rank) {
        insert(&mut self.0, rank);
    }

    #[inline]
    pub(super) fn remove(&mut self, rank: Rank) {
        remove(&mut self.0, rank);
    }

    #[inline]
    pub(super) fn contains(&self, rank: Rank) -> bool {
        contains(&self.0, rank)
    }

    /// Adds the ranks of another set.
    #[inline]
    pub(super) fn add(&mut self, other: &Ranks) {
        for nth in 0..self.0.len() {
            self.0[nth] |= other.0[nth];
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    /// Adds the ranks that are in both sets and pass `is_wanted`.
    #[inline]
    pub(super) fn add_if(&mut self, [one, other]: [&Ranks; 2], is_wanted: impl Fn(Rank) -> bool) {
        for nth in 0..self.0.len() {
            of_word(nth, one.0[nth] & other.0[nth] & !self.0[nth], |rank| {
                if is_wanted(rank) {
                    self.0[nth] |= 1 << (rank % 64);
                }
            });
        }
    }

    /// Removes the ranks that are not in another set.
    #[inline]
    pub(super) fn keep(&mut self, other: &Ranks) {
        for nth in 0..self.0.len() {
            self.0[nth] &= other.0[nth];
        }
    }

    /// Calls `each` with all ranks in ascending order.
    #[inline]
    pub(super) fn for_each(&self, mut each: impl FnMut(Rank)) {
        for (nth, &word) in self.0.iter().enumerate() {
            of_word(nth, word, &mut each);
        }
    }
}

/// One set for each rank, in contiguous memory.
pub(super) struct Rows {
    words: usize,
    bits: Vec<u64>,
}

impl Rows {
    /// Creates `count` empty sets among `count` ranks.
    pub(super) fn new(count: usize) -> Rows {
        Rows { words: words(count), bits: vec![0; count * words(count)] }
    }

    #[inline]
    pub(super) fn row(&self, of: Rank) -> &[u64] {
        &self.bits[of * self.words..(of + 1) * self.words]
    }

    #[inline]
    pub(super) fn row_mut(&mut self, of: Rank) -> &mut [u64] {
        &mut self.bits[of * self.words..(of + 1) * self.words]
    }

    /// Returns a copy of `other`.
    pub(super) fn copy_of(other: &Rows) -> Rows {
        Rows { words: other.words, bits: other.bits.clone() }
    }
}

#[inline]
pub(super) fn insert(set: &mut [u64], rank: Rank) {
    set[rank / 64] |= 1 << (rank % 64);
}

#[inline]
pub(super) fn remove(set: &mut [u64], rank: Rank) {
    set[rank / 64] &= !(1 << (rank % 64));
}

#[inline]
pub(super) fn contains(set: &[u64], rank: Rank) -> bool {
    set[rank / 64] >> (rank % 64) & 1 != 0
}

/// Calls `each` in ascending order with the ranks in `word`, which is word `nth` of a set.
#[inline]
fn of_word(nth: usize, mut word: u64, mut each: impl FnMut(Rank)) {
    while word != 0 {
        each(64 * nth + word.trailing_zeros() as Rank);
        word &= word - 1;
    }
}
