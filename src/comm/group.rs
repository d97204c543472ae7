//! Nodes that talk among themselves: the world, a row, a column, any list of ranks.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeMap,
    fmt,
    rc::Rc,
};

use super::{Call, MAX_MESSAGE, Memo, Message, Payload, PointToPoint, Request, Tested};
use crate::{
    error::{CommError, describe},
    kernel::{Context, Label, Op, Parcel, RequestId, Selector},
    model::Description,
    rank::{Destination, Rank, Select, Tag},
    record::Part,
    runtime::{Agreements, Envelope, NodeThread},
    time::{Span, Time},
};

/// The families of groups that exist without being made: see [`Group::strided`].
pub(super) const ROWS: u32 = 0;
pub(super) const COLUMNS: u32 = 1;
const FIRST_OF_ITS_KIND: u32 = 2;

/// What messages that the program does not see are for: see [`Group::hidden`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hidden {
    Collective = 0,
    Nx = 16,
    Active = 17,
}

/// The ranks of a group as nodes of the world.
#[derive(Clone)]
enum Members {
    /// `first`, `first + stride`, ..
    Strided { first: Rank, stride: usize, size: usize },
    /// Any list, and the same sorted by node with each one's rank in the group.
    Listed { nodes: Rc<[Rank]>, ranks: Rc<[(Rank, Rank)]> },
}

impl Members {
    fn size(&self) -> usize {
        match self {
            Members::Strided { size, .. } => *size,
            Members::Listed { nodes, .. } => nodes.len(),
        }
    }

    /// The node of the world that has this rank in the group.
    fn node(&self, rank: Rank) -> Rank {
        match self {
            Members::Strided { first, stride, .. } => first + stride * rank,
            Members::Listed { nodes, .. } => nodes[rank],
        }
    }

    /// The rank in the group of a node of the world.
    fn rank(&self, node: Rank) -> Option<Rank> {
        match self {
            Members::Strided { first, stride, size } => {
                let offset = node.checked_sub(*first)?;
                (offset % stride == 0 && offset / stride < *size).then_some(offset / stride)
            }
            Members::Listed { ranks, .. } => {
                ranks.binary_search_by_key(&node, |&(node, _)| node).ok().map(|at| ranks[at].1)
            }
        }
    }
}

/// Some nodes of the machine, numbered from 0, of which this node is one. Messages of different groups never mix.
///
/// The world, the row and the column of a node come from its [`Node`](super::Node); other groups are made
/// [from a list](Group::subgroup) or by [splitting](Group::split). All members must make the same groups in the same
/// order, as they make the same calls; no message is needed for it.
///
/// ```
/// use multicomputer::{Machine, prelude::*};
///
/// let machine = Machine::hockney(2, 3).build()?;
/// let run = machine.run(|node| {
///     let pair = node.world().split(|rank| rank / 2)?;
///     let partner = 1 - pair.rank();
///     let got = pair.sendrecv(partner, &[node.rank() as u64], partner)?;
///     Ok(got.to_vec::<u64>()?[0])
/// })?;
/// assert_eq!(run.outputs, [1, 0, 3, 2, 5, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Group<'n> {
    thread: &'n NodeThread<'n>,
    name: String,
    context: Context,
    rank: Rank,
    members: Members,
    /// How often a group of the same members has been made of this one.
    made: RefCell<BTreeMap<Vec<Rank>, u32>>,
    /// Where messages go that the program does not see.
    scenes: OnceCell<Context>,
    /// Collective calls so far.
    calls: Cell<u64>,
    /// Whether somebody handles its active messages.
    pub(super) is_active: Cell<bool>,
}

