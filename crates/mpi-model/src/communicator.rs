//! Communicators: intracommunicators and intercommunicators, and how they are made.

mod create;
mod inter;

use std::{
    cell::{Cell, OnceCell, RefCell},
    fmt,
    ops::Deref,
    rc::Rc,
};

use multicomputer::{
    Rank, Tag,
    comm::{
        Group,
        transport::{Context, From, To},
    },
};

pub(crate) use create::{enter, new, sub_communicator};
pub(crate) use inter::of_groups;

use crate::{
    abi, attribute,
    error::{Class, Error, Result},
    function::{Function, functions},
    info,
    point_to_point::Buffered,
    process::{Process, Scope},
    status::Status,
    topology::Topology,
    word::{Address, Argument, Handle, Out, Text, store_text},
};

/// The longest name of an object, with its zero byte (`MPI_MAX_OBJECT_NAME`).
pub(crate) const MAX_OBJECT_NAME: usize = 128;

/// A communicator.
pub struct Communicator<'n> {
    /// Its handle; set when it is entered into the table.
    pub handle: Cell<Handle>,
    /// The processes of the communicator; of an intercommunicator, those of the local group.
    pub group: Members<'n>,
    /// The other group of an intercommunicator.
    pub(crate) remote: Option<Remote<'n>>,
    /// The name given by the program or by the standard.
    pub name: RefCell<String>,
    /// The attributes that the program has attached.
    pub attributes: RefCell<attribute::Attributes>,
    /// The error handler.
    pub error_handler: Cell<Handle>,
    /// The topology, if there is one.
    pub topology: OnceCell<Rc<Topology>>,
    /// The hints.
    pub info: RefCell<info::Info>,
    /// The buffer for buffered sends that the program has attached.
    pub(crate) buffered: RefCell<Buffered>,
    /// The number of collective operations in rounds so far.
    calls: Cell<u32>,
    /// The context of messages of collective operations in rounds.
    library: OnceCell<Context>,
}

/// The processes of a communicator: the world of the machine, or any other group.
#[derive(Debug)]
pub enum Members<'n> {
    /// All nodes of the machine.
    World(Rc<Group<'n>>),
    /// Another group.
    Own(Group<'n>),
}

impl<'n> Deref for Members<'n> {
    type Target = Group<'n>;

    fn deref(&self) -> &Group<'n> {
        match self {
            Members::World(group) => group,
            Members::Own(group) => group,
        }
    }
}

/// The other group of an intercommunicator.
pub(crate) struct Remote<'n> {
    /// The processes of the remote group, as ranks of the world.
    pub(crate) nodes: Rc<[Rank]>,
    /// The processes of both groups, in whose context the messages between the groups are.
    pub(crate) union: Group<'n>,
    /// Whether the local group is the one that the standard's operations order first, where nothing else orders them.
    pub(crate) is_first: bool,
}

impl<'n> Communicator<'n> {
    /// What texts call the communicator.
    pub(crate) fn shown_name(&self) -> String {
        let name = self.name.borrow();
        if name.is_empty() { "the communicator".into() } else { name.clone() }
    }

    /// The number of processes, of the local group of an intercommunicator.
    pub fn size(&self) -> i32 {
        self.group.size() as i32
    }

    /// The rank of this process.
    pub fn rank(&self) -> i32 {
        self.group.rank() as i32
    }

    /// The number of processes to which messages can be sent: those of the remote group of an intercommunicator.
    pub fn peers(&self) -> usize {
        self.remote.as_ref().map_or(self.group.size(), |remote| remote.nodes.len())
    }

    /// The node of a peer, as a rank of the world. The rank must be in range.
    pub(crate) fn node_of(&self, rank: usize) -> Rank {
        match &self.remote {
            None => self.group.to(rank, Tag(0)).rank,
            Some(remote) => remote.nodes[rank],
        }
    }

    /// The number of the next collective operation in rounds: the same on all processes.
    pub(crate) fn next_call(&self) -> u32 {
        let call = self.calls.get();
        self.calls.set(call.wrapping_add(1));
        call
    }

    /// The context of messages of collective operations in rounds.
    pub(crate) fn library_context(&self) -> Context {
        *self.library.get_or_init(|| self.messages().library_context())
    }

