//! What no algorithm can beat: lower limits of the modeled time of a collective operation.
//!
//! They hold for any algorithm in the timing model: any messages in any order, cut and joined at will, started without
//! waiting or not. What is taken for granted: only members of the group send, receive and combine, the other nodes'
//! links being there for all; data cannot be compressed; of the operator nothing is known but that it is associative,
//! so that partial results are moved and combined as whole elements; and nothing is learned from what does not come.
//! Parts of length 0 are no part of the operation.
//!
//! A message that matters has begun with a send of `o_s` and ends with a way through the network and a receive,
//! `L + hop + o_r`, during none of which its bytes move. So `alpha + hop` comes on top of the time of bytes.
//!
//! # Gossip
//!
//! Where all must hear from all, start-ups alone take longer than to spread from one or to gather at one. Let `mu > 1`
//! be the growth per second for which
//!
//! ```text
//! (mu^o_s - 1) mu^(L + hop) (mu^o_r - 1) = 1
//! ```
//!
//! Claim: if `r` receivers must each hear from all of `m` contributors, this takes `log_mu(m r)` at least. With
//! `o_s = o_r = alpha / 2` and no latency `mu^(alpha / 2) = 2`, and `m = r = p` gives `log2(p) alpha`.
//!
//! *Proof.* Let `x` be the number of contributors of which a node has heard: 1 for a contributor and 0 for others at
//! the start, `m` for a receiver in the end. A message tells of at most as many, `w`, as its sender had heard of when
//! the send began, and its receiver has then heard of `x + w` at most. Count a node at `mu^-t x^2`, where `t` is its
//! own clock, and a message that arrives at `t` at `a mu^-t w^2`, where `a = (mu^o_s - 1) mu^(L + hop)`. Take the calls
//! in any order in which no message is received before it is sent; the order between nodes does not matter, as each has
//! its own clock. No call makes the sum of all counts larger:
//!
//! * to wait moves a clock on, and to drop a message takes its count away;
//! * a send at `t` leaves at most `mu^-(t + o_s) (1 + a mu^-(L + hop)) x^2`, which is `mu^-t x^2`, since the clock
//!   moves by `o_s` or more and the message arrives `L + hop` after that or later;
//! * a receive that begins at `t`, when the message has come and the clock is there, finds at least
//!   `mu^-t (x^2 + a w^2)` and leaves at most `mu^-(t + o_r) (x + w)^2`. By the inequality of Cauchy and Schwarz
//!   `(x + w)^2 <= (1 + 1/a) (x^2 + a w^2)`, and `1 + 1/a = mu^o_r`.
//!
//! The sum is `m` at the start, and at least `mu^-T r m^2` if all is done at `T`; so `mu^T >= m r`.
//!
//! *Scan.* Contributors may have any weights `v` instead of 1. If `A` tells who must hear from whom, receivers end with
//! `A v`, and the best `v` gives `log_mu` of the square of `A`'s largest singular value: `sqrt(m r)` above, and
//! `1 / (2 sin(pi / (4 p + 2)))` for the triangle of a scan.
//!
//! *Combining.* What a node has of one element is a set of partial results, which may be sent on uncombined. Let `x` be
//! the number of contributors in `k` of them, each counted once; count these `k` at `mu^-((k - 1) gamma) x^2`, and a
//! node or a message as its best choice of partial results of one element. To combine two makes no count larger: the
//! result stands for the two that it is made of, and beside either of them these add nothing. After a receive, if the
//! best choice has some of both sides, their being together divides the count by another `mu^gamma`, so that
//! `mu^(o_r + gamma) >= 1 + 1/a` is enough; if it is all from the message, `mu^o_r a >= 1` is needed. So the last
//! factor above becomes the smaller of `mu^(o_r + gamma) - 1` and `mu^o_r`. In the same way `k` partial results now are
//! worth no more than one after `(k - 1) gamma`, and each receive of a combination at one takes `o_r + gamma`.
//!
//! *Between.* Leave out all that takes time beyond `o_s`, `o_r` and `L + hop` a message. What remains ends no later, is
//! bounded likewise (without `gamma`), and ends after a chain of `i` sends, `j` receives and `k` flights,
//! `k <= min(i, j)`. So the limit can be raised to the next `i o_s + j o_r + k (L + hop)`: from 6.64 to 7 alpha for 100
//! ranks on a Paragon.

