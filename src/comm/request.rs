//! Sends and receives in progress: waiting for one, for all or for any of several, testing, and giving up.

use std::{fmt, iter, marker::PhantomData};

use super::{
    Message, Status,
    group::{Members, as_library_call, called},
};
use crate::{
    endpoint::{Endpoint, Envelope},
    error::CommError,
    payload::Buffer,
    time::Time,
    wire::{Parcel, RequestId, WAIT_ALL},
};

/// A send or receive in progress. A wait for it returns a `T`.
///
/// [`isend`](super::Group::isend) returns a [`SendRequest`], [`irecv`](super::Group::irecv) a [`RecvRequest`]. Both convert to an
/// [`AnyRequest`], for waits for sends and receives together. A request does not borrow its group, so both can be fields of one struct:
///
/// ```
/// use multicomputer::{Machine, prelude::*};
///
/// /// A ring whose ranks receive from the left while they compute.
/// struct Halo<'n> {
///     ring: Group<'n>,
///     left: Option<RecvRequest<'n>>,
/// }
///
/// impl<'n> Halo<'n> {
///     fn post(ring: Group<'n>) -> Result<Halo<'n>, CommError> {
///         let left = ring.irecv((ring.rank() + ring.size() - 1) % ring.size())?;
///         Ok(Halo { ring, left: Some(left) })
///     }
/// }
///
/// let run = Machine::hockney(1, 4).build()?.run(|node| {
///     let mut halo = Halo::post(node.world().subgroup(&[3, 2, 1, 0])?)?;
///     let sent = halo.ring.isend((halo.ring.rank() + 1) % 4, [node.rank() as u64])?;
///     node.compute(Span::from_micros(100))?;
///     let message = halo.left.take().ok_or("the receive is posted")?.wait()?;
///     sent.wait()?;
///     Ok(message.to_vec::<u64>()?[0])
/// })?;
/// assert_eq!(run.outputs, [1, 2, 3, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Dropping
///
/// A request owns its resources, so dropping it is safe, but usually an error of the program.
///
/// * A dropped send continues. The report lists it as [never waited for](crate::report::RunReport::unwaited);
///   [`detach`](Request::detach) gives up a send without that.
/// * A dropped receive stays posted. The report lists the message that it takes as [never
///   received](crate::report::RunReport::unreceived). (Dropping a receive from any source costs host time: from then on the node asks the
///   kernel which messages its receives take.)
///
/// With [`deny_unreceived`](crate::MachineBuilder::deny_unreceived) both make the run fail.
#[must_use = "wait for the request: the message of a dropped receive is lost"]
pub struct Request<'n, T> {
    call: Call<'n>,
    result: PhantomData<fn() -> T>,
}

/// A receive in progress, whose wait returns the message.
pub type RecvRequest<'n> = Request<'n, Message>;

/// A send in progress, whose wait returns when the message has left.
pub type SendRequest<'n> = Request<'n, ()>;

/// A send or a receive in progress, whose wait returns the message of a receive, and `None` for a send.
pub type AnyRequest<'n> = Request<'n, Option<Message>>;

/// The result of a [test](Request::test) of a request.
#[derive(Debug)]
pub enum Tested<'n, T> {
    /// The request is complete.
    Complete(T),
    /// The request is still in progress.
    Pending(Request<'n, T>),
}

/// The result of a wait for a [`Request`]: a [`Message`], `()`, or an `Option<Message>`. The trait is sealed: no other crate can implement
/// it.
pub trait Completion: sealed::FromMessage {}

impl Completion for Message {}
impl Completion for () {}
impl Completion for Option<Message> {}

mod sealed {
    use super::Message;

    /// Conversion from the message of a complete request; `None` for a receive without a message.
    pub trait FromMessage: Sized {
        fn from_message(message: Option<Message>) -> Option<Self>;
    }

    impl FromMessage for Message {
        fn from_message(message: Option<Message>) -> Option<Message> {
            message
        }
    }

    impl FromMessage for () {
        fn from_message(_: Option<Message>) -> Option<()> {
            Some(())
        }
    }

    impl FromMessage for Option<Message> {
        fn from_message(message: Option<Message>) -> Option<Option<Message>> {
            Some(message)
        }
    }
}

/// A request of the endpoint. Dropping it leaves the request to the endpoint.
struct Call<'n> {
    endpoint: &'n dyn Endpoint,
    /// `None` for a request with the null process, which is complete from the beginning.
    id: Option<RequestId>,
    kind: Kind,
    /// Whether the request has not been completed by a wait or a test.
    is_open: bool,
}

