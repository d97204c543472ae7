//! Deadlocks: blocked nodes, the cycle of their waits, and unreceived messages.

use std::{collections::BTreeSet, fmt};

use super::{BlockedNode, WaitsFor};
use crate::{
    kernel::common_group,
    rank::Rank,
    record::UnreceivedMessage,
    text::{are, count, listed},
    time::Time,
};

/// The details of a deadlock: a state in which no node can proceed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeadlockReport {
    /// Every node that has not finished, in rank order.
    pub blocked: Vec<BlockedNode>,
    /// The nodes whose programs have returned, as ranks of the world in ascending order.
    pub returned: Vec<Rank>,
    /// A cycle of nodes, as ranks of the world: each waits for the next, and the last waits for the first. Empty if there is no cycle.
    pub cycle: Vec<Rank>,
    /// The returned nodes that have made a call and for which a blocked node waits, in ascending order. Empty without a model.
    pub awaited: Vec<ReturnedNode>,
    /// The messages that have arrived at blocked nodes and that no receive has taken, ordered by sender: a wrong tag, rank or group shows
    /// here. Without the messages of collective calls, and those whose senders [wait for the receive](WaitsFor::Receive). Under the host's
    /// clock and over MPI the list may be incomplete: at most ten messages of each blocked node.
    pub unreceived: Vec<UnreceivedMessage>,
}

/// A node whose program has returned although another node waits for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReturnedNode {
    /// The node, as a rank of the world.
    pub rank: Rank,
    /// The instant at which the program returned.
    pub at: Time,
    /// The place in the program of the node's last call, such as `src/main.rs:12:24`.
    pub last_call: String,
}

impl DeadlockReport {
    /// Adds the returned nodes for which blocked nodes wait; `end` returns the instant of a node's return and the place of its last call.
    pub(crate) fn with_awaited(mut self, end: impl Fn(Rank) -> (Time, Option<String>)) -> DeadlockReport {
        let sources: BTreeSet<Rank> = self.blocked.iter().flat_map(|node| node.waits_for.sources()).collect();
        let returned = sources.into_iter().filter(|rank| self.returned.binary_search(rank).is_ok());
        let node = |rank| match end(rank) {
            (at, Some(last_call)) => Some(ReturnedNode { rank, at, last_call }),
            _ => None,
        };
        self.awaited = returned.filter_map(node).collect();
        self
    }

    /// Makes a report; removes unreceived messages whose receivers are not blocked or whose senders are reported as waiting.
    pub(crate) fn new(
        blocked: Vec<BlockedNode>,
        returned: Vec<Rank>,
        mut unreceived: Vec<UnreceivedMessage>,
    ) -> DeadlockReport {
        let cycle = find_cycle(&blocked);
        let node =
            |rank: Rank| blocked.binary_search_by_key(&rank, |node| node.rank).ok().map(|at| &blocked[at]);
        unreceived.retain(|message| {
            let is_awaited =
                node(message.from).is_some_and(|sender| awaits_receive(&sender.waits_for, message));
            node(message.to).is_some() && !is_awaited
        });
        DeadlockReport { blocked, returned, cycle, awaited: Vec::new(), unreceived }
    }
}

/// Whether a node waits until a message that it has sent is received.
fn awaits_receive(waits_for: &WaitsFor, message: &UnreceivedMessage) -> bool {
    match waits_for {
        WaitsFor::Receive { by, tag, .. } => (*by, *tag) == (message.to, message.tag),
        WaitsFor::Requests(requests) => requests.iter().any(|request| awaits_receive(request, message)),
        _ => false,
    }
}

/// Finds a cycle of nodes: follows from each node the single source for which it waits, until a node is visited twice.
fn find_cycle(blocked: &[BlockedNode]) -> Vec<Rank> {
    let next = |rank: Rank| {
        let at = blocked.binary_search_by_key(&rank, |node| node.rank).ok()?;
        match blocked[at].waits_for.sources()[..] {
            [source] => Some(source),
            _ => None,
        }
    };
    // Maps each visited node to the first node of the search that visited it; a search that reaches its own nodes again has found a cycle.
    let mut visited: std::collections::BTreeMap<Rank, Rank> = std::collections::BTreeMap::new();
    for start in blocked.iter().map(|node| node.rank) {
        let mut path = Vec::new();
        let mut rank = start;
        while !visited.contains_key(&rank) {
            visited.insert(rank, start);
            path.push(rank);
            match next(rank) {
                Some(source) => rank = source,
                None => break,
            }
        }
        let on_path = |&on_path: &Rank| on_path == rank;
        if visited.get(&rank) == Some(&start)
            && next(rank).is_some()
            && let Some(first) = path.iter().position(on_path)
        {
            return path.split_off(first);
        }
    }
    Vec::new()
}

