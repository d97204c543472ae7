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

use std::collections::BTreeMap;

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, offered},
        cost::both_ways,
        draft::{Draft, Piece, Tuning, cut},
    },
    Algorithm, Entry,
    blocks::{PIPELINED, can_be_pipelined, too_little},
    of, scan,
};
use crate::{
    pattern::{
        Action, Exchange, Transfer, line,
        pipeline::{self, Hop},
    },
    plan::{Layout, Restriction},
    rank::Rank,
    time::Span,
    topology::{Grid, LinkId},
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

/// The most chunks: more cost time to plan.
const MOST: usize = 512;

/// The messages of each round, on a rectangle.
#[derive(Clone, Copy)]
pub(super) struct Timetable {
    pub(super) name: &'static str,
    /// The number of rounds, and of chunks, after which everything happens again.
    pub(super) period: fn(Grid, Rank) -> usize,
    /// The rounds of a number of chunks from a root.
    pub(super) rounds: fn(Grid, Rank, usize) -> Vec<Vec<Hop>>,
}

const IN_ROWS: Timetable = Timetable {
    name: "spines in rows",
    period: |grid, root| pipeline::spines_in_rows(grid, root).len(),
    rounds: |grid, root, chunks| pipeline::rounds(&pipeline::spines_in_rows(grid, root), chunks),
};
const IN_COLUMNS: Timetable = Timetable {
    name: "spines in columns",
    period: |grid, root| pipeline::spines_in_columns(grid, root).len(),
    rounds: |grid, root, chunks| pipeline::rounds(&pipeline::spines_in_columns(grid, root), chunks),
};
const TWO_TREES: Timetable = Timetable {
    name: "two trees",
    period: |_, _| 2,
    rounds: |grid, root, chunks| pipeline::rounds(&pipeline::two_trees(&line::bisection(grid), root), chunks),
};
const CHAIN: Timetable = Timetable {
    name: "chain",
    period: |_, _| 1,
    rounds: |grid, root, chunks| pipeline::rounds(&pipeline::chain(grid, root), chunks),
};

/// The time of a step in which every rank sends and receives so many bytes and so many messages share a link: as
/// long as the bytes, and a bit more for the way through the network, or as long as the processor needs, combining
/// included.
fn length(task: &Task, network: Network, bytes: u64) -> Span {
    let parameters = task.parameters();
    let both_ways =
        parameters.transfer((bytes as f64 * both_ways(parameters, network.sharing)).ceil() as u64);
    let way = parameters.latency() + parameters.hop().times(network.links as u64);
    // A message that is there early does not overlap the send of the next step.
    let early = if parameters.exchange_overhead().is_zero() { Span::ZERO } else { Span::from_nanos(1) };
    let (send, receive) = parameters.overheads(bytes);
    let busy = send + receive + combining(task, bytes);
    (both_ways + way + early).max(busy)
}

fn combining(task: &Task, bytes: u64) -> Span {
    let elements = if task.operation().combines() { bytes / task.element_bytes() } else { 0 };
    task.parameters().combining(elements)
}

/// Each set of trees.
fn candidates(task: &Task) -> Vec<Candidate> {
    let grid = task.layout().grid;
    let is_line = grid.rows == 1 || grid.columns == 1;
    let trees = if is_line { &[CHAIN][..] } else { &[IN_ROWS, IN_COLUMNS, CHAIN, TWO_TREES] };
    trees.iter().map(|&trees| by_the_clock(task, trees)).collect()
}

/// Chunks by the clock, as many of them as are best.
pub(super) fn by_the_clock(task: &Task, timetable: Timetable) -> Candidate {
    let (grid, root) = rooted(task);
    let period = (timetable.period)(grid, root);
    // As many chunks as there are in a period, two at least.
    let few = period.max(2);
    let first = (timetable.rounds)(grid, root, few);
    let network = Network::of(task, period, &first);
    let (chunks, estimate) = best_number(task, network, first.len() + 2 - few);
    Candidate {
        name: format!("{}, {chunks} chunks", timetable.name),
        estimate,
        messages: chunks,
        tunings: vec![Tuning::PLAIN],
        least: None,
        make: Box::new(move |task, _| draft(task, timetable, network, chunks)),
    }
}

/// The number of chunks for which `(N + depth - 1)` steps take the least time, among numbers an eighth apart.
fn best_number(task: &Task, network: Network, depth: usize) -> (usize, Span) {
    let most = (task.bytes() / task.element_bytes()).min(MOST as u64) as usize;
    let numbers = std::iter::successors(Some(2), |&number| Some(number + (number / 8).max(1)));
    let time = |chunks: usize| {
        length(task, network, task.bytes().div_ceil(chunks as u64)).times((chunks + depth - 1) as u64)
    };
    let timed = numbers.take_while(|&chunks| chunks <= most).map(|chunks| (time(chunks), chunks));
    timed.min().map_or((2, time(2)), |(time, chunks)| (chunks, time))
}

/// Sharing and distance of the messages of a pipeline in the network.
#[derive(Clone, Copy)]
struct Network {
    /// The most that share a link in a step.
    sharing: usize,
    /// The most links that one crosses.
    links: usize,
}

impl Network {
    /// For the rounds of the first chunks, those of a period. Once all steps are alike, every `period`-th of these rounds
    /// happens at the same time.
    fn of(task: &Task, period: usize, first: &[Vec<Hop>]) -> Network {
        let (topology, members, ranks) = (task.machine().topology(), task.members(), task.layout().ranks);
        let mut loads: BTreeMap<(usize, LinkId), usize> = BTreeMap::new();
        let mut network = Network { sharing: 1, links: 0 };
        let mut route = Vec::new();
        for (round, hops) in first.iter().enumerate() {
            for hop in hops {
                route.clear();
                topology.route(members[ranks[hop.from]], members[ranks[hop.to]], &mut route);
                network.links = network.links.max(route.len());
                for &link in &route {
                    let load = loads.entry((round % period, link)).or_default();
                    *load += 1;
                    network.sharing = network.sharing.max(*load);
                }
            }
        }
        network
    }
}

/// The rectangle, and the place of the root on it.
fn rooted(task: &Task) -> (Grid, Rank) {
    let Layout { grid, ranks } = task.layout();
    (grid, ranks.iter().position(|&rank| rank == task.root()).unwrap_or(0))
}

fn draft(task: &Task, timetable: Timetable, network: Network, chunks: usize) -> Draft {
    let pieces: Vec<Piece> =
        cut(0, task.bytes(), task.element_bytes(), chunks).map(|(_, piece)| piece).collect();
    let ranks = task.layout().ranks;
    let (grid, root) = rooted(task);
    let rounds = (timetable.rounds)(grid, root, pieces.len());
    let origins = vec![task.root(); pieces.len()];
    let longest = pieces.iter().map(|piece| piece.bytes).max().unwrap_or(0);
    let mut draft = Draft::moving(task, pieces, &origins, Exchange::Overlapped, |builder| {
        for hops in rounds {
            let transfer =
                |hop: Hop| Transfer { from: ranks[hop.from], to: ranks[hop.to], blocks: [hop.chunk].into() };
            builder.iteration(hops.into_iter().map(transfer));
        }
    });
    if task.operation() == Operation::CombineToOne {
        draft = draft.combining();
    }
    let parameters = task.parameters();
    let (send, receive) = parameters.overheads(longest);
    let busy = |action: &Action| match action {
        Action::Start(_) => send,
        Action::Recv(_) => receive,
        Action::Pack(bytes) => parameters.copying(*bytes),
        Action::Combine(bytes) => combining(task, *bytes),
        Action::Pause(span) => *span,
        _ => Span::ZERO,
    };
    let schedule = draft.schedule.clocked(length(task, network, longest), send, Span::ZERO, busy);
    Draft { schedule, ..draft }
}
