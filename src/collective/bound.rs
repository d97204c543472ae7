//! Lower bounds of the modeled time of a collective operation.
//!
//! The bounds hold for any algorithm in the timing model: for any messages in any order, split and joined arbitrarily, with blocking or
//! non-blocking calls. Assumptions: only members of the group send, receive and combine, although they may use the links of all nodes; data
//! cannot be compressed; the operator is only known to be associative, so that partial results are moved and combined as whole elements;
//! and the absence of a message carries no information. Blocks of length 0 are not part of the operation.
//!
//! Each message that counts begins with a send overhead `o_s`, and ends with the network latency and a receive overhead, `L + hop + o_r`.
//! No byte of the message moves during these times, so `alpha + hop` is added to the transfer time.

use std::f64::consts::PI;

use super::{LowerBound, Operation, Task};
use crate::{
    model::Parameters,
    plan::{
        Reason,
        bound::{Crossing, Far, Links, gossip, start_up},
        forest::forest_lower_bound,
    },
    rank::Rank,
    time::Span,
};

impl Task {
    /// The lower bound for this task, empty if no message is needed. The computation takes about 10 us for each node of the machine, and
    /// for long vectors on networks that are not grids up to 20 ms more.
    ///
    /// Only rounding can undercut the bound: a run rounds the end of each message to the nearest picosecond, so a run that meets the bound
    /// exactly may end earlier by up to one picosecond per message.
    ///
    /// ```
    /// use multicomputer::{collective::{Operation, Task}, plan::Reason};
    /// // Two nodes with 500 bytes each, and alpha = 130 us, beta = 50 ns/byte.
    /// let task = Task::builder(&"hockney:1x2".parse()?, Operation::AllGather).elements(1000).build()?;
    /// let bound = task.lower_bound();
    /// assert_eq!(bound.of(Reason::StartUp).to_string(), "130 us");
    /// assert_eq!(bound.of(Reason::Intake).to_string(), "155 us");
    /// assert_eq!(bound.decisive(), Some(Reason::Intake));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lower_bound(&self) -> LowerBound {
        self.bounds_with_trees(self.tree_bound(), true).after_call(self.parameters())
    }

    /// Returns a lower bound that is cheap to compute, for pruning. It omits the bound by trees. For a group smaller than the machine it
    /// also omits the bounds by links, whose cost is proportional to the machine.
    pub(super) fn quick_bound(&self) -> LowerBound {
        self.bounds_with_trees(Span::ZERO, self.size() == self.machine().nodes())
    }

    /// Returns the bound with a given time for trees, with or without the bounds of links.
    fn bounds_with_trees(&self, trees: Span, with_links: bool) -> LowerBound {
        let demand = Demand::of(self);
        if demand.traffic == 0.0 {
            return LowerBound::default();
        }
        let parameters = self.parameters();
        let (ranks, around) = (self.size(), parameters.alpha() + parameters.hop());
        let combine = if self.operation().combines() { parameters.combining(1) } else { Span::ZERO };
        let mean = demand.traffic / ranks as f64;
        let port = |bytes: f64| around + Span::from_secs_f64(bytes * parameters.node_beta());
        let combinations = (u128::from(self.bytes() / self.element_bytes()) * (ranks as u128 - 1))
            .div_ceil(ranks as u128) as u64;
        let links = with_links.then(|| Links::of(self.machine()));
        let far = |is_backwards: bool, busy: Span, alpha: Span| {
            let far = links.as_ref().map(|links| Far { links, parameters });
            far.map_or(Span::ZERO, |far| self.start_up_with_distances(&far, is_backwards, busy, alpha))
        };
        let (send, receive, alpha) =
            (parameters.send_overhead(), parameters.receive_overhead(), parameters.alpha());
        let spread = start_up(demand.reached, send, around).max(far(false, send, alpha));
        let heard = start_up(demand.heard, receive, around).max(far(true, receive, alpha));
        let and_bytes = |start_up: Span, bytes: u64| start_up + parameters.node_transfer(bytes);
        let combined = far(true, receive + combine, alpha + combine);
        let gathered = start_up(demand.heard, receive + combine, around + combine).max(combined);
        let after = |crossing: Span| if crossing.is_zero() { Span::ZERO } else { around + crossing };
        let borders = Borders::of(self);
        let across =
            |of: &dyn Fn(&Links) -> Span| links.as_ref().map_or(Span::ZERO, |links| after(of(links)));
        let combining = match self.operation().combines() {
            true => around + least_combining(parameters, combinations),
            false => Span::ZERO,
        };
        LowerBound::new([
            (Reason::StartUp, spread.max(gathered)),
            (Reason::Gossip, gossip(demand.pairs, parameters, combine)),
            (Reason::Intake, port(mean.max(demand.intake as f64))),
            (Reason::Output, port(mean.max(demand.output as f64))),
            (Reason::StartUpAndBytes, and_bytes(spread, demand.spread).max(and_bytes(heard, demand.given))),
            (Reason::BothWays, port(2.0 * mean / parameters.duplex())),
            (Reason::Combining, combining),
            (Reason::Bisection, across(&|links| links.bisection(|inside| borders.crossing(inside)))),
            (Reason::Submesh, across(&|links| links.submesh(|inside| borders.crossing(inside)))),
            (Reason::Trees, after(trees)),
        ])
    }

    /// Returns a lower bound of the time of this task followed by another one among the same ranks, given a lower bound of each. A rank
    /// starts the second task when it has finished the first. The bound is the maximum of three: whichever rank is the last to finish the
    /// first task still has its block to send in the second; the second task starts no earlier than the first rank finishes the first task;
    /// ports carry the bytes of both.
    pub(super) fn lower_bound_then(&self, next: &Task, lower_bounds: [Span; 2]) -> Span {
        let parameters = self.parameters();
        let (demand, size) = (Demand::of(self), self.size());
        let mean = (demand.traffic + Demand::of(next).traffic) / size as f64;
        let both_ways = mean * (2.0 / parameters.duplex()).max(1.0);
        let bytes = parameters.alpha() + Span::from_secs_f64(both_ways * parameters.node_beta());
        let hear_from_all = self.operation() == Operation::ReduceScatter
            && (0..size).all(|rank| !self.block(rank).is_empty());
        let around = parameters.alpha() + parameters.hop();
        let heard = start_up(demand.heard, parameters.receive_overhead(), around);
        let earliest = if hear_from_all { heard } else { Span::ZERO };
        let of_a_rank = (0..size).map(|rank| next.lower_bound_of_rank(rank)).min().unwrap_or(Span::ZERO);
        (lower_bounds[0] + of_a_rank).max(earliest + lower_bounds[1]).max(bytes)
    }

    /// Returns a lower bound of the time from when a rank begins this task to the task's end: the rank's own block must reach another rank
    /// if the operation needs it there. Messages to the rank do not count: they may have arrived before it begins.
    pub(super) fn lower_bound_of_rank(&self, rank: Rank) -> Span {
        let own = self.block(rank).end - self.block(rank).start;
        let wanted = match self.operation() {
            Operation::Scatter => 0,
            Operation::Gather if rank == self.root() => 0,
            _ => own,
        };
        let parameters = self.parameters();
        if wanted == 0 { Span::ZERO } else { parameters.alpha() + parameters.node_transfer(wanted) }
    }

    /// Lower bound by distance: the time in which data of one rank can reach all ranks that need it, or, backwards, in which one rank can
    /// hear from all. The one rank is any of `origins`, for example the root or the ranks with the longest blocks.
    fn start_up_with_distances(&self, far: &Far<'_>, is_backwards: bool, busy: Span, alpha: Span) -> Span {
        let bytes = |rank: Rank| self.block(rank).end - self.block(rank).start;
        let all: Vec<Rank> = (0..self.size()).collect();
        let filled: Vec<Rank> = all.iter().copied().filter(|&rank| bytes(rank) > 0).collect();
        let longest = all.iter().map(|&rank| bytes(rank)).max().unwrap_or(0);
        let long: Vec<Rank> = all.iter().copied().filter(|&rank| bytes(rank) == longest).collect();
        let root = vec![self.root()];
        let (origins, targets) = match self.operation() {
            Operation::Broadcast if !is_backwards => (root, all),
            Operation::Scatter if !is_backwards => (root, filled),
            Operation::Gather if is_backwards => (root, filled),
            Operation::Reduce if is_backwards => (root, all),
            Operation::AllGather if is_backwards => (all, filled),
            Operation::AllGather => (long, all),
            Operation::ReduceScatter if is_backwards => (long, all),
            Operation::ReduceScatter => (all, filled),
            Operation::AllReduce => (all.clone(), all),
            Operation::Scan if is_backwards => (vec![self.size() - 1], all),
            Operation::Scan => (vec![0], all),
            // The other operations do not spread from one rank, or do not collect at one rank.
            _ => return Span::ZERO,
        };
        let [origins, targets] = [origins, targets]
            .map(|ranks| ranks.into_iter().map(|rank| self.members()[rank]).collect::<Vec<Rank>>());
        far.start_up(&origins, &targets, is_backwards, busy, alpha)
    }

    /// Lower bound by spanning trees from the ranks with data to all others, or in the reverse direction.
    fn tree_bound(&self) -> Span {
        let (blocks, is_backwards) = match self.operation() {
            Operation::Broadcast => (vec![(self.root(), self.bytes())], false),
            Operation::Reduce => (vec![(self.root(), self.bytes())], true),
            Operation::AllGather | Operation::ReduceScatter => {
                let block = |rank: Rank| (rank, self.block(rank).end - self.block(rank).start);
                ((0..self.size()).map(block).collect(), self.operation() == Operation::ReduceScatter)
            }
            _ => return Span::ZERO,
        };
        forest_lower_bound(self.machine(), self.members(), &blocks, is_backwards)
    }
}

