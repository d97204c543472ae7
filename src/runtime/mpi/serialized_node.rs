//! A blocked node in serializable form.

use serde::{Deserialize, Serialize};

use crate::{
    kernel::{BlockedNode, WaitsFor},
    rank::Rank,
    time::{Span, Time},
};

/// The maximum number of requests of one wait in a shortened report.
const MAX_REQUESTS: usize = 8;

/// A blocked node, as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SerializedNode {
    rank: Rank,
    /// The clock of the node at the start of the wait, in picoseconds.
    since: u64,
    waits_for: WaitsFor,
    within: Option<String>,
    last_call: Option<String>,
}

impl SerializedNode {
    /// Returns the node with at most `MAX_REQUESTS` requests.
    pub(super) fn shortened(mut self) -> SerializedNode {
        if let WaitsFor::Requests(requests) = &mut self.waits_for {
            requests.truncate(MAX_REQUESTS);
        }
        self
    }
}

impl From<BlockedNode> for SerializedNode {
    fn from(node: BlockedNode) -> SerializedNode {
        SerializedNode {
            rank: node.rank,
            since: node.since.since_start().as_picos(),
            waits_for: node.waits_for,
            within: node.within.map(str::to_owned),
            last_call: node.last_call,
        }
    }
}

impl From<SerializedNode> for BlockedNode {
    fn from(node: SerializedNode) -> BlockedNode {
        BlockedNode {
            rank: node.rank,
            since: Time::ZERO + Span::from_picos(node.since),
            waits_for: node.waits_for,
            // The leak is small: a run ends once, and libraries have few names.
            within: node.within.map(|name| &*Box::leak(name.into_boxed_str())),
            last_call: node.last_call,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blocked_node_survives_serialization() {
        let node = BlockedNode {
            rank: 3,
            since: Time::ZERO + Span::from_picos(u64::MAX),
            waits_for: WaitsFor::Requests(vec![WaitsFor::Barrier; 9]),
            within: Some("all-gather"),
            last_call: Some("src/main.rs:12:24".into()),
        };
        let text = serde_json::to_vec(&SerializedNode::from(node.clone())).unwrap();
        let decoded: SerializedNode = serde_json::from_slice(&text).unwrap();
        let shorter = BlockedNode::from(decoded.clone().shortened());
        assert_eq!(BlockedNode::from(decoded), node);
        assert_eq!(shorter.waits_for, WaitsFor::Requests(vec![WaitsFor::Barrier; MAX_REQUESTS]));
    }
}
