//! *Bine*: binomial trees whose edges alternate between the two directions around a ring, which makes the edges shorter.
//!
//! **What it does.** In each of `log2 p` rounds, every rank that has data sends half of the data or all of it to its partner of
//! [*swing*](super::swing). The rounds with the nearest partners come first, or the rounds with the farthest. This pattern broadcasts a
//! vector or scatters its blocks. A long vector is cut into one block for each rank; the blocks are scattered, and then collected by
//! *swing*. The duals are a reduce and a gather.
//!
//! **Restrictions.** A power of two ranks, at least four; a root; a commutative operator.
//!
//! **Cost.** `log2 p (alpha + n beta)` for a broadcast of `n` bytes, and `log2 p n gamma` to combine; `log2 p alpha + (p - 1)/p n beta` for
//! a scatter; `2 log2 p alpha + 2 (p - 1)/p n beta` for a broadcast of a vector in blocks, and `(p - 1)/p n gamma` to combine. If a link is
//! no faster than a port, the bytes of a round cost a factor equal to the number of messages that share a link. Blocks of one message that
//! are not adjacent are first copied together.
//!
//! **Source.** D. De Sensi et al., "Bine trees: enhancing collective operations by optimizing communication locality", SC
//! 2025, arXiv 2508.17311, sections 3 and 4.

use std::ops::Range;

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        cost::conflict_of,
        draft::{Draft, Piece, Tuning, cut},
    },
    Algorithm, Entry, of,
    pairings::{self, Rounds, extents, named},
    round, swing,
};
use crate::{
    pattern::{Builder, Transfer},
    rank::Rank,
    time::Span,
};

impl Algorithm {
    /// Binomial trees whose edges alternate between both sides (De Sensi et al.).
    pub const BINE: Algorithm = of(&BINE);
}

static BINE: Entry =
    Entry::new("bine", |planning| Ok(variants_of_cheapest(planning.problem, candidates(planning.problem))))
        .about("binomial trees with alternating directions, for shorter distances (De Sensi et al.)")
        .source("De Sensi et al. 2025")
        .cost("broadcast: `log2 p (alpha + n beta)` or `2 log2 p alpha + 2 (p - 1)/p n beta`; reduce: plus `log2 p n gamma` or `(p - 1)/p n gamma`; scatter, gather: `log2 p alpha + (p - 1)/p n beta`; more where messages share links")
        .kinds(Operation::has_root)
        .only_if(&[pairings::POWER_OF_TWO]);

/// An edge of a tree; nodes are numbers of places in the layout. The message carries the data for the places `below`: the receiver and its
/// descendants.
struct Edge {
    from: usize,
    to: usize,
    below: Vec<usize>,
}

/// The edges of a tree by round.
type Tree = Vec<Vec<Edge>>;

fn candidates(task: &Task) -> Vec<Candidate> {
    let extents = extents(task);
    let near_first = swing::sequence(&extents, 0, 1);
    let far_first: Rounds = near_first.iter().rev().cloned().collect();
    let name = named("bine", &extents);
    let has_one_vector = matches!(task.operation(), Operation::Broadcast | Operation::Reduce);
    let parts = |bytes: u64| (1..).map(move |round| bytes as f64 / 2.0_f64.powi(round));
    let all_gather = pairings::time(task, std::slice::from_ref(&near_first), parts(task.bytes()));
    let mut candidates = Vec::new();
    for (order, sequence) in [("near first", near_first), ("far first", far_first)] {
        let tree = tree(task, &sequence);
        let scatter = time(task, &tree, parts(task.shared_bytes()), |bytes| {
            task.parameters().start_up(bytes) + task.parameters().transfer(bytes)
        });
        let whole_time =
            || time(task, &tree, std::iter::repeat(task.bytes() as f64), |bytes| round(task, bytes));
        let modes: &[(&str, Span, usize, Make)] = match has_one_vector {
            true => &[
                ("", whole_time(), 1, whole),
                (", cut", scatter + all_gather, 1 + sequence.len(), in_blocks),
            ],
            false => &[("", scatter, 1, scattered)],
        };
        candidates.extend(modes.iter().map(|&(suffix, estimate, messages, make)| {
            let sequence = sequence.clone();
            Candidate {
                name: format!("{name}, {order}{suffix}"),
                estimate,
                messages,
                tunings: vec![Tuning::PLAIN, Tuning::OVERLAPPED],
                lower_bound: None,
                make: Box::new(move |task, tuning| turned(task, make(task, &sequence, tuning))),
            }
        }));
    }
    candidates
}

