//! Pipelines by the clock on a machine: the trees that suit a rectangle of members, the time of a step, and how many chunks are best.
//!
//! The trees and the rounds of their chunks are in [`pattern::pipeline`](crate::pattern::pipeline). All members go by the clock
//! ([`Schedule::clocked`](crate::pattern::Schedule::clocked)): a step is as long as the bytes of a chunk take, those of other
//! messages on the same links counted, and a bit more for the way through the network; or as long as a processor is busy.

use std::collections::BTreeMap;

use crate::{
    model::{Description, Parameters},
    pattern::{
        Action, Schedule, Transfer, line,
        pipeline::{self, Hop},
    },
    rank::Rank,
    time::Span,
    topology::{Grid, LinkId},
};

/// The most chunks of a message: more cost time to plan.
pub(crate) const MOST: usize = 512;

/// A set of trees with the messages of each round, on a rectangle.
#[derive(Clone, Copy)]
pub(crate) struct Trees {
    pub(crate) name: &'static str,
    /// The number of rounds, and of chunks, after which everything happens again.
    pub(crate) period: fn(Grid, Rank) -> usize,
    /// The rounds of a number of chunks from a root.
    pub(crate) rounds: fn(Grid, Rank, usize) -> Vec<Vec<Hop>>,
}

const IN_ROWS: Trees = Trees {
    name: "spines in rows",
    period: |grid, root| pipeline::spines_in_rows(grid, root).len(),
    rounds: |grid, root, chunks| pipeline::rounds(&pipeline::spines_in_rows(grid, root), chunks),
};
const IN_COLUMNS: Trees = Trees {
    name: "spines in columns",
    period: |grid, root| pipeline::spines_in_columns(grid, root).len(),
    rounds: |grid, root, chunks| pipeline::rounds(&pipeline::spines_in_columns(grid, root), chunks),
};
const TWO_TREES: Trees = Trees {
    name: "two trees",
    period: |_, _| 2,
    rounds: |grid, root, chunks| pipeline::rounds(&pipeline::two_trees(&line::bisection(grid), root), chunks),
};
const CHAIN: Trees = Trees {
    name: "chain",
    period: |_, _| 1,
    rounds: |grid, root, chunks| pipeline::rounds(&pipeline::chain(grid, root), chunks),
};

/// The sets of trees for a rectangle, or for a line.
pub(crate) fn sets_of_trees(grid: Grid) -> &'static [Trees] {
    let is_line = grid.rows == 1 || grid.columns == 1;
    if is_line { &[CHAIN] } else { &[IN_ROWS, IN_COLUMNS, CHAIN, TWO_TREES] }
}

impl Trees {
    /// The links that messages share in the network, and the number of rounds until the first chunk is everywhere. `node` tells the node
    /// at each place of the rectangle.
    pub(crate) fn on(
        &self,
        machine: &Description,
        grid: Grid,
        root: Rank,
        node: impl Fn(Rank) -> Rank,
    ) -> (Sharing, usize) {
        let period = (self.period)(grid, root);
        // As many chunks as there are in a period, two at least.
        let few = period.max(2);
        let first = (self.rounds)(grid, root, few);
        (Sharing::of(machine, node, period, &first), first.len() + 1 - few)
    }
}

/// How many messages of a pipeline share the links of the network, and how far they go.
#[derive(Clone, Copy)]
pub(crate) struct Sharing {
    /// The most that share a link in a step.
    messages: usize,
    /// The most links that one crosses.
    links: usize,
}

