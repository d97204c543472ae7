//! Example 13: scatter, work, gather.
//!
//! Node 0 has 2400 points, and a function is wanted at each of them that takes 50 us to compute. It keeps the first
//! block of points and scatters the others; everybody works on its block; the values are gathered. Blocks may have any
//! lengths, as long as all nodes know all of them. Here the nodes of the last column are half as fast as the others:
//! with equal blocks everybody waits for them, so they get half as much.
//!
//! Run it with `cargo run --release --example 13_scatter`. Next: `14_gather`.

use std::error::Error;

use multicomputer::{
    Run,
    collective::{Algorithm, Collective},
    prelude::*,
};

/// How many points there are.
pub const POINTS: usize = 2400;

/// What the function takes at each of them on a fast node.
const WORK: Span = Span::from_micros(50);

/// How many times as long a node needs as a fast one.
fn slowness(side: usize, node: Rank) -> usize {
    if node % side + 1 == side { 2 } else { 1 }
}

/// The points of each node: all the same, or `fair`.
pub fn blocks(side: usize, fair: bool) -> Vec<usize> {
    let share = |node| if fair { 2 / slowness(side, node) } else { 1 };
    let before = |node: Rank| (0..node).map(share).sum::<usize>();
    let start = |node| POINTS * before(node) / before(side * side);
    (0..side * side).map(|node| start(node + 1) - start(node)).collect()
}

/// The square roots of 0 to 2399, by all nodes of a square machine; node 0 returns them.
pub fn square_roots(algorithm: &Algorithm, side: usize, fair: bool) -> Result<Run<Vec<f64>>, Box<dyn Error>> {
    let machine = Machine::paragon(side, side).build()?;
    let blocks = blocks(side, fair);
    let run = machine.run(|node| {
        let points: Vec<f64> =
            if node.rank() == 0 { (0..POINTS).map(|point| point as f64).collect() } else { Vec::new() };
        let world = node.world().using(algorithm);
        let mine = world.scatter(0, &points, &blocks)?;
        node.compute(WORK.times((mine.len() * slowness(side, node.rank())) as u64))?;
        let values: Vec<f64> = mine.into_iter().map(f64::sqrt).collect();
        Ok(world.gather(0, &values, &blocks)?)
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    for side in [1, 2, 4, 8] {
        let modeled = |fair| square_roots(&Algorithm::SHORT, side, fair).map(|run| run.report.makespan);
        println!("{side} x {side}: {} with equal blocks, {} with fair ones", modeled(false)?, modeled(true)?);
    }
    Ok(())
}
