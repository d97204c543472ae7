//! Initialization, finalization, time, and what a process can ask about its environment.

use crate::{
    error::Result,
    function::functions,
    process::{Phase, Process},
    word::{Address, Out},
};

functions! {
    MPI_Init: init(argc, argv) @always;
    MPI_Initialized: initialized(flag) @always;
}

fn init(process: &Process<'_>, _: Address, _: Address) -> Result<()> {
    process.phase.set(Phase::Initialized);
    Ok(())
}

fn initialized(process: &Process<'_>, flag: Out<i32>) -> Result<()> {
    flag.set_flag(process, process.phase.get() != Phase::Before);
    Ok(())
}
