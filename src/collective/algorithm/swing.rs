//! *Swing*: recursive doubling whose partners alternate between the two directions around a ring, and are therefore nearer.
//!
//! **What it does.** In round `s` of `log2 p` around a ring, ranks at even places exchange data with the ranks `(1 - (-2)^(s+1)) / 3`
//! places further on, and ranks at odd places with the ranks as many places back: 1, -1, 3, -5, 11, .. instead of the distances 1, 2, 4, 8,
//! 16 of recursive doubling. This shortens distances by up to a third, and every link carries the same load, about half the distance, where
//! recursive doubling puts all of it on the link in the middle of a group. An all-gather begins with the farthest partners, while there is
//! little data. On a grid the rounds alternate among the dimensions. The dual of an all-gather is a reduce-scatter, and both in a row are
//! an all-reduce. If results do not depend on how operands are grouped, partners may also combine whole vectors, in half as many rounds.
//! On nodes with several ports, parts of a block use different sequences of rounds at the same time: the sequences differ in their first
//! dimension, and half of them use the opposite direction.
//!
//! **Restrictions.** A power of two ranks, at least four; no root; a commutative operator.
//!
//! **Cost.** `log2 p alpha + (p - 1)/p n beta` for an all-gather of `n` bytes on contention-free links, and `(p - 1)/p n gamma` to combine. If
//! a link is no faster than a port, the bytes of a round cost a factor of about half the distance: on a ring in total about `n beta (1/2 +
//! log2 p / 6)`, against `n beta (log2 p) / 2` for recursive doubling. With whole vectors an all-reduce takes `log2 p (alpha + n beta +
//! n gamma)`. With blocks, most combined data is first copied together. With `w` sequences `beta / w` replaces `beta` in rounds in which
//! the sequences have different partners, and each round takes `w - 1` times `o_s + o_r` more.
//!
//! **Source.** D. De Sensi, T. Bonato, D. Saam, T. Hoefler, "Swing: short-cutting rings for higher bandwidth allreduce", NSDI 2024,
//! arXiv 2401.09356; as trees and butterflies: D. De Sensi et al., "Bine trees", SC 2025, arXiv 2508.17311.

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        draft::{Draft, Piece, Tuning},
    },
    Algorithm, Entry, of,
    pairings::{self, Rounds, extents, in_parts, named},
};
use crate::pattern::{Combiner, Fold, Origin};

impl Algorithm {
    /// Recursive doubling with partners that alternate between the two directions around a ring (De Sensi et al.).
    pub const SWING: Algorithm = of(&SWING);
}

static SWING: Entry =
    Entry::new("swing", |planning| Ok(variants_of_cheapest(planning.problem, candidates(planning.problem))))
        .about("recursive doubling with alternating directions, for nearer partners (De Sensi et al.)")
        .source("De Sensi et al. 2024, 2025")
        .cost("all-gather: `log2 p alpha + (p - 1)/p n beta`; reduce-scatter: plus `(p - 1)/p n gamma`; all-reduce: both, or `log2 p (alpha + n beta + n gamma)`; more where messages share links")
        .kinds(|operation| !operation.has_root() && operation != Operation::Scan)
        .only_if(&[pairings::POWER_OF_TWO]);

fn candidates(task: &Task) -> Vec<Candidate> {
    let extents = extents(task);
    let name = named("swing", &extents);
    // One sequence for each dimension, for each direction of each dimension, or for each port.
    let (sides, ports) = (extents.len(), task.parameters().ports() as usize);
    let counts = [sides, 2 * sides, ports].map(|count| count.min(ports));
    let mut candidates = in_parts(task, &name, &sequences(&extents, ports), counts);
    candidates.extend(pairings::whole(task, &name, sequence(&extents, 0, 1), Tuning::PLAIN, whole));
    candidates
}

/// The draft in which all partners combine their whole vectors.
fn whole(task: &Task, sequence: &Rounds, tuning: Tuning) -> Draft {
    let ranks = task.layout().ranks;
    let mut combiner = Combiner::new(ranks.len(), &[Origin::Everywhere], &[task.bytes()], tuning.exchange);
    for round in sequence {
        combiner.iteration(round.iter().map(|&(from, to)| Fold::of(ranks[from], ranks[to], 0, 0)));
    }
    let schedule = combiner.finish().with_elements_of(task.element_bytes());
    Draft { pieces: vec![Piece::of(0..task.bytes(), Origin::Everywhere)], schedule }
}

/// Returns the sequences that begin with each dimension, then the same in the opposite direction if they differ; at most `most` sequences.
fn sequences(extents: &[usize], most: usize) -> Vec<Rounds> {
    let mut sequences = Vec::new();
    let all = [1, -1].into_iter().flat_map(|side| (0..extents.len()).map(move |first| (first, side)));
    for (first, side) in all {
        if sequences.len() == most {
            break;
        }
        let sequence = sequence(extents, first, side);
        if !sequences.contains(&sequence) {
            sequences.push(sequence);
        }
    }
    sequences
}

