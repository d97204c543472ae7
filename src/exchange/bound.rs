//! Lower limits of the modeled time of an exchange.
//!
//! They hold for any algorithm in the timing model: messages straight to their receivers or by way of others, cut and
//! joined at will, in any order. What is taken for granted: only the members send and receive, the other nodes' links
//! being there for all; data goes in messages that are not active ones, which share no port and no link; data cannot be
//! compressed; every byte is moved; and nothing is learned from what does not come.
//!
//! A message that matters has begun with a send of `o_s` and ends with a way through the network and a receive,
//! `L + hop + o_r`, during none of which its bytes move. So `alpha + hop` comes on top of the time of bytes.
//!
//! *Rounding.* A message's end is rounded to the nearest picosecond, so it may take half a picosecond less of a port or
//! a link than its bytes need: where there are more messages than bytes' worth of time this adds up. Who sends `n`
//! messages is busy for `n o_s`, and who receives them for `n o_r`; so if all took less than the limit without
//! rounding, there were no more than that over `o_s` of them, nor more than bytes. As much is taken off.

use std::cmp::Reverse;

use super::{Instance, Matrix};
use crate::{
    model::Parameters,
    pattern::{network::Network, paths},
    plan::{
        LowerBound, Reason,
        bound::{Border, Crossing, Far, Links, gossip, slowest, start_up},
        resources::{Resources, has_fixed_routes},
    },
    rank::Rank,
    time::Span,
};

/// The most that rounding takes from the time of a message, in seconds.
const ROUNDING: f64 = 0.5e-12;

/// The most that inexact sums of rates and bytes are wrong by, as a share of them.
const INEXACT: f64 = 1e-9;

/// The most members whose paths are looked at.
const MOST_MEMBERS: usize = 64;

/// Steps of the search for weights with which the sum of all that is heard grows the most.
const WEIGHINGS: usize = 30;

impl Instance {
    /// The lower bound of the modeled time of this exchange, for any algorithm. Takes the host time proportional to
    /// the entries of the matrix, up to 0.2 us for each that is not 0 and some 10 ns for the others, and to the nodes
    /// of the machine, some 25 us each; and room for as many numbers as the matrix has, up to four times. Among up to 64 members
    /// paths take up to 96 steps of a millisecond each.
    ///
    /// ```
    /// use multicomputer::{exchange::{Instance, Matrix}, plan::Reason};
    ///
    /// // alpha = 130 us, beta = 50 ns/byte.
    /// let instance = Instance::new(&"hockney:1x2".parse()?, Matrix::of(2, |_, _| 1000)?)?;
    /// let bound = instance.lower_bound();
    /// assert_eq!(bound.of(Reason::StartUp).to_string(), "130 us");
    /// assert_eq!(bound.of(Reason::Gossip), bound.of(Reason::StartUp));
    /// assert!((bound.of(Reason::Traffic).as_micros_f64() - 180.0).abs() < 0.001);
    /// assert_eq!(bound.decisive(), Some(Reason::Traffic));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lower_bound(&self) -> LowerBound {
        let matrix = self.matrix().without_own();
        if matrix.messages().next().is_none() {
            return LowerBound::default();
        }
        let links = Links::of(self.machine());
        let bytes = Bytes::of(self, &matrix, &links);
        let parameters = self.parameters();
        let around = parameters.alpha() + parameters.hop();
        let fan = |figure: &dyn Fn(Rank) -> u64| matrix.most(figure) as usize + 1;
        let reached = start_up(fan(&|rank| matrix.fan_out(rank)), parameters.send_overhead(), around);
        let heard = start_up(fan(&|rank| matrix.fan_in(rank)), parameters.receive_overhead(), around);
        let start_ups = [
            (Reason::StartUp, reached.max(heard).max(self.far(&matrix, &links))),
            (Reason::Gossip, gossip(self.growth(), parameters, Span::ZERO)),
        ];
        let most =
            |limits: &[(Reason, Span)]| limits.iter().map(|&(_, limit)| limit).fold(Span::ZERO, Span::max);
        let exact = most(&bytes.limits(None));
        let known = exact.max(most(&start_ups));
        let paths = Paths::of(self, &matrix, known.as_secs_f64() - around.as_secs_f64());
        let within = exact.max(around + Span::from_secs_f64(paths.least));
        let of_paths = (Reason::Paths, paths.limit(self, within));
        LowerBound::new(start_ups.into_iter().chain(bytes.limits(Some(within))).chain([of_paths]))
    }

    /// The time in which the rank with the most receivers can reach them, and that with the most senders can hear from them, by how far
    /// these are.
    fn far(&self, matrix: &Matrix, links: &Links) -> Span {
        let parameters = self.parameters();
        let far = Far { links, parameters };
        let ranks = || 0..self.size();
        let first_of_most = |fan: &dyn Fn(Rank) -> u64| {
            ranks().max_by_key(|&rank| (fan(rank), Reverse(rank))).unwrap_or_default()
        };
        let nodes = |is_one: &dyn Fn(Rank) -> bool| -> Vec<Rank> {
            ranks().filter(|&rank| is_one(rank)).map(|rank| self.members()[rank]).collect()
        };
        let from = first_of_most(&|rank| matrix.fan_out(rank));
        let to = first_of_most(&|rank| matrix.fan_in(rank));
        let receivers = nodes(&|rank| matrix.get(from, rank) > 0);
        let senders = nodes(&|rank| matrix.get(rank, to) > 0);
        let (send, receive, alpha) =
            (parameters.send_overhead(), parameters.receive_overhead(), parameters.alpha());
        let reached = far.start_up(&[self.members()[from]], &receivers, false, send, alpha);
        reached.max(far.start_up(&[self.members()[to]], &senders, true, receive, alpha))
    }

    /// Growth of the weighted sum of the squares of what nodes have heard of, with the best weights found: with any
    /// weights `v` of the senders, receivers end with `A v` if `A` tells who has something for whom. The proof that
    /// the sum grows only as fast as sends and receives allow is at the top of `src/collective/bound.rs`.
    fn growth(&self) -> f64 {
        let (matrix, nodes) = (self.matrix(), self.size());
        let has = |from: Rank, to: Rank| from == to || matrix.get(from, to) > 0;
        let pairs: Vec<(Rank, Rank)> = (0..nodes)
            .flat_map(|from| (0..nodes).map(move |to| (from, to)))
            .filter(|&(from, to)| has(from, to))
            .collect();
        let square = |of: &[f64]| of.iter().map(|value| value * value).sum::<f64>();
        let mut weights = vec![1.0; nodes];
        let mut growth: f64 = 1.0;
        for _ in 0..WEIGHINGS {
            let mut heard = vec![0.0; nodes];
            pairs.iter().for_each(|&(from, to)| heard[to] += weights[from]);
            // Any weights give a limit.
            growth = growth.max(square(&heard) / square(&weights));
            let mut next = vec![0.0; nodes];
            pairs.iter().for_each(|&(from, to)| next[from] += heard[to]);
            let scale = square(&next).sqrt();
            weights = next.into_iter().map(|weight| weight / scale).collect();
        }
        growth * (1.0 - INEXACT)
    }
}

