//! The ports and links of a machine that messages between members occupy.

use std::collections::BTreeMap;

use crate::{
    model::{Fault, Faults, MachineSpec},
    pattern::network::Pair,
    rank::Rank,
    topology::LinkId,
};

/// The ports and links of a machine that can become bottlenecks.
pub(crate) struct Resources<'a> {
    machine: &'a MachineSpec,
    members: &'a [Rank],
    /// The links that may limit messages beyond the ports, with their resource numbers.
    limiting: BTreeMap<LinkId, u32>,
}

/// Returns whether messages always take the topology's route. Around a dead link, messages may take a detour.
pub(crate) fn has_fixed_routes(machine: &MachineSpec) -> bool {
    let goes_around = |faults: &Faults| {
        faults.has_detours() && faults.list().iter().any(|fault| matches!(fault, Fault::Dead { .. }))
    };
    !machine.faults().is_some_and(goes_around)
}

impl<'a> Resources<'a> {
    /// Returns the resources between these members.
    pub(crate) fn of(machine: &'a MachineSpec, members: &'a [Rank]) -> Resources<'a> {
        let (nodes, parameters) = (members.len(), machine.parameters());
        let mut resources = Resources { machine, members, limiting: BTreeMap::new() };
        // The only sender over each link and the only receiver; `None` if there are several.
        let mut ends: BTreeMap<LinkId, (Option<Rank>, Option<Rank>)> = BTreeMap::new();
        for (from, to) in (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes)) {
            for link in resources.route(from, to) {
                let (sender, receiver) = ends.entry(link).or_insert((Some(from), Some(to)));
                *sender = sender.filter(|&only| only == from);
                *receiver = receiver.filter(|&only| only == to);
            }
        }
        // A link adds no limit if its only sender has one port, or if it has one sender or receiver and is at least as fast as a node.
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

    /// Returns the seconds per byte of a link.
    fn seconds(&self, link: LinkId) -> f64 {
        1.0 / self.machine.link_capacity(link)
    }

    /// Returns the resources that a message occupies, each with its seconds per byte: the sender's out-port, the
    /// receiver's in-port, both ports of each node together if nodes are not full duplex, and links.
    pub(crate) fn message(&self, from: Rank, to: Rank) -> Pair {
        let (parameters, route) = (self.machine.parameters(), self.route(from, to));
        let (ports, node_beta) = (f64::from(parameters.ports()), parameters.node_beta());
        let bottleneck = route.iter().map(|&link| self.seconds(link)).fold(parameters.beta(), f64::max);
        let mut uses = vec![(self.number(0, from), bottleneck / ports), (self.number(1, to), node_beta)];
        if parameters.duplex() < 2.0 {
            uses.extend([from, to].map(|node| (self.number(2, node), node_beta / parameters.duplex())));
        }
        uses.extend(route.iter().filter_map(|link| Some((*self.limiting.get(link)?, self.seconds(*link)))));
        uses
    }

    /// Returns the resource number of a member's processor.
    pub(crate) fn processor(&self, member: Rank) -> u32 {
        self.number(3, member)
    }

    fn number(&self, kind: usize, member: Rank) -> u32 {
        (kind * self.members.len() + member) as u32
    }
}
