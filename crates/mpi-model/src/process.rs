//! The state of one rank of an MPI program.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeMap,
    fmt,
    rc::Rc,
    sync::Arc,
};

use multicomputer::{
    Span, Time, all_to_all,
    collective::{self, Job, Operation},
    comm::{Group, Node, transport::Transport},
};

use crate::{
    abi, attribute,
    check::{Check, Checker, Site},
    clock::Clock,
    communicator::{self, Communicator},
    computation, datatype, dynamic,
    error::{Class, Error, MpiError},
    error_handler, file,
    function::Function,
    group, info, op, partitioned,
    point_to_point::{Buffered, Claimed},
    program::Program,
    request, session,
    table::{Kind, Table},
    tool, window,
    word::Handle,
};

/// The phase of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before `MPI_Init`.
    Before,
    /// Between `MPI_Init` and `MPI_Finalize`.
    Initialized,
    /// After `MPI_Finalize`.
    Finalized,
}

/// The object whose error handler takes an error.
#[derive(Clone, Debug)]
pub enum Scope<'n> {
    /// A call without a communicator, window or file.
    Process,
    /// A communicator.
    Communicator(Rc<Communicator<'n>>),
    /// A window.
    Window(Handle),
    /// A file.
    File(Handle),
    /// A session.
    Session(Handle),
    /// An object of this kind that the call makes, with this error handler.
    New(Kind, Handle),
}

/// Settings of a job.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Modeled time of an unsuccessful test or probe, and of a query of the time without another call before it. Without it a program that
    /// polls would never advance its clock.
    pub poll: Span,
    /// Keys and values of `MPI_INFO_ENV` that the model does not know by itself, such as `command`, `argv` and `wdir`.
    pub environment: Vec<(String, String)>,
    /// The number of processes: the first nodes of the machine; `None` is all nodes.
    pub ranks: Option<usize>,
    /// Algorithms of collective operations, instead of the choice of *Auto*.
    pub algorithms: BTreeMap<Operation, collective::Algorithm>,
    /// The algorithm of all-to-all, instead of the choice of *Auto*.
    pub exchange: Option<all_to_all::Algorithm>,
    /// The services that the processes of the job have published. All processes need clones of one value.
    pub services: Arc<dynamic::Services>,
    /// The storage of files; without it reading and writing take no modeled time.
    pub storage: Option<file::Storage>,
    /// The open files of the job. All processes need clones of one value.
    pub files: Arc<file::Shared>,
    /// The check of the run, if it is checked. All processes need clones of one reference.
    pub check: Option<Arc<Check>>,
    /// What the ranks of the job share: one and the same for all of them.
    pub shared: Arc<window::Shared>,
}

/// The way in which the program of a rank ends before its `main` returns.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// `MPI_Abort` with an error code.
    Abort(i32),
    /// An error that its error handler does not let the program see: the function, the error.
    Error(String),
}

/// One rank of an MPI program.
pub struct Process<'n> {
    /// The node's calls without groups.
    pub(crate) node: Transport<'n>,
    /// All nodes of the machine.
    pub(crate) world: Rc<Group<'n>>,
    /// All nodes, as the parent of groups whose members alone know of them, so that their contexts do not depend on other groups.
    pub(crate) groups_of_members: OnceCell<Group<'n>>,
    /// The program's memory and functions.
    pub program: Rc<dyn Program>,
    pub(crate) settings: Settings,
    pub(crate) phase: Cell<Phase>,
    pub(crate) thread_level: Cell<i32>,
    /// Whether the calls come from another thread than the one that runs `main`.
    pub(crate) is_elsewhere: Cell<bool>,
    /// The object whose error handler takes an error of the current call.
    pub(crate) scope: RefCell<Scope<'n>>,
    /// The call that the program has made last.
    pub(crate) site: Rc<Cell<Option<Site>>>,
    /// The notes of the rank, if the run is checked.
    pub(crate) checker: Option<Checker>,
    /// The number of functions of the program that the current call has called and that have not returned.
    depth: Cell<usize>,
    /// Whether a call has ended the program.
    leaves: Cell<bool>,
    clock: Clock<'n>,
    end: RefCell<Option<End>>,
    pub(crate) communicators: RefCell<Table<Rc<Communicator<'n>>>>,
    pub(crate) requests: RefCell<request::State<'n>>,
    /// Messages that matched probes have claimed.
    pub(crate) messages: RefCell<Table<Rc<Claimed<'n>>>>,
    pub(crate) buffered: RefCell<Buffered>,
    pub(crate) attributes: RefCell<attribute::State>,
    pub(crate) computation: computation::State,
    pub(crate) datatypes: RefCell<datatype::State>,
    pub(crate) error_handlers: RefCell<error_handler::State>,
    pub(crate) groups: RefCell<group::State>,
    pub(crate) infos: RefCell<info::State>,
    pub(crate) operators: RefCell<op::State>,
    pub(crate) windows: RefCell<window::State<'n>>,
    pub(crate) sessions: RefCell<session::State>,
    pub(crate) tools: RefCell<tool::State>,
    pub(crate) files: RefCell<file::State<'n>>,
    pub(crate) ports: RefCell<dynamic::State>,
    pub(crate) partitioned: RefCell<partitioned::State>,
}

