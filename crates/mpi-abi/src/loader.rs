//! Loads a copy of a program, and of its libraries, for each rank.
//!
//! The dynamic linker loads a file once in a process, whatever its path, but copies of it are files of their own. A copy is written to a
//! temporary folder, loaded, and deleted, which leaves its mapped pages. Code and constants are holes in the copy: they are mapped from the
//! program's file after loading, so that they are in memory once. The copy's constructors and destructors are disabled in the copy
//! ([`Elf::make_private`]): the rank's thread calls them, so they run for the rank, with its output and its environment, and not under the
//! dynamic linker's lock.
//!
//! Libraries of the program have copies as well, such as Fortran's with its table of open files; their names are changed in the copies so
//! that a copy of the program finds its own. The C library and some others that keep no state of a program, or can only be loaded once, are
//! shared. What belongs to a process in the C library is replaced by functions in `libmpi_abi.so.0`. The copies name this library before libc,
//! and are loaded with `RTLD_DEEPBIND`, so that it comes before the libc of this process as well. Preloading it (`LD_PRELOAD`) would
//! change what the Rust side calls, and need a second start of the process.

mod needed;

use std::{
    env,
    ffi::{CStr, CString, OsStr, c_char, c_int, c_void},
    fmt, fs,
    io::{self, Read as _},
    ops::Range,
    os::{
        fd::AsRawFd,
        unix::{ffi::OsStrExt, fs::FileExt},
    },
    path::{Path, PathBuf},
    process, ptr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;

use crate::{
    elf::{Constant, Elf, Functions},
    entry::{self, MACHINE, Machine, Table},
    error::LoadError,
    files::LIBRARY_NAME,
    image::Image,
    library::{Library, LibraryError},
    memory::{CallProgram, Watch},
    place::{self, Places},
    rank::Start,
};

/// The version of [`Described`].
const VERSION: usize = 1;

/// A program that can run on the nodes of a machine.
pub struct Program {
    path: PathBuf,
    pub(crate) api: &'static Api,
    /// The program, and before it the libraries that have copies, each after the libraries that it needs.
    files: Vec<File>,
    /// Copies of former runs that can run again, each list for the ranks of one run.
    idle: Mutex<Vec<Vec<Copy>>>,
}

/// A file of which every rank has a copy.
struct File {
    /// The name by which the others need it.
    name: String,
    elf: Elf,
    functions: Functions,
    /// The file itself, and its parts that are mapped in all copies.
    original: fs::File,
    constants: Vec<Constant>,
    varying: Vec<Range<usize>>,
    places: Arc<Places>,
}

/// What the copy of a program tells; same layout as `mc_program` in c/process.h.
#[repr(C)]
pub(crate) struct Described {
    version: usize,
    main: *const c_void,
    files: [*mut c_void; 3],
    environment: *mut c_void,
    pub(crate) blocks: *const u64,
}

/// Constructors and destructors; same layout as `mc_object` in c/process.h.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Initializers {
    init: *const c_void,
    init_array: *const c_void,
    init_count: usize,
    fini_array: *const c_void,
    fini_count: usize,
    fini: *const c_void,
}

/// The loaded copy of a rank. It is never unloaded: threads of the program may outlive the run.
pub(crate) struct Copy {
    /// The variables of its files before the first run; none if the copy runs once.
    images: Vec<Image>,
    pub(crate) handle: *mut c_void,
    pub(crate) described: *const Described,
    pub(crate) initializers: Vec<Initializers>,
}

// SAFETY: the addresses are those of the copy of one rank, which is never unloaded. Only this rank's thread uses them after loading.
unsafe impl Send for Copy {}
// SAFETY: as above; the addresses themselves do not change.
unsafe impl Sync for Copy {}

/// The functions of the loaded library of MPI.
pub(crate) struct Api {
    pub(crate) run: unsafe extern "C" fn(*const Start, *mut c_int, *mut c_int) -> c_int,
    pub(crate) call_program: CallProgram,
    pub(crate) watch: Watch,
    pub(crate) bind_fortran: unsafe extern "C" fn(*mut c_void),
    /// What the rank of this thread was started with to be watched by; null if there is no rank.
    pub(crate) watched: unsafe extern "C" fn() -> *const c_void,
    pub(crate) table: Table,
}

