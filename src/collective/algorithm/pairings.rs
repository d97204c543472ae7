//! Shared parts of *swing*, *bine*, *trivance* and *multiplying*: rounds in which ranks exchange data with partners, along the dimensions
//! of the machine in turn or along radix digits of ranks.
//!
//! In each round every place has one or several partners, and they exchange all their data. On nodes with several ports, blocks are cut
//! into parts that use different *sequences* of rounds at the same time.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{
    super::{
        Operation, Task,
        candidate::Candidate,
        cost::conflict_of,
        draft::{Draft, Piece, Role, Tuning, cut},
    },
    round,
};
use crate::{
    pattern::{Builder, Combiner, Fold, Origin, Transfer},
    plan::Restriction,
    rank::Rank,
    text::count,
    time::Span,
};

/// Pairs of places of the layout: the first place sends a message to the second.
pub(super) type Round = Vec<(usize, usize)>;

/// A sequence of rounds, the nearest partners first. All parts that use the sequence follow the same rounds.
pub(super) type Rounds = Vec<Round>;

/// Maximum number of pieces that all ranks hold together; candidates with several sequences are omitted above it.
const MAX_HELD: usize = 1 << 24;

/// The restriction of algorithms in which each rank has one partner per round.
pub(super) const POWER_OF_TWO: Restriction<Task> = Restriction {
    text: "a power of two of at least 4 ranks, and a commutative operator",
    is_met: |task, _| task.size().is_power_of_two() && task.size() >= 4 && !task.is_in_order(),
    found: |task, _| refused(task),
};

/// The dimensions of the machine if all its nodes take part; otherwise those of the rectangle of the ranks, or a line if they form none.
pub(super) fn extents(task: &Task) -> Vec<usize> {
    let grid = task.layout().grid;
    let mut extents = task.machine().topology().extents();
    if extents.iter().product::<usize>() != task.size() {
        extents = vec![grid.rows, grid.columns];
    }
    extents.retain(|&extent| extent > 1);
    extents
}

/// Returns the name of an algorithm with these dimensions or factors.
pub(super) fn named(algorithm: &str, extents: &[usize]) -> String {
    let sides: Vec<String> = extents.iter().map(usize::to_string).collect();
    format!("{algorithm} {}", sides.join("x"))
}

/// Returns the sequence along the dimensions in turn, beginning with the dimension `first`. Around a ring of `radix^r` places, `partners`
/// gives the partners of every place in each of `r` rounds.
pub(super) fn sequence(
    extents: &[usize],
    first: usize,
    radix: usize,
    partners: impl Fn(usize, u32, usize) -> Vec<usize>,
) -> Rounds {
    let most = extents.iter().map(|extent| extent.ilog(radix)).max().unwrap_or(0);
    let size: usize = extents.iter().product();
    let mut sequence = Rounds::new();
    for round in 0..most {
        for dimension in (first..extents.len()).chain(0..first) {
            let (extent, stride) = (extents[dimension], extents[dimension + 1..].iter().product::<usize>());
            if round < extent.ilog(radix) {
                let pairings = |place: usize| {
                    let here = place / stride % extent;
                    let there = move |there: usize| (place, place - here * stride + there * stride);
                    partners(here, round, extent).into_iter().map(there)
                };
                sequence.push((0..size).flat_map(pairings).collect());
            }
        }
    }
    sequence
}

/// Returns the candidate in which every block, or part of a vector, uses one sequence, and candidates that cut blocks into parts for
/// several sequences. All sequences have the same number of rounds. `counts` has the numbers of sequences to try, taken from the start of
/// `sequences`.
pub(super) fn in_parts(
    task: &Task,
    name: &str,
    sequences: &[Rounds],
    counts: impl IntoIterator<Item = usize>,
) -> Vec<Candidate> {
    let is_small = |count: &usize| *count * task.size() * task.size() <= MAX_HELD;
    let counts: BTreeSet<usize> =
        counts.into_iter().map(|count| count.min(sequences.len())).filter(is_small).collect();
    let several = counts.into_iter().filter(|&count| count > 1);
    [1].into_iter().chain(several).map(|count| along(task, name, sequences[..count].to_vec())).collect()
}

