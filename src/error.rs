//! The error types of the library.
//!
//! [`ConfigError`]: a machine cannot be built. [`CommError`]: a call of a node program fails. [`RunError`]: a run ends without a result.
//! Other error types are defined in the modules that they concern, such as [`TopologyError`], [`PayloadError`] and
//! [`PlanError`](crate::plan::PlanError).
//!
//! The `Display` text of an error says what was given, what is wrong and what to do; `Debug` prints variants and fields. Rust prints the
//! `Debug` output of an error that `main` returns: a `main` that returns [`MainError`], as in the examples, prints the text.

use std::{collections::BTreeSet, error::Error, fmt, time::Duration};

use thiserror::Error;

pub use crate::kernel::{BlockedNode, WaitsFor};
use crate::{
    kernel::common_group,
    model::{FaultError, MachineSpecError, ParameterError},
    payload::PayloadError,
    rank::{NULL_PROCESS, Rank, Tag},
    record::{UnreceivedMessage, UnwaitedSend},
    text::{are, count, listed},
    time::{Span, Time},
    topology::{Link, TopologyError},
};

/// The error type of node programs; every error type converts into it with `?`.
pub type Failure = Box<dyn Error + Send + Sync + 'static>;

/// The error type for `main`: any error, printed as its text and not as its `Debug` output.
///
/// ```no_run
/// use multicomputer::prelude::*;
///
/// fn main() -> Result<(), MainError> {
///     let machine = Machine::paragon(2, 2).build()?;
///     // Prints "Error: deadlock: 4 nodes are blocked", and one line for each node.
///     machine.run(|node| Ok(node.world().recv(ANY_SOURCE)?))?;
///     Ok(())
/// }
/// ```
pub struct MainError(String);

impl<E: fmt::Display> From<E> for MainError {
    fn from(error: E) -> MainError {
        MainError(error.to_string())
    }
}

impl fmt::Debug for MainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The error for a machine that cannot be built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The shape of the network is not possible.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// A parameter is out of range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A machine name or a machine file is invalid.
    #[error(transparent)]
    MachineSpec(#[from] MachineSpecError),
    /// A fault does not fit the machine.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// Noise or faults were requested under the host's clock, which has no model.
    #[error(
        "the host's clock does not support {0}, because they are modeled: use the virtual or the real-time clock"
    )]
    Unmodeled(&'static str),
    /// The machine for which plans are made does not have as many nodes as the MPI job has ranks.
    #[error(
        "the machine has {nodes} nodes, but the MPI job has {ranks} ranks: use a machine with one node per rank"
    )]
    Ranks {
        /// The number of nodes of the machine.
        nodes: usize,
        /// The number of ranks of the job.
        ranks: usize,
    },
    /// The host cannot run one thread per node.
    #[error("{nodes} nodes are too many: this host can run {allowed} more threads ({limit})")]
    TooManyNodes {
        /// The number of nodes wanted.
        nodes: usize,
        /// The number of threads that can still be started.
        allowed: usize,
        /// The source of the limit.
        limit: String,
    },
    /// There is too little memory for the threads of all nodes.
    #[error(
        "{} with stacks of {} need {} MiB of memory, and {} MiB are left ({limit}): take fewer nodes, a smaller \
         `stack_size`, or a higher limit",
        count(*nodes as u64, "node"), crate::units::format_bytes(*stack_size as u64), needed.div_ceil(1 << 20), left >> 20
    )]
    TooLittleMemory {
        /// The number of nodes wanted.
        nodes: usize,
        /// The stack size of each thread in bytes.
        stack_size: usize,
        /// The bytes needed, including the memory of a thread besides its stack.
        needed: u64,
        /// The bytes that are left.
        left: u64,
        /// The kind of memory, and the source of the limit.
        limit: String,
    },
    /// The dilation is not a positive number, or is too large.
    #[error("dilation {0:?} is out of range: it must be above 0 and at most 1e9")]
    Dilation(f64),
    /// The stack size is too small for a thread.
    #[error("a stack of {given} bytes is too small: at least {least} are needed")]
    StackSize {
        /// The size wanted.
        given: usize,
        /// The smallest size allowed.
        least: usize,
    },
}

