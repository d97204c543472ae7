//! Reads and writes.
//!
//! An access takes its offset from an argument, from the individual pointer of the process, or from the pointer that the processes share.
//! Collective accesses at offsets and by individual pointers are independent accesses: nothing has to be exchanged. In ordered accesses, the
//! first process learns how much each process accesses, and tells each its offset. Nonblocking accesses move their data in the call, and wait
//! for the storage only.
//!
//! In atomic mode every access is carried out at the first process of the file, by a remote memory access, and so in the order of modeled time.

use std::{
    io,
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
};

use multicomputer::Payload;

use super::{
    File, host_error, mode,
    shared::Segment,
    view::{Representation, View},
};
use crate::{
    buffer::{Buffer, Data},
    collective::{gather_to_first, scatter_of_first},
    datatype::Datatype,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    status::{Status, StatusAddress},
    word::{Address, Handle, Out},
};

functions! {
    MPI_File_read_at: read_at(fh, offset, buf/count/datatype, status);
    MPI_File_read_at_c: read_at(fh, offset, buf/count/datatype, status);
    MPI_File_read_at_all: read_at(fh, offset, buf/count/datatype, status);
    MPI_File_read_at_all_c: read_at(fh, offset, buf/count/datatype, status);
    MPI_File_write_at: write_at(fh, offset, buf/count/datatype, status);
    MPI_File_write_at_c: write_at(fh, offset, buf/count/datatype, status);
    MPI_File_write_at_all: write_at(fh, offset, buf/count/datatype, status);
    MPI_File_write_at_all_c: write_at(fh, offset, buf/count/datatype, status);
    MPI_File_iread_at: iread_at(fh, offset, buf/count/datatype, request);
    MPI_File_iread_at_c: iread_at(fh, offset, buf/count/datatype, request);
    MPI_File_iread_at_all: iread_at(fh, offset, buf/count/datatype, request);
    MPI_File_iread_at_all_c: iread_at(fh, offset, buf/count/datatype, request);
    MPI_File_iwrite_at: iwrite_at(fh, offset, buf/count/datatype, request);
    MPI_File_iwrite_at_c: iwrite_at(fh, offset, buf/count/datatype, request);
    MPI_File_iwrite_at_all: iwrite_at(fh, offset, buf/count/datatype, request);
    MPI_File_iwrite_at_all_c: iwrite_at(fh, offset, buf/count/datatype, request);
    MPI_File_read_at_all_begin: read_at_begin(fh, offset, buf/count/datatype);
    MPI_File_read_at_all_begin_c: read_at_begin(fh, offset, buf/count/datatype);
    MPI_File_write_at_all_begin: write_at_begin(fh, offset, buf/count/datatype);
    MPI_File_write_at_all_begin_c: write_at_begin(fh, offset, buf/count/datatype);
    MPI_File_read: read(fh, buf/count/datatype, status);
    MPI_File_read_c: read(fh, buf/count/datatype, status);
    MPI_File_read_all: read(fh, buf/count/datatype, status);
    MPI_File_read_all_c: read(fh, buf/count/datatype, status);
    MPI_File_write: write(fh, buf/count/datatype, status);
    MPI_File_write_c: write(fh, buf/count/datatype, status);
    MPI_File_write_all: write(fh, buf/count/datatype, status);
    MPI_File_write_all_c: write(fh, buf/count/datatype, status);
    MPI_File_iread: iread(fh, buf/count/datatype, request);
    MPI_File_iread_c: iread(fh, buf/count/datatype, request);
    MPI_File_iread_all: iread(fh, buf/count/datatype, request);
    MPI_File_iread_all_c: iread(fh, buf/count/datatype, request);
    MPI_File_iwrite: iwrite(fh, buf/count/datatype, request);
    MPI_File_iwrite_c: iwrite(fh, buf/count/datatype, request);
    MPI_File_iwrite_all: iwrite(fh, buf/count/datatype, request);
    MPI_File_iwrite_all_c: iwrite(fh, buf/count/datatype, request);
    MPI_File_read_all_begin: read_begin(fh, buf/count/datatype);
    MPI_File_read_all_begin_c: read_begin(fh, buf/count/datatype);
    MPI_File_write_all_begin: write_begin(fh, buf/count/datatype);
    MPI_File_write_all_begin_c: write_begin(fh, buf/count/datatype);
    MPI_File_read_shared: read_shared(fh, buf/count/datatype, status);
    MPI_File_read_shared_c: read_shared(fh, buf/count/datatype, status);
    MPI_File_write_shared: write_shared(fh, buf/count/datatype, status);
    MPI_File_write_shared_c: write_shared(fh, buf/count/datatype, status);
    MPI_File_iread_shared: iread_shared(fh, buf/count/datatype, request);
    MPI_File_iread_shared_c: iread_shared(fh, buf/count/datatype, request);
    MPI_File_iwrite_shared: iwrite_shared(fh, buf/count/datatype, request);
    MPI_File_iwrite_shared_c: iwrite_shared(fh, buf/count/datatype, request);
    MPI_File_read_ordered: read_ordered(fh, buf/count/datatype, status);
    MPI_File_read_ordered_c: read_ordered(fh, buf/count/datatype, status);
    MPI_File_write_ordered: write_ordered(fh, buf/count/datatype, status);
    MPI_File_write_ordered_c: write_ordered(fh, buf/count/datatype, status);
    MPI_File_read_ordered_begin: read_ordered_begin(fh, buf/count/datatype);
    MPI_File_read_ordered_begin_c: read_ordered_begin(fh, buf/count/datatype);
    MPI_File_write_ordered_begin: write_ordered_begin(fh, buf/count/datatype);
    MPI_File_write_ordered_begin_c: write_ordered_begin(fh, buf/count/datatype);
    MPI_File_read_at_all_end: end(fh, buf, status);
    MPI_File_write_at_all_end: end(fh, buf, status);
    MPI_File_read_all_end: end(fh, buf, status);
    MPI_File_write_all_end: end(fh, buf, status);
    MPI_File_read_ordered_end: end(fh, buf, status);
    MPI_File_write_ordered_end: end(fh, buf, status);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
}

