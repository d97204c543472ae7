//! Example 9: s-to-p broadcasting that moves the messages to better places first.
//!
//! 15 sources of an 8 x 8 Paragon form a cross, as in figure 9 of the report. *Repos* moves their messages to two rows
//! that *Br_xy_source* likes best and broadcasts from there. *Part_xy_source* also halves the machine: each half
//! broadcasts half of the messages, and then every node exchanges what it has with one in the other half. On the real
//! machine that exchange of long messages ate up what the smaller broadcasts save (2.5 ms of 4.8); the timing model
//! charges single long messages less than the machine did, and here it pays, just.
//!
//! Run it with `cargo run --release --example 09_s_to_p_repositioning`. Next: `10_s_to_p_auto`.

use std::error::Error;

use multicomputer::{
    Machine, Span,
    error::MainError,
    s_to_p::{Algorithm, Distribution, Instance},
};

/// The algorithms compared.
pub const ALGORITHMS: [Algorithm; 3] =
    [Algorithm::BR_XY_SOURCE, Algorithm::REPOS_BR_XY_SOURCE, Algorithm::PART_XY_SOURCE];

/// What 2 KiB from each source of the cross take, without running anything: a plan knows it beforehand.
pub fn predicted(algorithm: &Algorithm) -> Result<Span, Box<dyn Error>> {
    let machine = Machine::paragon(8, 8).build()?;
    let grid = machine.spec().topology().grid().ok_or("a mesh has rows and columns")?;
    let sources = Distribution::Cross.place(grid, 15)?;
    let instance = Instance::new(machine.spec(), &sources, &[2048; 15])?;
    Ok(algorithm.plan(&instance)?.prediction().modeled.since_start())
}

fn main() -> Result<(), MainError> {
    for algorithm in ALGORITHMS {
        println!("{:<20}{}", algorithm, predicted(&algorithm)?);
    }
    Ok(())
}
