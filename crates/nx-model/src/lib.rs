//! The calls of NX, the message-passing library of the Intel Paragon, for programs in C and Fortran, in safe Rust.
//!
//! A [`Process`](process::Process) is the program of one node. The program calls [functions](function::Function) with machine words: integers
//! and addresses. What the calls do is in [`multicomputer::nx`]; this crate adds the program's memory, message numbers, and errors. Of the model
//! of MPI it uses the interface to a program ([`Program`](multicomputer_mpi_model::program::Program)) and the clock of programs that poll.
//!
//! ```text
//!   function           the table of functions by name; arguments
//!   messages, global   the calls
//!   process            the state of a node
//!   error              errors, and their numbers for `errno`
//! ```

#![expect(clippy::too_many_arguments, reason = "the arguments of NX")]

pub mod error;
pub mod function;
mod global;
mod messages;
pub mod process;
