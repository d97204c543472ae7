//! The memory and the functions of a program, for the model.

use std::{ffi::c_void, ptr, slice, sync::Arc};

use multicomputer_mpi_model::program::{Program, WindowMemory};

/// Calls a function of the program: the address, the arguments, their number.
pub(crate) type CallProgram = unsafe extern "C" fn(usize, *const usize, usize) -> usize;

/// Sets the addresses that the program of this thread reports: pairs of a first and a last address, in order, and their number. Returns whether
/// the program reports any.
pub(crate) type Watch = unsafe extern "C" fn(*const [usize; 2], usize) -> i32;

/// Joins sorted ranges that overlap.
fn joined(ranges: &[(usize, usize)]) -> Vec<[usize; 2]> {
    let mut joined: Vec<[usize; 2]> = Vec::new();
    for &(first, last) in ranges {
        match joined.last_mut() {
            Some(before) if before[1] >= first => before[1] = before[1].max(last),
            _ => joined.push([first, last]),
        }
    }
    joined
}

/// The program of this process. Addresses are the addresses that the program passes to MPI, as pointers to objects of the sizes that the standard
/// requires, or adds to such objects by its datatypes. If it passes others, its behaviour is undefined under any MPI library.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The C side's function for callbacks.
    pub(crate) call: CallProgram,
    /// The C side's function for addresses to watch.
    pub(crate) watch: Watch,
}

impl Program for Memory {
    fn read(&self, address: usize, length: usize, into: &mut Vec<u8>) {
        if length == 0 {
            return;
        }
        into.reserve(length);
        let end = into.len();
        // SAFETY: the program guarantees `length` readable bytes at `address`. `into` has room for them, and they do not overlap with it:
        // the program does not know this vector's address. The bytes may be uninitialized padding of the program's objects; they are
        // copied without an interpretation, by code that the compiler cannot see through to their origin.
        unsafe {
            ptr::copy_nonoverlapping(address as *const u8, into.as_mut_ptr().add(end), length);
            into.set_len(end + length);
        }
    }

    fn read_into(&self, address: usize, into: &mut [u8]) {
        if into.is_empty() {
            return;
        }
        // SAFETY: as for `read`.
        unsafe { ptr::copy_nonoverlapping(address as *const u8, into.as_mut_ptr(), into.len()) }
    }

    fn write(&self, address: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        // SAFETY: the program guarantees `bytes.len()` writable bytes at `address`, which are none of the Rust side's.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) }
    }

    fn copy(&self, from: usize, to: usize, length: usize) {
        if length == 0 {
            return;
        }
        // SAFETY: as for `read` and `write`; the places may overlap.
        unsafe { ptr::copy(from as *const u8, to as *mut u8, length) }
    }

    fn allocate(&self, length: usize) -> usize {
        // SAFETY: any length is allowed. The memory belongs to the program, which may free it by its own means. It begins with zeros, as that of
        // the program's malloc (c/memory.c).
        unsafe { libc::calloc(1, length) as usize }
    }

    fn release(&self, address: usize) {
        // SAFETY: the model releases what `allocate` has returned, or what the program passes to `MPI_Free_mem` as such an address.
        unsafe { libc::free(address as *mut c_void) }
    }

    fn windows(&self) -> Option<Arc<dyn WindowMemory>> {
        Some(Arc::new(AddressSpace))
    }

    fn call(&self, function: usize, arguments: &[usize]) -> usize {
        // SAFETY: the program has passed `function` as a function of a type that MPI states, whose arguments are integers and addresses
        // only, at most 12. The C side calls it, returns also if the program ends in it, and lets no exception pass.
        unsafe { (self.call)(function, arguments.as_ptr(), arguments.len()) }
    }

    fn watch(&self, addresses: &[(usize, usize)]) -> bool {
        let ranges = joined(addresses);
        // SAFETY: the C side reads this many pairs during the call. The model calls it within calls of the program, on a thread of the rank.
        unsafe { (self.watch)(ranges.as_ptr(), ranges.len()) != 0 }
    }

    fn read_string(&self, address: usize) -> Vec<u8> {
        // SAFETY: the program guarantees a string with a zero byte at its end.
        let length = unsafe { libc::strlen(address as *const libc::c_char) };
        // SAFETY: as above, `length` bytes are readable; nothing changes them during the copy, since this thread is the program's.
        unsafe { slice::from_raw_parts(address as *const u8, length) }.to_vec()
    }
}

/// The memory of all ranks, which are threads of one process, for accesses to windows.
///
/// The model accesses memory of windows only, from the beginning of the window to its end: the programs guarantee that this memory exists. An
/// access runs at one instant of modeled time, on a thread that need not be that of the rank whose memory it is. While it runs, that rank waits
/// in a call, or the program accesses the memory at the same time: then it has a conflict that the standard forbids, or it polls memory, which it
/// must do by volatile or atomic loads, as on any machine.
#[derive(Debug)]
struct AddressSpace;

impl WindowMemory for AddressSpace {
    fn read(&self, address: usize, length: usize, into: &mut Vec<u8>) {
        if length == 0 {
            return;
        }
        into.reserve(length);
        let end = into.len();
        // SAFETY: the bytes are in a window, which is readable for its whole life. `into` has room for them, and they do not overlap with it: no
        // program knows this vector's address.
        unsafe {
            ptr::copy_nonoverlapping(address as *const u8, into.as_mut_ptr().add(end), length);
            into.set_len(end + length);
        }
    }

    fn write(&self, address: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        // SAFETY: the bytes are in a window, which is writable for its whole life, and none of the Rust side's.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn no_call(_: usize, _: *const usize, _: usize) -> usize {
        0
    }

    extern "C" fn no_watch(_: *const [usize; 2], _: usize) -> i32 {
        0
    }

    #[test]
    fn ranges_that_overlap_are_joined() {
        assert_eq!(joined(&[(1, 4), (3, 9), (4, 5), (12, 13)]), [[1, 9], [12, 13]]);
    }

    #[test]
    fn bytes_and_strings_are_copied() {
        let memory = Memory { call: no_call, watch: no_watch };
        let mut target = [0_u8; 4];
        let mut read = vec![7];
        memory.read(b"abcd".as_ptr() as usize, 3, &mut read);
        assert_eq!(read, [7, b'a', b'b', b'c']);
        let address = target.as_mut_ptr() as usize;
        memory.write(address, b"hi\0");
        assert_eq!(memory.read_string(address), b"hi");
        memory.copy(address, address + 1, 2);
        memory.read(address, 3, &mut read);
        assert_eq!(read[4..], *b"hhi");
    }
}
