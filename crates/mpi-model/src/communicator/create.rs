//! Duplicating, splitting and freeing communicators.
//!
//! All processes are threads of one run, so a new communicator needs no message where every member knows all members: a context follows
//! from the parent and the members. Splits exchange their colors and keys by an all-gather.

use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
};

use multicomputer::{Rank, comm::Group};

use super::{Communicator, Members, Remote, inter};
use crate::{
    abi, attribute,
    collective::all_gather_equal,
    error::{Class, Error, Result},
    function::functions,
    info::Info,
    process::Process,
    request::Work,
    status::Status,
    word::{Handle, Out, Stored},
};

functions! {
    MPI_Comm_dup: dup(comm, newcomm);
    MPI_Comm_dup_with_info: dup_with_info(comm, info, newcomm);
    MPI_Comm_idup: idup(comm, newcomm, request);
    MPI_Comm_idup_with_info: idup_with_info(comm, info, newcomm, request);
    MPI_Comm_split: split(comm, color, key, newcomm);
    MPI_Comm_split_type: split_type(comm, split_type, key, info, newcomm);
    MPI_Comm_create: create(comm, group, newcomm);
    MPI_Comm_create_group: create_group(comm, group, tag, newcomm);
    MPI_Comm_free: free(comm);
    MPI_Comm_disconnect: free(comm);
}

/// `MPI_COMM_TYPE_SHARED`.
const SHARED: i32 = 221;
/// `MPI_COMM_TYPE_HW_UNGUIDED`, `MPI_COMM_TYPE_HW_GUIDED` and `MPI_COMM_TYPE_RESOURCE_GUIDED`.
const HARDWARE: [i32; 3] = [222, 223, 224];

/// Makes a communicator without attributes and topology.
pub(crate) fn new<'n>(
    process: &Process<'n>,
    group: Members<'n>,
    remote: Option<Remote<'n>>,
    name: String,
) -> Communicator<'n> {
    Communicator {
        handle: Cell::new(abi::COMM_NULL),
        group,
        remote,
        name: RefCell::new(name),
        attributes: RefCell::default(),
        error_handler: Cell::new(process.initial_error_handler()),
        topology: OnceCell::new(),
        info: RefCell::default(),
        buffered: RefCell::default(),
        calls: Cell::new(0),
        library: OnceCell::new(),
    }
}

/// Enters a communicator into the table and returns its handle.
pub(crate) fn enter<'n>(process: &Process<'n>, made: Rc<Communicator<'n>>) -> Handle {
    let handle = process.communicators.borrow_mut().insert(made.clone());
    made.handle.set(handle);
    handle
}

/// Makes a communicator of some ranks of an intracommunicator, with its error handler. All members call it, each with the same list;
/// `None` if this process is no member.
pub(crate) fn sub_communicator<'n>(
    process: &Process<'n>,
    parent: &Communicator<'n>,
    members: &[usize],
    name: String,
) -> Result<Option<Rc<Communicator<'n>>>> {
    if !members.contains(&parent.group.rank()) {
        return Ok(None);
    }
    let made = new(process, Members::Own(parent.group.subgroup(members)?), None, name);
    made.error_handler.set(parent.error_handler.get());
    Ok(Some(Rc::new(made)))
}

/// Makes a communicator with the same groups and another context, with the error handler of the old one.
fn duplicate<'n>(
    process: &Process<'n>,
    comm: &Rc<Communicator<'n>>,
    info: Info,
) -> Result<Rc<Communicator<'n>>> {
    let all = |group: &Group<'n>| group.subgroup(&(0..group.size()).collect::<Vec<_>>());
    let remote = match &comm.remote {
        None => None,
        Some(Remote { nodes, union, is_first }) => {
            Some(Remote { nodes: nodes.clone(), union: all(union)?, is_first: *is_first })
        }
    };
    let made = new(process, Members::Own(all(&comm.group)?), remote, String::new());
    made.error_handler.set(comm.error_handler.get());
    *made.info.borrow_mut() = info;
    if let Some(topology) = comm.topology.get() {
        let _ = made.topology.set(topology.clone());
    }
    let made = Rc::new(made);
    attribute::copy_of_communicator(process, comm, &made)?;
    enter(process, made.clone());
    Ok(made)
}

fn dup<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, newcomm: Out<Handle>) -> Result<()> {
    newcomm.set(process, abi::COMM_NULL);
    let info = comm.info.borrow().clone();
    let made = duplicate(process, &comm, info)?;
    newcomm.set(process, made.handle.get());
    Ok(())
}

fn dup_with_info<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    info: Info,
    newcomm: Out<Handle>,
) -> Result<()> {
    newcomm.set(process, abi::COMM_NULL);
    let made = duplicate(process, &comm, info)?;
    newcomm.set(process, made.handle.get());
    Ok(())
}

fn idup<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    newcomm: Out<Handle>,
    request: Out<Handle>,
) -> Result<()> {
    dup(process, comm.clone(), newcomm)?;
    request.set(process, process.enter(Work::done(Status::EMPTY), Some(&comm)));
    Ok(())
}

fn idup_with_info<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    info: Info,
    newcomm: Out<Handle>,
    request: Out<Handle>,
) -> Result<()> {
    dup_with_info(process, comm.clone(), info, newcomm)?;
    request.set(process, process.enter(Work::done(Status::EMPTY), Some(&comm)));
    Ok(())
}

