//! Lower bounds on the modeled time of an exchange.
//!
//! The bounds hold for any algorithm in the timing model: messages may be sent directly or through other members, be cut and joined, and
//! go in any order. Assumptions: only members send and receive, but the links of all nodes can be used; data goes in ordinary messages,
//! not in active messages (which occupy no port and no link); data is not compressed; every byte is moved; and the absence of a message
//! carries no information.
//!
//! A message on the critical path starts with a send, `o_s`, and ends with a transfer through the network and a receive, `L + hop + o_r`.
//! Its bytes do not move during either part. So `alpha + hop` is added to the time of the bytes.
//!
//! *Rounding.* The end of a message is rounded to the nearest picosecond. A message may therefore use a port or a link for half a
//! picosecond less than its bytes need. A sender of `n` messages is busy for `n o_s`, and a receiver for `n o_r`. In a run shorter than the
//! unrounded bound, a node thus sends (or receives) at most the bound divided by `o_s` (or `o_r`) messages, and at most one per byte. The
//! bound is reduced by half a picosecond for each of these messages.

use std::cmp::Reverse;

use super::{Instance, Matrix};
use crate::{
    model::Parameters,
    pattern::{network::Network, paths},
    plan::{
        LowerBound, Reason,
        bound::{Border, Crossing, Far, Links, RELATIVE_ERROR, gossip, slowest, start_up},
        resources::{Resources, has_fixed_routes},
    },
    rank::Rank,
    time::Span,
};

/// Maximum time by which rounding shortens a message, in seconds.
const MAX_ROUNDING: f64 = 0.5e-12;

/// Maximum number of members for which the bound on paths is computed.
const MAX_MEMBERS: usize = 64;

/// Number of steps of the power iteration in `Instance::growth`.
const POWER_ITERATIONS: usize = 30;

impl Instance {
    /// Returns the lower bound on the modeled time of this exchange, for any algorithm. Host time is proportional to the entries of the
    /// matrix (up to 0.2 us for each entry that is not 0, some 10 ns for the others) and to the nodes of the machine (some 25 us each).
    /// Memory is up to four times the number of matrix entries. Among up to 64 members the bound on paths adds up to 96 steps of a
    /// millisecond each.
    ///
    /// ```
    /// use multicomputer::{all_to_all::{Instance, Matrix}, plan::Reason};
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
            (Reason::StartUp, reached.max(heard).max(self.distance_bound(&matrix, &links))),
            (Reason::Gossip, gossip(self.growth(), parameters, Span::ZERO)),
        ];
        let most =
            |bounds: &[(Reason, Span)]| bounds.iter().map(|&(_, bound)| bound).fold(Span::ZERO, Span::max);
        let exact = most(&bytes.bounds(None));
        let known = exact.max(most(&start_ups));
        let paths = Paths::of(self, &matrix, known.as_secs_f64() - around.as_secs_f64());
        let within = exact.max(around + Span::from_secs_f64(paths.seconds));
        let of_paths = (Reason::Paths, paths.bound(self, within));
        let bound =
            LowerBound::new(start_ups.into_iter().chain(bytes.bounds(Some(within))).chain([of_paths]));
        bound.after_call(parameters)
    }

    /// Returns a lower bound from distances: the time in which the rank with the most receivers reaches all of them, or, if longer, the
    /// time in which the rank with the most senders hears from all of them.
    fn distance_bound(&self, matrix: &Matrix, links: &Links) -> Span {
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

    /// Returns the factor by which the weighted sum of squares of what nodes have heard of grows during the exchange, for the best weights
    /// found. With weights `v` of the senders, receivers end with `A v`, where `A` is the 0/1 matrix of senders and receivers. The proof
    /// that sends and receives bound the growth rate of the sum is at the top of `src/collective/bound.rs`.
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
        for _ in 0..POWER_ITERATIONS {
            let mut heard = vec![0.0; nodes];
            pairs.iter().for_each(|&(from, to)| heard[to] += weights[from]);
            // Any weights give a valid bound, so the maximum is valid.
            growth = growth.max(square(&heard) / square(&weights));
            let mut next = vec![0.0; nodes];
            pairs.iter().for_each(|&(from, to)| next[from] += heard[to]);
            let scale = square(&next).sqrt();
            weights = next.into_iter().map(|weight| weight / scale).collect();
        }
        growth * (1.0 - RELATIVE_ERROR)
    }
}

/// Lower bounds from byte counts, which are computed once.
struct Bytes<'a> {
    parameters: &'a Parameters,
    /// Bytes that each rank must send and receive.
    ranks: Vec<RegionTraffic>,
    cuts: Vec<Border<RegionTraffic>>,
    submeshes: Vec<Border<RegionTraffic>>,
}

/// Bytes that must leave and enter a region of the machine.
#[derive(Clone, Copy)]
struct RegionTraffic {
    members: usize,
    out: u64,
    into: u64,
}

