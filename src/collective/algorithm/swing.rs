//! *Swing*: recursive doubling whose partners lie on one side, then on the other, so that they are nearer.
//!
//! **What it does.** In round `s` of `log2 p` around a ring, ranks of even places meet those `(1 - (-2)^(s+1)) / 3` further on, the
//! odd ones those as far behind: 1, -1, 3, -5, 11, .. in place of the distances 1, 2, 4, 8, 16 of recursive doubling. Up to a third
//! of the distance is saved, and every link carries the same, about half the distance, where doubling piles all of it on the link
//! in the middle of a group. A collect takes the farthest partners first, while there is little data. On a grid rounds take turns
//! among its dimensions. Backwards it is a distributed combine, and both together are a combine-to-all. If it does not matter how
//! operands are grouped, partners may also combine whole vectors, in half as many rounds. Where nodes have several ports, a block is
//! cut into parts that go different ways at the same time: each begins with another dimension, and half of them on the other side.
//!
//! **Restrictions.** A power of two ranks, at least four in all; no root; a commutative operator.
//!
//! **Cost.** `log2 p alpha + (p - 1)/p n beta` for a collect of `n` bytes where links have room, and `(p - 1)/p n gamma` to combine.
//! Where a link is no faster than a port, the bytes of a round take about half its distance times as long: on a ring together
//! about `n beta (1/2 + log2 p / 6)`, with recursive doubling `n beta (log2 p) / 2`. With whole vectors a combine-to-all takes
//! `log2 p (alpha + n beta + n gamma)`. In parts, most of what is combined is copied together first. `w` ways take `beta / w` for
//! `beta`, and `w - 1` times `o_s + o_r` more a round.
//!
//! **Source.** D. De Sensi, T. Bonato, D. Saam, T. Hoefler, "Swing: short-cutting rings for higher bandwidth allreduce", NSDI 2024,
//! arXiv 2401.09356; as trees and butterflies: D. De Sensi and others, "Bine trees", SC 2025, arXiv 2508.17311.

use std::{collections::BTreeMap, ops::Range};

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, offered},
        cost::conflict_of,
        draft::{Draft, Piece, Tuning, cut},
    },
    Algorithm, Entry, of, round,
};
use crate::{
    pattern::{Builder, Combiner, Exchange, Fold, Origin, Transfer},
    plan::Restriction,
    rank::Rank,
    text::count,
    time::Span,
};

impl Algorithm {
    /// Recursive doubling with partners on one side and then on the other (De Sensi and others).
    pub const SWING: Algorithm = of(&SWING);
}

static SWING: Entry =
    Entry::new("swing", |planning| Ok(offered(planning.problem, candidates(planning.problem))))
        .about("recursive doubling to and fro, so that partners are nearer (De Sensi and others)")
        .source("De Sensi et al. 2024, 2025")
        .kinds(|operation| !operation.has_root() && operation != Operation::Scan)
        .only_if(&[Restriction {
            text: "it needs a power of two ranks, four at least, and a commutative operator",
            is_met: |task, _| task.size().is_power_of_two() && task.size() >= 4 && !task.is_in_order(),
            found: |task, _| {
                if task.is_in_order() {
                    return "the operator is not commutative".into();
                }
                format!("the group has {}", count(task.size() as u64, "rank"))
            },
        }]);

fn candidates(task: &Task) -> Vec<Candidate> {
    let extents = extents(task);
    let sides: Vec<String> = extents.iter().map(usize::to_string).collect();
    let name = format!("swing {}", sides.join("x"));
    let bytes = task.bytes() as f64;
    let times = if task.operation() == Operation::CombineToAll { 2 } else { 1 };
    let in_parts = |ways: Vec<Way>| {
        let halves = (0..).map(|nth| bytes / f64::from(2_u32 << nth) / ways.len() as f64);
        let rounds = times as usize * ways[0].len();
        Candidate {
            name: if ways.len() > 1 { format!("{name}, {} ways", ways.len()) } else { name.clone() },
            kin: None,
            estimate: time(task, &ways, halves).times(times),
            messages: rounds * ways.len(),
            tunings: vec![Tuning::PLAIN, Tuning { exchange: Exchange::Overlapped, segments: 1 }],
            make: Box::new(move |task, tuning| in_parts(task, &ways, tuning)),
        }
    };
    let whole = |way: Way| Candidate {
        name: format!("{name}, whole vectors"),
        kin: None,
        estimate: time(task, std::slice::from_ref(&way), std::iter::repeat(bytes)),
        messages: way.len(),
        tunings: vec![Tuning::PLAIN],
        make: Box::new(move |task, tuning| whole(task, &way, tuning)),
    };
    let one = || ways(&extents, 1);
    let mut candidates = vec![in_parts(one())];
    if task.parameters().ports() > 1 {
        candidates.push(in_parts(ways(&extents, task.parameters().ports() as usize)));
    }
    // Each rank adds in an order of its own.
    if task.operation() == Operation::CombineToAll && task.is_exact() && task.bytes() > 0 {
        candidates.extend(one().into_iter().map(whole));
    }
    candidates
}

