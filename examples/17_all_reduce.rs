//! Example 17: the dot products of a conjugate gradient method.
//!
//! A temperature is wanted along a rod of 64 points, whose ends are kept at 0 and which is heated in the middle: the
//! equations are `2 x_i - x_(i-1) - x_(i+1) = b_i`. The rod is divided among the 16 nodes of a 4 x 4 Paragon. Each step
//! of the method needs the points next to a node's own, which two messages bring, and two dot products of vectors of
//! which every node has a part: all add up their parts, and everybody needs the sum, in order to go on or to stop at
//! the same step. The sum of one number from each is all latency, so the number of rounds decides: `short` combines to
//! one and broadcasts, in 2 log2(16) = 8 rounds, as does a reduce-scatter with an all-gather (`circulant`); recursive
//! doubling takes log2(16) = 4.
//!
//! Run it with `cargo run --release --example 17_all_reduce`. Next: `18_reduce_scatter`.

use std::error::Error;

use multicomputer::{
    Run,
    collective::{Algorithm, Collective, Operation, Sum},
    prelude::*,
};

/// The algorithms compared.
pub const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::SHORT, Algorithm::DOUBLING, Algorithm::CIRCULANT, Algorithm::AUTO];

/// Points that each node has.
const OWN: usize = 4;

/// The points of a node, and the steps that it took.
pub type Solution = (Vec<f64>, usize);

/// Solves the equations.
pub fn temperatures(algorithm: &Algorithm) -> Result<Run<Solution>, Box<dyn Error>> {
    let machine = Machine::paragon(4, 4).build()?;
    let run = machine.run(|node| {
        let dot = |u: &[f64], v: &[f64]| -> Result<f64, Failure> {
            let mut sum: f64 = u.iter().zip(v).map(|(u, v)| u * v).sum();
            node.world().using(algorithm).all_reduce(&mut sum, Sum)?;
            Ok(sum)
        };
        let heated = node.rank() == node.size() / 2;
        let (mut x, mut residual) = (vec![0.0; OWN], vec![if heated { 1.0 } else { 0.0 }; OWN]);
        let mut direction = residual.clone();
        let mut square = dot(&residual, &residual)?;
        let mut steps = 0;
        while square > 1e-20 {
            let image = differences(node.world(), &direction)?;
            let length = square / dot(&direction, &image)?;
            for point in 0..OWN {
                x[point] += length * direction[point];
                residual[point] -= length * image[point];
            }
            let before = std::mem::replace(&mut square, dot(&residual, &residual)?);
            for (towards, residual) in direction.iter_mut().zip(&residual) {
                *towards = residual + square / before * *towards;
            }
            steps += 1;
        }
        Ok((x, steps))
    })?;
    Ok(run)
}

/// `2 x_i - x_(i-1) - x_(i+1)`, with what the neighbours have.
fn differences(world: &Group<'_>, x: &[f64]) -> Result<Vec<f64>, Failure> {
    let (rank, size) = (world.rank(), world.size());
    let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
    // Around in a ring; the ends of the rod do not look at what comes from the other end.
    let before = world.sendrecv(right, x[OWN - 1], left)?.to_value()?;
    let after = world.sendrecv(left, x[0], right)?.to_value()?;
    let mut all = vec![if rank == 0 { 0.0 } else { before }];
    all.extend_from_slice(x);
    all.push(if rank + 1 == size { 0.0 } else { after });
    Ok(all.windows(3).map(|near| 2.0 * near[1] - near[0] - near[2]).collect())
}

fn main() -> Result<(), MainError> {
    for algorithm in &ALGORITHMS {
        let run = temperatures(algorithm)?;
        let (name, modeled) = (algorithm.spelled(Operation::AllReduce), run.report.makespan);
        println!("{name:<10}{} steps in {modeled}", run.outputs[0].1);
    }
    let hottest = temperatures(&Algorithm::AUTO)?.outputs[8].0.iter().copied().fold(0.0, f64::max);
    println!("the hottest point is at {hottest:.3}");
    Ok(())
}
