//! A closed form of the time to pass messages on along axes.

use super::{super::Instance, digits::Axis, parts};
use crate::{rank::Rank, topology::LinkId};

/// The closed form for messages of their mean length.
pub(in crate::exchange) struct ClosedForm<'a> {
    pub(in crate::exchange) instance: &'a Instance,
    /// The rank at each place.
    ranks: &'a [Rank],
    /// The bytes that a rank has for all others.
    bytes: f64,
}

impl ClosedForm<'_> {
    pub(in crate::exchange) fn of<'a>(instance: &'a Instance, ranks: &'a [Rank]) -> ClosedForm<'a> {
        let bytes = parts(instance.matrix()).map(|part| part.bytes).fold(0, u64::saturating_add);
        ClosedForm { instance, ranks, bytes: bytes as f64 / instance.size() as f64 }
    }

    /// The seconds of all messages along some axes if no link is short of anything.
    pub(in crate::exchange) fn least(&self, axes: &[Axis]) -> f64 {
        let parameters = self.instance.parameters();
        let byte = parameters.copy() + parameters.beta() * 2.0 / parameters.duplex();
        let along = |axis: &Axis| {
            let moves = (0..axis.extent).map(|way| axis.moves(way)).sum::<u64>() as f64 / axis.extent as f64;
            axis.messages() as f64 * parameters.alpha().as_secs_f64() + moves * self.bytes * byte
        };
        axes.iter().map(along).sum()
    }

    /// The seconds of all messages along some axes: for each that a rank sends a start-up and its way through the network, and the
    /// bytes of ports, or those of the link that carries the most at that time.
    pub(in crate::exchange) fn time(&self, axes: &[Axis]) -> f64 {
        let (parameters, topology) = (self.instance.parameters(), self.instance.machine().topology());
        let (members, nodes) = (self.instance.members(), self.instance.size());
        let seconds =
            |link: LinkId| 1.0 / topology.capacity(link).unwrap_or_else(|| parameters.link_capacity());
        let mut carried = vec![0.0; topology.links()];
        let (mut route, mut used) = (Vec::new(), Vec::new());
        let mut all = 0.0;
        for axis in axes {
            for (weight, values) in axis.digits() {
                for value in 1..values {
                    let is_moved = |way: &usize| way / weight % axis.radix == value;
                    let share = (0..axis.extent).filter(is_moved).count() as f64 / axis.extent as f64;
                    for place in 0..nodes {
                        let to = axis.further(place, value * weight);
                        topology.route(members[self.ranks[place]], members[self.ranks[to]], &mut route);
                        route.iter().for_each(|&link| carried[link] += seconds(link));
                        used.append(&mut route);
                    }
                    let busiest = used.iter().map(|&link| carried[link]).fold(0.0, f64::max);
                    let ports = parameters.beta() * 2.0 / parameters.duplex();
                    let way = parameters.hop().as_secs_f64() * used.len() as f64 / nodes as f64;
                    used.drain(..).for_each(|link| carried[link] = 0.0);
                    all += parameters.alpha().as_secs_f64() + way;
                    all += share * self.bytes * (parameters.copy() + ports.max(busiest));
                }
            }
        }
        all
    }
}
