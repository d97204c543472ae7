//! Active messages: short messages that a handler function processes on arrival, without a receive call.
//!
//! An active message carries two words and a tag that selects the action. The handler of the receiving node runs on that node's thread when
//! the node next *polls*; every call made through [`Active`] polls. With [`Handling::AtOnce`] the handler also interrupts
//! [`Active::compute`]. On machines with hardware support (the CM-5) active messages have smaller overheads than others: see
//! [`active_overheads`](crate::model::ParametersBuilder::active_overheads). An active message is one packet: it occupies no port and shares
//! no link, but takes the time of its bytes and the network's latency. The timing model (`docs/timing-model.md`) states the exact rules.
//!
//! The kernel treats an active message as a message, and a node with an [`Active`] has one receive posted for the next active message from
//! any source. Its timing is therefore as exact and reproducible as that of other messages. Reports and traces count an active message as a
//! message of [`ACTIVE_BYTES`]. Dropping the [`Active`] withdraws the receive. A message that is not handled before the end of the run is
//! listed as never received.
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
    rank::{ANY_SOURCE, Destination, Rank, Select, Source, Tag},
    time::{Span, Time},
    wire::{Parcel, RequestId},
};

/// The times at which a node handles the active messages that have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Handling {
    /// At polls: at the beginning of every call of its [`Active`], and as long as such a call waits.
    Polled,
    /// At polls, and also immediately while the node computes by [`Active::compute`], like an interrupt.
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

/// The actions available to a handler. A handler must not block: it can only compute and send active messages. Both are carried out after
/// the handler has returned, first the computation, then the sends.
#[derive(Debug)]
pub struct Reactions {
    now: Time,
    compute: Span,
    sent: Vec<(Destination, [u64; 2])>,
}

impl Reactions {
    /// The clock of the node when the handler began: one receive overhead after the message was taken.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Sends an active message after the handler has returned. A rank out of range is reported as an error of the call that polled.
    pub fn send(&mut self, to: impl Into<Destination>, words: [u64; 2]) {
        self.sent.push((to.into(), words));
    }

    /// Keeps the CPU busy for `time` after the handler has returned and before its messages are sent.
    pub fn compute(&mut self, time: impl Into<Span>) {
        self.compute += time.into();
    }
}

