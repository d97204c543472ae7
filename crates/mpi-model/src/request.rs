//! Requests: operations in progress. The functions of the program that wait and test are in `completion`.
//!
//! A request's `Work` waits for requests of the transport. Sends and receives are one each. Operations of several steps (nonblocking
//! collectives) implement `Steps`; they proceed in every call of this process that waits or tests, whichever request the call is for, as
//! the progress rule of the standard asks (MPI 5.0, section 3.5). So they are also kept in a list of their own.

mod completion;
mod steps;

use std::{
    cell::{Cell, RefCell},
    fmt,
    rc::Rc,
};

use multicomputer::comm::{Message, transport::RequestId};

use crate::{
    abi,
    buffer::Buffer,
    check::{Peer, PostedId},
    communicator::Communicator,
    error::{Class, Error, MpiError, Result},
    generalized::Generalized,
    partitioned::Partitions,
    process::Process,
    status::Status,
    table::{Kind, Table},
    word::{Argument, Handle},
};

pub(crate) use completion::FUNCTIONS;
pub(crate) use steps::{Both, Steps};

/// What a request does.
pub(crate) enum Work<'n> {
    /// It is complete.
    Complete(std::result::Result<Status, MpiError>),
    /// A send.
    Send(RequestId),
    /// A receive.
    Receive(RequestId, Landing<'n>),
    /// A remote memory access, and where the data goes that it returns.
    Remote(RequestId, Option<Buffer>),
    /// An operation of several steps.
    Steps(Box<dyn Steps<'n> + 'n>),
    /// An operation of the program itself.
    Generalized(Rc<Generalized>),
    /// A partitioned send that waits for partitions: the last one that is ready starts the send.
    Partitioned,
}

/// Where a message goes.
#[derive(Clone)]
pub(crate) struct Landing<'n> {
    pub(crate) buffer: Buffer,
    pub(crate) communicator: Rc<Communicator<'n>>,
    /// The note of the receive, if the run is checked.
    pub(crate) posted: Option<PostedId>,
}

/// Begins the work of a persistent request.
pub(crate) type Start<'n> = dyn Fn(&Process<'n>) -> Result<Work<'n>> + 'n;

/// A request of the program.
pub(crate) struct Request<'n> {
    pub(crate) work: RefCell<Work<'n>>,
    /// What a persistent request starts.
    start: Option<Rc<Start<'n>>>,
    /// Whether a persistent request is started.
    is_active: Cell<bool>,
    /// The status of a received message that does not fit its buffer.
    truncated: Cell<Status>,
    /// The communicator, whose error handler takes errors of waits.
    communicator: Option<Rc<Communicator<'n>>>,
    /// The partitions of a partitioned request.
    pub(crate) partitions: Option<Rc<Partitions<'n>>>,
    /// Of a persistent request of a message: where it goes, or where it comes from.
    peer: Option<Peer>,
    /// Whether a persistent request was ever started, ever waited for, and waited for since it was complete.
    was_started: Cell<bool>,
    was_waited: Cell<bool>,
    was_waited_idle: Cell<bool>,
    /// The buffers of the operation, if the run is checked.
    pub(crate) flights: RefCell<Vec<u32>>,
}

/// The requests of a process.
pub(crate) struct State<'n> {
    pub(crate) table: Table<Rc<Request<'n>>>,
    /// Operations of several steps that are not finished.
    background: Vec<Rc<Request<'n>>>,
}

impl Default for State<'_> {
    fn default() -> Self {
        State { table: Table::new(Kind::Request), background: Vec::new() }
    }
}

