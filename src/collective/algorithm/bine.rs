//! *Bine*: binomial trees whose edges lead to one side, then to the other, so that they are shorter.
//!
//! **What it does.** In each of `log2 p` rounds all that have something meet the partners of [*swing*](super::swing), to whom
//! they pass on a half of it, or the same. The nearest partners come first, or the farthest. In that way a vector is broadcast, or its
//! blocks are scattered. A long vector is cut into a block for each rank, which are scattered, and collected by *swing*: everybody
//! sends what the receiver lacks. Backwards these are a combine to one rank and a gather.
//!
//! **Restrictions.** A power of two ranks, at least four in all; a root; a commutative operator.
//!
//! **Cost.** `log2 p (alpha + n beta)` for a broadcast of `n` bytes, and `n gamma` a round to combine; `log2 p alpha + (p - 1)/p n
//! beta` for a scatter; `2 log2 p alpha + 2 (p - 1)/p n beta` for a broadcast of a vector that is cut. Where a link is no faster
//! than a port, the bytes of a round take longer, by how many messages share one.
//!
//! **Source.** D. De Sensi and others, "Bine trees: enhancing collective operations by optimizing communication locality", SC
//! 2025, arXiv 2508.17311, sections 3 and 4.

use std::ops::Range;

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, offered},
        cost::conflict_of,
        draft::{Draft, Piece, Tuning, cut},
    },
    Algorithm, Entry,
    meetings::{self, Rounds, extents, named},
    of, round, swing,
};
use crate::{
    pattern::{Builder, Exchange, Transfer},
    plan::Restriction,
    rank::Rank,
    time::Span,
};

impl Algorithm {
    /// Binomial trees whose edges lead to one side and then to the other (De Sensi and others).
    pub const BINE: Algorithm = of(&BINE);
}

static BINE: Entry =
    Entry::new("bine", |planning| Ok(offered(planning.problem, candidates(planning.problem))))
        .about("binomial trees to and fro, so that edges are shorter (De Sensi and others)")
        .source("De Sensi et al. 2025")
        .kinds(Operation::has_root)
        .only_if(&[Restriction {
            text: "it needs a power of two ranks, four at least, and a commutative operator",
            is_met: |task, _| task.size().is_power_of_two() && task.size() >= 4 && !task.is_in_order(),
            found: |task, _| meetings::refused(task),
        }]);

/// An edge of a tree, along which `from` passes on what is for those `below`: the receiver and all that it passes it on to.
struct Edge {
    from: usize,
    to: usize,
    below: Vec<usize>,
}

/// The edges of a tree, round by round.
type Tree = Vec<Vec<Edge>>;

fn candidates(task: &Task) -> Vec<Candidate> {
    let extents = extents(task);
    let near_first = swing::way(&extents, 0, 1);
    let far_first: Rounds = near_first.iter().rev().cloned().collect();
    let name = named("bine", &extents);
    let has_one_vector = matches!(task.operation(), Operation::Broadcast | Operation::CombineToOne);
    let mut candidates = Vec::new();
    for (order, way) in [("near first", near_first), ("far first", far_first)] {
        let tree = tree(task, &way);
        let halved = time(task, &tree, |round| task.bytes() as f64 / 2.0_f64.powi(round as i32 + 1));
        let ways: &[(&str, Span, usize, Make)] = match has_one_vector {
            true => &[
                ("", time(task, &tree, |_| task.bytes() as f64), 1, whole),
                (", cut", halved.times(2), 1 + way.len(), in_blocks),
            ],
            false => &[("", halved, 1, scattered)],
        };
        candidates.extend(ways.iter().map(|&(suffix, estimate, messages, make)| {
            let way = way.clone();
            Candidate {
                name: format!("{name}, {order}{suffix}"),
                kin: None,
                estimate,
                messages,
                tunings: vec![Tuning::PLAIN, Tuning { exchange: Exchange::Overlapped, segments: 1 }],
                make: Box::new(move |task, tuning| backwards(task, make(task, &way, tuning))),
            }
        }));
    }
    candidates
}

/// Makes the schedule that spreads along a way.
type Make = fn(&Task, &Rounds, Tuning) -> Draft;

/// What spreads, or its dual.
fn backwards(task: &Task, spread: Draft) -> Draft {
    match task.operation() {
        Operation::CombineToOne => spread.combining(),
        Operation::Gather => {
            let origins: Vec<Rank> = spread.pieces.iter().map(|piece| task.owner(piece.start)).collect();
            spread.gathering(&origins)
        }
        _ => spread,
    }
}

