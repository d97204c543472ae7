//! Example 40: a program that only works because messages are kept, found before MPI does.
//!
//! Two nodes want to exchange 8 KiB. Each sends, and then receives. That works here, and it works over MPI with short
//! messages, since libraries keep those until somebody asks for them. With longer ones a send waits for its receive: Open MPI
//! passes such a pair up to some 4000 bytes, MPICH up to 8 KiB, and then both hang.
//!
//! A machine with *rendezvous* from a length on does what MPI may do from there on, so the program is found on a desk: it ends
//! with a report of who waits for whom. A `sendrecv` is the cure, and so is an `isend` before the receive; both take the same
//! time with rendezvous as without it.
//!
//! Run it with `cargo run --release --example 40_rendezvous`. Next: `41_mpi`.

use multicomputer::{
    Run,
    error::{ConfigError, RunError},
    prelude::*,
};

/// The length of the messages.
pub const BYTES: usize = 8 << 10;

/// Two nodes where sends of so many bytes or more wait for their receives.
pub fn machine(from_bytes: u64) -> Result<Machine, ConfigError> {
    Machine::hockney(1, 2).rendezvous(from_bytes).build()
}

/// Both send, and then receive.
pub fn facing(machine: &Machine) -> Result<Run<u64>, RunError> {
    machine.run(|node| {
        let partner = 1 - node.rank();
        node.world().send(partner, vec![0_u8; BYTES])?;
        Ok(node.world().recv(partner)?.len())
    })
}

/// Both send and receive at the same time.
pub fn exchanging(machine: &Machine) -> Result<Run<u64>, RunError> {
    machine.run(|node| {
        let partner = 1 - node.rank();
        Ok(node.world().sendrecv(partner, vec![0_u8; BYTES], partner)?.len())
    })
}

/// Both start to send, receive, and wait for what they have sent.
pub fn starting(machine: &Machine) -> Result<Run<u64>, RunError> {
    machine.run(|node| {
        let partner = 1 - node.rank();
        let sent = node.world().isend(partner, vec![0_u8; BYTES])?;
        let received = node.world().recv(partner)?;
        sent.wait()?;
        Ok(received.len())
    })
}

fn main() -> Result<(), MainError> {
    let patient = machine(32 << 10)?;
    println!("8 KiB, rendezvous from 32 KiB on: done at {}", facing(&patient)?.report.makespan);
    let strict = machine(4 << 10)?;
    match facing(&strict) {
        Err(RunError::Deadlock(report)) => println!("\nfrom 4 KiB on:\n{report}\n"),
        other => drop(other?),
    }
    println!("with sendrecv: done at {}", exchanging(&strict)?.report.makespan);
    println!("with isend:    done at {}", starting(&strict)?.report.makespan);
    Ok(())
}
