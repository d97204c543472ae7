//! Message numbers, which identify started sends and receives, and the calls that take them.

use super::{
    Nx, NxError,
    info::Buffer,
    system::{Arrived, Ticket},
};
use crate::comm::{Request, Tested};

/// A send or receive under way, from [`isend`](Nx::isend) or [`irecv`](Nx::irecv), for [`msgwait`](Nx::msgwait) and
/// its like: a message ID of NX.
///
/// The `Mid` of a receive holds the buffer, so that the program cannot read the buffer before the message is there.
/// Dropping a `Mid` lets a send go on; a receive stays posted, and its message is lost: to ask for that explicitly,
/// there is [`msgignore`](Nx::msgignore).
#[derive(Debug, Default)]
#[must_use = "a receive that is not waited for loses its message"]
pub struct Mid<'b> {
    /// The sends and receives that are not complete yet, in the order in which they were started.
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
    /// Waits until a send has left, or a message is in its buffer; for a [merged](Nx::msgmerge) number, until all of
    /// its parts have. The message of a receive is then the one that [`infocount`](Nx::infocount) and its like
    /// describe.
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

    /// Whether a send has left or a message is in its buffer at this instant of the node's clock. Once the answer is
    /// true, the number is finished: another test gives true, and a wait for it returns at once.
    ///
    /// A test without success costs no modeled time, so in virtual time a loop of nothing but tests never ends: compute
    /// between two tests.
    ///
    /// # Errors
    /// As [`msgwait`](Nx::msgwait); in virtual time, [`CommError::Livelock`](crate::error::CommError::Livelock) if the
    /// program has tested without success for too long.
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

    /// Gives a number up: a send goes on, and the message of a receive is thrown away when it arrives.
    pub fn msgignore(&self, mid: Mid<'_>) {
        for part in mid.parts {
            if let Part::Recv(ticket, _) = part {
                self.system.borrow_mut().ignore(ticket);
            }
        }
    }

    /// Withdraws a receive: its message goes to another one. A send has been handed over and goes on.
    pub fn msgcancel(&self, mid: Mid<'_>) {
        for part in mid.parts {
            if let Part::Recv(ticket, _) = part {
                self.system.borrow_mut().cancel(ticket);
            }
        }
    }

    /// Merges two numbers into one, which is complete when both are.
    pub fn msgmerge<'b>(&self, mut first: Mid<'b>, second: Mid<'b>) -> Mid<'b> {
        first.parts.extend(second.parts);
        first
    }

    /// Copies a message into its buffer.
    pub(super) fn deliver(&self, arrived: Arrived, mut buffer: Buffer<'_>) -> Result<(), NxError> {
        let info = arrived.info();
        self.system.borrow_mut().last = Some(info);
        buffer.fill(info, &arrived.payload)
    }
}
