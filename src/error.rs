//! The error types of the library, one for each place where an error can occur.
//!
//! [`ConfigError`]: a machine cannot be built. [`CommError`]: a call of a node program fails. [`RunError`]: a run ends
//! without a result. The errors of a module of its own stand beside what they are about, such as
//! [`TopologyError`], [`PayloadError`] and [`PlanError`](crate::plan::PlanError).
//!
//! The `Debug` of every error of the library is its text. So a `main` that returns `Result<(), Box<dyn Error>>`, as
//! in the examples, ends with the error in words, and so does an `unwrap`.

use std::{error::Error, fmt, time::Duration};

use thiserror::Error;

pub use crate::kernel::{BlockedNode, WaitsFor};
use crate::{
    model::{DescriptionError, FaultError, ParameterError},
    payload::PayloadError,
    rank::{Rank, Tag},
    text::{are, count, debug_as_text},
    time::{Span, Time},
    topology::{Link, TopologyError},
};

/// The error type of node programs; every error type converts into it with `?`.
pub type Failure = Box<dyn Error + Send + Sync + 'static>;

/// The error for a machine that cannot be built.
#[derive(Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The network cannot have this shape.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// A parameter is out of range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A machine's name or file is not understood.
    #[error(transparent)]
    Description(#[from] DescriptionError),
    /// The machine cannot have one of its faults.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// Noise or faults under the host's clock, which has no model.
    #[error(
        "a machine under the host's clock cannot have {0}, which are modeled; allowed are virtual and real time"
    )]
    Unmodeled(&'static str),
    /// A machine that is to be planned for has another number of nodes than an MPI job has ranks.
    #[error("a machine of {nodes} nodes cannot stand for {ranks} ranks; allowed are as many nodes as ranks")]
    Ranks {
        /// The nodes of the machine.
        nodes: usize,
        /// The ranks of the job.
        ranks: usize,
    },
    /// This host cannot run a thread for each node.
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
    /// The dilation is no positive number, or too large.
    #[error("a dilation of {0:?} is not possible: it must be a positive number, at most 1e9")]
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

debug_as_text!(ConfigError);

/// The error of a failed call of a node program.
#[derive(Clone, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommError {
    /// The group has no such rank.
    #[error("there is no rank {given} in {group}: its ranks are 0 to {}", size - 1)]
    NoSuchRank {
        /// The rank given.
        given: Rank,
        /// The size of the group.
        size: usize,
        /// The group.
        group: String,
    },
    /// The message is longer than allowed.
    #[error("a message of {given} bytes is too long: at most {most} are allowed")]
    TooLong {
        /// The length of the message.
        given: u64,
        /// The greatest length allowed.
        most: u64,
    },
    /// The data does not have the form that the program asks for.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// No message came before the deadline.
    #[error("no message that fits {wanted} arrived by {deadline}")]
    DeadlinePassed {
        /// The source and the tag that were to be received.
        wanted: String,
        /// The deadline.
        deadline: Time,
    },
    /// A wait for any of no requests would never end.
    #[error("a wait for any request needs at least one request")]
    NothingToWaitFor,
    /// A group names a rank twice, or none at all.
    #[error("a group needs one or more ranks, each once: {0}")]
    BadGroup(String),
    /// Ranks cannot be the grid that was asked for, or a grid does not have what was asked of it.
    #[error(
        "a grid of ranks needs an extent above 0 for each dimension, and what is asked of it within it: {0}"
    )]
    BadGrid(String),
    /// A node asks for a group of which it is no member.
    #[error("rank {rank} is not a member of {group}")]
    NotAMember {
        /// The caller, as a rank of the parent group.
        rank: Rank,
        /// The group.
        group: String,
    },
    /// The group has a handler of active messages already, and can have only one.
    #[error("active messages in {group} have a handler already: make another once that is dropped")]
    AlreadyActive {
        /// The group.
        group: String,
    },
    /// The machine is no grid: it has no rows and columns.
    #[error("the machine {0} has no rows and columns")]
    NoGrid(String),
    /// The program polls at an instant of virtual time that will never pass, since polling costs no time. Under the other
    /// clocks time passes meanwhile.
    #[error(
        "endless polling at {at}: probes, tests and looks at the time cost no modeled time; wait, or compute between them"
    )]
    Livelock {
        /// The instant.
        at: Time,
    },
    /// Members of a group have made different collective calls where all must make the same. Where time is modeled the run
    /// is over: [`RunError::Mismatch`] has the same details.
    #[error("{0}")]
    Mismatch(Box<Mismatch>),
    /// A message was lost, or could not be sent, as a link on its way died.
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
    /// The call needs another node, which died.
    #[error("node {rank} died at {at}")]
    NodeDied {
        /// The dead node, as a rank of the world.
        rank: Rank,
        /// The instant of its death.
        at: Time,
    },
    /// The node that calls is dead.
    #[error("this node died at {at}")]
    Died {
        /// The instant of its death.
        at: Time,
    },
    /// The library that carries the messages failed.
    #[error("the message-passing library failed: {0}")]
    Transport(String),
    /// No node can go on: the run is over. [`RunError::Deadlock`] has the details.
    #[error("deadlock: no node can go on")]
    Deadlock,
    /// The run is over because another node failed or a limit was reached. [`RunError`] has the details.
    #[error("the run has been ended")]
    Ended,
}

