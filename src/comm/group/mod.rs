//! Groups of nodes that exchange messages: the world, a row, a column, any list of ranks.

mod cartesian;
mod library;
mod members;
mod messages;

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeMap,
    fmt,
    hash::Hash,
    panic::Location,
    rc::Rc,
    sync::Arc,
};

pub use self::cartesian::{Cartesian, Shift};
pub(super) use self::{library::as_library_call, members::Members};
use super::transport;
use crate::{
    endpoint::{Call, Endpoint},
    error::CommError,
    model::MachineSpec,
    rank::Rank,
    wire::Context,
};

/// The numbers of the families of predefined groups: see [`Group::strided`].
pub(super) const ROWS: u32 = 0;
pub(super) const COLUMNS: u32 = 1;
const FIRST_SUBGROUP_FAMILY: u32 = 2;

/// The users of a group's private contexts. The program does not see their messages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Private {
    Collective = 0,
    Nx = 16,
    Active = 17,
    /// No messages: compares the color functions of `split_by`.
    Split = 18,
    /// A library outside of this crate.
    Outside = 19,
}

/// The name of `split_by` in error messages about differing color functions.
const SPLIT_BY: &str = "`split_by` (whose function must give the color of any rank, as in `|rank| rank % 2`: with colors that only their own \
                        ranks know, call `split`)";

/// The number of the private context of library calls among the contexts of a group.
pub(crate) const LIBRARY_CALLS: u32 = Private::Collective as u32;

/// A group of nodes of the machine that includes this node. Its ranks are numbered from 0. Messages of different groups never match.
///
/// A destination is a rank or a rank with a tag; a selection may also accept any source: `send(3, ..)`, `send((3, Tag(7)), ..)`, `recv(3)`,
/// `recv(ANY_SOURCE)`, `recv((3, Tag(7)))`. A payload is anything that converts to a [`Payload`](crate::Payload): a number, a
/// slice or a vector of plain elements, `Bytes`, or a received payload. Times are given by the timing model.
///
/// The world, the row and the column of a node come from its [`Node`](super::Node). Other groups are made [from a list](Group::subgroup),
/// [by a function of the rank](Group::split_by), [by each member's own color and key](Group::split), or [as a grid](Group::cartesian). All
/// members must make the same groups in the same order, as they make the same calls. Only `split` sends messages.
///
/// ```
/// use multicomputer::{Machine, prelude::*};
///
/// let machine = Machine::hockney(2, 3).build()?;
/// let run = machine.run(|node| {
///     let pair = node.world().split_by(|rank| rank / 2)?;
///     let partner = 1 - pair.rank();
///     let got = pair.sendrecv(partner, node.rank() as u64, partner)?;
///     Ok(got.to_value::<u64>()?)
/// })?;
/// assert_eq!(run.outputs, [1, 0, 3, 2, 5, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Every call fails with [`CommError::NoSuchRank`] or [`CommError::TooLong`] if an argument is out of range, and with
/// [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over.
pub struct Group<'n> {
    endpoint: &'n dyn Endpoint,
    name: Rc<str>,
    context: Context,
    rank: Rank,
    members: Members,
    /// The members as a list, made on first use.
    nodes: OnceCell<Arc<[Rank]>>,
    /// The number of subgroups made from this group so far, by list of members.
    group_counts: RefCell<BTreeMap<Vec<Rank>, u32>>,
    /// The context of collective operations, made on first use.
    private: OnceCell<Context>,
    /// The number of collective calls so far.
    calls: Cell<u64>,
    /// The number of calls of `split_by` so far.
    splits: Cell<u64>,
    /// Whether an [`Active`](super::Active) handles the group's active messages.
    pub(super) is_active: Cell<bool>,
}

