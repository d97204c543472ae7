//! Error handlers, and error classes and codes that a program adds.
//!
//! An error handler belongs to a kind of object. MPI keeps it as long as an object has it, also after the program has freed its handle. So
//! an entry of the table counts the references of the program only, and is taken again when the program makes a handler of the same
//! function.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, rc::Rc};

use crate::{
    abi,
    check::Site,
    communicator::Communicator,
    error::{Class, Error, MpiError, Result},
    function::functions,
    process::{Process, Scope},
    program::Scratch,
    table::{Kind, Table},
    tool,
    word::{Address, Argument, Handle, Out, Text, store_text},
};

/// What an error handler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Ends the program: `MPI_ERRORS_ARE_FATAL`, `MPI_ERRORS_ABORT`.
    End,
    /// Returns the error code: `MPI_ERRORS_RETURN`.
    Return,
    /// Calls a function of the program, for objects of one kind.
    Call { kind: Kind, function: usize },
}

#[derive(Clone, Debug)]
pub(crate) struct ErrorHandler {
    action: Action,
    /// The number of references that the program has and has not freed.
    references: u64,
}

/// An error handler that the program gives: one that it has not freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given(pub Handle);

impl<'n> Argument<'n> for Given {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        let handler = process.error_handlers.borrow().table.get(Handle(word));
        match handler {
            Some(handler) if handler.references > 0 => Ok(Given(Handle(word))),
            _ if Handle(word) == abi::ERRHANDLER_NULL => {
                Err(Error::new(Class::ERRHANDLER, "MPI_ERRHANDLER_NULL was given"))
            }
            _ => Err(Error::new(Class::ERRHANDLER, format!("{word:#x} is no error handler"))),
        }
    }
}

/// An error class or an error code that the program has added.
#[derive(Clone, Debug)]
struct Added {
    class: i32,
    text: Option<String>,
}

/// The error handlers of a process, and the errors that the program has added.
#[derive(Debug)]
pub struct State {
    pub(crate) table: Table<ErrorHandler>,
    /// The handlers of windows, files and sessions.
    handlers: BTreeMap<Handle, Handle>,
    /// By error code. A class is the code that is its own class.
    added: BTreeMap<i32, Added>,
    /// The last error that a handler took.
    last: Option<MpiError>,
}

impl Default for State {
    fn default() -> State {
        let mut table = Table::new(Kind::ErrorHandler);
        for (handle, action) in [
            (abi::ERRORS_ARE_FATAL, Action::End),
            (abi::ERRORS_ABORT, Action::End),
            (abi::ERRORS_RETURN, Action::Return),
        ] {
            table.predefine(handle, ErrorHandler { action, references: 1 });
        }
        // The handler of files that are opened is that of MPI_FILE_NULL.
        let handlers = BTreeMap::from([(abi::FILE_NULL, abi::ERRORS_RETURN)]);
        State { table, handlers, added: BTreeMap::new(), last: None }
    }
}

impl State {
    /// The largest error code in use: attribute `MPI_LASTUSEDCODE`.
    pub(crate) fn last_used_code(&self) -> i32 {
        self.added.keys().next_back().copied().unwrap_or(abi::ERR_LASTCODE)
    }

    /// The calls that have made the handlers that the program has not freed.
    pub(crate) fn left(&self) -> Vec<Option<Site>> {
        self.table.sites().filter(|(_, handler)| handler.references > 0).map(|(site, _)| site).collect()
    }

    /// The action of a handler, which may have been freed.
    fn action(&self, handle: Handle) -> Action {
        self.table.get(handle).map_or(Action::End, |handler| handler.action)
    }

    /// Notes the error handler of a new window, file or session.
    pub(crate) fn enter(&mut self, object: Handle, handler: Handle) {
        self.handlers.insert(object, handler);
    }

    /// The error handler of files that are opened.
    pub(crate) fn of_new_file(&self) -> Handle {
        self.handlers.get(&abi::FILE_NULL).copied().unwrap_or(abi::ERRORS_RETURN)
    }

