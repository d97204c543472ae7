//! Waits and tests: the functions by which a program completes requests.

use std::rc::Rc;

use super::{Request, Work};
use crate::{
    abi,
    check::Kind,
    error::{Class, Error, MpiError, Result},
    function::functions,
    process::Process,
    status::{Status, StatusAddress},
    word::{Array, Handle, Out},
};

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

    /// Ends the request at `index`, which is complete. Returns its status and its error; the empty status for a null or inactive request.
    fn end(&mut self, process: &Process<'n>, index: usize) -> Result<(Status, Option<MpiError>)> {
        let Some(request) = self.active[index].take() else { return Ok((Status::EMPTY, None)) };
        let (result, handle) = process.end_request(self.handles[index], &request);
        if handle != self.handles[index] {
            self.array.set(process, index, handle);
        }
        match result {
            Ok(status) => Ok((status, None)),
            Err(Error::Mpi(error)) => {
                Ok((Status { error: error.class.0, ..request.truncated.get() }, Some(error)))
            }
            Err(Error::Leave) => Err(Error::Leave),
        }
    }
}

/// Returns the request of a handle, unless it is null or inactive.
fn active<'n>(process: &Process<'n>, handle: Handle) -> Result<Option<Rc<Request<'n>>>> {
    if handle == abi::REQUEST_NULL {
        return Ok(None);
    }
    let request = process.request(handle)?;
    request.was_waited.set(true);
    if !request.is_active.get() {
        request.was_waited_idle.set(true);
    }
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
    process.note_choice();
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
        let (status, error) = list.end(process, index)?;
        failed = failed.or(error);
        ends.push(status);
    }
    for (index, status) in ends.iter().enumerate() {
        statuses.at(index).set(process, status, true);
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
    process.note_choice();
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
    process.note_choice();
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
    let (ended, error) = list.end(process, at)?;
    status.set(process, &ended, false);
    error.map_or(Ok(()), |error| Err(Error::Mpi(error)))
}

fn test_any<'n>(
    process: &Process<'n>,
    count: i64,
    requests: Array<Handle>,
    index: Out<i32>,
    flag: Out<i32>,
    status: StatusAddress,
) -> Result<()> {
    process.note_choice();
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
    process.note_choice();
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
    process.note_choice();
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
        let (status, error) = list.end(process, at)?;
        failed = failed.or(error);
        complete.push((at as i32, status));
    }
    outcount.set(process, complete.len() as i32);
    for (nth, (at, status)) in complete.iter().enumerate() {
        indices.set(process, nth, *at);
        statuses.at(nth).set(process, status, true);
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
            Some(id) => {
                process.transport().forget(id);
                process.keep_flights(&found);
            }
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
    process.check_free(handle, &found);
    process.requests.borrow_mut().table.remove(handle);
    process.forget_flights(&found);
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
        let text = format!("{} starts a persistent request that is not complete", process.site().function);
        process.found(Kind::MissingWait, text, "wait for the request before it is started again", Vec::new());
        return refusal("the persistent request is active already: wait for it first");
    }
    process.begins_another();
    *found.work.borrow_mut() = start(process)?;
    found.flights.replace(process.departed());
    found.was_started.set(true);
    found.was_waited_idle.set(false);
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
        Work::Receive(id, landing) => Some((*id, landing.posted)),
        _ => None,
    };
    if let Some((id, posted)) = posted
        && process.transport().cancel(id)?
    {
        process.withdrawn(posted);
        *found.work.borrow_mut() = Work::done(Status { is_cancelled: true, ..Status::EMPTY });
    }
    Ok(())
}
