//! The collective calls of a group, and their execution.

use std::sync::Arc;

use thiserror::Error;

use super::{
    Algorithm, Job, Lengths, Operation, Operator, Plan, PlanError, Task, TaskError, WrongLength,
    job::Described,
    operator::{Named, combined},
};
use crate::{
    comm::{Call, Caller, Combine, Group, WalkError},
    error::CommError,
    payload::{Buffer, Element, ElementType, Payload, PayloadError},
    rank::Rank,
};

/// The name of exclusive scans in reports.
const EXCLUSIVE_SCAN: &str = "exclusive-scan";

/// Collective operations of a group. Every member calls the same operations in the same order, with the same root, lengths, operator and
/// algorithm.
///
/// *Auto* chooses the algorithm unless the caller [gives one](Group::using). Members that make different calls get [`CommError::Mismatch`]
/// where the machine can detect the difference.
///
/// A call whose plan is not cached computes the plan, which takes a few milliseconds on about ten nodes and a tenth of a second or more on
/// hundreds of nodes. Plans are cached by operation, root, lengths, group and algorithm, and by whether the operator is commutative and
/// exact. In a real-time run, planning delays the nodes. To keep planning out of a measurement, call [`plan`](Collective::plan) and a
/// barrier first, or run the machine once before.
///
/// The machine cannot compare closures: it does not detect members that combine by different closures of the same type.
///
/// Lengths are in elements. A single number is the length of the **whole vector** of all ranks together, not MPI's count for each rank: for
/// `n` elements on every rank it is `n * group.size()`. Blocks of arbitrary lengths are given one by one. Where a length is not divisible
/// by the group size, [`Lengths::block`] returns the elements of each rank.
///
/// Vectors are [buffers](Buffer) of plain [elements](Element): slices, arrays, vectors, and numbers as vectors of length 1. The payload that [`carry_out`](Collective::carry_out) returns moves by reference.
///
/// ```
/// use multicomputer::{collective::{Algorithm, Sum}, prelude::*};
///
/// let machine = Machine::paragon(3, 4).build()?;
/// let run = machine.run(|node| {
///     // Everybody in a row gets the sum of its row, then of the whole machine, by an algorithm of choice.
///     let mut x = node.rank() as f64;
///     node.row()?.all_reduce(&mut x, Sum)?;
///     node.column()?.using(Algorithm::SHORT).all_reduce(&mut x, Sum)?;
///     Ok(x)
/// })?;
/// assert_eq!(run.outputs, [66.0; 12]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// This trait is sealed: every [`Caller`] implements it, and no other crate can.
///
/// # Errors
///
/// Every call fails with [`CollectiveError`] if its arguments contradict each other or the arguments of other members, or if a message
/// cannot be sent or received.
pub trait Collective: Caller<Task> {
    /// Copies the root's vector into `x` on every member. All members give vectors of the same length.
    #[doc(alias = "MPI_Bcast")]
    #[doc(alias = "bcast")]
    #[track_caller]
    fn broadcast<B: Buffer + ?Sized>(&self, root: Rank, x: &mut B) -> Result<(), CollectiveError> {
        let (is_root, x) = (self.group().rank() == root, x.as_mut_slice());
        let mine = if is_root { Payload::from(&*x) } else { Payload::empty() };
        let job = Job::of::<B::Element>(Operation::Broadcast, root, Lengths::Even(x.len() as u64));
        let result = self.carry_out(&job, mine)?;
        if !is_root {
            result.copy_to(x)?;
        }
        Ok(())
    }

    /// Returns this rank's block of the root's vector; `x` is empty on all other ranks. `lengths` gives the number of elements of each
    /// block, or of the whole vector.
    #[doc(alias = "MPI_Scatter")]
    #[doc(alias = "MPI_Scatterv")]
    #[track_caller]
    fn scatter<T: Element + Send>(
        &self,
        root: Rank,
        x: &[T],
        lengths: impl Into<Lengths>,
    ) -> Result<Vec<T>, CollectiveError> {
        let job = Job::of::<T>(Operation::Scatter, root, lengths.into());
        Ok(self.carry_out(&job, x)?.to_vec()?)
    }