/// The result of a call for the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The call returns this error code; 0 is success.
    Returns(i32),
    /// The program of this rank ends.
    Leaves,
}

impl<'n> Process<'n> {
    /// Makes the process of a node, before `MPI_Init`.
    pub fn new(node: &Node<'n>, program: Rc<dyn Program>, settings: Settings) -> Process<'n> {
        let node = Transport::of(node);
        let clock = Clock::new(node, settings.poll);
        let checker = settings.check.clone().map(|check| Checker::new(check, node.rank()));
        let process = Process {
            node,
            world: Rc::new(node.world()),
            groups_of_members: OnceCell::new(),
            program,
            settings,
            phase: Cell::new(Phase::Before),
            thread_level: Cell::new(abi::THREAD_SINGLE),
            is_elsewhere: Cell::new(false),
            scope: RefCell::new(Scope::Process),
            site: Rc::default(),
            checker,
            depth: Cell::new(0),
            leaves: Cell::new(false),
            clock,
            end: RefCell::new(None),
            communicators: RefCell::new(Table::new(Kind::Communicator)),
            requests: RefCell::default(),
            messages: RefCell::new(Table::new(Kind::Message)),
            buffered: RefCell::default(),
            attributes: RefCell::default(),
            computation: computation::State::default(),
            datatypes: RefCell::default(),
            error_handlers: RefCell::default(),
            groups: RefCell::default(),
            infos: RefCell::default(),
            operators: RefCell::default(),
            windows: RefCell::default(),
            sessions: RefCell::default(),
            tools: RefCell::default(),
            files: RefCell::default(),
            ports: RefCell::default(),
            partitioned: RefCell::default(),
        };
        if process.checker.is_some() {
            process.follow_objects();
        }
        process
    }

    /// Lets the tables note which call has made an object.
    fn follow_objects(&self) {
        let site = &self.site;
        self.communicators.borrow_mut().follow(site);
        self.requests.borrow_mut().table.follow(site);
        self.messages.borrow_mut().follow(site);
        self.datatypes.borrow_mut().derived.follow(site);
        self.error_handlers.borrow_mut().table.follow(site);
        self.groups.borrow_mut().table.follow(site);
        self.infos.borrow_mut().table.follow(site);
        self.operators.borrow_mut().created.follow(site);
        self.windows.borrow_mut().table.follow(site);
        self.sessions.borrow_mut().table.follow(site);
        self.files.borrow_mut().table.follow(site);
    }

    /// Makes the current thread, which runs `main` if `is_main`, the one that calls. Returns false if the thread level that was provided does
    /// not allow that.
    pub fn move_here(&self, is_main: bool) -> bool {
        let is_allowed = is_main || self.thread_level.get() >= abi::THREAD_SERIALIZED;
        if is_allowed {
            self.node.move_here();
            self.is_elsewhere.set(!is_main);
        }
        is_allowed
    }

    /// Carries out a call of the program at a place, which [`check::Places`](crate::check::Places) names. A callback may call it while another
    /// call is under way.
    pub fn call(&self, function: &'static Function, words: &[usize], place: usize) -> Outcome {
        if self.leaves.get() {
            return Outcome::Leaves;
        }
        self.clock.called();
        let site = Site { function: function.name, place };
        let outer = (self.site.replace(Some(site)), self.scope.replace(Scope::Process));
        let outcome = match self.note_call(function, words) {
            Ok(met) => {
                let outcome = self.outcome(function, words);
                self.note_end(met);
                outcome
            }
            Err(_) => self.leave(),
        };
        if self.depth.get() > 0 {
            self.site.set(outer.0);
            *self.scope.borrow_mut() = outer.1;
        }
        outcome
    }

    fn outcome(&self, function: &'static Function, words: &[usize]) -> Outcome {
        let result = match self.phase.get() {
            Phase::Initialized => (function.run)(self, words),
            _ if function.always || self.sessions.borrow().is_open() => (function.run)(self, words),
            Phase::Before => Err(Error::new(Class::OTHER, "called before MPI_Init")),
            Phase::Finalized => Err(Error::new(Class::OTHER, "called after MPI_Finalize")),
        };
        match result {
            // A function of the program, such as an operator, has ended the program.
            Ok(()) if self.leaves.get() => Outcome::Leaves,
            Ok(()) => Outcome::Returns(0),
            Err(Error::Leave) => self.leave(),
            Err(Error::Mpi(error)) => {
                self.find_scope(function, words);
                self.note_error(&error);
                self.raise(&error)
            }
        }
    }

    /// Ends the program, because the run is over.
    fn leave(&self) -> Outcome {
        self.leaves.set(true);
        self.note_unstarted();
        Outcome::Leaves
    }

    /// Finds the communicator or the window of a call whose arguments were not decoded up to it.
    fn find_scope(&self, function: &Function, words: &[usize]) {
        let is_comm = |name: &&str| matches!(*name, "comm" | "local_comm" | "intercomm");
        let is_open = matches!(*self.scope.borrow(), Scope::Process);
        if is_open && let Some(at) = function.arguments.iter().position(is_comm) {
            // An invalid handle leaves the scope unchanged.
            let _ = self.communicator(Handle(words[at]));
        }
        if is_open && let Some(at) = function.arguments.iter().position(|name| *name == "win") {
            let _ = window::of_handle(self, Handle(words[at]));
        }
    }

    /// Answers a call of a function that the model does not support.
    pub fn unsupported(&self, name: &'static str) -> Outcome {
        *self.scope.borrow_mut() = Scope::Process;
        self.fatal(format!("{name} is not supported"));
        self.leaves.set(true);
        Outcome::Leaves
    }

    /// Passes an error to the error handler of the object of the call.
    fn raise(&self, error: &MpiError) -> Outcome {
        let scope = self.scope.borrow().clone();
        match error_handler::handle(self, &scope, error) {
            Ok(code) => Outcome::Returns(code),
            Err(_) => {
                self.leaves.set(true);
                Outcome::Leaves
            }
        }
    }

    /// Notes that the program of this rank ends because of an error. The caller then returns [`Error::Leave`].
    pub(crate) fn fatal(&self, text: String) {
        self.end.borrow_mut().get_or_insert(End::Error(text));
    }

    /// Notes that the program has called `MPI_Abort`.
    pub(crate) fn abort(&self, code: i32) {
        self.end.borrow_mut().get_or_insert(End::Abort(code));
    }

    /// The way in which the program of this rank ended, if it was not by a return, `exit`, or the end of the run.
    pub fn end(&self) -> Option<End> {
        self.end.borrow().clone()
    }

    /// The function that the program has called last.
    pub fn last_function(&self) -> Option<&'static str> {
        self.site.get().map(|site| site.function)
    }

