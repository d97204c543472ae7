//! Buffers of operations in progress. Until a nonblocking operation is complete, the program may not write its send buffer and not use its
//! receive buffer (MPI 5.0, section 3.7.2).
//!
//! Two things are compared: the bytes of the buffer at the beginning and at the end of the operation, which shows what the program has
//! written, and its place with the buffers of other calls, which shows what they read and write.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    hash::{DefaultHasher, Hasher as _},
};

use super::{
    Finding, Kind, Site,
    buffers::{Buffers, buffers_of},
    collective,
    in_progress::{Flight, InProgress},
    window::End,
};
use crate::{
    buffer::Buffer, datatype::layout::Layout, function::Function, process::Process, request::Request,
    word::Address,
};

/// What an operation does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Send,
    Receive,
}

/// What a program does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic or volatile load, with which programs wait for a change.
    AtomicLoad,
    /// An atomic or volatile store, or both at once.
    AtomicStore,
    /// The memory is given back.
    Free,
}

/// Functions from which a process learns nothing about others.
const TELL_NOTHING: &[&str] = &[
    "MPI_Bsend",
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Get_address",
    "MPI_Ibsend",
    "MPI_Irecv",
    "MPI_Irsend",
    "MPI_Isend",
    "MPI_Issend",
    "MPI_Request_free",
    "MPI_Rsend",
    "MPI_Send",
    "MPI_Start",
    "MPI_Startall",
    "MPI_Wtime",
];

/// The buffers of the operations in progress on a rank.
#[derive(Default)]
pub(super) struct Flights {
    by_number: InProgress,
    next: u32,
    /// What else ends with requests, with numbers of the same sequence.
    ends: BTreeMap<u32, End>,
    /// Those of the call that is being made, which no request has yet.
    new: Vec<u32>,
    /// The buffers of the persistent collective operation that the current call makes.
    persistent: Buffers,
    /// Those of sends whose requests the program has freed.
    freed: Vec<u32>,
}

impl Flights {
    /// Adds what ends with the next request.
    pub(super) fn ends_with(&mut self, end: End) {
        let number = self.next();
        self.ends.insert(number, end);
    }

    fn next(&mut self) -> u32 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        self.new.push(number);
        number
    }
}

/// The pieces of a buffer in memory, in order.
fn pieces(buffer: &Buffer) -> Vec<(usize, usize)> {
    pieces_of(buffer.address, buffer.datatype.layout(), buffer.count as u64)
}

/// As [`pieces`], of elements with this layout. Pieces that overlap or touch are one.
pub(crate) fn pieces_of(address: Address, layout: &Layout, count: u64) -> Vec<(usize, usize)> {
    let mut pieces = runs_of(address, layout, count);
    join(&mut pieces);
    pieces
}

/// Joins pieces in order that overlap or touch.
pub(super) fn join(pieces: &mut Vec<(usize, usize)>) {
    pieces.dedup_by(|next, before| {
        let is_joined = next.0 <= before.1.saturating_add(1);
        if is_joined {
            before.1 = before.1.max(next.1);
        }
        is_joined
    });
}

/// The first and the last address of each run of bytes of elements, in order.
fn runs_of(address: Address, layout: &Layout, count: u64) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    layout.for_each_run(count, |at, length| {
        if length > 0 {
            let first = address.offset(at).0;
            runs.push((first, first + length as usize - 1));
        }
    });
    runs.sort_unstable();
    runs
}

/// Whether two lists of pieces, of each of which none overlap, have an address in common.
pub(super) fn overlap(one: &[(usize, usize)], other: &[(usize, usize)]) -> bool {
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut rest = many;
    few.iter().any(|piece| {
        rest = &rest[rest.partition_point(|other| other.1 < piece.0)..];
        rest.first().is_some_and(|other| other.0 <= piece.1)
    })
}

impl<'n> Process<'n> {
    fn hash(&self, buffer: &Buffer) -> u64 {
        let mut hasher = DefaultHasher::new();
        // Without memory of its own: that of the buffer may have been freed by the program.
        let mut part = [0; 4096];
        buffer.datatype.layout().for_each_run(buffer.count as u64, |at, length| {
            let (first, length) = (buffer.address.offset(at).0, length as usize);
            for begin in (0..length).step_by(part.len()) {
                let part = &mut part[..(length - begin).min(4096)];
                self.program.read_into(first + begin, part);
                hasher.write(part);
            }
        });
        hasher.finish()
    }

