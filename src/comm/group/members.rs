//! The members of a group, by rank and by node.

use std::rc::Rc;

use crate::{comm::Message, endpoint::Envelope, rank::Rank, wire::Label};

/// The ranks of a group as nodes of the world.
#[derive(Clone)]
pub(in crate::comm) enum Members {
    /// The nodes `first`, `first + stride`, ..
    Strided { first: Rank, stride: usize, size: usize },
    /// Any list of nodes, and (node, rank) pairs sorted by node.
    Listed { nodes: Rc<[Rank]>, ranks: Rc<[(Rank, Rank)]> },
}

impl Members {
    /// Makes members of a list of nodes; `None` if the list is empty or has a node twice.
    pub(super) fn of(nodes: &Rc<[Rank]>) -> Option<Members> {
        let (&first, size) = (nodes.first()?, nodes.len());
        let stride = nodes.get(1).map_or(Some(1), |second| second.checked_sub(first)).unwrap_or(0);
        if stride > 0 && nodes.iter().enumerate().all(|(rank, &node)| node == first + rank * stride) {
            return Some(Members::Strided { first, stride, size });
        }
        let mut ranks: Vec<(Rank, Rank)> = nodes.iter().copied().zip(0..).collect();
        ranks.sort_unstable();
        let has_twice = ranks.windows(2).any(|pair| pair[0].0 == pair[1].0);
        (!has_twice).then(|| Members::Listed { nodes: nodes.clone(), ranks: ranks.into() })
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Members::Strided { size, .. } => *size,
            Members::Listed { nodes, .. } => nodes.len(),
        }
    }

    /// The node of the world that has this rank in the group.
    pub(super) fn node(&self, rank: Rank) -> Rank {
        match self {
            Members::Strided { first, stride, .. } => first + stride * rank,
            Members::Listed { nodes, .. } => nodes[rank],
        }
    }

    /// The rank of a node of the world in the group.
    pub(super) fn rank(&self, node: Rank) -> Option<Rank> {
        match self {
            Members::Strided { first, stride, size } => {
                let offset = node.checked_sub(*first)?;
                (offset % stride == 0 && offset / stride < *size).then_some(offset / stride)
            }
            Members::Listed { ranks, .. } => {
                ranks.binary_search_by_key(&node, |&(node, _)| node).ok().map(|at| ranks[at].1)
            }
        }
    }

    /// The sender of a message, as a rank of the group.
    pub(super) fn source_of(&self, label: Label) -> Rank {
        // Only members use the group's context, so the sender is a member.
        self.rank(label.source as Rank).unwrap_or_default()
    }

    /// Converts a received message.
    pub(in crate::comm) fn message(&self, envelope: Envelope) -> Message {
        let Envelope { id, label, payload } = envelope;
        Message { source: self.source_of(label), tag: label.tag, payload, id }
    }
}
