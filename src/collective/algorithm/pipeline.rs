//! *Pipeline*: the vector in chunks, down several spanning trees at the same time.
//!
//! **What it does.** Broadcast, and backwards combine-to-one; a scan is in [`scan`](super::scan). Chunk `i` goes down tree `i mod T`. On a rectangle there
//! are two trees with their spines on opposite sides and chains from there along the rows, or the columns: every rank
//! sends and receives one chunk in each step, and no two messages share a link. On a line there is one chain.
//!
//! **Restrictions.** A commutative operator.
//!
//! **Cost.** `(N + h - 1) max(alpha, n/N beta)` for `N` chunks, with `h` steps until the first ones are everywhere,
//! given in [`pattern::pipeline`](crate::pattern::pipeline); `2 beta / d` for `beta`. At the best `N` that comes to `n
//! beta + h alpha`. For long vectors it is the fastest there is, and needs links no faster than ports. Combining hides
//! behind the bytes where it is shorter. All ranks go by the clock: a step begins on all of them at the same time, so
//! they must have started together. Where they have not, it is slower, not wrong.
//!
//! **Source.** J. Watts, R. van de Geijn, "A Pipelined Broadcast for Multidimensional Meshes", Parallel Processing
//! Letters 5, 1995; P. Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and
//! scan", Parallel Computing 35, 2009.

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, offered},
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
        pipeline::{self, MOST, Sharing, Trees, best_number, least, sets_of_trees, transfers},
    },
    rank::Rank,
    time::Span,
    topology::Grid,
};

impl Algorithm {
    /// Pipelined down several spanning trees of a mesh at the same time; a scan goes from rank to rank.
    pub const PIPELINE: Algorithm = of(&PIPELINE);
}

static PIPELINE: Entry = Entry::new("pipeline", |planning| {
    let task = planning.problem;
    let candidates = match task.operation() {
        Operation::Scan => scan::chains(task),
        _ => candidates(task),
    };
    Ok(offered(task, candidates))
})
.about("pipelined down several spanning trees; a scan from rank to rank")
.source("Watts, van de Geijn 1995; Sanders, Speck, Traeff 2009; a scan: Sanders, Traeff 2006")
.kinds(|operation| matches!(operation, Operation::Broadcast | Operation::CombineToOne | Operation::Scan))
.only_if(&[Restriction {
    text: PIPELINED,
    is_met: |task, _| task.operation() == Operation::Scan || can_be_pipelined(task),
    found: |task, _| too_little(task),
}]);

fn combining(task: &Task, bytes: u64) -> Span {
    let elements = if task.operation().combines() { bytes / task.element_bytes() } else { 0 };
    task.parameters().combining(elements)
}

/// The time of a step with so many bytes.
fn step(task: &Task, sharing: Sharing, bytes: u64) -> Span {
    sharing.step(task.parameters(), bytes, combining(task, bytes))
}

/// Each set of trees.
fn candidates(task: &Task) -> Vec<Candidate> {
    sets_of_trees(task.layout().grid).iter().map(|&trees| by_the_clock(task, trees)).collect()
}

/// Chunks by the clock, as many of them as are best.
pub(super) fn by_the_clock(task: &Task, trees: Trees) -> Candidate {
    let (grid, root) = rooted(task);
    let ranks = task.layout().ranks;
    let (sharing, rounds) = trees.on(task.machine(), grid, root, |place| task.members()[ranks[place]]);
    let (chunks, estimate) = best_number(task.bytes() / task.element_bytes(), MOST, |chunks| {
        pipeline::estimate(step(task, sharing, task.bytes().div_ceil(chunks as u64)), chunks, rounds)
    });
    Candidate {
        name: format!("{}, {chunks} chunks", trees.name),
        estimate,
        messages: chunks,
        tunings: vec![Tuning::PLAIN],
        least: Some(Box::new(move |task, _| {
            let bytes = task.bytes() / chunks as u64;
            least(task.parameters(), step(task, sharing, bytes), chunks)
        })),
        make: Box::new(move |task, _| draft(task, trees, sharing, chunks)),
    }
}

/// The rectangle, and the place of the root on it.
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
    if task.operation() == Operation::CombineToOne {
        draft = draft.combining();
    }
    let length = step(task, sharing, longest);
    let combining = |bytes| combining(task, bytes);
    let schedule = pipeline::by_the_clock(draft.schedule, task.parameters(), length, longest, combining);
    Draft { schedule, ..draft }
}
