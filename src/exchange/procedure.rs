//! The movement of data in an exchange: what a plan is made of, and what it needs of a group.

use std::{fmt, sync::Arc};

use thiserror::Error;

use super::{Instance, Piece};
use crate::{
    comm::{Cargo, Group, Request, WalkError, follow},
    error::CommError,
    pattern::{DeliveryError, Schedule},
    payload::{Payload, PayloadError},
    plan,
    rank::{Rank, Tag},
    text::{are, count},
};

/// A way of data from its sources to its destinations: made by an algorithm, and shared by all members.
pub(super) trait Procedure: fmt::Debug + Send + Sync {
    /// The steps of every rank, with the lengths of messages alone; `None`, as here, if only a run can tell.
    fn schedule(&self) -> Option<Arc<Schedule>> {
        None
    }

    /// Whether it brings everything where it is to be, for those that others have made: those of the library do.
    fn check(&self, _instance: &Instance) -> Result<(), DeliveryError> {
        Ok(())
    }

    /// The schedule with the pieces that are its blocks; `None` if messages carry more than pieces, or something else.
    fn moved(&self) -> Option<(Vec<Piece>, Schedule)> {
        None
    }

    /// Carries out one rank's part: `outgoing[j]` is for rank `j`, and what is returned has come from each rank. What a
    /// rank has for itself may be left out.
    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError>;
}

/// An exchange as an algorithm carries it out: a procedure, and the steps that it comes to.
#[derive(Debug)]
pub struct Draft {
    pub(super) procedure: Box<dyn Procedure>,
    schedule: Option<Arc<Schedule>>,
}

impl Draft {
    /// The draft of a procedure.
    pub(super) fn by(procedure: impl Procedure + 'static) -> Draft {
        Draft { schedule: procedure.schedule(), procedure: Box::new(procedure) }
    }
}

impl plan::Draft for Draft {
    fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_deref()
    }
}

/// The messages of one exchange on one rank.
pub(super) struct Transport<'g> {
    /// A group in whose context the program sends nothing.
    pub(super) group: &'g Group<'g>,
    /// The tag of all messages of the exchange.
    pub(super) tag: Tag,
    started: Vec<Request<'g>>,
}

impl<'g> Transport<'g> {
    pub(super) fn new(group: &'g Group<'g>, tag: Tag) -> Transport<'g> {
        Transport { group, tag, started: Vec::new() }
    }

    /// Carries out this rank's part of a schedule. Sends that it starts go on.
    pub(super) fn walk(&mut self, schedule: &Schedule, cargo: &mut dyn Cargo) -> Result<(), ExchangeError> {
        Ok(follow(self.group, schedule, self.tag, cargo, &mut self.started)?)
    }

    /// Waits for everything that has been started.
    pub(super) fn finish(self) -> Result<(), CommError> {
        self.started.into_iter().try_for_each(|request| self.group.wait(request).map(drop))
    }
}

/// Reason why an exchange fails on a rank.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The plan is for another group.
    #[error("the plan is for {} of the machine, and the group has {group}, or others", count(*plan as u64, "node"))]
    OtherGroup {
        /// Ranks of the plan.
        plan: usize,
        /// Ranks of the group.
        group: usize,
    },
    /// The number of payloads is not the number of ranks.
    #[error("{} given for {}", are(*given, "payload"), count(*size as u64, "rank"))]
    Payloads {
        /// Payloads given.
        given: usize,
        /// Ranks of the group.
        size: usize,
    },
    /// A payload of this rank has another length than the matrix says.
    #[error("{} for rank {to}, where the matrix says {expected}", count(*given, "byte"))]
    Length {
        /// The receiver.
        to: Rank,
        /// Bytes given.
        given: u64,
        /// Bytes of the matrix.
        expected: u64,
    },
    /// Another rank sent, or told, something else than the plan says.
    #[error(
        "rank {from} sent or announced {} where {expected} should come: all must use the same plan",
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
    Walk(#[from] WalkError),
    /// Data cannot be taken apart.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

crate::text::debug_as_text!(ExchangeError);
