//! S-to-p broadcasting.

mod auto;
mod broadcasts;
mod calls;
mod formulas;
pub(crate) mod matrix;

use multicomputer::Rank;

/// Bytes that tell the broadcast, the source, the place and the length.
fn message(broadcast: usize, source: Rank, length: u64) -> Vec<u8> {
    let salt = (broadcast * 101 + source * 31) as u64 + length;
    (0..length).map(|place| (salt + place * 7 + place / 251) as u8).collect()
}