    /// Whether MPI is initialized and not finalized.
    pub fn is_initialized(&self) -> bool {
        self.phase.get() == Phase::Initialized
    }

    /// Calls a function of the program. No object of the process may be borrowed: the function may call MPI.
    ///
    /// # Errors
    /// [`Error::Leave`] if a call of the function has ended the program.
    pub(crate) fn call_back(&self, function: usize, arguments: &[usize]) -> Result<usize, Error> {
        self.depth.set(self.depth.get() + 1);
        let result = self.program.call(function, arguments);
        self.depth.set(self.depth.get() - 1);
        if self.leaves.get() { Err(Error::Leave) } else { Ok(result) }
    }

    /// Advances the clock after an unsuccessful test or probe, so that a program that polls sees its time go by.
    pub(crate) fn polled(&self) -> Result<(), Error> {
        self.sees_memory();
        Ok(self.clock.polled()?)
    }

    /// The time on the clock of the process. See [`Clock::time`].
    ///
    /// # Errors
    /// [`Error::Leave`] once the run is over.
    pub fn time(&self) -> Result<Time, Error> {
        Ok(self.clock.time()?)
    }

    /// The error handler of `MPI_COMM_WORLD`, `MPI_COMM_SELF`, windows, and of communicators without a parent: none, which is
    /// `MPI_ERRORS_ARE_FATAL` for the program.
    pub(crate) fn initial_error_handler(&self) -> Handle {
        abi::ERRHANDLER_NULL
    }

    /// The number of processes.
    pub(crate) fn size(&self) -> usize {
        self.settings.ranks.unwrap_or(usize::MAX).min(self.world.size())
    }

    /// The node's calls.
    pub(crate) fn transport(&self) -> Transport<'n> {
        self.node
    }

    /// The algorithm of a collective operation.
    pub(crate) fn algorithm(&self, job: &Job) -> collective::Algorithm {
        self.settings.algorithms.get(&job.operation()).cloned().unwrap_or(collective::Algorithm::AUTO)
    }

    /// The algorithm of all-to-all.
    pub(crate) fn exchange_algorithm(&self) -> all_to_all::Algorithm {
        self.settings.exchange.clone().unwrap_or(all_to_all::Algorithm::AUTO)
    }

    /// Returns the communicator of a handle, whose error handler then takes errors of the call.
    pub(crate) fn communicator(&self, handle: Handle) -> Result<Rc<Communicator<'n>>, Error> {
        communicator::of_handle(self, handle)
    }
}

impl fmt::Debug for Process<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Process({}, {:?})", self.node.rank(), self.phase.get())
    }
}
