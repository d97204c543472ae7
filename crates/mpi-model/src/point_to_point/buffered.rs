//! Buffered sends: `MPI_Bsend`, and the buffer that the program attaches.
//!
//! The data of every send is copied when it is called, so the attached buffer is not used. Its size counts all the same: a program that has
//! attached too little memory gets the error that it would get elsewhere.

use std::{cell::RefCell, rc::Rc};

use multicomputer::comm::{Message, transport::RequestId};

use super::{Comm, Mode, bytes_of};
use crate::{
    buffer::{Buffer, Data},
    check::{Peer, Site},
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    request::{Steps, Work},
    status::Status,
    word::{Address, Handle, Integer, Out},
};

functions! {
    MPI_Bsend: bsend(buf/count/datatype, dest, tag, comm);
    MPI_Bsend_c: bsend(buf/count/datatype, dest, tag, comm);
    MPI_Ibsend: ibsend(buf/count/datatype, dest, tag, comm, request);
    MPI_Ibsend_c: ibsend(buf/count/datatype, dest, tag, comm, request);
    MPI_Bsend_init: bsend_init(buf/count/datatype, dest, tag, comm, request);
    MPI_Bsend_init_c: bsend_init(buf/count/datatype, dest, tag, comm, request);
    MPI_Buffer_attach: attach(buffer, size);
    MPI_Buffer_attach_c: attach(buffer, size);
    MPI_Buffer_detach: detach::<i32>(buffer_addr, size);
    MPI_Buffer_detach_c: detach::<i64>(buffer_addr, size);
    MPI_Buffer_flush: flush();
    MPI_Buffer_iflush: iflush(request);
    MPI_Comm_attach_buffer: attach_to(comm, buffer, size);
    MPI_Comm_attach_buffer_c: attach_to(comm, buffer, size);
    MPI_Comm_detach_buffer: detach_from::<i32>(comm, buffer_addr, size);
    MPI_Comm_detach_buffer_c: detach_from::<i64>(comm, buffer_addr, size);
    MPI_Comm_flush_buffer: flush_of(comm);
    MPI_Comm_iflush_buffer: iflush_of(comm, request);
}

/// Memory that each message takes beside its data: MPICH's `MPI_BSEND_OVERHEAD`. That of the ABI is larger, but programs that were written for MPICH attach
/// less than it.
const OVERHEAD: u64 = 96;

/// The attached buffer, and the sends that use it.
#[derive(Debug, Default)]
pub(crate) struct Buffered {
    attached: Option<(Address, u64)>,
    /// The call that has attached it.
    site: Option<Site>,
    /// Sends that are not known to be complete, with the memory that each takes.
    sends: Rc<RefCell<Sends>>,
}

type Sends = Vec<(RequestId, u64)>;

/// Starts a buffered send.
fn start<'n>(process: &Process<'n>, buffer: &Buffer, (dest, tag): (i32, i32), comm: &Comm<'n>) -> Result<()> {
    let Some(to) = comm.to(dest, tag)? else { return Ok(()) };
    let needed = buffer.bytes() + OVERHEAD;
    // A buffer attached to the communicator comes first, then that of the process, then that of a session.
    let of_session = process.sessions.borrow().buffered();
    let buffered = match &of_session {
        _ if comm.buffered.borrow().is_attached() => &comm.buffered,
        Some(buffered) if !process.buffered.borrow().is_attached() => buffered,
        _ => &process.buffered,
    };
    let mut room = buffered.borrow().room();
    if room.is_some_and(|room| room < needed) {
        let mut open = Vec::new();
        let sends = buffered.borrow().sends.clone();
        for send in sends.take() {
            if process.transport().test(send.0)?.is_none() {
                open.push(send);
            }
        }
        sends.replace(open);
        room = buffered.borrow().room();
    }
    match room {
        Some(room) if room >= needed => {}
        Some(room) => {
            let text =
                format!("the message needs {needed} bytes of the attached buffer, of which {room} are free");
            return Err(Error::argument(Class::BUFFER, "count", text));
        }
        None => return Err(Error::new(Class::BUFFER, "no buffer is attached: call MPI_Buffer_attach first")),
    }
    // A message to the process itself does not leave the buffer before its receive takes it.
    let (transport, data) = (process.transport(), process.outgoing(to, comm, buffer, Mode::Standard));
    let is_own = to.rank == transport.rank();
    let id = if is_own { transport.issend(to, data)? } else { transport.isend(to, data)? };
    buffered.borrow().sends.borrow_mut().push((id, needed));
    Ok(())
}