enum Kind {
    Send(Parcel),
    /// A receive, with the members of its group, by which the node that sent the message becomes a rank.
    Recv(Members),
    /// A receive from the null process.
    RecvNull,
    /// A request that the program has given up, or whose test failed.
    Detached,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.filter(|_| self.is_open) {
            let unwaited = match self.kind {
                Kind::Send(parcel) => Some(parcel),
                Kind::Recv(_) | Kind::RecvNull | Kind::Detached => None,
            };
            self.endpoint.forget(id, unwaited);
        }
    }
}

impl<'n> SendRequest<'n> {
    pub(super) fn send(endpoint: &'n dyn Endpoint, id: RequestId, parcel: Parcel) -> SendRequest<'n> {
        Request::new(endpoint, Some(id), Kind::Send(parcel))
    }

    /// A send to the null process.
    pub(super) fn to_null(endpoint: &'n dyn Endpoint) -> SendRequest<'n> {
        Request::new(endpoint, None, Kind::Detached)
    }

    /// Gives up the request: the message is sent all the same, and nothing tells when it has left. Unlike a dropped request, the report
    /// does not list it.
    #[doc(alias = "MPI_Request_free")]
    pub fn detach(mut self) {
        self.call.kind = Kind::Detached;
    }
}

impl<'n> RecvRequest<'n> {
    pub(super) fn recv(endpoint: &'n dyn Endpoint, id: RequestId, members: Members) -> RecvRequest<'n> {
        Request::new(endpoint, Some(id), Kind::Recv(members))
    }

    /// Waits for the message, copies it to the beginning of a [buffer](Buffer), and returns its status, as
    /// [`recv_into`](super::Group::recv_into) does.
    ///
    /// # Errors
    /// The errors of [`recv_into`](super::Group::recv_into).
    #[track_caller]
    pub fn wait_into(self, buffer: &mut (impl Buffer + ?Sized)) -> Result<Status, CommError> {
        self.wait()?.store(buffer)
    }

    /// A receive from the null process.
    pub(super) fn from_null(endpoint: &'n dyn Endpoint) -> RecvRequest<'n> {
        Request::new(endpoint, None, Kind::RecvNull)
    }
}

impl<'n, T> Request<'n, T> {
    fn new(endpoint: &'n dyn Endpoint, id: Option<RequestId>, kind: Kind) -> Request<'n, T> {
        Request { call: Call { endpoint, id, kind, is_open: true }, result: PhantomData }
    }
}

impl<'n, T: Completion> Request<'n, T> {
    /// Waits until the request is complete. For a receive, also spends the receive overhead and returns the message.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`](super::Group).
    #[doc(alias = "MPI_Wait")]
    #[track_caller]
    pub fn wait(mut self) -> Result<T, CommError> {
        self.call.is_open = false;
        let received = match self.call.id {
            Some(id) => called(self.call.endpoint).wait(id)?,
            None => None,
        };
        self.complete(received)
    }

    /// Tests whether the request is complete at this instant of the node's clock. If it is, the call acts as a [`wait`](Request::wait); if
    /// not, it costs no modeled time and returns the request.
    ///
    /// # Errors
    /// In virtual time, [`CommError::Livelock`] if the program has only tested and probed without success for too long; the errors common
    /// to all calls of a [`Group`](super::Group).
    #[doc(alias = "MPI_Test")]
    #[track_caller]
    pub fn test(mut self) -> Result<Tested<'n, T>, CommError> {
        let Some(id) = self.call.id else { return self.complete(None).map(Tested::Complete) };
        match called(self.call.endpoint).test(id, true) {
            Ok((_, Some(received))) => self.complete(received).map(Tested::Complete),
            Ok((_, None)) => Ok(Tested::Pending(self)),
            Err(error) => {
                self.call.kind = Kind::Detached;
                Err(error)
            }
        }
    }

    /// Waits for each of the requests in turn and returns their results in the same order.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`](super::Group); the requests after a failed one are dropped.
    #[doc(alias = "MPI_Waitall")]
    #[track_caller]
    pub fn wait_all(requests: impl IntoIterator<Item = Self>) -> Result<Vec<T>, CommError> {
        let mut requests = requests.into_iter();
        let Some(first) = requests.next() else { return Ok(Vec::new()) };
        as_library_call(first.call.endpoint, WAIT_ALL, || {
            iter::once(first).chain(requests).map(Request::wait).collect()
        })
    }

    /// Waits until any of the requests is complete. Returns its index and its result, and replaces it by `None`; the other requests keep
    /// their indices. Of several complete requests the first in modeled time is returned, then the first in the list. Where time is not
    /// modeled, the request that this node saw complete first is returned.
    ///
    /// ```
    /// use multicomputer::{Machine, prelude::*};
    ///
    /// let run = Machine::hockney(1, 3).build()?.run(|node| {
    ///     let world = node.world();
    ///     if node.rank() > 0 {
    ///         node.compute(Span::from_micros(100 / node.rank() as u64))?;
    ///         world.send(0, [node.rank() as u8])?;
    ///         return Ok(vec![]);
    ///     }
    ///     let mut posted = [Some(world.irecv(1)?), Some(world.irecv(2)?)];
    ///     let mut order = Vec::new();
    ///     while posted.iter().any(Option::is_some) {
    ///         let (index, message) = Request::wait_any(&mut posted)?;
    ///         order.push((index, message.source));
    ///     }
    ///     Ok(order)
    /// })?;
    /// assert_eq!(run.outputs[0], [(1, 2), (0, 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CommError::NothingToWaitFor`] if there are no requests; the errors common to all calls of a [`Group`](super::Group). A failed
    /// request is also replaced by `None`.
    #[doc(alias = "MPI_Waitany")]
    #[track_caller]
    pub fn wait_any(requests: &mut [Option<Self>]) -> Result<(usize, T), CommError> {
        Request::wait_any_until(requests, Time::MAX)?.ok_or(CommError::Ended)
    }

    /// Waits like [`wait_any`](Request::wait_any), but returns `None` and leaves the requests unchanged if none is complete at `deadline`.
    /// If the deadline has passed, the call returns immediately. A request that completes exactly at the deadline is returned.
    ///
    /// # Errors
    /// As [`wait_any`](Request::wait_any); in virtual time, [`CommError::Livelock`] if the program has only polled without success for too
    /// long.
    #[doc(alias = "MPI_Testany")]
    #[track_caller]
    pub fn wait_any_until(
        requests: &mut [Option<Self>],
        deadline: Time,
    ) -> Result<Option<(usize, T)>, CommError> {
        let is_null = |request: &Option<Self>| request.as_ref().is_some_and(|open| open.call.id.is_none());
        if let Some(index) = requests.iter().position(is_null)
            && let Some(request) = requests[index].take()
        {
            return Ok(Some((index, request.complete(None)?)));
        }
        let open = || requests.iter().flatten();
        let Some(first) = open().next() else { return Err(CommError::NothingToWaitFor) };
        let ids = open().filter_map(|request| request.call.id).collect();
        let (_, complete) = called(first.call.endpoint).wait_any_until(ids, deadline)?;
        let Some((place, received)) = complete else { return Ok(None) };
        let mut open = requests.iter_mut().enumerate().filter(|(_, request)| request.is_some());
        let taken = open.nth(place).and_then(|(index, request)| Some((index, request.take()?)));
        let Some((index, mut request)) = taken else { return Err(CommError::Ended) };
        request.call.is_open = false;
        Ok(Some((index, request.complete(received?)?)))
    }

    /// Converts the result of the complete request.
    fn complete(mut self, received: Option<Envelope>) -> Result<T, CommError> {
        self.call.is_open = false;
        let message = match (&self.call.kind, received) {
            (Kind::Recv(members), Some(envelope)) => Some(members.message(envelope)),
            (Kind::RecvNull, _) => Some(Message::null()),
            _ => None,
        };
        T::from_message(message).ok_or(CommError::Ended)
    }
}

impl<'n> From<SendRequest<'n>> for AnyRequest<'n> {
    fn from(request: SendRequest<'n>) -> AnyRequest<'n> {
        Request { call: request.call, result: PhantomData }
    }
}

impl<'n> From<RecvRequest<'n>> for AnyRequest<'n> {
    fn from(request: RecvRequest<'n>) -> AnyRequest<'n> {
        Request { call: request.call, result: PhantomData }
    }
}

impl<T> fmt::Debug for Request<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.call.kind {
            Kind::Send(_) => "send",
            Kind::Recv(_) => "receive",
            Kind::RecvNull => "receive from the null process",
            Kind::Detached => "detached",
        };
        write!(f, "Request({kind}, {:?} of node {})", self.call.id, self.call.endpoint.id())
    }
}