impl<'n> Landing<'n> {
    /// A buffer for a message of a communicator.
    pub(crate) fn new(buffer: Buffer, communicator: &Rc<Communicator<'n>>) -> Landing<'n> {
        Landing { buffer, communicator: communicator.clone(), posted: None }
    }

    /// Stores the data of a message and returns its status. A message that ends within an element has another type than the receive.
    pub(crate) fn land(
        &self,
        process: &Process<'n>,
        message: &Message,
    ) -> std::result::Result<Status, MpiError> {
        process.arrived(message, &self.buffer, self.posted);
        let (room, bytes) = (self.buffer.bytes(), message.len());
        let status = self.communicator.status(message.source, message.tag, bytes);
        if bytes <= room {
            self.buffer.store(process, &message.payload);
            let (elements, rest) = self.buffer.datatype.layout().elements_in(bytes);
            if rest == 0 {
                return Ok(status);
            }
            let text = format!(
                "the message has {bytes} bytes, which are {elements} elements and {rest} bytes of the datatype of the receive"
            );
            return Err(MpiError { class: Class::TYPE, argument: None, text });
        }
        if let Ok(part) = message.payload.slice(..room) {
            self.buffer.store(process, &part);
        }
        let (source, tag) = (status.source, status.tag);
        let text = format!(
            "the message of rank {source} with tag {tag} has {bytes} bytes, the buffer has room for {room}"
        );
        let error = MpiError { class: Class::TRUNCATE, argument: None, text };
        process.note_error(&error);
        Err(error)
    }
}

impl<'n> Work<'n> {
    /// Work that is complete from the beginning.
    pub(crate) fn done(status: Status) -> Work<'n> {
        Work::Complete(Ok(status))
    }

    fn is_complete(&self) -> bool {
        match self {
            Work::Complete(_) => true,
            Work::Generalized(generalized) => generalized.is_complete.get(),
            Work::Steps(steps) => steps.is_finished(),
            _ => false,
        }
    }

    fn first_pending(&self) -> Option<RequestId> {
        match self {
            Work::Complete(_) | Work::Generalized(_) | Work::Partitioned => None,
            Work::Send(id) | Work::Receive(id, _) | Work::Remote(id, _) => Some(*id),
            Work::Steps(steps) => steps.first_pending(),
        }
    }

    fn pending(&self) -> Vec<RequestId> {
        match self {
            Work::Complete(_) | Work::Generalized(_) | Work::Partitioned => Vec::new(),
            Work::Send(id) | Work::Receive(id, _) | Work::Remote(id, _) => vec![*id],
            Work::Steps(steps) => steps.pending(),
        }
    }
}

impl<'n> Request<'n> {
    /// A request that works already.
    fn of(work: Work<'n>, communicator: Option<&Rc<Communicator<'n>>>) -> Request<'n> {
        Request {
            work: RefCell::new(work),
            start: None,
            is_active: Cell::new(true),
            truncated: Cell::new(Status::EMPTY),
            communicator: communicator.cloned(),
            partitions: None,
            peer: None,
            was_started: Cell::new(false),
            was_waited: Cell::new(false),
            was_waited_idle: Cell::new(false),
            flights: RefCell::default(),
        }
    }

    /// A request that works already, for the table.
    pub(crate) fn new(work: Work<'n>, communicator: Option<&Rc<Communicator<'n>>>) -> Rc<Request<'n>> {
        Rc::new(Request::of(work, communicator))
    }

    /// A persistent request, which is not active yet.
    fn persistent(
        start: Rc<Start<'n>>,
        communicator: &Rc<Communicator<'n>>,
        peer: Option<Peer>,
        partitions: Option<Rc<Partitions<'n>>>,
    ) -> Rc<Request<'n>> {
        let request = Request::of(Work::done(Status::EMPTY), Some(communicator));
        Rc::new(Request { start: Some(start), is_active: Cell::new(false), peer, partitions, ..request })
    }

    /// Whether the request is persistent.
    pub(crate) fn is_persistent(&self) -> bool {
        self.start.is_some()
    }

    /// Whether the persistent request was ever started.
    pub(crate) fn was_started(&self) -> bool {
        self.was_started.get()
    }

    /// Whether a start of the persistent request may be missing: it was never started, or the program has waited for it without a start.
    pub(crate) fn may_miss_start(&self) -> bool {
        self.is_persistent() && (!self.was_started.get() || self.was_waited_idle.get())
    }

    /// The other side of the message of a persistent request.
    pub(crate) fn peer(&self) -> Option<Peer> {
        self.peer
    }

    /// Whether the program has waited or tested for the request.
    pub(crate) fn was_waited(&self) -> bool {
        self.was_waited.get()
    }

    /// Whether the program has started the request and has not waited for it.
    pub(crate) fn is_active(&self) -> bool {
        self.is_active.get()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.work.borrow().is_complete()
    }

    /// The program's operation of a generalized request.
    pub(crate) fn generalized(&self) -> Option<Rc<Generalized>> {
        match &*self.work.borrow() {
            Work::Generalized(generalized) => Some(generalized.clone()),
            _ => None,
        }
    }

    /// Takes a complete request of the transport.
    fn advance(&self, process: &Process<'n>, id: RequestId, message: Option<Message>) -> Result<()> {
        let mut work = self.work.borrow_mut();
        let end = match &mut *work {
            Work::Send(_) => Ok(Status::EMPTY),
            Work::Receive(_, landing) => match message {
                Some(message) => {
                    let landed = landing.land(process, &message);
                    if landed.is_err() {
                        let (source, tag) = (message.source, message.tag);
                        self.truncated.set(landing.communicator.status(source, tag, message.len()));
                    }
                    landed
                }
                None => return Err(Error::Leave),
            },
            Work::Remote(_, buffer) => {
                if let (Some(buffer), Some(message)) = (buffer, message) {
                    process.result_arrives(&self.flights);
                    buffer.store(process, &message.payload);
                }
                Ok(Status::EMPTY)
            }
            Work::Steps(steps) => match process.internally(|| steps.complete(process, id, message)) {
                Err(Error::Mpi(error)) => Err(error),
                Err(Error::Leave) => return Err(Error::Leave),
                Ok(()) if steps.first_pending().is_none() => Ok(steps.status()),
                Ok(()) => return Ok(()),
            },
            Work::Complete(_) | Work::Generalized(_) | Work::Partitioned => return Ok(()),
        };
        *work = Work::Complete(end);
        Ok(())
    }
}

