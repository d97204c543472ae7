//! Data movement of an exchange: the procedure that a plan holds, and the messages of one rank.

use std::{fmt, sync::Arc};

use thiserror::Error;

use super::{Instance, Piece};
use crate::{
    comm::{Cargo, Group, SendRequest, WalkError, follow},
    error::CommError,
    pattern::{DeliveryError, Schedule},
    payload::{Payload, PayloadError},
    plan,
    rank::{Rank, Tag},
    text::{are, count},
};

/// A complete data movement from sources to destinations, made by an algorithm and shared by all members.
pub(super) trait Procedure: fmt::Debug + Send + Sync {
    /// Returns the steps of every rank, with the message lengths but without data. The default is `None`: the steps depend on the run.
    fn schedule(&self) -> Option<Arc<Schedule>> {
        None
    }

    /// Checks that a custom procedure delivers all data. The library's procedures are correct by construction, so the default accepts.
    fn check(&self, _instance: &Instance) -> Result<(), DeliveryError> {
        Ok(())
    }

    /// Returns the pieces, and the schedule whose block `k` is piece `k`. The default is `None`: messages carry data other than pieces.
    fn moved(&self) -> Option<(Vec<Piece>, Schedule)> {
        None
    }

    /// Carries out the exchange on one rank. `outgoing[j]` is the payload for rank `j`; the result holds the payload from each rank. The
    /// result may omit the payload of a rank for itself.
    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError>;
}

/// An exchange planned by an algorithm: a procedure and the steps of every rank.
#[derive(Debug)]
pub struct Draft {
    pub(super) procedure: Box<dyn Procedure>,
    schedule: Option<Arc<Schedule>>,
}

impl Draft {
    /// Creates the draft of a procedure.
    pub(super) fn by(procedure: impl Procedure + 'static) -> Draft {
        Draft { schedule: procedure.schedule(), procedure: Box::new(procedure) }
    }
}

impl plan::Draft for Draft {
    fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_deref()
    }
}

/// Context in which one rank sends and receives the messages of an exchange.
pub(super) struct Transport<'g> {
    /// A group whose context carries no messages of the program.
    pub(super) group: &'g Group<'g>,
    /// The tag of all messages of the exchange.
    pub(super) tag: Tag,
    started: Vec<SendRequest<'g>>,
}

impl<'g> Transport<'g> {
    pub(super) fn new(group: &'g Group<'g>, tag: Tag) -> Transport<'g> {
        Transport { group, tag, started: Vec::new() }
    }

    /// Carries out this rank's part of a schedule. Sends may still be in progress on return.
    pub(super) fn walk(&mut self, schedule: &Schedule, cargo: &mut dyn Cargo) -> Result<(), ExchangeError> {
        Ok(follow(self.group, schedule, self.tag, cargo, &mut self.started)?)
    }

    /// Waits until all started sends have completed.
    pub(super) fn finish(self) -> Result<(), CommError> {
        self.started.into_iter().try_for_each(SendRequest::wait)
    }
}

/// Reason why an exchange fails on a rank.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The plan is for another group.
    #[error("the plan is for {} of the machine, not for this group of {group}: make a plan for the group", count(*plan as u64, "node"))]
    OtherGroup {
        /// Number of ranks of the plan.
        plan: usize,
        /// Number of ranks of the group.
        group: usize,
    },
    /// The number of payloads differs from the number of ranks.
    #[error("{} given for {}", are(*given, "payload"), count(*size as u64, "rank"))]
    Payloads {
        /// Number of payloads given.
        given: usize,
        /// Number of ranks in the group.
        size: usize,
    },
    /// The length of a payload of this rank differs from the matrix.
    #[error("the payload for rank {to} has {}, but the matrix has {expected}", count(*given, "byte"))]
    Length {
        /// The receiver.
        to: Rank,
        /// Bytes given.
        given: u64,
        /// Bytes given by the matrix.
        expected: u64,
    },
    /// Another rank sent or announced a length that differs from the plan.
    #[error(
        "rank {from} sent or announced {} instead of {expected}: all ranks must use the same plan",
        count(*given, "byte")
    )]
    Received {
        /// The sender.
        from: Rank,
        /// Bytes given.
        given: u64,
        /// Bytes expected.
        expected: u64,
    },
    /// A message cannot be sent or received, or another member makes another call.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// A schedule cannot be carried out.
    #[error(transparent)]
    Walk(WalkError),
    /// A payload cannot be split or converted.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

/// An error of communication inside the schedule stays [`ExchangeError::Comm`].
impl From<WalkError> for ExchangeError {
    fn from(error: WalkError) -> ExchangeError {
        match error {
            WalkError::Comm(error) => ExchangeError::Comm(error),
            error => ExchangeError::Walk(error),
        }
    }
}
