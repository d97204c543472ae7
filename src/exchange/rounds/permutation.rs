//! The rounds of linear permutation: in round `k` everybody exchanges with the node `k` away.
//!
//! On a power of two nodes rank `i` exchanges with `i xor k`; on any other number it sends to `i + k` and receives from
//! `i - k`, around the ring.

use super::{super::Matrix, Part};

/// All messages in rounds, those in which nothing is sent left out.
pub(crate) fn rounds(matrix: &Matrix) -> Vec<Vec<Part>> {
    let nodes = matrix.nodes();
    let partner = |from: usize, k: usize| if nodes.is_power_of_two() { from ^ k } else { (from + k) % nodes };
    let round = |k: usize| {
        let part =
            |from: usize| Part { from, to: partner(from, k), bytes: matrix.get(from, partner(from, k)) };
        (0..nodes).map(part).filter(|part| part.bytes > 0).collect::<Vec<Part>>()
    };
    (1..nodes).map(round).filter(|round| !round.is_empty()).collect()
}
