//! Example 5: a program that cannot go on, and the report on it.
//!
//! Four nodes stand in a ring, and each wants to hear from its left neighbour before it speaks to its right one. So
//! nobody ever speaks. The run does not hang: it ends with an error that lists every blocked node, since when it is
//! blocked on its own clock, what it waits for, and the cycle.
//!
//! A `sendrecv`, which does both at the same time, is the cure.
//!
//! Run it with `cargo run --release --example 05_deadlock`. Next: `06_trace`.

use multicomputer::{
    Run,
    error::{ConfigError, RunError},
    prelude::*,
};

/// Four nodes.
pub fn machine() -> Result<Machine, ConfigError> {
    Machine::hockney(2, 2).build()
}

/// Everybody listens first.
pub fn listen_then_speak(machine: &Machine) -> Result<Run<()>, RunError> {
    machine.run(|node| {
        let (left, right) = neighbours(node);
        // The nodes come to their first call at different times, which the report shows.
        node.compute(Span::from_micros(10 * node.rank() as u64))?;
        let heard = node.world().recv(left)?;
        node.world().send(right, heard.payload)?;
        Ok(())
    })
}

/// Everybody listens and speaks at once.
pub fn listen_and_speak(machine: &Machine) -> Result<Run<()>, RunError> {
    machine.run(|node| {
        let (left, right) = neighbours(node);
        node.world().sendrecv(right, "hello", left)?;
        Ok(())
    })
}

/// The left and the right neighbour of a node, on a ring of all nodes.
fn neighbours(node: &Node<'_>) -> (Rank, Rank) {
    let (rank, size) = (node.rank(), node.size());
    ((rank + size - 1) % size, (rank + 1) % size)
}

fn main() -> Result<(), MainError> {
    let machine = machine()?;
    match listen_then_speak(&machine) {
        Err(RunError::Deadlock(report)) => println!("{report}"),
        other => drop(other?),
    }
    println!("\nwith sendrecv all are done at {}", listen_and_speak(&machine)?.report.makespan);
    Ok(())
}
