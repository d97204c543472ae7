//! The error types of the library.
//!
//! [`ConfigError`]: a machine cannot be built. [`CommError`]: a call of a node program fails. [`RunError`]: a run ends without a result.
//! Other error types are defined in the modules that they concern, such as [`TopologyError`], [`PayloadError`] and
//! [`PlanError`](crate::plan::PlanError).
//!
//! The `Display` text of an error says what was given, what is wrong and what to do; `Debug` prints variants and fields. Rust prints the
//! `Debug` output of an error that `main` returns: a `main` that returns [`MainError`], as in the examples, prints the text.

use std::{error::Error, fmt, time::Duration};

use thiserror::Error;

mod deadlock;
mod mismatch;

use self::deadlock::unfinished;
pub use self::{
    deadlock::{DeadlockReport, ReturnedNode},
    mismatch::{Mismatch, MismatchedCall},
};
pub use crate::kernel::{BlockedNode, WaitsFor};
use crate::{
    model::{FaultError, MachineSpecError, ParameterError},
    payload::PayloadError,
    rank::{NULL_PROCESS, Rank, Tag},
    record::{UnreceivedMessage, UnwaitedSend},
    text::{count, listed},
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
    /// A remote memory access over MPI, where the nodes of a run share no memory.
    #[error("remote memory access needs nodes that share memory: run the program without MPI")]
    NoSharedMemory,
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
    #[error("node {rank} failed: {source}{}", last_call.as_ref().map_or_else(String::new, |place| format!(" (last call: {place})")))]
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

/// Describes the nodes that died and the instants of their deaths.
fn deaths(nodes: &[(Rank, Time)]) -> String {
    let each = |(rank, at): &(Rank, Time)| format!("node {rank} died at {at}");
    nodes.iter().map(each).collect::<Vec<_>>().join(", ")
        + "; all other programs have returned; `run_surviving` returns their outputs"
}
