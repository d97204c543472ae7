//! Checks of a run: what is wrong with a program although its run may end normally.
//!
//! The model notes in a [`Check`], which all ranks of a run share, what its calls do, and each check compares two of these notes:
//!
//! ```text
//!   finding      a kind of error, its ranks, its source lines, how to mend it
//!   ledger       messages, receives and collective calls that are not matched yet; the matches are compared
//!   collective   what the ranks of a communicator give in one collective call
//!   blocks       blocks of exchanges, each from one process to another
//!   counted      collective calls with a count for each process
//!   buffers      the buffers that a call names
//!   flight       buffers of operations in progress: their contents and other accesses to them
//!   in_progress  these buffers by their addresses
//!   window       accesses to the memory of windows, and what orders them
//!   ready        sends in ready mode, whose receives have been posted
//!   finalize     what is left at MPI_Finalize: requests, communicators, datatypes and so on
//!   verdict      the cause of a deadlock, and messages that nobody has received
//! ```
//!
//! Nothing is noted in a run without a check. A check changes neither modeled time nor results.

mod blocks;
mod buffers;
mod collective;
mod counted;
mod finalize;
mod finding;
mod flight;
mod in_progress;
mod ledger;
mod ready;
mod verdict;
mod window;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fmt,
    num::NonZeroU32,
    sync::{Arc, atomic::AtomicBool},
};

use multicomputer::{
    Payload, Rank,
    comm::{
        Message,
        transport::{Context, From, To},
    },
};
use parking_lot::Mutex;

pub use self::finding::{Finding, Key, Kind, Line};
pub use self::flight::Access;
pub use self::ready::SentMessage;
pub use self::verdict::RankEnd;
use self::{
    flight::Flights,
    ledger::{Label, Ledger, Posted, Sent},
    ready::Ready,
    window::{Met, WindowNotes, Windows},
};
pub(crate) use self::{
    flight::{Role, pieces_of},
    ledger::Peer,
    window::{Act, Clock, Noted, Part, Region},
};
use crate::{
    buffer::Buffer,
    communicator::{self, Communicator},
    error::{Class, MpiError, Result},
    function::Function,
    point_to_point::Mode,
    process::Process,
};

/// A call of the program: the function, and the place, as the program's loader numbers places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The name of the function.
    pub function: &'static str,
    /// The place of the call, for [`Places`].
    pub place: usize,
}

impl Site {
    /// Whether it is an access of the program to memory.
    fn is_access(self) -> bool {
        !self.function.starts_with("MPI")
    }
}

/// Returns the source line of a place, as `FILE:LINE`.
pub type Places = dyn Fn(usize) -> Option<String> + Send + Sync;

/// What is noted and found in one run. All processes of the run need clones of one reference.
pub struct Check {
    places: Box<Places>,
    ledger: Mutex<Ledger>,
    findings: Mutex<BTreeMap<Key, Finding>>,
    choices: Mutex<BTreeMap<Rank, Site>>,
    /// Persistent requests of which a start may be missing, of ranks that have ended or could not go on, with the other side of the message.
    unstarted: Mutex<Vec<(Rank, Site, Option<Peer>)>>,
    /// The messages in ready mode that were received.
    ready: Mutex<Vec<Ready>>,
    windows: Windows,
    /// Data of collective calls that was too long for its buffer.
    too_long: Mutex<Vec<Finding>>,
    /// Whether ranks have made different collective calls at the same time.
    calls_differ: AtomicBool,
}

impl Check {
    /// A check of a run, with the names of places.
    pub fn new(places: Box<Places>) -> Check {
        let (ledger, findings, choices, unstarted, ready, windows) = Default::default();
        let (too_long, calls_differ) = Default::default();
        Check { places, ledger, findings, choices, unstarted, ready, windows, too_long, calls_differ }
    }

    /// The source line of a call on a rank.
    pub(crate) fn line(&self, rank: Rank, site: Site) -> Line {
        Line { rank, function: site.function, place: (self.places)(site.place) }
    }

    /// Adds a finding, or a rank to one that is known.
    pub fn add(&self, finding: Finding) {
        let mut findings = self.findings.lock();
        match findings.entry(finding.key()) {
            std::collections::btree_map::Entry::Occupied(mut known) => known.get_mut().merge(finding),
            std::collections::btree_map::Entry::Vacant(place) => drop(place.insert(finding)),
        }
    }

    /// The first call of each rank that could take one of several messages or requests.
    pub fn choices(&self) -> BTreeMap<Rank, Line> {
        self.choices.lock().iter().map(|(&rank, &site)| (rank, self.line(rank, site))).collect()
    }

    fn has_findings(&self) -> bool {
        !self.findings.lock().is_empty()
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("findings", &self.findings.lock().len()).finish_non_exhaustive()
    }
}

