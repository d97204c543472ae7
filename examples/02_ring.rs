//! Example 2: messages take time, and the time follows a formula.
//!
//! A number travels once around a ring of eight nodes, and every node adds its rank. With Hockney's parameters a
//! message of n bytes takes alpha + n * beta, which is 130 us + 8 * 50 ns = 130.4 us for one `u64`; eight such hops
//! take 1043.2 us. Node 7 sends back to node 0 over all seven links of the line: without a latency in the network
//! the way does not matter.
//!
//! Run it with `cargo run --release --example 02_ring`. Next: `03_shared_link`.

use std::error::Error;

use multicomputer::{Run, prelude::*};

/// How many nodes the ring has.
pub const NODES: usize = 8;

/// Sends a number around the ring; every node returns what it saw pass, and node 0 what came back.
pub fn ring() -> Result<Run<u64>, Box<dyn Error>> {
    let machine = Machine::hockney(1, NODES).build()?;
    let run = machine.run(|node| {
        let (rank, world) = (node.rank(), node.world());
        let (left, right) = ((rank + NODES - 1) % NODES, (rank + 1) % NODES);
        if rank == 0 {
            world.send(right, 0_u64)?;
        }
        let sum = world.recv(left)?.to_value::<u64>()? + rank as u64;
        if rank > 0 {
            world.send(right, sum)?;
        }
        Ok(sum)
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    let run = ring()?;
    println!("the sum of the ranks 0 to {} is {}", NODES - 1, run.outputs[0]);
    println!("{} messages took {}", run.report.messages, run.report.makespan);
    Ok(())
}
