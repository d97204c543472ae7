//! MPI programs in C, C++ and Fortran as nodes of a virtual multicomputer.
//!
//! The library that programs are linked with, its headers and its Fortran modules are made when this crate is built, see
//! `build/main.rs`: they are [`files`].

pub mod files;
