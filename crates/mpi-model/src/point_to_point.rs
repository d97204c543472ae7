//! Sends and receives (MPI 5.0, chapter 3).

pub(crate) mod buffered;
mod matched;

use std::rc::Rc;

pub(crate) use buffered::Buffered;
pub(crate) use matched::Claimed;
use multicomputer::comm::{
    Message,
    transport::{From, To},
};

use crate::{
    buffer::{Buffer, Data},
    check::{Peer, Role},
    communicator::Communicator,
    error::{Class, Error, Result},
    function::{Function, functions},
    process::Process,
    request::{Landing, Work},
    status::{Status, StatusAddress},
    word::{Handle, Out},
};

functions! {
    MPI_Send: send(buf/count/datatype, dest, tag, comm);
    MPI_Send_c: send(buf/count/datatype, dest, tag, comm);
    MPI_Ssend: ssend(buf/count/datatype, dest, tag, comm);
    MPI_Ssend_c: ssend(buf/count/datatype, dest, tag, comm);
    MPI_Rsend: rsend(buf/count/datatype, dest, tag, comm);
    MPI_Rsend_c: rsend(buf/count/datatype, dest, tag, comm);
    MPI_Recv: recv(buf/count/datatype, source, tag, comm, status);
    MPI_Recv_c: recv(buf/count/datatype, source, tag, comm, status);
    MPI_Isend: isend(buf/count/datatype, dest, tag, comm, request);
    MPI_Isend_c: isend(buf/count/datatype, dest, tag, comm, request);
    MPI_Issend: issend(buf/count/datatype, dest, tag, comm, request);
    MPI_Issend_c: issend(buf/count/datatype, dest, tag, comm, request);
    MPI_Irsend: irsend(buf/count/datatype, dest, tag, comm, request);
    MPI_Irsend_c: irsend(buf/count/datatype, dest, tag, comm, request);
    MPI_Irecv: irecv(buf/count/datatype, source, tag, comm, request);
    MPI_Irecv_c: irecv(buf/count/datatype, source, tag, comm, request);
    MPI_Send_init: send_init(buf/count/datatype, dest, tag, comm, request);
    MPI_Send_init_c: send_init(buf/count/datatype, dest, tag, comm, request);
    MPI_Ssend_init: ssend_init(buf/count/datatype, dest, tag, comm, request);
    MPI_Ssend_init_c: ssend_init(buf/count/datatype, dest, tag, comm, request);
    MPI_Rsend_init: rsend_init(buf/count/datatype, dest, tag, comm, request);
    MPI_Rsend_init_c: rsend_init(buf/count/datatype, dest, tag, comm, request);
    MPI_Recv_init: recv_init(buf/count/datatype, source, tag, comm, request);
    MPI_Recv_init_c: recv_init(buf/count/datatype, source, tag, comm, request);
    MPI_Sendrecv: sendrecv(sendbuf/sendcount/sendtype, dest/sendtag, recvbuf/recvcount/recvtype, source/recvtag, comm, status);
    MPI_Sendrecv_c: sendrecv(sendbuf/sendcount/sendtype, dest/sendtag, recvbuf/recvcount/recvtype, source/recvtag, comm, status);
    MPI_Sendrecv_replace: sendrecv_replace(buf/count/datatype, dest/sendtag, source/recvtag, comm, status);
    MPI_Sendrecv_replace_c: sendrecv_replace(buf/count/datatype, dest/sendtag, source/recvtag, comm, status);
    MPI_Isendrecv: isendrecv(sendbuf/sendcount/sendtype, dest/sendtag, recvbuf/recvcount/recvtype, source/recvtag, comm, request);
    MPI_Isendrecv_c: isendrecv(sendbuf/sendcount/sendtype, dest/sendtag, recvbuf/recvcount/recvtype, source/recvtag, comm, request);
    MPI_Isendrecv_replace: isendrecv_replace(buf/count/datatype, dest/sendtag, source/recvtag, comm, request);
    MPI_Isendrecv_replace_c: isendrecv_replace(buf/count/datatype, dest/sendtag, source/recvtag, comm, request);
    MPI_Probe: probe(source, tag, comm, status);
    MPI_Iprobe: iprobe(source, tag, comm, flag, status);
}

