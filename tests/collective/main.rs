//! Collective operations as programs use them: in groups of every kind, side by side with messages of their own, with
//! every operator; what happens if members do not make the same call; and that a run takes what its plan says.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

mod case;
mod groups;
mod mismatches;
mod operators;
mod times;

use std::time::Duration;

use multicomputer::{Run, error::Failure, prelude::*};

/// A test that hangs is to fail instead.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a program on a machine of this name; messages that nobody receives are an error.
fn run<T: Send>(machine: &str, program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync) -> Run<T> {
    let machine =
        Machine::of(machine.parse().unwrap()).wall_limit(PATIENCE).deny_unreceived(true).build().unwrap();
    machine.run(program).unwrap_or_else(|error| panic!("{}: {error}", machine.description().name()))
}
