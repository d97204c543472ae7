//! Creation and end of windows, and memory that is attached to dynamic windows.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use super::{
    Flavor, Window,
    epoch::{Accesses, Reach},
    shared::Target,
};
use crate::{
    abi,
    attribute::{self, WindowAttributes},
    collective::{all_gather_equal, broadcast_bytes},
    communicator::{self, Communicator, sub_communicator},
    error::{Class, Error, Result},
    function::functions,
    info::Info,
    process::Process,
    word::{Address, Argument, Handle, Out, Stored},
};

functions! {
    MPI_Win_create: create(base, size, disp_unit, info, comm, win);
    MPI_Win_create_c: create(base, size, disp_unit, info, comm, win);
    MPI_Win_allocate: allocate(size, disp_unit, info, comm, baseptr, win);
    MPI_Win_allocate_c: allocate(size, disp_unit, info, comm, baseptr, win);
    MPI_Win_allocate_shared: allocate_shared(size, disp_unit, info, comm, baseptr, win);
    MPI_Win_allocate_shared_c: allocate_shared(size, disp_unit, info, comm, baseptr, win);
    MPI_Win_create_dynamic: create_dynamic(info, comm, win);
    MPI_Win_attach: attach(win, base, size);
    MPI_Win_detach: detach(win, base);
    MPI_Win_free: free(win);
}

/// `MPI_WIN_UNIFIED`.
const UNIFIED: i32 = 321;
/// The distance of the pieces of shared memory that need not be adjacent is a multiple of this number of bytes.
const LINE: usize = 64;

/// Memory that a process gives to a window.
#[derive(Clone, Copy)]
struct Piece {
    base: usize,
    size: usize,
    unit: i64,
}

/// Checks the arguments of a call that makes a window.
fn piece(comm: &Communicator<'_>, base: usize, size: i64, unit: i64) -> Result<Piece> {
    if comm.remote.is_some() {
        let text = format!("{} is an intercommunicator", comm.shown_name());
        return Err(Error::argument(Class::COMM, "comm", text));
    }
    let Ok(size) = usize::try_from(size) else {
        return Err(Error::argument(Class::SIZE, "size", format!("{size} is negative")));
    };
    if unit <= 0 {
        return Err(Error::argument(Class::DISP, "disp_unit", format!("{unit} is not positive")));
    }
    Ok(Piece { base, size, unit })
}

/// Makes a window with the memory of every process.
fn make<'n>(
    process: &Process<'n>,
    comm: &Rc<Communicator<'n>>,
    flavor: Flavor,
    piece: Piece,
    info: Info,
) -> Result<Rc<Window<'n>>> {
    let Some(memory) = process.program.windows() else {
        let text = "the program has no memory that other processes can access";
        return Err(Error::new(Class::WIN, text));
    };
    let members: Vec<usize> = (0..comm.group.size()).collect();
    let made = sub_communicator(process, comm, &members, String::from("the communicator of a window"))?;
    let own = made.ok_or(Error::Leave)?;
    let (rank, context) = (own.group.rank(), own.messages().context());
    let shared = &process.settings.shared;
    let common = shared.enter(context, members.len());
    if flavor != Flavor::Shared {
        common.set(rank, Target::new(piece.base, piece.size, piece.unit, memory.clone()));
    }
    process.window_made([]);
    let meeting = process.enters_window(context, || communicator::nodes(&own));
    // After the exchange every process has entered its part.
    let mut mine = Vec::with_capacity(24);
    piece.base.store(&mut mine);
    piece.size.store(&mut mine);
    piece.unit.store(&mut mine);
    let all = all_gather_equal(process, &own, mine)?;
    let mut allocated = 0;
    if flavor == Flavor::Shared {
        let pieces = all.iter().map(|bytes| (usize::load(&bytes[8..16]), i64::load(&bytes[16..24])));
        let is_apart = info.get("alloc_shared_noncontig") == Some("true");
        let (pieces, total) = places(pieces, is_apart)?;
        if rank == 0 {
            allocated = memory_of(process, total)?;
            for (at, piece) in pieces.iter().enumerate() {
                // Memory without bytes has no address.
                let base = if piece.size == 0 { 0 } else { allocated + piece.base };
                common.set(at, Target::new(base, piece.size, piece.unit, memory.clone()));
            }
        }
        // After the broadcast the first process has entered all parts.
        broadcast_bytes(process, &own, 0, allocated.to_ne_bytes().to_vec())?;
    }
    process.leaves(meeting);
    shared.forget(context);
    let window = Rc::new(Window {
        handle: Cell::new(abi::WIN_NULL),
        comm: own,
        flavor,
        common,
        allocated: Cell::new(allocated),
        name: RefCell::default(),
        info: RefCell::new(super::query::hints(&info)),
        accesses: RefCell::new(Accesses::None),
        exposure: RefCell::default(),
        opened: Cell::default(),
        fence: Cell::default(),
        inside: Cell::default(),
        exposed: Cell::default(),
        open: RefCell::default(),
    });
    enter(process, &window)?;
    process.window_made(window.regions());
    Ok(window)
}

