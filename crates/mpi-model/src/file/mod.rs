//! Files (MPI 5.0, chapter 14), which are files of the host.
//!
//! ```text
//!   storage    the time of reading and writing
//!   shared     what the processes of a job share of an open file
//!   view       the bytes of a file that a process accesses
//!   access     reads and writes
//!   pointer    file pointers, and functions of views
//! ```
//!
//! Data goes to the host's file at the call that writes it, and every call that reads sees it, so `MPI_File_sync` has nothing to do.
//! Reading and writing take no modeled time unless the job has a [`Storage`]. Messages of collective calls and accesses to shared file
//! pointers take the time of the network.

mod access;
mod pointer;
mod shared;
mod storage;
#[cfg(test)]
mod tests;
mod view;

use std::{
    cell::{Cell, RefCell},
    fs, io,
    rc::Rc,
    sync::Arc,
};

use shared::Open;
pub use shared::Shared;
pub use storage::Storage;
use view::View;

use crate::{
    abi,
    collective::{all_gather_equal, broadcast_bytes, broadcast_pair},
    communicator::{self, Communicator, Members, nodes},
    error::{Class, Error, Result},
    function::{Function, functions},
    group,
    info::{self, Info},
    process::{Process, Scope},
    status::Status,
    table::{Kind, Table},
    word::{Address, Argument, Handle, Out, Text},
};

/// Access modes: `MPI_MODE_APPEND` and so on.
mod mode {
    pub(super) const APPEND: i32 = 1;
    pub(super) const CREATE: i32 = 2;
    pub(super) const DELETE_ON_CLOSE: i32 = 4;
    pub(super) const EXCL: i32 = 8;
    pub(super) const RDONLY: i32 = 16;
    pub(super) const RDWR: i32 = 32;
    pub(super) const SEQUENTIAL: i32 = 64;
    pub(super) const WRONLY: i32 = 256;
    /// All of them, with `MPI_MODE_UNIQUE_OPEN`, which changes nothing here.
    pub(super) const ALL: i32 = 511;
}

functions! {
    MPI_File_open: open(comm, filename, amode, info, fh);
    MPI_File_close: close(fh);
    MPI_File_delete: delete(filename, info);
    MPI_File_set_size: set_size(fh, size);
    MPI_File_preallocate: preallocate(fh, size);
    MPI_File_get_size: get_size(fh, size);
    MPI_File_get_group: get_group(fh, group);
    MPI_File_get_amode: get_amode(fh, amode);
    MPI_File_set_info: set_info(fh, info);
    MPI_File_get_info: get_info(fh, info_used);
    MPI_File_set_atomicity: set_atomicity(fh, flag);
    MPI_File_get_atomicity: get_atomicity(fh, flag);
    MPI_File_sync: sync(fh);
    MPI_Register_datarep: register(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state);
    MPI_Register_datarep_c: register(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state);
    MPI_Register_datarep_fortran: register_fortran(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state, read_adapter, write_adapter, extent_adapter);
    MPI_Register_datarep_c_fortran: register_fortran(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state, read_adapter, write_adapter, extent_adapter);
}

/// The functions of this module and of its parts.
pub(crate) const ALL: [&[Function]; 3] = [FUNCTIONS, access::FUNCTIONS, pointer::FUNCTIONS];

/// The open files of a process.
pub(crate) struct State<'n> {
    pub(crate) table: Table<Rc<File<'n>>>,
}

impl Default for State<'_> {
    fn default() -> Self {
        State { table: Table::new(Kind::File) }
    }
}

/// An open file.
pub(crate) struct File<'n> {
    /// The processes that have opened the file together, with a context of their own.
    pub(crate) comm: Communicator<'n>,
    open: Arc<Open>,
    /// The number of the file in the job.
    number: u64,
    path: String,
    amode: i32,
    view: RefCell<Rc<View>>,
    /// The position of the individual file pointer in etypes.
    position: Cell<i64>,
    /// The number of times that the shared file pointer was set by a view or a seek, and the position to which it was set.
    epoch: Cell<(u64, i64)>,
    is_atomic: Cell<bool>,
    /// The split collective operation in progress: its name, its buffer, its result.
    split: RefCell<Option<(String, Address, Status)>>,
    info: RefCell<Info>,
}

