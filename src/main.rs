//! The command line of the virtual multicomputer; `multicomputer --help` says what it can do.

use std::{panic::resume_unwind, process::ExitCode, thread};

mod cli;

/// The stack of the program, which is that of the main thread by default: the user may have set that to next to nothing.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    match thread::Builder::new().name("main".into()).stack_size(STACK).spawn(cli::main) {
        Ok(program) => program.join().unwrap_or_else(|panic| resume_unwind(panic)),
        // The host has no thread left; it is told when the first node is to be started.
        Err(_) => cli::main(),
    }
}
