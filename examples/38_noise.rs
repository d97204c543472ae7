//! Example 38: what noise of the operating system does to a pipeline, and to algorithms that do not need the clock.
//!
//! A broadcast of 1 MiB on a Paragon of 8 x 8 nodes. On a machine without noise nothing is faster than the pipeline down two
//! trees, all of whose nodes go from step to step at the same time. Once a few processors are late, messages of different steps
//! meet at nodes and do so ever after: they share ports, and a receive that overlaps a send costs a Paragon more. So the least
//! noise costs it 60 %, and its lead. InterCom's authors
//! (Barnett et al., section 8) preferred hybrids of scatter and all-gather, which lose next to nothing, for that reason. A pipeline
//! that does not go by the clock, *blocks*, loses more than they do, too, but keeps its lead. Here each node's processor is taken
//! away from its program about once a millisecond, at random instants, for a growing time.
//!
//! Plans are made for the machine without noise; what they take with it is predicted with each of ten seeds, which is exact
//! and needs no run. `docs/faults.md` has the rules.
//!
//! Run it with `cargo run --release --example 38_noise`. Next: `39_plot`.

use std::error::Error;

use multicomputer::{
    Machine, Span,
    collective::{Algorithm, Operation, Task},
    error::MainError,
    model::{Distribution, MachineSpec, Noise},
    plan::predict,
};

/// Bytes of the vector.
const BYTES: u64 = 1 << 20;

/// Rows and columns of the mesh.
const SIDE: usize = 8;

/// The mean lengths of the periods of noise, in microseconds; one begins every millisecond.
pub const LENGTHS: [u64; 5] = [10, 25, 50, 100, 200];

/// The number of seeds that times are the mean of.
const SEEDS: u64 = 10;

/// The effect of noise on one algorithm.
#[derive(Debug)]
pub struct Slowdown {
    /// The plan: the algorithm, and what it chose.
    pub name: String,
    /// The time without noise.
    pub alone: Span,
    /// The mean time with periods of each of the [`LENGTHS`].
    pub with_noise: Vec<Span>,
}

/// The algorithms that are compared.
pub const ALGORITHMS: [Algorithm; 5] =
    [Algorithm::PIPELINE, Algorithm::BLOCKS, Algorithm::HYBRID, Algorithm::LONG, Algorithm::TREE];

/// Predicts the broadcast by one algorithm, without noise and with more and more of it.
pub fn slowdown(algorithm: &Algorithm, seeds: u64) -> Result<Slowdown, Box<dyn Error>> {
    let machine: MachineSpec = Machine::paragon(SIDE, SIDE).build()?.spec().clone();
    let task = Task::builder(&machine, Operation::Broadcast).elements(BYTES).build()?;
    let plan = algorithm.plan(&task)?;
    let mut with_noise = Vec::new();
    for length in LENGTHS {
        let noise = Noise::new(Span::from_millis(1), Span::from_micros(length))?
            .intervals(Distribution::Exponential)
            .lengths(Distribution::Exponential);
        let mut total = Span::ZERO;
        for seed in 1..=seeds {
            let noisy = machine.clone().with_noise(noise.seed(seed));
            let prediction =
                predict(&noisy, plan.schedule()).ok_or("the schedule is not one for this machine")?;
            total += prediction.modeled.since_start();
        }
        with_noise.push(Span::from_picos(total.as_picos() / seeds));
    }
    Ok(Slowdown { name: plan.name().to_owned(), alone: plan.prediction().modeled.since_start(), with_noise })
}

fn main() -> Result<(), MainError> {
    println!(
        "Broadcast of 1 MiB on paragon:{SIDE}x{SIDE}; times with noise are means of {SEEDS} seeds, and relative\n"
    );
    print!("{:>44} {:>10}", "", "no noise");
    for length in LENGTHS {
        print!(" {:>9}", format!("{length} us"));
    }
    println!();
    for algorithm in &ALGORITHMS {
        let Slowdown { name, alone, with_noise } = slowdown(algorithm, SEEDS)?;
        print!("{name:>44} {:>7.3} ms", alone.as_millis_f64());
        for time in with_noise {
            print!(" {:>9.3}", time.as_millis_f64() / alone.as_millis_f64());
        }
        println!();
    }
    Ok(())
}