impl<'n> Argument<'n> for Rc<File<'n>> {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        let Some(file) = process.files.borrow().table.get(Handle(word)) else {
            *process.scope.borrow_mut() = Scope::File(abi::FILE_NULL);
            let text = match Handle(word) {
                abi::FILE_NULL => "MPI_FILE_NULL was given".to_owned(),
                _ => format!("{word:#x} is no file"),
            };
            return Err(Error::new(Class::FILE, text));
        };
        *process.scope.borrow_mut() = Scope::File(Handle(word));
        Ok(file)
    }
}

/// The error of an operation of the host.
fn host_error(path: &str, error: &io::Error) -> Error {
    use io::ErrorKind as Kind;
    let class = match error.kind() {
        Kind::NotFound => Class::NO_SUCH_FILE,
        Kind::AlreadyExists => Class::FILE_EXISTS,
        Kind::PermissionDenied => Class::ACCESS,
        Kind::ReadOnlyFilesystem => Class::READ_ONLY,
        Kind::StorageFull | Kind::FileTooLarge => Class::NO_SPACE,
        Kind::QuotaExceeded => Class::QUOTA,
        Kind::IsADirectory | Kind::NotADirectory | Kind::InvalidFilename | Kind::InvalidInput => {
            Class::BAD_FILE
        }
        Kind::ExecutableFileBusy | Kind::ResourceBusy => Class::FILE_IN_USE,
        _ => Class::IO,
    };
    Error::new(class, format!("`{path}`: {error}"))
}

/// Checks that all processes of a collective call give the same numbers, and that the call is valid on all of them. Returns when all
/// processes have called it.
fn agree<'n>(
    process: &Process<'n>,
    comm: &Communicator<'n>,
    argument: &'static str,
    mine: Result<[i64; 2]>,
) -> Result<()> {
    let numbers = match &mine {
        Ok([one, other]) => [0, *one, *other],
        Err(_) => [1, 0, 0],
    };
    let all =
        all_gather_equal(process, comm, numbers.iter().flat_map(|number| number.to_ne_bytes()).collect())?;
    mine?;
    let own = &all[comm.group.rank()];
    match all.iter().position(|other| other != own) {
        None => Ok(()),
        Some(rank) => {
            let text =
                format!("rank {rank} of the file's communicator gives another value, or an invalid one");
            Err(Error::argument(Class::NOT_SAME, argument, text))
        }
    }
}

/// Carries out a step of a collective call on the first process; all processes return what it returns.
fn on_first<'n>(
    process: &Process<'n>,
    comm: &Communicator<'n>,
    step: impl FnOnce() -> Result<i64>,
) -> Result<i64> {
    // The class of an error, and the value.
    let (mut pair, mut text) = ([0, 0], String::new());
    if comm.group.rank() == 0 {
        match step() {
            Ok(value) => pair[1] = value,
            Err(Error::Mpi(error)) => {
                pair[0] = i64::from(error.class.0);
                text = error.text;
            }
            Err(Error::Leave) => return Err(Error::Leave),
        }
    }
    match broadcast_pair(process, comm, pair)? {
        [0, value] => Ok(value),
        [class, _] => {
            let text = broadcast_bytes(process, comm, 0, text.into_bytes())?;
            Err(Error::new(Class(class as i32), String::from_utf8_lossy(&text)))
        }
    }
}

/// Checks an access mode.
fn check_mode(amode: i32) -> Result<()> {
    let accesses = [mode::RDONLY, mode::RDWR, mode::WRONLY].iter().filter(|&&one| amode & one != 0).count();
    let text = if amode & !mode::ALL != 0 {
        "is no access mode"
    } else if accesses != 1 {
        "has not exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY"
    } else if amode & mode::RDONLY != 0 && amode & (mode::CREATE | mode::EXCL) != 0 {
        "has MPI_MODE_RDONLY together with MPI_MODE_CREATE or MPI_MODE_EXCL"
    } else if amode & mode::RDWR != 0 && amode & mode::SEQUENTIAL != 0 {
        "has MPI_MODE_RDWR together with MPI_MODE_SEQUENTIAL"
    } else {
        return Ok(());
    };
    Err(Error::argument(Class::AMODE, "amode", format!("{amode} {text}")))
}

/// Opens a file of the host.
fn open_on_host(path: &str, amode: i32) -> io::Result<fs::File> {
    let (creates, is_new) = (amode & mode::CREATE != 0, amode & mode::EXCL != 0);
    let file = fs::OpenOptions::new()
        .read(amode & mode::WRONLY == 0)
        .write(amode & mode::RDONLY == 0)
        .create(creates)
        .create_new(creates && is_new)
        .truncate(false)
        .open(path)?;
    match file.metadata()?.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(file),
    }
}

