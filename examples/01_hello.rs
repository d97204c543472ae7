//! Example 1: a machine, a program, and what a run leaves.
//!
//! A program is a closure that every node runs on a thread of its own. Here node 0 of a 2 x 2 Paragon greets the
//! others one after the other. Each node returns what it got and when, on its own modeled clock; the times are the
//! same on every host.
//!
//! Run it with `cargo run --release --example 01_hello`. Next: `02_ring`.

use std::error::Error;

use multicomputer::{Run, prelude::*};

/// Node 0 greets everybody; what each node has to say about it.
pub fn hello() -> Result<Run<String>, Box<dyn Error>> {
    let machine = Machine::paragon(2, 2).build()?;
    let run = machine.run(|node| {
        let world = node.world();
        if world.rank() == 0 {
            for other in 1..world.size() {
                world.send(other, "hello")?;
            }
            return Ok(format!("node 0 has greeted all at {}", node.now()?));
        }
        let message = world.recv(0)?;
        let text = String::from_utf8(message.to_vec()?)?;
        Ok(format!("node {} got `{text}` from node {} at {}", node.rank(), message.source, node.now()?))
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    let run = hello()?;
    for line in &run.outputs {
        println!("{line}");
    }
    println!("\n{}", run.report);
    Ok(())
}