/// Where an access takes its offset from.
#[derive(Clone, Copy, Debug)]
enum Place {
    At(i64),
    Individual,
    Shared,
    Ordered,
}

impl<'n> File<'n> {
    /// Checks that the file can be accessed in this way.
    fn check_access(&self, direction: Direction, place: Place) -> Result<()> {
        match direction {
            Direction::Write => self.check_writable()?,
            Direction::Read if self.amode & mode::WRONLY != 0 => {
                let text = format!("`{}` was opened with MPI_MODE_WRONLY", self.path);
                return Err(Error::new(Class::ACCESS, text));
            }
            Direction::Read => {}
        }
        match place {
            Place::At(_) | Place::Individual => self.check_random(),
            Place::Shared | Place::Ordered => Ok(()),
        }
    }

    /// The offset of an access of `amount` etypes; moves the pointer.
    fn take(&self, process: &Process<'n>, place: Place, amount: i64) -> Result<i64> {
        match place {
            Place::At(offset) => Ok(offset),
            Place::Individual => {
                let before = self.position.get();
                self.position.set(before.saturating_add(amount));
                Ok(before)
            }
            Place::Shared => self.advance(process, amount),
            Place::Ordered => {
                let gathered = gather_to_first(process, &self.comm, amount)?;
                let mut next = match gathered.is_empty() {
                    true => 0,
                    false => self.advance(process, gathered.iter().sum())?,
                };
                let offset = |amount| {
                    next += amount;
                    next - amount
                };
                scatter_of_first(process, &self.comm, gathered.into_iter().map(offset).collect())
            }
        }
    }