impl<'n> Process<'n> {
    /// Enters a request into the table and returns its handle.
    pub(crate) fn enter(&self, work: Work<'n>, communicator: Option<&Rc<Communicator<'n>>>) -> Handle {
        let request = Request::new(work, communicator);
        request.flights.replace(self.departed());
        self.keep_in_background(&request);
        self.requests.borrow_mut().table.insert(request)
    }

    /// Enters a persistent request, that of a message with its other side, into the table and returns its handle.
    pub(crate) fn enter_persistent(
        &self,
        communicator: &Rc<Communicator<'n>>,
        peer: Option<Peer>,
        start: Rc<Start<'n>>,
    ) -> Handle {
        self.requests.borrow_mut().table.insert(Request::persistent(start, communicator, peer, None))
    }

    /// Enters a partitioned request, which is persistent, into the table and returns its handle.
    pub(crate) fn enter_partitioned(
        &self,
        communicator: &Rc<Communicator<'n>>,
        start: Rc<Start<'n>>,
        partitions: Rc<Partitions<'n>>,
    ) -> Handle {
        self.requests.borrow_mut().table.insert(Request::persistent(
            start,
            communicator,
            None,
            Some(partitions),
        ))
    }

    fn keep_in_background(&self, request: &Rc<Request<'n>>) {
        if matches!(&*request.work.borrow(), Work::Steps(_)) {
            self.requests.borrow_mut().background.push(request.clone());
        }
    }

    /// Whether operations of several steps are in progress, so that calls that wait have to let them proceed.
    pub(crate) fn has_background(&self) -> bool {
        !self.requests.borrow().background.is_empty()
    }

    /// Carries out all operations in the background to their ends.
    pub(crate) fn finish_background(&self) -> Result<()> {
        while let Some(request) = { self.requests.borrow().background.first().cloned() } {
            self.wait_for(&[&request])?;
        }
        Ok(())
    }

    /// Carries out work to its end, as a blocking call.
    pub(crate) fn finish(
        &self,
        work: Work<'n>,
        communicator: Option<&Rc<Communicator<'n>>>,
    ) -> Result<Status> {
        let request = Request::new(work, communicator);
        self.keep_in_background(&request);
        self.wait_for(&[&request])?;
        self.result(&request)
    }

    /// Returns the result of a complete request.
    pub(crate) fn result(&self, request: &Request<'n>) -> Result<Status> {
        if let Some(generalized) = request.generalized() {
            return generalized.query(self);
        }
        match &*request.work.borrow() {
            Work::Complete(Ok(status)) => Ok(*status),
            Work::Complete(Err(error)) => Err(Error::Mpi(error.clone())),
            Work::Steps(steps) => Ok(steps.status()),
            _ => Err(Error::Leave),
        }
    }