impl<'n> Group<'n> {
    pub(super) fn world(thread: &'n NodeThread<'n>) -> Group<'n> {
        let size = thread.machine().nodes();
        let members = Members::Strided { first: 0, stride: 1, size };
        Group::new(thread, "the world".into(), 0, thread.id() as Rank, members)
    }

    fn new(
        thread: &'n NodeThread<'n>,
        name: String,
        context: Context,
        rank: Rank,
        members: Members,
    ) -> Group<'n> {
        let (made, scenes, calls, is_active) = Default::default();
        Group { thread, name, context, rank, members, made, scenes, calls, is_active }
    }

    /// A row or a column: nodes of the world at equal distances. `family` keeps rows, columns and groups that the
    /// program makes of the same nodes apart.
    pub(super) fn strided(
        &self,
        name: String,
        family: u32,
        first: Rank,
        stride: usize,
        size: usize,
    ) -> Group<'n> {
        let members = Members::Strided { first, stride, size };
        let nodes: Vec<Rank> = (0..size).map(|rank| members.node(rank)).collect();
        let rank = members.rank(self.thread.id() as Rank).unwrap_or(0);
        let context =
            self.thread.with_contexts(|contexts| contexts.of(self.context, &nodes, family, || name.clone()));
        Group::new(self.thread, name, context, rank, members)
    }

    pub(super) fn thread(&self) -> &'n NodeThread<'n> {
        self.thread
    }

    /// The number of the next group of these nodes, the same on all that make it.
    fn new_context(&self, nodes: &[Rank], name: impl FnOnce() -> String) -> Context {
        let mut made = self.made.borrow_mut();
        let nth = made.entry(nodes.to_vec()).or_insert(FIRST_OF_ITS_KIND);
        *nth += 1;
        self.thread.with_contexts(|contexts| contexts.of(self.context, nodes, *nth, name))
    }

    /// What messages about the group call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The node of the world that has `rank` in this group.
    ///
    /// # Errors
    /// [`CommError::NoSuchRank`].
    pub fn world_rank(&self, rank: Rank) -> Result<Rank, CommError> {
        self.check_rank(rank)?;
        Ok(self.members.node(rank))
    }

    /// The group of these ranks of this one, numbered in the order given. All of them, and no other, must call this
    /// with the same list.
    ///
    /// # Errors
    /// [`CommError::NoSuchRank`], [`CommError::BadGroup`] for an empty list or a rank given twice,
    /// [`CommError::NotAMember`] if the list leaves this node out.
    pub fn subgroup(&self, ranks: &[Rank]) -> Result<Group<'n>, CommError> {
        for &rank in ranks {
            self.check_rank(rank)?;
        }
        let nodes: Rc<[Rank]> = ranks.iter().map(|&rank| self.members.node(rank)).collect();
        let mut sorted: Vec<(Rank, Rank)> = nodes.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        if ranks.is_empty() || sorted.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(CommError::BadGroup(format!("{ranks:?} was given")));
        }
        let name = format!("the group of nodes {}", shortened(&nodes));
        let Some(rank) = ranks.iter().position(|&rank| rank == self.rank) else {
            return Err(CommError::NotAMember { rank: self.rank, group: name });
        };
        let context = self.new_context(&nodes, || name.clone());
        let members = Members::Listed { nodes, ranks: sorted.into() };
        Ok(Group::new(self.thread, name, context, rank, members))
    }

    /// Divides this group: ranks of one color form a group, in their order. Every member works the colors of all
    /// out, so no message is needed.
    ///
    /// # Errors
    /// None of its own.
    pub fn split<C: PartialEq>(&self, color: impl Fn(Rank) -> C) -> Result<Group<'n>, CommError> {
        let mine = color(self.rank);
        let ranks: Vec<Rank> = (0..self.size()).filter(|&rank| color(rank) == mine).collect();
        self.subgroup(&ranks)
    }

    /// Receives a message unless none arrives by `deadline` in modeled time.
    ///
    /// # Errors
    /// [`CommError::DeadlinePassed`], at the deadline or at once if that has passed; what
    /// [`PointToPoint`] says of all calls.
    pub fn recv_until(&self, from: impl Into<Select>, deadline: Time) -> Result<Message, CommError> {
        let select = from.into();
        let found = self.thread.recv_until(self.selector(select)?, deadline)?;
        match found {
            Some(envelope) => Ok(self.message(envelope)),
            None => Err(CommError::DeadlinePassed { wanted: describe(select.source, select.tag), deadline }),
        }
    }

    /// Waits until any of the requests is complete, takes it out of the list, and says where it stood and what it
    /// received. Of several complete ones it is the first in modeled time, then in the list.
    ///
    /// # Errors
    /// [`CommError::NothingToWaitFor`] if there are none; what [`PointToPoint`] says of all calls.
    pub fn wait_any(&self, requests: &mut Vec<Request<'_>>) -> Result<(usize, Option<Message>), CommError> {
        let (index, envelope) = self.thread.wait_any(ids(requests)?)?;
        Ok(taken(requests, index, envelope))
    }

    /// As [`wait_any`](Group::wait_any), but gives up at `deadline` in modeled time, or at once if that has passed:
    /// then it returns `None`, and the list is as it was. What is complete at the deadline itself is in time.
    ///
    /// # Errors
    /// As [`wait_any`](Group::wait_any); [`CommError::Livelock`] if the program has done nothing but look in vain for
    /// too long.
    pub fn wait_any_until(
        &self,
        requests: &mut Vec<Request<'_>>,
        deadline: Time,
    ) -> Result<Option<(usize, Option<Message>)>, CommError> {
        let (_, first) = self.thread.wait_any_until(ids(requests)?, deadline)?;
        Ok(first.map(|(index, envelope)| taken(requests, index, envelope)))
    }

    /// Looks whether a request is complete at this instant of the node's clock. If it is, this is a
    /// [`wait`](PointToPoint::wait); if not, it costs no modeled time.
    ///
    /// # Errors
    /// [`CommError::Livelock`] if the program has done nothing but test and probe in vain for too long.
    pub fn test<'r>(&self, mut request: Request<'r>) -> Result<Tested<'r>, CommError> {
        let Some(id) = request.id else { return Ok(Tested::Complete(None)) };
        match self.thread.test(id, true)?.1 {
            Some(envelope) => {
                request.id = None;
                Ok(Tested::Complete(envelope.map(|envelope| request.group.message(envelope))))
            }
            None => Ok(Tested::Pending(request)),
        }
    }

    /// Waits until a message is there and says who sent it, under which tag, and how long it is, without receiving
    /// it. Costs no modeled time beyond the waiting.
    ///
    /// # Errors
    /// What [`PointToPoint`] says of all calls.
    pub fn probe(&self, from: impl Into<Select>) -> Result<(Rank, Tag, u64), CommError> {
        let found = self.thread.probe(self.selector(from.into())?, true)?;
        found.map(|found| self.found(found)).ok_or(CommError::Ended)
    }

    /// Looks whether a message is there at this instant of the node's clock; costs no modeled time.
    ///
    /// # Errors
    /// [`CommError::Livelock`] if the program has done nothing but test and probe in vain for too long.
    pub fn try_probe(&self, from: impl Into<Select>) -> Result<Option<(Rank, Tag, u64)>, CommError> {
        let found = self.thread.probe(self.selector(from.into())?, false)?;
        Ok(found.map(|found| self.found(found)))
    }

    fn found(&self, (label, bytes): (Label, u64)) -> (Rank, Tag, u64) {
        (self.source_of(label), label.tag, bytes)
    }

    pub(super) fn is_world(&self) -> bool {
        self.context == 0
    }

    /// The same members, for messages of this kind alone.
    pub(crate) fn hidden(&self, kind: Hidden, name: impl FnOnce() -> String) -> Group<'n> {
        let new = || self.thread.with_contexts(|contexts| contexts.of(self.context, &[], kind as u32, name));
        let context = match kind {
            Hidden::Collective => *self.scenes.get_or_init(new),
            Hidden::Nx | Hidden::Active => new(),
        };
        Group::new(self.thread, self.name.clone(), context, self.rank, self.members.clone())
    }

    fn check_rank(&self, rank: Rank) -> Result<(), CommError> {
        if rank < self.size() {
            return Ok(());
        }
        Err(CommError::NoSuchRank { given: rank, size: self.size(), group: self.name.clone() })
    }

    pub(super) fn parcel(&self, to: Destination, payload: &Payload) -> Result<Parcel, CommError> {
        self.check_rank(to.rank)?;
        let bytes = payload.len();
        if bytes > MAX_MESSAGE {
            return Err(CommError::TooLong { given: bytes, most: MAX_MESSAGE });
        }
        Ok(Parcel {
            target: self.members.node(to.rank) as u32,
            context: self.context,
            tag: to.tag,
            bytes,
            active: false,
        })
    }

    pub(super) fn selector(&self, from: Select) -> Result<Selector, CommError> {
        if let Some(rank) = from.source {
            self.check_rank(rank)?;
        }
        let source = from.source.map(|rank| self.members.node(rank) as u32);
        Ok(Selector { context: self.context, source, tag: from.tag })
    }

    fn source_of(&self, label: Label) -> Rank {
        // Only members have the group's context, so the sender is one.
        self.members.rank(label.source as Rank).unwrap_or_default()
    }

    pub(super) fn message(&self, envelope: Envelope) -> Message {
        Message { source: self.source_of(envelope.label), tag: envelope.label.tag, payload: envelope.payload }
    }
}

