//! *Blocks*: a pipelined broadcast on a circulant graph.
//!
//! **What it does.** The vector is cut into `N` blocks. In each round a rank sends the newest block that the receiver lacks to the rank `d`
//! further on around a ring of all ranks; `d` runs repeatedly through `ceil(p/2)`, `ceil(p/4)`, .., 1. The dual is a reduce.
//!
//! **Restrictions.** A commutative operator.
//!
//! **Cost.** Without contention `(ceil(log2 p) + N - 1) (alpha + n/N beta)`, or up to two rounds more; with the best `N` `(sqrt((L - 1)
//! alpha) + sqrt(n beta))^2` with `L = ceil(log2 p)`. With non-blocking sends, a round takes `max(alpha, n/N beta)` after the first rounds.
//! Messages cover long distances, so links should be a few times faster than ports.
//!
//! **Source.** J. L. Träff, "Fast(er) construction of round-optimal n-block broadcast schedules", arXiv 2205.10072;
//! A. Bar-Noy, S. Kipnis, "Broadcasting multiple messages in simultaneous send/receive systems", Discrete Applied
//! Mathematics 55, 1994.

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        cost::conflict,
        draft::{Draft, Piece, Tuning, cut},
    },
    Algorithm, Entry, of, round,
};
use crate::{
    pattern::{circulant, line},
    plan::Restriction,
    rank::Rank,
    text::count,
};

impl Algorithm {
    /// A pipelined broadcast in blocks on one circulant graph (Bar-Noy, Kipnis, Träff).
    pub const BLOCKS: Algorithm = of(&BLOCKS);
}

static BLOCKS: Entry =
    Entry::new("blocks", |planning| Ok(variants_of_cheapest(planning.problem, candidates(planning.problem))))
        .about("pipelined on a circulant graph (Bar-Noy, Kipnis, Traeff)")
        .source("Traeff, arXiv 2205.10072; Bar-Noy, Kipnis 1994")
        .cost("broadcast: about `(ceil(log2 p) + N - 1) (alpha + n/N beta)` for the best number of blocks `N`, or up to two rounds more; reduce: plus `n/N gamma` in each round")
        .kinds(|operation| matches!(operation, Operation::Broadcast | Operation::Reduce))
        .only_if(&[Restriction {
            text: PIPELINED,
            is_met: |task, _| can_be_pipelined(task),
            found: |task, _| too_little(task),
        }]);

/// Maximum number of blocks: more blocks save little where there are enough bytes for them, and cost planning time.
const MAX_BLOCKS: usize = 256;

/// The restriction of pipelined algorithms, here and in other modules: with fewer ranks or elements no transfers overlap.
pub(super) const PIPELINED: &str = "at least 3 ranks, at least 2 elements, and a commutative operator";

/// Whether a task meets the restriction of pipelines.
pub(super) fn can_be_pipelined(task: &Task) -> bool {
    !task.is_in_order() && task.size() >= 3 && task.bytes() >= 2 * task.element_bytes()
}

/// The reason why a task does not meet the restriction of pipelines: its numbers of ranks and elements, or its operator.
pub(super) fn too_little(task: &Task) -> String {
    if task.is_in_order() {
        return "an operator that is not commutative".into();
    }
    let elements = task.bytes() / task.element_bytes();
    format!("{} and {}", count(task.size() as u64, "rank"), count(elements, "element"))
}

fn candidates(task: &Task) -> Vec<Candidate> {
    let conflict = mean_conflict(task);
    let log = task.size().next_power_of_two().ilog2() as usize;
    let candidate = |(blocks, is_compact): (usize, bool)| {
        let bytes = (task.bytes() as f64 / blocks as f64 * conflict) as u64;
        Candidate {
            name: format!("{blocks} blocks{}", if is_compact { ",compact" } else { "" }),
            estimate: round(task, bytes).times((log + blocks - 1) as u64),
            messages: blocks,
            tunings: vec![Tuning::PLAIN, Tuning::OVERLAPPED],
            lower_bound: None,
            make: Box::new(move |task, tuning| draft(task, blocks, is_compact, tuning)),
        }
    };
    let most = (task.bytes() / task.element_bytes()).min(MAX_BLOCKS as u64) as usize;
    let numbers = (1..).map(|exponent| 1 << exponent).take_while(|&blocks| blocks <= most);
    numbers.flat_map(|blocks| [(blocks, false), (blocks, true)]).map(candidate).collect()
}

/// Mean contention factor of messages over all distances. Messages along a row contend in the row, messages across rows in the columns.
fn mean_conflict(task: &Task) -> f64 {
    let grid = task.layout().grid;
    let distances = circulant::distances(task.size());
    let sharing = |&distance: &usize| (distance % grid.columns).max(distance / grid.columns);
    let sum: f64 = distances.iter().map(|distance| conflict(task.parameters(), sharing(distance))).sum();
    sum / distances.len() as f64
}

fn draft(task: &Task, blocks: usize, is_compact: bool, tuning: Tuning) -> Draft {
    let pieces: Vec<Piece> =
        cut(0, task.bytes(), task.element_bytes(), blocks).map(|(_, piece)| piece).collect();
    let layout = task.layout();
    let ring: Vec<Rank> = if is_compact {
        line::bisection(layout.grid).into_iter().map(|place| layout.ranks[place]).collect()
    } else {
        layout.ranks
    };
    let count = pieces.len();
    let broadcast = Draft::moving(task, pieces, &vec![task.root(); count], tuning.exchange, |builder| {
        if count > 0 {
            circulant::broadcast(builder, &ring, &[task.root()], &[count]);
        }
    });
    if task.operation() == Operation::Reduce { broadcast.combining() } else { broadcast }
}
