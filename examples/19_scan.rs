//! Example 19: prefix sums, and prefixes of something else.
//!
//! The nodes of a 4 x 4 Paragon have lists of different lengths, and are to have equal ones without anything changing
//! its order. A scan of the lengths tells each node how many items lie before its own; so it knows where every item
//! goes, and all it has to send is sent. The total, which the last node knows after the scan, is broadcast.
//!
//! The operator need not be a sum. A recurrence `x_(i+1) = a_i x_i + b_i` looks as if it had to be worked out one step
//! after the other; but its steps are functions, one after the other is again such a function, and that is associative:
//! a scan of the pairs `(a_i, b_i)` tells every node its `x`. The order matters, so the operator is `associative`, and
//! not `commutative`.
//!
//! Recursive doubling takes log2(16) rounds; a chain takes 15, but with a long vector it is a pipeline.
//!
//! Run it with `cargo run --release --example 19_scan`. Next: `20_groups`.

use std::error::Error;

use multicomputer::{
    Run,
    collective::{Algorithm, Collective, Operation, Sum, associative},
    prelude::*,
};

/// The algorithms compared.
pub const ALGORITHMS: [Algorithm; 3] = [Algorithm::DOUBLING, Algorithm::PIPELINE, Algorithm::AUTO];

/// Node `j` has `(7 j) mod 16` items, which are numbered through; every node returns those that it has in the end.
pub fn balanced(algorithm: &Algorithm) -> Result<Run<Vec<u64>>, Box<dyn Error>> {
    let machine = Machine::paragon(4, 4).build()?;
    let run = machine.run(|node| {
        let (rank, world) = (node.rank() as u64, node.world());
        let count = 7 * rank % 16;
        let mine: Vec<u64> = (0..count).map(|item| 1000 * rank + item).collect();
        let mut end = count;
        world.using(algorithm).scan(&mut end, Sum)?;
        let mut total = end;
        world.using(&Algorithm::SHORT).broadcast(world.size() - 1, &mut total)?;
        // Node `j` is to have the places from `j total / size` on.
        let size = world.size() as u64;
        let owner = |place: u64| (((place + 1) * size - 1) / total) as Rank;
        let mut sent = Vec::new();
        for (place, &item) in (end - count..).zip(&mine) {
            // Under the tag of its place, each item finds the one that waits for it.
            sent.push(world.isend((owner(place), Tag(place as u32)), item)?);
        }
        let places = rank * total / size..(rank + 1) * total / size;
        let items = places
            .map(|place| Ok(world.recv((ANY_SOURCE, Tag(place as u32)))?.to_value()?))
            .collect::<Result<_, Failure>>()?;
        Request::wait_all(sent)?;
        Ok(items)
    })?;
    Ok(run)
}

/// `x -> a x + b`, modulo 2^32.
type Affine = [u32; 2];

/// First one function, then another.
fn after([a, b]: Affine, [c, d]: Affine) -> Affine {
    [c.wrapping_mul(a), c.wrapping_mul(b).wrapping_add(d)]
}

/// So many recurrences `x -> a x + b` at the same time, from 1 on, where node `j` has the step number `j` of each:
/// every node returns the `x` after its step.
pub fn recurrences(algorithm: &Algorithm, count: usize) -> Result<Run<Vec<u32>>, Box<dyn Error>> {
    let machine = Machine::paragon(4, 4).build()?;
    let run = machine.run(|node| {
        let rank = node.rank() as u32;
        let mut steps: Vec<Affine> = (0..count as u32).map(|number| [rank + 2, rank + number]).collect();
        node.world().using(algorithm).scan(&mut steps, associative(after))?;
        Ok(steps.iter().map(|[a, b]| a.wrapping_add(*b)).collect())
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    let run = balanced(&Algorithm::AUTO)?;
    println!("items on each node: {:?}", run.outputs.iter().map(Vec::len).collect::<Vec<_>>());
    for count in [1, 100_000] {
        println!("{count} recurrences");
        for algorithm in &ALGORITHMS {
            let modeled = recurrences(algorithm, count)?.report.makespan.to_string();
            println!("  {:<10}{modeled:>16}", algorithm.spelled(Operation::Scan));
        }
    }
    Ok(())
}