/// The places of pieces in memory that all processes share, as distances from its beginning, and the size of the memory.
fn places(pieces: impl Iterator<Item = (usize, i64)>, is_apart: bool) -> Result<(Vec<Piece>, usize)> {
    let mut end = 0_usize;
    let mut places = Vec::new();
    for (size, unit) in pieces {
        if is_apart {
            end = end.next_multiple_of(LINE);
        }
        places.push(Piece { base: end, size, unit });
        end = end.checked_add(size).filter(|&end| end < isize::MAX as usize / 2).ok_or_else(|| {
            Error::argument(Class::NO_MEM, "size", "the sizes of all processes are too large together")
        })?;
    }
    Ok((places, end))
}

/// Allocates memory for a window.
fn memory_of(process: &Process<'_>, size: usize) -> Result<usize> {
    match process.program.allocate(size.max(1)) {
        0 => Err(Error::argument(Class::NO_MEM, "size", format!("there is no memory of {size} bytes"))),
        address => Ok(address),
    }
}

/// Enters a window into the tables.
fn enter<'n>(process: &Process<'n>, window: &Rc<Window<'n>>) -> Result<()> {
    let handle = process.windows.borrow_mut().table.insert(window.clone());
    window.handle.set(handle);
    process.error_handlers.borrow_mut().enter(handle, process.initial_error_handler());
    let own = window.own()?;
    let attributes = WindowAttributes {
        base: own.base,
        size: own.size as i64,
        disp_unit: own.unit.try_into().unwrap_or(i32::MAX),
        create_flavor: window.flavor as i32,
        model: UNIFIED,
    };
    attribute::enter_window(process, handle, attributes);
    Ok(())
}

fn create<'n>(
    process: &Process<'n>,
    base: Address,
    size: i64,
    unit: i64,
    info: Info,
    comm: Rc<Communicator<'n>>,
    win: Out<Handle>,
) -> Result<()> {
    let piece = piece(&comm, base.0, size, unit)?;
    if base.is_null() && size > 0 {
        return Err(Error::argument(
            Class::BASE,
            "base",
            format!("a null pointer was given for memory of {size} bytes"),
        ));
    }
    let window = make(process, &comm, Flavor::Create, piece, info)?;
    win.set(process, window.handle.get());
    Ok(())
}

fn allocate<'n>(
    process: &Process<'n>,
    size: i64,
    unit: i64,
    info: Info,
    comm: Rc<Communicator<'n>>,
    baseptr: Out<usize>,
    win: Out<Handle>,
) -> Result<()> {
    let mut piece = piece(&comm, 0, size, unit)?;
    piece.base = memory_of(process, piece.size)?;
    let window = make(process, &comm, Flavor::Allocate, piece, info)?;
    window.allocated.set(piece.base);
    baseptr.set(process, piece.base);
    win.set(process, window.handle.get());
    Ok(())
}

