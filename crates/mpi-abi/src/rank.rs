//! The program of one rank, from its start to its end.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    collections::BTreeMap,
    env,
    ffi::{CString, OsString, c_char, c_int, c_void},
    panic::resume_unwind,
    path::Path,
    ptr,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use multicomputer::{
    Machine, Observer, Run, Span, Time, all_to_all,
    collective::{self, Operation},
    comm::{Node, transport::Transport},
    error::Failure,
    explore::Order,
};
use multicomputer_mpi_model::{
    check::Check,
    file::Storage,
    process::{End, Process, Settings},
};
use multicomputer_nx_model as nx;

use crate::{
    crash::{self, Watched},
    entry::{Calls, thread_time},
    error::{ProgramError, ProgramFailure},
    loader::{Copy, Described, Initializers, Program, c_string},
    memory::Memory,
    output::Output,
};

/// How a program runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The number of ranks, on the first nodes of the machine (default: all nodes).
    pub ranks: Option<usize>,
    /// The arguments of the program, without its name.
    pub arguments: Vec<OsString>,
    /// The environment of every rank (default: that of this process).
    pub environment: Vec<(OsString, OsString)>,
    /// What the program's computation costs (default: nothing).
    pub compute: Compute,
    /// Whether lines of output begin with the rank (default: no).
    pub is_labelled: bool,
    /// Algorithms of collective operations, instead of the choice of *Auto*.
    pub algorithms: BTreeMap<Operation, collective::Algorithm>,
    /// The algorithm of `MPI_Alltoall`, instead of the choice of *Auto*.
    pub exchange: Option<all_to_all::Algorithm>,
    /// The modeled time of an unsuccessful test or probe and of a query of the time (default: 10 ns).
    pub poll: Span,
    /// The storage of MPI-IO (default: none, reading and writing take no modeled time).
    pub storage: Option<Storage>,
}

impl Options {
    /// The number of ranks on a machine.
    pub(crate) fn ranks_on(&self, machine: &Machine) -> Result<usize, ProgramError> {
        let nodes = machine.spec().nodes();
        match self.ranks.unwrap_or(nodes) {
            ranks if ranks == 0 || ranks > nodes => Err(ProgramError::Ranks { given: ranks, nodes }),
            ranks => Ok(ranks),
        }
    }

    /// What the program is told of its start.
    fn described(&self, path: &Path) -> Vec<(String, String)> {
        let arguments: Vec<_> = self.arguments.iter().map(|argument| argument.to_string_lossy()).collect();
        let folder = env::current_dir().unwrap_or_default();
        vec![
            ("command".into(), path.display().to_string()),
            ("argv".into(), arguments.join(" ")),
            ("wdir".into(), folder.display().to_string()),
        ]
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            ranks: None,
            arguments: Vec::new(),
            environment: env::vars_os().collect(),
            compute: Compute::Free,
            is_labelled: false,
            algorithms: BTreeMap::new(),
            exchange: None,
            poll: Span::from_nanos(10),
            storage: None,
        }
    }
}

/// The modeled time of what the program computes between calls of MPI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compute {
    /// Nothing: only communication takes time.
    Free,
    /// The processor time on this host times a factor. It differs from run to run.
    Measured(f64),
    /// The number of basic blocks that the program executes times this time. The program must be compiled with
    /// `multicomputer cc --count`. It is the same in every run.
    Counted(Span),
}

/// What a rank starts with; same layout as `mc_start` in c/process.h.
#[repr(C)]
pub(crate) struct Start {
    process: *const c_void,
    output: *const c_void,
    watched: *const c_void,
    rank: c_int,
    argument_count: c_int,
    arguments: *const *const c_char,
    environment: *const *const c_char,
    program: *const Described,
    objects: *const Initializers,
    object_count: usize,
}

/// How a rank has ended: the numbers of `mc_how` in c/process.h.
mod how {
    pub(super) const LEFT: i32 = 1;
    pub(super) const ABORTED: i32 = 2;
}

/// Strings for C with a null address at the end.
struct Strings {
    _strings: Vec<CString>,
    addresses: Vec<*const c_char>,
}

impl Strings {
    fn new(strings: impl IntoIterator<Item = CString>) -> Strings {
        let strings: Vec<CString> = strings.into_iter().collect();
        let addresses = strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect();
        Strings { _strings: strings, addresses }
    }
}

// SAFETY: the addresses are those of the strings, which do not change.
unsafe impl Sync for Strings {}

