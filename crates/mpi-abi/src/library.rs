//! The library of MPI and the files for compiling against it, which this crate contains and writes to a cache folder.

use std::{
    env, fs,
    hash::{DefaultHasher, Hasher},
    io,
    path::{Path, PathBuf},
    process,
};

use thiserror::Error;

use crate::files::{HEADERS, LIBRARY, LIBRARY_NAME, MODULES};

/// The objects that are linked to every program.
const OBJECTS: [(&str, &[u8]); 3] = [
    ("program.o", include_bytes!(concat!(env!("OUT_DIR"), "/program.o"))),
    ("start.o", include_bytes!(concat!(env!("OUT_DIR"), "/start.o"))),
    ("getopt.o", include_bytes!(concat!(env!("OUT_DIR"), "/getopt.o"))),
];

/// The library of NX, which is linked to programs that ask for it.
const NX: (&str, &[u8]) = ("libnx.a", include_bytes!(concat!(env!("OUT_DIR"), "/libnx.a")));

/// Options of gcc for programs whose accesses to memory are reported: only the compiler itself gets them, since the driver would link libtsan.
const CHECK_SPECS: (&str, &str) = (
    "check.specs",
    "*cc1_options:\n+ -fsanitize=thread --param=tsan-distinguish-volatile=1 --param=tsan-instrument-func-entry-exit=0\n",
);

/// The files: where they go, and their contents.
fn contents() -> impl Iterator<Item = (String, &'static [u8])> {
    let lib = [(LIBRARY_NAME, LIBRARY)]
        .into_iter()
        .chain(OBJECTS)
        .chain([NX, (CHECK_SPECS.0, CHECK_SPECS.1.as_bytes())])
        .map(|(name, file)| (format!("lib/{name}"), file));
    let texts =
        HEADERS.iter().map(|file| ("include", file)).chain(MODULES.iter().map(|file| ("fortran", file)));
    lib.chain(texts.map(|(folder, (name, text))| (format!("{folder}/{name}"), text.as_bytes())))
}

/// The files of MPI in a cache folder: `$MULTICOMPUTER_HOME`, or `multicomputer` in `$XDG_CACHE_HOME`, or in `~/.cache`. A version has a folder
/// of its own there, named by a hash of its contents.
#[derive(Clone, Debug)]
pub struct Library {
    folder: PathBuf,
}

/// The library cannot be written or loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// No folder is known.
    #[error("no folder for the library of MPI: set MULTICOMPUTER_HOME to a folder, or HOME")]
    Home,
    /// A file cannot be written.
    #[error("cannot write {}: {source}; set MULTICOMPUTER_HOME to a folder that can be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The dynamic linker refuses the library.
    #[error("cannot load {}: {message}", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// The message of the dynamic linker.
        message: String,
    },
}

impl Library {
    /// Writes the files, unless they are there.
    ///
    /// # Errors
    /// [`LibraryError`] if there is no folder that can be written.
    pub fn install() -> Result<Library, LibraryError> {
        Library::install_in(&home()?)
    }

    fn install_in(home: &Path) -> Result<Library, LibraryError> {
        let folder = home.join(format!("{:016x}", hash()));
        if folder.join("complete").exists() {
            return Ok(Library { folder });
        }
        // Several commands may start at once: each writes a folder of its own, and one of them gets the name.
        let draft = home.join(format!("{:016x}-{}", hash(), process::id()));
        let write = |path: &Path, contents: &[u8]| {
            let parent = path.parent().unwrap_or(home);
            fs::create_dir_all(parent).and_then(|()| fs::write(path, contents))
        };
        for (name, contents) in contents().chain([("complete".into(), &[] as &[u8])]) {
            let path = draft.join(name);
            write(&path, contents).map_err(|source| LibraryError::Write { path, source })?;
        }
        if let Err(source) = fs::rename(&draft, &folder) {
            let _ = fs::remove_dir_all(&draft);
            if !folder.join("complete").exists() {
                return Err(LibraryError::Write { path: folder, source });
            }
        }
        Ok(Library { folder })
    }

    /// The folder of the sources of Fortran's modules.
    pub fn fortran(&self) -> PathBuf {
        self.folder.join("fortran")
    }

    /// The folder of the headers.
    pub fn include(&self) -> PathBuf {
        self.folder.join("include")
    }

    /// The folder of the library.
    pub fn lib(&self) -> PathBuf {
        self.folder.join("lib")
    }

    /// The library.
    pub fn path(&self) -> PathBuf {
        self.lib().join(LIBRARY_NAME)
    }

    /// The options of gcc for programs whose accesses to memory are reported.
    pub fn check_specs(&self) -> PathBuf {
        self.lib().join(CHECK_SPECS.0)
    }

    /// The library of NX.
    pub fn nx(&self) -> PathBuf {
        self.lib().join(NX.0)
    }

    /// The objects that are linked to every program.
    pub fn objects(&self) -> [PathBuf; 3] {
        OBJECTS.map(|(name, _)| self.lib().join(name))
    }
}

fn home() -> Result<PathBuf, LibraryError> {
    let given = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    given("MULTICOMPUTER_HOME")
        .or_else(|| Some(given("XDG_CACHE_HOME")?.join("multicomputer")))
        .or_else(|| Some(given("HOME")?.join(".cache/multicomputer")))
        .ok_or(LibraryError::Home)
}

fn hash() -> u64 {
    let mut hasher = DefaultHasher::new();
    for (name, contents) in contents() {
        hasher.write(name.as_bytes());
        hasher.write(contents);
    }
    hasher.finish()
}