/// The limits that bytes set, counted once.
struct Bytes<'a> {
    parameters: &'a Parameters,
    /// The bytes that each rank sends and receives.
    ranks: Vec<Inside>,
    cuts: Vec<Border<Inside>>,
    submeshes: Vec<Border<Inside>>,
}

/// Bytes that must leave and enter a part of the machine.
#[derive(Clone, Copy)]
struct Inside {
    members: usize,
    out: u64,
    into: u64,
}

impl<'a> Bytes<'a> {
    /// Of a matrix without what nodes have for themselves.
    fn of(instance: &'a Instance, matrix: &Matrix, links: &Links) -> Bytes<'a> {
        let sums = Sums::of(instance, matrix);
        Bytes {
            parameters: instance.parameters(),
            ranks: instance.members().iter().map(|&node| sums.inside(&[node])).collect(),
            cuts: links.cuts(|nodes| sums.inside(nodes)),
            submeshes: links.submeshes(|nodes| sums.inside(nodes)),
        }
    }

    /// The limits, less what rounding takes off if a run of up to `within` is to be shown impossible.
    fn limits(&self, within: Option<Span>) -> [(Reason, Span); 4] {
        let parameters = self.parameters;
        let least = |seconds: f64| {
            // Down to the picosecond.
            let seconds = seconds * (1.0 - INEXACT) - 1e-12;
            parameters.alpha() + parameters.hop() + Span::from_secs_f64(seconds.max(0.0))
        };
        let crossing = |inside: &Inside| Crossing {
            out: self.left(within, inside.out, inside.members, parameters.send_overhead()),
            into: self.left(within, inside.into, inside.members, parameters.receive_overhead()),
        };
        let most = |figure: fn(Crossing) -> f64| {
            self.ranks.iter().map(|rank| figure(crossing(rank))).fold(0.0, f64::max)
        };
        let traffic = most(|Crossing { out, into }| out.max(into));
        let both = most(|Crossing { out, into }| out + into);
        [
            (Reason::Traffic, least(traffic * parameters.node_beta())),
            (Reason::BothWays, least(both * parameters.node_beta() / parameters.duplex())),
            (Reason::Bisection, least(slowest(&self.cuts, crossing).as_secs_f64())),
            (Reason::Submesh, least(slowest(&self.submeshes, crossing).as_secs_f64())),
        ]
    }

    /// The bytes that `nodes` nodes send, or receive, less what rounding takes off.
    fn left(&self, within: Option<Span>, bytes: u64, nodes: usize, overhead: Span) -> f64 {
        let (bytes, beta) = (bytes as f64, self.parameters.beta());
        let Some(within) = within.filter(|_| beta > 0.0) else { return bytes };
        let messages = nodes as f64 * within.as_secs_f64() / overhead.as_secs_f64();
        let messages = if messages.is_nan() { bytes } else { messages.min(bytes) };
        (bytes - messages * ROUNDING / beta).max(0.0)
    }
}

/// The limit that paths set.
struct Paths {
    /// The seconds that bytes take, start-ups aside; 0 if they are not looked at.
    least: f64,
    /// The fewest seconds that a byte takes something on its way.
    quickest: f64,
}

impl Paths {
    /// Of a matrix without what nodes have for themselves, less exact where no more is found than is known to be needed.
    fn of(instance: &Instance, matrix: &Matrix, known: f64) -> Paths {
        let members = instance.members();
        if members.len() > MOST_MEMBERS || !has_fixed_routes(instance.machine()) {
            return Paths { least: 0.0, quickest: 0.0 };
        }
        let resources = Resources::of(instance.machine(), members);
        let network = Network::new(members.len(), |from, to| resources.message(from, to));
        let messages: Vec<(Rank, Rank, u64)> = matrix.messages().collect();
        Paths { least: paths::least(&network, &messages, known), quickest: network.quickest() }
    }

