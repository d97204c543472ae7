//! Signals that end a program, such as SIGSEGV: one message with the rank, the source line and the last call of MPI or NX, then the end of the process.
//!
//! All ranks are threads of one process, so a crash of one ends all of them. A handler may call few functions safely: it notes what
//! has happened, wakes a thread that was started in advance, and waits. This thread finds the source line, prints, and ends the process with
//! status 128 + the number of the signal, as shells report it. If it does not within some seconds, since the crashed thread holds a lock that
//! it needs, the handler prints a short message itself.

use std::{
    ffi::{c_int, c_void},
    io::Write,
    mem, ptr,
    sync::{
        Once,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use multicomputer_mpi_model::check::{Kind, Line};

use crate::{entry::Table, loader::Api, output::Output, place};

/// What is known of a rank when it crashes. It is never freed.
#[derive(Debug)]
pub(crate) struct Watched {
    rank: usize,
    output: &'static Output,
    table: &'static Table,
    /// The call that was made last: the number of the function plus 1 above the bits of the return address; 0 before the first call.
    call: AtomicUsize,
}

/// The number of bits of an address of a program.
const ADDRESS_BITS: u32 = 48;

/// The bits of an address.
const ADDRESS: usize = (1 << ADDRESS_BITS) - 1;

impl Watched {
    pub(crate) fn new(rank: usize, output: &'static Output, table: &'static Table) -> &'static Watched {
        Box::leak(Box::new(Watched { rank, output, table, call: AtomicUsize::new(0) }))
    }

    /// Notes a call of MPI.
    pub(crate) fn note(&self, function: usize, place: usize) {
        self.call.store((function + 1) << ADDRESS_BITS | place & ADDRESS, Ordering::Relaxed);
    }

    /// The last call, for [`name`](Watched::name); `None` before the first one.
    pub(crate) fn call(&self) -> Option<usize> {
        Some(self.call.load(Ordering::Relaxed)).filter(|call| *call > 0)
    }

    /// The last call, such as `MPI_Send at ring.c:12`; `None` before the first one.
    pub(crate) fn last_call(&self) -> Option<String> {
        self.name(self.call()?)
    }

    /// The name of a call of any rank.
    pub(crate) fn name(&self, call: usize) -> Option<String> {
        let function = (call >> ADDRESS_BITS).checked_sub(1)?;
        let name = self.table.get(function).map_or("?", |(name, _)| name);
        Some(place::of_call(call & ADDRESS).map_or_else(|| name.to_owned(), |at| format!("{name} at {at}")))
    }

    /// The last call; `None` before the first one.
    pub(crate) fn line(&self) -> Option<Line> {
        let call = self.call()?;
        let (function, _) = self.table.get((call >> ADDRESS_BITS).checked_sub(1)?)?;
        Some(Line { rank: self.rank, function, place: self.place() })
    }

    /// The source line of the last call.
    pub(crate) fn place(&self) -> Option<String> {
        place::of_call(self.call.load(Ordering::Relaxed) & ADDRESS)
    }
}

const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV, invalid memory access"),
    (libc::SIGBUS, "SIGBUS, invalid memory access"),
    (libc::SIGFPE, "SIGFPE, arithmetic error"),
    (libc::SIGILL, "SIGILL, illegal instruction"),
    (libc::SIGABRT, "SIGABRT, abort"),
];

/// The function that tells the rank of a thread.
static RANK_OF_THREAD: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
/// The first crash: the rank, the signal, the address of the instruction, the address that was accessed, and of callers.
static WATCHED: AtomicPtr<Watched> = AtomicPtr::new(ptr::null_mut());
static SIGNAL: AtomicUsize = AtomicUsize::new(0);
static INSTRUCTION: AtomicUsize = AtomicUsize::new(0);
static ACCESS: AtomicUsize = AtomicUsize::new(0);
static CALLERS: [AtomicUsize; 32] = [const { AtomicUsize::new(0) }; 32];
/// A pipe that wakes the thread which reports: its writing end.
static PIPE: AtomicUsize = AtomicUsize::new(0);
/// Whether crashes are findings of a check.
static IS_CHECK: AtomicBool = AtomicBool::new(false);
/// The handlers that were there before.
static FORMER: [AtomicPtr<libc::sigaction>; SIGNALS.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; SIGNALS.len()];

