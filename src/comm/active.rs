//! Active messages: short messages that are not received but handled.
//!
//! An active message carries two words and the tag of what is to be done with it. The handler of the node that it goes
//! to runs on that node's thread when the node next *polls*, and every call made through [`Active`] polls; or it runs
//! at once, also while the node computes, if it is told so. On machines that have them (the CM-5) active messages cost
//! less than others: see [`active_overheads`](crate::model::ParametersBuilder::active_overheads). One is a packet: it
//! waits for no port and shares no link, but takes the time of its bytes and the network's latency. The exact rules are
//! in the timing model (`docs/timing-model.md`).
//!
//! For the kernel an active message is a message, and a node that handles them has a receive posted for the next one,
//! from any source: so they are as exact and as reproducible as everything else. In reports and traces they count among
//! the messages, of [`ACTIVE_BYTES`] each. The receive is taken back when the [`Active`] is dropped; a message that
//! nobody has handled by the end of the run is listed as never received.
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

/// When a node handles the active messages that have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Handling {
    /// When it polls: at the beginning of every call of its [`Active`], and as long as such a call waits.
    Polled,
    /// Then, and at once while it computes by [`Active::compute`], as if it were interrupted.
    AtOnce,
}

/// A message to be handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveMessage {
    /// Who sent it.
    pub source: Rank,
    /// What is to be done with it.
    pub tag: Tag,
    /// What goes with it.
    pub words: [u64; 2],
}

/// What a handler may do. It must not wait, so it can only compute and send active messages, and both are done when it
/// has returned: first the one, then the other.
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