    /// Carries out an access.
    fn access(
        &self,
        process: &Process<'n>,
        direction: Direction,
        place: Place,
        buffer: &Buffer,
    ) -> Result<Status> {
        self.check_access(direction, place)?;
        let view = self.view();
        let size = view.representation.size(&buffer.datatype);
        let bytes = size.checked_mul(buffer.count as u64).filter(|&bytes| i64::try_from(bytes).is_ok());
        let bytes = bytes.ok_or_else(|| {
            Error::argument(Class::COUNT, "count", format!("{} elements are too many", buffer.count))
        })?;
        if !bytes.is_multiple_of(view.unit) {
            let text = format!("{bytes} bytes are no whole number of etypes of {} bytes", view.unit);
            return Err(Error::argument(Class::ARG, "count", text));
        }
        let amount = (bytes / view.unit) as i64;
        let offset = self.take(process, place, amount)?;
        let stream = view.stream(offset)?;
        view.stream(offset.saturating_add(amount))?;
        if view.filetype.size() == 0 && bytes > 0 {
            return Err(Error::new(Class::ARG, "the filetype of the view has no data"));
        }
        let done = match direction {
            Direction::Write => self.write(process, &view.tiles.segments(stream, bytes), &view, buffer)?,
            Direction::Read => self.read(process, stream, bytes, &view, buffer)?,
        };
        Ok(Status { bytes: done, ..Status::EMPTY })
    }

    fn write(
        &self,
        process: &Process<'n>,
        segments: &[Segment],
        view: &View,
        buffer: &Buffer,
    ) -> Result<u64> {
        let mut data = buffer.load_bytes(process);
        if view.representation == Representation::External {
            data = buffer.datatype.layout().to_external(buffer.count as u64, &data)?.into();
        }
        let written = if self.is_atomic.get() {
            let (open, segments) = (self.open.clone(), segments.to_vec());
            self.at_keeper(process, move || open.write(&segments, &data).map(|()| Vec::new()))?.map(drop)
        } else {
            self.open.write(segments, &data)
        };
        written.map_err(|error| host_error(&self.path, &error))?;
        Ok(buffer.bytes())
    }

    fn read(
        &self,
        process: &Process<'n>,
        stream: u64,
        bytes: u64,
        view: &View,
        buffer: &Buffer,
    ) -> Result<u64> {
        let data = if self.is_atomic.get() {
            let (open, segments) = (self.open.clone(), view.tiles.segments(stream, bytes));
            self.at_keeper(process, move || open.read(&segments))?
        } else {
            // What is behind the end of the file needs no memory.
            let there = view.tiles.bytes_before(self.length()?).saturating_sub(stream).min(bytes);
            self.open.read(&view.tiles.segments(stream, there))
        };
        let mut data = data.map_err(|error| host_error(&self.path, &error))?;
        if view.representation == Representation::External {
            data = of_external(&buffer.datatype, buffer.count as u64, data);
        }
        buffer.store_bytes(process, &data);
        Ok(data.len() as u64)
    }

    /// Carries out an access at the first process of the file.
    fn at_keeper(
        &self,
        process: &Process<'n>,
        access: impl FnOnce() -> io::Result<Vec<u8>> + Send + 'static,
    ) -> Result<io::Result<Vec<u8>>> {
        let result = Arc::new(Mutex::new(None));
        let (transport, into) = (process.transport(), result.clone());
        let request = transport.remote(self.keeper(), 0, Some(0), move || {
            *into.lock().unwrap_or_else(PoisonError::into_inner) = Some(access());
            Payload::empty()
        })?;
        transport.wait(request)?;
        let result = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        result.ok_or(Error::Leave)
    }
}

/// Converts the data of up to `count` elements that a file in "external32" had.
fn of_external(datatype: &Datatype, count: u64, mut data: Vec<u8>) -> Vec<u8> {
    let (size, there) = (datatype.layout().external_size(), data.len() as u64);
    if size == 0 {
        return Vec::new();
    }
    let used = count.min(there.div_ceil(size));
    data.resize((used * size) as usize, 0);
    let mut packed = datatype.layout().of_external(used, &data);
    let whole = match datatype.size() {
        same if same == size => there,
        own => there / size * own,
    };
    packed.truncate(whole as usize);
    packed
}

impl<'n> File<'n> {
    /// Carries out the access of a blocking call.
    fn blocking(
        &self,
        process: &Process<'n>,
        direction: Direction,
        place: Place,
        data: Data,
    ) -> Result<Status> {
        let status = self.access(process, direction, place, &data.buffer()?)?;
        self.wait_for_storage(process, status.bytes)?;
        Ok(status)
    }