/// Returns the sequence that begins with dimension `first`, in direction `side` (1 or -1).
pub(super) fn sequence(extents: &[usize], first: usize, side: i64) -> Rounds {
    pairings::sequence(extents, first, 2, |place, round, extent| {
        let distance = side * (1 - (-2_i64).pow(round + 1)) / 3;
        let (place, extent) = (place as i64, extent as i64);
        let there = if place % 2 == 0 { place + distance } else { place - distance };
        vec![there.rem_euclid(extent) as usize]
    })
}

#[cfg(test)]
mod tests {
    use super::{pairings::tests::assert_each_item_arrives_once, *};
    use crate::{model::MachineSpec, time::Span};

    #[test]
    fn partners_alternate_between_sides() {
        let of = |place: usize| sequence(&[16], 0, 1).iter().map(|round| round[place].1).collect::<Vec<_>>();
        assert_eq!((of(0), of(5)), (vec![1, 15, 3, 11], vec![4, 6, 2, 10]));
        let all = |first: usize, side: i64| {
            let partners =
                |round: &pairings::Round| round.iter().map(|meeting| meeting.1).collect::<Vec<_>>();
            sequence(&[2, 4], first, side).iter().map(partners).collect::<Vec<_>>()
        };
        let [rows, near, far] =
            [[4, 5, 6, 7, 0, 1, 2, 3], [1, 0, 3, 2, 5, 4, 7, 6], [3, 2, 1, 0, 7, 6, 5, 4]].map(Vec::from);
        assert_eq!(all(0, 1), [rows.clone(), near.clone(), far.clone()]);
        assert_eq!(all(1, -1), [far, rows, near]);
    }

    #[test]
    fn no_rank_receives_a_block_twice() {
        for extents in [vec![4], vec![64], vec![512], vec![8, 2], vec![2, 16, 4]] {
            for sequence in sequences(&extents, 6) {
                assert_each_item_arrives_once(&sequence, extents.iter().product());
            }
        }
    }

    #[test]
    fn swing_is_the_fastest_on_a_torus_for_medium_lengths() {
        let machine: MachineSpec = "torus:8x8".parse().unwrap();
        let modeled = |operation: Operation, algorithm: Algorithm| {
            let task = Task::builder(&machine, operation).elements(16_384).exact(true).build().unwrap();
            let plan = algorithm.plan(&task).unwrap();
            (plan.algorithm().to_string(), plan.prediction().modeled.to_string())
        };
        for operation in [Operation::AllGather, Operation::ReduceScatter, Operation::AllReduce] {
            let auto = modeled(operation, Algorithm::AUTO);
            assert_eq!(auto, modeled(operation, Algorithm::SWING));
        }
    }

    /// Tests six ports: blocks of 1 MiB use six sequences, which take about a sixth of the time of one sequence.
    #[test]
    fn parts_use_several_ports_at_once() {
        let machine: MachineSpec = "tpu-v5p:4x4x4".parse().unwrap();
        let task =
            Task::builder(&machine, Operation::AllGather).elements(8 << 20).element_bytes(8).build().unwrap();
        let time = |name: &str| {
            let variants = Algorithm::SWING.variants(&task, &()).unwrap();
            let variant = variants.iter().find(|variant| variant.name() == name).expect(name);
            let schedule = variant.draft(&task).unwrap().schedule;
            crate::plan::predict(&machine, &schedule).unwrap().modeled.to_string()
        };
        let names = ["swing 4x4x4 (in turn)", "swing 4x4x4, 6 parts"];
        assert_eq!(names.map(time), ["663.60288 us", "113.10384 us"]);
    }

    /// Tests two ports on a ring. Each rank's first message must precede its second one: if ranks waited for messages to the lowest ranks,
    /// the time would be 2153 us.
    #[test]
    fn all_begin_with_their_first_partners() {
        let machine: MachineSpec = "ring:16".parse().unwrap();
        let machine = machine.with_ports(2).unwrap();
        let task =
            Task::builder(&machine, Operation::AllGather).elements(4096).element_bytes(8).build().unwrap();
        let plan = Algorithm::SWING.plan(&task).unwrap();
        assert_eq!(
            (plan.name(), plan.prediction().modeled.to_string()),
            ("swing 16, 2 parts", "1.719266667 ms".into())
        );
    }

    /// Tests dimensions of two places, where both directions coincide: more ports never make the algorithm slower.
    #[test]
    fn more_ports_cost_nothing() {
        let machine: MachineSpec = "torus:2x2x4".parse().unwrap();
        let mut least = Span::from_secs_f64(1.0);
        for ports in 1..=6 {
            let machine = machine.clone().with_ports(ports).unwrap();
            let task = Task::builder(&machine, Operation::AllGather).elements(1 << 20).build().unwrap();
            let time = Algorithm::SWING.plan(&task).unwrap().prediction().modeled.since_start();
            assert!(time <= least, "{ports}: {time} after {least}");
            least = time;
        }
    }
}
