//! The semantics of MPI (version 5.0) on virtual machines, in safe Rust.
//!
//! A [`Process`](process::Process) is one rank of an MPI program: its communicators, groups, datatypes, requests and so on, on a
//! [`Node`](multicomputer::comm::Node) of a machine. A program calls [functions](function::Function) with machine words: integers, addresses
//! and handles of the standard ABI. The model refers to the program's memory and functions through the trait
//! [`Program`](program::Program) only, so argument checks, results and callbacks are safe code, and tests need no C compiler.
//!
//! ```text
//!   function     the table of functions by name
//!   point_to_point, request, communicator, collective, ..   one module for each chapter of the standard
//!   process      the state of a rank
//!   check        what is wrong with a program: leaks, calls that do not match, buffers in use
//!   clock        modeled time of programs that poll
//!   computation  modeled time of what the program computes
//!   word         arguments: integers, addresses, handles, arrays, results
//!   table        handles and their objects
//!   program      the program's memory and functions
//!   error, abi   error classes; numbers of the ABI
//! ```

pub mod abi;
pub mod arena;
pub mod attribute;
pub mod buffer;
pub mod check;
pub mod clock;
mod collective;
pub mod communicator;
mod computation;
pub mod datatype;
pub mod dynamic;
pub mod environment;
pub mod error;
pub mod error_handler;
pub mod file;
pub mod function;
mod generalized;
pub mod group;
pub mod info;
pub mod op;
mod partitioned;
pub mod point_to_point;
pub mod process;
pub mod program;
pub mod request;
pub mod session;
pub mod status;
pub mod table;
#[cfg(test)]
mod testing;
pub mod tool;
pub mod topology;
pub mod window;
pub mod word;
