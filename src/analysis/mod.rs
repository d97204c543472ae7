//! The causes of a recorded run's time: the critical path, and the contention between messages.
//!
//! Both are computed from the [trace](crate::record::Trace) after the run, and do not affect the run.
//!
//! * [`CriticalPath`] goes back from the end of the last node to time zero. Where a receiver waited, it follows the
//!   message to the sender. Its pieces are contiguous, so their sum is exactly the modeled time.
//! * [`Blame`] divides the contention delay of each message among the messages that shared its bottleneck. The sum is
//!   exactly [`lost_to_sharing`](crate::report::RunReport::lost_to_sharing).
//!
//! [`Run::explain`](crate::Run::explain) returns both, as text and tables. `docs/explain.md` of the project describes how to read them.
//!
//! ```
//! use multicomputer::{Machine, Span, analysis::Kind, prelude::*};
//!
//! // Nodes 0 and 1 of a line send at the same time over the link between 1 and 2.
//! let run = Machine::hockney(1, 4).trace(true).build()?.run(|node| {
//!     let world = node.world();
//!     match world.rank() {
//!         sender @ (0 | 1) => world.send(sender + 2, vec![0_u8; 1000])?,
//!         receiver => drop(world.recv(receiver - 2)?),
//!     }
//!     Ok(())
//! })?;
//! let path = run.critical_path()?;
//! assert_eq!(path.span(), run.report.makespan.since_start());
//! // Without the other one the message would have taken 50 us, and took 100.
//! assert_eq!(path.time(Kind::Bytes), Span::from_micros(50));
//! assert_eq!(path.time(Kind::Sharing), Span::from_micros(50));
//!
//! let blame = run.blame()?;
//! assert_eq!(blame.total(), run.report.lost_to_sharing);
//! assert_eq!(blame.losses.len(), 2); // each slowed the other
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blame;
mod messages;
mod path;

pub use self::{
    blame::{Blame, Loss},
    path::{CriticalPath, Kind, Piece},
};

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use self::messages::Messages;
use crate::{model::MachineSpec, rank::Rank, record::Trace, time::Time};

/// Identifies a message of a run by its sender and the number of messages that the sender had sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct MessageRef {
    /// The sender, as a rank of the world.
    pub from: Rank,
    /// The number of messages that the sender had sent before.
    pub seq: u64,
    /// The receiver, as a rank of the world.
    pub to: Rank,
}

/// Writes the message as `3 -> 5 (#0)`: sender, receiver, and the number of messages that the sender had sent before.
impl fmt::Display for MessageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {} (#{})", self.from, self.to, self.seq)
    }
}

/// The reason why the time of a run cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The run used the host's wall clock: its times are measured, not modeled.
    #[error(
        "a run under the host's clock cannot be explained, because its times are not modeled: use the virtual or the real-time clock"
    )]
    NotModeled,
    /// The run was not recorded.
    #[error("the run was not traced: build its machine with `trace(true)`")]
    NotTraced,
    /// The machine has faults, which change routes and link capacities.
    #[error(
        "a run on a machine with faults cannot be explained: use the machine without faults (noise is allowed)"
    )]
    Faults,
    /// An entry is missing: the record is incomplete, or is from another machine.
    #[error(
        "the trace has no {what} of node {rank} at {at}: use the complete trace of a run on this machine"
    )]
    Incomplete {
        /// The kind of the missing entry.
        what: &'static str,
        /// The node, as a rank of the world.
        rank: Rank,
        /// The instant.
        at: Time,
    },
}

/// Computes the critical path and the blame of a run.
pub(crate) fn explain(trace: &Trace, machine: &MachineSpec) -> Result<(CriticalPath, Blame), AnalysisError> {
    let messages = Messages::of(trace, machine)?;
    Ok((CriticalPath::through(trace, machine, &messages)?, Blame::among(&messages, machine)))
}