impl<'n> Group<'n> {
    pub(super) fn world(endpoint: &'n dyn Endpoint) -> Group<'n> {
        let size = endpoint.shared().machine().nodes();
        let members = Members::Strided { first: 0, stride: 1, size };
        Group::new(endpoint, "the world", 0, endpoint.id() as Rank, members)
    }

    fn new(
        endpoint: &'n dyn Endpoint,
        name: impl Into<Rc<str>>,
        context: Context,
        rank: Rank,
        members: Members,
    ) -> Group<'n> {
        let (nodes, group_counts, private, calls, splits, is_active) = Default::default();
        let name = name.into();
        Group {
            endpoint,
            name,
            context,
            rank,
            members,
            nodes,
            group_counts,
            private,
            calls,
            splits,
            is_active,
        }
    }

    /// Returns the group of a row or a column: nodes of the world at equal distances. `family` distinguishes rows, columns and groups that
    /// the program makes of the same nodes.
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
        let rank = members.rank(self.endpoint.id() as Rank).unwrap_or(0);
        let context = self.endpoint.shared().context(self.context, &nodes, family, &|| name.clone());
        Group::new(self.endpoint, name, context, rank, members)
    }

    pub(super) fn endpoint(&self) -> &'n dyn Endpoint {
        self.endpoint
    }

    /// Returns the endpoint for a call of the program: see [`called`].
    #[track_caller]
    pub(super) fn called(&self) -> &'n dyn Endpoint {
        called(self.endpoint)
    }

    /// Records the place of a call of the program before its arguments are checked, so that an error names the call that failed.
    #[track_caller]
    pub(crate) fn note_call(&self) {
        self.called();
    }

    /// Returns the context of the next group of these nodes, equal on all members that make it.
    fn new_context(&self, nodes: &[Rank], name: impl Fn() -> String) -> Context {
        let mut group_counts = self.group_counts.borrow_mut();
        let nth = group_counts.entry(nodes.to_vec()).or_insert(FIRST_SUBGROUP_FAMILY);
        *nth += 1;
        self.endpoint.shared().context(self.context, nodes, *nth, &name)
    }

    /// This node's rank in the group.
    #[doc(alias = "MPI_Comm_rank")]
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The number of ranks in the group.
    #[doc(alias = "MPI_Comm_size")]
    pub fn size(&self) -> usize {
        self.members.size()
    }

    /// The machine: its shape and its parameters.
    pub fn machine(&self) -> &MachineSpec {
        self.endpoint.shared().machine()
    }

    /// The group's name in messages, such as `row 2`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the rank in the world of the member that has `rank` in this group. It is also the number of the node in the machine, in
    /// reports and in traces.
    ///
    /// # Errors
    /// [`CommError::NoSuchRank`].
    #[doc(alias = "MPI_Group_translate_ranks")]
    #[track_caller]
    pub fn world_rank(&self, rank: Rank) -> Result<Rank, CommError> {
        self.note_call();
        self.check_rank(rank)?;
        Ok(self.members.node(rank))
    }

    /// The node of the world that has `rank` in this group; `rank` must be in range.
    pub(crate) fn node(&self, rank: Rank) -> Rank {
        self.members.node(rank)
    }

    /// The rank in this group of a node, given as a rank of the world; `None` if the node is no member.
    pub fn rank_of(&self, node: Rank) -> Option<Rank> {
        self.members.rank(node)
    }

    /// A group of the same members for a library that sends messages of its own, beside those of the program. Its context is the same in
    /// every call and on every member.
    pub fn library_group(&self) -> Group<'n> {
        self.with_context(Private::Outside, || format!("library calls in {}", self.name))
    }

    /// The context of the [library group](Group::library_group).
    pub fn library_context(&self) -> transport::Context {
        self.library_group().context()
    }

    /// The context of the group's messages.
    pub fn context(&self) -> transport::Context {
        transport::Context(self.context)
    }

    /// Makes the group of the given ranks of this group, numbered in the given order. All of these ranks, and no others, must call this
    /// with the same list.
    ///
    /// # Errors
    /// [`CommError::NoSuchRank`]; [`CommError::BadGroup`] for an empty list or a repeated rank; [`CommError::NotAMember`] if the list does
    /// not contain this rank.
    #[doc(alias = "MPI_Comm_create_group")]
    #[doc(alias = "MPI_Group_incl")]
    #[track_caller]
    pub fn subgroup(&self, ranks: &[Rank]) -> Result<Group<'n>, CommError> {
        self.note_call();
        self.named_subgroup(ranks, |nodes| format!("the group of nodes {nodes}"))
    }

    /// Makes a subgroup whose name is a function of its list of nodes.
    fn named_subgroup(&self, ranks: &[Rank], name: impl Fn(&str) -> String) -> Result<Group<'n>, CommError> {
        for &rank in ranks {
            self.check_rank(rank)?;
        }
        let nodes: Rc<[Rank]> = ranks.iter().map(|&rank| self.members.node(rank)).collect();
        let Some(members) = Members::of(&nodes) else {
            return Err(CommError::BadGroup(format!("{ranks:?} was given")));
        };
        let name = name(&shortened(&nodes));
        let Some(rank) = ranks.iter().position(|&rank| rank == self.rank) else {
            return Err(CommError::NotAMember { rank: self.rank, group: name });
        };
        let context = self.new_context(&nodes, || name.clone());
        Ok(Group::new(self.endpoint, name, context, rank, members))
    }

    /// Divides this group: the ranks of one color form a group, in rank order. `color` returns the color of *any* rank and must be the same
    /// function on every member. Each member computes the colors of all ranks, so no message is needed and no time passes. For colors that
    /// only their own ranks know there is [`split`](Group::split).
    ///
    /// # Errors
    /// [`CommError::Mismatch`] if the functions of two members give different colors, as `|_| my_color` does. Where time is modeled, the
    /// mismatch ends the run. Over MPI each member tells the next one a digest of its colors, and a later call that waits fails.
    #[track_caller]
    pub fn split_by<C: PartialEq + Hash>(&self, color: impl Fn(Rank) -> C) -> Result<Group<'n>, CommError> {
        let colors: Vec<C> = (0..self.size()).map(color).collect();
        let nth = self.splits.replace(self.splits.get() + 1);
        if self.size() > 1 {
            let context = self.with_context(Private::Split, || self.name.to_string()).context;
            let call = Call::new("split_by", &SPLIT_BY, &colors);
            self.called().agree(context, nth, self.size(), self.rank, &call)?;
        }
        let mine = &colors[self.rank];
        let ranks: Vec<Rank> = (0..self.size()).filter(|&rank| colors[rank] == *mine).collect();
        self.subgroup(&ranks)
    }

    pub(super) fn is_world(&self) -> bool {
        self.context == 0
    }

    fn check_rank(&self, rank: Rank) -> Result<(), CommError> {
        if rank < self.size() {
            return Ok(());
        }
        Err(CommError::NoSuchRank { given: rank, size: self.size(), group: self.name.to_string() })
    }
}

/// Returns the endpoint for a call of the program, and tells it the place of this call. Every function from the program to here is
/// `#[track_caller]`.
#[track_caller]
pub(in crate::comm) fn called(endpoint: &dyn Endpoint) -> &dyn Endpoint {
    endpoint.set_place(Location::caller());
    endpoint
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group(rank {} of {} in {})", self.rank, self.size(), self.name)
    }
}

/// Formats a list of nodes; a long list is abbreviated in the middle.
fn shortened(nodes: &[Rank]) -> String {
    match nodes {
        [first, second, third, .., last] if nodes.len() > 8 => {
            format!("{first}, {second}, {third} .. {last} ({} in all)", nodes.len())
        }
        _ => nodes.iter().map(Rank::to_string).collect::<Vec<_>>().join(", "),
    }
}