impl Program {
    /// Reads a program that `multicomputer cc`, `c++` or `fortran` has linked, and loads the library of MPI.
    ///
    /// # Errors
    /// [`LoadError`]: the file is no such program, or a library that it needs was not found.
    pub fn load(path: impl AsRef<Path>) -> Result<Program, LoadError> {
        let path = path.as_ref().to_owned();
        let (original, elf) = read(&path)?;
        let needed = elf.needed();
        if elf.is_executable() || needed.iter().all(|library| library.name != LIBRARY_NAME) {
            let is_mpi = needed.iter().any(|library| library.name.starts_with("libmpi"));
            return Err(LoadError::Foreign { path, is_mpi });
        }
        let mut files = needed::libraries(&path, &elf)?;
        files.push(File::new(String::new(), &path, original, elf));
        Ok(Program { api: api()?, path, files, idle: Mutex::default() })
    }

    /// The file of the program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Copies for `ranks` ranks that can run more than once: those of a former run, or new ones.
    pub(crate) fn idle_copies(&self, ranks: usize) -> Result<Vec<Copy>, LoadError> {
        let idle = self.idle.lock().pop().filter(|copies| copies.len() == ranks);
        idle.map_or_else(|| self.copies(ranks, true), Ok)
    }

    /// Takes copies back, for another run.
    ///
    /// # Safety
    /// The copies have run, no thread of the program is left, and nothing refers to its memory.
    pub(crate) unsafe fn take_back(&self, copies: Vec<Copy>) {
        for image in copies.iter().flat_map(|copy| &copy.images) {
            // SAFETY: see above.
            unsafe { image.restore() };
        }
        self.idle.lock().push(copies);
    }

    /// Loads a copy for each of `ranks` ranks. Only copies that `run_again` can run more than once.
    pub(crate) fn copies(&self, ranks: usize, run_again: bool) -> Result<Vec<Copy>, LoadError> {
        static FOLDERS: AtomicU64 = AtomicU64::new(0);
        // A run that was killed leaves its folder, and another process may have its number now.
        let folder = loop {
            let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
            let path = env::temp_dir().join(format!("multicomputer-{}-{number}", process::id()));
            match fs::create_dir(&path) {
                Ok(()) => break Folder(path),
                Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(LoadError::Copy { path, source }),
            }
        };
        (0..ranks).map(|rank| self.copy(&folder.0, rank, run_again)).collect()
    }

    fn copy(&self, folder: &Path, rank: usize, run_again: bool) -> Result<Copy, LoadError> {
        let names: Vec<(&str, String)> =
            self.files.iter().map(|file| (&file.name[..], private_name(&file.name))).collect();
        let file_name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let paths: Vec<PathBuf> = names
            .iter()
            .map(|(name, private)| match name {
                &"" => folder.join(format!("{file_name}.{rank}")),
                _ => folder.join(private),
            })
            .collect();
        for (file, path) in self.files.iter().zip(&paths) {
            file.write(path, &names).map_err(|source| LoadError::Copy { path: path.clone(), source })?;
        }
        // The program is the last file; the dynamic linker finds the others beside it.
        let refused = |message| LoadError::Refused { path: self.path.clone(), message };
        let handle = open(paths.last().map_or(Path::new(""), PathBuf::as_path)).map_err(refused)?;
        let (mut initializers, mut images) = (Vec::with_capacity(self.files.len()), Vec::new());
        for (file, path) in self.files.iter().zip(&paths) {
            let base =
                base(handle, path).ok_or_else(|| refused(format!("{} is not loaded", path.display())))?;
            file.map_constants(base).map_err(|source| LoadError::Copy { path: path.clone(), source })?;
            let range = file.elf.range();
            place::register(base, base + range.start..base + range.end, &file.places);
            initializers.push(file.initializers(base));
            if run_again {
                images.push(file.image(base));
            }
        }
        for path in &paths {
            // A file that stays is deleted with the folder.
            let _ = fs::remove_file(path);
        }
        let described: *const Described = symbol(handle, c"mc_program").cast();
        // SAFETY: a program that was linked by the wrapper has the symbol, which stands for such a structure in the loaded copy. The first word
        // is the version in all versions.
        if described.is_null() || unsafe { (*described).version } != VERSION {
            return Err(LoadError::Version { path: self.path.clone() });
        }
        Ok(Copy { images, handle, described, initializers })
    }
}