/// The functions of this module and of its parts.
pub(crate) const ALL: [&[Function]; 3] = [FUNCTIONS, buffered::FUNCTIONS, matched::FUNCTIONS];

/// The communicator of a call.
type Comm<'n> = Rc<Communicator<'n>>;

/// Whether a send is complete only when a receive has started, or needs a receive that was posted before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Standard,
    Synchronous,
    /// As a standard send, and the receive has been posted.
    Ready,
}

impl<'n> Process<'n> {
    /// Starts a send on a communicator.
    pub(crate) fn start_send(
        &self,
        to: Option<To>,
        comm: &Communicator<'n>,
        buffer: &Buffer,
        mode: Mode,
    ) -> Result<Work<'n>> {
        let Some(to) = to else { return Ok(Work::done(Status::EMPTY)) };
        let (transport, data) = (self.transport(), self.outgoing(to, comm, buffer, mode));
        self.departs(buffer, Role::Send);
        Ok(Work::Send(match mode {
            Mode::Standard | Mode::Ready => transport.isend(to, data)?,
            Mode::Synchronous => transport.issend(to, data)?,
        }))
    }

    /// Posts a receive.
    pub(crate) fn start_receive(&self, from: Option<From>, mut landing: Landing<'n>) -> Result<Work<'n>> {
        let Some(from) = from else { return Ok(Work::done(Status::NO_PROCESS)) };
        landing.posted = self.posted(from, &landing.communicator, Some(&landing.buffer));
        Ok(Work::Receive(self.transport().irecv(from)?, landing))
    }
}

/// Sends and returns when the send is complete.
fn send_as<'n>(
    process: &Process<'n>,
    buffer: &Buffer,
    (dest, tag): (i32, i32),
    comm: &Comm<'n>,
    mode: Mode,
) -> Result<()> {
    let Some(to) = comm.to(dest, tag)? else { return Ok(()) };
    if process.has_background() {
        let work = process.start_send(Some(to), comm, buffer, mode)?;
        return process.finish(work, Some(comm)).map(drop);
    }
    let (transport, data) = (process.transport(), process.outgoing(to, comm, buffer, mode));
    match mode {
        Mode::Standard | Mode::Ready => transport.send(to, data)?,
        Mode::Synchronous => transport.ssend(to, data)?,
    }
    Ok(())
}

fn send<'n>(process: &Process<'n>, data: Data, dest: i32, tag: i32, comm: Comm<'n>) -> Result<()> {
    send_as(process, &data.buffer()?, (dest, tag), &comm, Mode::Standard)
}

fn rsend<'n>(process: &Process<'n>, data: Data, dest: i32, tag: i32, comm: Comm<'n>) -> Result<()> {
    send_as(process, &data.buffer()?, (dest, tag), &comm, Mode::Ready)
}

fn ssend<'n>(process: &Process<'n>, data: Data, dest: i32, tag: i32, comm: Comm<'n>) -> Result<()> {
    send_as(process, &data.buffer()?, (dest, tag), &comm, Mode::Synchronous)
}

/// Takes a received message.
fn landed<'n>(
    process: &Process<'n>,
    landing: &Landing<'n>,
    message: &Message,
    status: StatusAddress,
) -> Result<()> {
    let landed = landing.land(process, message).map_err(Error::Mpi)?;
    status.set(process, &landed, false);
    Ok(())
}

fn recv<'n>(
    process: &Process<'n>,
    data: Data,
    source: i32,
    tag: i32,
    comm: Comm<'n>,
    status: StatusAddress,
) -> Result<()> {
    let Some(from) = comm.from(source, tag)? else {
        status.set(process, &Status::NO_PROCESS, false);
        return Ok(());
    };
    let mut landing = Landing::new(data.buffer()?, &comm);
    if process.has_background() {
        let work = process.start_receive(Some(from), landing)?;
        let received = process.finish(work, Some(&comm))?;
        status.set(process, &received, false);
        return Ok(());
    }
    landing.posted = process.posted(from, &comm, None);
    let message = process.transport().recv(from)?;
    landed(process, &landing, &message, status)
}

