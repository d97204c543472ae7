//! Nodes that talk among themselves: the world, a row, a column, any list of ranks.

mod cartesian;
mod library;
mod members;
mod messages;

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeMap,
    fmt,
    hash::Hash,
    rc::Rc,
    sync::Arc,
};

pub use self::cartesian::{Cartesian, Shift};
use self::members::Members;
use crate::{
    endpoint::{Call, Endpoint},
    error::CommError,
    model::Description,
    rank::Rank,
    wire::Context,
};

/// The families of groups that exist without being made: see [`Group::strided`].
pub(super) const ROWS: u32 = 0;
pub(super) const COLUMNS: u32 = 1;
const FIRST_OF_ITS_KIND: u32 = 2;

/// The users of a group's private contexts, whose messages the program does not see.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Private {
    Collective = 0,
    Nx = 16,
    Active = 17,
    /// No messages: the comparison of the functions by which members split the group.
    Split = 18,
}

/// The call of a split in messages about functions that differ.
const SPLIT: &str = "`split` (whose function is given any rank and gives that rank's color, so `|rank| rank % 2` and not `|_| my_color`)";

/// The number of the private context of library calls among those of a group.
pub(crate) const LIBRARY_CALLS: u32 = Private::Collective as u32;

/// Some nodes of the machine, numbered from 0, of which this node is one. Messages of different groups never mix.
///
/// Destinations and selections are written as they are thought: `send(3, ..)`, `send((3, Tag(7)), ..)`, `recv(3)`,
/// `recv(ANY_SOURCE)`, `recv((3, Tag(7)))`. A payload is anything that turns into a [`Payload`](crate::Payload): a slice or a
/// vector of plain elements, `Bytes`, or a payload that was received. Times are those of the timing model.
///
/// The world, the row and the column of a node come from its [`Node`](super::Node); other groups are made
/// [from a list](Group::subgroup), by [splitting](Group::split), or [as a grid](Group::cartesian). All members must make the same groups in the same
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
///
/// # Errors
/// Every call fails with [`CommError::NoSuchRank`] or [`CommError::TooLong`] if its arguments are out of range, and with
/// [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over.
pub struct Group<'n> {
    endpoint: &'n dyn Endpoint,
    name: Rc<str>,
    context: Context,
    rank: Rank,
    members: Members,
    /// The members as a list, once somebody has asked for it.
    nodes: OnceCell<Arc<[Rank]>>,
    /// The number of groups of the same members that have been made of this one.
    made: RefCell<BTreeMap<Vec<Rank>, u32>>,
    /// The context of collective operations.
    private: OnceCell<Context>,
    /// Collective calls so far.
    calls: Cell<u64>,
    /// Calls of `split` so far.
    splits: Cell<u64>,
    /// Whether somebody handles its active messages.
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
        let (nodes, made, private, calls, splits, is_active) = Default::default();
        let name = name.into();
        Group { endpoint, name, context, rank, members, nodes, made, private, calls, splits, is_active }
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
        let rank = members.rank(self.endpoint.id() as Rank).unwrap_or(0);
        let context = self.endpoint.shared().context(self.context, &nodes, family, &|| name.clone());
        Group::new(self.endpoint, name, context, rank, members)
    }

    pub(super) fn endpoint(&self) -> &'n dyn Endpoint {
        self.endpoint
    }

    /// The number of the next group of these nodes, the same on all that make it.
    fn new_context(&self, nodes: &[Rank], name: impl Fn() -> String) -> Context {
        let mut made = self.made.borrow_mut();
        let nth = made.entry(nodes.to_vec()).or_insert(FIRST_OF_ITS_KIND);
        *nth += 1;
        self.endpoint.shared().context(self.context, nodes, *nth, &name)
    }

    /// This node's rank in the group.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The number of ranks in the group.
    pub fn size(&self) -> usize {
        self.members.size()
    }

    /// The machine: its shape and its parameters.
    pub fn machine(&self) -> &Description {
        self.endpoint.shared().machine()
    }

    /// Its name in messages about it, such as `row 2`.
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

    /// The node of the world that has `rank` in this group, of which it is a rank.
    pub(crate) fn node(&self, rank: Rank) -> Rank {
        self.members.node(rank)
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
        Ok(Group::new(self.endpoint, name, context, rank, members))
    }

    /// Divides this group: ranks of one color form a group, in their order. `color` gives the color of *any* rank, and is to be
    /// the same function on every member: each works out the colors of all, so no message is needed.
    ///
    /// This is not `MPI_Comm_split`, which is given a member's own color and tells the others: a function that ignores its
    /// argument (`split(|_| my_color)`) gives all ranks one color. Members whose functions give different colors are in error.
    ///
    /// # Errors
    /// [`CommError::Mismatch`] if the functions of two members give different colors; where time is modeled that ends the run.
    pub fn split<C: PartialEq + Hash>(&self, color: impl Fn(Rank) -> C) -> Result<Group<'n>, CommError> {
        let colors: Vec<C> = (0..self.size()).map(color).collect();
        let nth = self.splits.replace(self.splits.get() + 1);
        if self.size() > 1 {
            let context = self.with_context(Private::Split, || self.name.to_string()).context;
            let call = Call::new("split", &SPLIT, &colors);
            self.endpoint.agree(context, nth, self.size(), self.rank, &call)?;
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

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group(rank {} of {} in {})", self.rank, self.size(), self.name)
    }
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
