//! *Halving*: pairs of neighbours exchange and combine halves of their vectors, then pairs of pairs exchange halves of the halves.
//!
//! **What it does.** Combines in rank order. First ranks `2i` and `2i + 1` exchange halves: from then on one is responsible for the first
//! half, the other one for the second half. Then two adjacent pairs exchange, then two adjacent groups of four, until each part is combined
//! over all ranks at one rank: recursive halving with doubling distances, so that combined ranks are always contiguous. If the number of
//! groups is odd, the last group sends the halves of its parts to the pair before it. Finally the parts go to the root, to the ranks that
//! own them, or back along the same edges to all ranks. [`halved_scan`](super::halved_scan) has the scan.
//!
//! **Restrictions.** None; operators need not be commutative. For commutative operators, circulant graphs and hybrids are mostly faster.
//!
//! **Cost.** On `p = 2^k` ranks `k alpha + (1 - 1/p) n (beta + gamma)` to combine, and then the same without `gamma` to gather or to
//! spread, or `alpha + n/p beta` for a reduce-scatter. On other numbers of ranks up to `n (beta + gamma)` more, for an all-reduce
//! up to `n (2 beta + gamma)`.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19(1),
//! 2005; Rabenseifner, Träff, "More efficient reduction algorithms for non-power-of-two number of processors in
//! message-passing parallel systems", EuroPVM/MPI 2004.

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        draft::{Draft, Piece, Tuning, cut},
    },
    Algorithm, Entry, halved_scan, of, round,
};
use crate::{
    pattern::{
        Blocks, Builder, Origin, Transfer,
        butterfly::{Level, butterfly},
    },
    rank::Rank,
    time::Span,
};

impl Algorithm {
    /// Recursive halving among neighbours, which keeps the rank order.
    pub const HALVING: Algorithm = of(&HALVING);
}

static HALVING: Entry = Entry::new("halving", |planning| {
    let task = planning.problem;
    let candidates = match task.operation() {
        Operation::Scan => halved_scan::candidates(task),
        _ => candidates(task),
    };
    Ok(variants_of_cheapest(task, candidates))
})
.aliases(&["recursive-halving", "rabenseifner"])
.about("recursive halving among neighbours, in rank order")
.source("Thakur et al. 2005; Rabenseifner, Traeff 2004; a scan: this project")
.cost("on powers of two, reduce, all-reduce: `2 log2 p alpha + (p - 1)/p n (2 beta + gamma)`; reduce-scatter: `(log2 p + 1) alpha + n beta + (p - 1)/p n gamma`; scan: about `2 log2 p alpha + 2 n beta + 3 n gamma`, less for short vectors")
.kinds(Operation::combines);

fn candidates(task: &Task) -> Vec<Candidate> {
    let (levels, _) = butterfly(&task.layout().ranks, usize::MAX);
    let halves = |nth: usize| task.bytes() >> (nth + 1);
    let combining = levels.iter().enumerate().map(|(nth, level)| {
        // With an odd number of groups, a rank of the last pair also receives a half from the group that skips the level.
        round(task, halves(nth)).times(if level.aside.is_some() { 2 } else { 1 })
    });
    let parameters = task.parameters();
    let moved = |bytes: u64| parameters.start_up(bytes) + parameters.transfer(bytes);
    let after: Span = match task.operation() {
        Operation::ReduceScatter => moved(task.bytes() / task.size() as u64),
        _ => (0..levels.len()).map(|nth| moved(halves(nth))).sum(),
    };
    vec![Candidate {
        name: "halving".into(),
        estimate: combining.sum::<Span>() + after,
        messages: 2 * levels.len(),
        tunings: vec![Tuning::PLAIN, Tuning::OVERLAPPED],
        lower_bound: None,
        make: Box::new(draft),
    }]
}

/// The parts of the vector in the dual operation, in which holders spread the parts to all ranks.
struct Parts {
    pieces: Vec<Piece>,
    /// The rank at which each piece starts.
    origins: Vec<Rank>,
    /// The numbers of the pieces of each part.
    of: Vec<Vec<u32>>,
}

/// Cuts the vector into one part for each holder. For a reduce-scatter, parts are also cut between the blocks of ranks.
fn parts(task: &Task, holders: &[Rank]) -> Parts {
    let mut parts = Parts { pieces: Vec::new(), origins: Vec::new(), of: vec![Vec::new(); holders.len()] };
    for (nth, part) in cut(0, task.bytes(), task.element_bytes(), holders.len()) {
        let (mut start, end) = (part.start, part.start + part.bytes);
        while start < end {
            let (origin, stop) = match task.operation() {
                Operation::Reduce => (task.root(), end),
                Operation::ReduceScatter => {
                    let owner = task.owner(start);
                    (owner, end.min(task.block(owner).end))
                }
                _ => (holders[nth], end),
            };
            parts.of[nth].push(parts.pieces.len() as u32);
            parts.pieces.push(Piece::of(start..stop, Origin::At(origin)));
            parts.origins.push(origin);
            start = stop;
        }
    }
    parts
}