/// Errors are those of `MPI_FILE_NULL`, also for an invalid communicator.
fn open(
    process: &Process<'_>,
    comm: Handle,
    filename: Address,
    amode: i32,
    info: Handle,
    fh: Out<Handle>,
) -> Result<()> {
    let comm = process.communicator(comm).map_err(|error| error.of("comm"));
    *process.scope.borrow_mut() = Scope::File(abi::FILE_NULL);
    let comm = comm?;
    if comm.remote.is_some() {
        return Err(Error::argument(Class::COMM, "comm", "an intercommunicator was given"));
    }
    fh.set(process, abi::FILE_NULL);
    let all: Vec<usize> = (0..comm.group.size()).collect();
    let members = Members::Own(comm.group.subgroup(&all)?);
    let comm = communicator::new(process, members, None, comm.name.borrow().clone());
    let given = || {
        let name = Text::decode(process, filename.0).map_err(|error| error.of("filename"))?;
        let hints = Info::decode(process, info.0).map_err(|error| error.of("info"))?;
        check_mode(amode)?;
        Ok((name.0, hints))
    };
    let given = given();
    agree(process, &comm, "amode", given.as_ref().map(|_| [i64::from(amode), 0]).map_err(Clone::clone))?;
    let (path, hints) = given?;
    let files = &process.settings.files;
    let number = on_first(process, &comm, || {
        let opened = open_on_host(&path, amode).map_err(|error| host_error(&path, &error))?;
        Ok(files.add(opened) as i64)
    })? as u64;
    let open = files.get(number).ok_or_else(|| {
        Error::new(Class::INTERN, "the processes of the job do not share the setting `files`")
    })?;
    let first = if amode & mode::APPEND == 0 {
        0
    } else {
        open.length().map_err(|error| host_error(&path, &error))? as i64
    };
    let opened = File {
        comm,
        open,
        number,
        path,
        amode,
        view: RefCell::new(Rc::new(View::initial(process)?)),
        position: Cell::new(first),
        // The pointer of epoch 0 begins at 0.
        epoch: Cell::new((1, first)),
        is_atomic: Cell::new(false),
        split: RefCell::default(),
        info: RefCell::new(hints),
    };
    let handle = process.files.borrow_mut().table.insert(Rc::new(opened));
    let mut handlers = process.error_handlers.borrow_mut();
    let handler = handlers.of_new_file();
    handlers.enter(handle, handler);
    drop(handlers);
    fh.set(process, handle);
    Ok(())
}

fn close(process: &Process<'_>, fh: Out<Handle>) -> Result<()> {
    let handle = fh.get(process);
    let file = Rc::<File<'_>>::decode(process, handle.0).map_err(|error| error.of("fh"))?;
    file.check_no_split()?;
    // A process that reads the file by other means after this call finds the data of all processes.
    agree(process, &file.comm, "fh", Ok([0, 0]))?;
    process.files.borrow_mut().table.remove(handle);
    process.error_handlers.borrow_mut().forget(handle);
    fh.set(process, abi::FILE_NULL);
    *process.scope.borrow_mut() = Scope::File(abi::FILE_NULL);
    let is_first = file.comm.group.rank() == 0;
    if is_first {
        process.settings.files.remove(file.number);
    }
    if file.amode & mode::DELETE_ON_CLOSE != 0 {
        on_first(process, &file.comm, || {
            fs::remove_file(&file.path).map_err(|error| host_error(&file.path, &error)).map(|()| 0)
        })?;
    }
    Ok(())
}

fn delete(process: &Process<'_>, filename: Address, info: Handle) -> Result<()> {
    *process.scope.borrow_mut() = Scope::File(abi::FILE_NULL);
    let Text(path) = Text::decode(process, filename.0).map_err(|error| error.of("filename"))?;
    Info::decode(process, info.0).map_err(|error| error.of("info"))?;
    fs::remove_file(&path).map_err(|error| host_error(&path, &error))
}

impl<'n> File<'n> {
    /// The length of the file in bytes.
    fn length(&self) -> Result<u64> {
        self.open.length().map_err(|error| host_error(&self.path, &error))
    }

    /// The view, which a later call may replace.
    fn view(&self) -> Rc<View> {
        self.view.borrow().clone()
    }