/// What all ranks of a run share.
pub(crate) struct Job<'p> {
    program: &'p Program,
    options: &'p Options,
    pub(crate) copies: Vec<Copy>,
    pub(crate) output: &'static Output,
    pub(crate) watched: Vec<&'static Watched>,
    /// Whether the program has started threads, which may be left.
    pub(crate) has_threads: AtomicBool,
    /// What all ranks share.
    settings: Settings,
    arguments: Strings,
    environment: Strings,
}

impl Program {
    /// Runs the program on the nodes of a machine, a rank on each, and returns the exit status of each rank. Nodes without a rank return 0.
    ///
    /// Ranks run on the nodes' threads, which need a [stack](multicomputer::MachineBuilder::stack_size) as large as a process has, often 8 MiB.
    /// A signal such as SIGSEGV that a rank gets ends the process with a message.
    ///
    /// # Errors
    /// [`ProgramError`]: a copy cannot be loaded, there are too many ranks, a rank ends with another status than 0 before `MPI_Finalize` or
    /// calls `MPI_Abort`, or the run ends early, as by a deadlock.
    pub fn run(&self, machine: &Machine, options: &Options) -> Result<Run<i32>, ProgramError> {
        self.run_once(machine, options, None)
    }

    /// Runs the program in virtual time with a given order of arrival.
    ///
    /// # Errors
    /// As [`Program::run`].
    pub fn replay(
        &self,
        machine: &Machine,
        options: &Options,
        order: &Order,
    ) -> Result<Run<i32>, ProgramError> {
        self.run_once(machine, options, Some(order))
    }

    fn run_once(
        &self,
        machine: &Machine,
        options: &Options,
        order: Option<&Order>,
    ) -> Result<Run<i32>, ProgramError> {
        let ranks = options.ranks_on(machine)?;
        let output = Output::new(ranks, options.is_labelled);
        let job = self.job(options, self.copies(ranks, false)?, output, None);
        let of_node = |node: &Node<'_>| match job.copies.get(node.rank()) {
            Some(copy) => job.rank(node, copy),
            None => Ok(0),
        };
        let run = match order {
            None => machine.run_observed(job.observer(), of_node),
            Some(order) => machine.replay_order_observed(order, job.observer(), of_node),
        };
        job.output.flush();
        Ok(run?)
    }

    /// Prepares a run.
    pub(crate) fn job<'p>(
        &'p self,
        options: &'p Options,
        copies: Vec<Copy>,
        output: Output,
        check: Option<Arc<Check>>,
    ) -> Job<'p> {
        let ranks = copies.len();
        // Threads of the program may write after the run.
        let output: &'static Output = Box::leak(Box::new(output));
        crash::install(self.api);
        let name = c_string(self.path().as_os_str());
        // Lines of Fortran's standard output then have the modeled times at which they are written, as those of C, and none is lost when the
        // run ends early.
        let unbuffered = ("GFORTRAN_UNBUFFERED_PRECONNECTED".into(), "y".into());
        let is_given = options.environment.iter().any(|(name, _)| *name == unbuffered.0);
        let variables = options.environment.iter().chain((!is_given).then_some(&unbuffered));
        let variable = |(name, value): &(OsString, OsString)| {
            let mut text = name.clone();
            text.push("=");
            text.push(value);
            c_string(&text)
        };
        Job {
            program: self,
            options,
            copies,
            has_threads: AtomicBool::new(false),
            output,
            watched: (0..ranks).map(|rank| Watched::new(rank, output, &self.api.table)).collect(),
            settings: Settings {
                poll: options.poll,
                environment: options.described(self.path()),
                ranks: Some(ranks),
                algorithms: options.algorithms.clone(),
                exchange: options.exchange.clone(),
                storage: options.storage,
                check,
                ..Settings::default()
            },
            arguments: Strings::new(
                [name].into_iter().chain(options.arguments.iter().map(|text| c_string(text))),
            ),
            environment: Strings::new(variables.map(variable)),
        }
    }
}

/// Follows the run for the output, and names calls of MPI in place of the model's own calls.
#[derive(Debug)]
struct Observed {
    output: &'static Output,
    watched: Vec<&'static Watched>,
}

impl Observer for Observed {
    fn place(&self, rank: usize) -> Option<usize> {
        self.watched.get(rank)?.call()
    }

    fn name(&self, place: usize) -> Option<String> {
        self.watched.first()?.name(place)
    }

