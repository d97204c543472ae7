//! Sends, receives and requests of a group.

use super::Group;
use crate::{
    comm::{MAX_MESSAGE, Message, RecvRequest, Request, SendRequest, Status},
    endpoint::Envelope,
    error::CommError,
    payload::{Buffer, Payload},
    rank::{Destination, Rank, Select, Source},
    time::Time,
    wire::{Label, Parcel, Selector},
};

/// # Messages and requests
impl<'n> Group<'n> {
    /// Sends a message and returns when it has left: after the send overhead o_s, and after the node's out-port has carried its bytes.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    #[doc(alias = "MPI_Send")]
    #[track_caller]
    pub fn send(&self, to: impl Into<Destination>, data: impl Into<Payload>) -> Result<(), CommError> {
        let (to, payload) = (to.into(), data.into());
        if to.rank.is_none() {
            return Ok(());
        }
        self.called().send(self.parcel(to, &payload)?, payload)
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
    #[doc(alias = "MPI_Recv")]
    #[track_caller]
    pub fn recv(&self, from: impl Into<Select>) -> Result<Message, CommError> {
        let from = from.into();
        if from.source == Source::Null {
            return Ok(Message::null());
        }
        let envelope = self.called().recv(self.selector(from)?)?;
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
    ///     assert_eq!((received.source, received.bytes, received.count::<f64>()), (0, 40, Some(5)));
    ///     Ok(x[..5].iter().sum())
    /// })?;
    /// assert_eq!(run.outputs[1], 7.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CommError::Message`] if the message is longer than the buffer ([`PayloadError::TooLong`](crate::PayloadError::TooLong)) or cannot
    /// be read as elements of its type; the message is then lost, and the buffer unchanged. The errors common to all calls of a [`Group`].
    #[doc(alias = "MPI_Recv")]
    #[track_caller]
    pub fn recv_into(
        &self,
        from: impl Into<Select>,
        buffer: &mut (impl Buffer + ?Sized),
    ) -> Result<Status, CommError> {
        self.recv(from)?.store(buffer)
    }

    /// Sends a message and concurrently receives another one; returns when both are done. If the destination or the source is the null
    /// process (`None`), the call only receives or only sends.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    #[doc(alias = "MPI_Sendrecv")]
    #[track_caller]
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
        let endpoint = self.called();
        let envelope = endpoint.send_recv(self.parcel(to, &payload)?, payload, self.selector(from)?)?;
        Ok(self.message(envelope))
    }

    /// Starts a send and returns after the send overhead. [`wait`](Request::wait) returns when the message has left.
    ///
    /// The buffer may be reused at once: a slice or an array is copied at the call, and a `Vec` is moved into the message without a copy.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    #[doc(alias = "MPI_Isend")]
    #[track_caller]
    pub fn isend(
        &self,
        to: impl Into<Destination>,
        data: impl Into<Payload>,
    ) -> Result<SendRequest<'n>, CommError> {
        let (to, payload) = (to.into(), data.into());
        if to.rank.is_none() {
            return Ok(Request::to_null(self.endpoint));
        }
        let endpoint = self.called();
        let parcel = self.parcel(to, &payload)?;
        let id = endpoint.isend(parcel, payload)?;
        Ok(Request::send(self.endpoint, id, parcel))
    }

    /// Posts a receive and returns immediately. [`wait`](Request::wait) returns the message.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    #[doc(alias = "MPI_Irecv")]
    #[track_caller]
    pub fn irecv(&self, from: impl Into<Select>) -> Result<RecvRequest<'n>, CommError> {
        let from = from.into();
        if from.source == Source::Null {
            return Ok(Request::from_null(self.endpoint));
        }
        let id = self.called().irecv(self.selector(from)?)?;
        Ok(Request::recv(self.endpoint, id, self.members.clone()))
    }

    /// Receives a message, or fails if none arrives by `deadline`, an instant on the clock that [`Node::now`](crate::comm::Node::now)
    /// returns.
    ///
    /// # Errors
    /// [`CommError::DeadlinePassed`], at the deadline or at once if the deadline has passed; the errors common to all calls of a [`Group`].
    #[track_caller]
    pub fn recv_until(&self, from: impl Into<Select>, deadline: Time) -> Result<Message, CommError> {
        let select = from.into();
        if select.source == Source::Null {
            return Ok(Message::null());
        }
        let found = self.called().recv_until(self.selector(select)?, deadline)?;
        match found {
            Some(envelope) => Ok(self.message(envelope)),
            None => Err(CommError::DeadlinePassed { wanted: select.to_string(), deadline }),
        }
    }

    /// Waits until a message is available and returns its status: source, tag and length. Does not receive it. Costs no modeled time except the
    /// wait.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    #[doc(alias = "MPI_Probe")]
    #[track_caller]
    pub fn probe(&self, from: impl Into<Select>) -> Result<Status, CommError> {
        let from = from.into();
        if from.source == Source::Null {
            return Ok(Message::null().status());
        }
        let found = self.called().probe(self.selector(from)?, true)?;
        found.map(|found| self.status(found)).ok_or(CommError::Ended)
    }

    /// Tests whether a message is available at this instant of the node's clock. Costs no modeled time.
    ///
    /// # Errors
    /// In virtual time, [`CommError::Livelock`] if the program has only tested and probed without success for too long; the errors common
    /// to all calls of a [`Group`].
    #[doc(alias = "MPI_Iprobe")]
    #[track_caller]
    pub fn try_probe(&self, from: impl Into<Select>) -> Result<Option<Status>, CommError> {
        let from = from.into();
        if from.source == Source::Null {
            return Ok(Some(Message::null().status()));
        }
        let found = self.called().probe(self.selector(from)?, false)?;
        Ok(found.map(|found| self.status(found)))
    }

    fn status(&self, (label, bytes): (Label, u64)) -> Status {
        Status { source: self.members.source_of(label), tag: label.tag, bytes }
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
            synchronous: false,
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

    pub(in crate::comm) fn message(&self, envelope: Envelope) -> Message {
        self.members.message(envelope)
    }
}