use std::f64::consts::PI;

use super::{Operation, Task};
use crate::{
    bound::{Crossing, Links, gossip, ratio, start_up},
    rank::Rank,
    time::Span,
};

/// Lower limits of the modeled time of a collective operation, each for a reason of its own; all are 0 if nothing has
/// to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LowerBound {
    /// Start-ups, one to many or many to one: the number of ranks that something known to one can have reached grows no
    /// faster than `N(x) = N(x - o_s) + N(x - alpha - hop)`, since a node sends one message at a time; that of ranks
    /// that one can have heard from, by the same argument backwards in time, no faster than with `o_r` for `o_s`. Where
    /// what comes must be combined, at least one element, each receive takes `gamma` more.
    pub start_up: Span,
    /// Start-ups, many to many: with `m` contributors and `r` receivers, `log(m r)` over the growth that sends and
    /// receives allow. The proof is at the top of `src/collective/bound.rs`. 0 where all comes from one or goes to one.
    pub gossip: Span,
    /// The bytes that some rank must take in through its port: what it lacks, or the mean of all ranks.
    pub intake: Span,
    /// The bytes that some rank must send through its port: what others need of it, or the mean of all ranks.
    pub output: Span,
    /// What all ranks take in somebody has sent, so some rank moves at least twice the mean of these bytes both ways,
    /// at `d / beta`. Decides where ports are not full duplex.
    pub both_ways: Span,
    /// To make one vector out of `p` takes `p - 1` combinations an element, and so do the `p - 1` results of a scan.
    /// Some rank does at least the mean of them, and none before a first message has come.
    pub combining: Span,
    /// The bytes that must cross the links of a straight cut through the mesh one way. What is no grid is cut between
    /// two ranks.
    pub bisection: Span,
    /// The bytes that must leave or enter a submesh of up to 8 x 8 nodes on its links. In what is no grid, up to 8
    /// neighbouring ranks, or a block of 2^i that begins with a multiple of 2^i, such as a subtree or a subcube.
    pub submesh: Span,
}

impl LowerBound {
    /// The largest of them.
    pub fn time(&self) -> Span {
        let LowerBound { start_up, gossip, intake, output, both_ways, combining, bisection, submesh } = *self;
        let all = [start_up, gossip, intake, output, both_ways, combining, bisection, submesh];
        all.into_iter().fold(Span::ZERO, Span::max)
    }

    /// How many times the bound an operation takes that takes so long; `None` if nothing has to be sent.
    pub fn ratio(&self, modeled: Span) -> Option<f64> {
        ratio(modeled, self.time())
    }
}

impl Task {
    /// What no algorithm can beat on this task. Takes time proportional to the nodes of the machine, some 10 us each.
    ///
    /// Only rounding can: in a run the end of each message is rounded to the nearest picosecond, so where the limit is
    /// met exactly a run may be earlier by up to a picosecond a message.
    ///
    /// ```
    /// use multicomputer::collective::{Operation, Task};
    /// // Two nodes with 500 bytes each, and alpha = 130 us, beta = 50 ns/byte.
    /// let task = Task::builder(&"hockney:1x2".parse()?, Operation::Collect).elements(1000).build()?;
    /// let bound = task.lower_bound();
    /// assert_eq!(bound.start_up.to_string(), "130 us");
    /// assert_eq!(bound.intake.to_string(), "155 us");
    /// assert_eq!(bound.time(), bound.intake);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lower_bound(&self) -> LowerBound {
        let demand = Demand::of(self);
        if demand.traffic == 0.0 {
            return LowerBound::default();
        }
        let parameters = self.parameters();
        let (ranks, around) = (self.size(), parameters.alpha() + parameters.hop());
        let combine = if self.operation().combines() { parameters.combining(1) } else { Span::ZERO };
        let mean = demand.traffic / ranks as f64;
        let port = |bytes: f64| around + Span::from_secs_f64(bytes * parameters.beta());
        let combinations = (u128::from(self.bytes() / self.element_bytes()) * (ranks as u128 - 1))
            .div_ceil(ranks as u128) as u64;
        let spread = start_up(demand.reached, parameters.send_overhead(), around);
        let gathered = start_up(demand.heard, parameters.receive_overhead() + combine, around + combine);
        let after = |crossing: Span| if crossing.is_zero() { Span::ZERO } else { around + crossing };
        let links = Links::of(self.machine());
        let borders = Borders::of(self);
        LowerBound {
            start_up: spread.max(gathered),
            gossip: gossip(demand.pairs, parameters, combine),
            intake: port(mean.max(demand.intake as f64)),
            output: port(mean.max(demand.output as f64)),
            both_ways: port(2.0 * mean / parameters.duplex()),
            combining: if self.operation().combines() {
                around + parameters.combining(combinations)
            } else {
                Span::ZERO
            },
            bisection: after(links.bisection(|inside| borders.crossing(inside))),
            submesh: after(links.submesh(|inside| borders.crossing(inside))),
        }
    }
}

