//! `multicomputer mpi` in a program built without MPI: an error that says how to build the program with MPI.

use clap::Args;

use super::error::Error;

/// Accepts and ignores all arguments, so that every call gets the error.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(super) struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<String>,
}

/// Returns the error that says how to build the program with MPI.
pub(super) fn run(_: &Arguments) -> Result<(), Error> {
    Err(Error::NoMpi)
}
