//! Requests: operations in progress, waits and tests.
//!
//! A request's `Work` waits for requests of the transport. Sends and receives are one each. Operations of several steps (nonblocking
//! collectives) implement `Steps`; they proceed in every call of this process that waits or tests, whichever request the call is for, as
//! the progress rule of the standard asks (MPI 5.0, section 3.5). So they are also kept in a list of their own.

use std::{
    cell::{Cell, RefCell},
    fmt,
    rc::Rc,
};

use multicomputer::comm::{Message, transport::RequestId};

use crate::{
    abi,
    buffer::Buffer,
    communicator::Communicator,
    error::{Class, Error, MpiError, Result},
    function::functions,
    generalized::Generalized,
    partitioned::Partitions,
    process::Process,
    status::{Status, StatusAddress},
    table::{Kind, Table},
    word::{Argument, Array, Handle, Out},
};

/// An operation of several steps.
pub(crate) trait Steps<'n> {
    /// The requests for which the operation waits; none if it is finished.
    fn pending(&self) -> Vec<RequestId>;

    /// One of these requests.
    fn first_pending(&self) -> Option<RequestId> {
        self.pending().first().copied()
    }

    /// Takes one of the pending requests, which is complete, and proceeds if none is left.
    fn complete(&mut self, process: &Process<'n>, request: RequestId, message: Option<Message>)
    -> Result<()>;

    /// The status of the finished operation.
    fn status(&self) -> Status {
        Status::EMPTY
    }
}

/// A receive and a send as one operation.
pub(crate) struct Both<'n>([Request<'n>; 2]);

impl<'n> Both<'n> {
    /// The operation of both; its status is that of the receive.
    pub(crate) fn begin(receive: Work<'n>, send: Work<'n>) -> Work<'n> {
        let request = |work| Request {
            work: RefCell::new(work),
            start: None,
            is_active: Cell::new(true),
            communicator: None,
            partitions: None,
        };
        let both = Both([request(receive), request(send)]);
        if both.first_pending().is_none() { Work::done(both.status()) } else { Work::Steps(Box::new(both)) }
    }
}

impl<'n> Steps<'n> for Both<'n> {
    fn pending(&self) -> Vec<RequestId> {
        self.0.iter().flat_map(|request| request.work.borrow().pending()).collect()
    }

    fn complete(&mut self, process: &Process<'n>, id: RequestId, message: Option<Message>) -> Result<()> {
        let of = self.0.iter().find(|request| request.work.borrow().pending().contains(&id));
        let Some(request) = of else { return Ok(()) };
        request.advance(process, id, message)?;
        match &*request.work.borrow() {
            Work::Complete(Err(error)) => Err(Error::Mpi(error.clone())),
            _ => Ok(()),
        }
    }

    fn status(&self) -> Status {
        match &*self.0[0].work.borrow() {
            Work::Complete(Ok(status)) => *status,
            _ => Status::EMPTY,
        }
    }
}

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
    /// The communicator, whose error handler takes errors of waits.
    communicator: Option<Rc<Communicator<'n>>>,
    /// The partitions of a partitioned request.
    pub(crate) partitions: Option<Rc<Partitions<'n>>>,
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
    /// Stores the data of a message and returns its status.
    pub(crate) fn land(
        &self,
        process: &Process<'n>,
        message: &Message,
    ) -> std::result::Result<Status, MpiError> {
        let (room, bytes) = (self.buffer.bytes(), message.len());
        let status = self.communicator.status(message.source, message.tag, bytes);
        if bytes <= room {
            self.buffer.store(process, &message.payload);
            return Ok(status);
        }
        if let Ok(part) = message.payload.slice(..room) {
            self.buffer.store(process, &part);
        }
        let (source, tag) = (status.source, status.tag);
        let text = format!(
            "the message of rank {source} with tag {tag} has {bytes} bytes, the buffer has room for {room}"
        );
        Err(MpiError { class: Class::TRUNCATE, argument: None, text })
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
    pub(crate) fn new(work: Work<'n>, communicator: Option<&Rc<Communicator<'n>>>) -> Rc<Request<'n>> {
        let communicator = communicator.cloned();
        Rc::new(Request {
            work: RefCell::new(work),
            start: None,
            is_active: Cell::new(true),
            communicator,
            partitions: None,
        })
    }

    /// A persistent request, which is not active yet.
    fn persistent(
        start: Rc<Start<'n>>,
        communicator: &Rc<Communicator<'n>>,
        partitions: Option<Rc<Partitions<'n>>>,
    ) -> Rc<Request<'n>> {
        Rc::new(Request {
            work: RefCell::new(Work::done(Status::EMPTY)),
            start: Some(start),
            is_active: Cell::new(false),
            communicator: Some(communicator.clone()),
            partitions,
        })
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
                Some(message) => landing.land(process, &message),
                None => return Err(Error::Leave),
            },
            Work::Remote(_, buffer) => {
                if let (Some(buffer), Some(message)) = (buffer, message) {
                    buffer.store(process, &message.payload);
                }
                Ok(Status::EMPTY)
            }
            Work::Steps(steps) => match steps.complete(process, id, message) {
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
        self.keep_in_background(&request);
        self.requests.borrow_mut().table.insert(request)
    }

    /// Enters a persistent request into the table and returns its handle.
    pub(crate) fn enter_persistent(
        &self,
        communicator: &Rc<Communicator<'n>>,
        start: Rc<Start<'n>>,
    ) -> Handle {
        self.requests.borrow_mut().table.insert(Request::persistent(start, communicator, None))
    }

    /// Enters a partitioned request, which is persistent, into the table and returns its handle.
    pub(crate) fn enter_partitioned(
        &self,
        communicator: &Rc<Communicator<'n>>,
        start: Rc<Start<'n>>,
        partitions: Rc<Partitions<'n>>,
    ) -> Handle {
        self.requests.borrow_mut().table.insert(Request::persistent(start, communicator, Some(partitions)))
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
            let (at, message) = self.transport().wait_any(&ids)?;
            owners[at].advance(self, ids[at], message)?;
        }
    }

    /// The end of a program that waits for a request that only later calls of its own can complete.
    fn waits_for_itself(&self) -> Error {
        let function = self.last_function().unwrap_or("MPI");
        self.fatal(format!(
            "{function} of rank {} never ends: before it, call MPI_Grequest_complete for a generalized request, and MPI_Pready for all \
             partitions of a partitioned send",
            self.node.rank()
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
        if request.start.is_some() {
            request.is_active.set(false);
            return (result, handle);
        }
        self.requests.borrow_mut().table.remove(handle);
        let freed = request.generalized().map_or(Ok(()), |generalized| generalized.free(self));
        (result.and_then(|status| freed.map(|()| status)), abi::REQUEST_NULL)
    }
}

/// The requests of a call that takes several.
struct List<'n> {
    array: Array<Handle>,
    handles: Vec<Handle>,
    /// `None` for null and inactive requests.
    active: Vec<Option<Rc<Request<'n>>>>,
}