impl<'a> Bytes<'a> {
    /// Counts the bytes of a matrix that has no messages of nodes to themselves.
    fn of(instance: &'a Instance, matrix: &Matrix, links: &Links) -> Bytes<'a> {
        let sums = Sums::of(instance, matrix);
        Bytes {
            parameters: instance.parameters(),
            ranks: instance.members().iter().map(|&node| sums.inside(&[node])).collect(),
            cuts: links.cuts(|nodes| sums.inside(nodes)),
            submeshes: links.submeshes(|nodes| sums.inside(nodes)),
        }
    }

    /// Returns the bounds. If `within` is given, they are reduced by the maximum effect of rounding in a run of at most that time.
    fn bounds(&self, within: Option<Span>) -> [(Reason, Span); 4] {
        let parameters = self.parameters;
        let least = |seconds: f64| {
            // Subtracts a picosecond, because the result is rounded to picoseconds.
            let seconds = seconds * (1.0 - RELATIVE_ERROR) - 1e-12;
            parameters.alpha() + parameters.hop() + Span::from_secs_f64(seconds.max(0.0))
        };
        let crossing = |inside: &RegionTraffic| Crossing {
            out: self.reduced(within, inside.out, inside.members, parameters.send_overhead()),
            into: self.reduced(within, inside.into, inside.members, parameters.receive_overhead()),
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

    /// Returns `bytes`, which `nodes` nodes send or receive, reduced by the maximum effect of rounding in a run of at most `within`.
    fn reduced(&self, within: Option<Span>, bytes: u64, nodes: usize, overhead: Span) -> f64 {
        let (bytes, beta) = (bytes as f64, self.parameters.beta());
        let Some(within) = within.filter(|_| beta > 0.0) else { return bytes };
        let messages = nodes as f64 * within.as_secs_f64() / overhead.as_secs_f64();
        let messages = if messages.is_nan() { bytes } else { messages.min(bytes) };
        (bytes - messages * MAX_ROUNDING / beta).max(0.0)
    }
}

/// Lower bound from the paths of messages.
struct Paths {
    /// Seconds that the bytes take, without start-ups; 0 if the bound is not computed.
    seconds: f64,
    /// Shortest time in seconds that a byte occupies a resource on its path.
    quickest: f64,
}

impl Paths {
    /// Computes the bound. `matrix` has no messages of nodes to themselves. The search stops early, with a weaker bound, if the bound
    /// cannot exceed `known`.
    fn of(instance: &Instance, matrix: &Matrix, known: f64) -> Paths {
        let members = instance.members();
        if members.len() > MAX_MEMBERS || !has_fixed_routes(instance.machine()) {
            return Paths { seconds: 0.0, quickest: 0.0 };
        }
        let resources = Resources::of(instance.machine(), members);
        let network = Network::new(members.len(), |from, to| resources.message(from, to));
        let messages: Vec<(Rank, Rank, u64)> = matrix.messages().collect();
        Paths { seconds: paths::least(&network, &messages, known), quickest: network.quickest() }
    }

    /// Returns the bound, reduced by the maximum effect of rounding in a run of at most `within`.
    fn bound(&self, instance: &Instance, within: Span) -> Span {
        let parameters = instance.parameters();
        let messages =
            instance.size() as f64 * (within.as_secs_f64() / parameters.send_overhead().as_secs_f64());
        // Rounding shortens each of at most `messages` messages by at most `MAX_ROUNDING`. It also shortens no message by a larger fraction
        // than a message of one byte on its fastest resource.
        let rounded =
            (self.seconds - messages * MAX_ROUNDING).max(self.seconds * (1.0 - MAX_ROUNDING / self.quickest));
        match rounded * (1.0 - RELATIVE_ERROR) - 1e-12 {
            seconds if seconds > 0.0 => parameters.alpha() + parameters.hop() + Span::from_secs_f64(seconds),
            _ => Span::ZERO,
        }
    }
}

/// Prefix sums of a matrix, which give the sum of any rectangle in constant time. Rows and columns are in the order of nodes, so the
/// members in a region of the machine form few contiguous runs.
struct Sums {
    members: usize,
    /// Number of members before each node, followed by the number of all members.
    before: Vec<usize>,
    /// For `i` and `j` from 0 to the number of members: the bytes from the first `i` members to the first `j`.
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

    /// Returns the bytes that one contiguous run of members sends to another.
    fn between(&self, from: (usize, usize), to: (usize, usize)) -> u64 {
        let sum = |rows: usize, columns: usize| self.sums[rows * (self.members + 1) + columns];
        sum(from.1, to.1) + sum(from.0, to.0) - sum(from.0, to.1) - sum(from.1, to.0)
    }

    /// Returns the bytes that must leave and enter the region of `nodes`, which are in ascending order.
    fn inside(&self, nodes: &[Rank]) -> RegionTraffic {
        let run = |run: &[Rank]| (self.before[run[0]], self.before[run[0] + run.len()]);
        let runs: Vec<(usize, usize)> = nodes
            .chunk_by(|node, next| node + 1 == *next)
            .map(run)
            .filter(|(first, end)| first < end)
            .collect();
        let all = (0, self.members);
        let each_other = |&run| runs.iter().map(|&other| self.between(run, other)).sum::<u64>();
        let stays: u64 = runs.iter().map(each_other).sum();
        RegionTraffic {
            members: runs.iter().map(|(first, end)| end - first).sum(),
            out: runs.iter().map(|&run| self.between(run, all)).sum::<u64>() - stays,
            into: runs.iter().map(|&run| self.between(all, run)).sum::<u64>() - stays,
        }
    }
}

#[cfg(test)]
#[path = "bound_tests.rs"]
mod tests;
