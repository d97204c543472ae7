//! Communicators.

use std::{
    cell::{Cell, OnceCell, RefCell},
    fmt,
    rc::Rc,
};

use multicomputer::comm::Group;

use crate::{
    attribute,
    error::{Class, Error, Result},
    function::functions,
    info,
    process::{Process, Scope},
    topology::Topology,
    word::{Argument, Handle, Out},
};

/// A communicator.
pub struct Communicator<'n> {
    /// Its handle; changed once, when it is entered into the table.
    pub handle: Cell<Handle>,
    /// The processes of the communicator, of the local group of an intercommunicator.
    pub group: Group<'n>,
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
}

impl Communicator<'_> {
    /// The number of processes, of the local group of an intercommunicator.
    pub fn size(&self) -> i32 {
        self.group.size() as i32
    }

    /// The rank of this process.
    pub fn rank(&self) -> i32 {
        self.group.rank() as i32
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
        let text = if handle == crate::abi::COMM_NULL {
            "MPI_COMM_NULL was given".to_owned()
        } else {
            format!("{:#x} is no communicator", handle.0)
        };
        return Err(Error::new(Class::COMM, text));
    };
    *process.scope.borrow_mut() = Scope::Communicator(found.clone());
    Ok(found)
}

functions! {
    MPI_Comm_size: size(comm, size);
    MPI_Comm_rank: rank(comm, rank);
}

fn size<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, size: Out<i32>) -> Result<()> {
    size.set(process, comm.size());
    Ok(())
}

fn rank<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, rank: Out<i32>) -> Result<()> {
    rank.set(process, comm.rank());
    Ok(())
}

impl fmt::Debug for Communicator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Communicator({}, rank {} of {})", self.name.borrow(), self.rank(), self.size())
    }
}

/// Makes `MPI_COMM_WORLD` and `MPI_COMM_SELF`.
pub(crate) fn predefine(process: &Process<'_>) -> Result<()> {
    let all: Vec<usize> = (0..process.node.size()).collect();
    for (handle, members, name) in [
        (crate::abi::COMM_WORLD, &all[..], "MPI_COMM_WORLD"),
        (crate::abi::COMM_SELF, &[process.node.rank()], "MPI_COMM_SELF"),
    ] {
        let communicator = new(process.node.world().subgroup(members)?, name, crate::abi::ERRORS_ARE_FATAL);
        communicator.handle.set(handle);
        process.communicators.borrow_mut().predefine(handle, communicator);
    }
    Ok(())
}

fn new<'n>(group: Group<'n>, name: &str, error_handler: Handle) -> Rc<Communicator<'n>> {
    Rc::new(Communicator {
        handle: Cell::new(crate::abi::COMM_NULL),
        group,
        name: RefCell::new(name.to_owned()),
        attributes: RefCell::default(),
        error_handler: Cell::new(error_handler),
        topology: OnceCell::new(),
        info: RefCell::default(),
    })
}

/// Makes the communicator of some members of `parent`, given by their ranks; `None` if this process is no member.
pub(crate) fn sub_communicator<'n>(
    process: &Process<'n>,
    parent: &Communicator<'n>,
    members: &[usize],
    name: &str,
) -> Result<Option<Rc<Communicator<'n>>>> {
    if !members.contains(&parent.group.rank()) {
        return Ok(None);
    }
    let communicator = new(parent.group.subgroup(members)?, name, parent.error_handler.get());
    let handle = process.communicators.borrow_mut().insert(communicator.clone());
    communicator.handle.set(handle);
    Ok(Some(communicator))
}
