//! Many-to-many communication.

pub(crate) mod algorithms;
mod calls;
pub(crate) mod random;

use multicomputer::Rank;

/// What a rank has for another: bytes that tell where they are from, where they go to, and where in the message they
/// are.
fn data(from: Rank, to: Rank, bytes: u64) -> Vec<u8> {
    (0..bytes).map(|at| (at.wrapping_mul(7) + 67 * from as u64 + 31 * to as u64 + 1) as u8).collect()
}