/// Makes crashes findings of a check from now on: they end the process with status 1.
pub(crate) fn report_as_finding() {
    IS_CHECK.store(true, Ordering::Relaxed);
}

/// Installs the handlers, once in a process.
pub(crate) fn install(api: &'static Api) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        RANK_OF_THREAD.store(api.watched as *mut c_void, Ordering::Relaxed);
        let mut ends = [0; 2];
        // SAFETY: `ends` has room for two descriptors.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
            return;
        }
        PIPE.store(ends[1] as usize, Ordering::Relaxed);
        let reading = ends[0];
        // The first call loads what the later one, in a handler, needs.
        let mut warm: [*mut c_void; 1] = [ptr::null_mut()];
        // SAFETY: `warm` has room for one address.
        unsafe { libc::backtrace(warm.as_mut_ptr(), 1) };
        if thread::Builder::new().name("crash".into()).spawn(move || report(reading)).is_err() {
            return;
        }
        for ((signal, _), former) in SIGNALS.iter().zip(&FORMER) {
            let function: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = handle;
            // SAFETY: a zeroed `sigaction` is valid: no flags, an empty mask. The handler has the type that SA_SIGINFO requires.
            unsafe {
                let mut action: libc::sigaction = mem::zeroed();
                let mut before: libc::sigaction = mem::zeroed();
                action.sa_sigaction = function as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(*signal, &raw const action, &raw mut before);
                former.store(Box::into_raw(Box::new(before)), Ordering::Relaxed);
            }
        }
    });
}

/// The rank of this thread.
fn watched() -> *mut Watched {
    let function = RANK_OF_THREAD.load(Ordering::Relaxed);
    // SAFETY: the address is that of `Api::watched`, stored before the handler was installed.
    let function: unsafe extern "C" fn() -> *const c_void = unsafe { mem::transmute(function) };
    // SAFETY: the function only reads a thread-local variable.
    unsafe { function() }.cast_mut().cast()
}

extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let watched = watched();
    if watched.is_null() {
        pass_on(signal, info, context);
        return;
    }
    if SIGNAL.compare_exchange(0, signal as usize, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        // Another rank has crashed before; the process ends.
        wait();
    }
    // SAFETY: the kernel passes the context and the information of the signal.
    let (instruction, access) = unsafe { (instruction(context), (*info).si_addr() as usize) };
    INSTRUCTION.store(instruction, Ordering::Relaxed);
    ACCESS.store(access, Ordering::Relaxed);
    // A stack that has overflowed has no room for more; elsewhere the callers are of use if the instruction is in a library.
    let here = ptr::from_ref(&watched) as usize;
    if signal == libc::SIGABRT || access.abs_diff(here) > 1 << 16 {
        let mut callers: [*mut c_void; CALLERS.len()] = [ptr::null_mut(); CALLERS.len()];
        // SAFETY: `callers` has room for `CALLERS.len()` addresses.
        let count = unsafe { libc::backtrace(callers.as_mut_ptr(), CALLERS.len() as c_int) };
        for (to, from) in CALLERS.iter().zip(&callers[..count.max(0) as usize]) {
            to.store(*from as usize, Ordering::Relaxed);
        }
    }
    WATCHED.store(watched, Ordering::Release);
    // SAFETY: writing to a descriptor is allowed in handlers.
    unsafe { libc::write(PIPE.load(Ordering::Relaxed) as c_int, b"!".as_ptr().cast(), 1) };
    // SAFETY: sleeping is allowed in handlers; this is libc's function, not the library's.
    unsafe { libc::sleep(5) };
    let message = b"multicomputer: a rank crashed, and its place cannot be found\n";
    // SAFETY: both are allowed in handlers.
    unsafe {
        libc::write(2, message.as_ptr().cast(), message.len());
        libc::_exit(128 + signal);
    }
}