fn along(task: &Task, name: &str, sequences: Vec<Rounds>) -> Candidate {
    // The time is computed for the rounds in reverse: each round divides a rank's data by the number of its partners plus one. The round
    // listed first moves the largest fraction.
    let parts = sequences[0].iter().scan(task.bytes() as f64 / sequences.len() as f64, |part, round| {
        *part /= (1 + partners(round, task.size())) as f64;
        Some(*part)
    });
    let times = if task.operation() == Operation::AllReduce { 2 } else { 1 };
    let messages = sequences.iter().flatten().map(Round::len).sum::<usize>() / task.size();
    Candidate {
        name: if sequences.len() > 1 {
            format!("{name}, {} parts", sequences.len())
        } else {
            name.to_owned()
        },
        estimate: time(task, &sequences, parts).times(times),
        messages: messages * times as usize,
        // Whether a single sequence is faster with blocking or non-blocking sends depends on the machine; several sequences need several
        // sends at once.
        tunings: if sequences.len() > 1 {
            vec![Tuning::OVERLAPPED]
        } else {
            vec![Tuning::PLAIN, Tuning::OVERLAPPED]
        },
        lower_bound: None,
        make: Box::new(move |task, tuning| draft(task, &sequences, tuning)),
    }
}

/// The candidate in which partners combine their whole vectors, made by `make`. `None` if results depend on how operands are
/// grouped, because each rank adds in a different order.
pub(super) fn whole(
    task: &Task,
    name: &str,
    rounds: Rounds,
    tuning: Tuning,
    make: fn(&Task, &Rounds, Tuning) -> Draft,
) -> Option<Candidate> {
    let is_fit = task.operation() == Operation::AllReduce && task.is_exact() && task.bytes() > 0;
    is_fit.then(|| Candidate {
        name: format!("{name}, whole vectors"),
        estimate: time(task, std::slice::from_ref(&rounds), std::iter::repeat(task.bytes() as f64)),
        messages: rounds.iter().map(Round::len).sum::<usize>() / task.size(),
        tunings: vec![tuning],
        lower_bound: None,
        make: Box::new(move |task, tuning| make(task, &rounds, tuning)),
    })
}

/// Returns why a task is refused: its operator is not commutative, or its number of ranks is unsuitable.
pub(super) fn refused(task: &Task) -> String {
    if task.is_in_order() {
        return "an operator that is not commutative".into();
    }
    count(task.size() as u64, "rank")
}

/// Number of partners of each rank in a round.
pub(super) fn partners(round: &Round, ranks: usize) -> usize {
    round.len() / ranks
}

/// The draft in which all partners combine whole vectors: in each round a rank sends its vector to all its partners, and then adds their
/// vectors. The pairs of a place must be contiguous in a round.
pub(super) fn with_all(task: &Task, sequence: &Rounds, tuning: Tuning) -> Draft {
    const OWN: u32 = 0;
    let (ranks, bytes) = (task.layout().ranks, task.bytes());
    let most = sequence.iter().map(|round| partners(round, ranks.len())).max().unwrap_or(0);
    let origins = [&[Origin::Everywhere][..], &vec![Origin::Nowhere; most]].concat();
    let mut combiner = Combiner::new(ranks.len(), &origins, &vec![bytes; 1 + most], tuning.exchange);
    for round in sequence {
        let came = 1..=partners(round, ranks.len()) as u32;
        for (nth, came) in came.clone().enumerate() {
            let pairings = round.iter().skip(nth).step_by(partners(round, ranks.len()));
            combiner.replacing(pairings.map(|&(from, to)| Fold::of(ranks[from], ranks[to], OWN, came)));
        }
        came.for_each(|came| combiner.merge(OWN, came, OWN));
    }
    let schedule = combiner.finish().with_elements_of(task.element_bytes());
    let scratch = Piece { role: Role::Scratch, ..Piece::of(0..bytes, Origin::Nowhere) };
    let pieces = [&[Piece::of(0..bytes, Origin::Everywhere)][..], &vec![scratch; most]].concat();
    Draft { pieces, schedule }
}

/// The closed-form time of rounds whose messages have these numbers of bytes.
pub(super) fn time(task: &Task, sequences: &[Rounds], bytes: impl Iterator<Item = f64>) -> Span {
    let (ranks, parameters) = (task.layout().ranks, task.parameters());
    let (send, receive) = parameters.overheads(0);
    let of_round = |(nth, bytes): (usize, f64)| {
        let pairings = || sequences.iter().flat_map(|sequence| sequence[nth].iter().copied());
        let each = pairings().count() / task.size();
        let in_turn = each as f64 / f64::from(parameters.ports());
        let factor = conflict_of(task, &ranks, pairings()).max(in_turn).max(max_pair_overlap(sequences, nth));
        round(task, (bytes * factor) as u64) + (send + receive).times(each as u64 - 1)
    };
    (0..sequences[0].len()).zip(bytes).map(of_round).sum()
}

