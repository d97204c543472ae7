//! Example 44: all orders of arrival of a program with a receive from any source.
//!
//! Nodes 1 and 2 send their shares of a sum to node 0. Node 0 asks node 1 one more question as soon as it has the first share. The program is
//! right if node 1 is the first and node 2 the second, and so it is in a run, because the nodes are equally fast. If node 2 is the first, or if
//! node 1 has answered before node 2 has sent its share, node 0 waits for a message that does not come.
//!
//! `explore` runs the program once for each of the three orders. It finds both deadlocks, with orders that can be replayed.
//!
//! Run it with `cargo run --release --example 44_orders`.

use multicomputer::{
    Run,
    error::{ConfigError, RunError},
    explore::{Exploration, ExploreError, Order},
    prelude::*,
};

/// Three nodes.
pub fn machine() -> Result<Machine, ConfigError> {
    Machine::hockney(1, 3).build()
}

/// Node 0 sums up what the others send; the sum is on node 0.
fn sum(node: &Node<'_>) -> Result<u64, Failure> {
    let world = node.world();
    if node.rank() > 0 {
        world.send(0, node.rank() as u64)?;
        if node.rank() == 1 {
            let question = world.recv(0)?.to_value::<u64>()?;
            world.send(0, 10 * question)?;
        }
        return Ok(0);
    }
    let first = world.recv(ANY_SOURCE)?;
    world.send(1, 7_u64)?;
    let second = world.recv(ANY_SOURCE)?;
    // Wrong: the question went to node 1, and node 2 may send after the answer.
    let answer = world.recv(first.source)?;
    Ok(first.to_value::<u64>()? + second.to_value::<u64>()? + answer.to_value::<u64>()?)
}

/// One run.
pub fn run(machine: &Machine) -> Result<Run<u64>, RunError> {
    machine.run(sum)
}

/// All orders.
pub fn explore(machine: &Machine) -> Result<Exploration<u64>, ExploreError> {
    machine.explore(sum)
}

/// One run with a given order.
pub fn replay(machine: &Machine, order: &Order) -> Result<Run<u64>, RunError> {
    machine.replay_order(order, sum)
}

fn main() -> Result<(), MainError> {
    let machine = machine()?;
    println!("one run: {:?}", run(&machine)?.outputs);
    let found = explore(&machine)?;
    println!("{found}");
    if let Some(failure) = found.failures().first() {
        println!("again: {}", replay(&machine, &failure.order).map(|_| ()).unwrap_err());
    }
    Ok(())
}
