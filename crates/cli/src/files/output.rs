//! An output file that replaces an old file when it is complete, or a device that is written directly.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use thiserror::Error;

use super::signals;

/// An output file that cannot be written. Most of these errors are found before the first run.
#[derive(Debug, Error)]
pub(crate) enum OutputError {
    /// The file cannot be opened or written.
    #[error("{} cannot be written: {cause}", path.display())]
    Unwritable { path: PathBuf, cause: io::Error },
    /// The partial file cannot be created.
    #[error("{} cannot be written: its partial file {} cannot be created: {cause}", path.display(), partial.display())]
    Partial { path: PathBuf, partial: PathBuf, cause: io::Error },
    /// Another run or option is writing the file.
    #[error(
        "{} cannot be written: {} is in use by another run or another option; choose another name",
        path.display(), partial.display()
    )]
    Busy { path: PathBuf, partial: PathBuf },
}

/// An open output file or device.
#[derive(Debug)]
pub(super) struct Output {
    /// Path as given.
    path: PathBuf,
    file: File,
    /// `None` for a device, which no file can replace.
    place: Option<Place>,
}

/// Paths of an ordinary file, which may not exist yet.
#[derive(Debug)]
struct Place {
    target: PathBuf,
    /// In the same folder as the target, so that it can be renamed.
    partial: PathBuf,
    /// Whether to remove the partial file if the run ends before writing to it: this run created the file, and it is
    /// still empty.
    is_unused: bool,
}

impl Output {
    /// Opens the output file at `path`. An existing file stays unchanged, and so does the partial file of an earlier
    /// run.
    pub(super) fn open(path: &Path) -> Result<Output, OutputError> {
        if let Some(device) = Output::device(path)? {
            return Ok(device);
        }
        let unwritable = unwritable(path);
        if path.file_name().is_none() {
            return Err(unwritable(io::Error::new(ErrorKind::InvalidInput, "it is not a file name")));
        }
        let target = followed(path);
        match OpenOptions::new().write(true).open(&target) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(unwritable(cause)),
            _ => {}
        }
        let mut partial = target.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let (file, is_unused) = match OpenOptions::new().write(true).create_new(true).open(&partial) {
            Ok(file) => (Ok(file), true),
            Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {
                (OpenOptions::new().write(true).open(&partial), false)
            }
            Err(cause) => (Err(cause), false),
        };
        let file = file.map_err(|cause| match cause.kind() {
            // The folder does not exist: the error names the file.
            ErrorKind::NotFound => unwritable(cause),
            _ => OutputError::Partial { path: path.to_owned(), partial: partial.clone(), cause },
        })?;
        // Another run holds the lock, or has renamed or removed the partial file since it was opened.
        if is_locked(&file) || !is_same(&file, &partial) {
            return Err(OutputError::Busy { path: path.to_owned(), partial });
        }
        if is_unused {
            signals::add(partial.clone());
        }
        Ok(Output { path: path.to_owned(), file, place: Some(Place { target, partial, is_unused }) })
    }

    /// Opens `path` if it leads to a device, a pipe, or standard output or error.
    pub(super) fn device(path: &Path) -> Result<Option<Output>, OutputError> {
        let device = device(path).map_err(unwritable(path))?;
        Ok(device.map(|file| Output { path: path.to_owned(), file, place: None }))
    }

    /// Returns the path as given and the path of the partial file; `None` for a device.
    pub(super) fn paths(&self) -> Option<(&Path, &Path)> {
        self.place.as_ref().map(|place| (self.path.as_path(), place.partial.as_path()))
    }

    /// Prepares for writing: removes the content that an earlier run has left in the partial file.
    pub(super) fn begin(&mut self) -> Result<(), OutputError> {
        if let Some(place) = &mut self.place {
            self.file.set_len(0).map_err(unwritable(&self.path))?;
            place.is_unused = false;
            signals::remove(&place.partial);
        }
        Ok(())
    }

    /// Writes content, after [`begin`](Self::begin).
    pub(super) fn write(&self, content: impl FnOnce(&File) -> io::Result<()>) -> Result<(), OutputError> {
        content(&self.file).map_err(unwritable(&self.path))
    }

    /// Writes content at the end of the file.
    pub(super) fn append(&self, content: impl FnOnce(&File) -> io::Result<()>) -> Result<(), OutputError> {
        self.write(|mut file| {
            if self.place.is_some() {
                file.seek(SeekFrom::End(0))?;
            }
            content(file)
        })
    }

    /// Renames the partial file to the target, with the permissions of the old file.
    pub(super) fn complete(self) -> Result<(), OutputError> {
        let Some(place) = &self.place else { return Ok(()) };
        self.write(|file| {
            file.sync_all()?;
            if let Ok(old) = fs::metadata(&place.target) {
                file.set_permissions(old.permissions())?;
            }
            fs::rename(&place.partial, &place.target)
        })
    }

    /// Deletes the partial file.
    pub(super) fn discard(mut self) {
        if let Some(place) = &mut self.place {
            place.is_unused = true;
        }
    }
}