/// The time of rounds of messages of so many bytes for each way, by the closed form.
fn time(task: &Task, ways: &[Way], bytes: impl Iterator<Item = f64>) -> Span {
    let ranks = task.layout().ranks;
    let (send, receive) = task.parameters().overheads(0);
    let more = (send + receive).times(ways.len() as u64 - 1);
    let of_round = |(nth, bytes): (usize, f64)| {
        let meetings = ways.iter().flat_map(|way| way[nth].iter().copied().enumerate());
        round(task, (bytes * conflict_of(task, &ranks, meetings)) as u64) + more
    };
    (0..ways[0].len()).zip(bytes).map(of_round).sum()
}

/// The dimensions of the machine if all its nodes take part, or of the rectangle of the ranks; a line if they are none.
fn extents(task: &Task) -> Vec<usize> {
    let grid = task.layout().grid;
    let mut extents = task.machine().topology().extents();
    if extents.iter().product::<usize>() != task.size() {
        extents = vec![grid.rows, grid.columns];
    }
    extents.retain(|&extent| extent > 1);
    extents
}

/// Every block, or part of the vector, is spread from where it is, or combined there.
fn in_parts(task: &Task, ways: &[Way], tuning: Tuning) -> Draft {
    let (ranks, element) = (task.layout().ranks, task.element_bytes());
    let blocks: Vec<(Rank, Range<u64>)> = match task.operation() {
        Operation::CombineToAll => cut(0, task.bytes(), element, ranks.len())
            .map(|(nth, piece)| (ranks[nth], piece.start..piece.start + piece.bytes))
            .collect(),
        _ => (0..task.size()).map(|rank| (rank, task.block(rank))).collect(),
    };
    let (mut origins, mut pieces, mut way_of) = (Vec::new(), Vec::new(), Vec::new());
    for (rank, block) in blocks {
        for (way, piece) in cut(block.start, block.end - block.start, element, ways.len()) {
            origins.push(rank);
            pieces.push(piece);
            way_of.push(way);
        }
    }
    let spread = Draft::moving(task, pieces, &origins, tuning.exchange, |builder| {
        for nth in (0..ways[0].len()).rev() {
            meet(builder, &ranks, ways.iter().map(|way| &way[nth][..]), &way_of);
        }
    });
    match task.operation() {
        Operation::CombineToAll => spread.combining_and_back(),
        Operation::DistributedCombine => spread.combining(),
        _ => spread,
    }
}

/// All partners combine their whole vectors.
fn whole(task: &Task, way: &[Vec<usize>], tuning: Tuning) -> Draft {
    let ranks = task.layout().ranks;
    let mut combiner = Combiner::new(ranks.len(), &[Origin::Everywhere], &[task.bytes()], tuning.exchange);
    for partners in way {
        combiner.iteration(partners.iter().zip(&ranks).map(|(&to, &from)| Fold::of(from, ranks[to], 0, 0)));
    }
    let schedule = combiner.finish().with_elements_of(task.element_bytes());
    Draft { pieces: vec![Piece::of(0..task.bytes(), Origin::Everywhere)], schedule }
}

/// By the round, the partner of each place of a grid; the nearest come first.
type Way = Vec<Vec<usize>>;

/// At most so many ways: they begin with each dimension, and then with each on the other side.
fn ways(extents: &[usize], most: usize) -> Vec<Way> {
    let all = [1, -1].into_iter().flat_map(|side| (0..extents.len()).map(move |first| (first, side)));
    all.take(most).map(|(first, side)| way(extents, first, side)).collect()
}

