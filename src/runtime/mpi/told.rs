//! A blocked node as ranks tell each other of it.

use serde::{Deserialize, Serialize};

use crate::{
    kernel::{BlockedNode, WaitsFor},
    rank::Rank,
    time::{Span, Time},
};

/// The most requests of one wait that are told where all of them have no room.
const FEW: usize = 8;

/// A blocked node, as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ToldNode {
    rank: Rank,
    /// The picoseconds of its clock since which it waits.
    since: u64,
    waits_for: WaitsFor,
    within: Option<String>,
}

impl ToldNode {
    /// The same with fewer requests.
    pub(super) fn shortened(mut self) -> ToldNode {
        if let WaitsFor::Requests(requests) = &mut self.waits_for {
            requests.truncate(FEW);
        }
        self
    }
}

impl From<BlockedNode> for ToldNode {
    fn from(node: BlockedNode) -> ToldNode {
        ToldNode {
            rank: node.rank,
            since: node.since.since_start().as_picos(),
            waits_for: node.waits_for,
            within: node.within.map(str::to_owned),
        }
    }
}

impl From<ToldNode> for BlockedNode {
    fn from(told: ToldNode) -> BlockedNode {
        BlockedNode {
            rank: told.rank,
            since: Time::ZERO + Span::from_picos(told.since),
            waits_for: told.waits_for,
            // A run ends once, and libraries have few names.
            within: told.within.map(|name| &*Box::leak(name.into_boxed_str())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_comes_back_as_it_was_told() {
        let node = BlockedNode {
            rank: 3,
            since: Time::ZERO + Span::from_picos(u64::MAX),
            waits_for: WaitsFor::Requests(vec![WaitsFor::Barrier; 9]),
            within: Some("collect"),
        };
        let text = serde_json::to_vec(&ToldNode::from(node.clone())).unwrap();
        let told: ToldNode = serde_json::from_slice(&text).unwrap();
        let shorter = BlockedNode::from(told.clone().shortened());
        assert_eq!(BlockedNode::from(told), node);
        assert_eq!(shorter.waits_for, WaitsFor::Requests(vec![WaitsFor::Barrier; FEW]));
    }
}
