//! Message numbers: sends and receives that have been started, and the calls that take them.

use super::{
    Nx, NxError,
    info::Buffer,
    system::{Arrived, Ticket},
};
use crate::comm::{Request, Tested};

/// A send or receive under way, from [`isend`](Nx::isend) or [`irecv`](Nx::irecv), for [`msgwait`](Nx::msgwait) and its
/// like: what NX calls a message ID.
///
/// That of a receive holds the buffer, so that nothing reads it before the message is there. Dropping one lets the send
/// go on; a receive stays posted, and its message is lost: to say so, there is [`msgignore`](Nx::msgignore).
#[derive(Debug, Default)]
#[must_use = "a receive that is not waited for loses its message"]
pub struct Mid<'b> {
    /// What is not complete yet, in the order in which it was started.
    parts: Vec<Part<'b>>,
}

#[derive(Debug)]
enum Part<'b> {
    Send(Request<'b>),
    Recv(Ticket, Buffer<'b>),
}

impl<'b> Mid<'b> {
    pub(super) fn of_sends(sends: impl IntoIterator<Item = Request<'b>>) -> Mid<'b> {
        Mid { parts: sends.into_iter().map(Part::Send).collect() }
    }

    pub(super) fn of_receive(ticket: Ticket, buffer: Buffer<'b>) -> Mid<'b> {
        Mid { parts: vec![Part::Recv(ticket, buffer)] }
    }
}

impl Nx<'_, '_> {
    /// Waits until a send has left, or a message is in its buffer; of a [merged](Nx::msgmerge) one, until all of that.
    /// A receive is then what [`infocount`](Nx::infocount) and its kin are about.
    ///
    /// # Errors
    /// [`NxError::BufferTooShort`] and [`NxError::Data`] if a message does not fit its buffer; [`NxError::Comm`].
    pub fn msgwait(&self, mid: Mid<'_>) -> Result<(), NxError> {
        for part in mid.parts {
            match part {
                Part::Send(request) => drop(self.wire.wait(request)?),
                Part::Recv(ticket, buffer) => self.deliver(self.wait_for(ticket)?, buffer)?,
            }
        }
        Ok(())
    }

    /// Whether a send has left or a message is in its buffer at this instant of the node's clock. Once it says so, the
    /// number is done with: to ask again gives true, and to wait for it returns at once.
    ///
    /// To look in vain costs no modeled time, so a loop that does nothing else never ends: compute between two looks.
    ///
    /// # Errors
    /// As [`msgwait`](Nx::msgwait); [`CommError::Livelock`](crate::error::CommError::Livelock) if the program has
    /// looked in vain for too long.
    pub fn msgdone(&self, mid: &mut Mid<'_>) -> Result<bool, NxError> {
        let mut pending = Vec::new();
        for part in std::mem::take(&mut mid.parts) {
            match part {
                Part::Send(request) => match self.wire.test(request)? {
                    Tested::Complete(_) => {}
                    Tested::Pending(request) => pending.push(Part::Send(request)),
                },
                Part::Recv(ticket, buffer) => match self.look_for(ticket)? {
                    Some(arrived) => self.deliver(arrived, buffer)?,
                    None => pending.push(Part::Recv(ticket, buffer)),
                },
            }
        }
        mid.parts = pending;
        Ok(mid.parts.is_empty())
    }

    /// The program will not ask for this any more: a send goes on, and the message of a receive is thrown away when it
    /// comes.
    pub fn msgignore(&self, mid: Mid<'_>) {
        for part in mid.parts {
            if let Part::Recv(ticket, _) = part {
                self.system.borrow_mut().ignore(ticket);
            }
        }
    }

    /// Takes a receive back: its message goes to another one. A send has been handed over and goes on.
    pub fn msgcancel(&self, mid: Mid<'_>) {
        for part in mid.parts {
            if let Part::Recv(ticket, _) = part {
                self.system.borrow_mut().cancel(ticket);
            }
        }
    }

    /// One number for two: it is complete when both are.
    pub fn msgmerge<'b>(&self, mut first: Mid<'b>, second: Mid<'b>) -> Mid<'b> {
        first.parts.extend(second.parts);
        first
    }

    /// Puts a message into its buffer.
    pub(super) fn deliver(&self, arrived: Arrived, mut buffer: Buffer<'_>) -> Result<(), NxError> {
        let info = arrived.info();
        self.system.borrow_mut().last = Some(info);
        buffer.fill(info, &arrived.payload)
    }
}