/// The time by the closed form if edges of a round have so many bytes.
fn time(task: &Task, tree: &Tree, bytes: impl Fn(usize) -> f64) -> Span {
    let ranks = task.layout().ranks;
    let of_round = |(nth, edges): (usize, &Vec<Edge>)| {
        let factor = conflict_of(task, &ranks, edges.iter().map(|edge| (edge.from, edge.to)));
        round(task, (bytes(nth) * factor) as u64)
    };
    tree.iter().enumerate().map(of_round).sum()
}

/// The place of the root.
fn root(task: &Task) -> usize {
    let ranks = task.layout().ranks;
    ranks.iter().position(|&rank| rank == task.root()).unwrap_or_default()
}

/// The tree of those that hear of something along a way.
fn tree(task: &Task, way: &Rounds) -> Tree {
    let mut has = vec![false; task.size()];
    has[root(task)] = true;
    let mut tree = Tree::new();
    for round in way {
        let meets = round.iter().filter(|&&(from, _)| has[from]);
        let edges: Vec<Edge> = meets.map(|&(from, to)| Edge { from, to, below: Vec::new() }).collect();
        edges.iter().for_each(|edge| has[edge.to] = true);
        tree.push(edges);
    }
    let mut below: Vec<Vec<usize>> = (0..task.size()).map(|place| vec![place]).collect();
    for edge in tree.iter_mut().rev().flatten() {
        edge.below.clone_from(&below[edge.to]);
        below[edge.from].extend_from_slice(&edge.below);
    }
    tree
}

/// All places, so that those below each edge come one after the other.
fn in_order(tree: &Tree, root: usize) -> Vec<usize> {
    let edges = tree.iter().rev().flatten().filter(|edge| edge.from == root);
    std::iter::once(root).chain(edges.flat_map(|edge| edge.below.iter().copied())).collect()
}

/// The whole vector goes along all edges.
fn whole(task: &Task, way: &Rounds, tuning: Tuning) -> Draft {
    let (ranks, tree) = (task.layout().ranks, tree(task, way));
    let pieces: Vec<Piece> = cut(0, task.bytes(), task.element_bytes(), 1).map(|(_, piece)| piece).collect();
    let blocks: Vec<u32> = (0..pieces.len() as u32).collect();
    let roots = vec![task.root(); pieces.len()];
    Draft::moving(task, pieces, &roots, tuning.exchange, |builder| {
        for round in tree.iter().filter(|_| !blocks.is_empty()) {
            let transfer = |edge: &Edge| Transfer {
                from: ranks[edge.from],
                to: ranks[edge.to],
                blocks: blocks.clone().into(),
            };
            builder.iteration(round.iter().map(transfer));
        }
    })
}

/// Each block goes to its rank.
fn scattered(task: &Task, way: &Rounds, tuning: Tuning) -> Draft {
    let block = |(place, &rank): (usize, &Rank)| {
        let Range { start, end } = task.block(rank);
        cut(start, end - start, task.element_bytes(), 1).map(move |(_, piece)| (place, piece))
    };
    let pieces = task.layout().ranks.iter().enumerate().flat_map(block).collect();
    scatter(task, &tree(task, way), tuning, pieces, |_, _| {})
}

/// The vector is cut into a block for each rank: these are scattered, and collected.
fn in_blocks(task: &Task, way: &Rounds, tuning: Tuning) -> Draft {
    let tree = tree(task, way);
    // What goes along an edge lies side by side.
    let places = in_order(&tree, root(task));
    let pieces = cut(0, task.bytes(), task.element_bytes(), places.len());
    let pieces = pieces.map(|(nth, piece)| (places[nth], piece)).collect();
    scatter(task, &tree, tuning, pieces, |builder, blocks| {
        collect(builder, task, &swing::way(&extents(task), 0, 1), blocks);
    })
}