/// The error of a failed call of a node program.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommError {
    /// The rank is not in the group.
    #[error("rank {given} is not in {group}: its ranks are 0 to {}", size - 1)]
    NoSuchRank {
        /// The rank given.
        given: Rank,
        /// The size of the group.
        size: usize,
        /// The group.
        group: String,
    },
    /// The message is longer than allowed.
    #[error("a message of {given} bytes is too long: the maximum is {most}")]
    TooLong {
        /// The length of the message.
        given: u64,
        /// The maximum length.
        most: u64,
    },
    /// The data cannot be read in the requested form.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// A received message cannot be read in the requested form.
    #[error(transparent)]
    Message(Box<MessageError>),
    /// No matching message arrived before the deadline.
    #[error("no message from {wanted} arrived by {deadline}")]
    DeadlinePassed {
        /// The source and the tag of the receive, such as `rank 0 with any tag`.
        wanted: String,
        /// The deadline.
        deadline: Time,
    },
    /// A wait for any of several requests was called without requests, and would never end.
    #[error(
        "there is no request to wait for: the list is empty, or all its entries are `None`; pass at least one request"
    )]
    NothingToWaitFor,
    /// The rank list of a group is empty, or contains a rank twice.
    #[error("a group needs one or more ranks, each once: {0}")]
    BadGroup(String),
    /// The ranks do not fit the requested grid, or the grid does not have the requested element.
    #[error("invalid grid of ranks: {0}")]
    BadGrid(String),
    /// A node requested a group of which it is not a member.
    #[error("rank {rank} is not a member of {group}")]
    NotAMember {
        /// The caller, as a rank of the parent group.
        rank: Rank,
        /// The group.
        group: String,
    },
    /// The group already has a handler of active messages; only one is allowed.
    #[error("{group} already has a handler of active messages: drop it before you make another one")]
    AlreadyActive {
        /// The group.
        group: String,
    },
    /// The machine is not a grid: it has no rows and columns.
    #[error("the machine {0} has no rows and columns: use a mesh or a torus of two dimensions")]
    NoGrid(String),
    /// The program polls endlessly at one instant of virtual time: polling costs no modeled time. This error occurs only under the virtual
    /// clock; under the other clocks time passes while a program polls.
    #[error(
        "endless polling at {at}: probes, tests and queries of the time cost no modeled time; wait for a message, or compute between polls"
    )]
    Livelock {
        /// The instant.
        at: Time,
    },
    /// The members of a group made different collective calls, but all must make the same call. In modeled time the run is over;
    /// [`RunError::Mismatch`] has the same details.
    #[error("{0}")]
    Mismatch(Box<Mismatch>),
    /// A message was lost, or could not be sent, because a link on its route died.
    #[error("the message from node {from} to node {to} was lost: the link {link} died at {at}")]
    LinkDied {
        /// The link.
        link: Link,
        /// The sender, as a rank of the world.
        from: Rank,
        /// The target, as a rank of the world.
        to: Rank,
        /// The instant of the link's death.
        at: Time,
    },
    /// Another node that the call needs has died.
    #[error("node {rank} died at {at}")]
    NodeDied {
        /// The dead node, as a rank of the world.
        rank: Rank,
        /// The instant of its death.
        at: Time,
    },
    /// The calling node is dead.
    #[error("this node died at {at}")]
    Died {
        /// The instant of its death.
        at: Time,
    },
    /// The library that transports the messages, such as MPI, failed.
    #[error("the message-passing library failed: {0}")]
    Transport(String),
    /// No node can proceed: the run is over. [`RunError::Deadlock`] has the details.
    #[error("deadlock: no node can proceed")]
    Deadlock,
    /// The run is over because another node failed or a limit was reached. [`RunError`] has the details.
    #[error("the run is over: another node failed, or a limit was reached")]
    Ended,
}

