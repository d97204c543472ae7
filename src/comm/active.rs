//! Active messages: short messages that are handled by a function instead of being received.
//!
//! An active message carries two words and a tag that selects the action. The handler of the receiving node runs on
//! that node's thread when the node next *polls*, and every call made through [`Active`] polls; or it runs at once,
//! also while the node computes, with [`Handling::AtOnce`]. On machines that have them (the CM-5) active messages
//! cost less than others: see [`active_overheads`](crate::model::ParametersBuilder::active_overheads). An active
//! message is a packet: it waits for no port and shares no link, but takes the time of its bytes and the network's
//! latency. The exact rules are in the timing model (`docs/timing-model.md`).
//!
//! For the kernel an active message is a message, and a node that handles them has a receive posted for the next one,
//! from any source: so they are as exact and as reproducible as everything else. In reports and traces they count as
//! messages of [`ACTIVE_BYTES`] each. The receive is withdrawn when the [`Active`] is dropped; a message that has not
//! been handled by the end of the run is listed as never received.
//!
//! Source: von Eicken, Culler, Goldstein, Schauser, "Active messages: a mechanism for integrated communication and
//! computation", ISCA 1992.

use std::{
    cell::{Cell, RefCell},
    fmt,
};

use super::{Group, Message, Private};
use crate::{
    endpoint::Envelope,
    error::CommError,
    model::ACTIVE_BYTES,
    payload::Payload,
    rank::{ANY_SOURCE, Destination, Rank, Select, Tag},
    time::{Span, Time},
    wire::{Parcel, RequestId},
};

/// The times at which a node handles the active messages that have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Handling {
    /// At polls: at the beginning of every call of its [`Active`], and as long as such a call waits.
    Polled,
    /// At polls, and also at once while the node computes by [`Active::compute`], like an interrupt.
    AtOnce,
}

/// A message to be handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActiveMessage {
    /// The sender.
    pub source: Rank,
    /// The tag, which selects the action of the handler.
    pub tag: Tag,
    /// The data of the message.
    pub words: [u64; 2],
}

/// The actions that a handler may take. It must not wait, so it can only compute and send active messages, and both
/// are carried out when it has returned: first the computing, then the sends.
#[derive(Debug)]
pub struct Reactions {
    now: Time,
    compute: Span,
    sent: Vec<(Destination, [u64; 2])>,
}

impl Reactions {
    /// The clock of the node when the handler began: its receive overhead after it took the message.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Sends an active message when the handler is done. A rank that does not exist is an error of the call that
    /// polled.
    pub fn send(&mut self, to: impl Into<Destination>, words: [u64; 2]) {
        self.sent.push((to.into(), words));
    }

    /// Keeps the CPU busy before anything is sent.
    pub fn compute(&mut self, time: impl Into<Span>) {
        self.compute += time.into();
    }
}

/// A group with active messages: its calls handle the messages that have arrived before their own action, and while
/// they wait.
///
/// All members create one, each with the handler of its own node; the handler and the program share state through
/// cells. Messages sent to a node that has no `Active` wait until it creates one, and it has at most one for a group
/// at a time. Handlers run one after the other, in the order in which their messages arrived (at one instant the
/// lower rank goes first), and none within another. Calls that do not go through the `Active`, those of the group or
/// of the node itself, do not poll.
///
/// A handler that panics ends the run like any panic of its program.
///
/// ```
/// use std::cell::Cell;
/// use multicomputer::{Machine, comm::{Active, Handling}, prelude::*};
///
/// // Fetch and add: node 1 keeps a counter; node 0 adds 5 to it and is told what it was.
/// const ADD: Tag = Tag(0);
/// const WAS: Tag = Tag(1);
/// let run = Machine::hockney(1, 2).build()?.run(|node| {
///     let (counter, answer) = (Cell::new(10), Cell::new(None));
///     let active = Active::new(node.world(), Handling::Polled, |reactions, message| {
///         let [word, _] = message.words;
///         match message.tag {
///             ADD => {
///                 let was = counter.replace(counter.get() + word);
///                 reactions.send((message.source, WAS), [was, 0]);
///             }
///             _ => answer.set(Some(word)),
///         }
///     })?;
///     if node.rank() == 0 {
///         active.send((1, ADD), [5, 0])?;
///         active.wait_while(|| answer.get().is_none())?;
///     } else {
///         active.wait_while(|| counter.get() == 10)?;
///     }
///     Ok((counter.get(), answer.get()))
/// })?;
/// assert_eq!(run.outputs, [(10, Some(10)), (15, None)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Active<'g, 'n, H> {
    group: &'g Group<'n>,
    packets: Group<'n>,
    handling: Handling,
    handler: RefCell<H>,
    /// The receive posted for the next active message.
    posted: Cell<RequestId>,
}

