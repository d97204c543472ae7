//! The commands for MPI programs on systems where none can be loaded.

use std::{ffi::OsString, io::Write};

use clap::Args;

use super::error::Error;

/// Any arguments.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

/// Refuses the command.
pub(super) fn run(_: &Arguments, _: &mut impl Write) -> Result<(), Error> {
    Err(Error::usage("MPI programs in C, C++ and Fortran are supported on GNU/Linux on x86-64 and AArch64"))
}
