//! The interface to the program of a process: its memory and its functions.

/// The memory and the functions of the program that a process runs.
///
/// The model of MPI refers to both by addresses only. An implementation for native programs dereferences them, as an MPI library does: an
/// invalid address is undefined behaviour of the program. Tests implement it by an arena.
pub trait Program {
    /// Appends the `length` bytes at `address` to `into`.
    fn read(&self, address: usize, length: usize, into: &mut Vec<u8>);

    /// Stores bytes at `address`.
    fn write(&self, address: usize, bytes: &[u8]);

    /// Copies `length` bytes from one place to another; the places may overlap.
    fn copy(&self, from: usize, to: usize, length: usize) {
        let mut bytes = Vec::with_capacity(length);
        self.read(from, length, &mut bytes);
        self.write(to, &bytes);
    }

    /// Calls the function at `function` with integer and pointer arguments, and returns its result.
    fn call(&self, function: usize, arguments: &[usize]) -> usize;

    /// Calls `with` with an address at which functions of the program find `bytes`, and can change them, until `with` returns.
    fn lend(&self, bytes: &mut [u8], with: &mut dyn FnMut(usize)) {
        with(bytes.as_mut_ptr().expose_provenance());
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
