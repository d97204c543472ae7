//! The functions that C calls: MPI, modeled time, output.
//!
//! Each catches panics, since none may pass through C code, and keeps them for the thread, where the rank's end raises them again.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    ffi::{c_char, c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr, slice,
};

use multicomputer::{Span, Time, comm::transport::Transport, error::CommError};
use multicomputer_mpi_model::{
    check::Access,
    function::{self, Function},
    process::{Outcome, Process},
};
use multicomputer_nx_model as nx;

use crate::{
    crash::Watched,
    output::{Output, Stream},
    rank::Compute,
};

/// The result of a call that ends the program of this rank.
const LEAVE: c_int = -1;

/// The functions for C; same layout as `mc_machine` in c/process.h.
#[repr(C)]
pub(crate) struct Machine {
    call: unsafe extern "C" fn(*mut c_void, c_int, *const usize, usize) -> c_int,
    move_here: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    now: unsafe extern "C" fn(*mut c_void, *mut u64) -> c_int,
    sleep: unsafe extern "C" fn(*mut c_void, u64) -> c_int,
    write: unsafe extern "C" fn(*mut c_void, *mut c_void, c_int, c_int, *const c_char, usize),
    ask: unsafe extern "C" fn(*mut c_void, *mut c_void, c_int),
    read: unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> isize,
    flush: unsafe extern "C" fn(*mut c_void),
    touch: unsafe extern "C" fn(*mut c_void, usize, usize, c_int, usize),
}

/// The functions of this module.
pub(crate) static MACHINE: Machine = Machine { call, move_here, now, sleep, write, ask, read, flush, touch };

/// A function of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Model {
    Mpi(&'static Function),
    Nx(nx::function::Called),
    /// No model has the function.
    None,
}

impl Model {
    /// The names of the words of a call.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Model::Mpi(function) => function.arguments,
            Model::Nx(called) => called.function.arguments,
            Model::None => &[],
        }
    }

    /// The function with a name.
    fn named(name: &str) -> Model {
        let nx = || nx::function::named(name).map(Model::Nx);
        function::named(name).map(Model::Mpi).or_else(nx).unwrap_or(Model::None)
    }
}

