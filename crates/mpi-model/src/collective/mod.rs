//! Collective operations (MPI 5.0, chapter 6).
//!
//! Every operation is prepared as a [`Task`], which a blocking call carries out at once, a nonblocking call step by step, and a persistent
//! request again for each start. Operations whose lengths all ranks know are tasks of the library, planned by its algorithms. The others
//! exchange messages directly ([`rounds`]): `MPI_Gatherv` and `MPI_Scatterv`, of which only the root knows all lengths, exchanges, and all
//! operations of intercommunicators.

mod exchange;
mod inter;
mod moving;
mod neighbor;
mod reducing;
pub(crate) mod rounds;
mod scan;

use std::{cell::RefCell, rc::Rc};

use multicomputer::{
    Payload, PayloadError,
    collective::{Algorithm, Collective, CollectiveError, Job, OperatorProperties, Started},
    comm::{Message, WalkError, transport::RequestId},
};

use rounds::{Next, Rounds};
pub(crate) use rounds::{
    all_gather_bytes, all_gather_equal, broadcast_bytes, broadcast_pair, gather_to_first, scatter_of_first,
};

use crate::{
    buffer::Buffer,
    communicator::Communicator,
    datatype::{
        Datatype,
        basic::{self, Basic, Element},
    },
    error::{Class, Error, Result},
    function::Function,
    op::{self, Operator},
    process::Process,
    request::{Steps, Work},
    status::Status,
    word::{Address, Handle, Out},
};

/// The functions of all collective operations.
pub(crate) const ALL: [&[Function]; 6] = [
    exchange::FUNCTIONS,
    moving::FUNCTIONS,
    neighbor::FUNCTIONS,
    reducing::FUNCTIONS,
    rounds::FUNCTIONS,
    scan::FUNCTIONS,
];

/// The communicator of a call.
type Comm<'n> = Rc<Communicator<'n>>;

/// What remains to be done with the result of an operation of the library.
type Finish<'n> = Box<dyn FnOnce(&Process<'n>, &Payload) + 'n>;

/// This process's part of a collective operation.
pub(crate) enum Task<'n> {
    /// An operation that the library plans.
    Planned {
        /// The operation and its lengths.
        job: Job,
        /// The data of this process.
        mine: Payload,
        /// The operator of an operation that combines.
        reduction: Option<Reduction>,
        /// Stores the result.
        finish: Finish<'n>,
    },
    /// Messages of this process, round by round.
    Rounds(Next<'n>),
}

/// How elements are combined.
#[derive(Clone, Debug)]
pub(crate) struct Reduction {
    pub(crate) operator: Operator,
    pub(crate) datatype: Datatype,
}

impl Reduction {
    /// Checks that the operator is defined for the datatype.
    ///
    /// # Errors
    /// [`Class::OP`].
    pub(crate) fn new(operator: Operator, datatype: Datatype) -> Result<Reduction> {
        operator.check(&datatype)?;
        Ok(Reduction { operator, datatype })
    }

    /// Combines the data of lower ranks, `left`, with that of higher ranks.
    pub(crate) fn combine(
        &self,
        process: &Process<'_>,
        left: &Payload,
        right: &Payload,
    ) -> std::result::Result<Payload, PayloadError> {
        let (left, mut result) = (left.to_bytes()?, Vec::from(right.to_bytes()?));
        let count = result.len() as u64 / self.datatype.size().max(1);
        // The only error is that the operator has ended the program, which the call notices at its end.
        let _ = self.operator.combine(process, &left, &mut result, &self.datatype, count);
        Ok(Payload::from(result))
    }

    /// Results of predefined operators on whole numbers do not depend on how the operands are grouped.
    fn properties(&self) -> OperatorProperties<'static> {
        let Operator { is_commutative, ref kind } = self.operator;
        let is_whole = |basic: Basic| {
            use basic::Class::{Byte, Logical, Signed, Unsigned};
            matches!(basic.class, Byte | Logical | Signed | Unsigned)
        };
        let (name, is_exact) = match kind {
            op::Kind::User(_) => ("an operator of the program", false),
            op::Kind::Predefined(operator) => {
                let is_exact = match self.datatype.element() {
                    Some(Element::One(basic)) => is_whole(basic),
                    Some(Element::Pair(value, index)) => is_whole(value) && is_whole(index),
                    None => false,
                };
                (operator.name(), is_exact)
            }
        };
        OperatorProperties { name, is_commutative, is_exact }
    }
}

/// How a call carries out its task.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    /// Until it is finished.
    Blocking,
    /// As a request.
    Nonblocking(Out<Handle>),
    /// As a persistent request.
    Persistent(Out<Handle>),
}

