//! (Being written.)

use crate::{
    error::{Error, MpiError, Result},
    function::functions,
    process::{Process, Scope},
};

/// The objects of a process.
#[derive(Debug, Default)]
pub struct State {}

functions! {}

/// Passes an error to the error handler of `scope`. Returns the error code for the program.
///
/// # Errors
/// [`Error::Leave`] if the error handler ends the program.
pub(crate) fn handle(process: &Process<'_>, scope: &Scope<'_>, error: &MpiError) -> Result<i32> {
    let _ = scope;
    let function = process.last_function().unwrap_or("MPI");
    process.fatal(format!("{function}: {error}"));
    Err(Error::Leave)
}
