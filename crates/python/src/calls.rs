//! The calls of the running node, reached through a scoped thread-local variable.
//!
//! A [`Node`] borrows from its run, while an object of Python may outlive the run. Objects of Python therefore hold numbers: of a group, of a
//! request. The node's thread holds the [`Table`] of what the numbers stand for as long as its program runs, behind a trait object without
//! lifetimes. A number is valid on the thread of its node only.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
};

use multicomputer::{
    Payload, Rank, Select, Span, Tag, Time,
    all_to_all::{self, ManyToMany},
    collective::{self, Collective, Job},
    comm::{AnyRequest, Group, Message, Node, Phase, Request, Status, Tested},
    error::CommError,
    goal,
};
use scoped_tls_hkt::scoped_thread_local;

use crate::{call_error::CallError, context::Context, typed::Reduction};

scoped_thread_local!(static CALLS: for<'a> &'a dyn Calls);

/// The number of a group of a node: the number of its [`Table`], and its index there from 1 on. 0 is the world.
pub(crate) type GroupNumber = u64;

/// The number of a request of a node: the number of its [`Table`], and the number of requests made before.
pub(crate) type RequestNumber = u64;

/// Bits of the index of a group or of a request. A node that makes more of them gets numbers of other nodes, whose tables refuse them.
const INDEX_BITS: u32 = 36;

/// A rank, and a tag, to which a message goes; no rank is the null process.
pub(crate) type To = (Option<Rank>, Tag);

/// The calls of a node program.
pub(crate) trait Calls {
    /// The number of the node in the machine.
    fn rank(&self) -> Rank;
    /// The rank of this node in a group, the size of the group, and its name.
    fn describe(&self, group: GroupNumber) -> Result<(Rank, usize, String), CallError>;
    /// The rank in the world of a member.
    fn world_rank(&self, group: GroupNumber, rank: Rank) -> Result<Rank, CallError>;
    fn send(&self, group: GroupNumber, to: To, data: Payload) -> Result<(), CallError>;
    fn recv(&self, group: GroupNumber, from: Select) -> Result<Message, CallError>;
    fn recv_until(&self, group: GroupNumber, from: Select, deadline: Time) -> Result<Message, CallError>;
    fn sendrecv(&self, group: GroupNumber, to: To, data: Payload, from: Select)
    -> Result<Message, CallError>;
    fn isend(&self, group: GroupNumber, to: To, data: Payload) -> Result<RequestNumber, CallError>;
    fn irecv(&self, group: GroupNumber, from: Select) -> Result<RequestNumber, CallError>;
    /// Waits for a request; returns the message of a receive.
    fn wait(&self, request: RequestNumber) -> Result<Option<Message>, CallError>;
    /// Tests a request: `None` if it is in progress.
    fn test(&self, request: RequestNumber) -> Result<Option<Option<Message>>, CallError>;
    /// Waits for the first complete request of several: its index, and the message of a receive; `None` at the deadline.
    fn wait_any(
        &self,
        requests: &[RequestNumber],
        deadline: Time,
    ) -> Result<Option<(usize, Option<Message>)>, CallError>;
    /// Drops a request that Python has dropped.
    fn forget(&self, request: RequestNumber);
    fn probe(&self, group: GroupNumber, from: Select, blocking: bool) -> Result<Option<Status>, CallError>;
    fn barrier(&self, group: GroupNumber) -> Result<(), CallError>;
    fn subgroup(&self, group: GroupNumber, ranks: &[Rank]) -> Result<GroupNumber, CallError>;
    fn split(
        &self,
        group: GroupNumber,
        color: Option<usize>,
        key: usize,
    ) -> Result<Option<GroupNumber>, CallError>;
    /// The group of the node's row, or of its column.
    fn line(&self, is_row: bool) -> Result<GroupNumber, CallError>;
    fn now(&self) -> Result<Time, CallError>;
    fn compute(&self, time: Span) -> Result<(), CallError>;
    fn begin_phase(&self, name: &str) -> Result<(), CallError>;
    fn end_phase(&self);
    /// Carries out a collective operation that moves data.
    fn carry_out(
        &self,
        group: GroupNumber,
        algorithm: collective::Algorithm,
        job: &Job,
        mine: Payload,
    ) -> Result<Payload, CallError>;
    /// Carries out a collective operation that combines.
    fn combine(
        &self,
        group: GroupNumber,
        algorithm: collective::Algorithm,
        reduction: &Reduction,
        mine: Payload,
    ) -> Result<Payload, CallError>;
    /// Exchanges payloads of any lengths, or of one length.
    fn all_to_all(
        &self,
        group: GroupNumber,
        algorithm: all_to_all::Algorithm,
        mine: Vec<Payload>,
        is_even: bool,
    ) -> Result<Vec<Payload>, CallError>;
    /// Stores the place in the Python program of the node's last call.
    fn store_place(&self, place: String);
    /// Counts a call that failed because the run is over; returns the number of such calls.
    fn count_call_after_end(&self) -> u32;
    /// Whether the run was interrupted.
    fn is_interrupted(&self) -> bool;
    /// Plays this node's rank of a GOAL program.
    fn play(&self, program: &goal::Program, sends: goal::Sends) -> Result<(), CallError>;
}