/// Carries out a collective call. `prepare` checks the arguments and makes the task, once for each start of the operation.
pub(crate) fn run<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    name: &'static str,
    mode: Mode,
    prepare: impl Fn(&Process<'n>, &Comm<'n>) -> Result<Task<'n>> + 'n,
) -> Result<()> {
    match mode {
        Mode::Blocking => {
            let task = prepare(process, comm)?;
            if let Task::Planned { job, mine, reduction, finish } = task {
                if process.has_background() {
                    let work = begin(process, comm, Task::Planned { job, mine, reduction, finish })?;
                    return process.finish(work, Some(comm)).map(drop);
                }
                let result = planned(process, comm, &job, &mine, reduction.as_ref())?;
                finish(process, &result);
                return Ok(());
            }
            process.transport().library_call(name, || {
                let work = begin(process, comm, task)?;
                process.finish(work, Some(comm)).map(drop)
            })
        }
        Mode::Nonblocking(request) => {
            let task = prepare(process, comm)?;
            let work = begin(process, comm, task)?;
            request.set(process, process.enter(work, Some(comm)));
            Ok(())
        }
        Mode::Persistent(request) => {
            // The arguments are checked now; the data is that at the start.
            prepare(process, comm)?;
            let (of, buffers) = (comm.clone(), process.persistent_buffers());
            let start = move |process: &Process<'n>| {
                process.departs_with(&buffers);
                begin(process, &of, prepare(process, &of)?)
            };
            request.set(process, process.enter_persistent(comm, None, Rc::new(start)));
            Ok(())
        }
    }
}

/// Carries out an operation of the library.
fn planned<'n>(
    process: &Process<'n>,
    comm: &Comm<'n>,
    job: &Job,
    mine: &Payload,
    reduction: Option<&Reduction>,
) -> Result<Payload> {
    let mut combine = |left: Payload, right: Payload| match reduction {
        Some(reduction) => reduction.combine(process, &left, &right),
        None => Ok(right),
    };
    let properties = reduction.map(Reduction::properties);
    comm.group.combine_with(&process.algorithm(job), job, mine, properties, &mut combine).map_err(error_of)
}

/// Begins a task.
fn begin<'n>(process: &Process<'n>, comm: &Comm<'n>, task: Task<'n>) -> Result<Work<'n>> {
    match task {
        Task::Planned { job, mine, reduction, finish } => {
            let properties = reduction.as_ref().map(Reduction::properties);
            let started =
                comm.group.start(&process.algorithm(&job), &job, &mine, properties).map_err(error_of)?;
            let mut planned = Planned { started: Some(started), reduction, finish: Some(finish) };
            planned.proceed(process)?;
            Ok(if planned.started.is_none() {
                Work::done(Status::EMPTY)
            } else {
                Work::Steps(Box::new(planned))
            })
        }
        Task::Rounds(next) => Rounds::begin(process, comm, next),
    }
}

/// An operation of the library under way.
struct Planned<'n> {
    started: Option<Started<'n>>,
    reduction: Option<Reduction>,
    finish: Option<Finish<'n>>,
}

impl<'n> Planned<'n> {
    /// Proceeds until the operation waits or is finished.
    fn proceed(&mut self, process: &Process<'n>) -> Result<()> {
        let reduction = self.reduction.clone();
        let mut combine = move |left: Payload, right: Payload| match &reduction {
            Some(reduction) => reduction.combine(process, &left, &right),
            None => Ok(right),
        };
        let Some(started) = &mut self.started else { return Ok(()) };
        started.proceed(&mut combine).map_err(error_of)?;
        if started.is_finished()
            && let (Some(started), Some(finish)) = (self.started.take(), self.finish.take())
        {
            finish(process, &started.into_result());
        }
        Ok(())
    }
}

/// Carries out an operation that moves data, for the library's own use. Lets operations in the background proceed.
fn carried_out<'n>(
    process: &Process<'n>,
    comm: &Communicator<'n>,
    job: &Job,
    mine: Payload,
) -> Result<Payload> {
    if !process.has_background() {
        return comm.group.carry_out(job, mine).map_err(error_of);
    }
    let result = Rc::new(RefCell::new(Payload::empty()));
    let into = result.clone();
    let finish: Finish<'n> = Box::new(move |_, data| *into.borrow_mut() = data.clone());
    let started = comm.group.start(&Algorithm::AUTO, job, &mine, None).map_err(error_of)?;
    let mut planned = Planned { started: Some(started), reduction: None, finish: Some(finish) };
    planned.proceed(process)?;
    if planned.started.is_some() {
        process.finish(Work::Steps(Box::new(planned)), None)?;
    }
    Ok(result.take())
}