    /// Waits until any of the requests is complete; returns its index. Lets operations in the background proceed.
    pub(crate) fn wait_for(&self, requests: &[&Rc<Request<'n>>]) -> Result<usize> {
        loop {
            if let Some(index) = requests.iter().position(|request| request.is_complete()) {
                self.drop_finished();
                return Ok(index);
            }
            let background = self.requests.borrow().background.clone();
            let is_only =
                |request: &Rc<Request<'n>>| background.iter().all(|other| Rc::ptr_eq(other, request));
            if let [request] = requests
                && is_only(request)
            {
                // All requests of one operation have to complete before it proceeds, in whichever order.
                let first = request.work.borrow().first_pending();
                let Some(id) = first else { return Err(self.waits_for_itself()) };
                let message = self.transport().wait(id)?;
                request.advance(self, id, message)?;
                continue;
            }
            let mut ids = Vec::new();
            let mut owners: Vec<Rc<Request<'n>>> = Vec::new();
            let background =
                background.iter().filter(|other| !requests.iter().any(|request| Rc::ptr_eq(other, request)));
            for request in requests.iter().copied().chain(background) {
                let pending = request.work.borrow().pending();
                owners.extend(pending.iter().map(|_| request.clone()));
                ids.extend(pending);
            }
            if ids.is_empty() {
                return Err(self.waits_for_itself());
            }
            let transport = self.transport();
            // Which request of the background comes first is not the program's matter.
            let (at, message) = match requests {
                [_] => transport.library_call("a wait for a request", || transport.wait_any(&ids))?,
                _ => transport.wait_any(&ids)?,
            };
            owners[at].advance(self, ids[at], message)?;
        }
    }

    /// The end of a program that waits for a request that only later calls of its own can complete.
    fn waits_for_itself(&self) -> Error {
        let function = self.last_function().unwrap_or("MPI");
        self.fatal(format!(
            "{function} never ends: before it, call MPI_Grequest_complete for a generalized request, and MPI_Pready for all partitions of a \
             partitioned send"
        ));
        Error::Leave
    }

    /// Tests whether a request is complete at this instant.
    pub(crate) fn test_one(&self, request: &Rc<Request<'n>>) -> Result<bool> {
        loop {
            if request.is_complete() {
                self.drop_finished();
                return Ok(true);
            }
            let pending = request.work.borrow().pending();
            let mut has_advanced = false;
            for id in pending {
                if let Some(message) = self.transport().test(id)? {
                    request.advance(self, id, message)?;
                    has_advanced = true;
                }
            }
            if !has_advanced {
                return Ok(false);
            }
        }
    }

    /// Lets operations in the background proceed as far as they can at this instant.
    pub(crate) fn progress(&self) -> Result<()> {
        let background = self.requests.borrow().background.clone();
        for request in &background {
            self.test_one(request)?;
        }
        Ok(())
    }

    fn drop_finished(&self) {
        let mut state = self.requests.borrow_mut();
        if !state.background.is_empty() {
            state.background.retain(|request| !request.is_complete());
        }
    }

    /// Returns the request of a handle, whose communicator's error handler then takes errors of the call.
    pub(crate) fn request(&self, handle: Handle) -> Result<Rc<Request<'n>>> {
        let found = self.requests.borrow().table.get(handle);
        let found = found.ok_or_else(|| {
            Error::argument(Class::REQUEST, "request", format!("{:#x} is no request", handle.0))
        })?;
        if let Some(communicator) = &found.communicator {
            *self.scope.borrow_mut() = crate::process::Scope::Communicator(communicator.clone());
        }
        Ok(found)
    }

    /// Ends a complete request: a persistent one becomes inactive, any other one is removed from the table. Returns its result and the new
    /// handle.
    fn end_request(&self, handle: Handle, request: &Request<'n>) -> (Result<Status>, Handle) {
        let result = self.result(request);
        self.request_ends(request);
        if request.start.is_some() {
            request.is_active.set(false);
            return (result, handle);
        }
        self.requests.borrow_mut().table.remove(handle);
        let freed = request.generalized().map_or(Ok(()), |generalized| generalized.free(self));
        (result.and_then(|status| freed.map(|()| status)), abi::REQUEST_NULL)
    }
}

impl<'n> Argument<'n> for Rc<Request<'n>> {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        process.request(Handle(word))
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request(complete: {})", self.is_complete())
    }
}

impl fmt::Debug for State<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "State({} in the background)", self.background.len())
    }
}