/// The functions of the library by number: the name, and the model's function.
pub(crate) type Table = Vec<(&'static str, Model)>;

/// The state of a rank during its calls: on the thread that runs it, or on one thread of the program at a time.
pub(crate) struct Calls<'n, 't> {
    pub(crate) node: Transport<'n>,
    pub(crate) process: Process<'n>,
    pub(crate) nx: nx::process::Process<'t, 'n>,
    pub(crate) table: &'t Table,
    pub(crate) compute: Compute,
    /// The counter of executed blocks in the copy of the program.
    pub(crate) blocks: *const u64,
    /// What the counter, or the thread's processor time in nanoseconds, was at the end of the last call.
    pub(crate) computed: Cell<u64>,
    /// The time on the node's clock, if nothing has changed it since it was asked for.
    pub(crate) time: Cell<Option<Time>>,
    /// Whether MPI_Finalize has been called.
    pub(crate) is_finalized: Cell<bool>,
    pub(crate) watched: &'static Watched,
    pub(crate) panic: RefCell<Option<Box<dyn Any + Send>>>,
}

impl Calls<'_, '_> {
    /// Charges the program's computation since its last call.
    fn charge(&self) -> Result<(), CommError> {
        let (now, span) = match self.compute {
            Compute::Free => return Ok(()),
            Compute::Measured(factor) => {
                let now = thread_time();
                let nanos = now.saturating_sub(self.computed.get());
                (now, Span::from_secs_f64(nanos as f64 * 1e-9 * factor))
            }
            Compute::Counted(per_block) => {
                // SAFETY: the counter is a variable of the copy of the program, which stays loaded. Other threads of the program may change it;
                // a volatile read then gives one of the values.
                let now = unsafe { self.blocks.read_volatile() };
                (
                    now,
                    Span::from_picos(
                        per_block.as_picos().saturating_mul(now.wrapping_sub(self.computed.get())),
                    ),
                )
            }
        };
        self.computed.set(now);
        self.time.set(None);
        self.process.compute(span)
    }

    /// Leaves out what the machine itself has computed during a call.
    fn end_charge(&self) {
        if let Compute::Measured(_) = self.compute {
            self.computed.set(thread_time());
        }
    }

    fn call(&self, function: usize, words: *const usize, place: usize) -> c_int {
        self.watched.note(function, place);
        if self.charge().is_err() {
            return LEAVE;
        }
        self.time.set(None);
        let Some(&(name, model)) = self.table.get(function) else { return LEAVE };
        // SAFETY: the library passes an array with a word for each argument of the function, and the model lists the same arguments; a test
        // compares the two lists.
        let words = unsafe { slice::from_raw_parts(words, model.arguments().len()) };
        let outcome = match model {
            Model::Mpi(function) => self.process.call(function, words, place),
            Model::Nx(called) => self.nx.call(called, words),
            Model::None => self.process.unsupported(name),
        };
        self.end_charge();
        self.is_finalized.set(self.is_finalized.get() || name == "MPI_Finalize");
        match outcome {
            Outcome::Returns(code) => code,
            Outcome::Leaves => LEAVE,
        }
    }

    fn now(&self) -> Result<Time, CommError> {
        self.charge()?;
        if let Some(time) = self.time.get() {
            return Ok(time);
        }
        let time = self.node.now()?;
        self.time.set(Some(time));
        self.end_charge();
        Ok(time)
    }

    /// The time for a program that asks for it: a small time passes, so that a loop that waits for a time ends.
    pub(crate) fn polled_now(&self) -> Result<Time, CommError> {
        self.charge()?;
        let time = self.process.time().map_err(|_| CommError::Ended)?;
        self.time.set(Some(time));
        self.end_charge();
        Ok(time)
    }

    fn sleep(&self, span: Span) -> Result<(), CommError> {
        self.charge()?;
        self.time.set(None);
        self.node.sleep(span)?;
        self.end_charge();
        Ok(())
    }

    /// Runs a function of this module; a panic ends the program of the rank.
    fn caught(&self, run: impl FnOnce() -> c_int) -> c_int {
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(code) => code,
            Err(panic) => {
                self.panic.borrow_mut().get_or_insert(panic);
                LEAVE
            }
        }
    }
}

/// The processor time of this thread in nanoseconds.
pub(crate) fn thread_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the result. The clock exists on Linux, so the call succeeds.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// # Safety
/// `calls` is the address that [`rank`](crate::rank) has passed to `mc_run`, `mc_run` has not returned, and no other thread is in a call with
/// this address. C guarantees this by the lock of the rank (`mc_begin`), which also makes what one thread has done visible to the next. The
/// types of the state are not `Send` because safe code could share them among threads; nothing in them depends on the thread, except what
/// `move_here` moves.
unsafe fn of<'a>(calls: *mut c_void) -> &'a Calls<'a, 'a> {
    // SAFETY: `Calls` lives in the frame that called `mc_run`, and is never borrowed mutably. The lifetime ends with the call.
    unsafe { &*calls.cast() }
}

unsafe extern "C" fn call(calls: *mut c_void, function: c_int, words: *const usize, place: usize) -> c_int {
    // SAFETY: see `of`.
    let calls = unsafe { of(calls) };
    calls.caught(|| calls.call(function as usize, words, place))
}

unsafe extern "C" fn move_here(calls: *mut c_void, is_main: c_int) -> c_int {
    // SAFETY: see `of`.
    let calls = unsafe { of(calls) };
    calls.caught(|| {
        let is_allowed = calls.process.move_here(is_main != 0);
        calls.end_charge();
        c_int::from(is_allowed)
    })
}

unsafe extern "C" fn now(calls: *mut c_void, picoseconds: *mut u64) -> c_int {
    // SAFETY: see `of`.
    let calls = unsafe { of(calls) };
    calls.caught(|| match calls.polled_now() {
        Ok(time) => {
            // SAFETY: C passes the address of a variable.
            unsafe { picoseconds.write(time.as_picos()) };
            0
        }
        Err(_) => LEAVE,
    })
}

unsafe extern "C" fn sleep(calls: *mut c_void, picoseconds: u64) -> c_int {
    // SAFETY: see `of`.
    let calls = unsafe { of(calls) };
    calls.caught(|| if calls.sleep(Span::from_picos(picoseconds)).is_ok() { 0 } else { LEAVE })
}