fn isend<'n>(
    process: &Process<'n>,
    data: Data,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    let work = process.start_send(comm.to(dest, tag)?, &comm, &data.buffer()?, Mode::Standard)?;
    request.set(process, process.enter(work, Some(&comm)));
    Ok(())
}

fn irsend<'n>(
    process: &Process<'n>,
    data: Data,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    let work = process.start_send(comm.to(dest, tag)?, &comm, &data.buffer()?, Mode::Ready)?;
    request.set(process, process.enter(work, Some(&comm)));
    Ok(())
}

fn issend<'n>(
    process: &Process<'n>,
    data: Data,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    let work = process.start_send(comm.to(dest, tag)?, &comm, &data.buffer()?, Mode::Synchronous)?;
    request.set(process, process.enter(work, Some(&comm)));
    Ok(())
}

fn irecv<'n>(
    process: &Process<'n>,
    data: Data,
    source: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    let work = match comm.from(source, tag)? {
        None => Work::done(Status::NO_PROCESS),
        from => {
            let buffer = data.buffer()?;
            process.start_receive(from, Landing::new(buffer, &comm))?
        }
    };
    request.set(process, process.enter(work, Some(&comm)));
    Ok(())
}

/// Makes a persistent send.
fn send_init_as<'n>(
    process: &Process<'n>,
    buffer: Buffer,
    (dest, tag): (i32, i32),
    comm: &Comm<'n>,
    mode: Mode,
    request: Out<Handle>,
) -> Result<()> {
    let to = comm.to(dest, tag)?;
    let of = comm.clone();
    let start = move |process: &Process<'n>| process.start_send(to, &of, &buffer, mode);
    request.set(process, process.enter_persistent(comm, to.map(Peer::To), Rc::new(start)));
    Ok(())
}

fn send_init<'n>(
    process: &Process<'n>,
    data: Data,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    send_init_as(process, data.buffer()?, (dest, tag), &comm, Mode::Standard, request)
}

fn rsend_init<'n>(
    process: &Process<'n>,
    data: Data,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    send_init_as(process, data.buffer()?, (dest, tag), &comm, Mode::Ready, request)
}

fn ssend_init<'n>(
    process: &Process<'n>,
    data: Data,
    dest: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    send_init_as(process, data.buffer()?, (dest, tag), &comm, Mode::Synchronous, request)
}

fn recv_init<'n>(
    process: &Process<'n>,
    data: Data,
    source: i32,
    tag: i32,
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    let landing = Landing::new(data.buffer()?, &comm);
    let from = comm.from(source, tag)?;
    let start = move |process: &Process<'n>| process.start_receive(from, landing.clone());
    request.set(process, process.enter_persistent(&comm, from.map(Peer::From), Rc::new(start)));
    Ok(())
}

/// Sends and receives at the same time.
fn exchange<'n>(
    process: &Process<'n>,
    sent: &Buffer,
    to: Option<To>,
    from: Option<From>,
    mut landing: Landing<'n>,
    status: StatusAddress,
) -> Result<()> {
    let comm = landing.communicator.clone();
    if let (Some(to), Some(from), false) = (to, from, process.has_background()) {
        let data = process.outgoing(to, &comm, sent, Mode::Standard);
        landing.posted = process.posted(from, &comm, None);
        let message = process.transport().send_recv(to, data, from)?;
        return landed(process, &landing, &message, status);
    }
    // The data is loaded before the receive, which may use the same memory, ends.
    let send = process.start_send(to, &comm, sent, Mode::Standard)?;
    let receive = process.start_receive(from, landing)?;
    let received = process.finish(receive, Some(&comm))?;
    process.finish(send, Some(&comm))?;
    status.set(process, &received, false);
    Ok(())
}