    /// Notes the buffer of a nonblocking operation that begins. The next request that the program gets has it.
    pub(crate) fn departs(&self, buffer: &Buffer, role: Role) -> Option<u32> {
        let checker = self.checker.as_ref()?;
        if buffer.bytes() == 0 {
            return None;
        }
        let flight = Flight {
            call: checker.call.get(),
            site: self.site(),
            role,
            pieces: pieces(buffer),
            hash: if self.is_instrumented() { None } else { Some(self.hash(buffer)) },
            landed_in: None,
            buffer: buffer.clone(),
        };
        self.compare_with_flights(&flight.pieces, role == Role::Receive);
        let flights = &mut *checker.flights.borrow_mut();
        // A call that sends and receives with one buffer changes what it has sent.
        if role == Role::Receive {
            for number in &flights.new {
                if flights.by_number.get(*number).is_some_and(|sent| overlap(&sent.pieces, &flight.pieces)) {
                    flights.by_number.remove(*number);
                }
            }
        }
        let number = flights.next();
        flights.by_number.insert(number, flight);
        self.watch_flights(flights);
        Some(number)
    }

    /// Numbers the next one of several operations that a call begins as if it were of another call: the buffers of two operations are compared.
    pub(crate) fn begins_another(&self) {
        if let Some(checker) = &self.checker {
            checker.call.set(checker.call.get() + 1);
        }
    }

    /// Notes the buffers of a nonblocking collective operation, which a call begins, and keeps those of a persistent one.
    pub(super) fn departs_collective(&self, function: &Function, words: &[usize]) {
        let (true, Some(checker)) = (collective::is_of_chapter(function), &self.checker) else { return };
        let name = collective::base(function.name);
        if name.ends_with("_init") {
            checker.flights.borrow_mut().persistent = buffers_of(self, function, words);
        } else if name.starts_with("MPI_I") {
            self.departs_with(&buffers_of(self, function, words));
        }
    }

    /// The buffers of the persistent collective operation that the current call makes.
    pub(crate) fn persistent_buffers(&self) -> Buffers {
        self.checker.as_ref().map_or_else(Buffers::default, |checker| {
            std::mem::take(&mut checker.flights.borrow_mut().persistent)
        })
    }

    /// Notes the buffers of a collective operation that begins.
    pub(crate) fn departs_with(&self, buffers: &Buffers) {
        let Some(checker) = &self.checker else { return };
        for sent in &buffers.sent {
            self.departs(sent, Role::Send);
        }
        for received in &buffers.received {
            if let Some(number) = self.departs(received, Role::Receive)
                && let Some(flight) = checker.flights.borrow_mut().by_number.get_mut(number)
            {
                // The operation stores its result when it likes.
                flight.hash = None;
            }
        }
    }

    /// Checks that the buffers of a call do not overlap.
    pub(super) fn check_overlap(&self, function: &Function, words: &[usize]) {
        let buffers = buffers_of(self, function, words);
        let runs = |buffer: &Buffer| runs_of(buffer.address, buffer.datatype.layout(), buffer.count as u64);
        let mut received: Vec<(usize, usize)> = buffers.received.iter().flat_map(runs).collect();
        received.sort_unstable();
        let is_twice = received.windows(2).any(|pair| pair[1].0 <= pair[0].1);
        let text = if is_twice {
            "parts of its receive buffer overlap"
        } else if buffers.sent.iter().any(|sent| overlap(&pieces(sent), &received)) {
            "its send buffer and its receive buffer overlap"
        } else {
            return;
        };
        let help = "use MPI_IN_PLACE where it is allowed, or another buffer";
        self.found(Kind::InvalidArgument, format!("{}: {text}", function.name), help, Vec::new());
    }

    /// Carries out a part of an operation whose buffers were noted when it began.
    pub(crate) fn internally<T>(&self, part: impl FnOnce() -> T) -> T {
        let Some(checker) = &self.checker else { return part() };
        checker.internal.set(checker.internal.get() + 1);
        let result = part();
        checker.internal.set(checker.internal.get() - 1);
        result
    }