    fn reached(&self, at: Time, rank: usize) {
        self.output.reach(at, rank);
    }
}

/// The end of the program of a rank.
struct Ended {
    how: i32,
    status: i32,
    end: Option<End>,
    is_finalized: bool,
    /// Whether MPI_Finalize is missing.
    is_initialized: bool,
    panic: Option<Box<dyn Any + Send>>,
}

impl Job<'_> {
    /// The observer of the run.
    pub(crate) fn observer(&self) -> Arc<dyn Observer> {
        Arc::new(Observed { output: self.output, watched: self.watched.clone() })
    }

    /// Runs the program of a rank on this thread.
    fn rank(&self, node: &Node<'_>, copy: &Copy) -> Result<i32, Failure> {
        self.run_rank(node, copy).map(|(status, _)| status).map_err(Failure::from)
    }

    /// Runs the program of a rank on this thread; returns its status, and whether MPI is initialized still.
    pub(crate) fn run_rank(&self, node: &Node<'_>, copy: &Copy) -> Result<(i32, bool), ProgramFailure> {
        let rank = node.rank();
        let ended = self.call_main(node, copy);
        if let Some(panic) = ended.panic {
            resume_unwind(panic);
        }
        let place = || self.watched[rank].place().map_or_else(String::new, |at| format!(" at {at}"));
        let last_call = || match self.watched[rank].last_call() {
            Some(call) => format!("; last call: {call}"),
            None => "; no call of MPI or NX before".into(),
        };
        let failure = match (ended.how, ended.end) {
            (how::LEFT, Some(End::Abort(code))) => ProgramFailure::Abort { rank, code, place: place() },
            (how::LEFT, Some(End::Error(text))) => ProgramFailure::Mpi { rank, text, place: place() },
            (how::LEFT, None) => ProgramFailure::Stopped { rank, last_call: last_call() },
            (how::ABORTED, _) => ProgramFailure::Aborted { rank, last_call: last_call() },
            _ if ended.status == 0 || ended.is_finalized => return Ok((ended.status, ended.is_initialized)),
            _ => ProgramFailure::Status { rank, status: ended.status, is_finalized: false },
        };
        Err(failure)
    }

    fn call_main(&self, node: &Node<'_>, copy: &Copy) -> Ended {
        let (api, options) = (self.program.api, self.options);
        let memory = Rc::new(Memory { call: api.call_program, watch: api.watch });
        let watched = self.watched[node.rank()];
        // SAFETY: `described` is the structure of a copy that stays loaded.
        let blocks = unsafe { (*copy.described).blocks };
        let calls = Calls {
            node: Transport::of(node),
            process: Process::new(node, memory.clone(), self.settings.clone()),
            nx: nx::process::Process::new(node, memory, self.copies.len(), options.poll),
            table: &api.table,
            compute: options.compute,
            blocks,
            computed: Cell::new(if let Compute::Measured(_) = options.compute { thread_time() } else { 0 }),
            time: Cell::new(None),
            is_finalized: Cell::new(false),
            watched,
            panic: RefCell::new(None),
        };
        let start = Start {
            process: (&raw const calls).cast(),
            output: ptr::from_ref(self.output).cast(),
            watched: ptr::from_ref(watched).cast(),
            rank: node.rank() as c_int,
            argument_count: self.arguments.addresses.len() as c_int - 1,
            arguments: self.arguments.addresses.as_ptr(),
            environment: self.environment.addresses.as_ptr(),
            program: copy.described,
            objects: copy.initializers.as_ptr(),
            object_count: copy.initializers.len(),
        };
        let (mut status, mut has_threads) = (0, 0);
        // SAFETY: the handle is of the loaded copy. `start` and what it names outlive the call, `calls` included, which C uses on this thread
        // only and not after the call. The copy's constructors have not run, and this thread is its only one. No exception and no jump
        // leaves the function.
        let how = unsafe {
            (api.bind_fortran)(copy.handle);
            let how = (api.run)(&raw const start, &raw mut status, &raw mut has_threads);
            (api.bind_fortran)(ptr::null_mut());
            how
        };
        self.has_threads.fetch_or(has_threads != 0, Ordering::Relaxed);
        Ended {
            how,
            is_initialized: calls.process.is_initialized(),
            status,
            end: calls.process.end().or_else(|| calls.nx.end()),
            // A program of NX may end at any time.
            is_finalized: calls.is_finalized.get() || calls.nx.is_used(),
            panic: calls.panic.take(),
        }
    }
}