    /// Returns all blocks in rank order at the root, and an empty vector elsewhere. `lengths` gives the number of elements of each
    /// block, or of the whole vector.
    #[doc(alias = "MPI_Gather")]
    #[doc(alias = "MPI_Gatherv")]
    #[track_caller]
    fn gather<B: Buffer + ?Sized>(
        &self,
        root: Rank,
        mine: &B,
        lengths: impl Into<Lengths>,
    ) -> Result<Vec<B::Element>, CollectiveError> {
        let job = Job::of::<B::Element>(Operation::Gather, root, lengths.into());
        Ok(self.carry_out(&job, mine.as_slice())?.to_vec()?)
    }

    /// Returns all blocks in rank order on every member. `lengths` gives the number of elements of each block, or of the
    /// whole vector.
    #[doc(alias = "MPI_Allgather")]
    #[doc(alias = "MPI_Allgatherv")]
    #[doc(alias = "collect")]
    #[track_caller]
    fn all_gather<B: Buffer + ?Sized>(
        &self,
        mine: &B,
        lengths: impl Into<Lengths>,
    ) -> Result<Vec<B::Element>, CollectiveError> {
        let job = Job::of::<B::Element>(Operation::AllGather, 0, lengths.into());
        Ok(self.carry_out(&job, mine.as_slice())?.to_vec()?)
    }

    /// Combines the vectors of all members into `x` at the root; elsewhere `x` is unchanged. All vectors have the same length.
    #[doc(alias = "MPI_Reduce")]
    #[doc(alias = "combine_one")]
    #[track_caller]
    fn reduce<B: Buffer + ?Sized, O: Operator<B::Element>>(
        &self,
        root: Rank,
        x: &mut B,
        operator: O,
    ) -> Result<(), CollectiveError> {
        let x = x.as_mut_slice();
        let job = Job::of::<B::Element>(Operation::Reduce, root, Lengths::Even(x.len() as u64));
        let result = self.combine(&job, Payload::from(&*x), &operator)?;
        if self.group().rank() == root {
            result.copy_to(x)?;
        }
        Ok(())
    }

    /// Combines the vectors of all members into `x` on every member. All vectors have the same length.
    #[doc(alias = "MPI_Allreduce")]
    #[doc(alias = "combine_all")]
    #[track_caller]
    fn all_reduce<B: Buffer + ?Sized, O: Operator<B::Element>>(
        &self,
        x: &mut B,
        operator: O,
    ) -> Result<(), CollectiveError> {
        let x = x.as_mut_slice();
        let job = Job::of::<B::Element>(Operation::AllReduce, 0, Lengths::Even(x.len() as u64));
        Ok(self.combine(&job, Payload::from(&*x), &operator)?.copy_to(x)?)
    }

    /// Returns this rank's block of the combined vectors of all members. `lengths` gives the number of elements of each block,
    /// or of the whole vector.
    #[doc(alias = "MPI_Reduce_scatter")]
    #[doc(alias = "MPI_Reduce_scatter_block")]
    #[doc(alias = "distributed_combine")]
    #[track_caller]
    fn reduce_scatter<T: Element + Send, O: Operator<T>>(
        &self,
        y: &[T],
        lengths: impl Into<Lengths>,
        operator: O,
    ) -> Result<Vec<T>, CollectiveError> {
        let job = Job::of::<T>(Operation::ReduceScatter, 0, lengths.into());
        Ok(self.combine(&job, Payload::from(y), &operator)?.to_vec()?)
    }

    /// Combines into `x` the vectors of all ranks up to and including this rank (inclusive scan). All vectors have the same length.
    #[doc(alias = "MPI_Scan")]
    #[doc(alias = "prefix")]
    #[track_caller]
    fn scan<B: Buffer + ?Sized, O: Operator<B::Element>>(
        &self,
        x: &mut B,
        operator: O,
    ) -> Result<(), CollectiveError> {
        let x = x.as_mut_slice();
        let job = Job::of::<B::Element>(Operation::Scan, 0, Lengths::Even(x.len() as u64));
        Ok(self.combine(&job, Payload::from(&*x), &operator)?.copy_to(x)?)
    }