/// A group with active messages. Each call on an `Active` first handles the messages that have arrived, and handles further ones while it
/// waits.
///
/// Every member creates an `Active`, with the handler of its own node. The handler and the program share state through cells. Messages to a
/// node without an `Active` wait until the node creates one. A node has at most one `Active` per group at a time. Handlers run one after
/// the other, in the order of arrival (lower rank first at the same instant), and never nested. Calls on the group or the node that bypass
/// the `Active` do not poll.
///
/// A panic in a handler ends the run, as any panic of the program does.
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

    /// Sends an active message and returns after the send overhead. A message to the node itself is handled at the next poll.
    ///
    /// # Errors
    /// [`CommError::NoSuchRank`]; [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over.
    #[track_caller]
    pub fn send(&self, to: impl Into<Destination>, words: [u64; 2]) -> Result<(), CommError> {
        self.send_at(to, words).map(drop)
    }

    /// Sends like [`send`](Active::send), and returns the instant of sending: the node's clock after the poll that precedes the send.
    #[track_caller]
    pub(crate) fn send_at(&self, to: impl Into<Destination>, words: [u64; 2]) -> Result<Time, CommError> {
        let at = self.handle_arrived(false)?;
        self.dispatch(to.into(), words)?;
        Ok(at)
    }

    /// Handles all active messages that have arrived, including messages that arrive during the handling.
    ///
    /// # Errors
    /// In virtual time, [`CommError::Livelock`] if the program has only polled without success for too long; otherwise as
    /// [`send`](Self::send), also for the sends of handlers.
    #[track_caller]
    pub fn poll(&self) -> Result<(), CommError> {
        self.handle_arrived(true).map(drop)
    }

    /// Sends an ordinary message of any length, and handles active messages until the message has left.
    ///
    /// # Errors
    /// As [`Group::send`] and [`poll`](Self::poll).
    #[track_caller]
    pub fn send_data(&self, to: impl Into<Destination>, data: impl Into<Payload>) -> Result<(), CommError> {
        self.handle_arrived(false)?;
        let to = to.into();
        if to.rank.is_none() {
            return Ok(());
        }
        let request = self.start_data(to, data)?;
        while !matches!(self.first_of(&[], Some(request), Time::MAX)?, Waited::Sent { .. }) {}
        Ok(())
    }

    /// Receives an ordinary message, and handles active messages until it arrives.
    ///
    /// # Errors
    /// As [`Group::recv`] and [`poll`](Self::poll).
    #[track_caller]
    pub fn recv_data(&self, from: impl Into<Select>) -> Result<Message, CommError> {
        let select = from.into();
        self.handle_arrived(false)?;
        if select.source == Source::Null {
            return Ok(Message::null());
        }
        let request = self.post(select)?;
        loop {
            if let Waited::Received { message, .. } = self.first_of(&[request], None, Time::MAX)? {
                return Ok(message);
            }
        }
    }

    /// Handles active messages while a condition holds. Only handlers can change the condition.
    ///
    /// # Errors
    /// As [`poll`](Self::poll); [`CommError::Deadlock`] if no further active message can arrive.
    #[track_caller]
    pub fn wait_while(&self, condition: impl FnMut() -> bool) -> Result<(), CommError> {
        self.sleep_until(Time::MAX, condition)
    }

    /// Handles active messages until an instant of the node's clock, or until a condition no longer holds.
    ///
    /// # Errors
    /// As [`wait_while`](Self::wait_while).
    #[track_caller]
    pub fn sleep_until(&self, instant: Time, mut condition: impl FnMut() -> bool) -> Result<(), CommError> {
        self.handle_arrived(false)?;
        while condition() && matches!(self.first_of(&[], None, instant)?, Waited::Handled { .. }) {}
        Ok(())
    }

    /// Keeps the CPU busy. With [`Handling::AtOnce`] messages interrupt the computation, and the time to handle them is added.
    ///
    /// # Errors
    /// As [`send`](Self::send), also for the sends of handlers.
    #[track_caller]
    pub fn compute(&self, time: impl Into<Span>) -> Result<(), CommError> {
        let mut rest = time.into();
        loop {
            let begin = self.handle_arrived(false)?;
            let end = begin + rest;
            // A time beyond the end of modeled time is an error of the run: there is no instant to wait for.
            if self.handling == Handling::Polled || rest.is_zero() || end == Time::MAX {
                return self.packets.endpoint().compute(rest);
            }
            let (now, interrupt) =
                self.repost_after_death(self.packets.endpoint().compute_until(end, self.posted.get()))?;
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

    /// Waits until an active message has been handled, one of the posted receives is complete, the message has left, or the deadline has
    /// passed. Returns the first of these events. At the same instant receives precede the send, and the send precedes active messages.
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
        let result = if index == last { self.repost_after_death(result) } else { result };
        Ok(match result? {
            Some(envelope) if index == last => {
                self.handle(at, envelope)?;
                Waited::Handled { at }
            }
            Some(envelope) => Waited::Received { at, index, message: self.group.message(envelope) },
            None => Waited::Sent { at },
        })
    }

    /// Handles all active messages that have arrived, and returns the clock after the last one. `is_poll` marks a polling call, which the
    /// program may repeat without other work (livelock detection).
    #[track_caller]
    fn handle_arrived(&self, is_poll: bool) -> Result<Time, CommError> {
        self.group.called();
        loop {
            let (now, arrived) =
                self.repost_after_death(self.packets.endpoint().test(self.posted.get(), is_poll))?;
            let Some(Some(envelope)) = arrived else { return Ok(now) };
            self.handle(now, envelope)?;
        }
    }

    /// Posts the receive for active messages again if it failed because a node died: the surviving nodes continue.
    fn repost_after_death<T>(&self, result: Result<T, CommError>) -> Result<T, CommError> {
        if let Err(CommError::NodeDied { .. }) = result {
            let select = self.packets.selector(ANY_SOURCE.into())?;
            self.posted.set(self.packets.endpoint().irecv(select)?);
        }
        result
    }

    /// Runs the handler on a received message, and posts the receive for the next message.
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
        if to.rank.is_none() {
            return Ok(());
        }
        let payload = Payload::from(words);
        debug_assert_eq!(payload.len(), ACTIVE_BYTES);
        let parcel = self.packets.parcel(to, &payload)?;
        self.packets.endpoint().send(Parcel { active: true, ..parcel }, payload)
    }
}

/// The event that ended [`Active::first_of`], with the node's clock at the event.
#[derive(Debug)]
pub(crate) enum Waited {
    /// The deadline has passed.
    InVain { at: Time },
    /// An active message has been handled; the handler may have taken further time.
    Handled { at: Time },
    /// A posted receive is complete.
    Received { at: Time, index: usize, message: Message },
    /// The message has left.
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

/// Withdraws the posted receive. A message that the receive has already taken waits for the next `Active` of the group.
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
