//! The command line of the multicomputer emulator; `multicomputer --help` lists its commands.

use std::{panic::resume_unwind, process::ExitCode, thread};

mod cli;

/// Stack size of the program's thread in bytes. The stack of the first thread depends on `ulimit -s`, which may be 64 KiB.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    match thread::Builder::new().name("main".into()).stack_size(STACK).spawn(cli::main) {
        Ok(program) => program.join().unwrap_or_else(|panic| resume_unwind(panic)),
        // The host has no thread left: the command reports the error when it starts a node.
        Err(_) => cli::main(),
    }
}
