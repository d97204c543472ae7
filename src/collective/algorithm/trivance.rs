//! *Trivance*: every rank exchanges with two partners at the same distance on both sides, and the distance triples in each round.
//!
//! **What it does.** In round `s` of `log3 p` around a ring, every rank exchanges data with the ranks `3^s` places further on and `3^s`
//! places back. The data of a rank triples in each round; recursive doubling and *swing* need `log2 p` rounds. Nodes with two ports send
//! both messages at once. An all-gather begins with the farthest partners, while there is little data. On a grid the rounds alternate among the
//! dimensions; with more ports, blocks are cut into parts whose sequences begin with different dimensions. The dual of an all-gather is a
//! reduce-scatter, and both in a row are an all-reduce. If results do not depend on how operands are grouped, partners may also
//! combine whole vectors, in half as many rounds: a rank sends its vector to both sides before it combines the vectors from both sides.
//!
//! **Restrictions.** A power of three ranks, at least nine; no root; a commutative operator. (The paper has a variant for other numbers,
//! with one more round, which is not implemented.)
//!
//! **Cost.** `log3 p (alpha + o_s + o_r) + (p - 1)/p n beta / 2` for an all-gather of `n` bytes on contention-free links and nodes with two
//! ports; with one port `beta` instead of `beta / 2`; and `(p - 1)/p n gamma` to combine. If a link is no faster than a port, the bytes of
//! a round cost a factor equal to the distance in this round: on a ring in total about `n beta (log3 p) / 3`. With whole vectors a
//! all-reduce takes `log3 p (alpha + o_s + o_r + n beta + 2 n gamma)` on contention-free links and nodes with two ports; on such a ring
//! `(p - 1)/2 n beta` replaces `log3 p n beta`.
//!
//! **Source.** A. Jürß, V. Addanki, S. Schmid, "Trivance: latency-optimal AllReduce by shortcutting multiport networks",
//! arXiv 2602.17254, 2026.

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        draft::Tuning,
    },
    Algorithm, Entry, of,
    pairings::{self, Rounds, extents, in_parts, named, with_all},
};
use crate::plan::Restriction;

impl Algorithm {
    /// Exchanges with two partners in each round, in both directions, three times as far as in the round before (Jürß, Addanki, Schmid).
    pub const TRIVANCE: Algorithm = of(&TRIVANCE);
}

static TRIVANCE: Entry = Entry::new("trivance", |planning| {
    Ok(variants_of_cheapest(planning.problem, candidates(planning.problem)))
})
.about("with one partner on each side per round, at tripling distances (Jürß et al.)")
.source("Jürß, Addanki, Schmid 2026")
.cost("with two ports, all-gather: up to `log3 p (alpha + o_s + o_r) + (p - 1)/p n beta / 2`; reduce-scatter: plus `(p - 1)/p n gamma`; all-reduce: both, or `log3 p (alpha + o_s + o_r + n beta + 2 n gamma)`")
.kinds(|operation| !operation.has_root() && operation != Operation::Scan)
.only_if(&[Restriction {
    text: "a power of three of at least 9 ranks, and a commutative operator",
    is_met: |task, _| {
        let is_power = |ranks: usize| 3_usize.pow(ranks.ilog(3)) == ranks;
        task.size() >= 9 && is_power(task.size()) && !task.is_in_order()
    },
    found: |task, _| pairings::refused(task),
}]);

fn candidates(task: &Task) -> Vec<Candidate> {
    let extents = extents(task);
    let name = named("trivance", &extents);
    // A sequence keeps two ports busy.
    let most = extents.len().min(task.parameters().ports() as usize / 2).max(1);
    let sequences: Vec<Rounds> = (0..most).map(|first| sequence(&extents, first)).collect();
    let mut candidates = in_parts(task, &name, &sequences, [most]);
    candidates.extend(pairings::whole(task, &name, sequence(&extents, 0), Tuning::OVERLAPPED, with_all));
    candidates
}

/// Returns the sequence that begins with dimension `first`. The pairs of a place in both directions are contiguous.
fn sequence(extents: &[usize], first: usize) -> Rounds {
    pairings::sequence(extents, first, 3, |place, round, extent| {
        let distance = 3_usize.pow(round);
        vec![(place + distance) % extent, (place + extent - distance) % extent]
    })
}

#[cfg(test)]
mod tests {
    use super::{pairings::tests::assert_each_item_arrives_once, *};
    use crate::model::MachineSpec;

    #[test]
    fn partner_distances_triple_in_every_round() {
        let of = |place: usize| {
            let partners = |round: &pairings::Round| [round[2 * place].1, round[2 * place + 1].1];
            sequence(&[27], 0).iter().map(partners).collect::<Vec<_>>()
        };
        assert_eq!(of(2), [[3, 1], [5, 26], [11, 20]]);
    }

    #[test]
    fn no_rank_receives_a_block_twice() {
        for extents in [vec![9], vec![81], vec![3, 3], vec![9, 27], vec![3, 9, 3]] {
            for first in 0..extents.len() {
                assert_each_item_arrives_once(&sequence(&extents, first), extents.iter().product());
            }
        }
    }

    /// Tests two ports on 9 x 9 nodes, with blocks and with whole vectors.
    #[test]
    fn trivance_is_the_fastest_with_two_ports_for_medium_lengths() {
        let torus: MachineSpec = "torus:9x9".parse().unwrap();
        let parameters = torus.parameters().to_builder().ports(2).build().unwrap();
        let machine = MachineSpec::new("two ports", torus.topology().clone(), parameters);
        let cases = [
            (Operation::AllGather, 256, "trivance 9x9 (overlapped)"),
            (Operation::AllReduce, 2, "trivance 9x9, whole vectors"),
        ];
        for (operation, kib, name) in cases {
            let task = Task::builder(&machine, operation)
                .elements(kib * 128)
                .element_bytes(8)
                .exact(true)
                .build()
                .unwrap();
            assert_eq!(Algorithm::AUTO.plan(&task).unwrap().name(), name);
        }
    }
}
