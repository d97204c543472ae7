//! A blocked node in serializable form.

use serde::{Deserialize, Serialize};

use crate::{
    kernel::{BlockedNode, WaitsFor},
    rank::Rank,
    time::{Span, Time},
};

/// The maximum number of requests of one wait in a shortened report.
const FEW: usize = 8;

/// A blocked node, as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ToldNode {
    rank: Rank,
    /// The clock of the node at the start of the wait, in picoseconds.
    since: u64,
    waits_for: WaitsFor,
    within: Option<String>,
}

impl ToldNode {
    /// Returns the node with at most `FEW` requests.
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
            // The leak is small: a run ends once, and libraries have few names.
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