    /// Forgets the error handler of a window, file or session that is freed.
    pub(crate) fn forget(&mut self, object: Handle) {
        self.handlers.remove(&object);
    }
}

functions! {
    MPI_Comm_create_errhandler: comm_create(comm_errhandler_fn, errhandler);
    MPI_Comm_set_errhandler: comm_set(comm, errhandler);
    MPI_Comm_get_errhandler: comm_get(comm, errhandler);
    MPI_Comm_call_errhandler: comm_call(comm, errorcode);
    MPI_Win_create_errhandler: window_create(win_errhandler_fn, errhandler);
    MPI_Win_set_errhandler: window_set(win, errhandler);
    MPI_Win_get_errhandler: window_get(win, errhandler);
    MPI_Win_call_errhandler: window_call(win, errorcode);
    MPI_File_create_errhandler: file_create(file_errhandler_fn, errhandler);
    MPI_File_set_errhandler: file_set(file, errhandler);
    MPI_File_get_errhandler: file_get(file, errhandler);
    MPI_File_call_errhandler: file_call(fh, errorcode);
    MPI_Session_create_errhandler: session_create(session_errhandler_fn, errhandler) @always;
    MPI_Session_set_errhandler: session_set(session, errhandler) @always;
    MPI_Session_get_errhandler: session_get(session, errhandler) @always;
    MPI_Session_call_errhandler: session_call(session, errorcode) @always;
    MPI_Errhandler_create: comm_create(handler_fn, errhandler);
    MPI_Errhandler_set: comm_set(comm, errhandler);
    MPI_Errhandler_get: comm_get(comm, errhandler);
    MPI_Errhandler_free: free(errhandler) @always;
    MPI_Error_class: error_class(errorcode, errorclass) @always;
    MPI_Error_string: error_string(errorcode, string, resultlen) @always;
    MPI_Add_error_class: add_class(errorclass) @always;
    MPI_Add_error_code: add_code(errorclass, errorcode) @always;
    MPI_Add_error_string: add_string(errorcode, string) @always;
    MPI_Remove_error_class: remove_class(errorclass) @always;
    MPI_Remove_error_code: remove_code(errorcode) @always;
    MPI_Remove_error_string: remove_string(errorcode) @always;
}

/// Passes an error to the error handler of `scope`. Returns the error code for the program.
///
/// # Errors
/// [`Error::Leave`] if the error handler ends the program.
pub(crate) fn handle<'n>(process: &Process<'n>, scope: &Scope<'n>, error: &MpiError) -> Result<i32> {
    process.error_handlers.borrow_mut().last = Some(error.clone());
    let is_tool = process.last_function().is_some_and(|function| function.starts_with("MPI_T_"));
    if is_tool {
        return Ok(tool::code(error));
    }
    let (object, kind, handler) = taker(process, scope);
    let action = process.error_handlers.borrow().action(handler);
    let code = error.class.0;
    match action {
        Action::Return => Ok(code),
        Action::Call { kind: of, function } if of == kind => {
            let scratch = Scratch::new(&*process.program)?;
            scratch.set(0, &object);
            scratch.set(1, &code);
            process.call_back(function, &[scratch.address(0), scratch.address(1)])?;
            // The call returns the code that the handler leaves, in other libraries, too.
            Ok(scratch.get(1))
        }
        Action::Call { .. } | Action::End => {
            let function = process.last_function().unwrap_or("MPI");
            process.fatal(format!("{function}: {}", text(process, error)));
            Err(Error::Leave)
        }
    }
}

