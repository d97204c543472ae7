//! The command line of the virtual multicomputer; `multicomputer --help` says what it can do.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::main()
}
