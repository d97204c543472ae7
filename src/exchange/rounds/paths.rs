//! The links that messages take if they go straight to their receivers, for schedules that keep them free.

use super::{super::Instance, Part, parts};
use crate::{rank::Rank, time::Span, topology::LinkId};

/// No port is taken to be faster than this, in bytes/s, so that all sums of rates are numbers.
const FASTEST: f64 = 1e18;

/// The paths of all messages of an exchange.
pub(crate) struct Paths {
    nodes: usize,
    /// The start of the links of each pair of ranks, and at last their end.
    starts: Vec<u32>,
    links: Vec<u32>,
    /// The capacity of each link, in bytes/s.
    pub(crate) capacity: Vec<f64>,
    /// The speed at which each rank sends, and receives, in bytes/s, if it is to be through with both at the same time.
    out: Vec<f64>,
    into: Vec<f64>,
    /// The part of a link that a message takes if its sender and its receiver are as busy both ways as they can be, in
    /// bytes/s.
    pub(crate) room: f64,
}

impl Paths {
    /// The paths of the messages of an instance.
    pub(crate) fn of(instance: &Instance) -> Paths {
        let (machine, nodes) = (instance.machine(), instance.size());
        let (topology, parameters) = (machine.topology(), machine.parameters());
        let capacity = |link: LinkId| topology.capacity(link).unwrap_or_else(|| parameters.link_capacity());
        let mut paths = Paths {
            nodes,
            starts: Vec::with_capacity(nodes * nodes + 1),
            links: Vec::new(),
            capacity: (0..topology.links()).map(|link| capacity(link).min(FASTEST)).collect(),
            out: Vec::with_capacity(nodes),
            into: Vec::with_capacity(nodes),
            room: (parameters.port_capacity() * parameters.duplex() / 2.0).min(FASTEST),
        };
        let matrix = instance.matrix();
        for rank in 0..nodes {
            let own = matrix.get(rank, rank);
            let (sent, received) = ((matrix.sent(rank) - own) as f64, (matrix.received(rank) - own) as f64);
            let port = parameters.port_capacity().min(FASTEST);
            let share = |bytes: f64| match sent + received > 0.0 {
                true => (parameters.duplex() * bytes / (sent + received)).min(1.0),
                false => 1.0,
            };
            paths.out.push(port * share(sent));
            paths.into.push(port * share(received));
        }
        let mut route = Vec::new();
        for Part { from, to, .. } in parts(matrix) {
            // Those before it have none.
            paths.starts.resize(from * nodes + to + 1, paths.links.len() as u32);
            route.clear();
            topology.route(instance.members()[from], instance.members()[to], &mut route);
            paths.links.extend(route.iter().map(|&link| link as u32));
        }
        paths.starts.resize(nodes * nodes + 1, paths.links.len() as u32);
        paths
    }

    /// A lower limit of the time of messages that go straight to their receivers, `bytes(from, to)` each: that of the link
    /// with the most to carry.
    pub(crate) fn least(instance: &Instance, bytes: impl Fn(Rank, Rank) -> u64) -> Span {
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
        let parameters = instance.parameters();
        let time = |(link, &bytes): (LinkId, &u64)| {
            bytes as f64 / topology.capacity(link).unwrap_or_else(|| parameters.link_capacity())
        };
        // A thousandth for what is rounded.
        Span::from_secs_f64(0.999 * carried.iter().enumerate().map(time).fold(0.0, f64::max))
    }

    /// The links that a part of a message takes.
    #[inline]
    pub(crate) fn path(&self, part: &Part) -> &[u32] {
        let pair = part.from * self.nodes + part.to;
        &self.links[self.starts[pair] as usize..self.starts[pair + 1] as usize]
    }

    /// The number of links of all paths together.
    pub(crate) fn length(&self) -> usize {
        self.links.len()
    }

    /// The speed of a message if no link is too narrow, in bytes/s.
    pub(crate) fn rate(&self, from: Rank, to: Rank) -> f64 {
        self.out[from].min(self.into[to])
    }

    /// The time of a part at that rate, in seconds.
    pub(crate) fn time(&self, part: &Part) -> f64 {
        part.bytes as f64 / self.rate(part.from, part.to)
    }

    /// Whether all nodes can send at once and no link slows any of them down, whoever sends to whom.
    pub(crate) fn are_wide(&self) -> bool {
        let slowest = self.capacity.iter().copied().fold(f64::INFINITY, f64::min);
        slowest >= self.out.iter().sum::<f64>()
    }
}