/// The object whose error handler takes an error, its kind, and the handler.
///
/// Errors of calls without an object are those of `MPI_COMM_SELF` (MPI 4.0). Before, they were those of `MPI_COMM_WORLD`, and programs set
/// only its handler. As in MPICH, that handler also takes errors of objects for which neither the program nor a parent has set one.
fn taker<'n>(process: &Process<'n>, scope: &Scope<'n>) -> (Handle, Kind, Handle) {
    let own = match scope {
        Scope::Process => (abi::COMM_SELF, Kind::Communicator, of_communicator(process, abi::COMM_SELF)),
        Scope::Communicator(comm) => (comm.handle.get(), Kind::Communicator, comm.error_handler.get()),
        Scope::Window(window) => (*window, Kind::Window, of_object(process, *window)),
        Scope::File(file) => (*file, Kind::File, of_object(process, *file)),
        Scope::Session(session) => (*session, Kind::Session, of_object(process, *session)),
        Scope::New(kind, handler) => {
            let null = if *kind == Kind::Session { abi::SESSION_NULL } else { abi::COMM_NULL };
            (null, *kind, *handler)
        }
    };
    if own.2 != process.initial_error_handler() {
        return own;
    }
    (abi::COMM_WORLD, Kind::Communicator, of_communicator(process, abi::COMM_WORLD))
}

/// The error handler of a communicator; of a handle without a communicator the initial one.
fn of_communicator(process: &Process<'_>, comm: Handle) -> Handle {
    let found = process.communicators.borrow().get(comm);
    found.map_or(process.initial_error_handler(), |comm| comm.error_handler.get())
}

/// The error handler of a window, file or session.
fn of_object(process: &Process<'_>, object: Handle) -> Handle {
    process.error_handlers.borrow().handlers.get(&object).copied().unwrap_or(process.initial_error_handler())
}

/// What happened and its class: "argument `dest`: 7 is not a rank (MPI_ERR_RANK)".
fn text(process: &Process<'_>, error: &MpiError) -> String {
    let argument = error.argument.map(|argument| format!("argument `{argument}`: ")).unwrap_or_default();
    let class = match error.class.describe() {
        Some((name, _)) => format!("MPI_{name}"),
        None => match process.error_handlers.borrow().added.get(&error.class.0) {
            Some(Added { text: Some(text), .. }) => format!("error code {}: {text}", error.class.0),
            _ => format!("error code {}", error.class.0),
        },
    };
    format!("{argument}{} ({class})", error.text)
}

fn create(process: &Process<'_>, kind: Kind, function: Address, errhandler: Out<Handle>) -> Result<()> {
    if function.is_null() {
        return Err(Error::new(Class::ARG, "a null pointer was given for a function"));
    }
    let action = Action::Call { kind, function: function.0 };
    let mut state = process.error_handlers.borrow_mut();
    let unused = |handler: &ErrorHandler| handler.references == 0 && handler.action == action;
    let freed = state.table.iter().find(|(_, handler)| unused(handler)).map(|(handle, _)| handle);
    let handle = match freed {
        Some(handle) => {
            refer(&mut state, handle);
            handle
        }
        None => state.table.insert(ErrorHandler { action, references: 1 }),
    };
    errhandler.set(process, handle);
    Ok(())
}

/// Counts one more reference of the program.
fn refer(state: &mut State, handle: Handle) {
    if let Some(handler) = state.table.get_mut(handle) {
        handler.references += 1;
    }
}

/// Checks that a handler is one for objects of this kind.
fn check_kind(process: &Process<'_>, kind: Kind, handler: Given) -> Result<Handle> {
    match process.error_handlers.borrow().action(handler.0) {
        Action::Call { kind: of, .. } if of != kind => {
            let text = format!("the error handler is for an object of kind {of:?}, not {kind:?}");
            Err(Error::argument(Class::ERRHANDLER, "errhandler", text))
        }
        _ => Ok(handler.0),
    }
}

fn comm_create(process: &Process<'_>, function: Address, errhandler: Out<Handle>) -> Result<()> {
    create(process, Kind::Communicator, function, errhandler)
}

fn comm_set<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, errhandler: Given) -> Result<()> {
    comm.error_handler.set(check_kind(process, Kind::Communicator, errhandler)?);
    Ok(())
}

