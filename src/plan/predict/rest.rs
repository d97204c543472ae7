//! The rest of a schedule: a lower limit of the time of the steps that no node has come to yet.
//!
//! What nodes have not begun at an instant, their processors, their ports and the links on the way have still to do, and
//! that takes as long as the busiest of them needs. So a prediction that cannot end within a limit is given up long before
//! it has come to it.

use crate::{
    model::Description,
    pattern::{Schedule, Step},
    rank::Rank,
    time::Span,
};

/// What a prediction has still to do.
pub(super) struct Rest<'a> {
    machine: &'a Description,
    members: &'a [Rank],
    nodes: Vec<Node>,
    /// Bytes that each link has still to carry.
    links: Vec<u64>,
    route: Vec<usize>,
}

/// What a node has still to do.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The messages that it sends, and receives.
    sends: u64,
    receives: u64,
    /// The bytes of these.
    sent: u64,
    received: u64,
}

impl<'a> Rest<'a> {
    /// All of a schedule.
    pub(super) fn of(machine: &'a Description, members: &'a [Rank], schedule: &Schedule) -> Rest<'a> {
        let mut rest = Rest {
            machine,
            members,
            nodes: vec![Node::default(); schedule.nodes()],
            links: vec![0; machine.topology().links()],
            route: Vec::new(),
        };
        for rank in 0..schedule.nodes() {
            rest.change(rank, schedule.steps(rank), u64::wrapping_add);
        }
        rest
    }

    /// Takes away steps that a node has come to.
    pub(super) fn take(&mut self, rank: Rank, steps: &[Step]) {
        self.change(rank, steps, u64::wrapping_sub);
    }

    fn change(&mut self, rank: Rank, steps: &[Step], change: impl Fn(u64, u64) -> u64) {
        let topology = self.machine.topology();
        for step in steps {
            let node = &mut self.nodes[rank];
            if let Some(message) = step.action.received() {
                (node.receives, node.received) =
                    (change(node.receives, 1), change(node.received, message.bytes));
            }
            let Some(message) = step.action.sent() else { continue };
            (node.sends, node.sent) = (change(node.sends, 1), change(node.sent, message.bytes));
            let Some(&target) = self.members.get(message.peer) else { continue };
            self.route.clear();
            topology.route(self.members[rank], target, &mut self.route);
            for &link in &self.route {
                self.links[link] = change(self.links[link], message.bytes);
            }
        }
    }

    /// A lower limit of its time.
    pub(super) fn least(&self) -> Span {
        let (topology, parameters) = (self.machine.topology(), self.machine.parameters());
        let mut least = Span::ZERO;
        let mut ports = 0.0_f64;
        for node in &self.nodes {
            let calls = parameters.send_overhead().times(node.sends)
                + parameters.receive_overhead().times(node.receives);
            least = least.max(calls);
            let both = (node.sent as f64 + node.received as f64) / parameters.duplex();
            ports = ports.max(parameters.beta() * both.max(node.sent.max(node.received) as f64));
        }
        let capacity = |link| topology.capacity(link).unwrap_or_else(|| parameters.link_capacity());
        let links = self.links.iter().enumerate().filter(|&(_, &bytes)| bytes > 0);
        let links = links.map(|(link, &bytes)| bytes as f64 / capacity(link)).fold(0.0, f64::max);
        // A thousandth for what is rounded.
        least.max(Span::from_secs_f64(0.999 * ports.max(links)))
    }
}
