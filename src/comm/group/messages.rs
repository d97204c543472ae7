//! Sends, receives and requests of a group.

use super::Group;
use crate::{
    comm::{MAX_MESSAGE, Message, Request, Tested},
    endpoint::{Envelope, First},
    error::CommError,
    payload::Payload,
    rank::{Destination, Rank, Select, Source, Tag},
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
        let (to, payload) = (to.into(), data.into());
        if to.rank.is_none() {
            return Ok(());
        }
        self.endpoint.send(self.parcel(to, &payload)?, payload)
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
        let from = from.into();
        if from.source == Source::Null {
            return Ok(Message::null());
        }
        let envelope = self.endpoint.recv(self.selector(from)?)?;
        Ok(self.message(envelope))
    }

    /// Sends a message and concurrently receives another one; returns when both are done. If the destination or the source is the null
    /// process (`None`), the call only receives or only sends.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn sendrecv(
        &self,
        to: impl Into<Destination>,
        data: impl Into<Payload>,
        from: impl Into<Select>,
    ) -> Result<Message, CommError> {
        let (to, payload, from) = (to.into(), data.into(), from.into());
        if to.rank.is_none() || from.source == Source::Null {
            self.send(to, payload)?;
            return self.recv(from);
        }
        let parcel = self.parcel(to, &payload)?;
        let envelope = self.endpoint.send_recv(parcel, payload, self.selector(from)?)?;
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
        let (to, payload) = (to.into(), data.into());
        let start = |_| self.endpoint.isend(self.parcel(to, &payload)?, payload.clone());
        Ok(Request { group: self, id: to.rank.map(start).transpose()?, receives_null: false })
    }

    /// Posts a receive and returns immediately.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn irecv(&self, from: impl Into<Select>) -> Result<Request<'_>, CommError> {
        let from = from.into();
        if from.source == Source::Null {
            return Ok(Request { group: self, id: None, receives_null: true });
        }
        let id = Some(self.endpoint.irecv(self.selector(from)?)?);
        Ok(Request { group: self, id, receives_null: false })
    }

    /// Waits until a request is complete. For a receive, also spends the receive overhead and returns the message.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn wait(&self, mut request: Request<'_>) -> Result<Option<Message>, CommError> {
        let Some(id) = request.id.take() else { return Ok(request.null_message()) };
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
        if select.source == Source::Null {
            return Ok(Message::null());
        }
        let found = self.endpoint.recv_until(self.selector(select)?, deadline)?;
        match found {
            Some(envelope) => Ok(self.message(envelope)),
            None => Err(CommError::DeadlinePassed { wanted: select.to_string(), deadline }),
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
        if let Some(null) = take_null(requests) {
            return Ok(null);
        }
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
        if let Some(null) = take_null(requests) {
            return Ok(Some(null));
        }
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
        let Some(id) = request.id else { return Ok(Tested::Complete(request.null_message())) };
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
        let from = from.into();
        if from.source == Source::Null {
            return Ok(self.found_null());
        }
        let found = self.endpoint.probe(self.selector(from)?, true)?;
        found.map(|found| self.found(found)).ok_or(CommError::Ended)
    }

    /// Tests whether a message is available at this instant of the node's clock. Costs no modeled time.
    ///
    /// # Errors
    /// In virtual time, [`CommError::Livelock`] if the program has only tested and probed without success for too long; the errors common
    /// to all calls of a [`Group`].
    pub fn try_probe(&self, from: impl Into<Select>) -> Result<Option<(Rank, Tag, u64)>, CommError> {
        let from = from.into();
        if from.source == Source::Null {
            return Ok(Some(self.found_null()));
        }
        let found = self.endpoint.probe(self.selector(from)?, false)?;
        Ok(found.map(|found| self.found(found)))
    }

    /// What a probe for messages of the null process returns.
    fn found_null(&self) -> (Rank, Tag, u64) {
        let Message { source, tag, .. } = Message::null();
        (source, tag, 0)
    }

    fn found(&self, (label, bytes): (Label, u64)) -> (Rank, Tag, u64) {
        (self.source_of(label), label.tag, bytes)
    }

    pub(in crate::comm) fn parcel(&self, to: Destination, payload: &Payload) -> Result<Parcel, CommError> {
        // The calls that allow the null process do not come here with it.
        let target = to.rank.unwrap_or(Rank::MAX);
        self.check_rank(target)?;
        let bytes = payload.len();
        if bytes > MAX_MESSAGE {
            return Err(CommError::TooLong { given: bytes, most: MAX_MESSAGE });
        }
        Ok(Parcel {
            target: self.members.node(target) as u32,
            context: self.context,
            tag: to.tag,
            bytes,
            active: false,
        })
    }

    pub(in crate::comm) fn selector(&self, from: Select) -> Result<Selector, CommError> {
        // The calls that allow the null process do not come here with it.
        let rank = match from.source {
            Source::Any => None,
            Source::Rank(rank) => Some(rank),
            Source::Null => Some(Rank::MAX),
        };
        rank.map_or(Ok(()), |rank| self.check_rank(rank))?;
        let source = rank.map(|rank| self.members.node(rank) as u32);
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

/// Removes the first request with the null process, which is complete, from the list of a wait.
fn take_null(requests: &mut Vec<Request<'_>>) -> Option<(usize, Option<Message>)> {
    let index = requests.iter().position(|request| request.id.is_none())?;
    Some((index, requests.remove(index).null_message()))
}

/// Returns the ids of the requests of a wait; fails if there are none. Every request in the list has an id: those with the null process are
/// taken before, and a wait removes the request that it completes.
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
