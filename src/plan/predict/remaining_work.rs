//! Lower bound on the remaining work of a schedule.
//!
//! Steps that nodes have not begun at an instant still occupy processors, ports and links, and take at least the time
//! of the busiest resource. A prediction that cannot end within a limit is therefore stopped early.

use super::super::bound::{MARGIN, port_load};
use crate::{
    model::MachineSpec,
    pattern::{Schedule, Step},
    rank::Rank,
    time::Span,
    topology::LinkId,
};

/// The remaining work of a prediction.
pub(super) struct RemainingWork<'a> {
    machine: &'a MachineSpec,
    nodes: Vec<Node>,
    /// The total bytes over each link. `capacities` has the bytes per second of each link (1 if unused).
    links: Vec<u64>,
    capacities: Vec<f64>,
}

/// The remaining work of a node.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The numbers of messages to send and to receive.
    sends: u64,
    receives: u64,
    /// The bytes to send, and the bytes that others will send to this node: they may arrive long before their receives.
    sent: u64,
    coming: u64,
}

/// Adds or removes the steps of a node.
fn update(nodes: &mut [Node], rank: Rank, steps: &[Step], update: impl Fn(u64, u64) -> u64) {
    for step in steps {
        if step.action.received().is_some() {
            nodes[rank].receives = update(nodes[rank].receives, 1);
        }
        if let Some(message) = step.action.sent() {
            nodes[rank].sends = update(nodes[rank].sends, 1);
            nodes[rank].sent = update(nodes[rank].sent, message.bytes);
            nodes[message.peer].coming = update(nodes[message.peer].coming, message.bytes);
        }
    }
}

impl<'a> RemainingWork<'a> {
    /// Returns the work of a whole schedule.
    pub(super) fn of(machine: &'a MachineSpec, members: &[Rank], schedule: &Schedule) -> RemainingWork<'a> {
        let topology = machine.topology();
        let mut nodes = vec![Node::default(); schedule.nodes()];
        let mut links = vec![0_u64; topology.links()];
        let mut route = Vec::new();
        // The bytes to each peer, and the peers with any: most schedules send many messages along the same route.
        let (mut to, mut peers) = (vec![0_u64; schedule.nodes()], Vec::new());
        for rank in 0..schedule.nodes() {
            update(&mut nodes, rank, schedule.steps(rank), u64::saturating_add);
            for message in schedule.steps(rank).iter().filter_map(|step| step.action.sent()) {
                if to[message.peer] == 0 && message.bytes > 0 {
                    peers.push(message.peer);
                }
                to[message.peer] = to[message.peer].saturating_add(message.bytes);
            }
            for peer in peers.drain(..) {
                let bytes = std::mem::take(&mut to[peer]);
                route.clear();
                topology.route(members[rank], members[peer], &mut route);
                for &link in &route {
                    links[link] = links[link].saturating_add(bytes);
                }
            }
        }
        let used = |(link, &bytes): (LinkId, &u64)| if bytes > 0 { machine.link_capacity(link) } else { 1.0 };
        let capacities = links.iter().enumerate().map(used).collect();
        RemainingWork { machine, nodes, links, capacities }
    }

    /// Removes steps that a node has begun.
    pub(super) fn take(&mut self, rank: Rank, steps: &[Step]) {
        update(&mut self.nodes, rank, steps, u64::saturating_sub);
    }

    /// Returns a lower bound on the remaining time. `carried` are the bytes that links have carried or begun to carry.
    pub(super) fn lower_bound(&self, carried: impl Iterator<Item = (LinkId, u64)>) -> Span {
        let parameters = self.machine.parameters();
        let mut calls = Span::ZERO;
        let mut ports = 0.0_f64;
        for node in &self.nodes {
            let sends = parameters.send_overhead().times(node.sends);
            calls = calls.max(sends + parameters.receive_overhead().times(node.receives));
            ports = ports.max(parameters.node_beta() * port_load(parameters, node.sent, node.coming));
        }
        let mut left = self.links.clone();
        for (link, bytes) in carried {
            left[link] = left[link].saturating_sub(bytes);
        }
        let links = left.iter().zip(&self.capacities).map(|(&bytes, capacity)| bytes as f64 / capacity);
        let links = links.fold(0.0, f64::max);
        calls.max(Span::from_secs_f64(MARGIN * ports.max(links)))
    }
}