    /// Combines into `x` the vectors of all ranks before this rank (exclusive scan). All vectors have the same length. On rank 0, which no
    /// rank precedes, `x` is unchanged; MPI leaves it undefined. Give it the neutral element of the operator beforehand or afterwards if the
    /// program needs one.
    ///
    /// ```
    /// use multicomputer::{collective::Sum, prelude::*};
    ///
    /// let run = Machine::paragon(1, 4).build()?.run(|node| {
    ///     // Every node has some items: where do its own begin if all are numbered through?
    ///     let mut first = 10 * node.rank() + 1;
    ///     node.world().exclusive_scan(&mut first, Sum)?;
    ///     Ok(if node.rank() == 0 { 0 } else { first })
    /// })?;
    /// assert_eq!(run.outputs, [0, 1, 12, 33]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Cost
    /// A [`scan`](Collective::scan) with the chosen algorithm, then one message of the vector's length from each rank to the next.
    #[doc(alias = "MPI_Exscan")]
    #[doc(alias = "exscan")]
    #[track_caller]
    fn exclusive_scan<B: Buffer + ?Sized, O: Operator<B::Element>>(
        &self,
        x: &mut B,
        operator: O,
    ) -> Result<(), CollectiveError> {
        let x = x.as_mut_slice();
        let job = Job::of::<B::Element>(Operation::Scan, 0, Lengths::Even(x.len() as u64));
        let group = self.group();
        // Numbered calls: this one, and the scan.
        let before = group.library_call(EXCLUSIVE_SCAN, || {
            group.numbered(2, || {
                let tag = group.agree(&Call::new(EXCLUSIVE_SCAN, &"an exclusive scan", ()))?;
                let inclusive = self.combine(&job, Payload::from(&*x), &operator)?;
                let (rank, size) = (group.rank(), group.size());
                let (next, previous) = ((rank + 1 < size).then_some(rank + 1), rank.checked_sub(1));
                Ok::<_, CollectiveError>(group.private().sendrecv((next, tag), inclusive, (previous, tag))?)
            })
        })?;
        if !before.is_null() {
            before.payload.copy_to(x)?;
        }
        Ok(())
    }

    /// Carries out an operation that only moves data, on a payload. The argument is the rank's data before the operation, and the result
    /// its data after it, as in the table of [`Operation`]. Data moves by reference, without a copy. Phantom payloads are allowed.
    ///
    /// ```
    /// use multicomputer::{collective::{Job, Operation}, prelude::*};
    ///
    /// let machine = Machine::paragon(2, 2).build()?;
    /// let run = machine.run(|node| {
    ///     let blocks = Job::bytes(Operation::AllGather, [5, 0, 3, 4]);
    ///     let mine = Payload::from(["Hello", "", ", w", "orld"][node.rank()]);
    ///     Ok(node.world().carry_out(&blocks, mine)?.to_bytes()?)
    /// })?;
    /// assert!(run.outputs.iter().all(|text| text == "Hello, world"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    fn carry_out(&self, job: &Job, mine: impl Into<Payload>) -> Result<Payload, CollectiveError> {
        self.group().note_call();
        if job.operation.combines() {
            return Err(CollectiveError::NoOperator { operation: job.operation });
        }
        perform(self.group(), &self.algorithm(), job, &mine.into(), None, &mut |_, right| Ok(right))
    }

    /// Returns the plan that carries out a job, with the chosen algorithm and the predicted time; it is the same on all members. For
    /// operations that combine, the plan is for a commutative and exact operator.
    #[track_caller]
    fn plan(&self, job: &Job) -> Result<Arc<Plan>, CollectiveError> {
        self.group().note_call();
        planned(self.group(), &self.algorithm(), job, false, true)
    }

    /// Carries out an operation that combines, on a payload of elements of type `T`.
    #[track_caller]
    fn combine<T: Element + Send>(
        &self,
        job: &Job,
        mine: impl Into<Payload>,
        operator: &impl Operator<T>,
    ) -> Result<Payload, CollectiveError> {
        self.group().note_call();
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
        perform(self.group(), &self.algorithm(), job, &mine, Some(named), &mut combine)
    }
}

