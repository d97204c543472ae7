//! Example 14: gathering blocks whose lengths nobody knows beforehand.
//!
//! Each node of a 4 x 4 Paragon looks for primes in a range of its own. How many it finds, only it knows; but a gather
//! wants all nodes to know all lengths. So they are collected first, one number from each, and then the primes are
//! gathered, in blocks of these lengths.
//!
//! Both calls name how they are done. An all-gather of so little is best done on a circulant graph, in log2(16) = 4 rounds.
//! Of the strategies, `16:S` gathers along one minimum spanning tree through all nodes, and `4x4:SS` along trees in
//! rows and columns.
//!
//! Run it with `cargo run --release --example 14_gather`. Next: `15_all_gather`.

use std::error::Error;

use multicomputer::{
    Run,
    collective::{Algorithm, Collective, Operation, Strategy, StrategyError},
    prelude::*,
};

/// The node that is to have all primes.
pub const ROOT: usize = 5;

/// Numbers below 16 times this are looked at.
const RANGE: u32 = 1000;

/// How the lengths are collected and how the primes are gathered.
pub fn ways() -> Result<[(Algorithm, Algorithm); 4], StrategyError> {
    let strategy = |text| Strategy::parse(Operation::Gather, text).map(Algorithm::strategy);
    Ok([
        (Algorithm::SHORT, Algorithm::SHORT),
        (Algorithm::CIRCULANT, strategy("16:S")?),
        (Algorithm::CIRCULANT, strategy("4x4:SS")?),
        (Algorithm::AUTO, Algorithm::AUTO),
    ])
}

/// The primes below 16,000, in order: node 5 returns them, the others return nothing.
pub fn primes(lengths: &Algorithm, gather: &Algorithm) -> Result<Run<Vec<u32>>, Box<dyn Error>> {
    let machine = Machine::paragon(4, 4).build()?;
    let run = machine.run(|node| {
        let (first, world) = (node.rank() as u32 * RANGE, node.world());
        let mine: Vec<u32> = (first..first + RANGE).filter(|&number| is_prime(number)).collect();
        let lengths = {
            let _phase = node.phase("lengths")?;
            world.using(lengths).all_gather(&mine.len(), world.size())?
        };
        let _phase = node.phase("primes")?;
        Ok(world.using(gather).gather(ROOT, &mine, &lengths)?)
    })?;
    Ok(run)
}

fn is_prime(number: u32) -> bool {
    number > 1
        && (2..).take_while(|factor| factor * factor <= number).all(|factor| !number.is_multiple_of(factor))
}

fn main() -> Result<(), MainError> {
    for (lengths, gather) in &ways()? {
        let run = primes(lengths, gather)?;
        println!(
            "all-gather by {}, gather by {}",
            lengths.spelled(Operation::AllGather),
            gather.spelled(Operation::Gather)
        );
        for phase in &run.report.phases {
            println!("  {:<8} from {} to {}", phase.name, phase.begin, phase.end);
        }
        println!("  {} primes at node {ROOT}", run.outputs[ROOT].len());
    }
    Ok(())
}