debug_as_text!(CommError);

/// The error of a run that ends without a result.
#[derive(Error)]
#[non_exhaustive]
pub enum RunError {
    /// A node program panicked.
    #[error("node {rank} panicked: {message}")]
    Panicked {
        /// The node.
        rank: Rank,
        /// The message of the panic.
        message: String,
    },
    /// A node program returned an error.
    #[error("node {rank} failed: {source}")]
    Node {
        /// The node.
        rank: Rank,
        /// The error of the program.
        source: Failure,
    },
    /// Nodes died, and the programs of all others returned: [`Machine::run_surviving`](crate::Machine::run_surviving) has
    /// their outputs.
    #[error("{}", deaths(.0))]
    NodesDied(Vec<(Rank, Time)>),
    /// No node can go on.
    #[error("{0}")]
    Deadlock(DeadlockReport),
    /// Members of a group have made different collective calls.
    #[error("{0}")]
    Mismatch(Mismatch),
    /// A route of the topology is invalid.
    #[error(transparent)]
    Topology(TopologyError),
    /// The run took longer than its limit in wall-clock time.
    #[error("the run was ended after {limit:?} of wall-clock time; {} had not finished{}", count(nodes.len() as u64, "node"), list(nodes, &[]))]
    WallLimit {
        /// The limit.
        limit: Duration,
        /// The nodes that had not finished.
        nodes: Vec<BlockedNode>,
    },
    /// In real time, the next answer is due too late to be waited for.
    #[error("the next answer is due at {at} of modeled time, which takes {} of wall-clock time: use virtual time or a \
        smaller dilation, or set a wall limit", Span::from(*wait))]
    TooSlow {
        /// The instant of modeled time.
        at: Time,
        /// The wall-clock time until then.
        wait: Duration,
    },
    /// Messages were never received, and the machine was built to treat that as an error.
    #[error("{} never received, the first from node {} to node {} ({}, {})",
        count(.0.len() as u64, "message"), .0[0].from, .0[0].to, .0[0].tag, count(.0[0].bytes, "byte"))]
    Unreceived(Vec<crate::record::UnreceivedMessage>),
    /// A node's clock passed the end of representable modeled time.
    #[error("the clock of node {rank} passed {}, the end of modeled time", Time::MAX)]
    TimeOverflow {
        /// The node.
        rank: Rank,
    },
    /// The host cannot start the threads of the machine any more: since the machine was built other runs have started, or a
    /// limit of the host was lowered.
    #[error(transparent)]
    Limits(ConfigError),
    /// The host refused a thread.
    #[error("the host refused the thread of node {rank}: {source}")]
    Spawn {
        /// The node.
        rank: Rank,
        /// The reason that the host gave.
        source: std::io::Error,
    },
}

debug_as_text!(RunError);

/// Different collective calls by the members of a group, of which all must make the same.
///
/// In modeled time they are found at the first instant at which two members have made different calls, and the report has the
/// calls of all members up to that instant: it is the same in every run. Under the host's clock and over MPI it has those that are
/// known when the first difference is found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The group.
    pub group: String,
    /// The different calls, each with the ranks of the group that have made it; the one with the lowest rank first.
    pub calls: Vec<(String, Vec<Rank>)>,
}

impl Mismatch {
    pub(crate) fn new(group: String, calls: impl IntoIterator<Item = (String, Vec<Rank>)>) -> Mismatch {
        let mut calls: Vec<(String, Vec<Rank>)> = calls.into_iter().collect();
        calls.iter_mut().for_each(|(_, ranks)| ranks.sort_unstable());
        calls.sort_by_key(|(_, ranks)| ranks.first().copied());
        Mismatch { group, calls }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}", self.group)?;
        for (nth, (call, ranks)) in self.calls.iter().enumerate() {
            let separator = if nth == 0 { ", " } else { "; " };
            let is_repeated = self.calls[..nth].iter().any(|(other, _)| other == call);
            let others = if is_repeated { " with other arguments" } else { "" };
            write!(f, "{separator}{} {call}{others}", callers(ranks))?;
        }
        f.write_str(": all ranks must make the same call")
    }
}

/// The ranks that make a call, as the subject of a sentence: `ranks 0, 2 and 5 to 9 call`.
fn callers(ranks: &[Rank]) -> String {
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
    match ranks {
        [rank] => format!("rank {rank} calls"),
        _ => format!("ranks {} call", listed.join(", ")),
    }
}