/// The notes of one rank.
pub(crate) struct Checker {
    check: Arc<Check>,
    rank: Rank,
    /// The numbers of the messages and receives that the rank has begun.
    begun: Cell<u32>,
    /// The number of collective calls on each communicator.
    calls: RefCell<BTreeMap<Context, u64>>,
    /// The processes of communicators on which there were messages.
    members: RefCell<BTreeMap<Context, Arc<[Rank]>>>,
    flights: RefCell<Flights>,
    /// The memory that the program has allocated by MPI.
    memory: RefCell<BTreeMap<usize, Site>>,
    /// The number of calls of the program.
    call: Cell<u64>,
    /// How deep the present call is in parts of operations whose buffers were noted when they began.
    internal: Cell<u32>,
    /// The last call that had a finding.
    wrong: Cell<Option<Site>>,
    windows: WindowNotes,
    /// Whether the program reports its accesses to memory, once it was asked.
    is_instrumented: Cell<Option<bool>>,
}

impl Checker {
    pub(crate) fn new(check: Arc<Check>, rank: Rank) -> Checker {
        Checker {
            check,
            rank,
            begun: Cell::new(0),
            calls: RefCell::default(),
            members: RefCell::default(),
            flights: RefCell::default(),
            memory: RefCell::default(),
            call: Cell::new(0),
            internal: Cell::new(0),
            wrong: Cell::new(None),
            windows: WindowNotes::default(),
            is_instrumented: Cell::new(None),
        }
    }

    /// The number of the next collective call on a communicator.
    fn next_call(&self, context: Context) -> u64 {
        let mut calls = self.calls.borrow_mut();
        let number = calls.entry(context).or_insert(0);
        *number += 1;
        *number
    }

    fn next(&self) -> NonZeroU32 {
        let number = NonZeroU32::MIN.saturating_add(self.begun.get());
        self.begun.set(number.get());
        number
    }

    /// The source line of a call of this rank.
    fn line(&self, site: Site) -> Line {
        self.check.line(self.rank, site)
    }
}

/// A receive that was posted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostedId {
    number: NonZeroU32,
    flight: Option<u32>,
}

impl<'n> Process<'n> {
    /// Whether the run is checked.
    pub(crate) fn is_checked(&self) -> bool {
        self.checker.is_some()
    }

    /// The call that the program has made last.
    pub(crate) fn site(&self) -> Site {
        self.site.get().unwrap_or(Site { function: "MPI", place: 0 })
    }

    /// Adds a finding at the current call.
    pub(crate) fn found(
        &self,
        kind: Kind,
        text: impl Into<String>,
        help: impl Into<String>,
        others: Vec<Line>,
    ) {
        if let Some(checker) = &self.checker {
            let site = self.site();
            checker.wrong.set(Some(site));
            checker.check.add(Finding::new(kind, text, checker.line(site)).with(others).help(help));
        }
    }

    /// Notes an error of a call: it is a finding, unless the call has one already.
    pub(crate) fn note_error(&self, error: &MpiError) {
        let Some(checker) = &self.checker else { return };
        if checker.wrong.get() == self.site.get() {
            return;
        }
        let kind = match error.class {
            Class::TRUNCATE if error.argument.is_none() => Kind::CountMismatch,
            Class::RMA_SYNC => Kind::MissingEpoch,
            Class::RMA_CONFLICT => Kind::GlobalConcurrency,
            Class::NOT_SAME => Kind::CallOrder,
            Class::OTHER if error.argument.is_none() => Kind::CallOrder,
            _ => Kind::InvalidArgument,
        };
        let argument = error.argument.map(|name| format!("argument `{name}`: ")).unwrap_or_default();
        let function = self.site().function;
        self.found(kind, format!("{function}: {argument}{}", error.text), "", Vec::new());
    }

    /// Notes that data of a collective call is too long for its buffer. It follows from different calls, if there are any.
    pub(crate) fn note_too_long(&self, text: &str) {
        if let Some(checker) = &self.checker {
            let site = self.site();
            checker.wrong.set(Some(site));
            let text = format!("{}: {text}", site.function);
            checker.check.too_long.lock().push(Finding::new(Kind::CountMismatch, text, checker.line(site)));
        }
    }

    /// Copies the data of a message out of the program's memory, and notes the message.
    pub(crate) fn outgoing(&self, to: To, comm: &Communicator<'_>, buffer: &Buffer, mode: Mode) -> Payload {
        let data = buffer.load(self);
        let Some(checker) = &self.checker else { return data };
        let number = checker.next();
        let sent = Sent {
            site: self.site(),
            to: to.rank,
            context: to.context,
            tag: to.tag,
            comm: self.label(comm),
            members: self.note_members(comm),
            signature: buffer.datatype.signature(buffer.count as u64),
            type_name: buffer.datatype.to_string(),
            clock: self.released(),
            is_ready: mode == Mode::Ready,
        };
        checker.check.ledger.lock().sends.insert((checker.rank, number), sent);
        data.with_note(Some(number))
    }

