//! Buffered sends: `MPI_Bsend`, and the buffer that the program attaches.
//!
//! The data of every send is copied when it is called, so the attached buffer is not used. Its size counts all the same: a program that has
//! attached too little memory gets the error that it would get elsewhere.

use std::rc::Rc;

use multicomputer::comm::transport::RequestId;

use super::{Comm, bytes_of};
use crate::{
    buffer::Buffer,
    datatype::Datatype,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    request::Work,
    status::Status,
    word::{Address, Handle, Integer, Out},
};

functions! {
    MPI_Bsend: bsend(buf, count, datatype, dest, tag, comm);
    MPI_Bsend_c: bsend(buf, count, datatype, dest, tag, comm);
    MPI_Ibsend: ibsend(buf, count, datatype, dest, tag, comm, request);
    MPI_Ibsend_c: ibsend(buf, count, datatype, dest, tag, comm, request);
    MPI_Bsend_init: bsend_init(buf, count, datatype, dest, tag, comm, request);
    MPI_Bsend_init_c: bsend_init(buf, count, datatype, dest, tag, comm, request);
    MPI_Buffer_attach: attach(buffer, size);
    MPI_Buffer_attach_c: attach(buffer, size);
    MPI_Buffer_detach: detach::<i32>(buffer_addr, size);
    MPI_Buffer_detach_c: detach::<i64>(buffer_addr, size);
    MPI_Buffer_flush: flush();
}

/// Memory of each message beside its data (`MPI_BSEND_OVERHEAD`).
const OVERHEAD: u64 = 512;

/// The attached buffer, and the sends that use it.
#[derive(Debug, Default)]
pub(crate) struct Buffered {
    attached: Option<(Address, u64)>,
    /// Sends that have not been seen to leave, with the memory that each takes.
    sends: Vec<(RequestId, u64)>,
}

/// Starts a buffered send.
fn start<'n>(process: &Process<'n>, buffer: &Buffer, (dest, tag): (i32, i32), comm: &Comm<'n>) -> Result<()> {
    let Some(to) = comm.to(dest, tag)? else { return Ok(()) };
    let needed = buffer.bytes() + OVERHEAD;
    let room = |process: &Process<'_>| {
        let buffered = process.buffered.borrow();
        let taken: u64 = buffered.sends.iter().map(|(_, bytes)| bytes).sum();
        buffered.attached.map(|(_, size)| if size == u64::MAX { size } else { size.saturating_sub(taken) })
    };
    if room(process).is_some_and(|room| room < needed) {
        let sends = process.buffered.borrow().sends.clone();
        let mut open = Vec::new();
        for (id, bytes) in sends {
            if process.transport().test(id)?.is_none() {
                open.push((id, bytes));
            }
        }
        process.buffered.borrow_mut().sends = open;
    }
    match room(process) {
        Some(room) if room >= needed => {}
        Some(room) => {
            let text =
                format!("the message needs {needed} bytes of the attached buffer, of which {room} are free");
            return Err(Error::argument(Class::BUFFER, "count", text));
        }
        None => return Err(Error::new(Class::BUFFER, "no buffer is attached: call MPI_Buffer_attach first")),
    }
    let id = process.transport().isend(to, buffer.load(process))?;
    process.buffered.borrow_mut().sends.push((id, needed));
    Ok(())
}

fn bsend<'n>(
    process: &Process<'n>,
    buf: Address,
    count: i64,
    datatype: Datatype,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
) -> Result<()> {
    start(process, &Buffer::new(buf, count, datatype)?, (dest, tag), &comm)
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn ibsend<'n>(
    process: &Process<'n>,
    buf: Address,
    count: i64,
    datatype: Datatype,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    start(process, &Buffer::new(buf, count, datatype)?, (dest, tag), &comm)?;
    request.set(process, process.enter(Work::done(Status::EMPTY), Some(&comm)));
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn bsend_init<'n>(
    process: &Process<'n>,
    buf: Address,
    count: i64,
    datatype: Datatype,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    let buffer = Buffer::new(buf, count, datatype)?;
    comm.to(dest, tag)?;
    let of = comm.clone();
    let begin = move |process: &Process<'n>| {
        start(process, &buffer, (dest, tag), &of)?;
        Ok(Work::done(Status::EMPTY))
    };
    request.set(process, process.enter_persistent(&comm, Rc::new(begin)));
    Ok(())
}

fn attach(process: &Process<'_>, buffer: Address, size: i64) -> Result<()> {
    let size = if buffer == Address::BUFFER_AUTOMATIC { u64::MAX } else { bytes_of("size", size)? };
    let mut buffered = process.buffered.borrow_mut();
    if buffered.attached.is_some() {
        return Err(Error::argument(
            Class::BUFFER,
            "buffer",
            "a buffer is attached already: detach it first",
        ));
    }
    buffered.attached = Some((buffer, size));
    Ok(())
}

fn flush(process: &Process<'_>) -> Result<()> {
    let sends = std::mem::take(&mut process.buffered.borrow_mut().sends);
    for (id, _) in sends {
        process.transport().wait(id)?;
    }
    Ok(())
}

fn detach<C: Integer>(process: &Process<'_>, buffer: Out<Address>, size: Out<C>) -> Result<()> {
    flush(process)?;
    let attached = process.buffered.borrow_mut().attached.take();
    let Some((address, bytes)) = attached else {
        return Err(Error::new(Class::BUFFER, "no buffer is attached"));
    };
    buffer.set(process, address);
    size.set_or_undefined(process, if bytes == u64::MAX { 0 } else { bytes as i64 });
    Ok(())
}