/// A group with active messages: its calls handle what has arrived before they do what they are for, and while they
/// wait.
///
/// All members make one, each with the handler of its own node; the handler and the program share state through cells.
/// Messages sent to a node that has none wait until it makes one, and it has at most one for a group at a time.
/// Handlers run one after the other, in the order in which their messages arrived (at one instant the lower rank goes
/// first), and none within another. Calls that are made past it, by the group or the node itself, poll nothing.
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
    /// Gives a group active messages, until this is dropped.
    ///
    /// # Errors
    /// [`CommError::AlreadyActive`] if it has them; [`CommError::Deadlock`] or [`CommError::Ended`] once the run is
    /// over.
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

    /// Sends an active message: its send overhead later the node goes on. One to the node itself is handled at the next
    /// poll.
    ///
    /// # Errors
    /// [`CommError::NoSuchRank`]; [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over.
    pub fn send(&self, to: impl Into<Destination>, words: [u64; 2]) -> Result<(), CommError> {
        self.send_at(to, words).map(drop)
    }

    /// As [`send`](Active::send); the clock when it was sent, after polling.
    pub(crate) fn send_at(&self, to: impl Into<Destination>, words: [u64; 2]) -> Result<Time, CommError> {
        let at = self.handle_arrived(false)?;
        self.dispatch(to.into(), words)?;
        Ok(at)
    }

    /// Handles all active messages that have arrived, and those that arrive meanwhile.
    ///
    /// # Errors
    /// [`CommError::Livelock`] if the program has done nothing but poll in vain for too long; otherwise as
    /// [`send`](Self::send), also of what handlers send.
    pub fn poll(&self) -> Result<(), CommError> {
        self.handle_arrived(true).map(drop)
    }

    /// Sends a message of any length to be received, handling active messages until it has left.
    ///
    /// # Errors
    /// As [`Group::send`] and [`poll`](Self::poll).
    pub fn send_data(&self, to: impl Into<Destination>, data: impl Into<Payload>) -> Result<(), CommError> {
        self.handle_arrived(false)?;
        let request = self.start_data(to, data)?;
        while !matches!(self.first_of(&[], Some(request), Time::MAX)?, Waited::Sent { .. }) {}
        Ok(())
    }

    /// Receives a message that is not an active one, handling those until it comes.
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
    /// As [`poll`](Self::poll); [`CommError::Deadlock`] if nobody will ever send any.
    pub fn wait_while(&self, condition: impl FnMut() -> bool) -> Result<(), CommError> {
        self.sleep_until(Time::MAX, condition)
    }

    /// Does nothing but handle active messages until an instant of modeled time, or until a condition no longer holds.
    ///
    /// # Errors
    /// As [`wait_while`](Self::wait_while).
    pub fn sleep_until(&self, instant: Time, mut condition: impl FnMut() -> bool) -> Result<(), CommError> {
        self.handle_arrived(false)?;
        while condition() && matches!(self.first_of(&[], None, instant)?, Waited::Handled { .. }) {}
        Ok(())
    }

    /// Keeps the CPU busy. Messages that are handled at once meanwhile interrupt it: what they take comes on top.
    ///
    /// # Errors
    /// As [`send`](Self::send), also of what handlers send.
    pub fn compute(&self, time: impl Into<Span>) -> Result<(), CommError> {
        let mut rest = time.into();
        loop {
            let begin = self.handle_arrived(false)?;
            let end = begin + rest;
            // What goes past the end of modeled time is an error of the run, and there is no instant to wait for.
            if self.handling == Handling::Polled || rest.is_zero() || end == Time::MAX {
                return self.packets.endpoint().compute(rest);
            }
            let (now, interrupt) = self.packets.endpoint().compute_until(end, self.posted.get())?;
            let Some(envelope) = interrupt else { return Ok(()) };
            let receive = self.group.machine().parameters().active_receive_overhead();
            rest = rest - (now.since(begin) - receive);
            self.handle(now, envelope)?;
        }
    }

    /// Posts the receive of a message that is not an active one, for [`first_of`](Active::first_of).
    pub(crate) fn post(&self, from: impl Into<Select>) -> Result<RequestId, CommError> {
        self.group.endpoint().irecv(self.group.selector(from.into())?)
    }

    /// Starts to send a message that is not an active one.
    pub(crate) fn start_data(
        &self,
        to: impl Into<Destination>,
        data: impl Into<Payload>,
    ) -> Result<RequestId, CommError> {
        let payload = data.into();
        self.group.endpoint().isend(self.group.parcel(to.into(), &payload)?, payload)
    }

    /// Waits until an active message has been handled, one of the receives posted is complete or the message sent has
    /// left, or until a deadline. Of several it is what came first; at one instant receives before the send before
    /// active messages.
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
        Ok(match first {
            None => Waited::InVain { at },
            Some((index, Some(envelope))) if index == last => {
                self.handle(at, envelope)?;
                Waited::Handled { at }
            }
            Some((index, Some(envelope))) => {
                Waited::Received { at, index, message: self.group.message(envelope) }
            }
            Some((_, None)) => Waited::Sent { at },
        })
    }

    /// Handles all that has arrived; the clock when there is no more. `looks`: the program may do nothing else until
    /// something comes.
    fn handle_arrived(&self, looks: bool) -> Result<Time, CommError> {
        loop {
            let (now, arrived) = self.packets.endpoint().test(self.posted.get(), looks)?;
            let Some(Some(envelope)) = arrived else { return Ok(now) };
            self.handle(now, envelope)?;
        }
    }

    /// Runs the handler on a message that has been taken in, and posts the receive for the next one.
    fn handle(&self, now: Time, envelope: Envelope) -> Result<(), CommError> {
        let (endpoint, select) = (self.packets.endpoint(), self.packets.selector(ANY_SOURCE.into())?);
        self.posted.set(endpoint.irecv(select)?);
        let Message { source, tag, payload } = self.packets.message(envelope);
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

/// What [`Active::first_of`] waited for, and the node's clock then.
#[derive(Debug)]
pub(crate) enum Waited {
    /// The deadline has passed.
    InVain { at: Time },
    /// An active message has been handled; its handler may have taken more time.
    Handled { at: Time },
    /// One of the receives is complete.
    Received { at: Time, index: usize, message: Message },
    /// The message sent has left.
    Sent { at: Time },
}

impl Waited {
    /// The clock.
    pub(crate) fn at(&self) -> Time {
        match self {
            Waited::InVain { at }
            | Waited::Handled { at }
            | Waited::Received { at, .. }
            | Waited::Sent { at } => *at,
        }
    }
}

/// The receive that is still posted is taken back: what it may have taken waits for who has active messages next.
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