impl<'n> List<'n> {
    fn read(process: &Process<'n>, count: i64, array: Array<Handle>) -> Result<List<'n>> {
        let length = usize::try_from(count)
            .map_err(|_| Error::argument(Class::COUNT, "count", format!("{count} is negative")))?;
        let handles = array.read(process, length).map_err(|error| error.of("array_of_requests"))?;
        let active = handles.iter().map(|&handle| active(process, handle)).collect::<Result<_>>()?;
        Ok(List { array, handles, active })
    }

    fn is_empty(&self) -> bool {
        self.active.iter().all(Option::is_none)
    }

    /// Ends the request at `index`, which is complete.
    fn end(&mut self, process: &Process<'n>, index: usize) -> Option<Result<Status>> {
        let request = self.active[index].take()?;
        let (result, handle) = process.end_request(self.handles[index], &request);
        if handle != self.handles[index] {
            self.array.set(process, index, handle);
        }
        Some(result)
    }
}

/// Returns the request of a handle, unless it is null or inactive.
fn active<'n>(process: &Process<'n>, handle: Handle) -> Result<Option<Rc<Request<'n>>>> {
    if handle == abi::REQUEST_NULL {
        return Ok(None);
    }
    let request = process.request(handle)?;
    Ok(request.is_active.get().then_some(request))
}

functions! {
    MPI_Wait: wait(request, status);
    MPI_Test: test(request, flag, status);
    MPI_Waitall: wait_all(count, array_of_requests, array_of_statuses);
    MPI_Testall: test_all(count, array_of_requests, flag, array_of_statuses);
    MPI_Waitany: wait_any(count, array_of_requests, index, status);
    MPI_Testany: test_any(count, array_of_requests, index, flag, status);
    MPI_Waitsome: wait_some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    MPI_Testsome: test_some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    MPI_Request_free: free(request);
    MPI_Request_get_status: get_status(request, flag, status);
    MPI_Request_get_status_any: get_status_any(count, array_of_requests, index, flag, status);
    MPI_Request_get_status_all: get_status_all(count, array_of_requests, flag, array_of_statuses);
    MPI_Request_get_status_some: get_status_some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    MPI_Start: start(request);
    MPI_Startall: start_all(count, array_of_requests);
    MPI_Cancel: cancel(request);
}

