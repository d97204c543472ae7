//! Message numbers, which identify started sends and receives, and the calls that use them.

use super::{
    Nx, NxError,
    info::Target,
    system::{Arrived, Ticket},
};
use crate::comm::{SendRequest, Tested};

/// A pending send or receive, returned by [`isend`](Nx::isend) or [`irecv`](Nx::irecv) and passed to [`msgwait`](Nx::msgwait) and similar
/// calls: a message ID of NX.
///
/// The `Mid` of a receive holds the buffer, so the program cannot read the buffer before the message has arrived. If a `Mid` is dropped, a
/// send continues, and the report lists it as never waited for; a receive stays posted, and its message is discarded.
/// [`msgignore`](Nx::msgignore) requests this explicitly, without an entry in the report.
#[derive(Debug, Default)]
#[must_use = "a receive that is not waited for loses its message"]
pub struct Mid<'b> {
    /// The sends and receives that are not complete yet, in the order in which they were started.
    parts: Vec<PendingCall<'b>>,
}

#[derive(Debug)]
enum PendingCall<'b> {
    Send(SendRequest<'b>),
    Recv(Ticket, Target<'b>),
}

impl<'b> Mid<'b> {
    pub(super) fn of_sends(sends: impl IntoIterator<Item = SendRequest<'b>>) -> Mid<'b> {
        Mid { parts: sends.into_iter().map(PendingCall::Send).collect() }
    }

    pub(super) fn of_receive(ticket: Ticket, target: Target<'b>) -> Mid<'b> {
        Mid { parts: vec![PendingCall::Recv(ticket, target)] }
    }
}

impl Nx<'_, '_> {
    /// Waits until the message of a send has left, or the message of a receive is in its buffer; for a [merged](Nx::msgmerge) `Mid`, until
    /// all its sends and receives are complete. After a receive, [`infocount`](Nx::infocount) and similar calls describe its message.
    ///
    /// # Errors
    /// Returns [`NxError::BufferTooShort`] or [`NxError::Data`] if a message does not fit its buffer; [`NxError::Comm`].
    #[track_caller]
    pub fn msgwait(&self, mid: Mid<'_>) -> Result<(), NxError> {
        for part in mid.parts {
            match part {
                PendingCall::Send(request) => request.wait()?,
                PendingCall::Recv(ticket, target) => self.deliver(self.wait_for(ticket)?, target)?,
            }
        }
        Ok(())
    }

    /// Returns whether the message of a send has left, or the message of a receive is in its buffer, at this instant of the node's clock.
    /// After `true` the `Mid` is complete: another test returns `true`, and a wait returns immediately.
    ///
    /// A test that returns `false` costs no modeled time. In virtual time a loop that only tests never ends, so compute between two tests.
    ///
    /// # Errors
    /// The errors of [`msgwait`](Nx::msgwait); in virtual time, [`CommError::Livelock`](crate::error::CommError::Livelock) if the program
    /// has tested without success for too long.
    #[track_caller]
    pub fn msgdone(&self, mid: &mut Mid<'_>) -> Result<bool, NxError> {
        let mut pending = Vec::new();
        for part in std::mem::take(&mut mid.parts) {
            match part {
                PendingCall::Send(request) => match request.test()? {
                    Tested::Complete(()) => {}
                    Tested::Pending(request) => pending.push(PendingCall::Send(request)),
                },
                PendingCall::Recv(ticket, target) => match self.try_take(ticket)? {
                    Some(arrived) => self.deliver(arrived, target)?,
                    None => pending.push(PendingCall::Recv(ticket, target)),
                },
            }
        }
        mid.parts = pending;
        Ok(mid.parts.is_empty())
    }

    /// Abandons a `Mid`: a send continues, and the message of a receive is discarded when it arrives.
    pub fn msgignore(&self, mid: Mid<'_>) {
        for part in mid.parts {
            match part {
                PendingCall::Send(request) => request.detach(),
                PendingCall::Recv(ticket, _) => self.system.borrow_mut().ignore(ticket),
            }
        }
    }

    /// Cancels a receive: its message goes to another receive. A send has already been handed over and continues.
    pub fn msgcancel(&self, mid: Mid<'_>) {
        for part in mid.parts {
            match part {
                PendingCall::Send(request) => request.detach(),
                PendingCall::Recv(ticket, _) => self.system.borrow_mut().cancel(ticket),
            }
        }
    }

    /// Merges two `Mid`s into one, which is complete when both are complete.
    pub fn msgmerge<'b>(&self, mut first: Mid<'b>, second: Mid<'b>) -> Mid<'b> {
        first.parts.extend(second.parts);
        first
    }

    /// Copies a message into its buffer, or passes it to its function.
    pub(super) fn deliver(&self, arrived: Arrived, target: Target<'_>) -> Result<(), NxError> {
        let info = arrived.info();
        self.system.borrow_mut().last = Some(info);
        target.take(info, arrived.payload)
    }
}
