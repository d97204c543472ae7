//! Pseudo-random numbers that are the same on every host and in every version of the library.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// A pseudo-random number generator.
#[derive(Debug)]
pub(crate) struct RandomNumbers(ChaCha8Rng);

impl RandomNumbers {
    /// Creates the generator of stream 0 of a seed.
    pub(crate) fn new(seed: u64) -> RandomNumbers {
        RandomNumbers::of(seed, 0)
    }

    /// Creates the generator of a stream of a seed.
    pub(crate) fn of(seed: u64, stream: u64) -> RandomNumbers {
        // `seed_from_u64` is not used: a later version of `rand_core` may fill the key differently.
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&stream.to_le_bytes());
        RandomNumbers(ChaCha8Rng::from_seed(key))
    }

    /// Returns 64 uniformly distributed bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number from `0..most`. The probabilities are uniform up to a relative error below 2^-32.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        ((u128::from(self.next()) * most as u128) >> 64) as usize
    }

    /// Returns a uniformly distributed multiple of 2^-53 from the interval [0, 1).
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / TWO_TO_53
    }

    /// Returns a number from the exponential distribution with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        // `number` / 2^53 is 1 - fraction, which is never 0.
        let number = (1_u64 << 53) - (self.next() >> 11);
        let exponent = number.ilog2();
        let mantissa = number as f64 / (1_u64 << exponent) as f64;
        f64::from(53 - exponent) * std::f64::consts::LN_2 - logarithm(mantissa)
    }

    /// Returns a random permutation of the numbers below `length`.
    pub(crate) fn permutation(&mut self, length: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..length).collect();
        for last in (1..length).rev() {
            numbers.swap(last, self.below(last + 1));
        }
        numbers
    }
}

const TWO_TO_53: f64 = (1_u64 << 53) as f64;

/// Natural logarithm of a number from 1 to 2, by the series 2 (y + y^3 / 3 + ..) with y = (x - 1) / (x + 1). Sums, products and quotients
/// are rounded identically on every host; `f64::ln` gives no such guarantee.
fn logarithm(x: f64) -> f64 {
    let y = (x - 1.0) / (x + 1.0);
    // y is at most 1/3, so that 18 terms give full precision.
    let terms = (0..18_u32).rev().fold(0.0, |sum, term| sum * y * y + 1.0 / f64::from(2 * term + 1));
    2.0 * y * terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_host_but_for_rounding() {
        for step in 0..=1000 {
            let x = 1.0 + f64::from(step) / 1000.0;
            assert!((logarithm(x) - x.ln()).abs() < 1e-15, "{x}");
        }
    }

    #[test]
    fn numbers_of_the_exponential_distribution_have_its_mean_and_its_median() {
        let mut random = RandomNumbers::of(3, 5);
        let numbers: Vec<f64> = (0..100_000).map(|_| random.exponential()).collect();
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let above = numbers.iter().filter(|&&number| number > std::f64::consts::LN_2).count();
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert!((49_000..51_000).contains(&above), "{above}");
        assert!(numbers.iter().all(|&number| number >= 0.0));
    }
}