fn wait<'n>(process: &Process<'n>, request: Out<Handle>, status: StatusAddress) -> Result<()> {
    let handle = request.get(process);
    let Some(found) = active(process, handle)? else {
        status.set(process, &Status::EMPTY, true);
        return Ok(());
    };
    process.wait_for(&[&found])?;
    end_one(process, request, handle, &found, status)
}

/// Ends a complete request and stores its status.
fn end_one<'n>(
    process: &Process<'n>,
    place: Out<Handle>,
    handle: Handle,
    request: &Rc<Request<'n>>,
    status: StatusAddress,
) -> Result<()> {
    let (result, handle) = process.end_request(handle, request);
    place.set(process, handle);
    status.set(process, &result?, false);
    Ok(())
}

fn test<'n>(
    process: &Process<'n>,
    request: Out<Handle>,
    flag: Out<i32>,
    status: StatusAddress,
) -> Result<()> {
    let handle = request.get(process);
    let Some(found) = active(process, handle)? else {
        flag.set_flag(process, true);
        status.set(process, &Status::EMPTY, true);
        return Ok(());
    };
    process.progress()?;
    let is_complete = process.test_one(&found)?;
    flag.set_flag(process, is_complete);
    if !is_complete {
        return process.polled();
    }
    end_one(process, request, handle, &found, status)
}

fn wait_all<'n>(
    process: &Process<'n>,
    count: i64,
    requests: Array<Handle>,
    statuses: StatusAddress,
) -> Result<()> {
    let list = List::read(process, count, requests)?;
    let open: Vec<Rc<Request<'n>>> = list.active.iter().flatten().cloned().collect();
    if open.len() > 1 && !process.has_background() {
        let transport = process.transport();
        transport.library_call("a wait for several requests", || {
            open.iter().try_for_each(|request| process.wait_for(&[request]).map(drop))
        })?;
    } else {
        open.iter().try_for_each(|request| process.wait_for(&[request]).map(drop))?;
    }
    end_all(process, list, statuses)
}

/// Ends all requests of a list, which are complete.
fn end_all<'n>(process: &Process<'n>, mut list: List<'n>, statuses: StatusAddress) -> Result<()> {
    let mut failed = None;
    let mut ends = Vec::with_capacity(list.handles.len());
    for index in 0..list.handles.len() {
        let status = match list.end(process, index) {
            None => Status::EMPTY,
            Some(Ok(status)) => status,
            Some(Err(Error::Mpi(error))) => {
                let status = Status { error: error.class.0, ..Status::EMPTY };
                failed.get_or_insert(error);
                status
            }
            Some(Err(Error::Leave)) => return Err(Error::Leave),
        };
        ends.push(status);
    }
    for (index, status) in ends.iter().enumerate() {
        statuses.at(index).set(process, status, failed.is_some());
    }
    match failed {
        None => Ok(()),
        Some(error) => Err(Error::Mpi(in_status(error))),
    }
}

/// The error of a call of which the statuses tell what each request's error is.
fn in_status(first: MpiError) -> MpiError {
    MpiError { class: Class::IN_STATUS, text: format!("{}: {}", first.class, first.text), ..first }
}

fn test_all<'n>(
    process: &Process<'n>,
    count: i64,
    requests: Array<Handle>,
    flag: Out<i32>,
    statuses: StatusAddress,
) -> Result<()> {
    let list = List::read(process, count, requests)?;
    process.progress()?;
    let mut is_complete = true;
    for request in list.active.iter().flatten() {
        is_complete &= process.test_one(request)?;
    }
    flag.set_flag(process, is_complete);
    if is_complete { end_all(process, list, statuses) } else { process.polled() }
}

fn wait_any<'n>(
    process: &Process<'n>,
    count: i64,
    requests: Array<Handle>,
    index: Out<i32>,
    status: StatusAddress,
) -> Result<()> {
    let mut list = List::read(process, count, requests)?;
    if list.is_empty() {
        index.set(process, abi::UNDEFINED);
        status.set(process, &Status::EMPTY, true);
        return Ok(());
    }
    let open: Vec<(usize, Rc<Request<'n>>)> =
        list.active.iter().cloned().enumerate().filter_map(|(at, request)| Some((at, request?))).collect();
    let waiting: Vec<&Rc<Request<'n>>> = open.iter().map(|(_, request)| request).collect();
    let (at, _) = open[process.wait_for(&waiting)?];
    index.set(process, at as i32);
    end_at(process, &mut list, at, status)
}

fn end_at<'n>(process: &Process<'n>, list: &mut List<'n>, at: usize, status: StatusAddress) -> Result<()> {
    if let Some(result) = list.end(process, at) {
        status.set(process, &result?, false);
    }
    Ok(())
}

