//! *Linear permutation*: in round `k` everybody exchanges with the node `k` away.
//!
//! **What it does.** On a power of two nodes rank `i` exchanges with `i xor k`; on any other number it sends to `i + k`
//! and receives from `i - k`, around the ring. *Linear* is for uniform messages. *Modified* is for others: the nodes
//! first tell each other how much is to come, send only what there is, and wait for all others after every round, by
//! the barrier of the machine where it has one. *Pairwise* is the same without telling and without barriers.
//!
//! **Restrictions.** *Linear* needs messages of one length from everybody to everybody else.
//!
//! **Cost.** `(p - 1) (alpha + s beta)` for messages of `s` bytes; of different lengths up to `p alpha + p t beta`, as
//! each round of *modified* takes as long as its longest message.
//!
//! **Source.** Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, section 4
//! and figure 3; S. H. Bokhari, "Complete exchange on the iPSC/860", ICASE 91-4, 1991.

use super::{Matrix, rounds::Part};

/// The rounds without those in which nothing is sent.
pub(super) fn rounds(matrix: &Matrix) -> Vec<Vec<Part>> {
    let nodes = matrix.nodes();
    let partner = |from: usize, k: usize| if nodes.is_power_of_two() { from ^ k } else { (from + k) % nodes };
    let round = |k: usize| {
        let part =
            |from: usize| Part { from, to: partner(from, k), bytes: matrix.get(from, partner(from, k)) };
        (0..nodes).map(part).filter(|part| part.bytes > 0).collect::<Vec<Part>>()
    };
    (1..nodes).map(round).filter(|round| !round.is_empty()).collect()
}