    /// Begins a split collective operation, and carries it out.
    fn begin(&self, process: &Process<'n>, direction: Direction, place: Place, data: Data) -> Result<()> {
        self.check_no_split()?;
        let address = data.address;
        let status = self.blocking(process, direction, place, data)?;
        let name = process.last_function().unwrap_or_default();
        let name = name.trim_end_matches("_c").trim_end_matches("_begin").to_owned();
        *self.split.borrow_mut() = Some((name, address, status));
        Ok(())
    }
}

fn end<'n>(process: &Process<'n>, fh: Rc<File<'n>>, buf: Address, status: StatusAddress) -> Result<()> {
    let name = process.last_function().unwrap_or_default().trim_end_matches("_end");
    let begun = fh.split.borrow().clone();
    match begun {
        Some((begun, buffer, result)) if begun == name && buffer == buf => {
            *fh.split.borrow_mut() = None;
            status.set(process, &result, false);
            Ok(())
        }
        Some((begun, ..)) if begun == name => {
            let text = format!("the buffer is not that of {name}_begin");
            Err(Error::argument(Class::BUFFER, "buf", text))
        }
        Some((begun, ..)) => Err(Error::new(Class::IO, format!("{begun}_begin is in progress"))),
        None => Err(Error::new(Class::IO, format!("{name}_begin was not called"))),
    }
}

/// Defines accesses: the direction, where the offset comes from (for `At` from an argument), and the form of the call: blocking, nonblocking or the
/// beginning of a split one.
macro_rules! accesses {
    ($($function:ident: $direction:ident $place:ident $(($offset:ident))? $form:ident;)*) => {$(
        accesses!(@$form $function $direction $place $(($offset))?);
    )*};
    (@blocking $function:ident $direction:ident $place:ident $(($offset:ident))?) => {
        fn $function<'n>(
            process: &Process<'n>, fh: Rc<File<'n>>, $($offset: i64,)? data: Data, status: StatusAddress,
        ) -> Result<()> {
            let done = fh.blocking(process, Direction::$direction, Place::$place $(($offset))?, data)?;
            status.set(process, &done, false);
            Ok(())
        }
    };
    (@nonblocking $function:ident $direction:ident $place:ident $(($offset:ident))?) => {
        fn $function<'n>(
            process: &Process<'n>, fh: Rc<File<'n>>, $($offset: i64,)? data: Data, request: Out<Handle>,
        ) -> Result<()> {
            let buffer = data.buffer()?;
            let done = fh.access(process, Direction::$direction, Place::$place $(($offset))?, &buffer)?;
            let work = fh.in_storage(process, done)?;
            request.set(process, process.enter(work, None));
            Ok(())
        }
    };
    (@split $function:ident $direction:ident $place:ident $(($offset:ident))?) => {
        fn $function<'n>(process: &Process<'n>, fh: Rc<File<'n>>, $($offset: i64,)? data: Data) -> Result<()> {
            fh.begin(process, Direction::$direction, Place::$place $(($offset))?, data)
        }
    };
}

accesses! {
    read_at: Read At(offset) blocking;
    write_at: Write At(offset) blocking;
    iread_at: Read At(offset) nonblocking;
    iwrite_at: Write At(offset) nonblocking;
    read_at_begin: Read At(offset) split;
    write_at_begin: Write At(offset) split;
    read: Read Individual blocking;
    write: Write Individual blocking;
    iread: Read Individual nonblocking;
    iwrite: Write Individual nonblocking;
    read_begin: Read Individual split;
    write_begin: Write Individual split;
    read_shared: Read Shared blocking;
    write_shared: Write Shared blocking;
    iread_shared: Read Shared nonblocking;
    iwrite_shared: Write Shared nonblocking;
    read_ordered: Read Ordered blocking;
    write_ordered: Write Ordered blocking;
    read_ordered_begin: Read Ordered split;
    write_ordered_begin: Write Ordered split;
}
