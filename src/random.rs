//! Pseudo-random numbers that are the same on every host and in every version.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// A stream of pseudo-random numbers.
pub(crate) struct RandomNumbers(ChaCha8Rng);

impl RandomNumbers {
    /// The stream of a seed.
    pub(crate) fn new(seed: u64) -> RandomNumbers {
        // Not `seed_from_u64`: how that fills the key is up to the library, and may change with it.
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        RandomNumbers(ChaCha8Rng::from_seed(key))
    }

    /// The next 64 bits, all equally likely.
    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// One of `0..most`, all equally likely but for less than one in 2^32.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        ((u128::from(self.next()) * most as u128) >> 64) as usize
    }

    /// The numbers below `length` in any order.
    pub(crate) fn permutation(&mut self, length: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..length).collect();
        for last in (1..length).rev() {
            numbers.swap(last, self.below(last + 1));
        }
        numbers
    }
}