impl<C: Caller<Task>> Collective for C {}

/// Returns the error of a member whose vector has another length than the job says.
pub(super) fn wrong_length(group: &Group<'_>, job: &Job, mine: &Payload, expected: u64) -> CollectiveError {
    let Job { operation, root, element, ref lengths, .. } = *job;
    let (rank, size, given, lengths) = (group.rank(), group.size(), mine.len(), Some(lengths.clone()));
    Box::new(WrongLength { operation, rank, size, root, element, given, expected, lengths }).into()
}

/// Carries out this member's share of a job. `operator` is given if the operation combines; `combine` combines whole payloads.
#[track_caller]
pub(crate) fn perform(
    group: &Group<'_>,
    algorithm: &Algorithm,
    job: &Job,
    mine: &Payload,
    operator: Option<Named<'_>>,
    combine: &mut Combine<'_>,
) -> Result<Payload, CollectiveError> {
    if job.element_bytes == 0 {
        return Err(CollectiveError::NoBytes { element: job.element });
    }
    group.library_call(job.operation.name(), || {
        let text = Described { job, algorithm, operator };
        let tag = group.agree(&Call::new(job.operation.name(), &text, (&job.lengths, operator)))?;
        let (in_order, exact) =
            operator.map_or((false, true), |operator| (!operator.is_commutative, operator.is_exact));
        let plan = planned(group, algorithm, job, in_order, exact)?;
        let expected = plan.given(group.rank());
        if mine.len() != expected {
            return Err(wrong_length(group, job, mine, expected));
        }
        Ok(plan.carry_out_with(&group.private(), tag, mine, combine)?)
    })
}

/// Returns the plan, which is made once for all members.
pub(super) fn planned(
    group: &Group<'_>,
    algorithm: &Algorithm,
    job: &Job,
    in_order: bool,
    exact: bool,
) -> Result<Arc<Plan>, CollectiveError> {
    let task = job.task(group, in_order, exact)?;
    Ok(algorithm.cached_plan(&task, group.cache())?)
}

/// The error of a collective operation on a rank.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// The given vector or block has a length other than the call specifies.
    #[error(transparent)]
    Length(#[from] Box<WrongLength>),
    /// The operator is for another element type than the job.
    #[error("the operator is for {given} elements, but the job has {expected} elements")]
    Element {
        /// Element type of the operator.
        given: ElementType,
        /// Element type of the job.
        expected: ElementType,
    },
    /// The element type has a size of zero bytes.
    #[error("{element} has size 0: use an element type of at least one byte")]
    NoBytes {
        /// The given type.
        element: ElementType,
    },
    /// The operation combines vectors, and no operator is given.
    #[error("{operation} needs an operator, but none is given")]
    NoOperator {
        /// The operation.
        operation: Operation,
    },
    /// The operator is not commutative, and the plan does not combine in rank order.
    #[error(
        "the plan of this {operation} does not combine in rank order, but the operator is not commutative: make the plan for such an operator"
    )]
    Order {
        /// The operation.
        operation: Operation,
    },
    /// The arguments contradict each other or the group.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The algorithm does not support this task.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A message cannot be sent or received, another member makes a different call, or the run has ended.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The plan cannot be carried out.
    #[error(transparent)]
    Walk(WalkError),
    /// The payload's data do not have the requested type.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

/// An error of communication inside the schedule stays [`CollectiveError::Comm`].
impl From<WalkError> for CollectiveError {
    fn from(error: WalkError) -> CollectiveError {
        match error {
            WalkError::Comm(error) => CollectiveError::Comm(error),
            error => CollectiveError::Walk(error),
        }
    }
}
