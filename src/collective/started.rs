//! Collective operations that proceed between other calls of the program, and operators on elements known only at run time.

use std::sync::Arc;

use super::{
    Algorithm, CollectiveError, Job, Plan,
    calls::{perform, planned, wrong_length},
    job::Described,
    operator::Named,
};
use crate::{
    comm::{Call, Combine, Group, Message, Stepwise, transport::RequestId},
    payload::Payload,
};

/// The properties of an operator whose elements are known only at run time. They must be the same on all members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorProperties<'a> {
    /// The name in messages.
    pub name: &'a str,
    /// Whether the order of the operands does not matter.
    pub is_commutative: bool,
    /// Whether results do not depend on how operands are grouped.
    pub is_exact: bool,
}

impl<'a> OperatorProperties<'a> {
    fn named(self) -> Named<'a> {
        let OperatorProperties { name, is_commutative, is_exact } = self;
        Named { name, of: "", is_commutative, is_exact }
    }
}

impl<'n> Group<'n> {
    /// Carries out an operation that combines, with a function on payloads: `combine` combines the vectors of lower and of higher ranks. If
    /// `operator` is `None`, the operation must be one that moves data.
    ///
    /// # Errors
    /// As [`combine`](super::Collective::combine).
    #[track_caller]
    pub fn combine_with(
        &self,
        algorithm: &Algorithm,
        job: &Job,
        mine: &Payload,
        operator: Option<OperatorProperties<'_>>,
        combine: &mut Combine<'_>,
    ) -> Result<Payload, CollectiveError> {
        self.note_call();
        perform(self, algorithm, job, mine, operator.map(OperatorProperties::named), combine)
    }

    /// Starts an operation, without any message. All members must start it in the same order as their other collective calls.
    ///
    /// # Errors
    /// As [`combine`](super::Collective::combine).
    #[track_caller]
    pub fn start(
        &self,
        algorithm: &Algorithm,
        job: &Job,
        mine: &Payload,
        operator: Option<OperatorProperties<'_>>,
    ) -> Result<Started<'n>, CollectiveError> {
        self.note_call();
        let operator = operator.map(OperatorProperties::named);
        if operator.is_none() && job.operation.combines() {
            return Err(CollectiveError::NoOperator { operation: job.operation });
        }
        if job.element_bytes == 0 {
            return Err(CollectiveError::NoBytes { element: job.element });
        }
        let text = Described { job, algorithm, operator };
        let tag = self.agree(&Call::new(job.operation.name(), &text, (&job.lengths, operator)))?;
        let (in_order, exact) =
            operator.map_or((false, true), |operator| (!operator.is_commutative, operator.is_exact));
        let plan = planned(self, algorithm, job, in_order, exact)?;
        let expected = plan.given(self.rank());
        if mine.len() != expected {
            return Err(wrong_length(self, job, mine, expected));
        }
        let blocks = plan.blocks_of(self.rank(), mine)?;
        self.charge_call()?;
        let walk = Stepwise::new(self.private(), plan.schedule(), tag, blocks)?;
        Ok(Started { rank: self.rank(), plan, walk })
    }
}

/// A collective operation under way on a member. It proceeds as a [`Stepwise`] walk does.
///
/// ```
/// use multicomputer::{Machine, collective::{Algorithm, Job, Operation}, comm::transport::Transport, prelude::*};
///
/// let run = Machine::paragon(2, 3).build()?.run(|node| {
///     let (transport, job) = (Transport::of(node), Job::bytes(Operation::AllGather, 6));
///     let mut started = node.world().start(&Algorithm::AUTO, &job, &Payload::from([node.rank() as u8]), None)?;
///     let mut no_combine = |_: Payload, right: Payload| Ok(right);
///     started.proceed(&mut no_combine)?;
///     node.compute(Span::from_micros(100))?; // the first messages travel meanwhile
///     while !started.is_finished() {
///         for request in started.pending() {
///             let message = transport.wait(request)?;
///             started.complete(request, message, &mut no_combine)?;
///         }
///         started.proceed(&mut no_combine)?;
///     }
///     Ok(started.into_result().to_vec::<u8>()?)
/// })?;
/// assert_eq!(run.outputs[5], [0, 1, 2, 3, 4, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Started<'n> {
    rank: usize,
    plan: Arc<Plan>,
    walk: Stepwise<'n>,
}

impl Started<'_> {
    /// The requests for which the operation waits.
    pub fn pending(&self) -> Vec<RequestId> {
        self.walk.pending().collect()
    }

    /// Whether the operation is finished on this member.
    pub fn is_finished(&self) -> bool {
        self.walk.is_finished()
    }

    /// Takes a request that the caller has completed, with its message if it is a receive.
    ///
    /// # Errors
    /// As [`Stepwise::complete`].
    pub fn complete(
        &mut self,
        request: RequestId,
        message: Option<Message>,
        combine: &mut Combine<'_>,
    ) -> Result<(), CollectiveError> {
        Ok(self.walk.complete(self.plan.schedule(), request, message, combine)?)
    }

    /// Proceeds until the operation waits for requests or is finished.
    ///
    /// # Errors
    /// As [`Stepwise::proceed`].
    #[track_caller]
    pub fn proceed(&mut self, combine: &mut Combine<'_>) -> Result<(), CollectiveError> {
        Ok(self.walk.proceed(self.plan.schedule(), combine)?)
    }

    /// The result of a finished operation, as the blocking call returns it.
    pub fn into_result(self) -> Payload {
        self.plan.result_of(self.rank, self.walk.into_blocks())
    }
}
