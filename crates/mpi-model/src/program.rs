//! The interface to the program of a process: its memory and its functions.

use std::{fmt, sync::Arc};

use crate::{
    error::{Class, Error, Result},
    word::{LARGEST, Stored},
};

/// The memory and the functions of the program that a process runs.
///
/// The model of MPI refers to both by addresses only. An implementation for native programs dereferences them, as an MPI library does: an
/// invalid address is undefined behaviour of the program. Tests implement it by an arena.
pub trait Program {
    /// Appends the `length` bytes at `address` to `into`.
    fn read(&self, address: usize, length: usize, into: &mut Vec<u8>);

    /// Copies the bytes at `address` into `into`.
    fn read_into(&self, address: usize, into: &mut [u8]) {
        let mut bytes = Vec::with_capacity(into.len());
        self.read(address, into.len(), &mut bytes);
        into.copy_from_slice(&bytes);
    }

    /// Stores bytes at `address`.
    fn write(&self, address: usize, bytes: &[u8]);

    /// Appends the bytes of `count` rows of `length` bytes, which begin `stride` bytes apart.
    fn read_rows(&self, address: usize, length: usize, stride: isize, count: usize, into: &mut Vec<u8>) {
        for row in 0..count as isize {
            self.read(address.wrapping_add_signed(row * stride), length, into);
        }
    }

    /// Stores bytes as rows of `length` bytes, which begin `stride` bytes apart.
    fn write_rows(&self, address: usize, length: usize, stride: isize, bytes: &[u8]) {
        for (row, bytes) in bytes.chunks(length).enumerate() {
            self.write(address.wrapping_add_signed(row as isize * stride), bytes);
        }
    }

    /// Copies `length` bytes from one place to another; the places may overlap.
    fn copy(&self, from: usize, to: usize, length: usize) {
        let mut bytes = Vec::with_capacity(length);
        self.read(from, length, &mut bytes);
        self.write(to, &bytes);
    }

    /// Allocates `length` bytes, aligned for any value of C. Returns 0 if there is no memory.
    fn allocate(&self, length: usize) -> usize;

    /// Frees memory that [`allocate`](Program::allocate) has returned.
    fn release(&self, address: usize);

    /// Calls the function at `function` with integer and pointer arguments, and returns its result.
    fn call(&self, function: usize, arguments: &[usize]) -> usize;

    /// Calls `with` with an address at which functions of the program find `bytes`, and can change them, until `with` returns.
    fn lend(&self, bytes: &mut [u8], with: &mut dyn FnMut(usize)) {
        with(bytes.as_mut_ptr().expose_provenance());
    }

    /// The memory for accesses of other processes; `None` if other processes cannot access it.
    fn windows(&self) -> Option<Arc<dyn WindowMemory>> {
        None
    }

    /// Asks the program to report its loads and stores at these addresses, ranges from the first to the last byte in order, by
    /// [`Process::accessed`](crate::process::Process::accessed). The call replaces the addresses of the last one; more may be reported.
    /// Returns whether the program can do so.
    fn watch(&self, _addresses: &[(usize, usize)]) -> bool {
        false
    }

    /// Returns the string at `address`, up to the first zero byte.
    fn read_string(&self, address: usize) -> Vec<u8> {
        let mut string = Vec::new();
        loop {
            self.read(address + string.len(), 1, &mut string);
            if string.last() == Some(&0) {
                string.pop();
                return string;
            }
        }
    }
}

/// The memory of a program, for accesses of other processes on any thread.
pub trait WindowMemory: fmt::Debug + Send + Sync {
    /// Appends the `length` bytes at `address` to `into`.
    fn read(&self, address: usize, length: usize, into: &mut Vec<u8>);

    /// Stores bytes at `address`.
    fn write(&self, address: usize, bytes: &[u8]);
}

/// Values in the program's memory for the time of a callback, to which the callback gets pointers.
pub(crate) struct Scratch<'a> {
    program: &'a dyn Program,
    address: usize,
}

/// The size of [`Scratch`], for up to four values of 8 bytes.
const SCRATCH: usize = 32;

impl<'a> Scratch<'a> {
    /// Allocates memory, all bytes 0.
    ///
    /// # Errors
    /// [`Class::NO_MEM`].
    pub(crate) fn new(program: &'a dyn Program) -> Result<Scratch<'a>> {
        let address = program.allocate(SCRATCH);
        if address == 0 {
            return Err(Error::new(Class::NO_MEM, "no memory for the arguments of a callback"));
        }
        program.write(address, &[0; SCRATCH]);
        Ok(Scratch { program, address })
    }

    /// The address of a value, by its number from 0 to 3.
    pub(crate) fn address(&self, slot: usize) -> usize {
        self.address + 8 * slot
    }

    /// Stores a value.
    pub(crate) fn set<T: Stored>(&self, slot: usize, value: &T) {
        self.program.write(self.address(slot), value.bytes().as_ref());
    }

    /// Reads a value.
    pub(crate) fn get<T: Stored>(&self, slot: usize) -> T {
        let mut bytes = [0; LARGEST];
        self.program.read_into(self.address(slot), &mut bytes[..T::SIZE]);
        T::load(&bytes[..T::SIZE])
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.program.release(self.address);
    }
}
