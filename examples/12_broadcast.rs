//! Example 12: a broadcast, where the length decides which algorithm is good.
//!
//! A vector is at one node of a 4 x 8 Paragon, and all are to have it. The short-vector algorithm sends all of it in
//! each of the log2(32) = 5 steps of a minimum spanning tree. The long-vector algorithm first scatters it and then
//! collects it in the rows and columns, in far more steps with far fewer bytes each. Between them are hybrids:
//! `8x4:SMC` scatters within rows, broadcasts within columns by trees, and collects within rows. *Auto* is the default;
//! it predicts them all for the length at hand, and takes the fastest.
//!
//! Run it with `cargo run --release --example 12_broadcast`. Next: `13_scatter`.

use std::error::Error;

use multicomputer::{
    Run,
    collective::{Algorithm, Collective, Operation, Strategy, StrategyError, Task},
    model::MachineSpec,
    prelude::*,
};

/// The node that has the vector.
pub const ROOT: Rank = 13;

/// What is compared.
pub fn algorithms() -> Result<[Algorithm; 4], StrategyError> {
    let hybrid = Strategy::parse(Operation::Broadcast, "8x4:SMC")?;
    Ok([Algorithm::SHORT, Algorithm::LONG, Algorithm::strategy(hybrid), Algorithm::AUTO])
}

/// Broadcasts so many doubles; every node returns the sum of what it has.
pub fn broadcast(algorithm: &Algorithm, doubles: usize) -> Result<Run<f64>, Box<dyn Error>> {
    let machine = Machine::paragon(4, 8).build()?;
    let run = machine.run(|node| {
        let mut x = vec![0.0; doubles];
        if node.rank() == ROOT {
            x.fill(0.5);
        }
        node.world().using(algorithm).broadcast(ROOT, &mut x)?;
        Ok(x.iter().sum())
    })?;
    Ok(run)
}

/// Which way *Auto* goes: all that a call does can be had without a run.
pub fn chosen(doubles: usize) -> Result<String, Box<dyn Error>> {
    let machine: MachineSpec = "paragon:4x8".parse()?;
    let task =
        Task::builder(&machine, Operation::Broadcast).root(ROOT).elements(doubles as u64).element_bytes(8);
    Ok(Algorithm::AUTO.plan(&task.build()?)?.name().to_owned())
}

fn main() -> Result<(), MainError> {
    for doubles in [1, 1 << 12, 1 << 17] {
        println!("{} bytes", 8 * doubles);
        for algorithm in &algorithms()? {
            let run = broadcast(algorithm, doubles)?;
            println!(
                "  {:<8}{:>16}",
                algorithm.spelled(Operation::Broadcast),
                run.report.makespan.to_string()
            );
        }
        println!("  auto is {}", chosen(doubles)?);
    }
    Ok(())
}
