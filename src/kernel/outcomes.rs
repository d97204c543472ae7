//! What a run leaves: its results, and the messages that no call of a program has received.

use std::cmp::Reverse;

use super::{Kernel, Lost, node::NodeState, request::Request};
use crate::{
    fabric::{LinkLoad, Work},
    record::{Event, NodeRecord, Trace},
    time::Span,
    topology::LinkId,
    wire::{Label, MessageId, NodeId, RequestId},
};

/// The results of a run in modeled time.
#[derive(Debug)]
pub(crate) struct Outcomes {
    pub(crate) nodes: Vec<NodeRecord>,
    pub(crate) trace: Trace,
    /// The links crossed by messages, in the order of their numbers.
    pub(crate) links: Vec<(LinkId, LinkLoad)>,
    pub(crate) lost_to_sharing: Span,
    /// Target, label and length of each message that no program has received.
    pub(crate) unreceived: Vec<(NodeId, Label, u64)>,
    /// Each message that a fault has lost.
    pub(crate) lost: Vec<Lost>,
    pub(crate) work: Work,
}

impl Kernel {
    /// Returns the messages that no receive has taken, with their targets, ordered by sender.
    pub(crate) fn unreceived(&self) -> Vec<(NodeId, Label, u64)> {
        let mut unreceived = Vec::new();
        for (rank, node) in self.nodes.iter().enumerate() {
            let forgotten = node.lost.iter().map(|(_, _, message)| message);
            let lost = node.matching.arrived().chain(&node.undecided).chain(&node.claimed).chain(forgotten);
            let unread = lost.filter(|message| message.lost.is_none());
            unreceived
                .extend(unread.map(|message| (message.id, rank as NodeId, message.label, message.bytes)));
        }
        for (_, (target, message)) in self.flying.iter() {
            unreceived.push((message.id, *target, message.label, message.bytes));
        }
        unreceived.sort_by_key(|&(id, target, ..)| (id, target));
        unreceived.into_iter().map(|(_, target, label, bytes)| (target, label, bytes)).collect()
    }

    /// Returns the messages that receives have taken without a call of the program that ends the receive: the node, its request (`None` for the
    /// receiving half of a `sendrecv`), and the message.
    pub(crate) fn taken(&self) -> Vec<(NodeId, Option<RequestId>, MessageId)> {
        let mut taken = Vec::new();
        for (rank, node) in (0..).zip(&self.nodes) {
            let received = node.requests.iter().filter_map(|(&request, state)| match state {
                Request::Received { message, .. } => Some((rank, Some(request), message.id)),
                _ => None,
            });
            taken.extend(received);
            taken.extend(node.lost.iter().map(|(request, _, message)| (rank, Some(*request), message.id)));
            if let NodeState::SendRecv { received: Some(message), .. } = &node.state {
                taken.push((rank, None, message.id));
            }
        }
        taken
    }

    /// Returns the results of the run, after its last event.
    pub(crate) fn outcomes(mut self) -> Outcomes {
        let unreceived = self.unreceived();
        let mut events = Vec::new();
        for node in &mut self.nodes {
            events.append(&mut node.events);
        }
        let mut transfers = self.transfers;
        // Transfers that do not use the network may have been recorded ahead of it.
        transfers.sort_unstable_by_key(|transfer| (transfer.left, transfer.from, transfer.seq));
        events.sort_by_key(|event: &Event| (event.start, event.rank, Reverse(event.end)));
        // The changes of one node are already in order.
        let mut contents = self.contents;
        contents.sort_by_key(|content| (content.at, content.rank));
        let shares = self.fabric.take_shares(self.now);
        let mut lost = self.faults.map(|faults| faults.lost).unwrap_or_default();
        // Nodes that run ahead of the network may have recorded losses before others.
        lost.sort_unstable_by_key(|lost| (lost.at, lost.id));
        Outcomes {
            links: self.fabric.link_loads(),
            lost_to_sharing: self.fabric.lost_to_sharing(),
            work: self.fabric.work(),
            nodes: self.nodes.into_iter().map(|node| node.record).collect(),
            trace: Trace { events, transfers, shares, contents },
            lost,
            unreceived,
        }
    }
}