    /// The group in whose context messages to peers are.
    pub(crate) fn messages(&self) -> &Group<'n> {
        self.remote.as_ref().map_or(&self.group, |remote| &remote.union)
    }

    /// Checks a destination; `None` for `MPI_PROC_NULL`.
    ///
    /// # Errors
    /// [`Class::RANK`] and [`Class::TAG`].
    pub(crate) fn to(&self, dest: i32, tag: i32) -> Result<Option<To>> {
        if tag < 0 {
            return Err(Error::argument(
                Class::TAG,
                "tag",
                format!("{tag} is negative: tags are 0 to {}", abi::TAG_UB),
            ));
        }
        let rank = self.peer("dest", dest)?;
        let context = self.messages().context();
        Ok(rank.map(|rank| To { rank: self.node_of(rank), context, tag: Tag(tag as u32) }))
    }

    /// Checks a source; `None` for `MPI_PROC_NULL`.
    ///
    /// # Errors
    /// [`Class::RANK`] and [`Class::TAG`].
    pub(crate) fn from(&self, source: i32, tag: i32) -> Result<Option<From>> {
        let tag = match tag {
            abi::ANY_TAG => None,
            0.. => Some(Tag(tag as u32)),
            _ => {
                return Err(Error::argument(
                    Class::TAG,
                    "tag",
                    format!("{tag} is negative, and not MPI_ANY_TAG"),
                ));
            }
        };
        let context = self.messages().context();
        if source == abi::ANY_SOURCE {
            return Ok(Some(From { context, source: None, tag }));
        }
        let rank = self.peer("source", source)?;
        Ok(rank.map(|rank| From { context, source: Some(self.node_of(rank)), tag }))
    }

    /// Checks the rank of a peer; `None` for `MPI_PROC_NULL`.
    pub(crate) fn peer(&self, argument: &'static str, rank: i32) -> Result<Option<usize>> {
        match usize::try_from(rank) {
            Ok(rank) if rank < self.peers() => Ok(Some(rank)),
            _ if rank == abi::PROC_NULL => Ok(None),
            _ => {
                let text = format!(
                    "{rank} is no rank of {}: its ranks are 0 to {}",
                    self.shown_name(),
                    self.peers() - 1
                );
                Err(Error::argument(Class::RANK, argument, text))
            }
        }
    }

    /// The status of a message of a node, given as a rank of the world.
    pub(crate) fn status(&self, node: Rank, tag: Tag, bytes: u64) -> Status {
        let source = match &self.remote {
            None => self.group.rank_of(node),
            Some(remote) => remote.nodes.iter().position(|&other| other == node),
        };
        let source = source.map_or(abi::ANY_SOURCE, |rank| rank as i32);
        Status { source, tag: tag.0 as i32, bytes, ..Status::EMPTY }
    }
}

impl<'n> Argument<'n> for Rc<Communicator<'n>> {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        process.communicator(Handle(word))
    }
}

/// Returns the communicator of a handle, whose error handler then takes errors of the call.
pub(crate) fn of_handle<'n>(process: &Process<'n>, handle: Handle) -> Result<Rc<Communicator<'n>>> {
    let Some(found) = process.communicators.borrow().get(handle) else {
        let text = match handle {
            abi::COMM_NULL => "MPI_COMM_NULL was given".to_owned(),
            _ => format!("{:#x} is no communicator", handle.0),
        };
        return Err(Error::new(Class::COMM, text));
    };
    *process.scope.borrow_mut() = Scope::Communicator(found.clone());
    Ok(found)
}

/// Makes `MPI_COMM_WORLD` and `MPI_COMM_SELF`.
pub(crate) fn predefine(process: &Process<'_>) -> Result<()> {
    let (world, ranks) = (&process.world, process.settings.ranks);
    let members = match ranks {
        Some(ranks) if ranks < world.size() => {
            Members::Own(world.subgroup(&(0..ranks).collect::<Vec<Rank>>())?)
        }
        _ => Members::World(world.clone()),
    };
    let alone = Members::Own(members.subgroup(&[members.rank()])?);
    for (handle, group, name) in
        [(abi::COMM_WORLD, members, "MPI_COMM_WORLD"), (abi::COMM_SELF, alone, "MPI_COMM_SELF")]
    {
        let made = create::new(process, group, None, name.to_owned());
        made.handle.set(handle);
        process.communicators.borrow_mut().predefine(handle, Rc::new(made));
    }
    Ok(())
}