/// The way that begins with this dimension, on this side.
fn way(extents: &[usize], first: usize, side: i64) -> Way {
    let most = extents.iter().map(|extent| extent.ilog2()).max().unwrap_or(0);
    let size: usize = extents.iter().product();
    let mut way = Vec::new();
    for round in 0..most {
        for dimension in (first..extents.len()).chain(0..first) {
            let (extent, stride) = (extents[dimension], extents[dimension + 1..].iter().product::<usize>());
            if round < extent.ilog2() {
                let distance = side * (1 - (-2_i64).pow(round + 1)) / 3;
                let partner = |place: usize| {
                    let here = place / stride % extent;
                    place - here * stride + partner(here, distance, extent) * stride
                };
                way.push((0..size).map(partner).collect());
            }
        }
    }
    way
}

/// The partner of a place around a ring, so far to one side of even places and to the other side of odd ones.
fn partner(place: usize, distance: i64, extent: usize) -> usize {
    let (place, extent) = (place as i64, extent as i64);
    let there = if place % 2 == 0 { place + distance } else { place - distance };
    there.rem_euclid(extent) as usize
}

/// Partners exchange all that they have of the pieces of each way.
fn meet<'a>(
    builder: &mut Builder,
    ranks: &[Rank],
    partners: impl Iterator<Item = &'a [usize]>,
    way_of: &[usize],
) {
    // Two may meet on several ways.
    let mut meetings: BTreeMap<(Rank, Rank), Vec<u32>> = BTreeMap::new();
    for (way, partners) in partners.enumerate() {
        for (place, &partner) in partners.iter().enumerate() {
            let held = builder.held(ranks[place]).iter().copied();
            let blocks = meetings.entry((ranks[place], ranks[partner])).or_default();
            blocks.extend(held.filter(|&block| way_of[block as usize] == way));
        }
    }
    let meetings = meetings.into_iter().filter(|(_, blocks)| !blocks.is_empty());
    builder.iteration(meetings.map(|((from, to), blocks)| Transfer { from, to, blocks: blocks.into() }));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::Description;

    #[test]
    fn partners_lie_on_one_side_and_then_on_the_other() {
        let of_even =
            |place: usize| way(&[16], 0, 1).iter().map(|partners| partners[place]).collect::<Vec<_>>();
        assert_eq!((of_even(0), of_even(5)), (vec![1, 15, 3, 11], vec![4, 6, 2, 10]));
        assert_eq!(
            way(&[2, 4], 0, 1),
            [[4, 5, 6, 7, 0, 1, 2, 3], [1, 0, 3, 2, 5, 4, 7, 6], [3, 2, 1, 0, 7, 6, 5, 4]]
        );
        // The other way around, the second dimension first.
        assert_eq!(
            way(&[2, 4], 1, -1),
            [[3, 2, 1, 0, 7, 6, 5, 4], [4, 5, 6, 7, 0, 1, 2, 3], [1, 0, 3, 2, 5, 4, 7, 6]]
        );
    }

    /// Whatever two partners have when they meet is different, in this order of rounds and in the other.
    #[test]
    fn nobody_hears_of_anything_twice() {
        for extents in [vec![4], vec![64], vec![512], vec![8, 2], vec![2, 16, 4]] {
            let ways = ways(&extents, 6);
            let backwards = ways.iter().map(|way| way.iter().rev().cloned().collect());
            for rounds in ways.iter().cloned().chain(backwards) {
                let size: usize = extents.iter().product();
                let mut has: Vec<BTreeSet<usize>> = (0..size).map(|place| BTreeSet::from([place])).collect();
                for partners in &rounds {
                    let meet = |place: usize| {
                        let (own, other) = (&has[place], &has[partners[place]]);
                        assert_eq!((partners[partners[place]], own.is_disjoint(other)), (place, true));
                        own | other
                    };
                    has = (0..size).map(meet).collect();
                }
                assert!(has.iter().all(|has| has.len() == size), "{extents:?}");
            }
        }
    }

    #[test]
    fn on_a_torus_it_is_the_fastest_for_medium_lengths() {
        let machine: Description = "torus:8x8".parse().unwrap();
        let modeled = |operation: Operation, algorithm: Algorithm| {
            let task = Task::builder(&machine, operation).elements(16_384).exact(true).build().unwrap();
            let plan = algorithm.plan(&task).unwrap();
            (plan.algorithm().name(), plan.prediction().modeled.to_string())
        };
        for operation in [Operation::Collect, Operation::DistributedCombine, Operation::CombineToAll] {
            let auto = modeled(operation, Algorithm::AUTO);
            assert_eq!(auto, modeled(operation, Algorithm::SWING));
        }
    }
}