/// Maximum number of sequences that have the same pair of places in a round; data of all these sequences shares one port.
fn max_pair_overlap(sequences: &[Rounds], nth: usize) -> f64 {
    if let [_] = sequences {
        return 1.0;
    }
    let mut pairs: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    sequences
        .iter()
        .flat_map(|sequence| &sequence[nth])
        .for_each(|&pair| *pairs.entry(pair).or_default() += 1);
    pairs.into_values().max().map_or(1.0, f64::from)
}

/// The draft in which every block, or part of the vector, is spread from its origin, or combined there.
fn draft(task: &Task, sequences: &[Rounds], tuning: Tuning) -> Draft {
    let (ranks, element) = (task.layout().ranks, task.element_bytes());
    let blocks: Vec<(Rank, Range<u64>)> = match task.operation() {
        Operation::AllReduce => cut(0, task.bytes(), element, ranks.len())
            .map(|(nth, piece)| (ranks[nth], piece.start..piece.start + piece.bytes))
            .collect(),
        _ => (0..task.size()).map(|rank| (rank, task.block(rank))).collect(),
    };
    let (mut origins, mut pieces, mut sequence_of) = (Vec::new(), Vec::new(), Vec::new());
    for (rank, block) in blocks {
        for (sequence, piece) in cut(block.start, block.end - block.start, element, sequences.len()) {
            origins.push(rank);
            pieces.push(piece);
            sequence_of.push(sequence);
        }
    }
    let spread = Draft::moving(task, pieces, &origins, tuning.exchange, |builder| {
        for nth in (0..sequences[0].len()).rev() {
            exchange(builder, &ranks, sequences.iter().map(|sequence| &sequence[nth]), &sequence_of);
        }
    });
    match task.operation() {
        Operation::AllReduce => spread.combining_and_back(),
        Operation::ReduceScatter => spread.combining(),
        _ => spread,
    }
}

/// Adds the messages of a round: partners exchange all the pieces that they have of each sequence.
pub(super) fn exchange<'a>(
    builder: &mut Builder,
    ranks: &[Rank],
    rounds: impl Iterator<Item = &'a Round>,
    sequence_of: &[usize],
) {
    let mut partners = vec![Vec::new(); ranks.len()];
    let mut sequences = 0;
    for (sequence, round) in rounds.enumerate() {
        sequences = sequence + 1;
        round.iter().for_each(|&(place, partner)| partners[place].push((sequence, partner)));
    }
    let mut held: Vec<Vec<Vec<u32>>> = vec![vec![Vec::new(); sequences]; ranks.len()];
    for (held, &rank) in held.iter_mut().zip(ranks) {
        builder.held(rank).iter().for_each(|&block| held[sequence_of[block as usize]].push(block));
    }
    // The messages to the first partners of all places come first. Two places may be partners in several sequences; they exchange one
    // message.
    let most = partners.iter().map(Vec::len).max().unwrap_or(0);
    let mut nth_of: BTreeMap<(Rank, Rank), usize> = BTreeMap::new();
    let mut messages: Vec<(Rank, Rank, Vec<u32>)> = Vec::new();
    for nth in 0..most {
        for (place, partners) in partners.iter().enumerate() {
            let Some(&(sequence, partner)) = partners.get(nth) else { continue };
            let (from, to) = (ranks[place], ranks[partner]);
            let message = *nth_of.entry((from, to)).or_insert(messages.len());
            if message == messages.len() {
                messages.push((from, to, Vec::new()));
            }
            messages[message].2.extend(&held[place][sequence]);
        }
    }
    let messages = messages.into_iter().filter(|(.., blocks)| !blocks.is_empty());
    builder.iteration(messages.map(|(from, to, blocks)| Transfer { from, to, blocks: blocks.into() }));
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Asserts that every place receives each item exactly once, with the rounds in the given order and in reverse order.
    pub(in super::super) fn assert_each_item_arrives_once(sequence: &Rounds, size: usize) {
        let backwards: Rounds = sequence.iter().rev().cloned().collect();
        for sequence in [sequence, &backwards] {
            let mut has: Vec<BTreeSet<usize>> = (0..size).map(|place| BTreeSet::from([place])).collect();
            for round in sequence {
                let before = has.clone();
                for &(from, to) in round {
                    assert!(before[from].is_disjoint(&has[to]), "{from} to {to}");
                    has[to].extend(&before[from]);
                }
            }
            assert!(has.iter().all(|has| has.len() == size), "{size}");
        }
    }
}