fn comm_get<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, errhandler: Out<Handle>) -> Result<()> {
    give(process, comm.error_handler.get(), errhandler);
    Ok(())
}

/// Returns a reference to a handler, which the program frees.
fn give(process: &Process<'_>, handler: Handle, errhandler: Out<Handle>) {
    let handler = if handler == process.initial_error_handler() { abi::ERRORS_ARE_FATAL } else { handler };
    refer(&mut process.error_handlers.borrow_mut(), handler);
    errhandler.set(process, handler);
}

/// Passes an error code of the program to the handler of the object.
fn call_handler<'n>(process: &Process<'n>, scope: &Scope<'n>, code: i32) -> Result<()> {
    let error = MpiError { class: Class(code), argument: None, text: "raised by the program".to_owned() };
    handle(process, scope, &error)?;
    Ok(())
}

fn comm_call<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, errorcode: i32) -> Result<()> {
    call_handler(process, &Scope::Communicator(comm), errorcode)
}

macro_rules! object {
    ($kind:ident, $class:ident, $argument:literal, $create:ident, $set:ident, $get:ident, $call:ident) => {
        fn $create(process: &Process<'_>, function: Address, errhandler: Out<Handle>) -> Result<()> {
            create(process, Kind::$kind, function, errhandler)
        }

        fn $set(process: &Process<'_>, object: Handle, errhandler: Given) -> Result<()> {
            known(process, object, Class::$class).map_err(|error| error.of($argument))?;
            *process.scope.borrow_mut() = Scope::$kind(object);
            let handler = check_kind(process, Kind::$kind, errhandler)?;
            process.error_handlers.borrow_mut().handlers.insert(object, handler);
            Ok(())
        }

        fn $get(process: &Process<'_>, object: Handle, errhandler: Out<Handle>) -> Result<()> {
            known(process, object, Class::$class).map_err(|error| error.of($argument))?;
            give(process, of_object(process, object), errhandler);
            Ok(())
        }

        fn $call(process: &Process<'_>, object: Handle, errorcode: i32) -> Result<()> {
            known(process, object, Class::$class).map_err(|error| error.of($argument))?;
            call_handler(process, &Scope::$kind(object), errorcode)
        }
    };
}

object!(Window, WIN, "win", window_create, window_set, window_get, window_call);
object!(File, FILE, "file", file_create, file_set, file_get, file_call);
object!(Session, SESSION, "session", session_create, session_set, session_get, session_call);

/// Checks that a window, file or session exists.
fn known(process: &Process<'_>, object: Handle, class: Class) -> Result<()> {
    if process.error_handlers.borrow().handlers.contains_key(&object) {
        return Ok(());
    }
    let (_, description) = class.describe().unwrap_or_default();
    Err(Error::new(class, format!("{:#x}: {description}", object.0)))
}

fn free(process: &Process<'_>, errhandler: Out<Handle>) -> Result<()> {
    let handle = errhandler.get(process);
    Given::decode(process, handle.0).map_err(|error| error.of("errhandler"))?;
    let mut state = process.error_handlers.borrow_mut();
    // MPI_Comm_get_errhandler may have returned a predefined handler: freeing it is no error.
    if !state.table.is_predefined(handle)
        && let Some(handler) = state.table.get_mut(handle)
    {
        handler.references -= 1;
    }
    errhandler.set(process, abi::ERRHANDLER_NULL);
    Ok(())
}

/// Whether a code is one of the standard: a class, or a code of the tool information interface.
fn is_standard(code: i32) -> bool {
    Class(code).describe().is_some() || tool::CODES.contains(&code) || code == abi::ERR_LASTCODE
}

fn no_code(code: i32) -> Error {
    Error::new(Class::ARG, format!("{code} is no error code"))
}

fn error_class(process: &Process<'_>, errorcode: i32, errorclass: Out<i32>) -> Result<()> {
    let added = process.error_handlers.borrow().added.get(&errorcode).map(|added| added.class);
    match added {
        Some(class) => errorclass.set(process, class),
        None if is_standard(errorcode) => errorclass.set(process, errorcode),
        None => return Err(no_code(errorcode).of("errorcode")),
    }
    Ok(())
}