/// Deletes an unused partial file.
impl Drop for Output {
    fn drop(&mut self) {
        if let Some(Place { partial, is_unused: true, .. }) = &self.place {
            // The content is useless: no harm if the file stays.
            let _ = fs::remove_file(partial);
            signals::remove(partial);
        }
    }
}

fn unwritable(path: &Path) -> impl Fn(io::Error) -> OutputError {
    |cause| OutputError::Unwritable { path: path.to_owned(), cause }
}

/// Opens `path` for direct writing if it leads to standard output or error, a device, a pipe, or an open file without a name (/dev/fd): a
/// partial file cannot take the place of any of these. Returns `None` for other files, for directories, and if nothing has this name.
fn device(path: &Path) -> io::Result<Option<File>> {
    if path == Path::new("-") {
        return standard_output().map(Some);
    }
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(cause),
    };
    if let Some(file) = standard(&metadata) {
        return Ok(Some(file));
    }
    // A name under /dev/fd may lead to a deleted file.
    if metadata.is_dir() || (metadata.is_file() && followed(path).exists()) {
        return Ok(None);
    }
    OpenOptions::new().write(true).open(path).map(Some)
}

/// Returns standard output or error if `metadata` is that of its file: a second open file would overwrite printed text.
#[cfg(unix)]
fn standard(metadata: &fs::Metadata) -> Option<File> {
    use std::os::{
        fd::{AsFd, BorrowedFd},
        unix::fs::MetadataExt,
    };

    let is_same = |stream: BorrowedFd<'_>| {
        let file = File::from(stream.try_clone_to_owned().ok()?);
        let stream = file.metadata().ok()?;
        ((stream.dev(), stream.ino()) == (metadata.dev(), metadata.ino())).then_some(file)
    };
    is_same(io::stdout().as_fd()).or_else(|| is_same(io::stderr().as_fd()))
}

/// Set when an output file named `-` is opened.
static STANDARD_OUTPUT_IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Returns whether an output file named `-` uses standard output, so that nothing else may be printed there.
pub(crate) fn is_standard_output_taken() -> bool {
    STANDARD_OUTPUT_IS_TAKEN.load(Ordering::Relaxed)
}

/// Returns standard output as a file.
fn standard_output() -> io::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    STANDARD_OUTPUT_IS_TAKEN.store(true, Ordering::Relaxed);
    Ok(File::from(owned))
}

#[cfg(not(unix))]
fn standard(_: &fs::Metadata) -> Option<File> {
    None
}

/// Returns the target of symbolic links, which may not exist. The links must not form a cycle.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    while let Ok(next) = fs::read_link(&path) {
        // Joining an absolute path returns that path.
        path = path.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    path
}

/// Returns whether a path still leads to an open file.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |data: &fs::Metadata| (data.dev(), data.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(open), Ok(there)) if place(&open) == place(&there))
}

#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Returns whether another open file holds the lock; otherwise, locks `file`.
#[cfg(unix)]
fn is_locked(file: &File) -> bool {
    use rustix::{
        fs::{FlockOperation, flock},
        io::Errno,
    };

    // On a file system without locks, the user must not start two runs with the same output file.
    flock(file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
}

#[cfg(not(unix))]
fn is_locked(_: &File) -> bool {
    false
}
