//! Generalized requests: operations of the program itself, which waits and tests treat as those of MPI (MPI 5.0, section 13.2).

use std::{cell::Cell, rc::Rc};

use crate::{
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    request::{Request, Work},
    status::{Status, StatusAddress},
    word::{Address, Handle, Out},
};

functions! {
    MPI_Grequest_start: start(query_fn, free_fn, cancel_fn, extra_state, request);
    MPI_Grequest_start_fortran: start_fortran(query_fn, free_fn, cancel_fn, extra_state, request, query_adapter, free_adapter, cancel_adapter);
    MPI_Grequest_complete: complete(request);
}

/// A function of the program. One of Fortran is called by an adapter, whose first argument it is.
#[derive(Clone, Copy, Debug)]
struct Callback {
    function: usize,
    adapter: Option<usize>,
}

impl Callback {
    /// Calls the function, which returns an error code.
    fn call(self, process: &Process<'_>, name: &'static str, arguments: &[usize]) -> Result<()> {
        let result = match self.adapter {
            None => process.call_back(self.function, arguments)?,
            Some(adapter) => process.call_back(adapter, &[&[self.function], arguments].concat())?,
        };
        match result as i32 {
            0 => Ok(()),
            code => Err(Error::new(Class(code), format!("the program's {name} returned this error"))),
        }
    }
}

/// An operation of the program.
#[derive(Debug)]
pub(crate) struct Generalized {
    query: Callback,
    free: Callback,
    cancel: Callback,
    extra_state: usize,
    /// Whether the program has completed the operation.
    pub(crate) is_complete: Cell<bool>,
    /// Whether the program has freed the request before it was complete.
    pub(crate) is_freed: Cell<bool>,
}

impl Generalized {
    /// Asks the program for the status of the complete operation.
    pub(crate) fn query(&self, process: &Process<'_>) -> Result<Status> {
        let place = process.program.allocate(Status::SIZE as usize);
        if place == 0 {
            return Err(Error::new(Class::NO_MEM, "no memory for the status of a generalized request"));
        }
        process.program.write(place, &[0; Status::SIZE as usize]);
        let status = StatusAddress(Address(place));
        status.set(process, &Status::EMPTY, true);
        let called = self.query.call(process, "query function", &[self.extra_state, place]);
        let found = status.get(process);
        process.program.release(place);
        called.map(|()| Status { error: 0, ..found })
    }

    /// Tells the program that the request is freed.
    pub(crate) fn free(&self, process: &Process<'_>) -> Result<()> {
        self.free.call(process, "free function", &[self.extra_state])
    }

    /// Asks the program to cancel the operation.
    pub(crate) fn cancel(&self, process: &Process<'_>) -> Result<()> {
        let is_complete = usize::from(self.is_complete.get());
        self.cancel.call(process, "cancel function", &[self.extra_state, is_complete])
    }
}

fn enter(process: &Process<'_>, callbacks: [Callback; 3], extra_state: usize, request: Out<Handle>) {
    let [query, free, cancel] = callbacks;
    let (is_complete, is_freed) = (Cell::new(false), Cell::new(false));
    let made = Generalized { query, free, cancel, extra_state, is_complete, is_freed };
    request.set(process, process.enter(Work::Generalized(Rc::new(made)), None));
}