    /// Notes a receive or a probe.
    pub(crate) fn posted(
        &self,
        from: From,
        comm: &Communicator<'_>,
        buffer: Option<&Buffer>,
    ) -> Option<PostedId> {
        let checker = self.checker.as_ref()?;
        if from.source.is_none() {
            self.note_choice();
        }
        let number = checker.next();
        let posted = Posted {
            site: self.site(),
            source: from.source,
            context: from.context,
            tag: from.tag,
            comm: self.label(comm),
            members: self.note_members(comm),
        };
        checker.check.ledger.lock().receives.insert((checker.rank, number), posted);
        let flight = buffer.map(|buffer| self.departs(buffer, Role::Receive));
        Some(PostedId { number, flight: flight.flatten() })
    }

    /// The processes of an intracommunicator, as ranks of the world.
    fn note_members(&self, comm: &Communicator<'_>) -> Option<Arc<[Rank]>> {
        let checker = self.checker.as_ref().filter(|_| comm.remote.is_none())?;
        let mut known = checker.members.borrow_mut();
        let context = comm.messages().context();
        Some(known.entry(context).or_insert_with(|| communicator::nodes(comm).into()).clone())
    }

    /// What texts call a communicator.
    fn label(&self, comm: &Communicator<'_>) -> Label {
        let made = self.communicators.borrow().site(comm.handle.get());
        Label { name: comm.name.borrow().clone(), made }
    }

    /// Notes memory that the current call allocates.
    pub(crate) fn note_memory(&self, address: usize) {
        if let Some(checker) = &self.checker {
            checker.memory.borrow_mut().insert(address, self.site());
        }
    }

    /// Forgets memory that is freed.
    pub(crate) fn forget_memory(&self, address: usize) {
        if let Some(checker) = &self.checker {
            checker.memory.borrow_mut().remove(&address);
        }
    }

    /// Notes that the current call takes one of several messages or requests.
    pub(crate) fn note_choice(&self) {
        if let Some(checker) = &self.checker {
            checker.check.choices.lock().entry(checker.rank).or_insert_with(|| self.site());
        }
    }

    /// Notes that a receive or a probe is over, without a message that it takes.
    pub(crate) fn withdrawn(&self, posted: Option<PostedId>) {
        if let (Some(checker), Some(posted)) = (&self.checker, posted) {
            checker.check.ledger.lock().receives.remove(&(checker.rank, posted.number));
        }
    }

    /// Compares a message with the buffer of the receive that takes it, before the data is stored.
    pub(crate) fn arrived(&self, message: &Message, buffer: &Buffer, posted: Option<PostedId>) {
        let Some(checker) = &self.checker else { return };
        let (sent, receive) = {
            let mut ledger = checker.check.ledger.lock();
            let sent = message.payload.note().and_then(|note| ledger.sends.remove(&(message.source, note)));
            let receive = posted.and_then(|posted| ledger.receives.remove(&(checker.rank, posted.number)));
            (sent, receive)
        };
        if let Some(flight) = posted.and_then(|posted| posted.flight) {
            self.arrives(flight);
        }
        self.acquired(sent.as_ref().and_then(|sent| sent.clock.as_ref()));
        let Some(sent) = sent else { return };
        let site = receive.map_or_else(|| self.site(), |receive| receive.site);
        if let (true, Some(note)) = (sent.is_ready, message.payload.note()) {
            let ready =
                Ready { message: (message.source, note), sent: sent.site, received: (checker.rank, site) };
            checker.check.ready.lock().push(ready);
        }
        let layout = buffer.datatype.layout();
        if layout.accepts(&sent.signature) {
            return;
        }
        let text = format!(
            "{} receives {} as {}, and {} of rank {} has sent {}",
            site.function,
            sent.signature,
            buffer.datatype,
            sent.site.function,
            message.source,
            sent.type_name,
        );
        checker.wrong.set(self.site.get());
        let finding = Finding::new(Kind::DatatypeMismatch, text, checker.line(site));
        let other = checker.check.line(message.source, sent.site);
        checker.check.add(finding.with(vec![other]).help("give the same basic datatypes on both sides"));
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checker({})", self.rank)
    }
}

impl<'n> Process<'n> {
    /// Notes a call of the program before it is carried out. [`note_end`](Process::note_end) takes the result.
    ///
    /// # Errors
    /// The run is over.
    pub(crate) fn note_call(&self, function: &'static Function, words: &[usize]) -> Result<Option<Met>> {
        let Some(checker) = &self.checker else { return Ok(None) };
        checker.call.set(checker.call.get() + 1);
        checker.windows.polls.set(function.name == "MPI_Win_sync");
        self.end_freed(function);
        let met = collective::enter(self, function, words)?;
        self.check_overlap(function, words);
        self.departs_collective(function, words);
        Ok(met)
    }

    /// Notes the end of a call.
    pub(crate) fn note_end(&self, met: Option<Met>) {
        self.leaves(met);
        self.forget_departed();
    }
}

/// What the functions of this module look at in a call.
fn argument(function: &Function, words: &[usize], name: &str) -> Option<usize> {
    function.arguments.iter().position(|argument| *argument == name).map(|at| words[at])
}
