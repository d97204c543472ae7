//! Programs of MPI in Rust: every rank has an arena as its memory and calls functions by name.

mod check;
mod check_windows;
mod computation;
mod messages;
mod support;
mod windows;
