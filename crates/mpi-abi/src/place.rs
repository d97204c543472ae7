//! Source lines of addresses in a program.

use std::{
    collections::BTreeMap,
    fmt,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use addr2line::Loader;
use parking_lot::Mutex;

/// The debug information of a file, read when it is asked for.
pub(crate) struct Places {
    path: PathBuf,
    loader: Mutex<State>,
}

enum State {
    Unread,
    /// `None` if it cannot be read.
    Read(Option<Box<Loader>>),
}

impl Places {
    /// The places of a file.
    pub(crate) fn of(path: &Path) -> Places {
        Places { path: path.to_owned(), loader: Mutex::new(State::Unread) }
    }

    /// The place of an address from the base of the file: `FILE:LINE`, or `FUNCTION in FILE` without debug information.
    pub(crate) fn find(&self, address: u64) -> Option<String> {
        let mut state = self.loader.lock();
        if let State::Unread = *state {
            *state = State::Read(Loader::new(&self.path).ok().map(Box::new));
        }
        let State::Read(Some(loader)) = &*state else { return None };
        let location = loader.find_location(address).ok().flatten();
        if let Some((file, line)) = location.and_then(|location| Some((location.file?, location.line?))) {
            return Some(format!("{}:{line}", short(file)));
        }
        let name = self.path.file_name().unwrap_or_default().display().to_string();
        match loader.find_symbol(address) {
            Some(symbol) => Some(format!("{} in {name}", addr2line::demangle_auto(symbol.into(), None))),
            None => Some(format!("address {address:#x} in {name}")),
        }
    }
}

/// The path of a source file, relative to the working directory if it is below.
fn short(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    match Path::new(file).strip_prefix(here) {
        Ok(path) => path.display().to_string(),
        Err(_) => file.strip_prefix("./").unwrap_or(file).to_owned(),
    }
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Places").field(&self.path).finish()
    }
}

/// A loaded copy: its base, its end, and the places of its file.
type Loaded = (u64, u64, Arc<Places>);

/// The loaded copies by their first addresses.
static LOADED: Mutex<BTreeMap<u64, Loaded>> = Mutex::new(BTreeMap::new());

/// Notes that a file is loaded at these addresses.
pub(crate) fn register(base: u64, addresses: Range<u64>, places: &Arc<Places>) {
    LOADED.lock().insert(addresses.start, (base, addresses.end, places.clone()));
}

/// The place of an instruction in a loaded copy; `None` elsewhere.
pub(crate) fn of(address: u64) -> Option<String> {
    let (base, places) = {
        let loaded = LOADED.lock();
        let (_, (base, end, places)) = loaded.range(..=address).next_back()?;
        if address >= *end {
            return None;
        }
        (*base, places.clone())
    };
    places.find(address - base)
}

/// The place of the call that returns to an address.
pub(crate) fn of_call(return_address: usize) -> Option<String> {
    of((return_address as u64).checked_sub(1)?)
}