impl<'n> Steps<'n> for Planned<'n> {
    fn pending(&self) -> Vec<RequestId> {
        self.started.as_ref().map(Started::pending).unwrap_or_default()
    }

    fn complete(
        &mut self,
        process: &Process<'n>,
        request: RequestId,
        message: Option<Message>,
    ) -> Result<()> {
        let reduction = self.reduction.clone();
        let mut combine = move |left: Payload, right: Payload| match &reduction {
            Some(reduction) => reduction.combine(process, &left, &right),
            None => Ok(right),
        };
        if let Some(started) = &mut self.started {
            started.complete(request, message, &mut combine).map_err(error_of)?;
        }
        self.proceed(process)
    }
}

/// Converts the error of a collective operation of the library.
fn error_of(error: CollectiveError) -> Error {
    match error {
        CollectiveError::Comm(error) | CollectiveError::Walk(WalkError::Comm(error)) => error.into(),
        error => Error::new(Class::OTHER, error.to_string()),
    }
}

/// The size of the elements between which algorithms may cut data that is only moved: that of the
/// basic type of which the datatype consists, or single bytes. It is the same on all ranks, whose datatypes have one signature.
fn cut(datatype: &Datatype) -> u64 {
    datatype.layout().single().map_or(1, |basic| u64::from(basic.size).max(1))
}

/// Whether an argument is `MPI_IN_PLACE`.
fn is_in_place(buffer: Address) -> bool {
    buffer == Address::IN_PLACE
}

/// Checks a root of an intracommunicator.
fn root_of(comm: &Communicator<'_>, root: i32) -> Result<usize> {
    match usize::try_from(root) {
        Ok(root) if root < comm.group.size() => Ok(root),
        _ => {
            let text =
                format!("{root} is no rank of {}: its ranks are 0 to {}", comm.shown_name(), comm.size() - 1);
            Err(Error::argument(Class::ROOT, "root", text))
        }
    }
}

/// Stores a result, unless there is no buffer for it.
fn storing<'n>(buffer: Option<Buffer>) -> Finish<'n> {
    Box::new(move |process, result| {
        if let Some(buffer) = buffer {
            buffer.store(process, result);
        }
    })
}

/// Defines the three forms of a collective operation: the blocking, the nonblocking and the persistent function. Each prepares a task by
/// `$prepare(process, comm, arguments ..)`.
macro_rules! forms {
    ($prepare:ident = $name:literal: $blocking:ident $nonblocking:ident $persistent:ident
     $(<$($generic:ident),+>)? ($($argument:ident: $of:ty),* $(,)?)) => {
        #[allow(clippy::too_many_arguments, reason = "the arguments of MPI")]
        fn $blocking<'n $($(, $generic: crate::word::Integer + 'static)+)?>(
            process: &Process<'n>, $($argument: $of,)* comm: Rc<Communicator<'n>>,
        ) -> Result<()> {
            let prepare = move |process: &Process<'n>, comm: &Rc<Communicator<'n>>| {
                $prepare(process, comm, $($argument.clone()),*)
            };
            crate::collective::run(process, &comm, $name, crate::collective::Mode::Blocking, prepare)
        }

        #[allow(clippy::too_many_arguments, reason = "the arguments of MPI")]
        fn $nonblocking<'n $($(, $generic: crate::word::Integer + 'static)+)?>(
            process: &Process<'n>, $($argument: $of,)* comm: Rc<Communicator<'n>>, request: crate::word::Out<crate::word::Handle>,
        ) -> Result<()> {
            let prepare = move |process: &Process<'n>, comm: &Rc<Communicator<'n>>| {
                $prepare(process, comm, $($argument.clone()),*)
            };
            crate::collective::run(process, &comm, $name, crate::collective::Mode::Nonblocking(request), prepare)
        }

        #[allow(clippy::too_many_arguments, reason = "the arguments of MPI")]
        fn $persistent<'n $($(, $generic: crate::word::Integer + 'static)+)?>(
            process: &Process<'n>, $($argument: $of,)* comm: Rc<Communicator<'n>>, _info: crate::word::Handle,
            request: crate::word::Out<crate::word::Handle>,
        ) -> Result<()> {
            let prepare = move |process: &Process<'n>, comm: &Rc<Communicator<'n>>| {
                $prepare(process, comm, $($argument.clone()),*)
            };
            crate::collective::run(process, &comm, $name, crate::collective::Mode::Persistent(request), prepare)
        }
    };
}

pub(crate) use forms;
