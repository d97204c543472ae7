//! *Doubling*: in each round every rank combines with a rank at twice the distance, and after `ceil(log2 p)` rounds has the result.
//!
//! **What it does.** All-reduce; [`scan`](super::scan) has the scan. On a power of two, ranks exchange their vectors with the rank
//! whose number differs in one bit, the lowest bit first (recursive doubling). On any other number of ranks, some ranks first send their
//! vectors to a neighbour, and get the result from this neighbour at the end. If results do not depend on how operands are grouped, a
//! variant (*windows*) avoids these extra messages: rank `i` keeps the sum of the vectors of ranks `i + 1` to `i + w`, and receives the sum
//! of `w` or `w + 1` further ranks, where `w` runs through the leading bits of `p - 1`. At the end the rank adds its own vector.
//!
//! **Restrictions.** None. Ranks are combined in rank order, except in the *windows* variant, which needs an exact and commutative operator
//! because each rank adds in a different order.
//!
//! **Cost.** `ceil(log2 p) (alpha + n beta + n gamma)`; on numbers that are no power of two up to twice the `gamma`, or one round more with
//! an operator that is not exact. No algorithm needs fewer rounds with one message per rank and round; the algorithm suits short vectors.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", IJHPCA
//! 19(1), 2005; for any `p`: J. Bruck, C.-T. Ho, "Efficient global combine operations in multi-port message-passing
//! systems", Parallel Processing Letters 3(4), 1993.

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        draft::{Draft, Piece, Role, Tuning},
    },
    Algorithm, Entry, of, round, scan,
};
use crate::pattern::{Combiner, Fold, Origin};

impl Algorithm {
    /// Recursive doubling, and its counterpart for any number of ranks.
    pub const DOUBLING: Algorithm = of(&DOUBLING);
}

static DOUBLING: Entry = Entry::new("doubling", |planning| {
    let task = planning.problem;
    let candidates = match task.operation() {
        Operation::Scan => scan::doublings(task),
        _ => candidates(task),
    };
    Ok(variants_of_cheapest(task, candidates))
})
.aliases(&["recursive-doubling"])
.about("recursive doubling, for any number of ranks")
.source("Thakur et al. 2005; Bruck, Ho 1993; a scan: Hillis, Steele 1986")
.cost("all-reduce: `ceil(log2 p) (alpha + n beta + n gamma)`, or up to twice the `gamma` or one round more unless `p` is a power of two; scan: the same on any number of ranks, up to about a quarter more for long vectors")
.kinds(|operation| matches!(operation, Operation::AllReduce | Operation::Scan));

fn candidates(task: &Task) -> Vec<Candidate> {
    let rounds = u64::from(task.size().ilog2())
        + if task.size().is_power_of_two() {
            0
        } else if in_windows(task) {
            1
        } else {
            2
        };
    vec![Candidate {
        name: "doubling".into(),
        estimate: round(task, task.bytes()).times(rounds),
        messages: rounds as usize,
        tunings: vec![Tuning::PLAIN],
        lower_bound: None,
        make: Box::new(draft),
    }]
}

/// Whether each rank may add in a different order (the *windows* variant).
fn in_windows(task: &Task) -> bool {
    task.is_exact() && !task.is_in_order() && !task.size().is_power_of_two()
}

fn draft(task: &Task, tuning: Tuning) -> Draft {
    if task.bytes() == 0 {
        return Draft::moving(task, Vec::new(), &[], tuning.exchange, |_| ());
    }
    if in_windows(task) { windows(task, tuning) } else { folded(task, tuning) }
}

/// Blocks: the rank's own vector, the sum of the vectors of the ranks that follow it around the ring, and the sum of both.
const OWN: u32 = 0;
const BEHIND: u32 = 1;
const BOTH: u32 = 2;

/// Recursive doubling on a power of two of the ranks, into which the other ranks are folded first.
fn folded(task: &Task, tuning: Tuning) -> Draft {
    let ranks = task.layout().ranks;
    let rounds = ranks.len().ilog2();
    let extra = ranks.len() - (1 << rounds);
    // In each of the first `extra` pairs the second rank is folded into the first.
    let (aside, inside): (Vec<usize>, Vec<usize>) =
        (0..ranks.len()).partition(|&place| place < 2 * extra && place % 2 == 1);
    let mut combiner = Combiner::new(ranks.len(), &[Origin::Everywhere], &[task.bytes()], tuning.exchange);
    let fold = |from: usize, to: usize| Fold::of(ranks[from], ranks[to], OWN, OWN);
    combiner.iteration(aside.iter().map(|&place| fold(place, place - 1)));
    for bit in 0..rounds {
        combiner.iteration((0..inside.len()).map(|place| fold(inside[place], inside[place ^ 1 << bit])));
    }
    combiner.replacing(aside.iter().map(|&place| fold(place - 1, place)));
    let schedule = combiner.finish().with_elements_of(task.element_bytes());
    Draft { pieces: vec![Piece::of(0..task.bytes(), Origin::Everywhere)], schedule }
}

/// The *windows* variant for any number of ranks: each rank adds the vectors in ring order, beginning with its own.
fn windows(task: &Task, tuning: Tuning) -> Draft {
    let size = task.size();
    let ranks = task.layout().ranks;
    let piece = |role, origin| Piece { start: 0, bytes: task.bytes(), role, origin };
    let pieces = vec![
        piece(Role::Operand, Origin::Everywhere),
        piece(Role::Scratch, Origin::Nowhere),
        piece(Role::Result, Origin::Nowhere),
    ];
    let origins: Vec<Origin> = pieces.iter().map(|piece| piece.origin).collect();
    let mut combiner = Combiner::new(size, &origins, &[task.bytes(); 3], tuning.exchange);
    let mut width = 0;
    for bit in (0..=(size - 1).ilog2()).rev() {
        let is_odd = (size - 1) >> bit & 1;
        let sent = match (is_odd, width) {
            (0, _) => BEHIND,
            (_, 0) => OWN,
            _ => {
                combiner.merge(OWN, BEHIND, BOTH);
                BOTH
            }
        };
        let distance = width + is_odd;
        let fold = |place: usize| {
            let to = (place + size - distance) % size;
            Fold::of(ranks[place], ranks[to], sent, BEHIND)
        };
        combiner.iteration((0..size).map(fold));
        width = 2 * width + is_odd;
    }
    combiner.merge(OWN, BEHIND, BOTH);
    let schedule = combiner.finish().with_elements_of(task.element_bytes());
    Draft { pieces, schedule }
}