functions! {
    MPI_Comm_size: size(comm, size);
    MPI_Comm_rank: rank(comm, rank);
    MPI_Comm_remote_size: remote_size(comm, size);
    MPI_Comm_test_inter: test_inter(comm, flag);
    MPI_Comm_compare: compare(comm1, comm2, result);
    MPI_Comm_set_name: set_name(comm, comm_name);
    MPI_Comm_get_name: get_name(comm, comm_name, resultlen);
    MPI_Comm_set_info: set_info(comm, info);
    MPI_Comm_get_info: get_info(comm, info_used);
    MPI_Comm_group: group(comm, group);
    MPI_Comm_remote_group: remote_group(comm, group);
}

/// The functions of this module and of its parts.
pub(crate) const ALL: [&[Function]; 3] = [FUNCTIONS, create::FUNCTIONS, inter::FUNCTIONS];

fn size<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, size: Out<i32>) -> Result<()> {
    size.set(process, comm.size());
    Ok(())
}

fn rank<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, rank: Out<i32>) -> Result<()> {
    rank.set(process, comm.rank());
    Ok(())
}

fn remote_of<'c, 'n>(comm: &'c Communicator<'n>) -> Result<&'c Remote<'n>> {
    comm.remote.as_ref().ok_or_else(|| {
        Error::argument(Class::COMM, "comm", format!("{} is no intercommunicator", comm.shown_name()))
    })
}

fn remote_size<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, size: Out<i32>) -> Result<()> {
    size.set(process, remote_of(&comm)?.nodes.len() as i32);
    Ok(())
}

fn test_inter<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, flag: Out<i32>) -> Result<()> {
    flag.set_flag(process, comm.remote.is_some());
    Ok(())
}

/// The processes of a communicator's local group, as ranks of the world.
pub(crate) fn nodes(comm: &Communicator<'_>) -> Vec<Rank> {
    (0..comm.group.size()).map(|rank| comm.group.to(rank, Tag(0)).rank).collect()
}

fn compare<'n>(
    process: &Process<'n>,
    one: Rc<Communicator<'n>>,
    other: Rc<Communicator<'n>>,
    result: Out<i32>,
) -> Result<()> {
    let remote = |comm: &Communicator<'_>| comm.remote.as_ref().map(|remote| remote.nodes.to_vec());
    let compared = |a: Vec<Rank>, b: Vec<Rank>| {
        if a == b {
            return abi::CONGRUENT;
        }
        let [mut a, mut b] = [a, b];
        a.sort_unstable();
        b.sort_unstable();
        if a == b { abi::SIMILAR } else { abi::UNEQUAL }
    };
    let difference = match (remote(&one), remote(&other)) {
        _ if Rc::ptr_eq(&one, &other) => abi::IDENT,
        (None, None) => compared(nodes(&one), nodes(&other)),
        // The constants grow with the difference.
        (Some(a), Some(b)) => compared(nodes(&one), nodes(&other)).max(compared(a, b)),
        _ => abi::UNEQUAL,
    };
    result.set(process, difference);
    Ok(())
}

fn set_name<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, name: Text) -> Result<()> {
    let _ = process;
    let mut name = name.0;
    while name.len() >= MAX_OBJECT_NAME {
        name.pop();
    }
    *comm.name.borrow_mut() = name;
    Ok(())
}

fn get_name<'n>(process: &Process<'n>, comm: Handle, name: Address, length: Out<i32>) -> Result<()> {
    if comm == abi::COMM_NULL {
        length.set(process, store_text(process, name, "MPI_COMM_NULL", MAX_OBJECT_NAME) as i32);
        return Ok(());
    }
    let comm = process.communicator(comm)?;
    let stored = store_text(process, name, &comm.name.borrow(), MAX_OBJECT_NAME);
    length.set(process, stored as i32);
    Ok(())
}

fn set_info<'n>(_: &Process<'n>, comm: Rc<Communicator<'n>>, info: info::Info) -> Result<()> {
    *comm.info.borrow_mut() = info;
    Ok(())
}

fn get_info<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, info: Out<Handle>) -> Result<()> {
    let copy = comm.info.borrow().clone();
    info.set(process, info::enter(process, copy));
    Ok(())
}

fn group<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, group: Out<Handle>) -> Result<()> {
    group.set(process, crate::group::enter(process, &nodes(&comm)));
    Ok(())
}

fn remote_group<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, group: Out<Handle>) -> Result<()> {
    let handle = crate::group::enter(process, &remote_of(&comm)?.nodes);
    group.set(process, handle);
    Ok(())
}

impl fmt::Debug for Communicator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Communicator({}, rank {} of {})", self.name.borrow(), self.rank(), self.size())
    }
}