/// The error of reading a received message: the message, and the reason.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
#[error("{}: {error}", named(*from, *tag, *bytes))]
pub struct MessageError {
    /// The sender, as a rank of the group in which the message was received; `Rank::MAX` for the [null
    /// message](crate::comm::Message::is_null).
    pub from: Rank,
    /// The tag of the message.
    pub tag: Tag,
    /// The length of the message.
    pub bytes: u64,
    /// The reason.
    #[source]
    pub error: PayloadError,
}

/// Names a received message.
fn named(from: Rank, tag: Tag, bytes: u64) -> String {
    match from {
        NULL_PROCESS => "the message from the null process (`None`), which is empty".into(),
        _ => format!("the message from rank {from} with {tag} ({})", count(bytes, "byte")),
    }
}

impl From<MessageError> for CommError {
    fn from(error: MessageError) -> CommError {
        CommError::Message(Box::new(error))
    }
}

/// The error of a run that ends without a result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// A node program panicked.
    #[error("node {rank} panicked: {message}")]
    Panicked {
        /// The node, as a rank of the world.
        rank: Rank,
        /// The message of the panic.
        message: String,
    },
    /// A node program returned an error.
    #[error("node {rank} failed: {source}{}", last_call.as_ref().map_or_else(String::new, |place| format!(" (last call at {place})")))]
    Node {
        /// The node, as a rank of the world.
        rank: Rank,
        /// The error of the program.
        source: Failure,
        /// The place in the program of the node's last call before the error, such as `src/main.rs:12:24`: often the call that failed. `None`
        /// if the program has made no call.
        last_call: Option<String>,
    },
    /// Nodes, given as ranks of the world, died, and all other programs returned. [`Machine::run_surviving`](crate::Machine::run_surviving) returns their outputs.
    #[error("{}", deaths(.0))]
    NodesDied(Vec<(Rank, Time)>),
    /// No node can proceed.
    #[error("{0}")]
    Deadlock(DeadlockReport),
    /// The members of a group made different collective calls.
    #[error("{0}")]
    Mismatch(Mismatch),
    /// A route of the topology is invalid.
    #[error(transparent)]
    Topology(TopologyError),
    /// The run took longer than its limit in wall-clock time.
    #[error("the run exceeded its wall limit, {limit:?}{}", unfinished(nodes))]
    WallLimit {
        /// The limit.
        limit: Duration,
        /// The nodes that had not finished.
        nodes: Vec<BlockedNode>,
    },
    /// In real time, the next reply to a program is due too far in the future to wait for.
    #[error("the next reply is due at {at} of modeled time, after {} of wall-clock time: use virtual time or a smaller dilation, or set a wall limit", Span::from(*wait))]
    TooSlow {
        /// The instant of modeled time.
        at: Time,
        /// The wall-clock time until this instant.
        wait: Duration,
    },
    /// Messages were never received, and the machine was configured to treat unreceived messages as an error.
    #[error("{}", listed(format!("{} never received", count(.0.len() as u64, "message")), .0))]
    Unreceived(Vec<UnreceivedMessage>),
    /// Send requests were dropped without a wait, and the machine was configured to treat this as an error.
    #[error("{}", listed(
        format!("{} dropped without a wait: wait for each request, or detach it", count(.0.len() as u64, "send request")), .0
    ))]
    Unwaited(Vec<UnwaitedSend>),
    /// A node's clock passed the end of representable modeled time.
    #[error("the clock of node {rank} passed {}, the end of modeled time", Time::MAX)]
    TimeOverflow {
        /// The node, as a rank of the world.
        rank: Rank,
    },
    /// The host can no longer start the threads of the machine: other runs have started since the machine was built, or a limit of the host
    /// was lowered.
    #[error(transparent)]
    Limits(ConfigError),
    /// The host failed to start a thread.
    #[error("the host cannot start the thread of node {rank}: {source}")]
    Spawn {
        /// The node, as a rank of the world.
        rank: Rank,
        /// The reason given by the host.
        source: std::io::Error,
    },
}