/// Minimum traffic and start-ups of a task.
#[derive(Debug, Default)]
struct Demand {
    /// Total bytes of all messages.
    traffic: f64,
    /// Maximum over the ranks of the bytes that a rank must receive (`intake`) and of the bytes that a rank must send (`output`).
    intake: u64,
    output: u64,
    /// Bytes that one rank sends to all others (`spread`), and bytes that all others contribute to one rank (`given`).
    spread: u64,
    given: u64,
    /// Maximum number of ranks that data of one rank must reach (`reached`), and from which data must reach one rank (`heard`). Both
    /// include the rank itself.
    reached: usize,
    heard: usize,
    /// Squared largest singular value of the matrix of required information flow if several ranks contribute to several results; otherwise
    /// 1.
    pairs: f64,
}

impl Demand {
    fn of(task: &Task) -> Demand {
        let (ranks, total) = (task.size(), task.bytes());
        if ranks == 1 || total == 0 {
            return Demand::default();
        }
        let block = |rank| task.block(rank).end - task.block(rank).start;
        let blocks = || (0..ranks).map(block);
        let (shortest, longest) = (blocks().min().unwrap_or(0), blocks().max().unwrap_or(0));
        let filled = blocks().filter(|&bytes| bytes > 0).count();
        // The ranks with data, and one rank without data if there is one.
        let filled_and_one = ranks.min(filled + 1);
        let others = || (0..ranks).filter(|&rank| rank != task.root()).map(block);
        let of_others = total - block(task.root());
        let largest_other = others().max().unwrap_or(0);
        let filled_others = others().filter(|&bytes| bytes > 0).count();
        let each = (ranks as f64 - 1.0) * total as f64;
        let (many, pair) = (ranks as f64, 2);
        match task.operation() {
            Operation::Broadcast => Demand {
                traffic: each,
                intake: total,
                output: total,
                spread: total,
                given: 0,
                reached: ranks,
                heard: pair,
                pairs: 1.0,
            },
            Operation::Scatter => Demand {
                traffic: of_others as f64,
                intake: largest_other,
                output: of_others,
                spread: 0,
                given: 0,
                reached: filled_others + 1,
                heard: pair,
                pairs: 1.0,
            },
            Operation::Gather => Demand {
                traffic: of_others as f64,
                intake: of_others,
                output: largest_other,
                spread: 0,
                given: 0,
                reached: pair,
                heard: filled_others + 1,
                pairs: 1.0,
            },
            Operation::AllGather => Demand {
                traffic: each,
                intake: total - shortest,
                output: longest,
                spread: longest,
                given: 0,
                reached: ranks,
                heard: filled_and_one,
                pairs: filled as f64 * many,
            },
            Operation::Reduce => Demand {
                traffic: each,
                intake: total,
                output: total,
                spread: 0,
                given: total,
                reached: pair,
                heard: ranks,
                pairs: 1.0,
            },
            // Valid for the rank that is the first to have data from all: all other ranks send before this moment, and receive afterwards.
            Operation::AllReduce => Demand {
                traffic: 2.0 * each,
                intake: total,
                output: total,
                spread: 0,
                given: total,
                reached: ranks,
                heard: ranks,
                pairs: many * many,
            },
            Operation::ReduceScatter => Demand {
                traffic: each,
                intake: longest,
                output: total - shortest,
                spread: 0,
                given: longest,
                reached: filled_and_one,
                heard: ranks,
                pairs: many * filled as f64,
            },
            Operation::Scan => Demand {
                traffic: each,
                intake: total,
                output: total,
                spread: 0,
                given: total,
                reached: ranks,
                heard: ranks,
                pairs: (2.0 * (PI / (4.0 * many + 2.0)).sin()).powi(-2),
            },
        }
    }
}

