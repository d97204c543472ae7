//! Rounds of linear permutation: in round `k` every node exchanges with the nodes at distance `k`.
//!
//! If the number of nodes is a power of two, rank `i` exchanges with `i xor k`. Otherwise it sends to `i + k` and receives from `i - k`,
//! modulo the number of nodes.

use super::{super::Matrix, Part};

/// Returns all messages in rounds, without empty rounds.
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
