//! The calls of a group, and how each is carried out.

use std::sync::Arc;

use thiserror::Error;

use super::{
    Job, Lengths, Operation, Operator, Plan, PlanError, Task, TaskError, WrongLength,
    job::Described,
    operator::{Named, combined},
};
use crate::{
    comm::{Call, Caller, Combine, Group, WalkError},
    error::CommError,
    payload::{Element, ElementType, Payload, PayloadError},
    plan::Choice,
    rank::Rank,
};

/// The collective operations of a group: every member calls the same one, with the same root, lengths, operator and
/// algorithm, in the same order.
///
/// *Auto* chooses the algorithm unless it is [given](Group::using). Members that make different calls get
/// [`CommError::Mismatch`] where the machine can tell.
///
/// The first call of a kind plans: that takes a few milliseconds on some ten nodes, a tenth of a second or more on
/// hundreds. Another length, group, operator or algorithm is another kind, another root is not. In real time the nodes
/// are late after that; [`plan`](Collective::plan) and a barrier beforehand, or an earlier run of the same machine,
/// keep it out of what is timed.
///
/// Functions cannot be compared: where members combine by different closures of one kind nobody can tell.
///
/// Lengths are in elements. A number alone is the length of the **whole vector**, that of all ranks together, and not
/// MPI's count for each rank: for `n` on every rank it is `n * group.size()`. Blocks of any lengths are given one by one.
/// Where a length does not divide, [`Lengths::block`] tells which elements are a rank's.
///
/// Vectors are slices of plain [elements](Element); what comes of a [`carry_out`](Collective::carry_out) moves by reference.
///
/// ```
/// use multicomputer::{collective::{Algorithm, Sum}, prelude::*};
///
/// let machine = Machine::paragon(3, 4).build()?;
/// let run = machine.run(|node| {
///     // Everybody in a row gets the sum of its row, then of the whole machine, by an algorithm of choice.
///     let mut x = [node.rank() as f64];
///     node.row()?.combine_all(&mut x, Sum)?;
///     node.column()?.using(Algorithm::SHORT).combine_all(&mut x, Sum)?;
///     Ok(x[0])
/// })?;
/// assert_eq!(run.outputs, [66.0; 12]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is sealed: every [`Caller`] has these calls, and no other crate can implement it.
///
/// # Errors
///
/// Every call fails with [`CollectiveError`] if its arguments do not fit each other or those of the other members, and
/// if a message cannot be sent or received.
pub trait Collective: Caller<Task> {
    /// Everybody gets the root's vector. All must give one of the same length.
    #[doc(alias = "bcast")]
    fn broadcast<T: Element + Send>(&self, root: Rank, x: &mut [T]) -> Result<(), CollectiveError> {
        let is_root = self.group().rank() == root;
        let mine = if is_root { Payload::from(&*x) } else { Payload::empty() };
        let job = Job::of::<T>(Operation::Broadcast, root, Lengths::Even(x.len() as u64));
        let result = self.carry_out(&job, mine)?;
        if !is_root {
            result.copy_to(x)?;
        }
        Ok(())
    }

    /// Everybody gets its block of the root's vector, which is empty elsewhere. `lengths` has the elements of each
    /// block, or of the whole vector.
    fn scatter<T: Element + Send>(
        &self,
        root: Rank,
        x: &[T],
        lengths: impl Into<Lengths>,
    ) -> Result<Vec<T>, CollectiveError> {
        let job = Job::of::<T>(Operation::Scatter, root, lengths.into());
        Ok(self.carry_out(&job, x)?.to_vec()?)
    }

    /// The root gets all blocks in rank order, the others nothing. `lengths` has the elements of each block, or of the
    /// whole vector.
    fn gather<T: Element + Send>(
        &self,
        root: Rank,
        mine: &[T],
        lengths: impl Into<Lengths>,
    ) -> Result<Vec<T>, CollectiveError> {
        let job = Job::of::<T>(Operation::Gather, root, lengths.into());
        Ok(self.carry_out(&job, mine)?.to_vec()?)
    }