impl<'g, 'n, H: FnMut(&mut Reactions, ActiveMessage)> Active<'g, 'n, H> {
    /// Enables active messages in a group, until the returned value is dropped.
    ///
    /// # Errors
    /// [`CommError::AlreadyActive`] if the group has active messages already; [`CommError::Deadlock`] or
    /// [`CommError::Ended`] once the run is over.
    pub fn new(group: &'g Group<'n>, handling: Handling, handler: H) -> Result<Self, CommError> {
        if group.is_active.get() {
            return Err(CommError::AlreadyActive { group: group.name().to_owned() });
        }
        let packets = group.with_context(Private::Active, || format!("active messages in {}", group.name()));
        let posted = packets.endpoint().irecv(packets.selector(ANY_SOURCE.into())?)?;
        group.is_active.set(true);
        let (handler, posted) = (RefCell::new(handler), Cell::new(posted));
        Ok(Active { group, packets, handling, handler, posted })
    }

    /// The group.
    pub fn group(&self) -> &'g Group<'n> {
        self.group
    }

    /// Sends an active message; the node goes on after its send overhead. A message to the node itself is handled at
    /// the next poll.
    ///
    /// # Errors
    /// [`CommError::NoSuchRank`]; [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over.
    pub fn send(&self, to: impl Into<Destination>, words: [u64; 2]) -> Result<(), CommError> {
        self.send_at(to, words).map(drop)
    }

    /// Sends like [`send`](Active::send); returns the clock when it was sent, after polling.
    pub(crate) fn send_at(&self, to: impl Into<Destination>, words: [u64; 2]) -> Result<Time, CommError> {
        let at = self.handle_arrived(false)?;
        self.dispatch(to.into(), words)?;
        Ok(at)
    }

    /// Handles all active messages that have arrived, and those that arrive meanwhile.
    ///
    /// # Errors
    /// In virtual time, [`CommError::Livelock`] if the program has done nothing but poll without success for too long;
    /// otherwise as [`send`](Self::send), also for the sends of handlers.
    pub fn poll(&self) -> Result<(), CommError> {
        self.handle_arrived(true).map(drop)
    }

    /// Sends an ordinary message of any length, handling active messages until it has left.
    ///
    /// # Errors
    /// As [`Group::send`] and [`poll`](Self::poll).
    pub fn send_data(&self, to: impl Into<Destination>, data: impl Into<Payload>) -> Result<(), CommError> {
        self.handle_arrived(false)?;
        let request = self.start_data(to, data)?;
        while !matches!(self.first_of(&[], Some(request), Time::MAX)?, Waited::Sent { .. }) {}
        Ok(())
    }

    /// Receives an ordinary message, handling active messages until it arrives.
    ///
    /// # Errors
    /// As [`Group::recv`] and [`poll`](Self::poll).
    pub fn recv_data(&self, from: impl Into<Select>) -> Result<Message, CommError> {
        let select = from.into();
        self.handle_arrived(false)?;
        let request = self.post(select)?;
        loop {
            if let Waited::Received { message, .. } = self.first_of(&[request], None, Time::MAX)? {
                return Ok(message);
            }
        }
    }

    /// Handles active messages until a condition no longer holds, which only handlers can change.
    ///
    /// # Errors
    /// As [`poll`](Self::poll); [`CommError::Deadlock`] if no active message can ever arrive.
    pub fn wait_while(&self, condition: impl FnMut() -> bool) -> Result<(), CommError> {
        self.sleep_until(Time::MAX, condition)
    }

    /// Does nothing but handle active messages until an instant of the node's clock, or until a condition no longer holds.
    ///
    /// # Errors
    /// As [`wait_while`](Self::wait_while).
    pub fn sleep_until(&self, instant: Time, mut condition: impl FnMut() -> bool) -> Result<(), CommError> {
        self.handle_arrived(false)?;
        while condition() && matches!(self.first_of(&[], None, instant)?, Waited::Handled { .. }) {}
        Ok(())
    }

    /// Keeps the CPU busy. Messages that are handled at once interrupt it: the time of their handling is added.
    ///
    /// # Errors
    /// As [`send`](Self::send), also for the sends of handlers.
    pub fn compute(&self, time: impl Into<Span>) -> Result<(), CommError> {
        let mut rest = time.into();
        loop {
            let begin = self.handle_arrived(false)?;
            let end = begin + rest;
            // Time beyond the end of modeled time is an error of the run, and there is no instant to wait for.
            if self.handling == Handling::Polled || rest.is_zero() || end == Time::MAX {
                return self.packets.endpoint().compute(rest);
            }
            let (now, interrupt) =
                self.told(self.packets.endpoint().compute_until(end, self.posted.get()))?;
            let Some((envelope, computed)) = interrupt else { return Ok(()) };
            rest = if computed < rest { rest - computed } else { Span::ZERO };
            self.handle(now, envelope)?;
        }
    }

