//! Random communication matrices with the three parameters of the paper.

use thiserror::Error;

use super::{Matrix, MatrixError};
use crate::random::RandomNumbers;

/// Generator of random matrices in which every node sends `t` bytes to `k` nodes and receives `t` bytes from `k` nodes.
///
/// Each node sends the fraction `l` of its traffic to `(1 - l) k` of its receivers, and the rest to the other `l k`. With `l` = 1/2 all
/// messages are equally long. A smaller `l` sends most bytes to fewer receivers.
///
/// The matrix is a union of `k` permutations, each of messages of one size. Node `i` sends to node `P^-1(P(i) + d)`, where `P` is a random
/// permutation and `d` one of `k` random distances. A node sends to itself only if `k` is the number of nodes; this message is one of the
/// shorter messages.
///
/// ```
/// use multicomputer::all_to_all::Generator;
///
/// // One of 32 receivers gets 31/32 of the traffic, as in figure 9.
/// let matrix = Generator { nodes: 32, fan_out: 32, traffic: 3200, nonuniformity: 1.0 / 32.0, seed: 7 }.matrix()?;
/// assert!((0..32).all(|node| matrix.sent(node) == 3200 && matrix.received(node) == 3200));
/// assert!((0..32).all(|node| matrix.row(node).iter().max() == Some(&3100)));
/// assert_eq!(matrix.fan(), 32);
/// # Ok::<(), multicomputer::all_to_all::GeneratorError>(())
/// ```
///
/// Source: Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, section 7.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Generator {
    /// Number of nodes, p.
    pub nodes: usize,
    /// Number of receivers of each node, k: 1 to p.
    pub fan_out: usize,
    /// Bytes that each node sends, t.
    pub traffic: u64,
    /// Skew l, from 0 to 1: the fraction of receivers that get long messages, and the fraction of traffic for the other receivers.
    pub nonuniformity: f64,
    /// Seed of all random choices. A seed gives the same matrix on every host and in every version of this library.
    pub seed: u64,
}

impl Generator {
    /// Generates the matrix.
    ///
    /// # Errors
    ///
    /// [`GeneratorError`] names the parameter that is out of range.
    pub fn matrix(&self) -> Result<Matrix, GeneratorError> {
        let Generator { nodes, fan_out, nonuniformity, seed, .. } = *self;
        if !(1..=nodes).contains(&fan_out) {
            return Err(GeneratorError::FanOut { given: fan_out, nodes });
        }
        if !(0.0..=1.0).contains(&nonuniformity) {
            return Err(GeneratorError::Nonuniformity { given: nonuniformity });
        }
        let mut random = RandomNumbers::new(seed);
        let place = random.permutation(nodes);
        let mut node = vec![0; nodes];
        place.iter().enumerate().for_each(|(of, &at)| node[at] = of);
        // Distance 0, of a node to itself, comes last, because `sizes` lists the short messages last.
        let mut distances: Vec<usize> =
            random.permutation(nodes - 1).into_iter().map(|other| other + 1).collect();
        distances.push(0);
        let sizes = self.sizes();
        let mut bytes = vec![vec![0; nodes]; nodes];
        for (distance, size) in distances.into_iter().zip(sizes) {
            for (from, row) in bytes.iter_mut().enumerate() {
                row[node[(place[from] + distance) % nodes]] = size;
            }
        }
        Ok(Matrix::new(&bytes)?)
    }

    /// Returns the sizes of a node's messages, the longer messages first.
    fn sizes(&self) -> Vec<u64> {
        let share = self.nonuniformity;
        let much =
            ((share * self.fan_out as f64).round() as usize).clamp(usize::from(share > 0.0), self.fan_out);
        let little = self.fan_out - much;
        let for_little = match (much, little) {
            (_, 0) => 0,
            (0, _) => self.traffic,
            _ => (share * self.traffic as f64).round() as u64,
        };
        let even = |bytes: u64, parts: usize| {
            let start = move |part: usize| (u128::from(bytes) * part as u128 / parts as u128) as u64;
            (0..parts).map(move |part| start(part + 1) - start(part))
        };
        even(self.traffic - for_little, much).chain(even(for_little, little)).collect()
    }
}

/// Reason why the parameters give no matrix.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GeneratorError {
    /// The number of receivers is out of range.
    #[error("fan-out {given} is out of range; allowed is 1 to {nodes}, the number of nodes")]
    FanOut {
        /// The value given.
        given: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// The non-uniformity is out of range.
    #[error("non-uniformity {given} is out of range; allowed is 0 to 1")]
    Nonuniformity {
        /// The value given.
        given: f64,
    },
    /// The traffic is too large.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}