    /// Everybody gets all blocks in rank order. `lengths` has the elements of each block, or of the whole vector.
    #[doc(alias = "allgather")]
    fn collect<T: Element + Send>(
        &self,
        mine: &[T],
        lengths: impl Into<Lengths>,
    ) -> Result<Vec<T>, CollectiveError> {
        let job = Job::of::<T>(Operation::Collect, 0, lengths.into());
        Ok(self.carry_out(&job, mine)?.to_vec()?)
    }

    /// The root gets all vectors combined; elsewhere `x` stays as it is. All must give one of the same length.
    #[doc(alias = "reduce")]
    fn combine_one<T: Element + Send, O: Operator<T>>(
        &self,
        root: Rank,
        x: &mut [T],
        operator: O,
    ) -> Result<(), CollectiveError> {
        let job = Job::of::<T>(Operation::CombineToOne, root, Lengths::Even(x.len() as u64));
        let result = self.combine(&job, Payload::from(&*x), &operator)?;
        if self.group().rank() == root {
            result.copy_to(x)?;
        }
        Ok(())
    }

    /// Everybody gets all vectors combined. All must give one of the same length.
    #[doc(alias = "allreduce")]
    fn combine_all<T: Element + Send, O: Operator<T>>(
        &self,
        x: &mut [T],
        operator: O,
    ) -> Result<(), CollectiveError> {
        let job = Job::of::<T>(Operation::CombineToAll, 0, Lengths::Even(x.len() as u64));
        Ok(self.combine(&job, Payload::from(&*x), &operator)?.copy_to(x)?)
    }

    /// Everybody gets its block of all vectors combined. `lengths` has the elements of each block, or of the whole
    /// vector.
    #[doc(alias = "reduce_scatter")]
    fn distributed_combine<T: Element + Send, O: Operator<T>>(
        &self,
        y: &[T],
        lengths: impl Into<Lengths>,
        operator: O,
    ) -> Result<Vec<T>, CollectiveError> {
        let job = Job::of::<T>(Operation::DistributedCombine, 0, lengths.into());
        Ok(self.combine(&job, Payload::from(y), &operator)?.to_vec()?)
    }

    /// Everybody gets the vectors of all ranks up to its own combined. All must give one of the same length.
    #[doc(alias = "prefix")]
    fn scan<T: Element + Send, O: Operator<T>>(
        &self,
        x: &mut [T],
        operator: O,
    ) -> Result<(), CollectiveError> {
        let job = Job::of::<T>(Operation::Scan, 0, Lengths::Even(x.len() as u64));
        Ok(self.combine(&job, Payload::from(&*x), &operator)?.copy_to(x)?)
    }

    /// An operation that moves data, on a payload: it gives what the rank has of the vector before, and gets what it
    /// has after, as in the table of [`Operation`], by reference and without a copy. Phantom payloads work too.
    ///
    /// ```
    /// use multicomputer::{collective::{Job, Operation}, prelude::*};
    ///
    /// let machine = Machine::paragon(2, 2).build()?;
    /// let run = machine.run(|node| {
    ///     let blocks = Job::bytes(Operation::Collect, [5, 0, 3, 4]);
    ///     let mine = Payload::from(["Hello", "", ", w", "orld"][node.rank()]);
    ///     Ok(node.world().carry_out(&blocks, mine)?.to_bytes()?)
    /// })?;
    /// assert!(run.outputs.iter().all(|text| text == "Hello, world"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn carry_out(&self, job: &Job, mine: impl Into<Payload>) -> Result<Payload, CollectiveError> {
        if job.operation.combines() {
            return Err(CollectiveError::NoOperator { operation: job.operation });
        }
        perform(self.group(), &self.choice(), job, &mine.into(), None, &mut |_, right| Ok(right))
    }

    /// The plan that a job is carried out by, which says what was chosen and what it takes: the same on all members.
    /// For operations that combine it is that of a commutative and exact operator.
    fn plan(&self, job: &Job) -> Result<Arc<Plan>, CollectiveError> {
        planned(self.group(), &self.choice(), job, false, true)
    }

    /// An operation that combines, on a payload of elements of type `T`.
    fn combine<T: Element + Send>(
        &self,
        job: &Job,
        mine: impl Into<Payload>,
        operator: &impl Operator<T>,
    ) -> Result<Payload, CollectiveError> {
        let mut combine = |left: Payload, right: Payload| combined(operator, &left, &right);
        let given = ElementType::of::<T>();
        if given != job.element {
            return Err(CollectiveError::Element { given, expected: job.element });
        }
        let mine = mine.into();
        if let Some(sent) = mine.element().filter(|&sent| sent != given && !given.is_plain()) {
            return Err(PayloadError::TypeMismatch { sent, asked: given }.into());
        }
        let named = Named::of(operator);
        perform(self.group(), &self.choice(), job, &mine, Some(named), &mut combine)
    }
}