/// Makes the schedule of a broadcast or scatter from rounds of pairs.
type Make = fn(&Task, &Rounds, Tuning) -> Draft;

/// Returns the schedule of a broadcast or scatter, or its dual if the task combines or gathers.
fn turned(task: &Task, spread: Draft) -> Draft {
    match task.operation() {
        Operation::Reduce => spread.combining(),
        Operation::Gather => {
            let origins: Vec<Rank> = spread.pieces.iter().map(|piece| task.owner(piece.start)).collect();
            spread.gathering(&origins)
        }
        _ => spread,
    }
}

/// The closed-form time of a tree: `bytes` has the number of bytes that each edge of a round carries, and `of` gives the time of a round.
fn time(task: &Task, tree: &Tree, bytes: impl Iterator<Item = f64>, of: impl Fn(u64) -> Span) -> Span {
    let ranks = task.layout().ranks;
    let of_round = |(edges, bytes): (&Vec<Edge>, f64)| {
        of((bytes * conflict_of(task, &ranks, edges.iter().map(|edge| (edge.from, edge.to)))) as u64)
    };
    tree.iter().zip(bytes).map(of_round).sum()
}

/// Returns the position of the root in the layout; 0 if the root is not in it.
fn root(task: &Task) -> usize {
    let ranks = task.layout().ranks;
    ranks.iter().position(|&rank| rank == task.root()).unwrap_or_default()
}