    /// Refuses a call while a split collective operation is in progress.
    fn check_no_split(&self) -> Result<()> {
        match &*self.split.borrow() {
            None => Ok(()),
            Some((name, ..)) => Err(Error::new(Class::IO, format!("{name}_begin has not been ended"))),
        }
    }

    fn check_writable(&self) -> Result<()> {
        match self.amode & mode::RDONLY {
            0 => Ok(()),
            _ => {
                Err(Error::new(Class::READ_ONLY, format!("`{}` was opened with MPI_MODE_RDONLY", self.path)))
            }
        }
    }

    /// Sets the length of the file, on the first process.
    fn resize(&self, process: &Process<'n>, size: i64, grows: bool) -> Result<()> {
        let check = || {
            self.check_writable()?;
            u64::try_from(size)
                .map_err(|_| Error::argument(Class::ARG, "size", format!("{size} is negative")))
        };
        let length = check();
        agree(process, &self.comm, "size", length.as_ref().map(|_| [size, 0]).map_err(Clone::clone))?;
        let length = length?;
        on_first(process, &self.comm, || {
            if !grows || self.length()? < length {
                self.open.file.set_len(length).map_err(|error| host_error(&self.path, &error))?;
            }
            Ok(0)
        })?;
        Ok(())
    }
}

fn set_size<'n>(process: &Process<'n>, fh: Rc<File<'n>>, size: i64) -> Result<()> {
    fh.resize(process, size, false)
}

fn preallocate<'n>(process: &Process<'n>, fh: Rc<File<'n>>, size: i64) -> Result<()> {
    fh.resize(process, size, true)
}

fn get_size<'n>(process: &Process<'n>, fh: Rc<File<'n>>, size: Out<i64>) -> Result<()> {
    size.set(process, fh.length()? as i64);
    Ok(())
}

fn get_group<'n>(process: &Process<'n>, fh: Rc<File<'n>>, group: Out<Handle>) -> Result<()> {
    group.set(process, group::enter(process, &nodes(&fh.comm)));
    Ok(())
}

fn get_amode<'n>(process: &Process<'n>, fh: Rc<File<'n>>, amode: Out<i32>) -> Result<()> {
    amode.set(process, fh.amode);
    Ok(())
}

fn set_info<'n>(_: &Process<'n>, fh: Rc<File<'n>>, hints: Info) -> Result<()> {
    fh.add_hints(&hints);
    Ok(())
}

impl File<'_> {
    fn add_hints(&self, hints: &Info) {
        let mut own = self.info.borrow_mut();
        hints.iter().for_each(|(key, value)| own.set(key, value));
    }
}

fn get_info<'n>(process: &Process<'n>, fh: Rc<File<'n>>, info_used: Out<Handle>) -> Result<()> {
    info_used.set(process, info::enter(process, fh.info.borrow().clone()));
    Ok(())
}

fn set_atomicity<'n>(process: &Process<'n>, fh: Rc<File<'n>>, flag: i32) -> Result<()> {
    agree(process, &fh.comm, "flag", Ok([i64::from(flag != 0), 0]))?;
    fh.is_atomic.set(flag != 0);
    Ok(())
}

fn get_atomicity<'n>(process: &Process<'n>, fh: Rc<File<'n>>, flag: Out<i32>) -> Result<()> {
    flag.set_flag(process, fh.is_atomic.get());
    Ok(())
}

fn sync<'n>(_: &Process<'n>, fh: Rc<File<'n>>) -> Result<()> {
    fh.check_no_split()
}

fn register(
    process: &Process<'_>,
    datarep: Address,
    _: Address,
    _: Address,
    _: Address,
    _: Address,
) -> Result<()> {
    *process.scope.borrow_mut() = Scope::File(abi::FILE_NULL);
    let Text(name) = Text::decode(process, datarep.0).map_err(|error| error.of("datarep"))?;
    if view::Representation::named(&name).is_some() {
        let text = format!("`{name}` is predefined");
        return Err(Error::argument(Class::DUP_DATAREP, "datarep", text));
    }
    let text = format!("`{name}`: only native, internal and external32 are supported");
    Err(Error::argument(Class::UNSUPPORTED_OPERATION, "datarep", text))
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn register_fortran(
    process: &Process<'_>,
    datarep: Address,
    read: Address,
    write: Address,
    extent: Address,
    extra_state: Address,
    _: Address,
    _: Address,
    _: Address,
) -> Result<()> {
    register(process, datarep, read, write, extent, extra_state)
}
