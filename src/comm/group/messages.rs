//! Sends, receives and requests of a group.

use super::Group;
use crate::{
    comm::{MAX_MESSAGE, Message, Received, Request, Tested},
    endpoint::{Envelope, First},
    error::{CommError, describe},
    payload::{Buffer, Payload},
    rank::{Destination, Rank, Select, Tag},
    time::Time,
    wire::{Label, Parcel, RequestId, Selector},
};

/// # Messages and requests
impl<'n> Group<'n> {
    /// Sends a message and returns when it has left: after the send overhead o_s, and after the node's out-port has carried its bytes.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn send(&self, to: impl Into<Destination>, data: impl Into<Payload>) -> Result<(), CommError> {
        let payload = data.into();
        self.endpoint.send(self.parcel(to.into(), &payload)?, payload)
    }

    /// Receives a message and returns one receive overhead o_r after its arrival.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    ///
    /// # Cost
    /// A receive takes some nanoseconds of host time for each unexpected message that it does not accept, because the queue of unexpected
    /// messages is searched in order. A program that lets thousands of messages queue up and receives them by tag in reverse order takes
    /// quadratic time. [Posted](Group::irecv) receives are searched in the same way, in the order of posting.
    pub fn recv(&self, from: impl Into<Select>) -> Result<Message, CommError> {
        let envelope = self.endpoint.recv(self.selector(from.into())?)?;
        Ok(self.message(envelope))
    }

    /// Receives a message, copies it to the beginning of a [buffer](Buffer), and returns its source, its tag and its number of elements.
    /// A message may be shorter than the buffer, whose other elements are then unchanged.
    ///
    /// ```
    /// use multicomputer::prelude::*;
    ///
    /// let run = Machine::hockney(1, 2).build()?.run(|node| {
    ///     let (world, mut x) = (node.world(), [0.0; 8]);
    ///     if node.rank() == 0 {
    ///         world.send(1, vec![1.5; 5])?;
    ///         return Ok(0.0);
    ///     }
    ///     let received = world.recv_into(0, &mut x)?;
    ///     assert_eq!((received.source, received.elements), (0, 5));
    ///     Ok(x[..received.elements].iter().sum())
    /// })?;
    /// assert_eq!(run.outputs[1], 7.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CommError::Payload`] if the message is longer than the buffer ([`PayloadError::TooLong`](crate::PayloadError::TooLong)) or cannot
    /// be read as elements of its type; the message is then lost, and the buffer unchanged. The errors common to all calls of a [`Group`].
    pub fn recv_into(
        &self,
        from: impl Into<Select>,
        buffer: &mut (impl Buffer + ?Sized),
    ) -> Result<Received, CommError> {
        let message = self.recv(from)?;
        let elements = message.payload.copy_into(buffer.as_mut_slice())?;
        Ok(Received { source: message.source, tag: message.tag, elements })
    }

    /// Sends a message and concurrently receives another one; returns when both are done.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn sendrecv(
        &self,
        to: impl Into<Destination>,
        data: impl Into<Payload>,
        from: impl Into<Select>,
    ) -> Result<Message, CommError> {
        let payload = data.into();
        let parcel = self.parcel(to.into(), &payload)?;
        let envelope = self.endpoint.send_recv(parcel, payload, self.selector(from.into())?)?;
        Ok(self.message(envelope))
    }

    /// Starts a send and returns after the send overhead.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn isend(
        &self,
        to: impl Into<Destination>,
        data: impl Into<Payload>,
    ) -> Result<Request<'_>, CommError> {
        let payload = data.into();
        let id = self.endpoint.isend(self.parcel(to.into(), &payload)?, payload)?;
        Ok(Request { group: self, id: Some(id) })
    }

    /// Posts a receive and returns immediately.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn irecv(&self, from: impl Into<Select>) -> Result<Request<'_>, CommError> {
        let id = self.endpoint.irecv(self.selector(from.into())?)?;
        Ok(Request { group: self, id: Some(id) })
    }

    /// Waits until a request is complete. For a receive, also spends the receive overhead and returns the message.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn wait(&self, mut request: Request<'_>) -> Result<Option<Message>, CommError> {
        let Some(id) = request.id.take() else { return Ok(None) };
        Ok(self.endpoint.wait(id)?.map(|envelope| request.group.message(envelope)))
    }

    /// Waits for each of the requests in turn.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn wait_all<'a>(
        &self,
        requests: impl IntoIterator<Item = Request<'a>>,
    ) -> Result<Vec<Option<Message>>, CommError> {
        self.library_call("a wait for several requests", || {
            requests.into_iter().map(|request| self.wait(request)).collect()
        })
    }

    /// Receives a message, or fails if none arrives by `deadline`, an instant on the clock that [`Node::now`](crate::comm::Node::now)
    /// returns.
    ///
    /// # Errors
    /// [`CommError::DeadlinePassed`], at the deadline or at once if the deadline has passed; the errors common to all calls of a [`Group`].
    pub fn recv_until(&self, from: impl Into<Select>, deadline: Time) -> Result<Message, CommError> {
        let select = from.into();
        let found = self.endpoint.recv_until(self.selector(select)?, deadline)?;
        match found {
            Some(envelope) => Ok(self.message(envelope)),
            None => Err(CommError::DeadlinePassed { wanted: describe(select.source, select.tag), deadline }),
        }
    }

    /// Waits until any of the requests is complete and removes it from the list. Returns its index and the message received. Of several
    /// complete requests the first in modeled time is returned, then the first in the list. Where time is not modeled, the request that
    /// this node saw complete first is returned.
    ///
    /// # Errors
    /// [`CommError::NothingToWaitFor`] if there are no requests; the errors common to all calls of a [`Group`]. A failed request is also
    /// removed from the list.
    pub fn wait_any(&self, requests: &mut Vec<Request<'_>>) -> Result<(usize, Option<Message>), CommError> {
        let (_, first) = self.endpoint.wait_any_until(ids(requests)?, Time::MAX)?;
        taken(requests, first.ok_or(CommError::Ended)?)
    }

    /// Waits like [`wait_any`](Group::wait_any), but returns `None` and leaves the list unchanged if no request is complete at `deadline`.
    /// If the deadline has passed, the call returns immediately. A request that completes exactly at the deadline is returned.
    ///
    /// # Errors
    /// As [`wait_any`](Group::wait_any); in virtual time, [`CommError::Livelock`] if the program has only polled without success for too
    /// long.
    pub fn wait_any_until(
        &self,
        requests: &mut Vec<Request<'_>>,
        deadline: Time,
    ) -> Result<Option<(usize, Option<Message>)>, CommError> {
        let (_, first) = self.endpoint.wait_any_until(ids(requests)?, deadline)?;
        first.map(|first| taken(requests, first)).transpose()
    }

    /// Tests whether a request is complete at this instant of the node's clock. If it is, the call acts as a [`wait`](Group::wait); if not,
    /// it costs no modeled time.
    ///
    /// # Errors
    /// In virtual time, [`CommError::Livelock`] if the program has only tested and probed without success for too long; the errors common
    /// to all calls of a [`Group`].
    pub fn test<'r>(&self, mut request: Request<'r>) -> Result<Tested<'r>, CommError> {
        let Some(id) = request.id else { return Ok(Tested::Complete(None)) };
        match self.endpoint.test(id, true)?.1 {
            Some(envelope) => {
                request.id = None;
                Ok(Tested::Complete(envelope.map(|envelope| request.group.message(envelope))))
            }
            None => Ok(Tested::Pending(request)),
        }
    }

    /// Waits until a message is available and returns its source, tag and length, without receiving it. Costs no modeled time except the
    /// wait.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn probe(&self, from: impl Into<Select>) -> Result<(Rank, Tag, u64), CommError> {
        let found = self.endpoint.probe(self.selector(from.into())?, true)?;
        found.map(|found| self.found(found)).ok_or(CommError::Ended)
    }

    /// Tests whether a message is available at this instant of the node's clock. Costs no modeled time.
    ///
    /// # Errors
    /// In virtual time, [`CommError::Livelock`] if the program has only tested and probed without success for too long; the errors common
    /// to all calls of a [`Group`].
    pub fn try_probe(&self, from: impl Into<Select>) -> Result<Option<(Rank, Tag, u64)>, CommError> {
        let found = self.endpoint.probe(self.selector(from.into())?, false)?;
        Ok(found.map(|found| self.found(found)))
    }

    fn found(&self, (label, bytes): (Label, u64)) -> (Rank, Tag, u64) {
        (self.source_of(label), label.tag, bytes)
    }

    pub(in crate::comm) fn parcel(&self, to: Destination, payload: &Payload) -> Result<Parcel, CommError> {
        self.check_rank(to.rank)?;
        let bytes = payload.len();
        if bytes > MAX_MESSAGE {
            return Err(CommError::TooLong { given: bytes, most: MAX_MESSAGE });
        }
        Ok(Parcel {
            target: self.members.node(to.rank) as u32,
            context: self.context,
            tag: to.tag,
            bytes,
            active: false,
        })
    }

    pub(in crate::comm) fn selector(&self, from: Select) -> Result<Selector, CommError> {
        if let Some(rank) = from.source {
            self.check_rank(rank)?;
        }
        let source = from.source.map(|rank| self.members.node(rank) as u32);
        Ok(Selector { context: self.context, source, tag: from.tag })
    }

    fn source_of(&self, label: Label) -> Rank {
        // Only members use the group's context, so the sender is a member.
        self.members.rank(label.source as Rank).unwrap_or_default()
    }

    pub(in crate::comm) fn message(&self, envelope: Envelope) -> Message {
        let Envelope { id, label, payload } = envelope;
        Message { source: self.source_of(label), tag: label.tag, payload, id }
    }
}

/// Returns the ids of the requests of a wait; fails if there are none. Every request in a list has an id, because a wait removes the
/// request that it completes.
fn ids(requests: &[Request<'_>]) -> Result<Box<[RequestId]>, CommError> {
    let ids: Box<[RequestId]> = requests.iter().filter_map(|request| request.id).collect();
    if ids.is_empty() { Err(CommError::NothingToWaitFor) } else { Ok(ids) }
}

/// Removes the complete request from a list, and converts the received envelope to a message.
fn taken(
    requests: &mut Vec<Request<'_>>,
    (index, result): First,
) -> Result<(usize, Option<Message>), CommError> {
    let mut request = requests.remove(index);
    request.id = None;
    Ok((index, result?.map(|envelope| request.group.message(envelope))))
}