    /// Keeps the buffers of a send whose request the program gives up: they are in use until the program can know that the message has left.
    pub(crate) fn keep_flights(&self, request: &Request<'n>) {
        if let Some(checker) = &self.checker {
            checker.flights.borrow_mut().freed.extend(request.flights.take());
        }
    }

    /// Ends the sends of freed requests before a call from which the program may learn that they are complete.
    pub(super) fn end_freed(&self, function: &Function) {
        let Some(checker) = &self.checker else { return };
        if checker.flights.borrow().freed.is_empty()
            || TELL_NOTHING.contains(&collective::base(function.name))
        {
            return;
        }
        let freed = std::mem::take(&mut checker.flights.borrow_mut().freed);
        for number in freed {
            let site = checker.flights.borrow().by_number.get(number).map(|flight| flight.site);
            self.lands(number);
            // Allowed (MPI 5.0, section 11.2.2), and a mistake: nothing says until when the buffer is in use, or reports an error.
            if let Some(site) = site.filter(|_| function.name == "MPI_Finalize") {
                let text = format!(
                    "the request of {} is freed, and nothing tells the rank before MPI_Finalize that the message was received",
                    site.function
                );
                let help = "call MPI_Wait instead of MPI_Request_free, or MPI_Barrier before MPI_Finalize";
                let other = vec![checker.line(self.site())];
                checker
                    .check
                    .add(Finding::new(Kind::MissingWait, text, checker.line(site)).with(other).help(help));
            }
        }
    }

    /// Forgets the buffers of a request that the program gives up.
    pub(crate) fn forget_flights(&self, request: &Request<'n>) {
        let Some(checker) = &self.checker else { return };
        let flights = &mut *checker.flights.borrow_mut();
        for number in request.flights.take() {
            flights.by_number.remove(number);
            flights.ends.remove(&number);
        }
        self.watch_flights(flights);
    }

    /// Forgets the buffers of the call that ends that no request has got: the call has waited itself, or has failed.
    pub(super) fn forget_departed(&self) {
        let Some(checker) = &self.checker else { return };
        let flights = &mut *checker.flights.borrow_mut();
        let left = std::mem::take(&mut flights.new);
        if left.is_empty() {
            return;
        }
        for number in left {
            flights.by_number.remove(number);
            flights.ends.remove(&number);
        }
        self.watch_flights(flights);
    }

    /// The buffers that the current call has noted, for its request.
    pub(crate) fn departed(&self) -> Vec<u32> {
        self.checker
            .as_ref()
            .map_or_else(Vec::new, |checker| std::mem::take(&mut checker.flights.borrow_mut().new))
    }

    /// Compares the bytes of a buffer with those at the beginning of its operation; for a receive, before data is stored.
    pub(super) fn lands(&self, number: u32) {
        let Some(checker) = &self.checker else { return };
        let end = checker.flights.borrow_mut().ends.remove(&number);
        match end {
            Some(End::Meeting(met)) => self.leaves(Some(met)),
            Some(End::Access(owner, id)) => self.access_returned(owner, id),
            None => {}
        }
        let flight = {
            let flights = &mut *checker.flights.borrow_mut();
            let flight = flights.by_number.remove(number);
            if flight.is_some() {
                self.watch_flights(flights);
            }
            flight
        };
        let Some(flight) = flight else { return };
        if flight.hash.is_none_or(|hash| hash == self.hash(&flight.buffer)) {
            return;
        }
        let (function, what) = match flight.role {
            Role::Send => (flight.site.function, "send"),
            Role::Receive => (flight.site.function, "receive"),
        };
        let text = format!("the {what} buffer of {function} is written before the operation is complete");
        let finding = Finding::new(Kind::LocalConcurrency, text, checker.line(flight.site));
        let help = "write the buffer after the wait for the request";
        checker.check.add(finding.with(vec![checker.line(self.site())]).help(help));
    }

    /// Compares the buffer of a receive before data is stored in it. If accesses of the program are reported, the operation stays in progress
    /// until the program has waited for it.
    pub(super) fn arrives(&self, number: u32) {
        let Some(checker) = &self.checker else { return };
        // A blocking call waits itself.
        let began = checker.flights.borrow().by_number.get(number).map(|flight| flight.call);
        if !self.is_instrumented() || began == Some(checker.call.get()) {
            return self.lands(number);
        }
        if let Some(flight) = checker.flights.borrow_mut().by_number.get_mut(number) {
            flight.landed_in = Some(checker.call.get());
        }
    }

