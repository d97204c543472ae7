//! Example 18: a histogram that stays distributed.
//!
//! Each node of a 4 x 8 Paragon has counted how often each of the words that it has read occurs, into a table of all
//! words. The tables are to be added up, and each node is to go on with the words of its own letter: a block of the
//! sum, and the blocks are of different lengths. A reduce-scatter does that at once. Combining to one node and
//! scattering from there gives the same; the whole sum then has to pass through one node, twice.
//!
//! Run it with `cargo run --release --example 18_reduce_scatter`. Next: `19_scan`.

use std::error::Error;

use multicomputer::{
    Machine, Run,
    collective::{Algorithm, Collective, Operation, Strategy, StrategyError, Sum},
    error::MainError,
};

/// How it is done.
#[derive(Clone, Debug)]
pub enum Way {
    /// By a reduce-scatter.
    AtOnce(Algorithm),
    /// By a reduce at node 0 and a scatter.
    ThroughOne(Algorithm),
}

/// What is compared.
pub fn ways() -> Result<[(&'static str, Way); 5], StrategyError> {
    let buckets = Strategy::parse(Operation::ReduceScatter, "8x4:CC")?;
    let circulant = Strategy::parse(Operation::ReduceScatter, "32:B")?;
    Ok([
        ("buckets in rows and columns", Way::AtOnce(Algorithm::strategy(buckets))),
        ("on a circulant graph", Way::AtOnce(Algorithm::strategy(circulant))),
        ("auto", Way::AtOnce(Algorithm::AUTO)),
        ("through one node, long", Way::ThroughOne(Algorithm::LONG)),
        ("through one node, auto", Way::ThroughOne(Algorithm::AUTO)),
    ])
}

/// Words of each letter: node `j` goes on with those of letter `j`.
pub fn words(unit: usize) -> Vec<usize> {
    (0..32).map(|letter| unit * (letter % 5)).collect()
}

/// Adds up the tables; every node returns its block of the sum.
pub fn histogram(way: &Way, unit: usize) -> Result<Run<Vec<u32>>, Box<dyn Error>> {
    let machine = Machine::paragon(4, 8).build()?;
    let words = words(unit);
    let run = machine.run(|node| {
        let world = node.world();
        let mut counted: Vec<u32> =
            (0..words.iter().sum()).map(|word| (word % (node.rank() + 1)) as u32).collect();
        match way {
            Way::AtOnce(algorithm) => Ok(world.using(algorithm).reduce_scatter(&counted, &words, Sum)?),
            Way::ThroughOne(algorithm) => {
                let world = world.using(algorithm);
                world.reduce(0, &mut counted, Sum)?;
                // Only the root has a vector to scatter.
                let sum = if node.rank() == 0 { &counted[..] } else { &[] };
                Ok(world.scatter(0, sum, &words)?)
            }
        }
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    for unit in [1, 500] {
        println!("{} words", words(unit).iter().sum::<usize>());
        for (name, way) in &ways()? {
            println!("  {name:<28}{:>16}", histogram(way, unit)?.report.makespan);
        }
    }
    Ok(())
}
