//! Programs in C, C++ and Fortran that call MPI or NX, on a virtual multicomputer.
//!
//! A [`Program`] is a file that `multicomputer cc` has linked: a shared object with a program interpreter, which can be started and
//! loaded. [`Program::run`] loads one copy of it for each rank, so that global variables are the rank's own, and calls the copy's `main` on the
//! node's thread. Calls of MPI pass through the C library `libmpi_abi.so.0`, which this crate contains, to [`multicomputer_mpi_model`]; those of NX,
//! whose entries are in `libnx.a`, to [`multicomputer_nx_model`].
//!
//! ```text
//!   files     libmpi_abi.so.0, headers and modules of Fortran, as the build has made them
//!   library   the same in a cache folder, for compilers
//!   elf       what the loader reads and changes in a program's file
//!   loader    a copy of the program and its libraries for each rank
//!   rank      the program of one rank, from its start to its end
//!   entry     functions that C calls: MPI and NX, time, output
//!   memory    the program's memory and functions, for the model
//!   output    lines of all ranks in the order of modeled time
//!   crash     signals such as SIGSEGV: one message, then the end of the process
//!   place     source lines of addresses
//! ```
//!
//! # Unsafe code
//! This is the one crate of the workspace with unsafe code, for three purposes: it loads code and calls it, C code calls it, and it reads and
//! writes memory at addresses that a program passes to MPI. A program in C can corrupt its process, as under any MPI library; each unsafe
//! block states what it relies on beyond a program that is correct. `docs/unsafe.md` has what they have in common, and how it is checked.
//!
//! Programs are supported on GNU/Linux on x86-64 and AArch64. Elsewhere this crate is empty but for [`files`], which are empty.

pub mod files;

#[cfg(programs)]
mod check;
#[cfg(programs)]
mod children;
#[cfg(programs)]
mod crash;
#[cfg(programs)]
mod elf;
#[cfg(programs)]
mod entry;
#[cfg(programs)]
mod error;
#[cfg(programs)]
mod image;
#[cfg(programs)]
mod input;
#[cfg(programs)]
mod library;
#[cfg(programs)]
mod loader;
#[cfg(programs)]
mod memory;
#[cfg(programs)]
mod output;
#[cfg(programs)]
mod place;
#[cfg(programs)]
mod rank;

#[cfg(programs)]
pub use self::{
    check::{CheckOptions, Checked},
    error::{LoadError, ProgramError, ProgramFailure},
    library::{Library, LibraryError},
    loader::Program,
    rank::{Compute, Options},
};
#[cfg(programs)]
pub use multicomputer_mpi_model::{
    check::{Finding, Kind, Line},
    file::Storage,
};