/// A table from the nodes of the machine to the ranks of a task.
struct Borders<'a> {
    task: &'a Task,
    /// The rank of each node.
    ranks: Vec<Option<Rank>>,
}

impl Borders<'_> {
    fn of(task: &Task) -> Borders<'_> {
        let mut ranks = vec![None; task.machine().nodes()];
        for (rank, &node) in task.members().iter().enumerate() {
            ranks[node] = Some(rank);
        }
        Borders { task, ranks }
    }

    /// The bytes that must leave and enter the region of these nodes, which are in ascending order.
    fn crossing(&self, inside: &[Rank]) -> Crossing {
        let task = self.task;
        let members = || inside.iter().filter_map(|&node| self.ranks[node]);
        let count = members().count();
        if count == 0 || count == task.size() {
            return Crossing::default();
        }
        let is_inside = |rank: Rank| inside.binary_search(&task.members()[rank]).is_ok();
        let whole = task.bytes() as f64;
        let own = || members().map(|rank| task.block(rank).end - task.block(rank).start).sum::<u64>();
        let blocks = || (own() as f64, (task.bytes() - own()) as f64);
        let (out, into) = match task.operation() {
            Operation::Broadcast if is_inside(task.root()) => (whole, 0.0),
            Operation::Broadcast => (0.0, whole),
            Operation::Scatter if is_inside(task.root()) => (blocks().1, 0.0),
            Operation::Scatter => (0.0, blocks().0),
            Operation::Gather if is_inside(task.root()) => (0.0, blocks().1),
            Operation::Gather => (blocks().0, 0.0),
            Operation::AllGather => blocks(),
            Operation::Reduce if is_inside(task.root()) => (0.0, whole),
            Operation::Reduce => (whole, 0.0),
            Operation::AllReduce => (whole, whole),
            Operation::ReduceScatter => {
                let (own, others) = blocks();
                (others, own)
            }
            // Counts how often rank order crosses the border of the region. The result of the last rank inside must not include the vector
            // of the first rank outside, so each crossing needs a separate element for each element of the vector.
            Operation::Scan => {
                let out = members().filter(|&rank| rank + 1 < task.size() && !is_inside(rank + 1)).count();
                let into = members().filter(|&rank| rank > 0 && !is_inside(rank - 1)).count();
                (out as f64 * whole, into as f64 * whole)
            }
        };
        Crossing { out, into }
    }
}

/// Returns the minimum time for combining `elements` elements in any number of calls. Each call is rounded to the nearest picosecond, so it
/// may take up to half a picosecond less than its elements, unless the time of an element is a whole number of picoseconds.
fn least_combining(parameters: &Parameters, elements: u64) -> Span {
    let whole = parameters.combining(elements);
    match parameters.combining(1).times(elements) == whole {
        true => whole,
        false => whole - Span::from_picos(elements.div_ceil(2)),
    }
}

#[cfg(test)]
#[path = "bound_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "bound_search_tests.rs"]
mod search_tests;