fn sendrecv<'n>(
    process: &Process<'n>,
    sent: Data,
    (dest, sendtag): (i32, i32),
    received: Data,
    (source, recvtag): (i32, i32),
    comm: Comm<'n>,
    status: StatusAddress,
) -> Result<()> {
    let sent = sent.buffer()?;
    let buffer = received.buffer()?;
    let (to, from) = (comm.to(dest, sendtag)?, comm.from(source, recvtag)?);
    exchange(process, &sent, to, from, Landing::new(buffer, &comm), status)
}

fn sendrecv_replace<'n>(
    process: &Process<'n>,
    data: Data,
    (dest, sendtag): (i32, i32),
    (source, recvtag): (i32, i32),
    comm: Comm<'n>,
    status: StatusAddress,
) -> Result<()> {
    let buffer = data.buffer()?;
    let (to, from) = (comm.to(dest, sendtag)?, comm.from(source, recvtag)?);
    exchange(process, &buffer, to, from, Landing::new(buffer.clone(), &comm), status)
}

/// Starts a send and a receive as one request.
fn start_exchange<'n>(
    process: &Process<'n>,
    sent: &Buffer,
    to: Option<To>,
    from: Option<From>,
    landing: Landing<'n>,
    request: Out<Handle>,
) -> Result<()> {
    let comm = landing.communicator.clone();
    let send = process.start_send(to, &comm, sent, Mode::Standard)?;
    let receive = process.start_receive(from, landing)?;
    let both = crate::request::Both::begin(receive, send);
    request.set(process, process.enter(both, Some(&comm)));
    Ok(())
}

fn isendrecv<'n>(
    process: &Process<'n>,
    sent: Data,
    (dest, sendtag): (i32, i32),
    received: Data,
    (source, recvtag): (i32, i32),
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    let sent = sent.buffer()?;
    let buffer = received.buffer()?;
    let (to, from) = (comm.to(dest, sendtag)?, comm.from(source, recvtag)?);
    start_exchange(process, &sent, to, from, Landing::new(buffer, &comm), request)
}

fn isendrecv_replace<'n>(
    process: &Process<'n>,
    data: Data,
    (dest, sendtag): (i32, i32),
    (source, recvtag): (i32, i32),
    comm: Comm<'n>,
    request: Out<Handle>,
) -> Result<()> {
    let buffer = data.buffer()?;
    let (to, from) = (comm.to(dest, sendtag)?, comm.from(source, recvtag)?);
    start_exchange(process, &buffer, to, from, Landing::new(buffer.clone(), &comm), request)
}

fn probe<'n>(
    process: &Process<'n>,
    source: i32,
    tag: i32,
    comm: Comm<'n>,
    status: StatusAddress,
) -> Result<()> {
    let Some(from) = comm.from(source, tag)? else {
        status.set(process, &Status::NO_PROCESS, false);
        return Ok(());
    };
    // A blocking probe has no request, so operations in the background proceed only until then.
    while process.has_background() {
        process.progress()?;
        if let Some(found) = process.transport().try_probe(from)? {
            status.set(process, &comm.status(found.source, found.tag, found.bytes), false);
            return Ok(());
        }
        process.polled()?;
    }
    let posted = process.posted(from, &comm, None);
    let found = process.transport().probe(from)?;
    process.withdrawn(posted);
    status.set(process, &comm.status(found.source, found.tag, found.bytes), false);
    Ok(())
}

fn iprobe<'n>(
    process: &Process<'n>,
    source: i32,
    tag: i32,
    comm: Comm<'n>,
    flag: Out<i32>,
    status: StatusAddress,
) -> Result<()> {
    let Some(from) = comm.from(source, tag)? else {
        flag.set_flag(process, true);
        status.set(process, &Status::NO_PROCESS, false);
        return Ok(());
    };
    process.note_choice();
    process.progress()?;
    let found = process.transport().try_probe(from)?;
    flag.set_flag(process, found.is_some());
    match found {
        Some(found) => status.set(process, &comm.status(found.source, found.tag, found.bytes), false),
        None => process.polled()?,
    }
    Ok(())
}

/// Checks a number of bytes that an argument gives.
fn bytes_of(argument: &'static str, size: i64) -> Result<u64> {
    u64::try_from(size).map_err(|_| Error::argument(Class::ARG, argument, format!("{size} is negative")))
}
