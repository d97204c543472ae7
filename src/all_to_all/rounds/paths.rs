//! Links on the paths of direct messages, for schedules that avoid contention.

use super::{super::Instance, Part, parts};
use crate::{plan::bound::MARGIN, rank::Rank, time::Span, topology::LinkId};

/// Upper limit on port and link speeds in bytes/s, which keeps sums of rates finite.
const MAX_RATE: f64 = 1e18;

/// Paths of all messages of an exchange.
pub(crate) struct Paths {
    nodes: usize,
    /// Index in `links` of the first link of each pair of ranks, followed by the length of `links`.
    starts: Vec<u32>,
    links: Vec<u32>,
    /// Capacity of each link in bytes/s.
    pub(crate) capacity: Vec<f64>,
    /// Rates in bytes/s at which each rank sends and receives if it completes both at the same time.
    out: Vec<f64>,
    into: Vec<f64>,
    /// Rate in bytes/s of a message whose sender and receiver are fully busy in both directions.
    pub(crate) room: f64,
}

impl Paths {
    /// Finds the paths of the messages of an instance.
    pub(crate) fn of(instance: &Instance) -> Paths {
        let (machine, nodes) = (instance.machine(), instance.size());
        let (topology, parameters) = (machine.topology(), machine.parameters());
        let mut paths = Paths {
            nodes,
            starts: Vec::with_capacity(nodes * nodes + 1),
            links: Vec::new(),
            capacity: (0..topology.links()).map(|link| machine.link_capacity(link).min(MAX_RATE)).collect(),
            out: Vec::with_capacity(nodes),
            into: Vec::with_capacity(nodes),
            room: (parameters.port_capacity() * parameters.duplex() / 2.0).min(MAX_RATE),
        };
        let matrix = instance.matrix();
        for rank in 0..nodes {
            let own = matrix.get(rank, rank);
            let (sent, received) = ((matrix.sent(rank) - own) as f64, (matrix.received(rank) - own) as f64);
            let port = parameters.port_capacity().min(MAX_RATE);
            let share = |bytes: f64| match sent + received > 0.0 {
                true => (parameters.duplex() * bytes / (sent + received)).min(1.0),
                false => 1.0,
            };
            paths.out.push(port * share(sent));
            paths.into.push(port * share(received));
        }
        let mut route = Vec::new();
        for Part { from, to, .. } in parts(matrix) {
            // Pairs without a message have empty ranges.
            paths.starts.resize(from * nodes + to + 1, paths.links.len() as u32);
            route.clear();
            topology.route(instance.members()[from], instance.members()[to], &mut route);
            paths.links.extend(route.iter().map(|&link| link as u32));
        }
        paths.starts.resize(nodes * nodes + 1, paths.links.len() as u32);
        paths
    }

    /// Returns a lower bound on the time of direct messages of `bytes(from, to)` bytes: the time of the busiest link.
    pub(crate) fn link_bound(instance: &Instance, bytes: impl Fn(Rank, Rank) -> u64) -> Span {
        let (topology, members) = (instance.machine().topology(), instance.members());
        let mut carried = vec![0_u64; topology.links()];
        let mut route = Vec::new();
        for from in 0..members.len() {
            for to in (0..members.len()).filter(|&to| to != from) {
                let bytes = bytes(from, to);
                if bytes == 0 {
                    continue;
                }
                route.clear();
                topology.route(members[from], members[to], &mut route);
                for &link in &route {
                    carried[link] = carried[link].saturating_add(bytes);
                }
            }
        }
        let machine = instance.machine();
        let time = |(link, &bytes): (LinkId, &u64)| bytes as f64 / machine.link_capacity(link);
        Span::from_secs_f64(MARGIN * carried.iter().enumerate().map(time).fold(0.0, f64::max))
    }

    /// Returns the links of a message.
    #[inline]
    pub(crate) fn path(&self, part: &Part) -> &[u32] {
        let pair = part.from * self.nodes + part.to;
        &self.links[self.starts[pair] as usize..self.starts[pair + 1] as usize]
    }

    /// Returns the total number of links of all paths.
    pub(crate) fn total_links(&self) -> usize {
        self.links.len()
    }

    /// Returns the rate of a message in bytes/s if no link slows it down.
    pub(crate) fn rate(&self, from: Rank, to: Rank) -> f64 {
        self.out[from].min(self.into[to])
    }

    /// Returns the time in seconds of a part that moves at its [rate](Paths::rate).
    pub(crate) fn time(&self, part: &Part) -> f64 {
        part.bytes as f64 / self.rate(part.from, part.to)
    }

    /// Returns whether no link can slow down any message, even if all nodes send over the same link at the same time.
    pub(crate) fn links_never_limit(&self) -> bool {
        let slowest = self.capacity.iter().copied().fold(f64::INFINITY, f64::min);
        slowest >= self.out.iter().sum::<f64>()
    }
}
