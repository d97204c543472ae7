//! Windows and one-sided communication (MPI 5.0, chapter 12).
//!
//! ```text
//!   create        windows of all flavors, and their end
//!   query         groups, names, hints, memory of other processes
//!   shared        what the processes of a window share: where its memory is, which ranks hold locks
//!   access        puts, gets, accumulations
//!   epoch         which accesses are allowed now; waits for accesses
//!   active        fences, and post, start, complete, wait
//!   passive       locks and flushes
//! ```
//!
//! An access is a [remote memory access](multicomputer::comm::transport::Transport::remote): its effect is carried out at the target at one
//! instant of modeled time, without a call of the target. Every access asks for an acknowledgement, or for the data that it gets. A window
//! keeps the accesses that are not complete by their targets, and synchronization waits for them.
//!
//! Every window has a communicator of its own, for messages of synchronization and for the group of the window.

mod access;
mod active;
mod create;
mod epoch;
mod passive;
mod query;
mod shared;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fmt,
    rc::Rc,
    sync::Arc,
};

use multicomputer::Tag;

pub use self::shared::Shared;
use self::{
    epoch::{Accesses, Exposure},
    shared::{Common, Target},
};
use crate::{
    abi,
    check::{Part, Region, Site},
    communicator::Communicator,
    error::{Class, Error, Result},
    function::Function,
    info::Info,
    process::{Process, Scope},
    request::Request,
    table::{Kind, Table},
    word::{Argument, Handle},
};

/// The functions of all parts.
pub(crate) const ALL: [&[Function]; 5] =
    [access::FUNCTIONS, active::FUNCTIONS, create::FUNCTIONS, passive::FUNCTIONS, query::FUNCTIONS];

/// The tag of the message of `MPI_Win_post`.
const POST: Tag = Tag(0);
/// The tag of the message of `MPI_Win_complete`.
const COMPLETE: Tag = Tag(1);
/// The tag of the message that grants a lock.
const GRANT: Tag = Tag(2);

/// `MPI_MODE_NOCHECK`.
const NOCHECK: i32 = 1024;
/// `MPI_MODE_NOPRECEDE`.
const NOPRECEDE: i32 = 2048;
/// `MPI_MODE_NOPUT`.
const NOPUT: i32 = 4096;
/// `MPI_MODE_NOSTORE`.
const NOSTORE: i32 = 8192;
/// `MPI_MODE_NOSUCCEED`.
const NOSUCCEED: i32 = 16384;

/// How the memory of a window came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flavor {
    /// Memory of the program.
    Create = 311,
    /// Memory that MPI has allocated.
    Allocate,
    /// Memory that is attached later.
    Dynamic,
    /// One piece of memory that all processes use.
    Shared,
}

/// A window, as one of its processes sees it.
pub(crate) struct Window<'n> {
    /// Its handle; set when it is entered into the table.
    handle: Cell<Handle>,
    /// All processes of the window.
    comm: Rc<Communicator<'n>>,
    flavor: Flavor,
    common: Arc<Common>,
    /// Memory that is released with the window; 0 for none.
    allocated: Cell<usize>,
    name: RefCell<String>,
    info: RefCell<Info>,
    /// The accesses that this process may make.
    accesses: RefCell<Accesses>,
    /// The accesses that others make and that this process has to wait for.
    exposure: RefCell<Option<Exposure>>,
    /// The calls that have opened the access epoch and the exposure epoch last.
    opened: Cell<Option<Site>>,
    exposed: Cell<Option<Site>>,
    /// The last fence that another one may follow, and the first other epoch after it in which there was an access.
    fence: Cell<Option<Site>>,
    inside: Cell<Option<Site>>,
    /// Accesses that may not be complete, by their targets.
    open: RefCell<BTreeMap<usize, Vec<Rc<Request<'n>>>>>,
}

impl<'n> Window<'n> {
    /// All processes of the window.
    pub(crate) fn communicator(&self) -> &Rc<Communicator<'n>> {
        &self.comm
    }

    /// The part of a process.
    fn target(&self, rank: usize) -> Result<&Target> {
        // All processes have entered their parts before the window was made.
        self.common.target(rank).ok_or(Error::Leave)
    }

    /// The part of this process.
    fn own(&self) -> Result<&Target> {
        self.target(self.comm.group.rank())
    }

    /// The memory of a process, for a check; `None` if it has none.
    fn region(&self, target: usize, base: usize, size: usize) -> Option<Region> {
        (size > 0).then(|| Region { addresses: (base, base + size - 1), of: self.part(target) })
    }

    /// The part of a process, for a check.
    fn part(&self, target: usize) -> Part {
        // The first process has allocated memory that all share.
        let owner = if self.flavor == Flavor::Shared { 0 } else { target };
        Part { owner: self.comm.group.to(owner, COMPLETE).rank, window: self.context(), target }
    }

    /// The memory that this process can access by loads and stores, for a check.
    fn regions(&self) -> Vec<Region> {
        let ranks = match self.flavor {
            Flavor::Shared => 0..self.comm.group.size(),
            Flavor::Create | Flavor::Allocate => self.comm.group.rank()..self.comm.group.rank() + 1,
            Flavor::Dynamic => 0..0,
        };
        let region = |rank| {
            let target = self.common.target(rank)?;
            self.region(rank, target.base, target.size)
        };
        ranks.filter_map(region).collect()
    }

    /// Checks the rank of a target; `None` for `MPI_PROC_NULL`.
    ///
    /// # Errors
    /// [`Class::RANK`].
    fn rank(&self, argument: &'static str, rank: i32) -> Result<Option<usize>> {
        self.comm.peer(argument, rank)
    }
}

/// The windows of a process.
pub(crate) struct State<'n> {
    pub(crate) table: Table<Rc<Window<'n>>>,
}

impl Default for State<'_> {
    fn default() -> Self {
        State { table: Table::new(Kind::Window) }
    }
}

/// Returns the window of a handle, whose error handler then takes errors of the call.
pub(crate) fn of_handle<'n>(process: &Process<'n>, handle: Handle) -> Result<Rc<Window<'n>>> {
    let Some(found) = process.windows.borrow().table.get(handle) else {
        let text = match handle {
            abi::WIN_NULL => "MPI_WIN_NULL was given".to_owned(),
            _ => format!("{:#x} is no window", handle.0),
        };
        return Err(Error::new(Class::WIN, text));
    };
    *process.scope.borrow_mut() = Scope::Window(handle);
    Ok(found)
}

impl<'n> Argument<'n> for Rc<Window<'n>> {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        of_handle(process, Handle(word))
    }
}

/// An error of synchronization: an epoch is missing.
fn synchronization<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::new(Class::RMA_SYNC, text))
}

/// An error of synchronization: an epoch is open, which the call at `opened` has opened.
fn doubled<T>(process: &Process<'_>, opened: Option<Site>, text: impl Into<String>) -> Result<T> {
    let text = text.into();
    process.doubled_epoch(opened, &text);
    synchronization(text)
}

/// Checks an assertion, which is a sum of the `allowed` constants.
fn check_assertion(argument: &'static str, assertion: i32, allowed: i32) -> Result<()> {
    match assertion & !allowed {
        0 => Ok(()),
        _ => Err(Error::argument(
            Class::ASSERT,
            argument,
            format!("{assertion} has bits that are no assertion of this function"),
        )),
    }
}

impl fmt::Debug for Window<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Window({:?}, rank {} of {})", self.flavor, self.comm.rank(), self.comm.size())
    }
}

impl fmt::Debug for State<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "State({} windows)", self.table.iter().count())
    }
}