/// Passes on the pieces of each place, and then does something with the block of each place that has one.
fn scatter(
    task: &Task,
    tree: &Tree,
    tuning: Tuning,
    pieces: Vec<(usize, Piece)>,
    then: impl FnOnce(&mut Builder, &[Option<u32>]),
) -> Draft {
    let ranks = task.layout().ranks;
    let mut blocks = vec![None; ranks.len()];
    (0..).zip(&pieces).for_each(|(block, &(place, _))| blocks[place] = Some(block));
    let pieces: Vec<Piece> = pieces.into_iter().map(|(_, piece)| piece).collect();
    let roots = vec![task.root(); pieces.len()];
    Draft::moving(task, pieces, &roots, tuning.exchange, |builder| {
        for round in tree {
            builder.iteration(round.iter().filter_map(|edge| {
                let blocks = edge.below.iter().filter_map(|&place| blocks[place]);
                transfer(ranks[edge.from], ranks[edge.to], blocks)
            }));
        }
        then(builder, &blocks);
    })
}

/// A message of these blocks, if they are any.
fn transfer(from: Rank, to: Rank, blocks: impl Iterator<Item = u32>) -> Option<Transfer> {
    let mut blocks: Vec<u32> = blocks.collect();
    blocks.sort_unstable();
    (!blocks.is_empty()).then(|| Transfer { from, to, blocks: blocks.into() })
}

/// Tells everybody of the blocks of all, the farthest partners first: what they have not had on its way to others.
fn collect(builder: &mut Builder, task: &Task, way: &Rounds, blocks: &[Option<u32>]) {
    let ranks = task.layout().ranks;
    let mut has = vec![vec![false; blocks.len()]; ranks.len()];
    for (has, &rank) in has.iter_mut().zip(&ranks) {
        builder.held(rank).iter().for_each(|&block| has[block as usize] = true);
    }
    // The blocks that each place hears of in these rounds, or would if it had not had them before.
    let mut heard: Vec<Vec<u32>> = blocks.iter().map(|block| block.iter().copied().collect()).collect();
    for round in way.iter().rev() {
        builder.iteration(round.iter().filter_map(|&(from, to)| {
            let lacking = heard[from].iter().copied().filter(|&block| !has[to][block as usize]);
            transfer(ranks[from], ranks[to], lacking)
        }));
        let before = heard.clone();
        for &(from, to) in round {
            before[from].iter().for_each(|&block| has[to][block as usize] = true);
            heard[to].extend(&before[from]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Description;

    #[test]
    fn edges_lead_to_one_side_and_then_to_the_other() {
        let machine: Description = "ring:8".parse().unwrap();
        let task = Task::builder(&machine, Operation::Broadcast).elements(8).root(3).build().unwrap();
        let of = |way: &Rounds| -> Vec<Vec<(usize, usize)>> {
            let edges = |round: &Vec<Edge>| round.iter().map(|edge| (edge.from, edge.to)).collect();
            tree(&task, way).iter().map(edges).collect()
        };
        let near_first = swing::way(&[8], 0, 1);
        let far_first: Rounds = near_first.iter().rev().cloned().collect();
        assert_eq!(
            of(&near_first),
            [vec![(3, 2)], vec![(2, 1), (3, 4)], vec![(1, 6), (2, 5), (3, 0), (4, 7)]]
        );
        assert_eq!(
            of(&far_first),
            [vec![(3, 0)], vec![(0, 7), (3, 4)], vec![(0, 1), (3, 2), (4, 5), (7, 6)]]
        );
    }

    #[test]
    fn what_goes_along_an_edge_lies_side_by_side() {
        let machine: Description = "torus:4x8".parse().unwrap();
        for root in [0, 21] {
            let task = Task::builder(&machine, Operation::Broadcast).elements(64).root(root).build().unwrap();
            let tree = tree(&task, &swing::way(&[4, 8], 0, 1));
            let mut nth = vec![0; 32];
            in_order(&tree, root).into_iter().enumerate().for_each(|(order, place)| nth[place] = order);
            for edge in tree.iter().flatten() {
                let (least, most) = (
                    edge.below.iter().map(|&place| nth[place]).min(),
                    edge.below.iter().map(|&place| nth[place]).max(),
                );
                assert_eq!(most.unwrap() - least.unwrap() + 1, edge.below.len());
            }
        }
    }

    #[test]
    fn on_a_ring_it_is_the_fastest_for_medium_lengths() {
        let machine: Description = "ring:16".parse().unwrap();
        for operation in [Operation::Broadcast, Operation::CombineToOne] {
            let task = Task::builder(&machine, operation).elements(1 << 14).root(5).build().unwrap();
            assert_eq!(Algorithm::AUTO.plan(&task).unwrap().algorithm(), &Algorithm::BINE, "{operation}");
        }
    }
}
