//! Sends, receives and requests of a group.

use super::Group;
use crate::{
    comm::{MAX_MESSAGE, Message, Request, Tested},
    endpoint::{Envelope, First},
    error::{CommError, describe},
    payload::Payload,
    rank::{Destination, Rank, Select, Tag},
    time::Time,
    wire::{Label, Parcel, RequestId, Selector},
};

/// # Messages and requests
impl<'n> Group<'n> {
    /// Sends a message and returns when it has left: after its CPU overhead o_s, and when the node's out-port has carried
    /// its bytes.
    ///
    /// # Errors
    /// Those of all calls of a [`Group`].
    pub fn send(&self, to: impl Into<Destination>, data: impl Into<Payload>) -> Result<(), CommError> {
        let payload = data.into();
        self.endpoint.send(self.parcel(to.into(), &payload)?, payload)
    }

    /// Receives a message, and returns o_r after it has arrived.
    ///
    /// # Errors
    /// Those of all calls of a [`Group`].
    ///
    /// # Cost
    /// Of the host's time some nanoseconds for each message that has come and that the receive does not accept: messages that
    /// wait are searched in their order. So who lets thousands come and receives them by tag in the reverse order takes a
    /// time that grows with the square of their number. Receives that are [posted](Group::irecv) beforehand are searched in
    /// the same way, in the order in which they were posted.
    pub fn recv(&self, from: impl Into<Select>) -> Result<Message, CommError> {
        let envelope = self.endpoint.recv(self.selector(from.into())?)?;
        Ok(self.message(envelope))
    }

    /// Sends and receives at the same time; returns when both are done.
    ///
    /// # Errors
    /// Those of all calls of a [`Group`].
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

    /// Starts a send and returns after its overhead.
    ///
    /// # Errors
    /// Those of all calls of a [`Group`].
    pub fn isend(
        &self,
        to: impl Into<Destination>,
        data: impl Into<Payload>,
    ) -> Result<Request<'_>, CommError> {
        let payload = data.into();
        let id = self.endpoint.isend(self.parcel(to.into(), &payload)?, payload)?;
        Ok(Request { group: self, id: Some(id) })
    }

    /// Posts a receive and returns at once.
    ///
    /// # Errors
    /// Those of all calls of a [`Group`].
    pub fn irecv(&self, from: impl Into<Select>) -> Result<Request<'_>, CommError> {
        let id = self.endpoint.irecv(self.selector(from.into())?)?;
        Ok(Request { group: self, id: Some(id) })
    }

    /// Waits until a request is complete. A receive costs its overhead here, and gives its message.
    ///
    /// # Errors
    /// Those of all calls of a [`Group`].
    pub fn wait(&self, mut request: Request<'_>) -> Result<Option<Message>, CommError> {
        let Some(id) = request.id.take() else { return Ok(None) };
        Ok(self.endpoint.wait(id)?.map(|envelope| request.group.message(envelope)))
    }

    /// Waits for each of the requests in turn.
    ///
    /// # Errors
    /// Those of all calls of a [`Group`].
    pub fn wait_all<'a>(
        &self,
        requests: impl IntoIterator<Item = Request<'a>>,
    ) -> Result<Vec<Option<Message>>, CommError> {
        self.library_call("a wait for several requests", || {
            requests.into_iter().map(|request| self.wait(request)).collect()
        })
    }

    /// Receives a message unless none arrives by `deadline`, an instant of the clock that
    /// [`Node::now`](crate::comm::Node::now) tells.
    ///
    /// # Errors
    /// [`CommError::DeadlinePassed`], at the deadline or at once if that has passed; those of
    /// all calls of a [`Group`].
    pub fn recv_until(&self, from: impl Into<Select>, deadline: Time) -> Result<Message, CommError> {
        let select = from.into();
        let found = self.endpoint.recv_until(self.selector(select)?, deadline)?;
        match found {
            Some(envelope) => Ok(self.message(envelope)),
            None => Err(CommError::DeadlinePassed { wanted: describe(select.source, select.tag), deadline }),
        }
    }

    /// Waits until any of the requests is complete, takes it out of the list, and says where it stood and what it
    /// received. Of several complete ones it is the first in modeled time, then in the list; without a
    /// model it is the one that this node has seen complete first.
    ///
    /// # Errors
    /// [`CommError::NothingToWaitFor`] if there are none; those of all calls of a [`Group`]. A request that has failed is taken
    /// out of the list as well.
    pub fn wait_any(&self, requests: &mut Vec<Request<'_>>) -> Result<(usize, Option<Message>), CommError> {
        let (_, first) = self.endpoint.wait_any_until(ids(requests)?, Time::MAX)?;
        taken(requests, first.ok_or(CommError::Ended)?)
    }

    /// As [`wait_any`](Group::wait_any), but gives up at `deadline`, or at once if that has passed:
    /// then it returns `None`, and the list is as it was. What is complete at the deadline itself is in time.
    ///
    /// # Errors
    /// As [`wait_any`](Group::wait_any); in virtual time, [`CommError::Livelock`] if the program has done nothing but
    /// look in vain for too long.
    pub fn wait_any_until(
        &self,
        requests: &mut Vec<Request<'_>>,
        deadline: Time,
    ) -> Result<Option<(usize, Option<Message>)>, CommError> {
        let (_, first) = self.endpoint.wait_any_until(ids(requests)?, deadline)?;
        first.map(|first| taken(requests, first)).transpose()
    }

    /// Looks whether a request is complete at this instant of the node's clock. If it is, this is a
    /// [`wait`](Group::wait); if not, it costs no modeled time.
    ///
    /// # Errors
    /// In virtual time, [`CommError::Livelock`] if the program has done nothing but test and probe in vain for too long;
    /// those of all calls of a [`Group`].
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

    /// Waits until a message is there and says who sent it, under which tag, and how long it is, without receiving
    /// it. Costs no modeled time beyond the waiting.
    ///
    /// # Errors
    /// Those of all calls of a [`Group`].
    pub fn probe(&self, from: impl Into<Select>) -> Result<(Rank, Tag, u64), CommError> {
        let found = self.endpoint.probe(self.selector(from.into())?, true)?;
        found.map(|found| self.found(found)).ok_or(CommError::Ended)
    }

    /// Looks whether a message is there at this instant of the node's clock; costs no modeled time.
    ///
    /// # Errors
    /// In virtual time, [`CommError::Livelock`] if the program has done nothing but test and probe in vain for too long;
    /// those of all calls of a [`Group`].
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
        // Only members have the group's context, so the sender is one.
        self.members.rank(label.source as Rank).unwrap_or_default()
    }

    pub(in crate::comm) fn message(&self, envelope: Envelope) -> Message {
        let Envelope { id, label, payload } = envelope;
        Message { source: self.source_of(label), tag: label.tag, payload, id }
    }
}

/// The requests that a wait is for: at least one. None in a list has been waited for, since a wait takes it.
fn ids(requests: &[Request<'_>]) -> Result<Box<[RequestId]>, CommError> {
    let ids: Box<[RequestId]> = requests.iter().filter_map(|request| request.id).collect();
    if ids.is_empty() { Err(CommError::NothingToWaitFor) } else { Ok(ids) }
}

/// Takes the request that is complete out of a list, and makes a message of what it has received.
fn taken(
    requests: &mut Vec<Request<'_>>,
    (index, result): First,
) -> Result<(usize, Option<Message>), CommError> {
    let mut request = requests.remove(index);
    request.id = None;
    Ok((index, result?.map(|envelope| request.group.message(envelope))))
}
