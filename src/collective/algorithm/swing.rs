//! *Swing*: recursive doubling whose partners lie on one side, then on the other, so that they are nearer.
//!
//! **What it does.** In round `s` of `log2 p` around a ring, ranks of even places meet those `(1 - (-2)^(s+1)) / 3` further on, the
//! odd ones those as far behind: 1, -1, 3, -5, 11, .. in place of the distances 1, 2, 4, 8, 16 of recursive doubling. Up to a third
//! of the distance is saved, and every link carries the same, about half the distance, where doubling piles all of it on the link
//! in the middle of a group. A collect takes the farthest partners first, while there is little data. On a grid rounds take turns
//! among its dimensions. Backwards it is a distributed combine, and both together are a combine-to-all. If it does not matter how
//! operands are grouped, partners may also combine whole vectors, in half as many rounds.
//!
//! **Restrictions.** A power of two ranks, at least four in all; no root; a commutative operator.
//!
//! **Cost.** `log2 p alpha + (p - 1)/p n beta` for a collect of `n` bytes where links have room, and `(p - 1)/p n gamma` to combine.
//! Where a link is no faster than a port, the bytes of a round take about half its distance times as long: on a ring together
//! about `n beta (1/2 + log2 p / 6)`, with recursive doubling `n beta (log2 p) / 2`. With whole vectors a combine-to-all takes
//! `log2 p (alpha + n beta + n gamma)`. In parts, most of what is combined is copied together first.
//!
//! **Source.** D. De Sensi, T. Bonato, D. Saam, T. Hoefler, "Swing: short-cutting rings for higher bandwidth allreduce", NSDI 2024,
//! arXiv 2401.09356; as trees and butterflies: D. De Sensi and others, "Bine trees", SC 2025, arXiv 2508.17311.

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
    let meetings = meetings(&extents);
    let ranks = task.layout().ranks;
    let conflicts: Vec<f64> =
        meetings.iter().map(|partners| conflict_of(task, &ranks, |place| partners[place])).collect();
    let time = |bytes: f64, conflict: f64| round(task, (bytes * conflict) as u64);
    let sides: Vec<String> = extents.iter().map(usize::to_string).collect();
    let name = format!("swing {}", sides.join("x"));
    let bytes = task.bytes() as f64;
    let halves = (0..).map(|nth| bytes / f64::from(2_u32 << nth));
    let once: Span = conflicts.iter().zip(halves).map(|(&conflict, half)| time(half, conflict)).sum();
    let times = if task.operation() == Operation::CombineToAll { 2 } else { 1 };
    let in_parts = Candidate {
        name: name.clone(),
        kin: None,
        estimate: once.times(times),
        messages: meetings.len() * times as usize,
        tunings: vec![Tuning::PLAIN, Tuning { exchange: Exchange::Overlapped, segments: 1 }],
        make: {
            let meetings = meetings.clone();
            Box::new(move |task, tuning| in_parts(task, &meetings, tuning))
        },
    };
    let whole = || Candidate {
        name: format!("{name}, whole vectors"),
        kin: None,
        estimate: conflicts.iter().map(|&conflict| time(bytes, conflict)).sum(),
        messages: meetings.len(),
        tunings: vec![Tuning::PLAIN],
        make: Box::new(move |task, tuning| whole(task, &meetings, tuning)),
    };
    // Each rank adds in an order of its own.
    if task.operation() == Operation::CombineToAll && task.is_exact() && task.bytes() > 0 {
        vec![in_parts, whole()]
    } else {
        vec![in_parts]
    }
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
fn in_parts(task: &Task, meetings: &[Vec<usize>], tuning: Tuning) -> Draft {
    let ranks = task.layout().ranks;
    let (origins, pieces): (Vec<Rank>, Vec<Piece>) = match task.operation() {
        Operation::CombineToAll => cut(0, task.bytes(), task.element_bytes(), ranks.len())
            .map(|(nth, piece)| (ranks[nth], piece))
            .unzip(),
        _ => {
            let piece = |rank: Rank| (rank, Piece::of(task.block(rank), Origin::At(rank)));
            (0..task.size()).map(piece).filter(|(_, piece)| piece.bytes > 0).unzip()
        }
    };
    let spread = Draft::moving(task, pieces, &origins, tuning.exchange, |builder| {
        meetings.iter().rev().for_each(|partners| meet(builder, &ranks, partners));
    });
    match task.operation() {
        Operation::CombineToAll => spread.combining_and_back(),
        Operation::DistributedCombine => spread.combining(),
        _ => spread,
    }
}