/// The details of a deadlock, in which no node can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeadlockReport {
    /// Every node that has not finished, in rank order.
    pub blocked: Vec<BlockedNode>,
    /// The nodes whose programs have returned, in order.
    pub returned: Vec<Rank>,
    /// Ranks each of which waits for the next, and the last for the first; empty if there is no such cycle.
    pub cycle: Vec<Rank>,
}

impl DeadlockReport {
    pub(crate) fn new(blocked: Vec<BlockedNode>, returned: Vec<Rank>) -> DeadlockReport {
        let cycle = find_cycle(&blocked);
        DeadlockReport { blocked, returned, cycle }
    }
}

/// Follows from each node the single source that it waits for until a node is met twice.
fn find_cycle(blocked: &[BlockedNode]) -> Vec<Rank> {
    let next = |rank: Rank| {
        let at = blocked.binary_search_by_key(&rank, |node| node.rank).ok()?;
        match blocked[at].waits_for.sources()[..] {
            [source] => Some(source),
            _ => None,
        }
    };
    // The search that visited each node: a node met again in the same search closes a cycle.
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

/// The nodes that died, each with its instant.
fn deaths(nodes: &[(Rank, Time)]) -> String {
    let each = |(rank, at): &(Rank, Time)| format!("node {rank} died at {at}");
    nodes.iter().map(each).collect::<Vec<_>>().join(", ") + "; all other programs have returned"
}

/// The largest number of blocked nodes listed in a message; the report has all.
const LISTED: usize = 16;

fn list(nodes: &[BlockedNode], returned: &[Rank]) -> String {
    let line = |node: &BlockedNode| {
        let source = match node.waits_for {
            WaitsFor::Message { source, .. } => source,
            WaitsFor::Receive { by, .. } => Some(by),
            _ => None,
        };
        let source = source.filter(|source| returned.binary_search(source).is_ok());
        match (source, node.within) {
            (Some(_), Some(_)) => format!("\n  {node}, which has returned"),
            (Some(source), None) => format!("\n  {node}; node {source} has returned"),
            (None, _) => format!("\n  {node}"),
        }
    };
    let mut text: String = nodes.iter().take(LISTED).map(line).collect();
    if nodes.len() > LISTED {
        text += &format!("\n  and {} more", nodes.len() - LISTED);
    }
    text
}

impl fmt::Display for DeadlockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "deadlock: {} blocked", are(self.blocked.len(), "node"))?;
        if !self.returned.is_empty() {
            write!(f, ", {} returned", self.returned.len())?;
        }
        f.write_str(&list(&self.blocked, &self.returned))?;
        if let Some(first) = self.cycle.first() {
            f.write_str("\n  cycle: ")?;
            for rank in &self.cycle {
                write!(f, "{rank} -> ")?;
            }
            write!(f, "{first}")?;
        }
        Ok(())
    }
}

/// Returns an error message's description of a receive.
pub(crate) fn describe(source: Option<Rank>, tag: Option<Tag>) -> String {
    crate::rank::Select { source, tag }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(rank: Rank, source: Option<Rank>) -> BlockedNode {
        let waits_for = WaitsFor::Message { source, tag: None, group: "the world".into() };
        BlockedNode { rank, since: Time::ZERO, waits_for, within: None }
    }

    #[test]
    fn the_cycle_is_found_without_the_nodes_that_only_lead_into_it() {
        let blocked = vec![waiting(0, Some(2)), waiting(2, Some(5)), waiting(4, None), waiting(5, Some(2))];
        let report = DeadlockReport::new(blocked, Vec::new());
        assert_eq!(report.cycle, [2, 5]);
        assert!(report.to_string().ends_with("cycle: 2 -> 5 -> 2"), "{report}");
    }

    #[test]
    fn one_node_is_blocked_and_two_are() {
        let text = |blocked| DeadlockReport::new(blocked, Vec::new()).to_string();
        assert!(text(vec![waiting(3, None)]).starts_with("deadlock: 1 node is blocked\n"));
        assert!(
            text(vec![waiting(3, None), waiting(4, None)]).starts_with("deadlock: 2 nodes are blocked\n")
        );
        let limit = RunError::WallLimit { limit: Duration::from_secs(1), nodes: vec![waiting(3, None)] };
        assert!(limit.to_string().contains("; 1 node had not finished\n"), "{limit}");
    }

    #[test]
    fn waiting_for_oneself_is_a_cycle_and_waiting_for_anybody_is_none() {
        assert_eq!(DeadlockReport::new(vec![waiting(3, Some(3))], Vec::new()).cycle, [3]);
        assert_eq!(
            DeadlockReport::new(vec![waiting(0, None), waiting(1, Some(0))], Vec::new()).cycle,
            Vec::<Rank>::new()
        );
    }
}