fn error_string(process: &Process<'_>, errorcode: i32, string: Address, resultlen: Out<i32>) -> Result<()> {
    let state = process.error_handlers.borrow();
    let text = match state.added.get(&errorcode) {
        Some(added) => added.text.clone().unwrap_or_default(),
        None if is_standard(errorcode) => {
            let class = Class(errorcode).to_string();
            match &state.last {
                Some(last) if last.class.0 == errorcode && errorcode != 0 => {
                    let argument =
                        last.argument.map(|name| format!("argument `{name}`: ")).unwrap_or_default();
                    format!("{class}; last: {argument}{}", last.text)
                }
                _ => class,
            }
        }
        None => return Err(no_code(errorcode).of("errorcode")),
    };
    let length = store_text(process, string, &text, abi::MAX_ERROR_STRING);
    resultlen.set(process, length as i32);
    Ok(())
}

fn add_class(process: &Process<'_>, errorclass: Out<i32>) -> Result<()> {
    let code = add(process, None);
    errorclass.set(process, code);
    Ok(())
}

fn add_code(process: &Process<'_>, errorclass: i32, errorcode: Out<i32>) -> Result<()> {
    let is_class = Class(errorclass).describe().is_some() || is_added_class(process, errorclass);
    if !is_class {
        let text = format!("{errorclass} is no error class");
        return Err(Error::argument(Class::ARG, "errorclass", text));
    }
    let code = add(process, Some(errorclass));
    errorcode.set(process, code);
    Ok(())
}

/// Adds an error code of a class, or without a class an error class.
fn add(process: &Process<'_>, class: Option<i32>) -> i32 {
    let mut state = process.error_handlers.borrow_mut();
    let code = state.last_used_code() + 1;
    state.added.insert(code, Added { class: class.unwrap_or(code), text: None });
    code
}

fn is_added_class(process: &Process<'_>, class: i32) -> bool {
    process.error_handlers.borrow().added.get(&class).is_some_and(|added| added.class == class)
}

fn add_string(process: &Process<'_>, errorcode: i32, string: Text) -> Result<()> {
    set_string(process, errorcode, Some(string.0))
}

fn set_string(process: &Process<'_>, errorcode: i32, text: Option<String>) -> Result<()> {
    let mut state = process.error_handlers.borrow_mut();
    let Some(added) = state.added.get_mut(&errorcode) else {
        let text = format!("{errorcode} is no error code that the program has added");
        return Err(Error::argument(Class::ARG, "errorcode", text));
    };
    added.text = text;
    Ok(())
}

fn remove_class(process: &Process<'_>, errorclass: i32) -> Result<()> {
    if !is_added_class(process, errorclass) {
        let text = format!("{errorclass} is no error class that the program has added");
        return Err(Error::argument(Class::ARG, "errorclass", text));
    }
    let mut state = process.error_handlers.borrow_mut();
    let codes = state.added.values().filter(|added| added.class == errorclass).count() - 1;
    if codes > 0 {
        let text = format!("{codes} error codes of the class {errorclass} have to be removed first");
        return Err(Error::argument(Class::OTHER, "errorclass", text));
    }
    state.added.remove(&errorclass);
    Ok(())
}

fn remove_code(process: &Process<'_>, errorcode: i32) -> Result<()> {
    let mut state = process.error_handlers.borrow_mut();
    match state.added.get(&errorcode) {
        Some(added) if added.class != errorcode => {
            state.added.remove(&errorcode);
            Ok(())
        }
        _ => {
            let text = format!("{errorcode} is no error code that the program has added");
            Err(Error::argument(Class::ARG, "errorcode", text))
        }
    }
}

fn remove_string(process: &Process<'_>, errorcode: i32) -> Result<()> {
    set_string(process, errorcode, None)
}