/// Waits for the end of the process.
fn wait() -> ! {
    loop {
        // SAFETY: allowed in handlers.
        unsafe { libc::pause() };
    }
}

/// Calls the handler that was there before, for threads that run no rank.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let number = SIGNALS.iter().position(|(known, _)| *known == signal).unwrap_or_default();
    let former = FORMER[number].load(Ordering::Relaxed);
    // SAFETY: the action was stored by `install` and is never freed. If it is a function, it has one of the two types of handlers, by its flag.
    unsafe {
        let default = libc::SIG_DFL;
        let action = if former.is_null() { default } else { (*former).sa_sigaction };
        if action == default || action == libc::SIG_IGN {
            // The instruction is repeated, or `abort` raises the signal again, and it ends the process.
            libc::signal(signal, default);
        } else if (*former).sa_flags & libc::SA_SIGINFO != 0 {
            mem::transmute::<usize, extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)>(action)(
                signal, info, context,
            );
        } else {
            mem::transmute::<usize, extern "C" fn(c_int)>(action)(signal);
        }
    }
}

/// # Safety
/// `context` is the third argument of a handler.
unsafe fn instruction(context: *mut c_void) -> usize {
    let context: *const libc::ucontext_t = context.cast();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's.
    let instruction = unsafe { (*context).uc_mcontext.gregs[libc::REG_RIP as usize] } as usize;
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the caller's.
    let instruction = unsafe { (*context).uc_mcontext.pc } as usize;
    instruction
}

/// Waits for a crash, and reports it.
fn report(reading: c_int) {
    let mut byte = 0_u8;
    // SAFETY: `byte` has room for one byte.
    while unsafe { libc::read(reading, (&raw mut byte).cast(), 1) } != 1 {
        thread::sleep(Duration::from_millis(100));
    }
    let signal = SIGNAL.load(Ordering::Acquire) as c_int;
    // SAFETY: the handler has stored the address of a `Watched`, which is never freed.
    let watched = unsafe { &*WATCHED.load(Ordering::Acquire) };
    watched.output.flush();
    let (text, is_check) = (message(signal, watched), IS_CHECK.load(Ordering::Relaxed));
    let status = if is_check { 1 } else { 128 + signal };
    let written = match is_check {
        true => writeln!(
            std::io::stdout().lock(),
            "{}: {text}\ncheck: 1 finding; the crash ends the check",
            Kind::Failure
        ),
        false => writeln!(std::io::stderr().lock(), "multicomputer: {text}"),
    };
    // The process ends, whether that could be written or not; the crashed thread stays in its handler.
    drop(written);
    // SAFETY: ends the process without anything else.
    unsafe { libc::_exit(status) }
}

fn message(signal: c_int, watched: &Watched) -> String {
    let name = SIGNALS.iter().find(|(known, _)| *known == signal).map_or("a signal", |(_, name)| name);
    let mut text = format!("rank {} crashed: {name}", watched.rank);
    let access = ACCESS.load(Ordering::Relaxed);
    if signal == libc::SIGSEGV || signal == libc::SIGBUS {
        text += &format!(" at address {access:#x}");
    }
    let at = place::of(INSTRUCTION.load(Ordering::Relaxed) as u64);
    let caller = || CALLERS.iter().find_map(|caller| place::of_call(caller.load(Ordering::Relaxed)));
    if let Some(at) = at {
        text += &format!(", in {at}");
    } else if let Some(caller) = caller() {
        text += &format!(", in a function called in {caller}");
    }
    match watched.last_call() {
        None => text += "; no call of MPI or NX before",
        Some(call) => text += &format!("; last call: {call}"),
    }
    text
}