/// Makes calls of the running node.
///
/// # Errors
/// [`CallError::NoNode`] if no node program runs on this thread, [`CallError::Interrupted`] if the run was interrupted.
pub(crate) fn with<T>(calls: impl FnOnce(&dyn Calls) -> Result<T, CallError>) -> Result<T, CallError> {
    if !CALLS.is_set() {
        return Err(CallError::NoNode);
    }
    CALLS.with(|node| if node.is_interrupted() { Err(CallError::Interrupted) } else { calls(node) })
}

/// Returns whether a node program runs on this thread.
pub(crate) fn is_node() -> bool {
    CALLS.is_set()
}

/// Runs a program with a node's calls at hand.
pub(crate) fn set<T>(node: &Node<'_>, context: &Context, program: impl FnOnce() -> T) -> T {
    static TABLES: AtomicU64 = AtomicU64::new(1);
    let table = Table {
        node,
        context,
        first: TABLES.fetch_add(1, Ordering::Relaxed) << INDEX_BITS,
        groups: RefCell::default(),
        requests: RefCell::default(),
        next: Cell::new(0),
        calls_after_end: Cell::new(0),
        phases: RefCell::default(),
    };
    CALLS.set(&table, program)
}

/// The groups, requests and phases of a node, by number.
struct Table<'a, 'n> {
    node: &'a Node<'n>,
    context: &'a Context,
    /// The number of this table, unique in the process, as the upper bits of the numbers of its groups and requests.
    first: u64,
    groups: RefCell<Vec<Rc<Group<'n>>>>,
    requests: RefCell<BTreeMap<RequestNumber, AnyRequest<'n>>>,
    next: Cell<RequestNumber>,
    calls_after_end: Cell<u32>,
    /// Phases that have begun and not ended, the innermost last.
    phases: RefCell<Vec<Phase<'a>>>,
}

impl<'a, 'n> Table<'a, 'n> {
    /// Calls a function with a group. No cell is borrowed meanwhile: an operator of Python may call a node's functions.
    fn in_group<T, E: Into<CallError>>(
        &self,
        group: GroupNumber,
        call: impl FnOnce(&Group<'n>) -> Result<T, E>,
    ) -> Result<T, CallError> {
        if group == 0 {
            return call(self.node.world()).map_err(Into::into);
        }
        let index = group.checked_sub(self.first + 1).ok_or(CallError::OtherNode)?;
        let group = self.groups.borrow().get(index as usize).cloned().ok_or(CallError::OtherNode)?;
        call(&group).map_err(Into::into)
    }

    fn keep_group(&self, group: Group<'n>) -> GroupNumber {
        let mut groups = self.groups.borrow_mut();
        groups.push(Rc::new(group));
        self.first + groups.len() as u64
    }

    fn keep_request(&self, request: AnyRequest<'n>) -> RequestNumber {
        let number = self.first + self.next.replace(self.next.get() + 1);
        self.requests.borrow_mut().insert(number, request);
        number
    }

    fn take(&self, request: RequestNumber) -> Result<AnyRequest<'n>, CallError> {
        if request < self.first || request - self.first >= self.next.get() {
            return Err(CallError::OtherNode);
        }
        self.requests.borrow_mut().remove(&request).ok_or(CallError::NoRequest)
    }
}

impl Calls for Table<'_, '_> {
    fn rank(&self) -> Rank {
        self.node.rank()
    }

    fn describe(&self, group: GroupNumber) -> Result<(Rank, usize, String), CallError> {
        self.in_group(group, |group| {
            Ok::<_, CallError>((group.rank(), group.size(), group.name().to_owned()))
        })
    }

    fn world_rank(&self, group: GroupNumber, rank: Rank) -> Result<Rank, CallError> {
        self.in_group(group, |group| group.world_rank(rank))
    }

    fn send(&self, group: GroupNumber, to: To, data: Payload) -> Result<(), CallError> {
        self.in_group(group, |group| group.send(to, data))
    }

    fn recv(&self, group: GroupNumber, from: Select) -> Result<Message, CallError> {
        self.in_group(group, |group| group.recv(from))
    }

    fn recv_until(&self, group: GroupNumber, from: Select, deadline: Time) -> Result<Message, CallError> {
        self.in_group(group, |group| group.recv_until(from, deadline))
    }

    fn sendrecv(
        &self,
        group: GroupNumber,
        to: To,
        data: Payload,
        from: Select,
    ) -> Result<Message, CallError> {
        self.in_group(group, |group| group.sendrecv(to, data, from))
    }

