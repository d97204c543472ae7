//! *Pipeline*: the vector in chunks, down several spanning trees at the same time.
//!
//! **What it does.** Broadcast, and as its dual reduce; for scans see [`scan`](super::scan). Chunk `i` goes down tree `i mod T`. On
//! a rectangle there are two trees with spines on opposite sides, from which chains run along the rows or the columns: every rank sends and
//! receives one chunk in each step, and no two messages share a link. On a line there is one chain.
//!
//! **Restrictions.** A commutative operator.
//!
//! **Cost.** Up to `(N + h) max(o_s + o_r, L + hop + n/N beta)` for `N` chunks, where `h` is the number of steps until the first chunks are
//! everywhere, see [`pattern::pipeline`](crate::pattern::pipeline); `2 beta / d` replaces `beta`, and to combine, `n/N gamma` is added to
//! `o_s + o_r`. Without latency and with the best `N` this is about `n beta + h alpha`. For long
//! vectors no algorithm is faster, and links need not be faster than ports. Combining is hidden if it takes less time than the transfer.
//! The schedule is time-triggered: a step begins on all ranks at the same time, which assumes that they start together. If they do not, the
//! schedule is slower but still correct.
//!
//! **Source.** J. Watts, R. van de Geijn, "A Pipelined Broadcast for Multidimensional Meshes", Parallel Processing
//! Letters 5, 1995; P. Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and
//! scan", Parallel Computing 35, 2009.

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        draft::{Draft, Piece, Tuning, cut},
    },
    Algorithm, Entry,
    blocks::{PIPELINED, can_be_pipelined, too_little},
    of, scan,
};
use crate::{
    pattern::Exchange,
    plan::{
        Layout, Restriction,
        pipeline::{
            self, MAX_CHUNKS, Sharing, Trees, best_chunk_count, lower_bound, sets_of_trees, transfers,
        },
    },
    rank::Rank,
    time::Span,
    topology::Grid,
};

impl Algorithm {
    /// A pipeline down several spanning trees of a mesh at the same time; for a scan, a pipeline along the ranks.
    pub const PIPELINE: Algorithm = of(&PIPELINE);
}

static PIPELINE: Entry = Entry::new("pipeline", |planning| {
    let task = planning.problem;
    let candidates = match task.operation() {
        Operation::Scan => scan::chains(task),
        _ => candidates(task),
    };
    Ok(variants_of_cheapest(task, candidates))
})
.about("pipelined down several spanning trees; a scan along a chain of ranks")
.source("Watts, van de Geijn 1995; Sanders, Speck, Traeff 2009; a scan: Sanders, Traeff 2006")
.cost("broadcast: up to `(N + h) max(o_s + o_r, L + hop + n/N beta)` for `N` chunks, the first of which are everywhere after `h` rounds, without latency at best about `n beta + h alpha`; scan: up to about `(p + N - 2) (alpha + n/N (beta + gamma))`")
.kinds(|operation| matches!(operation, Operation::Broadcast | Operation::Reduce | Operation::Scan))
.only_if(&[Restriction {
    text: PIPELINED,
    is_met: |task, _| task.operation() == Operation::Scan || can_be_pipelined(task),
    found: |task, _| too_little(task),
}]);

fn combining(task: &Task, bytes: u64) -> Span {
    let elements = if task.operation().combines() { bytes / task.element_bytes() } else { 0 };
    task.parameters().combining(elements)
}

/// The time of a step of `bytes` bytes.
fn step(task: &Task, sharing: Sharing, bytes: u64) -> Span {
    sharing.step(task.parameters(), bytes, combining(task, bytes))
}

/// Returns one candidate for each set of trees.
fn candidates(task: &Task) -> Vec<Candidate> {
    sets_of_trees(task.layout().grid).iter().map(|&trees| by_the_clock(task, trees)).collect()
}

/// Returns a time-triggered pipeline with the best number of chunks.
pub(super) fn by_the_clock(task: &Task, trees: Trees) -> Candidate {
    let (grid, root) = rooted(task);
    let ranks = task.layout().ranks;
    let (sharing, rounds) = trees.on(task.machine(), grid, root, |place| task.members()[ranks[place]]);
    let (chunks, estimate) = best_chunk_count(task.bytes() / task.element_bytes(), MAX_CHUNKS, |chunks| {
        pipeline::estimate(step(task, sharing, task.bytes().div_ceil(chunks as u64)), chunks, rounds)
    });
    Candidate {
        name: format!("{}, {chunks} chunks", trees.name),
        estimate,
        messages: chunks,
        tunings: vec![Tuning::PLAIN],
        lower_bound: Some(Box::new(move |task, _| {
            let bytes = task.bytes() / chunks as u64;
            lower_bound(task.parameters(), step(task, sharing, bytes), chunks)
        })),
        make: Box::new(move |task, _| draft(task, trees, sharing, chunks)),
    }
}

/// Returns the rectangle of the ranks, and the place of the root on it.
fn rooted(task: &Task) -> (Grid, Rank) {
    let Layout { grid, ranks } = task.layout();
    (grid, ranks.iter().position(|&rank| rank == task.root()).unwrap_or(0))
}

fn draft(task: &Task, trees: Trees, sharing: Sharing, chunks: usize) -> Draft {
    let pieces: Vec<Piece> =
        cut(0, task.bytes(), task.element_bytes(), chunks).map(|(_, piece)| piece).collect();
    let ranks = task.layout().ranks;
    let (grid, root) = rooted(task);
    let rounds = (trees.rounds)(grid, root, pieces.len());
    let origins = vec![task.root(); pieces.len()];
    let longest = pieces.iter().map(|piece| piece.bytes).max().unwrap_or(0);
    let mut draft = Draft::moving(task, pieces, &origins, Exchange::Overlapped, |builder| {
        for hops in rounds {
            builder.iteration(transfers(hops, |place| ranks[place]));
        }
    });
    if task.operation() == Operation::Reduce {
        draft = draft.combining();
    }
    let length = step(task, sharing, longest);
    let combining = |bytes| combining(task, bytes);
    let schedule = pipeline::by_the_clock(draft.schedule, task.parameters(), length, longest, combining);
    Draft { schedule, ..draft }
}