impl File {
    fn new(name: String, path: &Path, original: fs::File, mut elf: Elf) -> File {
        let functions = elf.functions();
        let page = page_size();
        let constants = elf.constants(page);
        let varying = elf.varying(&constants, page);
        elf.make_private();
        File { name, functions, original, constants, varying, elf, places: Arc::new(Places::of(path)) }
    }

    /// Writes a copy, in which the names of libraries are replaced, with holes for the constant parts.
    fn write(&self, path: &Path, names: &[(&str, String)]) -> io::Result<()> {
        let bytes = self.elf.bytes();
        let copy = fs::File::create(path)?;
        copy.set_len(bytes.len() as u64)?;
        for range in &self.varying {
            copy.write_all_at(&bytes[range.clone()], range.start as u64)?;
        }
        for needed in self.elf.needed().into_iter().chain(self.elf.soname()) {
            if let Some((_, private)) = names.iter().find(|(name, _)| *name == needed.name) {
                copy.write_all_at(private.as_bytes(), needed.offset as u64)?;
            }
        }
        Ok(())
    }

    /// Maps the constant parts of a loaded copy from the file itself, so that all copies share their pages.
    fn map_constants(&self, base: u64) -> io::Result<()> {
        for constant in &self.constants {
            let code = if constant.is_code { libc::PROT_EXEC } else { 0 };
            let address = (base + constant.address) as *mut c_void;
            // SAFETY: the dynamic linker has mapped the same part of the copy at this address, with the same size and protection; the pages
            // belong to no other part, and have not been read. The file has the bytes there that the copy would have.
            let mapped = unsafe {
                libc::mmap(
                    address,
                    constant.size,
                    libc::PROT_READ | code,
                    libc::MAP_PRIVATE | libc::MAP_FIXED,
                    self.original.as_raw_fd(),
                    constant.offset as libc::off_t,
                )
            };
            if mapped == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    fn image(&self, base: u64) -> Image {
        let parts = self.elf.variables(page_size() as u64).into_iter();
        let parts = parts.map(|(range, given)| {
            ((base + range.start) as usize..(base + range.end) as usize, given as usize)
        });
        // SAFETY: the file was loaded at this base just now, and its constructors are disabled.
        unsafe { Image::new(parts) }
    }

    fn initializers(&self, base: u64) -> Initializers {
        let address =
            |offset: Option<u64>| offset.map_or(ptr::null(), |offset| (base + offset) as *const c_void);
        let functions = &self.functions;
        Initializers {
            init: address(functions.init),
            init_array: address(functions.init_array.map(|(offset, _)| offset)),
            init_count: functions.init_array.map_or(0, |(_, count)| count),
            fini_array: address(functions.fini_array.map(|(offset, _)| offset)),
            fini_count: functions.fini_array.map_or(0, |(_, count)| count),
            fini: address(functions.fini),
        }
    }
}

/// A temporary folder, deleted when it is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(path: &Path) -> Result<(fs::File, Elf), LoadError> {
    let mut bytes = Vec::new();
    let opened = fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes).map(|_| file));
    let file = opened.map_err(|source| LoadError::Read { path: path.to_owned(), source })?;
    let elf = Elf::parse(bytes).map_err(|source| LoadError::Elf { path: path.to_owned(), source })?;
    Ok((file, elf))
}