/// The color and the key of a process.
fn color_and_key(color: i32, key: i32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16);
    i64::from(color).store(&mut bytes);
    i64::from(key).store(&mut bytes);
    bytes
}

/// The ranks of one color, in the order of their keys.
fn of_color(all: &[Vec<u8>], color: i32) -> Vec<usize> {
    let decoded = all.iter().map(|bytes| (i64::load(&bytes[..8]), i64::load(&bytes[8..16])));
    let mut members: Vec<(i64, usize)> = decoded
        .zip(0..)
        .filter(|((other, _), _)| *other == i64::from(color))
        .map(|((_, key), rank)| (key, rank))
        .collect();
    members.sort_unstable();
    members.into_iter().map(|(_, rank)| rank).collect()
}

fn split<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    color: i32,
    key: i32,
    newcomm: Out<Handle>,
) -> Result<()> {
    if color < 0 && color != abi::UNDEFINED {
        let text = format!("{color} is negative, and not MPI_UNDEFINED");
        return Err(Error::argument(Class::ARG, "color", text));
    }
    newcomm.set(process, abi::COMM_NULL);
    let all = all_gather_equal(process, &comm, color_and_key(color, key))?;
    let members = of_color(&all, color);
    if let Some(remote) = &comm.remote {
        let theirs = inter::from_remote(process, &comm, remote, color_and_key(color, key))?;
        let others: Vec<Rank> = of_color(&theirs, color).into_iter().map(|rank| remote.nodes[rank]).collect();
        if color == abi::UNDEFINED || others.is_empty() {
            return Ok(());
        }
        let made = inter::of_groups(process, &comm.group, &members, others, remote.is_first)?;
        newcomm.set(process, enter(process, made));
        return Ok(());
    }
    if color == abi::UNDEFINED {
        return Ok(());
    }
    if let Some(made) = sub_communicator(process, &comm, &members, String::new())? {
        newcomm.set(process, enter(process, made));
    }
    Ok(())
}

/// All nodes are threads of one process, so all processes can share memory: `MPI_COMM_TYPE_SHARED` gives all of them. The modeled machine has
/// one process on each node: the other types give each process its own communicator.
fn split_type<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    kind: i32,
    key: i32,
    _: Info,
    newcomm: Out<Handle>,
) -> Result<()> {
    match kind {
        SHARED => split(process, comm, 0, key, newcomm),
        abi::UNDEFINED => split(process, comm, abi::UNDEFINED, key, newcomm),
        _ if HARDWARE.contains(&kind) => split(process, comm.clone(), abi::UNDEFINED, key, newcomm),
        _ => Err(Error::argument(Class::ARG, "split_type", format!("{kind} is no type of split"))),
    }
}

/// The ranks in a communicator of the members of a group.
fn ranks_in(comm: &Communicator<'_>, members: &[Rank]) -> Result<Vec<usize>> {
    let rank = |&node: &Rank| {
        comm.group.rank_of(node).ok_or_else(|| {
            let text = format!("rank {node} of MPI_COMM_WORLD is in the group, but not in the communicator");
            Error::argument(Class::GROUP, "group", text)
        })
    };
    members.iter().map(rank).collect()
}

fn create<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    group: Rc<crate::group::Group>,
    newcomm: Out<Handle>,
) -> Result<()> {
    newcomm.set(process, abi::COMM_NULL);
    let members = ranks_in(&comm, &group.nodes())?;
    if let Some(remote) = &comm.remote {
        let mine: Vec<u8> = members.iter().flat_map(|&rank| (rank as u64).to_ne_bytes()).collect();
        let theirs = inter::from_remote(process, &comm, remote, mine)?;
        let ranks = theirs.first().map_or(&[][..], |bytes| &bytes[..]);
        let others: Vec<Rank> =
            ranks.chunks_exact(8).map(|bytes| remote.nodes[u64::load(bytes) as usize]).collect();
        if members.contains(&comm.group.rank()) && !others.is_empty() {
            let made = inter::of_groups(process, &comm.group, &members, others, remote.is_first)?;
            newcomm.set(process, enter(process, made));
        }
        return Ok(());
    }
    if let Some(made) = sub_communicator(process, &comm, &members, String::new())? {
        newcomm.set(process, enter(process, made));
    }
    Ok(())
}

fn create_group<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    group: Rc<crate::group::Group>,
    _: i32,
    newcomm: Out<Handle>,
) -> Result<()> {
    newcomm.set(process, abi::COMM_NULL);
    let members = group.nodes();
    ranks_in(&comm, &members)?;
    if !members.contains(&process.node.rank()) {
        return Ok(());
    }
    let parent = process.groups_of_members.get_or_init(|| process.world.library_group());
    let made = new(process, Members::Own(parent.subgroup(&members)?), None, String::new());
    made.error_handler.set(comm.error_handler.get());
    newcomm.set(process, enter(process, Rc::new(made)));
    Ok(())
}

fn free(process: &Process<'_>, comm: Out<Handle>) -> Result<()> {
    let handle = comm.get(process);
    let found = process.communicator(handle).map_err(|error| error.of("comm"))?;
    if process.communicators.borrow().is_predefined(handle) {
        let text = format!("{} cannot be freed", found.shown_name());
        return Err(Error::argument(Class::COMM, "comm", text));
    }
    attribute::delete_of_communicator(process, &found)?;
    process.communicators.borrow_mut().remove(handle);
    comm.set(process, abi::COMM_NULL);
    Ok(())
}
