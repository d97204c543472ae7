//! The libraries of a program of which every rank has a copy.

use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{File, SHORTEST, read};
use crate::{elf::Elf, error::LoadError, files::LIBRARY_NAME};

/// Libraries of which one is loaded for all ranks: those of the C library; the compiler's, which keep nothing of a program; and those with
/// thread-local variables in static space.
const SHARED: &[&str] = &[
    "libc.so.",
    "libm.so.",
    "libpthread.so.",
    "libdl.so.",
    "librt.so.",
    "libutil.so.",
    "libresolv.so.",
    "libmvec.so.",
    "libanl.so.",
    "ld-linux",
    "linux-vdso.so.",
    "libgcc_s.so.",
    "libgomp.so.",
    "libquadmath.so.",
    "libatomic.so.",
    "libasan.so.",
    "libtsan.so.",
    "libubsan.so.",
    LIBRARY_NAME,
];

fn is_shared(name: &str) -> bool {
    SHARED.iter().any(|shared| name.starts_with(shared))
}

/// The libraries of a program that have copies, each after the libraries that it needs.
pub(super) fn libraries(path: &Path, elf: &Elf) -> Result<Vec<File>, LoadError> {
    let wanted = |elf: &Elf| -> Vec<String> {
        let names = elf.needed().into_iter().map(|needed| needed.name);
        names.filter(|name| !is_shared(name)).collect()
    };
    let first = wanted(elf);
    if first.is_empty() {
        return Ok(Vec::new());
    }
    let paths = found(path)?;
    let mut read_files: BTreeMap<String, Read> = BTreeMap::new();
    let mut queue: VecDeque<String> = first.iter().cloned().collect();
    while let Some(name) = queue.pop_front() {
        if read_files.contains_key(&name) {
            continue;
        }
        let missing = || LoadError::Missing { path: path.to_owned(), name: name.clone() };
        let library = paths.get(&name).ok_or_else(missing)?;
        let (original, elf) = read(library)?;
        if elf.has_static_tls() || name.len() < SHORTEST {
            continue;
        }
        let needed = wanted(&elf);
        queue.extend(needed.iter().cloned());
        read_files.insert(name, Read { path: library.clone(), original, elf, needed });
    }
    let mut files = Vec::new();
    for name in first {
        add(&name, &mut read_files, &mut files);
    }
    Ok(files)
}

/// A library that was read, with the names of the libraries that it needs.
struct Read {
    path: PathBuf,
    original: fs::File,
    elf: Elf,
    needed: Vec<String>,
}

/// Moves a library behind the libraries that it needs.
fn add(name: &str, from: &mut BTreeMap<String, Read>, to: &mut Vec<File>) {
    if let Some(Read { path, original, elf, needed }) = from.remove(name) {
        needed.iter().for_each(|needed| add(needed, from, to));
        to.push(File::new(name.to_owned(), &path, original, elf));
    }
}

/// The paths of a program's libraries, as the dynamic linker finds them.
fn found(path: &Path) -> Result<BTreeMap<String, PathBuf>, LoadError> {
    let with_folder =
        if path.components().count() == 1 { Path::new(".").join(path) } else { path.to_owned() };
    let listed = Command::new(with_folder).env("LD_TRACE_LOADED_OBJECTS", "1").output();
    let listed = listed.map_err(|source| LoadError::Read { path: path.to_owned(), source })?;
    let text = String::from_utf8_lossy(&listed.stdout);
    // "\tlibm.so.6 => /lib/libm.so.6 (0x00007f00)"
    let parts = text.lines().filter_map(|line| line.trim().split_once(" => "));
    let paths = parts.filter_map(|(name, found)| {
        let path = found.rsplit_once(" (")?.0;
        path.starts_with('/').then(|| (name.to_owned(), path.into()))
    });
    Ok(paths.collect())
}