fn page_size() -> usize {
    // SAFETY: the call has no preconditions.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// The shortest name that can be replaced.
const SHORTEST: usize = 8;

/// A name that no other file of this process has, of the same length. The empty name, of the program, stays.
fn private_name(name: &str) -> String {
    static NAMES: AtomicU64 = AtomicU64::new(0);
    if name.is_empty() {
        return String::new();
    }
    let (mut number, mut digits) = (NAMES.fetch_add(1, Ordering::Relaxed), Vec::new());
    while number > 0 {
        digits.push(char::from_digit((number % 36) as u32, 36).unwrap_or('-'));
        number /= 36;
    }
    let digits: String = digits.into_iter().rev().collect();
    format!("m{digits:->width$}", width = name.len() - 1)
}

/// Loads a file; all symbols are bound at once.
fn open(path: &Path) -> Result<*mut c_void, String> {
    let name =
        CString::new(path.as_os_str().as_bytes()).map_err(|_| "its path has a zero byte".to_owned())?;
    let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_DEEPBIND;
    // SAFETY: `name` is a string. Constructors of the program do not run; those of shared libraries may, as in any process that loads them.
    let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
    if handle.is_null() { Err(last_error()) } else { Ok(handle) }
}

fn last_error() -> String {
    // SAFETY: the result is null or a string that is valid until the next call of this thread.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return "unknown error of the dynamic linker".into();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()
}

fn symbol(handle: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: the handle is of a loaded file, the name is a string.
    unsafe { libc::dlsym(handle, name.as_ptr()) }
}

/// The beginning of glibc's `struct link_map`.
#[repr(C)]
struct LinkMap {
    base: u64,
    name: *const c_char,
    dynamic: *const c_void,
    next: *const LinkMap,
}

/// The base of a file that was loaded with the one of the handle: what is added to the addresses in the file.
fn base(handle: *mut c_void, path: &Path) -> Option<u64> {
    let mut map: *const LinkMap = ptr::null();
    // SAFETY: the handle is of a loaded file; the request stores the address of its `link_map`.
    unsafe { libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) };
    // What a file needs comes behind it in the list.
    while !map.is_null() {
        // SAFETY: the list has the loaded files, whose names are strings. Nothing is loaded or unloaded meanwhile on this thread, and what other
        // threads load is appended.
        let (base, name, next) = unsafe { ((*map).base, CStr::from_ptr((*map).name), (*map).next) };
        if name.to_bytes() == path.as_os_str().as_bytes() {
            return Some(base);
        }
        map = next;
    }
    None
}

/// Loads the library of MPI, once in a process.
fn api() -> Result<&'static Api, LoadError> {
    static API: OnceLock<Api> = OnceLock::new();
    static LOADING: parking_lot::Mutex<()> = parking_lot::Mutex::new(());
    let _one = LOADING.lock();
    if let Some(api) = API.get() {
        return Ok(api);
    }
    let path = Library::install()?.path();
    let refused = |message| LibraryError::Load { path: path.clone(), message };
    let handle = open(&path).map_err(refused)?;
    let function = |name: &CStr| {
        let address = symbol(handle, name);
        if address.is_null() {
            Err(refused(format!("it has no {}", name.to_string_lossy())))
        } else {
            Ok(address)
        }
    };
    let set_entry = function(c"mc_set_entry")?;
    let (names, count) = (function(c"mc_function_names")?, function(c"mc_function_count")?);
    let (run, call, bind) =
        (function(c"mc_run")?, function(c"mc_call_program")?, function(c"mc_fortran_bind")?);
    let (watch, watched) = (function(c"mc_watch")?, function(c"mc_watched")?);
    // SAFETY: the library is the one that this crate contains, so its functions have these types, and its names are `count` strings.
    // `MACHINE` is static.
    let api = unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*const Machine)>(set_entry)(
            &raw const MACHINE,
        );
        Api {
            run: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(*const Start, *mut c_int, *mut c_int) -> c_int,
            >(run),
            call_program: std::mem::transmute::<*mut c_void, CallProgram>(call),
            watch: std::mem::transmute::<*mut c_void, Watch>(watch),
            bind_fortran: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void)>(bind),
            watched: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const c_void>(watched),
            table: entry::table(names as *const *const c_char, *count.cast::<c_int>() as usize),
        }
    };
    Ok(API.get_or_init(|| api))
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A C string of bytes, cut at a zero byte.
pub(crate) fn c_string(text: &OsStr) -> CString {
    let bytes = text.as_bytes();
    let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    CString::new(&bytes[..length]).unwrap_or_default()
}