    /// As [`arrives`](Process::arrives), for the result of an operation with these buffers.
    pub(crate) fn result_arrives(&self, numbers: &RefCell<Vec<u32>>) {
        let Some(checker) = &self.checker else { return };
        let is_result = |number: &u32| {
            checker.flights.borrow().by_number.get(*number).is_some_and(|flight| flight.role == Role::Receive)
        };
        let results: Vec<u32> = numbers.borrow().iter().copied().filter(is_result).collect();
        results.into_iter().for_each(|number| self.arrives(number));
    }

    /// Ends the operations of a request for the program.
    pub(crate) fn request_ends(&self, request: &Request<'n>) {
        for number in request.flights.take() {
            self.lands(number);
        }
    }

    /// Compares a buffer that a call reads or writes now with those of operations in progress.
    pub(crate) fn touches(&self, buffer: &Buffer, writes: bool) {
        let Some(checker) = self.checker.as_ref().filter(|checker| checker.internal.get() == 0) else {
            return;
        };
        let has_flights = !checker.flights.borrow().by_number.is_empty();
        if has_flights || checker.check.has_windows() {
            let pieces = pieces(buffer);
            self.compare_with_flights(&pieces, writes);
            self.uses_memory(&pieces, writes);
        }
    }

    /// Notes a load or a store of the program at a place: `length` bytes at `address`. Only memory counts that the program was asked to
    /// [watch](crate::program::Program::watch).
    pub fn accessed(&self, address: usize, length: usize, access: Access, place: usize) {
        let is_idle = length == 0 || self.checker.is_none();
        let Some(last) = address.checked_add(length.wrapping_sub(1)).filter(|_| !is_idle) else { return };
        let (function, writes) = match access {
            Access::Load | Access::AtomicLoad => ("a load", false),
            Access::Store | Access::AtomicStore => ("a store", true),
            Access::Free => ("free", true),
        };
        let call = self.site.replace(Some(Site { function, place }));
        if matches!(access, Access::AtomicLoad | Access::AtomicStore) {
            self.uses_atomically((address, last), writes);
        } else {
            self.uses_memory(&[(address, last)], writes);
        }
        self.compare_with_flights(&[(address, last)], writes);
        self.site.set(call);
    }

    /// Whether the program reports its accesses to memory.
    fn is_instrumented(&self) -> bool {
        let Some(checker) = &self.checker else { return false };
        checker.is_instrumented.get().unwrap_or_else(|| {
            let reports = self.program.watch(&[]);
            checker.is_instrumented.set(Some(reports));
            reports
        })
    }

    /// Tells the program which memory to watch.
    pub(super) fn watch(&self) {
        if let Some(checker) = &self.checker {
            self.watch_flights(&checker.flights.borrow());
        }
    }

    fn watch_flights(&self, flights: &Flights) {
        if self.is_instrumented() {
            let mut ranges = self.window_memory();
            let buffers = flights.by_number.values().filter_map(|flight| {
                // All of a buffer of many pieces; reports are compared with the pieces.
                Some((flight.pieces.first()?.0, flight.pieces.last()?.1))
            });
            ranges.extend(buffers);
            ranges.sort_unstable();
            self.program.watch(&ranges);
        }
    }

    fn compare_with_flights(&self, pieces: &[(usize, usize)], writes: bool) {
        let Some(checker) = &self.checker else { return };
        let flights = checker.flights.borrow();
        let call = checker.call.get();
        let is_access = self.site().is_access();
        let conflict = flights.by_number.find(pieces, writes, |flight| {
            // The library itself stores what has arrived.
            let is_own = !is_access && (flight.call == call || flight.landed_in == Some(call));
            !is_own && overlap(pieces, &flight.pieces)
        });
        let Some(flight) = conflict else { return };
        let text = format!(
            "{} {} memory of the {} buffer of {}, which is not complete",
            self.site().function,
            if writes { "writes to" } else { "reads" },
            if flight.role == Role::Send { "send" } else { "receive" },
            flight.site.function,
        );
        let other = vec![checker.line(flight.site)];
        let help = "wait for the request first, or use another buffer";
        let finding =
            Finding::new(Kind::LocalConcurrency, text, checker.line(self.site())).with(other).help(help);
        checker.check.add(finding);
    }
}