/// What must happen in any case.
#[derive(Debug, Default)]
struct Demand {
    /// Bytes of all messages together.
    traffic: f64,
    /// The most bytes that a rank must take in, and send.
    intake: u64,
    output: u64,
    /// The most ranks that must come to know something of one of them, and that one must hear from, itself included.
    reached: usize,
    heard: usize,
    /// The square of the largest singular value of who must hear from whom, where that is many from many; otherwise 1.
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
        let (least, most) = (blocks().min().unwrap_or(0), blocks().max().unwrap_or(0));
        let filled = blocks().filter(|&bytes| bytes > 0).count();
        // Those with something, and one without if there is any.
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
                reached: ranks,
                heard: pair,
                pairs: 1.0,
            },
            Operation::Scatter => Demand {
                traffic: of_others as f64,
                intake: largest_other,
                output: of_others,
                reached: filled_others + 1,
                heard: pair,
                pairs: 1.0,
            },
            Operation::Gather => Demand {
                traffic: of_others as f64,
                intake: of_others,
                output: largest_other,
                reached: pair,
                heard: filled_others + 1,
                pairs: 1.0,
            },
            Operation::Collect => Demand {
                traffic: each,
                intake: total - least,
                output: most,
                reached: ranks,
                heard: filled_and_one,
                pairs: filled as f64 * many,
            },
            Operation::CombineToOne => Demand {
                traffic: each,
                intake: total,
                output: total,
                reached: pair,
                heard: ranks,
                pairs: 1.0,
            },
            // Before the first rank has heard from all, each other one has sent; after that, each other one receives.
            Operation::CombineToAll => Demand {
                traffic: 2.0 * each,
                intake: total,
                output: total,
                reached: ranks,
                heard: ranks,
                pairs: many * many,
            },
            Operation::DistributedCombine => Demand {
                traffic: each,
                intake: most,
                output: total - least,
                reached: filled_and_one,
                heard: ranks,
                pairs: many * filled as f64,
            },
            Operation::Scan => Demand {
                traffic: each,
                intake: total,
                output: total,
                reached: ranks,
                heard: ranks,
                pairs: (2.0 * (PI / (4.0 * many + 2.0)).sin()).powi(-2),
            },
        }
    }
}

/// The ranks where they are on the machine.
struct Borders<'a> {
    task: &'a Task,
    /// The rank that each node is.
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

    /// What must leave and enter the region of these nodes, which are in order.
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
            Operation::Collect => blocks(),
            Operation::CombineToOne if is_inside(task.root()) => (0.0, whole),
            Operation::CombineToOne => (whole, 0.0),
            Operation::CombineToAll => (whole, whole),
            Operation::DistributedCombine => {
                let (own, others) = blocks();
                (others, own)
            }
            // Each time that the ranks go out of the region: what comes from the last one inside goes into no earlier
            // result outside, so the first one outside needs an element of its own for each element.
            Operation::Scan => {
                let out = members().filter(|&rank| rank + 1 < task.size() && !is_inside(rank + 1)).count();
                let into = members().filter(|&rank| rank > 0 && !is_inside(rank - 1)).count();
                (out as f64 * whole, into as f64 * whole)
            }
        };
        Crossing { out, into }
    }
}

#[cfg(test)]
#[path = "bound_tests.rs"]
mod tests;
