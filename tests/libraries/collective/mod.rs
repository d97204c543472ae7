//! Collective operations as programs use them: in groups of every kind, side by side with messages of their own, with
//! every operator; what happens if members do not make the same call; and that a run takes what its plan says.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

mod groups;
mod matrix;
mod mismatches;
mod operators;
mod times;

use multicomputer::{Run, error::Failure, prelude::*};

use crate::support::{self, PATIENCE};

/// Runs a program on a machine of this name; messages that nobody receives are an error.
fn run<T: Send>(machine: &str, program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync) -> Run<T> {
    let machine = Machine::builder(machine.parse().unwrap())
        .wall_limit(PATIENCE)
        .deny_unreceived(true)
        .build()
        .unwrap();
    support::run(&machine, program)
}