/// Loads and stores of the program take no modeled time. A process sees a store of another process when that process's thread has carried it
/// out: the time at which a process that polls sees it can differ from run to run, unless a call that synchronizes orders them.
fn allocate_shared<'n>(
    process: &Process<'n>,
    size: i64,
    unit: i64,
    info: Info,
    comm: Rc<Communicator<'n>>,
    baseptr: Out<usize>,
    win: Out<Handle>,
) -> Result<()> {
    let piece = piece(&comm, 0, size, unit)?;
    let window = make(process, &comm, Flavor::Shared, piece, info)?;
    baseptr.set(process, window.own()?.base);
    win.set(process, window.handle.get());
    Ok(())
}

fn create_dynamic<'n>(
    process: &Process<'n>,
    info: Info,
    comm: Rc<Communicator<'n>>,
    win: Out<Handle>,
) -> Result<()> {
    // The displacements are addresses.
    let piece = piece(&comm, 0, 0, 1)?;
    let window = make(process, &comm, Flavor::Dynamic, piece, info)?;
    win.set(process, window.handle.get());
    Ok(())
}

/// Checks that memory can be attached to a window.
fn check_dynamic(window: &Window<'_>) -> Result<()> {
    match window.flavor {
        Flavor::Dynamic => Ok(()),
        _ => {
            Err(Error::argument(Class::RMA_FLAVOR, "win", "MPI_Win_create_dynamic has not made this window"))
        }
    }
}

fn attach<'n>(process: &Process<'n>, window: Rc<Window<'n>>, base: Address, size: i64) -> Result<()> {
    check_dynamic(&window)?;
    let Ok(length) = usize::try_from(size) else {
        return Err(Error::argument(Class::SIZE, "size", format!("{size} is negative")));
    };
    if base.is_null() && length > 0 {
        return Err(Error::argument(Class::BASE, "base", "a null pointer was given"));
    }
    let mut attached = window.own()?.attached.lock();
    let end = base.0.saturating_add(length);
    let last = attached.range(..end.max(base.0 + 1)).next_back();
    if let Some((&other, &of)) = last
        && (other == base.0 || other + of > base.0)
    {
        let text = format!("the memory overlaps with {of} bytes at {other:#x}, which are attached");
        return Err(Error::argument(Class::RMA_ATTACH, "base", text));
    }
    attached.insert(base.0, length);
    process.window_made(window.region(window.comm.group.rank(), base.0, length));
    Ok(())
}

fn detach<'n>(process: &Process<'n>, window: Rc<Window<'n>>, base: Address) -> Result<()> {
    check_dynamic(&window)?;
    let removed = window.own()?.attached.lock().remove(&base.0);
    match removed {
        Some(_) => {
            process.window_freed(window.context(), Some(base.0));
            Ok(())
        }
        None => {
            let text = format!("no memory that begins at {:#x} is attached", base.0);
            Err(Error::argument(Class::BASE, "base", text))
        }
    }
}

fn free(process: &Process<'_>, win: Out<Handle>) -> Result<()> {
    let handle = win.get(process);
    let window = <Rc<Window<'_>>>::decode(process, handle.0).map_err(|error| error.of("win"))?;
    window.check_free(process)?;
    attribute::delete_window(process, handle)?;
    process.transport().library_call("MPI_Win_free", || {
        window.wait_for_all(process, Reach::Target)?;
        window.barrier(process)
    })?;
    process.window_freed(window.context(), None);
    process.windows.borrow_mut().table.remove(handle);
    process.error_handlers.borrow_mut().forget(handle);
    if window.allocated.get() != 0 {
        process.program.release(window.allocated.get());
    }
    win.set(process, abi::WIN_NULL);
    Ok(())
}