fn bsend<'n>(process: &Process<'n>, data: Data, dest: i32, tag: i32, comm: Comm<'n>) -> Result<()> {
    start(process, &data.buffer()?, (dest, tag), &comm)
}

fn ibsend<'n>(
    process: &Process<'n>,
    data: Data,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    start(process, &data.buffer()?, (dest, tag), &comm)?;
    request.set(process, process.enter(Work::done(Status::EMPTY), Some(&comm)));
    Ok(())
}

fn bsend_init<'n>(
    process: &Process<'n>,
    data: Data,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    let buffer = data.buffer()?;
    let to = comm.to(dest, tag)?;
    let of = comm.clone();
    let begin = move |process: &Process<'n>| {
        start(process, &buffer, (dest, tag), &of)?;
        Ok(Work::done(Status::EMPTY))
    };
    request.set(process, process.enter_persistent(&comm, to.map(Peer::To), Rc::new(begin)));
    Ok(())
}

impl Buffered {
    /// The free bytes of the attached buffer.
    fn room(&self) -> Option<u64> {
        let taken: u64 = self.sends.borrow().iter().map(|(_, bytes)| bytes).sum();
        self.attached.map(|(_, size)| if size == u64::MAX { size } else { size.saturating_sub(taken) })
    }

    /// The call that has attached the buffer, if there is one.
    pub(crate) fn site(&self) -> Option<Option<Site>> {
        self.attached.map(|_| self.site)
    }

    /// Whether a buffer is attached.
    pub(crate) fn is_attached(&self) -> bool {
        self.attached.is_some()
    }

    /// Attaches a buffer.
    pub(crate) fn attach(&mut self, buffer: Address, size: i64, site: Option<Site>) -> Result<()> {
        let size = if buffer == Address::BUFFER_AUTOMATIC { u64::MAX } else { bytes_of("size", size)? };
        if self.attached.is_some() {
            return Err(Error::argument(
                Class::BUFFER,
                "buffer",
                "a buffer is attached already: detach it first",
            ));
        }
        self.attached = Some((buffer, size));
        self.site = site;
        Ok(())
    }
}

/// The sends that are in the buffer when the program flushes it.
struct Flush {
    sends: Rc<RefCell<Sends>>,
    flushed: Vec<RequestId>,
}

impl<'n> Steps<'n> for Flush {
    fn pending(&self) -> Vec<RequestId> {
        let sends = self.sends.borrow();
        sends.iter().map(|&(id, _)| id).filter(|id| self.flushed.contains(id)).collect()
    }

    fn is_finished(&self) -> bool {
        self.first_pending().is_none()
    }

    fn complete(&mut self, _: &Process<'n>, request: RequestId, _: Option<Message>) -> Result<()> {
        self.sends.borrow_mut().retain(|&(id, _)| id != request);
        Ok(())
    }
}

/// Waits until all messages have left the buffer. Every message that leaves makes room, whoever waits for it.
fn flushing<'n>(buffered: &RefCell<Buffered>) -> Work<'n> {
    let sends = buffered.borrow().sends.clone();
    let flushed = sends.borrow().iter().map(|&(id, _)| id).collect();
    Work::Steps(Box::new(Flush { sends, flushed }))
}

/// Waits until all messages have left the buffer.
pub(crate) fn wait_for_sends(process: &Process<'_>, buffered: &RefCell<Buffered>) -> Result<()> {
    process.finish(flushing(buffered), None).map(drop)
}