/// A collective operation for which the members of a group made different calls.
///
/// In modeled time the mismatch is detected at the first instant at which two members have made different calls. The report contains the
/// calls of all members up to this instant and is the same in every run. Under the host's clock and over MPI the report contains the calls
/// that are known when the first difference is detected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The group.
    pub group: String,
    /// The different calls, sorted by lowest rank.
    pub calls: Vec<MismatchedCall>,
    /// The group ranks that had not made the call when the difference was detected, in ascending order. Empty over MPI, where only the calls
    /// of two ranks are known.
    pub missing: Vec<Rank>,
}

/// One of the calls of a [`Mismatch`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MismatchedCall {
    /// The call with its arguments, such as `broadcast with root 0 on 4 u64, algorithm auto`.
    pub call: String,
    /// The group ranks that made the call, in ascending order.
    pub ranks: Vec<Rank>,
    /// The place of the call in the program of one of these ranks, such as `src/main.rs:12:24`, if it is known.
    pub place: Option<String>,
}

impl Mismatch {
    pub(crate) fn new(group: String, mut calls: Vec<MismatchedCall>) -> Mismatch {
        calls.iter_mut().for_each(|call| call.ranks.sort_unstable());
        calls.sort_by_key(|call| call.ranks.first().copied());
        Mismatch { group, calls, missing: Vec::new() }
    }

    /// Adds the ranks of a group of `size` that have not made a call.
    pub(crate) fn among(mut self, size: usize) -> Mismatch {
        let has_called = |rank: &Rank| self.calls.iter().any(|call| call.ranks.binary_search(rank).is_ok());
        self.missing = (0..size).filter(|rank| !has_called(rank)).collect();
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}", self.group)?;
        for (nth, MismatchedCall { call, ranks, place }) in self.calls.iter().enumerate() {
            let separator = if nth == 0 { ", " } else { "; " };
            let is_repeated = self.calls[..nth].iter().any(|other| other.call == *call);
            let others = if is_repeated { ", with other arguments" } else { "" };
            let place = place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
            write!(f, "{separator}{} {call}{others}{place}", callers(ranks))?;
        }
        match self.missing[..] {
            [] => {}
            [rank] => write!(f, " (rank {rank} has not made this call yet)")?,
            _ => write!(f, " (ranks {} have not made this call yet)", runs(&self.missing))?,
        }
        f.write_str(": all ranks must make the same call")
    }
}

/// Describes the ranks that make a call, as the subject of a sentence: `ranks 0, 2, 5 to 9 call`.
fn callers(ranks: &[Rank]) -> String {
    match ranks {
        [rank] => format!("rank {rank} calls"),
        _ => format!("ranks {} call", runs(ranks)),
    }
}

/// Lists ranks as runs of successive ones: `0, 2, 5 to 9`.
fn runs(ranks: &[Rank]) -> String {
    let mut runs: Vec<(Rank, Rank)> = Vec::new();
    for &rank in ranks {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => runs.push((rank, rank)),
        }
    }
    let run = |&(first, last): &(Rank, Rank)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    let left_out = runs.len().saturating_sub(LISTED);
    let mut listed: Vec<String> = runs.iter().take(LISTED).map(run).collect();
    if left_out > 0 {
        listed.push("..".into());
    }
    listed.join(", ")
}

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
    /// clock and over MPI the list may be incomplete.
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

/// Describes the nodes that died and the instants of their deaths.
fn deaths(nodes: &[(Rank, Time)]) -> String {
    let each = |(rank, at): &(Rank, Time)| format!("node {rank} died at {at}");
    nodes.iter().map(each).collect::<Vec<_>>().join(", ")
        + "; all other programs have returned; `run_surviving` returns their outputs"
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
        let called = if node.waits_for == WaitsFor::Nothing { "last call at " } else { "" };
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
fn unfinished(nodes: &[BlockedNode]) -> String {
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
            write!(f, "\n  node {rank} returned at {at} (last call at {last_call})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