impl<C: Caller<Task>> Collective for C {}

/// Carries out this member's part, with the name of the operator if the operation combines, and a function of whole payloads.
pub(crate) fn perform(
    group: &Group<'_>,
    choice: &Choice<Task>,
    job: &Job,
    mine: &Payload,
    operator: Option<Named<'_>>,
    combine: &mut Combine<'_>,
) -> Result<Payload, CollectiveError> {
    if job.element.size() == 0 {
        return Err(CollectiveError::NoBytes { element: job.element });
    }
    group.library_call(job.operation.name(), || {
        let text = Described { job, choice, operator };
        let tag = group.agree(&Call::new(job.operation.name(), &text, (&job.lengths, operator)))?;
        let (in_order, exact) =
            operator.map_or((false, true), |operator| (!operator.is_commutative, operator.is_exact));
        let plan = planned(group, choice, job, in_order, exact)?;
        let expected = plan.given(group.rank());
        if mine.len() != expected {
            let Job { operation, root, element, ref lengths } = *job;
            let (rank, size, given) = (group.rank(), group.size(), mine.len());
            let lengths = Some(lengths.clone());
            let wrong = WrongLength { operation, rank, size, root, element, given, expected, lengths };
            return Err(Box::new(wrong).into());
        }
        Ok(plan.carry_out_with(&group.private(), tag, mine, combine)?)
    })
}

/// The plan, which is made once for all members.
fn planned(
    group: &Group<'_>,
    choice: &Choice<Task>,
    job: &Job,
    in_order: bool,
    exact: bool,
) -> Result<Arc<Plan>, CollectiveError> {
    let task = job.task(group, in_order, exact)?;
    Ok(choice.kept_plan(&task, group.cache())?)
}

/// The error of a collective operation on a rank.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// The vector or block given has another length than the call says.
    #[error(transparent)]
    Length(#[from] Box<WrongLength>),
    /// The operator is for other elements than the job has.
    #[error("the operator is for {given}, and the job is on {expected}")]
    Element {
        /// The operator's.
        given: ElementType,
        /// The job's.
        expected: ElementType,
    },
    /// Elements without any bytes.
    #[error("{element} has no bytes: there is nothing to move or to combine")]
    NoBytes {
        /// The type given.
        element: ElementType,
    },
    /// Vectors are to be combined, and nothing says how.
    #[error("a {operation} combines: it needs an operator")]
    NoOperator {
        /// The operation.
        operation: Operation,
    },
    /// The operator is not commutative, and the plan combines in any order.
    #[error("the operator of a {operation} is not commutative, and its plan does not combine in rank order")]
    Order {
        /// The operation.
        operation: Operation,
    },
    /// The arguments do not fit each other or the group.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The algorithm does not work here.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Another member makes another call, or the run is over.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// A message cannot be sent or received.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The data cannot be read as what is asked for.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

crate::text::debug_as_text!(CollectiveError);