/// The dual of a schedule that spreads every part from its holder to all ranks.
fn draft(task: &Task, tuning: Tuning) -> Draft {
    let (levels, groups) = butterfly(&task.layout().ranks, usize::MAX);
    let holders = groups.concat();
    let Parts { pieces, origins, of } = parts(task, &holders);
    let spread = Draft::moving(task, pieces, &origins, tuning.exchange, |builder| {
        match task.operation() {
            Operation::Reduce => deal(builder, task.root(), &holders, &of),
            _ => hand_over(builder, &origins, &holders, &of),
        }
        levels.iter().rev().for_each(|level| meet(builder, level));
    });
    match task.operation() {
        Operation::AllReduce => spread.combining_and_back(),
        _ => spread.combining(),
    }
}

/// The ranks of each pair exchange all data that they have, and send it to the rank that skips the level.
fn meet(builder: &mut Builder, level: &Level) {
    let held = |rank: Rank| -> Blocks { builder.held(rank).into() };
    let transfer = |from: Rank, to: Rank| Transfer { from, to, blocks: held(from) };
    let last = level.pairs.last().into_iter().zip(&level.aside);
    // The dual combines in rank order if these transfers come first.
    let aside = last.flat_map(|([one, other], aside)| {
        let three = one.iter().zip(other).zip(aside);
        three.flat_map(|((&one, &other), &aside)| [(one, aside), (other, aside)])
    });
    let pairs = level.pairings().flat_map(|(_, [one, other])| [(one, other), (other, one)]);
    let transfers = aside.chain(pairs).map(|(from, to)| transfer(from, to));
    let transfers: Vec<Transfer> = transfers.filter(|transfer| !transfer.blocks.is_empty()).collect();
    builder.iteration(transfers);
}

/// The root distributes all parts by recursive halving: a rank with several parts sends away the half without its own part.
fn deal(builder: &mut Builder, root: Rank, holders: &[Rank], of: &[Vec<u32>]) {
    let mut spans = vec![(root, 0..holders.len())];
    while spans.iter().any(|(owner, span)| span.len() > 1 || *owner != holders[span.start]) {
        let mut transfers = Vec::new();
        let mut next = Vec::new();
        for (owner, span) in spans {
            let own = span.clone().find(|&part| holders[part] == owner);
            let middle = span.start + span.len().div_ceil(2);
            let (kept, given) = match own {
                Some(part) if part >= middle => (middle..span.end, span.start..middle),
                // A rank that holds none of the parts itself sends the last part of its span away.
                None if span.len() == 1 => (span.end..span.end, span),
                _ => (span.start..middle, middle..span.end),
            };
            let blocks: Blocks = given.clone().flat_map(|part| of[part].iter().copied()).collect();
            if !blocks.is_empty() {
                transfers.push(Transfer { from: owner, to: holders[given.start], blocks });
            }
            next.push((holders[given.clone().next().unwrap_or(kept.start)], given));
            next.push((owner, kept));
        }
        next.retain(|(_, span)| !span.is_empty());
        next.sort_unstable_by_key(|(_, span)| span.start);
        spans = next;
        builder.move_blocks(transfers);
    }
}

/// Each rank sends its pieces to the holders of the parts that contain the pieces.
fn hand_over(builder: &mut Builder, origins: &[Rank], holders: &[Rank], of: &[Vec<u32>]) {
    let mut transfers = Vec::new();
    for (pieces, &to) in of.iter().zip(holders) {
        let of_one = pieces.chunk_by(|&a, &b| origins[a as usize] == origins[b as usize]);
        let transfer =
            |blocks: &[u32]| Transfer { from: origins[blocks[0] as usize], to, blocks: blocks.into() };
        transfers.extend(of_one.map(transfer).filter(|transfer| transfer.from != to));
    }
    if !transfers.is_empty() {
        builder.move_blocks(transfers);
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        collective::{Algorithm, Operation, Task},
        model::{MachineSpec, Parameters},
    };

    /// Tests a contention-free network with alpha = 130 us, beta = 50 ns and gamma = 0.
    #[test]
    fn recursive_halving_moves_the_bytes_of_two_vectors() {
        let topology = crate::topology::parse("complete:8").unwrap();
        let machine = MachineSpec::new("ideal", topology, Parameters::hockney());
        let (elements, start_ups) = (8000, Parameters::hockney().alpha().times(3));
        let bytes = Parameters::hockney().transfer(elements * 8 * 7 / 8);
        let modeled = |operation: Operation, in_order: bool| {
            let task = Task::builder(&machine, operation).elements(elements).element_bytes(8);
            let plan = Algorithm::HALVING.plan(&task.in_order(in_order).build().unwrap()).unwrap();
            plan.prediction().modeled.since_start()
        };
        for in_order in [false, true] {
            assert_eq!(modeled(Operation::AllReduce, in_order), (start_ups + bytes).times(2));
            assert_eq!(modeled(Operation::Reduce, in_order), (start_ups + bytes).times(2));
            // The scan uses two levels; for each quarter the sum of the first four ranks goes to the others.
            let scan = Parameters::hockney().alpha().times(5) + bytes.times(2);
            assert_eq!(modeled(Operation::Scan, in_order), scan);
            // Afterwards four of the eight parts go to the ranks that own them.
            let moved = Parameters::hockney().alpha() + Parameters::hockney().transfer(elements);
            assert_eq!(modeled(Operation::ReduceScatter, in_order), start_ups + bytes + moved);
        }
    }
}