/// All partners combine their whole vectors.
fn whole(task: &Task, meetings: &[Vec<usize>], tuning: Tuning) -> Draft {
    let ranks = task.layout().ranks;
    let mut combiner = Combiner::new(ranks.len(), &[Origin::Everywhere], &[task.bytes()], tuning.exchange);
    for partners in meetings {
        combiner.iteration(partners.iter().zip(&ranks).map(|(&to, &from)| Fold::of(from, ranks[to], 0, 0)));
    }
    let schedule = combiner.finish().with_elements_of(task.element_bytes());
    Draft { pieces: vec![Piece::of(0..task.bytes(), Origin::Everywhere)], schedule }
}

/// By the round, the partner of each place of a grid; the nearest come first.
fn meetings(extents: &[usize]) -> Vec<Vec<usize>> {
    let most = extents.iter().map(|extent| extent.ilog2()).max().unwrap_or(0);
    let size: usize = extents.iter().product();
    let mut all = Vec::new();
    for nth in 0..most {
        let mut stride = size;
        for &extent in extents {
            stride /= extent;
            if nth < extent.ilog2() {
                let partner = |place: usize| {
                    let here = place / stride % extent;
                    place - here * stride + partner(here, nth, extent) * stride
                };
                all.push((0..size).map(partner).collect());
            }
        }
    }
    all
}

/// The partner of a place around a ring in a round.
fn partner(place: usize, round: u32, extent: usize) -> usize {
    let distance = (1 - (-2_i64).pow(round + 1)) / 3;
    let (place, extent) = (place as i64, extent as i64);
    let there = if place % 2 == 0 { place + distance } else { place - distance };
    there.rem_euclid(extent) as usize
}

/// Partners exchange all that they have.
fn meet(builder: &mut Builder, ranks: &[Rank], partners: &[usize]) {
    let transfer = |(place, &partner): (usize, &usize)| Transfer {
        from: ranks[place],
        to: ranks[partner],
        blocks: builder.held(ranks[place]).into(),
    };
    let transfers: Vec<Transfer> = partners.iter().enumerate().map(transfer).collect();
    builder.iteration(transfers.into_iter().filter(|transfer| !transfer.blocks.is_empty()));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::Description;

    #[test]
    fn partners_lie_on_one_side_and_then_on_the_other() {
        let of_even =
            |place: usize| meetings(&[16]).iter().map(|partners| partners[place]).collect::<Vec<_>>();
        assert_eq!((of_even(0), of_even(5)), (vec![1, 15, 3, 11], vec![4, 6, 2, 10]));
        assert_eq!(
            meetings(&[2, 4]),
            [[4, 5, 6, 7, 0, 1, 2, 3], [1, 0, 3, 2, 5, 4, 7, 6], [3, 2, 1, 0, 7, 6, 5, 4],]
        );
    }

    /// Whatever two partners have when they meet is different, in this order of rounds and in the other.
    #[test]
    fn nobody_hears_of_anything_twice() {
        for extents in [vec![4], vec![64], vec![512], vec![8, 2], vec![2, 16, 4]] {
            let mut rounds = meetings(&extents);
            for _ in 0..2 {
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
                rounds.reverse();
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