impl PointToPoint for Group<'_> {
    type Request<'a>
        = Request<'a>
    where
        Self: 'a;

    fn rank(&self) -> Rank {
        self.rank
    }

    fn size(&self) -> usize {
        self.members.size()
    }

    fn machine(&self) -> &Description {
        self.thread.machine()
    }

    fn send(&self, to: impl Into<Destination>, data: impl Into<Payload>) -> Result<(), CommError> {
        let payload = data.into();
        self.thread.send(self.parcel(to.into(), &payload)?, payload)
    }

    fn recv(&self, from: impl Into<Select>) -> Result<Message, CommError> {
        let envelope = self.thread.recv(self.selector(from.into())?)?;
        Ok(self.message(envelope))
    }

    fn sendrecv(
        &self,
        to: impl Into<Destination>,
        data: impl Into<Payload>,
        from: impl Into<Select>,
    ) -> Result<Message, CommError> {
        let payload = data.into();
        let parcel = self.parcel(to.into(), &payload)?;
        let envelope = self.thread.send_recv(parcel, payload, self.selector(from.into())?)?;
        Ok(self.message(envelope))
    }

    fn isend(&self, to: impl Into<Destination>, data: impl Into<Payload>) -> Result<Request<'_>, CommError> {
        let payload = data.into();
        let id = self.thread.isend(self.parcel(to.into(), &payload)?, payload)?;
        Ok(Request { group: self, id: Some(id) })
    }

    fn irecv(&self, from: impl Into<Select>) -> Result<Request<'_>, CommError> {
        let id = self.thread.irecv(self.selector(from.into())?)?;
        Ok(Request { group: self, id: Some(id) })
    }

    fn wait(&self, mut request: Request<'_>) -> Result<Option<Message>, CommError> {
        let Some(id) = request.id.take() else { return Ok(None) };
        Ok(self.thread.wait(id)?.map(|envelope| request.group.message(envelope)))
    }

    fn compute(&self, time: Span) -> Result<(), CommError> {
        self.thread.compute(time)
    }

    fn place(&self, rank: Rank) -> Rank {
        self.members.node(rank)
    }

    fn behind_the_scenes(&self) -> Self {
        self.hidden(Hidden::Collective, || format!("collective calls in {}", self.name))
    }

    fn agree(&self, call: &Call) -> Result<Tag, CommError> {
        let nth = self.calls.get();
        self.calls.set(nth + 1);
        let arrive =
            |agreements: &mut Agreements| agreements.arrive(self.context, nth, self.size(), self.rank, call);
        self.thread.with_agreements(arrive).map_err(|(other, other_call)| CommError::Mismatch {
            group: self.name.clone(),
            rank: self.rank,
            call: call.to_string(),
            other,
            other_call: match other_call.to_string() {
                same if same == call.to_string() => format!("{same} with other arguments"),
                different => different,
            },
        })?;
        Ok(Tag::of_call(call.operation(), nth))
    }

    fn memo(&self) -> &Memo {
        self.thread.memo()
    }

    fn library_call<T, E: From<CommError>>(
        &self,
        name: &'static str,
        calls: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.thread.library_call(name, calls)
    }

    fn as_part<T>(&self, part: impl FnOnce() -> Part, work: impl FnOnce() -> T) -> T {
        if !self.thread.is_traced() {
            return work();
        }
        // After the end of the run there is nobody to tell.
        let _ = self.thread.phase(Op::PartBegin { part: part() });
        let done = work();
        let _ = self.thread.phase(Op::PartEnd);
        done
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group(rank {} of {} in {})", self.rank, self.size(), self.name)
    }
}

/// The requests that a wait is for: at least one. None in a list has been waited for, since a wait takes it.
fn ids(requests: &[Request<'_>]) -> Result<Box<[RequestId]>, CommError> {
    let ids: Box<[RequestId]> = requests.iter().filter_map(|request| request.id).collect();
    if ids.is_empty() { Err(CommError::NothingToWaitFor) } else { Ok(ids) }
}

/// Takes the request that is complete out of a list, and makes a message of what it has received.
fn taken(
    requests: &mut Vec<Request<'_>>,
    index: usize,
    envelope: Option<Envelope>,
) -> (usize, Option<Message>) {
    let mut request = requests.remove(index);
    request.id = None;
    (index, envelope.map(|envelope| request.group.message(envelope)))
}

/// A list of nodes, with the middle left out if it is long.
fn shortened(nodes: &[Rank]) -> String {
    match nodes {
        [first, second, third, .., last] if nodes.len() > 8 => {
            format!("{first}, {second}, {third} .. {last} ({} in all)", nodes.len())
        }
        _ => nodes.iter().map(Rank::to_string).collect::<Vec<_>>().join(", "),
    }
}