fn test_any<'n>(
    process: &Process<'n>,
    count: i64,
    requests: Array<Handle>,
    index: Out<i32>,
    flag: Out<i32>,
    status: StatusAddress,
) -> Result<()> {
    let mut list = List::read(process, count, requests)?;
    if list.is_empty() {
        flag.set_flag(process, true);
        index.set(process, abi::UNDEFINED);
        status.set(process, &Status::EMPTY, true);
        return Ok(());
    }
    process.progress()?;
    for at in 0..list.active.len() {
        let Some(request) = list.active[at].clone() else { continue };
        if process.test_one(&request)? {
            flag.set_flag(process, true);
            index.set(process, at as i32);
            return end_at(process, &mut list, at, status);
        }
    }
    flag.set_flag(process, false);
    index.set(process, abi::UNDEFINED);
    process.polled()
}

fn wait_some<'n>(
    process: &Process<'n>,
    count: i64,
    requests: Array<Handle>,
    outcount: Out<i32>,
    indices: Array<i32>,
    statuses: StatusAddress,
) -> Result<()> {
    let list = List::read(process, count, requests)?;
    if list.is_empty() {
        outcount.set(process, abi::UNDEFINED);
        return Ok(());
    }
    let open: Vec<Rc<Request<'n>>> = list.active.iter().flatten().cloned().collect();
    process.wait_for(&open.iter().collect::<Vec<_>>())?;
    end_some(process, list, outcount, indices, statuses).map(drop)
}

fn test_some<'n>(
    process: &Process<'n>,
    count: i64,
    requests: Array<Handle>,
    outcount: Out<i32>,
    indices: Array<i32>,
    statuses: StatusAddress,
) -> Result<()> {
    let list = List::read(process, count, requests)?;
    if list.is_empty() {
        outcount.set(process, abi::UNDEFINED);
        return Ok(());
    }
    process.progress()?;
    if end_some(process, list, outcount, indices, statuses)? == 0 { process.polled() } else { Ok(()) }
}

/// Ends all requests of a list that are complete now; returns their number.
fn end_some<'n>(
    process: &Process<'n>,
    mut list: List<'n>,
    outcount: Out<i32>,
    indices: Array<i32>,
    statuses: StatusAddress,
) -> Result<usize> {
    let (mut complete, mut failed) = (Vec::new(), None);
    for at in 0..list.active.len() {
        let Some(request) = list.active[at].clone() else { continue };
        if !process.test_one(&request)? {
            continue;
        }
        let status = match list.end(process, at) {
            Some(Ok(status)) => status,
            Some(Err(Error::Mpi(error))) => {
                let status = Status { error: error.class.0, ..Status::EMPTY };
                failed.get_or_insert(error);
                status
            }
            Some(Err(Error::Leave)) => return Err(Error::Leave),
            None => Status::EMPTY,
        };
        complete.push((at as i32, status));
    }
    outcount.set(process, complete.len() as i32);
    for (nth, (at, status)) in complete.iter().enumerate() {
        indices.set(process, nth, *at);
        statuses.at(nth).set(process, status, failed.is_some());
    }
    match failed {
        None => Ok(complete.len()),
        Some(error) => Err(Error::Mpi(in_status(error))),
    }
}

fn free(process: &Process<'_>, request: Out<Handle>) -> Result<()> {
    let handle = request.get(process);
    let found = process.request(handle)?;
    if let Some(generalized) = found.generalized() {
        request.set(process, abi::REQUEST_NULL);
        if !generalized.is_complete.get() {
            // The program completes the request by a copy of its handle, which stays valid until then.
            generalized.is_freed.set(true);
            return Ok(());
        }
        process.requests.borrow_mut().table.remove(handle);
        return generalized.free(process);
    }
    // A send goes on, and nothing tells when it has left. A receive stays in the background, so that its message is stored all the same.
    if found.is_active.get() {
        // A remote memory access stays in its window.
        let (send, is_remote) = match &*found.work.borrow() {
            Work::Send(id) => (Some(*id), false),
            work => (None, matches!(work, Work::Remote(..))),
        };
        match send {
            Some(id) => process.transport().forget(id),
            None if is_remote => {}
            None if !found.is_complete() && !matches!(*found.work.borrow(), Work::Partitioned) => {
                let mut state = process.requests.borrow_mut();
                if !state.background.iter().any(|other| Rc::ptr_eq(other, &found)) {
                    state.background.push(found.clone());
                }
            }
            None => {}
        }
    }
    process.requests.borrow_mut().table.remove(handle);
    request.set(process, abi::REQUEST_NULL);
    Ok(())
}