/// Maximum number of blocked nodes listed in a message; the report contains all.
const LISTED: usize = 16;

fn list(nodes: &[BlockedNode], returned: &[Rank], implied: &str) -> String {
    let line = |node: &BlockedNode| {
        let source = match node.waits_for {
            WaitsFor::Message { source, .. } => source,
            WaitsFor::Receive { by, .. } => Some(by),
            _ => None,
        };
        let source = source.filter(|source| returned.binary_search(source).is_ok());
        let returned = match (source, node.within) {
            (Some(_), Some(_)) => ", which has returned".into(),
            (Some(source), None) => format!("; node {source} has returned"),
            (None, _) => String::new(),
        };
        let called = if node.waits_for == WaitsFor::Nothing { "last call: " } else { "" };
        let place = node.last_call.as_ref().map_or_else(String::new, |place| format!(" ({called}{place})"));
        format!("\n  {}{returned}{place}", node.line(implied))
    };
    let mut text: String = nodes.iter().take(LISTED).map(line).collect();
    if nodes.len() > LISTED {
        text += &format!("\n  and {} more", nodes.len() - LISTED);
    }
    text
}

/// Lists the unfinished nodes as the end of a sentence; empty for none.
pub(super) fn unfinished(nodes: &[BlockedNode]) -> String {
    match nodes.len() {
        0 => String::new(),
        number => format!("; {} had not finished{}", count(number as u64, "node"), list(nodes, &[], "")),
    }
}

impl fmt::Display for DeadlockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "deadlock: {} blocked", are(self.blocked.len(), "node"))?;
        if !self.returned.is_empty() {
            write!(f, ", {} returned", self.returned.len())?;
        }
        let group = common_group(&self.blocked);
        if let Some(group) = group.filter(|&group| group != "the world") {
            write!(f, "; all waits are in {group}")?;
        }
        if let Some(first) = self.cycle.first() {
            f.write_str("\n  cycle: ")?;
            for rank in &self.cycle {
                write!(f, "{rank} -> ")?;
            }
            write!(f, "{first}")?;
        }
        f.write_str(&list(&self.blocked, &self.returned, group.unwrap_or_default()))?;
        if !self.unreceived.is_empty() {
            let title = count(self.unreceived.len() as u64, "unreceived message");
            write!(f, "\n  {}", listed(title, &self.unreceived).replace('\n', "\n  "))?;
        }
        for ReturnedNode { rank, at, last_call } in self.awaited.iter().take(LISTED) {
            write!(f, "\n  node {rank} returned at {at} (last call: {last_call})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::error::RunError;

    fn waiting(rank: Rank, source: Option<Rank>) -> BlockedNode {
        let waits_for = WaitsFor::Message { source, tag: None, group: "the world".into() };
        BlockedNode { rank, since: Time::ZERO, waits_for, within: None, last_call: None }
    }

    #[test]
    fn the_cycle_is_found_without_the_nodes_that_only_lead_into_it() {
        let blocked = vec![waiting(0, Some(2)), waiting(2, Some(5)), waiting(4, None), waiting(5, Some(2))];
        let report = DeadlockReport::new(blocked, Vec::new(), Vec::new());
        assert_eq!(report.cycle, [2, 5]);
        assert!(
            report.to_string().starts_with("deadlock: 4 nodes are blocked\n  cycle: 2 -> 5 -> 2\n"),
            "{report}"
        );
    }

    #[test]
    fn one_node_is_blocked_and_two_are() {
        let text = |blocked| DeadlockReport::new(blocked, Vec::new(), Vec::new()).to_string();
        assert!(text(vec![waiting(3, None)]).starts_with("deadlock: 1 node is blocked\n"));
        assert!(
            text(vec![waiting(3, None), waiting(4, None)]).starts_with("deadlock: 2 nodes are blocked\n")
        );
        let limit = RunError::WallLimit { limit: Duration::from_secs(1), nodes: vec![waiting(3, None)] };
        assert!(limit.to_string().contains("; 1 node had not finished\n"), "{limit}");
        let limit = RunError::WallLimit { limit: Duration::from_nanos(1), nodes: Vec::new() };
        assert_eq!(limit.to_string(), "the run exceeded its wall limit, 1ns");
    }

    #[test]
    fn waiting_for_oneself_is_a_cycle_and_waiting_for_anybody_is_none() {
        assert_eq!(DeadlockReport::new(vec![waiting(3, Some(3))], Vec::new(), Vec::new()).cycle, [3]);
        assert_eq!(
            DeadlockReport::new(vec![waiting(0, None), waiting(1, Some(0))], Vec::new(), Vec::new()).cycle,
            Vec::<Rank>::new()
        );
    }
}
