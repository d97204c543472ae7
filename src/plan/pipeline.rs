//! Time-triggered pipelines: the trees for a rectangle of members, the time of a step, and the best number of chunks.
//!
//! The trees and the rounds of their chunks are in [`pattern::pipeline`](crate::pattern::pipeline). All members follow a time-triggered
//! schedule ([`Schedule::time_triggered`](crate::pattern::Schedule::time_triggered)). The length of a step is the larger of two times: the transfer time
//! of a chunk, shared with other messages on the same links, plus the network latency; and the processor time.

use std::collections::BTreeMap;

use crate::{
    model::{MachineSpec, Parameters},
    pattern::{
        Action, Schedule, Transfer, line,
        pipeline::{self, Hop},
    },
    rank::Rank,
    time::Span,
    topology::{Grid, LinkId},
};

/// Maximum number of chunks of a message: more chunks take longer to plan.
pub(crate) const MAX_CHUNKS: usize = 512;

/// A set of trees with the messages of each round, on a rectangle.
#[derive(Clone, Copy)]
pub(crate) struct Trees {
    pub(crate) name: &'static str,
    /// The number of rounds, and of chunks, after which the pattern repeats.
    pub(crate) period: fn(Grid, Rank) -> usize,
    /// Returns the rounds for a number of chunks from a root.
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

/// Returns the sets of trees for a rectangle, or for a line.
pub(crate) fn sets_of_trees(grid: Grid) -> &'static [Trees] {
    let is_line = grid.rows == 1 || grid.columns == 1;
    if is_line { &[CHAIN] } else { &[IN_ROWS, IN_COLUMNS, CHAIN, TWO_TREES] }
}

impl Trees {
    /// Returns the sharing of links, and the number of rounds until all members have the first chunk. `node` maps a
    /// position in the rectangle to a node.
    pub(crate) fn on(
        &self,
        machine: &MachineSpec,
        grid: Grid,
        root: Rank,
        node: impl Fn(Rank) -> Rank,
    ) -> (Sharing, usize) {
        let period = (self.period)(grid, root);
        // The number of chunks in a period, at least two.
        let chunks = period.max(2);
        let first = (self.rounds)(grid, root, chunks);
        (Sharing::of(machine, node, period, &first), first.len() + 1 - chunks)
    }
}

/// The link sharing and the path lengths of a pipeline's messages.
#[derive(Clone, Copy)]
pub(crate) struct Sharing {
    /// Maximum number of messages that share a link in a step.
    messages: usize,
    /// Maximum number of links on the route of a message.
    links: usize,
}

impl Sharing {
    /// Computes the sharing from the rounds of the first period's chunks. In the steady state, rounds that are `period`
    /// apart happen at the same time.
    fn of(machine: &MachineSpec, node: impl Fn(Rank) -> Rank, period: usize, first: &[Vec<Hop>]) -> Sharing {
        let mut loads: BTreeMap<(usize, LinkId), usize> = BTreeMap::new();
        let mut sharing = Sharing { messages: 1, links: 0 };
        let mut route = Vec::new();
        for (round, hops) in first.iter().enumerate() {
            for hop in hops.iter().filter(|hop| (hop.chunk as usize) < period) {
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

    /// Returns the element-wise maximum.
    pub(crate) fn with(self, other: Sharing) -> Sharing {
        Sharing { messages: self.messages.max(other.messages), links: self.links.max(other.links) }
    }

    /// Returns the time of a step in which every rank sends and receives this number of bytes: the larger of the
    /// transfer time plus latency, and the processor time, which includes combining.
    pub(crate) fn step(self, parameters: &Parameters, bytes: u64, combining: Span) -> Span {
        let sharing =
            (self.messages as f64 / parameters.link_excess()).max(2.0 / parameters.duplex()).max(1.0);
        let both_ways = parameters.transfer((bytes as f64 * sharing).ceil() as u64);
        let flight = parameters.latency() + parameters.hop().times(self.links as u64);
        // With an exchange overhead, a message must not arrive early enough to overlap the send of the next step.
        let early = if parameters.exchange_overhead().is_zero() { Span::ZERO } else { Span::from_nanos(1) };
        let (send, receive) = parameters.overheads(bytes);
        (both_ways + flight + early).max(send + receive + combining)
    }
}

/// Returns the fastest number of chunks and its time. Tries numbers up to `most`, in increments of an eighth, and at
/// most one chunk per element.
pub(crate) fn best_chunk_count(elements: u64, most: usize, time: impl Fn(usize) -> Span) -> (usize, Span) {
    let most = elements.min(most as u64) as usize;
    let numbers = std::iter::successors(Some(2), |&number| Some(number + (number / 8).max(1)));
    let timed = numbers.take_while(|&chunks| chunks <= most).map(|chunks| (time(chunks), chunks));
    timed.min().map_or((2, time(2)), |(time, chunks)| (chunks, time))
}

/// Estimates the time of a number of chunks if the first chunks need `rounds` rounds to reach all members. The receive
/// of the last chunk takes one more step.
pub(crate) fn estimate(step: Span, chunks: usize, rounds: usize) -> Span {
    step.times((chunks + rounds) as u64)
}

/// Returns a lower bound on the time of a number of chunks with steps of at least `step`: one chunk is sent per step. 0
/// if overheads depend on the message length, because nodes may then run ahead of the step times.
pub(crate) fn lower_bound(parameters: &Parameters, step: Span, chunks: usize) -> Span {
    if parameters.regimes().is_empty() { step.times(chunks as u64 - 1) } else { Span::ZERO }
}

/// Converts the messages of a round from positions to ranks.
pub(crate) fn transfers(hops: Vec<Hop>, rank: impl Fn(Rank) -> Rank) -> impl Iterator<Item = Transfer> {
    hops.into_iter().map(move |hop| Transfer {
        from: rank(hop.from),
        to: rank(hop.to),
        blocks: [hop.chunk].into(),
    })
}

/// Converts a schedule of chunks to a time-triggered one with the given step. `longest` is the length of the longest
/// chunk in bytes; `combining` returns the time to combine a number of bytes.
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
    schedule.time_triggered(step, send, Span::ZERO, busy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::{Algorithm, Operation, Task};

    /// A step of a chain takes the transfer of one chunk where links are as fast as ports: the chunks of two periods cross a link in
    /// different steps. A long vector therefore takes hardly longer than `n beta`.
    #[test]
    fn the_messages_of_a_chain_share_no_link() {
        let machine: MachineSpec = "line:8".parse().unwrap();
        let (sharing, rounds) = CHAIN.on(&machine, Grid { rows: 1, columns: 8 }, 0, |place| place);
        assert_eq!((sharing.messages, rounds), (1, 13));
        let bytes = 7_200_000;
        let task = Task::builder(&machine, Operation::Broadcast).elements(bytes).build().unwrap();
        let time = Algorithm::PIPELINE.plan(&task).unwrap().prediction().modeled.since_start();
        let transfer = machine.parameters().transfer(bytes);
        assert!(time.times(100) < transfer.times(105), "{time} against {transfer}");
    }
}