    /// Posts the receive of an ordinary message, for [`first_of`](Active::first_of).
    pub(crate) fn post(&self, from: impl Into<Select>) -> Result<RequestId, CommError> {
        self.group.endpoint().irecv(self.group.selector(from.into())?)
    }

    /// Starts to send an ordinary message.
    pub(crate) fn start_data(
        &self,
        to: impl Into<Destination>,
        data: impl Into<Payload>,
    ) -> Result<RequestId, CommError> {
        let payload = data.into();
        self.group.endpoint().isend(self.group.parcel(to.into(), &payload)?, payload)
    }

    /// Waits until an active message has been handled, one of the posted receives is complete or the sent message has
    /// left, or until a deadline. Returns the first of these events; at one instant receives go before the send, and
    /// the send before active messages.
    pub(crate) fn first_of(
        &self,
        posted: &[RequestId],
        sent: Option<RequestId>,
        deadline: Time,
    ) -> Result<Waited, CommError> {
        let mut all = posted.to_vec();
        all.extend(sent);
        all.push(self.posted.get());
        let last = all.len() - 1;
        let (at, first) = self.packets.endpoint().wait_any_until(all.into(), deadline)?;
        let Some((index, result)) = first else { return Ok(Waited::InVain { at }) };
        let result = if index == last { self.told(result) } else { result };
        Ok(match result? {
            Some(envelope) if index == last => {
                self.handle(at, envelope)?;
                Waited::Handled { at }
            }
            Some(envelope) => Waited::Received { at, index, message: self.group.message(envelope) },
            None => Waited::Sent { at },
        })
    }

    /// Handles all active messages that have arrived; returns the clock when there are no more. `looks` tells that
    /// the program may do nothing but poll until a message arrives.
    fn handle_arrived(&self, looks: bool) -> Result<Time, CommError> {
        loop {
            let (now, arrived) = self.told(self.packets.endpoint().test(self.posted.get(), looks))?;
            let Some(Some(envelope)) = arrived else { return Ok(now) };
            self.handle(now, envelope)?;
        }
    }

    /// Posts the receive anew if it has failed because a node died: the others go on.
    fn told<T>(&self, result: Result<T, CommError>) -> Result<T, CommError> {
        if let Err(CommError::NodeDied { .. }) = result {
            let select = self.packets.selector(ANY_SOURCE.into())?;
            self.posted.set(self.packets.endpoint().irecv(select)?);
        }
        result
    }

    /// Runs the handler on a received message, and posts the receive for the next one.
    fn handle(&self, now: Time, envelope: Envelope) -> Result<(), CommError> {
        let (endpoint, select) = (self.packets.endpoint(), self.packets.selector(ANY_SOURCE.into())?);
        self.posted.set(endpoint.irecv(select)?);
        let Message { source, tag, payload, .. } = self.packets.message(envelope);
        // Only `dispatch` sends in this context, and always two words.
        let words = payload.to_vec::<u64>()?.try_into().unwrap_or_default();
        let mut reactions = Reactions { now, compute: Span::ZERO, sent: Vec::new() };
        (self.handler.borrow_mut())(&mut reactions, ActiveMessage { source, tag, words });
        if !reactions.compute.is_zero() {
            endpoint.compute(reactions.compute)?;
        }
        reactions.sent.into_iter().try_for_each(|(to, words)| self.dispatch(to, words))
    }

    fn dispatch(&self, to: Destination, words: [u64; 2]) -> Result<(), CommError> {
        let payload = Payload::from(words);
        debug_assert_eq!(payload.len(), ACTIVE_BYTES);
        let parcel = self.packets.parcel(to, &payload)?;
        self.packets.endpoint().send(Parcel { active: true, ..parcel }, payload)
    }
}

/// The event that [`Active::first_of`] waited for, and the node's clock then.
#[derive(Debug)]
pub(crate) enum Waited {
    /// The deadline has passed.
    InVain { at: Time },
    /// An active message has been handled; its handler may have taken more time.
    Handled { at: Time },
    /// A posted receive is complete.
    Received { at: Time, index: usize, message: Message },
    /// The message sent has left.
    Sent { at: Time },
}

impl Waited {
    /// The clock at the event.
    pub(crate) fn at(&self) -> Time {
        match self {
            Waited::InVain { at }
            | Waited::Handled { at }
            | Waited::Received { at, .. }
            | Waited::Sent { at } => *at,
        }
    }
}

/// Withdraws the posted receive: a message that it may have taken waits for the next `Active` of the group.
impl<H> Drop for Active<'_, '_, H> {
    fn drop(&mut self) {
        self.packets.endpoint().withdraw(self.posted.get());
        self.group.is_active.set(false);
    }
}

impl<H> fmt::Debug for Active<'_, '_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Active({:?}, {:?})", self.group, self.handling)
    }
}
