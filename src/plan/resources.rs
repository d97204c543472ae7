//! The ports and links of a machine, as messages between members take them.

use std::collections::BTreeMap;

use crate::{
    model::{Description, Fault, Faults},
    pattern::network::Pair,
    rank::Rank,
    topology::LinkId,
};

/// The ports and links of a machine that can be short.
pub(crate) struct Resources<'a> {
    machine: &'a Description,
    members: &'a [Rank],
    /// The links that may limit messages where ports do not, with their numbers.
    limiting: BTreeMap<LinkId, u32>,
}

/// Whether messages always take the route that the topology has for them: around a dead link they may take others.
pub(crate) fn has_fixed_routes(machine: &Description) -> bool {
    let goes_around = |faults: &Faults| {
        faults.has_detours() && faults.list().iter().any(|fault| matches!(fault, Fault::Dead { .. }))
    };
    !machine.faults().is_some_and(goes_around)
}

impl<'a> Resources<'a> {
    /// Those between these members.
    pub(crate) fn of(machine: &'a Description, members: &'a [Rank]) -> Resources<'a> {
        let (nodes, parameters) = (members.len(), machine.parameters());
        let mut resources = Resources { machine, members, limiting: BTreeMap::new() };
        // The only sender over each link, and the only receiver, if there is no other.
        let mut ends: BTreeMap<LinkId, (Option<Rank>, Option<Rank>)> = BTreeMap::new();
        for (from, to) in (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes)) {
            for link in resources.route(from, to) {
                let (sender, receiver) = ends.entry(link).or_insert((Some(from), Some(to)));
                *sender = sender.filter(|&only| only == from);
                *receiver = receiver.filter(|&only| only == to);
            }
        }
        // A link of one sender alone, which has one port, or of one sender or receiver that is no slower than its ports, limits
        // nothing by itself.
        let limits = |link: LinkId, (sender, receiver): (Option<Rank>, Option<Rank>)| {
            let seconds = resources.seconds(link);
            let is_shared = sender.is_none() && receiver.is_none();
            let has_no_port = sender.is_none() || parameters.ports() > 1;
            seconds > 0.0 && has_no_port && (is_shared || seconds > parameters.node_beta())
        };
        let limiting = ends.into_iter().filter(|&(link, ends)| limits(link, ends)).map(|(link, _)| link);
        resources.limiting = limiting.zip(4 * nodes as u32..).collect();
        resources
    }

    fn route(&self, from: Rank, to: Rank) -> Vec<LinkId> {
        let mut route = Vec::new();
        self.machine.topology().route(self.members[from], self.members[to], &mut route);
        route
    }

    /// The seconds that a byte takes a link.
    fn seconds(&self, link: LinkId) -> f64 {
        let machine = self.machine;
        1.0 / machine.topology().capacity(link).unwrap_or_else(|| machine.parameters().link_capacity())
    }

    /// The resources that a message from one member to another takes: the sender's out-port and the receiver's in-port, both ports of both
    /// together if they are not full duplex, and links.
    pub(crate) fn message(&self, from: Rank, to: Rank) -> Pair {
        let (parameters, route) = (self.machine.parameters(), self.route(from, to));
        let (ports, node_beta) = (f64::from(parameters.ports()), parameters.node_beta());
        let alone = route.iter().map(|&link| self.seconds(link)).fold(parameters.beta(), f64::max);
        let mut uses = vec![(self.number(0, from), alone / ports), (self.number(1, to), node_beta)];
        if parameters.duplex() < 2.0 {
            uses.extend([from, to].map(|node| (self.number(2, node), node_beta / parameters.duplex())));
        }
        uses.extend(route.iter().filter_map(|link| Some((*self.limiting.get(link)?, self.seconds(*link)))));
        uses
    }

    /// The processor of a member.
    pub(crate) fn processor(&self, member: Rank) -> u32 {
        self.number(3, member)
    }

    fn number(&self, kind: usize, member: Rank) -> u32 {
        (kind * self.members.len() + member) as u32
    }
}
