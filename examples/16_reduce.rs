//! Example 16: combining to one node, with an operator of one's own.
//!
//! Node 0 of a 4 x 8 Paragon wants to know the highest reading of each sensor, and which node has seen it. An element
//! is a pair, and the operator keeps the pair with the higher reading; the same readings count for the lower node, so
//! that the order of the operands does not matter, and the operator is `commutative`.
//!
//! A combine is a broadcast backwards, and what holds there holds here: few sensors are best combined by a tree
//! (`short`); for many, every node first combines its own part of the vector, and the parts are gathered (`long`).
//!
//! Run it with `cargo run --release --example 16_reduce`. Next: `17_all_reduce`.

use std::error::Error;

use multicomputer::{
    Machine, Run,
    collective::{Algorithm, Collective, Operation, commutative},
    error::MainError,
};

/// The algorithms compared.
pub const ALGORITHMS: [Algorithm; 3] = [Algorithm::SHORT, Algorithm::LONG, Algorithm::AUTO];

/// A reading and the node that has seen it.
pub type Seen = [u32; 2];

/// The higher reading, or that of the lower node.
fn higher([reading, node]: Seen, [other, its_node]: Seen) -> Seen {
    if other > reading || (other == reading && its_node < node) { [other, its_node] } else { [reading, node] }
}

/// What a sensor says on a node.
pub fn reading(sensor: usize, node: usize) -> u32 {
    (sensor as u32 + 1).wrapping_mul(2_654_435_761).rotate_left(node as u32) % 1000
}

/// The highest reading of so many sensors: node 0 returns them, the others what they have seen themselves.
pub fn highest(algorithm: &Algorithm, sensors: usize) -> Result<Run<Vec<Seen>>, Box<dyn Error>> {
    let machine = Machine::paragon(4, 8).build()?;
    let run = machine.run(|node| {
        let mut seen: Vec<Seen> =
            (0..sensors).map(|sensor| [reading(sensor, node.rank()), node.rank() as u32]).collect();
        node.world().using(algorithm).reduce(0, &mut seen, commutative(higher))?;
        Ok(seen)
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    for sensors in [1, 20_000] {
        println!("{sensors} sensors");
        for algorithm in &ALGORITHMS {
            let run = highest(algorithm, sensors)?;
            let (name, modeled) = (algorithm.spelled(Operation::Reduce), run.report.makespan.to_string());
            let [reading, node] = run.outputs[0][0];
            println!("  {name:<6}{modeled:>16}, sensor 0 was at {reading} on node {node}");
        }
    }
    Ok(())
}