    /// The limit, less what rounding takes off if a run of up to `within` is to be shown impossible.
    fn limit(&self, instance: &Instance, within: Span) -> Span {
        let parameters = instance.parameters();
        let messages =
            instance.size() as f64 * (within.as_secs_f64() / parameters.send_overhead().as_secs_f64());
        // So many messages in all, or a share of each that takes something for no longer than a byte.
        let rounded = (self.least - messages * ROUNDING).max(self.least * (1.0 - ROUNDING / self.quickest));
        match rounded * (1.0 - INEXACT) - 1e-12 {
            seconds if seconds > 0.0 => parameters.alpha() + parameters.hop() + Span::from_secs_f64(seconds),
            _ => Span::ZERO,
        }
    }
}

/// Sums of the top left parts of a matrix, of which those of any rectangle follow. Rows and columns are in the order
/// of nodes: the members in a region of the machine are few runs of neighbours.
struct Sums {
    members: usize,
    /// For each node, and behind the last one, how many members are before it.
    before: Vec<usize>,
    /// For `i` and `j` from 0 to the number of members, all that the first `i` have for the first `j`.
    sums: Vec<u64>,
}

impl Sums {
    fn of(instance: &Instance, matrix: &Matrix) -> Sums {
        let members = instance.size();
        let mut order: Vec<Rank> = (0..members).collect();
        order.sort_unstable_by_key(|&rank| instance.members()[rank]);
        let mut before = vec![0; instance.machine().nodes() + 1];
        instance.members().iter().for_each(|&node| before[node + 1] = 1);
        (1..before.len()).for_each(|node| before[node] += before[node - 1]);
        let mut sums = vec![0; members + 1];
        sums.reserve(members * (members + 1));
        for (nth, &from) in order.iter().enumerate() {
            let (row, above) = (matrix.row(from), nth * (members + 1));
            let mut sum = 0;
            sums.push(0);
            for (column, &to) in (1..).zip(&order) {
                sum += row[to];
                sums.push(sums[above + column] + sum);
            }
        }
        Sums { members, before, sums }
    }

    /// The bytes that a run of members has for another run.
    fn between(&self, from: (usize, usize), to: (usize, usize)) -> u64 {
        let sum = |rows: usize, columns: usize| self.sums[rows * (self.members + 1) + columns];
        sum(from.1, to.1) + sum(from.0, to.0) - sum(from.0, to.1) - sum(from.1, to.0)
    }

    /// The bytes that must leave and enter the region of these nodes, which are in order.
    fn inside(&self, nodes: &[Rank]) -> Inside {
        let run = |run: &[Rank]| (self.before[run[0]], self.before[run[0] + run.len()]);
        let runs: Vec<(usize, usize)> = nodes
            .chunk_by(|node, next| node + 1 == *next)
            .map(run)
            .filter(|(first, end)| first < end)
            .collect();
        let all = (0, self.members);
        let each_other = |&run| runs.iter().map(|&other| self.between(run, other)).sum::<u64>();
        let stays: u64 = runs.iter().map(each_other).sum();
        Inside {
            members: runs.iter().map(|(first, end)| end - first).sum(),
            out: runs.iter().map(|&run| self.between(run, all)).sum::<u64>() - stays,
            into: runs.iter().map(|&run| self.between(all, run)).sum::<u64>() - stays,
        }
    }
}

#[cfg(test)]
#[path = "bound_tests.rs"]
mod tests;
