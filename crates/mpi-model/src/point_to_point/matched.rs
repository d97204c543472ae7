//! Matched probes: a message that a probe has found is received by no other receive.

use std::{cell::Cell, rc::Rc};

use multicomputer::comm::transport::Claim;

use super::{Comm, landed};
use crate::{
    abi,
    buffer::Data,
    error::{Class, Error, Result},
    function::functions,
    process::{Process, Scope},
    request::{Landing, Work},
    status::{Status, StatusAddress},
    word::{Handle, Out},
};

functions! {
    MPI_Mprobe: mprobe(source, tag, comm, message, status);
    MPI_Improbe: improbe(source, tag, comm, flag, message, status);
    MPI_Mrecv: mrecv(buf/count/datatype, message, status);
    MPI_Mrecv_c: mrecv(buf/count/datatype, message, status);
    MPI_Imrecv: imrecv(buf/count/datatype, message, request);
    MPI_Imrecv_c: imrecv(buf/count/datatype, message, request);
}

/// A message that a probe has claimed.
pub(crate) struct Claimed<'n> {
    claim: Cell<Option<Claim>>,
    communicator: Comm<'n>,
}

fn improbe<'n>(
    process: &Process<'n>,
    source: i32,
    tag: i32,
    comm: Comm<'n>,
    flag: Out<i32>,
    message: Out<Handle>,
    status: StatusAddress,
) -> Result<()> {
    let Some(from) = comm.from(source, tag)? else {
        flag.set_flag(process, true);
        message.set(process, abi::MESSAGE_NO_PROC);
        status.set(process, &Status::NO_PROCESS, false);
        return Ok(());
    };
    process.progress()?;
    let found = process.transport().try_claim(from)?;
    flag.set_flag(process, found.is_some());
    match found {
        Some((found, claim)) => {
            status.set(process, &comm.status(found.source, found.tag, found.bytes), false);
            let claimed = Claimed { claim: Cell::new(Some(claim)), communicator: comm };
            message.set(process, process.messages.borrow_mut().insert(Rc::new(claimed)));
            Ok(())
        }
        None => {
            message.set(process, abi::MESSAGE_NULL);
            process.polled()
        }
    }
}

fn mprobe<'n>(
    process: &Process<'n>,
    source: i32,
    tag: i32,
    comm: Comm<'n>,
    message: Out<Handle>,
    status: StatusAddress,
) -> Result<()> {
    let Some(from) = comm.from(source, tag)? else {
        message.set(process, abi::MESSAGE_NO_PROC);
        status.set(process, &Status::NO_PROCESS, false);
        return Ok(());
    };
    let (found, claim) = loop {
        if !process.has_background() {
            let posted = process.posted(from, &comm, None);
            let found = process.transport().claim(from)?;
            process.withdrawn(posted);
            break found;
        }
        process.progress()?;
        match process.transport().try_claim(from)? {
            Some(found) => break found,
            None => process.polled()?,
        }
    };
    status.set(process, &comm.status(found.source, found.tag, found.bytes), false);
    let claimed = Claimed { claim: Cell::new(Some(claim)), communicator: comm };
    message.set(process, process.messages.borrow_mut().insert(Rc::new(claimed)));
    Ok(())
}

/// Takes a claimed message out of the table; `None` for `MPI_MESSAGE_NO_PROC`.
fn take<'n>(process: &Process<'n>, message: Out<Handle>) -> Result<Option<(Claim, Comm<'n>)>> {
    let handle = message.get(process);
    message.set(process, abi::MESSAGE_NULL);
    if handle == abi::MESSAGE_NO_PROC {
        return Ok(None);
    }
    let found = process.messages.borrow_mut().remove(handle);
    let claimed = found.and_then(|claimed| Some((claimed.claim.take()?, claimed.communicator.clone())));
    if let Some((_, comm)) = &claimed {
        *process.scope.borrow_mut() = Scope::Communicator(comm.clone());
    }
    claimed.map(Some).ok_or_else(|| {
        Error::argument(
            Class::REQUEST,
            "message",
            format!("{:#x} is no message of a matched probe", handle.0),
        )
    })
}

fn mrecv<'n>(process: &Process<'n>, data: Data, message: Out<Handle>, status: StatusAddress) -> Result<()> {
    let buffer = data.buffer()?;
    let Some((claim, comm)) = take(process, message)? else {
        status.set(process, &Status::NO_PROCESS, false);
        return Ok(());
    };
    let landing = Landing::new(buffer, &comm);
    let message = process.transport().recv_claimed(claim)?;
    landed(process, &landing, &message, status)
}

fn imrecv<'n>(process: &Process<'n>, data: Data, message: Out<Handle>, request: Out<Handle>) -> Result<()> {
    let buffer = data.buffer()?;
    let Some((claim, comm)) = take(process, message)? else {
        request.set(process, process.enter(Work::done(Status::NO_PROCESS), None));
        return Ok(());
    };
    let id = process.transport().irecv_claimed(claim)?;
    let work = Work::Receive(id, Landing::new(buffer, &comm));
    request.set(process, process.enter(work, Some(&comm)));
    Ok(())
}
