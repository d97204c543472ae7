//! `multicomputer mpi` where the program is built without MPI: it says how to build it.

use clap::Args;

use super::error::Error;

/// Arguments of the command, which are not looked at.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(super) struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<String>,
}

/// Says how to build it.
pub(super) fn run(_: &Arguments) -> Result<(), Error> {
    Err(Error::NoMpi)
}