    fn isend(&self, group: GroupNumber, to: To, data: Payload) -> Result<RequestNumber, CallError> {
        Ok(self.keep_request(self.in_group(group, |group| group.isend(to, data))?.into()))
    }

    fn irecv(&self, group: GroupNumber, from: Select) -> Result<RequestNumber, CallError> {
        Ok(self.keep_request(self.in_group(group, |group| group.irecv(from))?.into()))
    }

    fn wait(&self, request: RequestNumber) -> Result<Option<Message>, CallError> {
        Ok(self.take(request)?.wait()?)
    }

    fn test(&self, request: RequestNumber) -> Result<Option<Option<Message>>, CallError> {
        match self.take(request)?.test()? {
            Tested::Complete(message) => Ok(Some(message)),
            Tested::Pending(pending) => {
                self.requests.borrow_mut().insert(request, pending);
                Ok(None)
            }
        }
    }

    fn wait_any(
        &self,
        requests: &[RequestNumber],
        deadline: Time,
    ) -> Result<Option<(usize, Option<Message>)>, CallError> {
        let mut open = Vec::with_capacity(requests.len());
        {
            let mut kept = self.requests.borrow_mut();
            open.extend(requests.iter().map(|number| kept.remove(number)));
        }
        let complete = Request::wait_any_until(&mut open, deadline);
        let mut kept = self.requests.borrow_mut();
        for (&number, request) in requests.iter().zip(open) {
            kept.extend(request.map(|request| (number, request)));
        }
        Ok(complete?)
    }

    fn forget(&self, request: RequestNumber) {
        let dropped = self.requests.borrow_mut().remove(&request);
        drop(dropped);
    }

    fn probe(&self, group: GroupNumber, from: Select, blocking: bool) -> Result<Option<Status>, CallError> {
        self.in_group(group, |group| match blocking {
            true => group.probe(from).map(Some),
            false => group.try_probe(from),
        })
    }

    fn barrier(&self, group: GroupNumber) -> Result<(), CallError> {
        self.in_group(group, Group::barrier)
    }

    fn subgroup(&self, group: GroupNumber, ranks: &[Rank]) -> Result<GroupNumber, CallError> {
        Ok(self.keep_group(self.in_group(group, |group| group.subgroup(ranks))?))
    }

    fn split(
        &self,
        group: GroupNumber,
        color: Option<usize>,
        key: usize,
    ) -> Result<Option<GroupNumber>, CallError> {
        let part = self.in_group(group, |group| group.split(color, key))?;
        Ok(part.map(|part| self.keep_group(part)))
    }

    fn line(&self, is_row: bool) -> Result<GroupNumber, CallError> {
        let line = if is_row { self.node.row()? } else { self.node.column()? };
        let ranks = (0..line.size()).map(|rank| line.world_rank(rank)).collect::<Result<Vec<_>, _>>()?;
        Ok(self.keep_group(self.node.world().subgroup(&ranks)?))
    }

    fn now(&self) -> Result<Time, CallError> {
        Ok(self.node.now()?)
    }

    fn compute(&self, time: Span) -> Result<(), CallError> {
        Ok(self.node.compute(time)?)
    }

    fn begin_phase(&self, name: &str) -> Result<(), CallError> {
        self.phases.borrow_mut().push(self.node.phase(name)?);
        Ok(())
    }

    fn end_phase(&self) {
        self.phases.borrow_mut().pop();
    }

    fn carry_out(
        &self,
        group: GroupNumber,
        algorithm: collective::Algorithm,
        job: &Job,
        mine: Payload,
    ) -> Result<Payload, CallError> {
        self.in_group(group, |group| group.using(algorithm).carry_out(job, mine))
    }

    fn combine(
        &self,
        group: GroupNumber,
        algorithm: collective::Algorithm,
        reduction: &Reduction,
        mine: Payload,
    ) -> Result<Payload, CallError> {
        self.in_group(group, |group| reduction.carry_out(&group.using(algorithm), mine))
    }

    fn all_to_all(
        &self,
        group: GroupNumber,
        algorithm: all_to_all::Algorithm,
        mine: Vec<Payload>,
        is_even: bool,
    ) -> Result<Vec<Payload>, CallError> {
        self.in_group(group, |group| match is_even {
            true => group.using(algorithm).all_to_all_payloads(mine),
            false => group.using(algorithm).all_to_allv_payloads(mine),
        })
    }

    fn count_call_after_end(&self) -> u32 {
        self.calls_after_end.replace(self.calls_after_end.get() + 1) + 1
    }

    fn store_place(&self, place: String) {
        self.context.store_place(self.node.rank(), place);
    }

    fn is_interrupted(&self) -> bool {
        self.context.is_interrupted()
    }

    fn play(&self, program: &goal::Program, sends: goal::Sends) -> Result<(), CallError> {
        Ok(program.play(self.node, sends)?)
    }
}

impl From<CommError> for CallError {
    fn from(error: CommError) -> CallError {
        CallError::Comm(error)
    }
}
