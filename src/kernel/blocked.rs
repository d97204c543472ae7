//! The blocked nodes of a machine with their reasons: the content of a deadlock report.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Kernel, node::NodeState, request::Request};
use crate::{
    rank::{Rank, Tag},
    time::Time,
    wire::{Context, NodeId, RequestId, Selector, WAIT_ALL},
};

/// A blocked node, the time of its clock when it blocked, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BlockedNode {
    /// The node, as a rank of the world.
    pub rank: Rank,
    /// The node's clock when it made the call.
    pub since: Time,
    /// The event that the call waits for.
    pub waits_for: WaitsFor,
    /// The library call that the program is in, such as `all-gather`, if any.
    pub within: Option<&'static str>,
    /// The place in the program of the node's last call, such as `src/main.rs:12:24`: the call that waits, or, if the node runs, the call
    /// before. `None` if the program has made no call.
    pub last_call: Option<String>,
}

/// The event that a blocked node waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum WaitsFor {
    /// A message.
    Message {
        /// The requested sender, as a rank of the world; `None` is any sender.
        source: Option<Rank>,
        /// The requested tag; `None` is any tag.
        tag: Option<Tag>,
        /// The group in which the message is to be sent.
        group: String,
    },
    /// One of several requests, none of which is complete.
    Requests(Vec<WaitsFor>),
    /// A receive that takes a message sent by the node, on a machine with [rendezvous](crate::MachineBuilder::rendezvous).
    Receive {
        /// The receiving node, as a rank of the world.
        by: Rank,
        /// The tag of the message.
        tag: Tag,
        /// The group in which the message was sent.
        group: String,
    },
    /// The departure of a message sent by the node.
    Departure,
    /// The hardware barrier, which other nodes have not reached.
    Barrier,
    /// Nothing: the node computes, or the host has not run its thread.
    Nothing,
}

impl WaitsFor {
    /// The nodes, as ranks of the world, of which at least one must act before the node can continue, if the call names any.
    pub fn sources(&self) -> Vec<Rank> {
        match self {
            WaitsFor::Message { source, .. } => source.iter().copied().collect(),
            WaitsFor::Receive { by, .. } => vec![*by],
            WaitsFor::Requests(requests) => requests.iter().flat_map(WaitsFor::sources).collect(),
            WaitsFor::Departure | WaitsFor::Barrier | WaitsFor::Nothing => Vec::new(),
        }
    }
}

impl WaitsFor {
    /// The groups that the event names.
    fn groups(&self) -> Vec<&str> {
        match self {
            WaitsFor::Message { group, .. } | WaitsFor::Receive { group, .. } => vec![public(group)],
            WaitsFor::Requests(requests) => requests.iter().flat_map(WaitsFor::groups).collect(),
            WaitsFor::Departure | WaitsFor::Barrier | WaitsFor::Nothing => Vec::new(),
        }
    }

    /// Writes the event; names groups other than `implied`.
    fn write(&self, f: &mut impl fmt::Write, implied: &str) -> fmt::Result {
        match self {
            WaitsFor::Message { source, tag, group } => {
                match source {
                    Some(rank) => write!(f, "a message from node {rank}")?,
                    None => f.write_str("a message from any node")?,
                }
                if let Some(tag) = tag {
                    write!(f, " with {tag}")?;
                }
                f.write_str(&in_group(group, implied))
            }
            WaitsFor::Requests(requests) => {
                for (i, request) in requests.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { " or " })?;
                    request.write(f, implied)?;
                }
                Ok(())
            }
            WaitsFor::Receive { by, tag, group } => {
                write!(f, "a receive by node {by} of its message with {tag}")?;
                f.write_str(&in_group(group, implied))
            }
            WaitsFor::Departure => f.write_str("its own message to leave"),
            WaitsFor::Barrier => f.write_str("the hardware barrier"),
            WaitsFor::Nothing => f.write_str("nothing"),
        }
    }
}

impl fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "")
    }
}