fn start(
    process: &Process<'_>,
    query: Address,
    free: Address,
    cancel: Address,
    extra_state: Address,
    request: Out<Handle>,
) -> Result<()> {
    let callback = |Address(function)| Callback { function, adapter: None };
    enter(process, [query, free, cancel].map(callback), extra_state.0, request);
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn start_fortran(
    process: &Process<'_>,
    query: Address,
    free: Address,
    cancel: Address,
    extra_state: Address,
    request: Out<Handle>,
    query_adapter: Address,
    free_adapter: Address,
    cancel_adapter: Address,
) -> Result<()> {
    let callbacks = [(query, query_adapter), (free, free_adapter), (cancel, cancel_adapter)];
    let callback =
        |(function, adapter): (Address, Address)| Callback { function: function.0, adapter: Some(adapter.0) };
    enter(process, callbacks.map(callback), extra_state.0, request);
    Ok(())
}

fn complete(process: &Process<'_>, handle: Handle) -> Result<()> {
    let refusal = |text: &str| Error::argument(Class::REQUEST, "request", text);
    let found: Rc<Request<'_>> = process.request(handle)?;
    let generalized = found.generalized().ok_or_else(|| refusal("the request is not generalized"))?;
    if generalized.is_complete.replace(true) {
        return Err(refusal("the generalized request is complete already"));
    }
    if generalized.is_freed.get() {
        process.requests.borrow_mut().table.remove(handle);
        return generalized.free(process);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use crate::{
        abi,
        process::{End, Outcome},
        testing::{Tester, run, run_bare},
        word::{Address, Handle},
    };

    /// Starts a request whose callbacks note their names and arguments.
    fn start(tester: &Tester<'_, '_>) -> (usize, Rc<RefCell<Vec<String>>>) {
        let log = Rc::new(RefCell::new(Vec::new()));
        let note = |name: &'static str| {
            let log = log.clone();
            tester.arena.function(move |arena, words| {
                log.borrow_mut().push(format!(
                    "{name} {} {}",
                    words[0],
                    if name == "cancel" { words[1] } else { 0 }
                ));
                if name == "query" {
                    // The sender, and the length of the message.
                    arena.set(Address(words[1]), &[42_i32]);
                    arena.set(Address(words[1] + 16), &[12_u64]);
                }
                0
            })
        };
        let [query, free, cancel] = ["query", "free", "cancel"].map(note);
        let Handle(request) = tester.result("MPI_Grequest_start", &[query.0, free.0, cancel.0, 7]);
        (request, log)
    }

    #[test]
    fn callbacks_are_called_by_waits_and_tests() {
        run(1, |tester| {
            let (request, log) = start(tester);
            let place = tester.arena.store(&[Handle(request)]).0;
            let (flag, status, count) = (tester.room(1), tester.room(8), tester.room(1));
            tester.ok("MPI_Test", &[place, flag, status]);
            assert_eq!((tester.read(flag, 1), log.borrow().len()), (vec![0], 0));
            tester.ok("MPI_Cancel", &[place]);
            tester.ok("MPI_Grequest_complete", &[request]);
            tester.ok("MPI_Request_get_status", &[request, flag, status]);
            tester.ok("MPI_Wait", &[place, status]);
            tester.ok("MPI_Get_count", &[status, 0x209, count]);
            assert_eq!((tester.read(status, 1), tester.read(count, 1)), (vec![42], vec![3]));
            assert_eq!(*log.borrow(), ["cancel 7 0", "query 7 0", "query 7 0", "free 7 0"]);
            assert_eq!(tester.arena.get::<Handle>(Address(place), 1), [abi::REQUEST_NULL]);
            // A freed request is complete later.
            let (request, log) = start(tester);
            tester.ok("MPI_Request_free", &[tester.arena.store(&[Handle(request)]).0]);
            assert!(log.borrow().is_empty());
            tester.ok("MPI_Grequest_complete", &[request]);
            assert_eq!(*log.borrow(), ["free 7 0"]);
        });
    }

    #[test]
    fn a_wait_that_cannot_end_ends_the_program() {
        run_bare(1, |tester| {
            tester.ok("MPI_Init", &[0, 0]);
            let (request, _) = start(tester);
            let place = tester.arena.store(&[Handle(request)]).0;
            assert_eq!(tester.call("MPI_Wait", &[place, 0]), Outcome::Leaves);
            let Some(End::Error(text)) = tester.process.end() else { panic!("the program ends") };
            assert!(text.contains("MPI_Wait never ends"), "{text}");
        });
    }
}