/// The tree along which data spread from the root in these rounds.
fn tree(task: &Task, sequence: &Rounds) -> Tree {
    let mut has = vec![false; task.size()];
    has[root(task)] = true;
    let mut tree = Tree::new();
    for round in sequence {
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

/// All places in an order in which the places below each edge are contiguous.
fn in_order(tree: &Tree, root: usize) -> Vec<usize> {
    let edges = tree.iter().rev().flatten().filter(|edge| edge.from == root);
    std::iter::once(root).chain(edges.flat_map(|edge| edge.below.iter().copied())).collect()
}

/// The schedule that moves the whole vector along every edge.
fn whole(task: &Task, sequence: &Rounds, tuning: Tuning) -> Draft {
    let (ranks, tree) = (task.layout().ranks, tree(task, sequence));
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

/// The schedule that scatters the blocks of the task.
fn scattered(task: &Task, sequence: &Rounds, tuning: Tuning) -> Draft {
    let block = |(place, &rank): (usize, &Rank)| {
        let Range { start, end } = task.block(rank);
        cut(start, end - start, task.element_bytes(), 1).map(move |(_, piece)| (place, piece))
    };
    let pieces = task.layout().ranks.iter().enumerate().flat_map(block).collect();
    scatter(task, &tree(task, sequence), tuning, pieces, |_| {})
}

/// The schedule that cuts the vector into one block for each rank, scatters the blocks and then collects them.
fn in_blocks(task: &Task, sequence: &Rounds, tuning: Tuning) -> Draft {
    let tree = tree(task, sequence);
    // In this order the blocks of an edge are adjacent.
    let places = in_order(&tree, root(task));
    let pieces = cut(0, task.bytes(), task.element_bytes(), places.len());
    let pieces = pieces.map(|(nth, piece)| (places[nth], piece)).collect();
    let (ranks, sequence_of) = (task.layout().ranks, vec![0; places.len()]);
    scatter(task, &tree, tuning, pieces, |builder| {
        for round in swing::sequence(&extents(task), 0, 1).iter().rev() {
            pairings::exchange(builder, &ranks, std::iter::once(round), &sequence_of);
        }
    })
}

/// Scatters the piece of each place, so that each place ends with only its own piece; then calls `then`.
fn scatter(
    task: &Task,
    tree: &Tree,
    tuning: Tuning,
    pieces: Vec<(usize, Piece)>,
    then: impl FnOnce(&mut Builder),
) -> Draft {
    let ranks = task.layout().ranks;
    let mut blocks = vec![None; ranks.len()];
    (0..).zip(&pieces).for_each(|(block, &(place, _))| blocks[place] = Some(block));
    let pieces: Vec<Piece> = pieces.into_iter().map(|(_, piece)| piece).collect();
    let roots = vec![task.root(); pieces.len()];
    Draft::moving(task, pieces, &roots, tuning.exchange, |builder| {
        for round in tree {
            builder.move_blocks(round.iter().filter_map(|edge| {
                let mut below: Vec<u32> = edge.below.iter().filter_map(|&place| blocks[place]).collect();
                below.sort_unstable();
                let (from, to) = (ranks[edge.from], ranks[edge.to]);
                (!below.is_empty()).then(|| Transfer { from, to, blocks: below.into() })
            }));
        }
        then(builder);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{MachineSpec, Parameters},
        pattern::Action,
    };

    #[test]
    fn edges_alternate_between_sides() {
        let machine: MachineSpec = "ring:8".parse().unwrap();
        let task = Task::builder(&machine, Operation::Broadcast).elements(8).root(3).build().unwrap();
        let of = |sequence: &Rounds| -> Vec<Vec<(usize, usize)>> {
            let edges = |round: &Vec<Edge>| round.iter().map(|edge| (edge.from, edge.to)).collect();
            tree(&task, sequence).iter().map(edges).collect()
        };
        let near_first = swing::sequence(&[8], 0, 1);
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

    /// Tests the closed form of the module documentation on 16 ranks and contention-free links: 8 start-ups of 130 us, 15/8 of the bytes at
    /// 50 ns each, and 15/16 of the elements at 10 ns. A broadcast copies no blocks together. With the farthest partners first, the
    /// partners in the first round of the all-gather finish the scatter at different times, which costs at most one overhead.
    #[test]
    fn a_split_vector_takes_the_closed_form_time() {
        let parameters = Parameters::hockney();
        let machine =
            MachineSpec::new("room", crate::topology::parse("complete:16").unwrap(), parameters.clone());
        for operation in [Operation::Broadcast, Operation::Reduce] {
            let bytes = 160_000;
            let task = Task::builder(&machine, operation).elements(bytes).root(5).build().unwrap();
            let variants = Algorithm::BINE.variants(&task, &()).unwrap();
            for (order, late) in [("near", Span::ZERO), ("far", parameters.receive_overhead())] {
                let name = format!("bine 16, {order} first, cut (in turn)");
                let variant = variants.iter().find(|variant| variant.name() == name).expect(&name);
                let schedule = variant.draft(&task).unwrap().schedule;
                let is_packed =
                    |rank| schedule.steps(rank).iter().any(|step| matches!(step.action, Action::Pack(_)));
                assert!(operation == Operation::Reduce || !(0..16).any(is_packed), "{name}");
                let time = crate::plan::predict(&machine, &schedule).unwrap().modeled.since_start();
                let gamma = if operation == Operation::Reduce { bytes / 16 * 15 } else { 0 };
                let form = parameters.alpha().times(8)
                    + parameters.transfer(bytes / 8 * 15)
                    + parameters.combining(gamma);
                assert!((form..=form + late).contains(&time), "{operation}, {name}: {time}");
                assert_eq!(variant.estimate(), form, "{name}");
            }
        }
    }

    #[test]
    fn bine_is_the_fastest_on_a_ring_for_medium_lengths() {
        let machine: MachineSpec = "ring:16".parse().unwrap();
        for operation in [Operation::Broadcast, Operation::Reduce] {
            let task = Task::builder(&machine, operation).elements(1 << 14).root(5).build().unwrap();
            let time = |algorithm: &Algorithm| Some(algorithm.plan(&task).ok()?.prediction().modeled);
            let bine = time(&Algorithm::BINE).unwrap();
            // *Composed* is excluded, because it may use *bine* for one of its two operations.
            let alternatives = Algorithm::NAMED.iter().filter(|&algorithm| {
                ![Algorithm::AUTO, Algorithm::BINE, Algorithm::COMPOSED].contains(algorithm)
            });
            assert!(alternatives.filter_map(time).all(|other| bine < other), "{operation}");
        }
    }
}
