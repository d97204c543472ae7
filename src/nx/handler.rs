//! Handlers: functions that take messages as soon as they arrive, during any call that waits.
//!
//! On a Paragon a handler interrupts the program. Here it runs when the node takes its message from the network, which is in an NX call that
//! waits or tests, as the forwarding of broadcasts does ([`system`](super::system)).

use std::{collections::VecDeque, fmt};

use super::{
    ANY, Nx, NxError,
    info::Info,
    system::{Arrived, Ticket},
};
use crate::payload::Payload;

/// A function that takes a message.
type Body<'a> = Box<dyn FnOnce(Info, Payload) -> Result<(), NxError> + 'a>;

/// The handlers of a node.
#[derive(Default)]
pub(super) struct Handlers<'a> {
    /// Those that have no message yet.
    posted: Vec<(Ticket, Body<'a>)>,
    /// Those that have their message but have not run.
    due: VecDeque<(Body<'a>, Arrived)>,
    /// Whether no handler may run: one is running, or the program has said so.
    is_masked: bool,
}

impl Handlers<'_> {
    /// Takes the message of a receive if it belongs to a handler.
    pub(super) fn take(&mut self, ticket: Ticket, arrived: Arrived) -> Option<Arrived> {
        let Some(at) = self.posted.iter().position(|&(posted, _)| posted == ticket) else {
            return Some(arrived);
        };
        self.due.push_back((self.posted.remove(at).1, arrived));
        None
    }
}

impl fmt::Debug for Handlers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handlers({} posted, {} due)", self.posted.len(), self.due.len())
    }
}

impl<'a> Nx<'a, '_> {
    /// Posts a receive like [`irecv`](Nx::irecv), whose message goes to `handler`. The handler runs once, in an NX call that waits or tests:
    /// when the node takes the message from the network, or in this call if it has done so already. It does not change the result of
    /// [`infocount`](Nx::infocount) and similar calls. During a handler no other one runs.
    ///
    /// # Errors
    /// Returns [`NxError::TypeSelector`]; [`NxError::Comm`]; the error of a handler that runs. An error of a handler is an error of the call
    /// in which it runs.
    #[track_caller]
    pub fn hrecv(
        &self,
        typesel: i32,
        handler: impl FnOnce(Info, Payload) -> Result<(), NxError> + 'a,
    ) -> Result<(), NxError> {
        self.hrecvx(typesel, ANY, ANY, handler)
    }

    /// Posts a receive for a handler like [`hrecv`](Nx::hrecv), with the selectors of [`crecvx`](Nx::crecvx).
    ///
    /// # Errors
    /// The errors of [`hrecv`](Nx::hrecv); [`NxError::NodeSelector`], [`NxError::ProcessType`].
    #[track_caller]
    pub fn hrecvx(
        &self,
        typesel: i32,
        nodesel: i32,
        ptypesel: i32,
        handler: impl FnOnce(Info, Payload) -> Result<(), NxError> + 'a,
    ) -> Result<(), NxError> {
        let ticket = self.post(self.wanted(typesel, nodesel, ptypesel)?, true)?;
        let mut system = self.system.borrow_mut();
        system.handlers.posted.push((ticket, Box::new(handler)));
        if let Some(arrived) = system.filled.remove(&ticket) {
            system.handlers.take(ticket, arrived);
        }
        drop(system);
        self.run_handlers()
    }

    /// Defers handlers, or ends that: then the handlers whose messages have come run. Returns whether handlers were deferred before.
    ///
    /// # Errors
    /// The errors of the handlers that run.
    #[track_caller]
    pub fn masktrap(&self, is_masked: bool) -> Result<bool, NxError> {
        let before = std::mem::replace(&mut self.system.borrow_mut().handlers.is_masked, is_masked);
        self.run_handlers()?;
        Ok(before)
    }

    /// Takes all messages from the network that have arrived by this instant; handlers run.
    ///
    /// # Errors
    /// The errors of the handlers that run; [`NxError::Comm`].
    #[track_caller]
    pub fn flick(&self) -> Result<(), NxError> {
        while self.poll()? {}
        Ok(())
    }

    /// Runs the handlers that have their messages.
    pub(super) fn run_handlers(&self) -> Result<(), NxError> {
        loop {
            let mut system = self.system.borrow_mut();
            let handlers = &mut system.handlers;
            if handlers.is_masked {
                return Ok(());
            }
            let Some((body, arrived)) = handlers.due.pop_front() else { return Ok(()) };
            handlers.is_masked = true;
            drop(system);
            let result = body(arrived.info(), arrived.payload);
            self.system.borrow_mut().handlers.is_masked = false;
            result?;
        }
    }
}