/// Starts to wait until all messages have left the buffer.
pub(crate) fn start_flush<'n>(
    process: &Process<'n>,
    buffered: &RefCell<Buffered>,
    comm: Option<&Comm<'n>>,
    request: Out<Handle>,
) {
    request.set(process, process.enter(flushing(buffered), comm));
}

/// Detaches a buffer when all messages have left it.
pub(crate) fn detached<C: Integer>(
    process: &Process<'_>,
    buffered: &RefCell<Buffered>,
    buffer: Out<Address>,
    size: Out<C>,
) -> Result<()> {
    wait_for_sends(process, buffered)?;
    let attached = buffered.borrow_mut().attached.take();
    let Some((address, bytes)) = attached else {
        return Err(Error::new(Class::BUFFER, "no buffer is attached"));
    };
    buffer.set(process, address);
    size.set_or_undefined(process, if bytes == u64::MAX { 0 } else { bytes as i64 });
    Ok(())
}

fn attach(process: &Process<'_>, buffer: Address, size: i64) -> Result<()> {
    process.buffered.borrow_mut().attach(buffer, size, process.site.get())
}

fn attach_to<'n>(process: &Process<'n>, comm: Comm<'n>, buffer: Address, size: i64) -> Result<()> {
    comm.buffered.borrow_mut().attach(buffer, size, process.site.get())
}

fn detach<C: Integer>(process: &Process<'_>, buffer: Out<Address>, size: Out<C>) -> Result<()> {
    detached(process, &process.buffered, buffer, size)
}

fn detach_from<'n, C: Integer>(
    process: &Process<'n>,
    comm: Comm<'n>,
    buffer: Out<Address>,
    size: Out<C>,
) -> Result<()> {
    detached(process, &comm.buffered, buffer, size)
}

fn flush(process: &Process<'_>) -> Result<()> {
    wait_for_sends(process, &process.buffered)
}

fn flush_of<'n>(process: &Process<'n>, comm: Comm<'n>) -> Result<()> {
    wait_for_sends(process, &comm.buffered)
}

fn iflush(process: &Process<'_>, request: Out<Handle>) -> Result<()> {
    start_flush(process, &process.buffered, None, request);
    Ok(())
}

fn iflush_of<'n>(process: &Process<'n>, comm: Comm<'n>, request: Out<Handle>) -> Result<()> {
    start_flush(process, &comm.buffered, Some(&comm), request);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{
        abi,
        testing::run,
        word::{Address, Handle},
    };

    const WORLD: usize = abi::COMM_WORLD.0;
    const BYTE: usize = 0x247;

    #[test]
    fn a_message_to_the_process_itself_takes_room_until_it_is_received() {
        run(2, |tester| {
            tester.errors_return();
            let [sent, got] = [(); 2].map(|()| tester.arena.alloc(1000).0);
            tester.ok("MPI_Buffer_attach", &[tester.arena.alloc(1512).0, 1512]);
            let bsend = |dest: usize| tester.code("MPI_Bsend", &[sent, 1000, BYTE, dest, 0, WORLD]);
            assert_eq!((bsend(tester.rank), bsend(tester.rank)), (0, 1));
            let Handle(request) = tester.result("MPI_Buffer_iflush", &[]);
            let (place, flag) = (tester.arena.store(&[Handle(request)]).0, tester.room(1));
            tester.ok("MPI_Test", &[place, flag, 0]);
            assert_eq!(tester.read(flag, 1), [0]);
            tester.ok("MPI_Recv", &[got, 1000, BYTE, tester.rank, 0, WORLD, 0]);
            // The send makes room itself, and the flush is complete all the same.
            assert_eq!(bsend(1 - tester.rank), 0);
            tester.ok("MPI_Wait", &[place, 0]);
            assert_eq!(tester.arena.one::<Handle>(Address(place)), abi::REQUEST_NULL);
            tester.ok("MPI_Recv", &[got, 1000, BYTE, 1 - tester.rank, 0, WORLD, 0]);
            tester.ok("MPI_Buffer_flush", &[]);
        });
    }
}
