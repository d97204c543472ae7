//! Files that are open on the host: what the processes of a job share of each.
//!
//! The process that is first in a file's communicator opens the file once for all of them, so that a job of thousands of processes needs one
//! descriptor. The position of the shared file pointer is kept with it. Processes access the position in the order of modeled time, by
//! remote memory accesses to the first process.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::FileExt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use multicomputer::Time;

/// The open files of a job, and the storage of all of them.
#[derive(Debug, Default)]
pub struct Shared {
    table: Mutex<Table>,
    /// The instant from which on the storage has no request to serve.
    pub(super) idle_from: Mutex<Time>,
}

/// Files by their numbers.
#[derive(Debug, Default)]
struct Table {
    next: u64,
    files: BTreeMap<u64, Arc<Open>>,
}

/// A file that is open on the host.
#[derive(Debug)]
pub(crate) struct Open {
    pub(super) file: fs::File,
    /// The position of the shared pointer in elements, and the number of times that it was set anew by a view or a seek.
    pointer: Mutex<(u64, i64)>,
}

/// A part of a file: its position and its length in bytes.
pub(super) type Segment = (u64, u64);

/// Up to this number of bytes a read of many segments reads what is between them, too.
const MAX_SIEVE: u64 = 1 << 26;

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Adds a file and returns its number.
    pub(super) fn add(&self, file: fs::File) -> u64 {
        let mut table = locked(&self.table);
        let number = table.next;
        table.next += 1;
        table.files.insert(number, Arc::new(Open { file, pointer: Mutex::default() }));
        number
    }

    /// The file with a number.
    pub(super) fn get(&self, number: u64) -> Option<Arc<Open>> {
        locked(&self.table).files.get(&number).cloned()
    }

    /// Removes a file.
    pub(super) fn remove(&self, number: u64) {
        locked(&self.table).files.remove(&number);
    }
}

impl Open {
    /// The length in bytes.
    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Moves the shared pointer by a number of elements and returns where it was. The first access after the pointer was set for the
    /// `epoch`-th time finds it at `first`.
    pub(super) fn advance(&self, epoch: u64, first: i64, amount: i64) -> i64 {
        let mut pointer = locked(&self.pointer);
        if pointer.0 != epoch {
            *pointer = (epoch, first);
        }
        let before = pointer.1;
        pointer.1 = before.saturating_add(amount);
        before
    }

    /// Writes data to segments.
    pub(super) fn write(&self, segments: &[Segment], data: &[u8]) -> io::Result<()> {
        let mut rest = data;
        for &(position, length) in segments {
            let (now, after) = rest.split_at(length as usize);
            self.file.write_all_at(now, position)?;
            rest = after;
        }
        Ok(())
    }

    /// Reads segments up to the end of the file.
    pub(super) fn read(&self, segments: &[Segment]) -> io::Result<Vec<u8>> {
        let total: u64 = segments.iter().map(|segment| segment.1).sum();
        let mut data = vec![0; total as usize];
        let first = segments.iter().map(|segment| segment.0).min().unwrap_or_default();
        let hull = segments.iter().map(|segment| segment.0 + segment.1).max().unwrap_or_default() - first;
        if segments.len() > 8 && hull <= total.saturating_mul(4).min(MAX_SIEVE) {
            let mut sieve = vec![0; hull as usize];
            let there = self.read_at(&mut sieve, first)?;
            let mut at = 0;
            for &(position, length) in segments {
                let from = (position - first) as usize;
                let until = (from + length as usize).min(there).max(from);
                data[at..at + until - from].copy_from_slice(&sieve[from..until]);
                at += until - from;
                if until - from < length as usize {
                    break;
                }
            }
            data.truncate(at);
            return Ok(data);
        }
        let mut at = 0;
        for &(position, length) in segments {
            let read = self.read_at(&mut data[at..at + length as usize], position)?;
            at += read;
            if read < length as usize {
                break;
            }
        }
        data.truncate(at);
        Ok(data)
    }

    /// Reads until the buffer is full or the file ends; returns the number of bytes.
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let mut at = 0;
        while at < buffer.len() {
            match self.file.read_at(&mut buffer[at..], position + at as u64) {
                Ok(0) => break,
                Ok(read) => at += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(at)
    }
}
