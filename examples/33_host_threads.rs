//! Example 33: no model. The same program on the host's own threads, as fast as they can, beside its modeled time.
//!
//! 16 nodes add up vectors of a million numbers, first on a Paragon in virtual time, where the sum takes what it would have
//! taken there, and then under the host's clock, where messages are handed over by reference and the time is the wall
//! clock's. The data is the same. On which cores the threads run can be chosen: all where the host likes them, all on
//! one core, or spread over the cores.
//!
//! Run it with `cargo run --release --example 33_host_threads`. Next: `34_space_time`.

use std::error::Error;

use multicomputer::{Pinning, Run, collective::Sum, prelude::*};

const NUMBERS: usize = 1_000_000;

/// The sum of all nodes' vectors, of which each node returns the last number.
pub fn sum(machine: &Machine) -> Result<Run<u64>, Box<dyn Error>> {
    Ok(machine.run(|node| {
        let mut x = vec![node.rank() as u64; NUMBERS];
        node.world().all_reduce(&mut x, Sum)?;
        Ok(x[NUMBERS - 1])
    })?)
}

fn main() -> Result<(), MainError> {
    let paragon = sum(&Machine::paragon(4, 4).build()?)?;
    println!("{}", paragon.report);
    for pinning in [Pinning::None, Pinning::OneCore, Pinning::Spread] {
        let machine = Machine::host(16).pinning(pinning).build()?;
        // The first run plans; the plan is kept with the machine.
        sum(&machine)?;
        let host = sum(&machine)?;
        assert_eq!(host.outputs, paragon.outputs);
        println!("\n{pinning:?}\n{}", host.report);
    }
    Ok(())
}