fn get_status(process: &Process<'_>, request: Handle, flag: Out<i32>, status: StatusAddress) -> Result<()> {
    let Some(found) = active(process, request)? else {
        flag.set_flag(process, true);
        status.set(process, &Status::EMPTY, true);
        return Ok(());
    };
    process.progress()?;
    let is_complete = process.test_one(&found)?;
    flag.set_flag(process, is_complete);
    if !is_complete {
        return process.polled();
    }
    status.set(process, &process.result(&found)?, false);
    Ok(())
}

fn get_status_any(
    process: &Process<'_>,
    count: i64,
    requests: Array<Handle>,
    index: Out<i32>,
    flag: Out<i32>,
    status: StatusAddress,
) -> Result<()> {
    let list = List::read(process, count, requests)?;
    process.progress()?;
    index.set(process, abi::UNDEFINED);
    flag.set_flag(process, list.is_empty());
    status.set(process, &Status::EMPTY, true);
    for (at, request) in list.active.iter().enumerate() {
        if let Some(request) = request
            && process.test_one(request)?
        {
            index.set(process, at as i32);
            flag.set_flag(process, true);
            status.set(process, &process.result(request)?, false);
            return Ok(());
        }
    }
    if list.is_empty() { Ok(()) } else { process.polled() }
}

fn get_status_all(
    process: &Process<'_>,
    count: i64,
    requests: Array<Handle>,
    flag: Out<i32>,
    statuses: StatusAddress,
) -> Result<()> {
    let list = List::read(process, count, requests)?;
    process.progress()?;
    let mut is_complete = true;
    for request in list.active.iter().flatten() {
        is_complete &= process.test_one(request)?;
    }
    flag.set_flag(process, is_complete);
    if !is_complete {
        return process.polled();
    }
    for (at, request) in list.active.iter().enumerate() {
        let status = request.as_ref().map_or(Ok(Status::EMPTY), |request| process.result(request))?;
        statuses.at(at).set(process, &status, false);
    }
    Ok(())
}

fn get_status_some(
    process: &Process<'_>,
    count: i64,
    requests: Array<Handle>,
    outcount: Out<i32>,
    indices: Array<i32>,
    statuses: StatusAddress,
) -> Result<()> {
    let list = List::read(process, count, requests)?;
    if list.is_empty() {
        outcount.set(process, abi::UNDEFINED);
        return Ok(());
    }
    process.progress()?;
    let mut found = 0;
    for (at, request) in list.active.iter().enumerate() {
        if let Some(request) = request
            && process.test_one(request)?
        {
            indices.set(process, found, at as i32);
            statuses.at(found).set(process, &process.result(request)?, false);
            found += 1;
        }
    }
    outcount.set(process, found as i32);
    if found == 0 { process.polled() } else { Ok(()) }
}

fn start(process: &Process<'_>, request: Out<Handle>) -> Result<()> {
    start_one(process, request.get(process))
}

fn start_all(process: &Process<'_>, count: i64, requests: Array<Handle>) -> Result<()> {
    let length = usize::try_from(count)
        .map_err(|_| Error::argument(Class::COUNT, "count", format!("{count} is negative")))?;
    let handles = requests.read(process, length).map_err(|error| error.of("array_of_requests"))?;
    handles.into_iter().try_for_each(|handle| start_one(process, handle))
}

fn start_one(process: &Process<'_>, handle: Handle) -> Result<()> {
    let found = process.request(handle)?;
    let refusal = |text: &str| Err(Error::argument(Class::REQUEST, "request", text));
    let Some(start) = &found.start else { return refusal("the request is not persistent") };
    if found.is_active.get() {
        return refusal("the persistent request is active already: wait for it first");
    }
    *found.work.borrow_mut() = start(process)?;
    found.is_active.set(true);
    process.keep_in_background(&found);
    Ok(())
}

fn cancel(process: &Process<'_>, request: Out<Handle>) -> Result<()> {
    let found = process.request(request.get(process))?;
    if let Some(generalized) = found.generalized() {
        return generalized.cancel(process);
    }
    let posted = match &*found.work.borrow() {
        Work::Receive(id, _) => Some(*id),
        _ => None,
    };
    if let Some(id) = posted
        && process.transport().cancel(id)?
    {
        *found.work.borrow_mut() = Work::done(Status { is_cancelled: true, ..Status::EMPTY });
    }
    Ok(())
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
