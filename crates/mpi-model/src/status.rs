//! `MPI_Status`: 32 bytes in the program's memory.

use crate::{
    abi,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::{Address, Argument, Out},
};

functions! {
    MPI_Test_cancelled: test_cancelled(status, flag);
    MPI_Status_set_cancelled: set_cancelled(status, flag);
    MPI_Status_get_source: get_source(status, source);
    MPI_Status_get_tag: get_tag(status, tag);
    MPI_Status_get_error: get_error(status, err);
    MPI_Status_set_source: set_source(status, source);
    MPI_Status_set_tag: set_tag(status, tag);
    MPI_Status_set_error: set_error(status, err);
}

/// A received message, or the end of another operation, as the program sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The rank of the sender in the communicator.
    pub source: i32,
    /// The tag of the message.
    pub tag: i32,
    /// The error code; stored only by functions that complete several requests.
    pub error: i32,
    /// The length of the message in bytes.
    pub bytes: u64,
    /// Whether the operation was cancelled.
    pub is_cancelled: bool,
}

impl Status {
    /// The status of operations that receive nothing.
    pub const EMPTY: Status =
        Status { source: abi::ANY_SOURCE, tag: abi::ANY_TAG, error: 0, bytes: 0, is_cancelled: false };
    /// The status of a receive from `MPI_PROC_NULL`.
    pub const NO_PROCESS: Status = Status { source: abi::PROC_NULL, ..Status::EMPTY };
    /// The size in memory.
    pub const SIZE: i64 = 32;
}

/// The address of a status; null is `MPI_STATUS_IGNORE`.
#[derive(Clone, Copy, Debug)]
pub struct StatusAddress(pub Address);

impl<'n> Argument<'n> for StatusAddress {
    fn decode(_: &Process<'n>, word: usize) -> Result<Self> {
        Ok(StatusAddress(Address(word)))
    }
}

impl StatusAddress {
    /// Stores a status; its error field only if `with_error`.
    pub fn set(self, process: &Process<'_>, status: &Status, with_error: bool) {
        if self.0.is_null() {
            return;
        }
        let mut bytes = [0; Status::SIZE as usize];
        process.program.read_into(self.0.0, &mut bytes);
        bytes[0..4].copy_from_slice(&status.source.to_ne_bytes());
        bytes[4..8].copy_from_slice(&status.tag.to_ne_bytes());
        if with_error {
            bytes[8..12].copy_from_slice(&status.error.to_ne_bytes());
        }
        bytes[12..16].copy_from_slice(&i32::from(status.is_cancelled).to_ne_bytes());
        bytes[16..24].copy_from_slice(&status.bytes.to_ne_bytes());
        process.program.write(self.0.0, &bytes);
    }

    /// Reads a status.
    pub fn get(self, process: &Process<'_>) -> Status {
        let mut bytes = [0; Status::SIZE as usize];
        process.program.read_into(self.0.0, &mut bytes);
        let int = |at: usize| i32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let mut length = [0; 8];
        length.copy_from_slice(&bytes[16..24]);
        Status {
            source: int(0),
            tag: int(4),
            error: int(8),
            bytes: u64::from_ne_bytes(length),
            is_cancelled: int(12) != 0,
        }
    }

    /// The status at `index` of an array of statuses.
    #[must_use]
    pub fn at(self, index: usize) -> StatusAddress {
        if self.0.is_null() { self } else { StatusAddress(self.0.offset(index as i64 * Status::SIZE)) }
    }
}

/// Refuses `MPI_STATUS_IGNORE`.
fn given(status: StatusAddress) -> Result<StatusAddress> {
    match status.0.is_null() {
        false => Ok(status),
        true => Err(Error::argument(Class::ARG, "status", "MPI_STATUS_IGNORE was given")),
    }
}

/// Changes a status in memory.
fn change(process: &Process<'_>, status: StatusAddress, change: impl FnOnce(&mut Status)) -> Result<()> {
    let mut value = given(status)?.get(process);
    change(&mut value);
    status.set(process, &value, true);
    Ok(())
}

fn test_cancelled(process: &Process<'_>, status: StatusAddress, flag: Out<i32>) -> Result<()> {
    flag.set_flag(process, given(status)?.get(process).is_cancelled);
    Ok(())
}

fn set_cancelled(process: &Process<'_>, status: StatusAddress, flag: i32) -> Result<()> {
    change(process, status, |status| status.is_cancelled = flag != 0)
}

fn get_source(process: &Process<'_>, status: StatusAddress, source: Out<i32>) -> Result<()> {
    source.set(process, given(status)?.get(process).source);
    Ok(())
}

fn get_tag(process: &Process<'_>, status: StatusAddress, tag: Out<i32>) -> Result<()> {
    tag.set(process, given(status)?.get(process).tag);
    Ok(())
}

fn get_error(process: &Process<'_>, status: StatusAddress, error: Out<i32>) -> Result<()> {
    error.set(process, given(status)?.get(process).error);
    Ok(())
}

fn set_source(process: &Process<'_>, status: StatusAddress, source: i32) -> Result<()> {
    change(process, status, |status| status.source = source)
}

fn set_tag(process: &Process<'_>, status: StatusAddress, tag: i32) -> Result<()> {
    change(process, status, |status| status.tag = tag)
}

fn set_error(process: &Process<'_>, status: StatusAddress, error: i32) -> Result<()> {
    change(process, status, |status| status.error = error)
}