impl BlockedNode {
    /// Writes the node and its event; names groups other than `implied`.
    fn write(&self, f: &mut impl fmt::Write, implied: &str) -> fmt::Result {
        let (rank, since) = (self.rank, self.since);
        if self.waits_for == WaitsFor::Nothing {
            let within = self.within.map_or_else(String::new, |within| format!(" in {within}"));
            return write!(f, "node {rank} was running{within}, its clock at {since}");
        }
        write!(f, "node {rank} has waited since {since}")?;
        match (&self.waits_for, self.within) {
            // The tags of messages inside a library call are meaningless to its caller.
            (WaitsFor::Message { source: Some(source), group, .. }, Some(within)) if within != WAIT_ALL => {
                write!(f, " in {within}{} for node {source}", of_group(group, implied))
            }
            (WaitsFor::Receive { by, group, .. }, Some(within)) if within != WAIT_ALL => {
                write!(f, " in {within}{} for node {by} to receive", of_group(group, implied))
            }
            (waits_for, within) => {
                if let Some(within) = within {
                    write!(f, " in {within}")?;
                }
                f.write_str(" for ")?;
                waits_for.write(f, implied)
            }
        }
    }

    /// Describes the node; names groups other than `implied`.
    pub(crate) fn line(&self, implied: &str) -> String {
        let mut line = String::new();
        // Writing to a `String` cannot fail.
        let _ = self.write(&mut line, implied);
        line
    }
}

impl fmt::Display for BlockedNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "")
    }
}

/// Returns the group in which all nodes wait, if they wait in one.
pub(crate) fn common_group(nodes: &[BlockedNode]) -> Option<&str> {
    let mut groups = nodes.iter().flat_map(|node| node.waits_for.groups());
    let first = groups.next()?;
    groups.all(|group| group == first).then_some(first)
}

/// Returns the text " in <context>" for the name of a context other than the implied one.
fn in_group(context: &str, implied: &str) -> String {
    if context == implied { String::new() } else { format!(" in {context}") }
}

/// Returns the name of the group that has a context: that of its library calls, or its own.
fn public(context: &str) -> &str {
    context.strip_prefix("collective calls in ").unwrap_or(context)
}

/// Returns the text " in <group>" for the name of a context, or of a group's private context of library calls; empty for the world and
/// for the implied group.
fn of_group(context: &str, implied: &str) -> String {
    match public(context) {
        "the world" => String::new(),
        group => in_group(group, implied),
    }
}

/// Returns all nodes that have not finished, with the events that they wait for; `group` returns the name of a context.
pub(crate) fn blocked_nodes(kernel: &Kernel, group: impl Fn(Context) -> String) -> Vec<BlockedNode> {
    let message = |select: &Selector| WaitsFor::Message {
        source: select.source.map(|source| source as Rank),
        tag: select.tag,
        group: group(select.context),
    };
    // Returns the event that a sender waits for, in a blocking call or with a request: the receive of its message (rendezvous), or its
    // departure.
    let own = |rank: NodeId, request: Option<RequestId>| match kernel.awaited_by(rank, request) {
        Some((target, label)) => {
            WaitsFor::Receive { by: target as Rank, tag: label.tag, group: group(label.context) }
        }
        None => WaitsFor::Departure,
    };
    let mut blocked = Vec::new();
    for (rank, node) in kernel.nodes.iter().enumerate() {
        let request = |id: RequestId| match node.requests.get(id) {
            Some(Request::RecvPosted { select, .. }) => message(select),
            _ => own(rank as NodeId, Some(id)),
        };
        let (since, waits_for) = match &node.state {
            NodeState::Finished | NodeState::Dead => continue,
            NodeState::Idle | NodeState::Resume | NodeState::Dying => (node.clock, WaitsFor::Nothing),
            NodeState::Send { called } => (*called, own(rank as NodeId, None)),
            NodeState::SendRecv { called, received: Some(_), .. } => (*called, own(rank as NodeId, None)),
            NodeState::Recv { called, select, .. }
            | NodeState::SendRecv { called, select, .. }
            | NodeState::Probe { called, select, .. } => (*called, message(select)),
            NodeState::Wait { called, request: id } => (*called, request(*id)),
            NodeState::WaitAny { called, wait } => {
                (*called, WaitsFor::Requests(wait.requests.iter().map(|&id| request(id)).collect()))
            }
            NodeState::Barrier { called } => (*called, WaitsFor::Barrier),
        };
        blocked.push(BlockedNode { rank, since, waits_for, within: None, last_call: None });
    }
    blocked
}