unsafe extern "C" fn write(
    output: *mut c_void,
    calls: *mut c_void,
    rank: c_int,
    descriptor: c_int,
    bytes: *const c_char,
    length: usize,
) {
    if length == 0 {
        return;
    }
    // SAFETY: `output` is the address that `mc_run` has got; it is never freed.
    let output: &Output = unsafe { &*output.cast() };
    // SAFETY: C passes `length` bytes that do not change during the call.
    let bytes = unsafe { slice::from_raw_parts(bytes.cast(), length) };
    let stream = if descriptor == 2 { Stream::Error } else { Stream::Output };
    let written = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: see `of`; C passes null on other threads.
        let at = (!calls.is_null()).then(|| unsafe { of(calls) }.now().ok()).flatten();
        output.write(rank as usize, stream, at, bytes);
    }));
    drop(written);
}

unsafe extern "C" fn ask(output: *mut c_void, calls: *mut c_void, rank: c_int) {
    // SAFETY: as in `write`.
    let output: &Output = unsafe { &*output.cast() };
    drop(catch_unwind(AssertUnwindSafe(|| {
        if calls.is_null() {
            output.flush();
        } else {
            // SAFETY: see `of`.
            let calls = unsafe { of(calls) };
            output.ask(rank as usize, || calls.node.now().is_err());
        }
    })));
}

unsafe extern "C" fn read(output: *mut c_void, into: *mut c_char, length: usize) -> isize {
    // SAFETY: as in `write`.
    let output: &Output = unsafe { &*output.cast() };
    let read = catch_unwind(AssertUnwindSafe(|| {
        output.read(length, |bytes| {
            // SAFETY: C passes a place for `length` bytes, and these are not more.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), into.cast(), bytes.len()) };
        })
    }));
    read.unwrap_or(Some(0)).map_or(-1, |length| length as isize)
}

unsafe extern "C" fn flush(output: *mut c_void) {
    // SAFETY: as in `write`.
    let output: &Output = unsafe { &*output.cast() };
    drop(catch_unwind(AssertUnwindSafe(|| output.flush())));
}

unsafe extern "C" fn touch(calls: *mut c_void, address: usize, length: usize, kind: c_int, place: usize) {
    // SAFETY: see `of`.
    let calls = unsafe { of(calls) };
    let access = match kind {
        0 => Access::Load,
        1 => Access::Store,
        2 => Access::AtomicLoad,
        3 => Access::AtomicStore,
        _ => Access::Free,
    };
    calls.caught(|| {
        calls.process.accessed(address, length, access, place);
        0
    });
}

impl std::fmt::Debug for Calls<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Calls").field("process", &self.process).finish_non_exhaustive()
    }
}

/// The names of the library's functions, and the functions of the model.
///
/// # Safety
/// `names` are `count` addresses of strings that are never freed.
pub(crate) unsafe fn table(names: *const *const c_char, count: usize) -> Table {
    let name = |number: usize| {
        // SAFETY: `number` is below `count`.
        let name = unsafe { names.add(number).read() };
        debug_assert!(!ptr::eq(name, ptr::null()), "function {number} has a name");
        // SAFETY: strings with a zero byte, never freed.
        unsafe { std::ffi::CStr::from_ptr(name) }.to_str().unwrap_or_default()
    };
    (0..count).map(|number| (name(number), Model::named(name(number)))).collect()
}

#[cfg(test)]
mod tests {
    use super::Model;

    /// The entry reads as many words as the model lists arguments.
    #[test]
    fn the_library_passes_a_word_for_each_argument_of_the_model() {
        let counts = include_str!(concat!(env!("OUT_DIR"), "/words.txt"));
        let (mut mpi, mut nx) = (0, 0);
        for line in counts.lines() {
            let (name, count) = line.split_once(' ').unwrap();
            let model = Model::named(name);
            match model {
                Model::Mpi(_) => mpi += 1,
                Model::Nx(_) => nx += 1,
                Model::None => {
                    assert!(name.starts_with("MPI_"), "{name}");
                    continue;
                }
            }
            assert_eq!(model.arguments().len(), count.parse::<usize>().unwrap(), "{name}");
        }
        assert!(mpi > 400 && nx > 50, "{mpi} functions of MPI, {nx} of NX");
    }
}