impl Sharing {
    /// For the rounds of the first chunks, those of a period. Once all steps are alike, every `period`-th of these rounds
    /// happens at the same time.
    fn of(machine: &Description, node: impl Fn(Rank) -> Rank, period: usize, first: &[Vec<Hop>]) -> Sharing {
        let mut loads: BTreeMap<(usize, LinkId), usize> = BTreeMap::new();
        let mut sharing = Sharing { messages: 1, links: 0 };
        let mut route = Vec::new();
        for (round, hops) in first.iter().enumerate() {
            for hop in hops {
                route.clear();
                machine.topology().route(node(hop.from), node(hop.to), &mut route);
                sharing.links = sharing.links.max(route.len());
                for &link in &route {
                    let load = loads.entry((round % period, link)).or_default();
                    *load += 1;
                    sharing.messages = sharing.messages.max(*load);
                }
            }
        }
        sharing
    }

    /// The sharing of both, the larger figures of the two.
    pub(crate) fn with(self, other: Sharing) -> Sharing {
        Sharing { messages: self.messages.max(other.messages), links: self.links.max(other.links) }
    }

    /// The time of a step in which every rank sends and receives so many bytes: as long as the bytes, and a bit more for the way
    /// through the network, or as long as the processor needs, which combines for a time.
    pub(crate) fn step(self, parameters: &Parameters, bytes: u64, combining: Span) -> Span {
        let sharing =
            (self.messages as f64 / parameters.link_excess()).max(2.0 / parameters.duplex()).max(1.0);
        let both_ways = parameters.transfer((bytes as f64 * sharing).ceil() as u64);
        let way = parameters.latency() + parameters.hop().times(self.links as u64);
        // A message that is there early does not overlap the send of the next step.
        let early = if parameters.exchange_overhead().is_zero() { Span::ZERO } else { Span::from_nanos(1) };
        let (send, receive) = parameters.overheads(bytes);
        (both_ways + way + early).max(send + receive + combining)
    }
}

/// The number of chunks that takes the least time, among numbers up to `most` that are an eighth apart, of so many elements; and
/// that time.
pub(crate) fn best_number(elements: u64, most: usize, time: impl Fn(usize) -> Span) -> (usize, Span) {
    let most = elements.min(most as u64) as usize;
    let numbers = std::iter::successors(Some(2), |&number| Some(number + (number / 8).max(1)));
    let timed = numbers.take_while(|&chunks| chunks <= most).map(|chunks| (time(chunks), chunks));
    timed.min().map_or((2, time(2)), |(time, chunks)| (chunks, time))
}

/// The time of so many chunks, if the first ones need so many rounds to be everywhere. In one more round the last chunk is taken in.
pub(crate) fn estimate(step: Span, chunks: usize, rounds: usize) -> Span {
    step.times((chunks + rounds) as u64)
}

/// A time that so many chunks take at least, if each step takes at least so long: the last chunk is sent in the last of as many
/// steps. Where overheads depend on the length of a message nodes may be ahead of the clock.
pub(crate) fn least(parameters: &Parameters, step: Span, chunks: usize) -> Span {
    if parameters.regimes().is_empty() { step.times(chunks as u64 - 1) } else { Span::ZERO }
}

/// The messages of a round between the ranks at these places.
pub(crate) fn transfers(hops: Vec<Hop>, rank: impl Fn(Rank) -> Rank) -> impl Iterator<Item = Transfer> {
    hops.into_iter().map(move |hop| Transfer {
        from: rank(hop.from),
        to: rank(hop.to),
        blocks: [hop.chunk].into(),
    })
}

/// A schedule of chunks with all members going by the clock, in steps as long as given. The longest chunk has so many bytes;
/// `combining` is the time to combine with so many.
pub(crate) fn by_the_clock(
    schedule: Schedule,
    parameters: &Parameters,
    step: Span,
    longest: u64,
    combining: impl Fn(u64) -> Span,
) -> Schedule {
    let (send, receive) = parameters.overheads(longest);
    let busy = |action: &Action| match action {
        Action::Start(_) => send,
        Action::Recv(_) => receive,
        Action::Pack(bytes) => parameters.copying(*bytes),
        Action::Combine(bytes) => combining(*bytes),
        Action::Pause(span) => *span,
        _ => Span::ZERO,
    };
    schedule.clocked(step, send, Span::ZERO, busy)
}
