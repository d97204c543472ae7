//! Example 30: many-to-many communication: everybody has something of its own for some of the others.
//!
//! ```text
//!                 for node 0   1   2   3  ..     A communication matrix says who has how much for whom. In each
//!   from node 0          7   2   4   5           of three programs a node knows another part of it:
//!             1          3   8   1   4
//!             2          6   2   5   3           1. Sorting: its own row.           exchange
//!             3          1   4   4   9           2. From blocks to cards: all.      all_to_allv_known
//!             ..                                 3. Particles: its row, of which    sparse_exchange
//!                                                   nearly all is zero.
//! ```
//!
//! 1. Numbers are sorted: each node sends every number to the node that keeps numbers of its size, and sorts what
//!    comes.
//! 2. A vector of which each node has a block is dealt out like cards: element `i` goes to node `i mod p`. Everybody
//!    can work out who sends what.
//! 3. Particles move, and a few of them leave the cell of their node for another one.
//!
//! Every node checks every number that it gets.
//!
//! Run it with `cargo run --release --example 30_all_to_all`.

use std::{error::Error, sync::Arc};

use multicomputer::{
    Run,
    all_to_all::{Algorithm, ManyToMany, Matrix},
    prelude::*,
};

/// Numbers, elements or particles of each node.
pub const EACH: usize = 1000;

/// What is compared. Without `by` a group takes the last one.
pub const ALGORITHMS: [Algorithm; 3] = [Algorithm::TWO_STAGE, Algorithm::PAIRWISE, Algorithm::AUTO];

/// Where a particle is and how far it moves in a step, in parts of a cell.
pub type Particle = [i64; 2];

/// Parts of a cell.
pub const CELL: i64 = 1000;

/// The numbers of a node before they are sorted: squares, more of them low than high.
pub fn numbers(rank: Rank) -> Vec<u32> {
    let scattered = |at: usize| (at as u32).wrapping_mul(2_654_435_761) >> 16;
    (rank * EACH..(rank + 1) * EACH).map(|at| scattered(at).pow(2)).collect()
}

/// Sorts the numbers of all nodes: node 0 gets the lowest, and so on.
pub fn sorted(algorithm: &Algorithm) -> Result<Run<Vec<u32>>, Box<dyn Error>> {
    let machine = Machine::cm5(32).build()?;
    let run = machine.run(|node| {
        let (rank, size) = (node.rank(), node.size());
        let keeper = |number: u32| ((u64::from(number) * size as u64) >> 32) as Rank;
        let mut outgoing = vec![Vec::new(); size];
        numbers(rank).into_iter().for_each(|number| outgoing[keeper(number)].push(number));
        // What comes from each rank: how much that is, nobody had to say.
        let incoming: Vec<Vec<u32>> = node.world().using(algorithm).all_to_allv(&outgoing)?;
        for (from, came) in incoming.iter().enumerate() {
            assert!(
                came.iter().copied().eq(numbers(from).into_iter().filter(|&number| keeper(number) == rank))
            );
        }
        let mut mine = incoming.concat();
        mine.sort_unstable();
        Ok(mine)
    })?;
    Ok(run)
}

/// Deals a vector out: element `i` is the number `i`.
pub fn dealt_out(algorithm: &Algorithm) -> Result<Run<Vec<u32>>, Box<dyn Error>> {
    let machine = Machine::cm5(32).build()?;
    let size = machine.spec().nodes();
    let cards = |from: Rank, to: Rank| (from * EACH..(from + 1) * EACH).filter(move |at| at % size == to);
    // All have the same matrix, in bytes, so that nothing but data is sent.
    let matrix = Arc::new(Matrix::of(size, |from, to| 4 * cards(from, to).count() as u64)?);
    let run = machine.run(|node| {
        let rank = node.rank();
        let of = |from: Rank, to: Rank| cards(from, to).map(|at| at as u32).collect::<Vec<u32>>();
        let outgoing: Vec<Vec<u32>> = (0..size).map(|to| of(rank, to)).collect();
        let incoming = node.world().using(algorithm).all_to_allv_known(&matrix, &outgoing)?;
        for (from, came) in incoming.iter().enumerate() {
            assert_eq!(came, &of(from, rank));
        }
        Ok(incoming.concat())
    })?;
    Ok(run)
}

/// The particles of a node: three in a hundred are fast enough to leave its cell.
pub fn particles(rank: Rank) -> Vec<Particle> {
    let at = |nth: usize| rank as i64 * CELL + (nth * 7919) as i64 % CELL;
    let speed = |nth: usize| if nth % 100 < 3 { (nth as i64 % 3 - 1) * 2 * CELL } else { 0 };
    (0..EACH).map(|nth| [at(nth), speed(nth)]).collect()
}

/// Moves particles around a ring of cells; every node ends with those in its own.
pub fn moved() -> Result<Run<Vec<Particle>>, Box<dyn Error>> {
    let machine = Machine::cm5(32).build()?;
    let run = machine.run(|node| {
        let (rank, size) = (node.rank(), node.size());
        let step = |[at, speed]: Particle| [(at + speed).rem_euclid(size as i64 * CELL), speed];
        let cell = |[at, _]: Particle| (at / CELL) as Rank;
        let (mut mine, gone): (Vec<Particle>, Vec<Particle>) =
            particles(rank).into_iter().map(step).partition(|&particle| cell(particle) == rank);
        // Only cells that get something are named.
        let mut outgoing: Vec<(Rank, Vec<Particle>)> = Vec::new();
        for particle in gone {
            match outgoing.iter_mut().find(|(to, _)| *to == cell(particle)) {
                Some((_, particles)) => particles.push(particle),
                None => outgoing.push((cell(particle), vec![particle])),
            }
        }
        for (from, came) in node.world().sparse_exchange(&outgoing)? {
            let expected = particles(from).into_iter().map(step).filter(|&particle| cell(particle) == rank);
            assert!(came.iter().copied().eq(expected));
            mine.extend(came);
        }
        Ok(mine)
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    println!("{:<14} {:>15} {:>15}", "", "sorted", "dealt out");
    for algorithm in ALGORITHMS {
        let (sorted, dealt_out) =
            (sorted(&algorithm)?.report.makespan, dealt_out(&algorithm)?.report.makespan);
        println!("{:<14} {:>15} {:>15}", algorithm.name(), sorted.to_string(), dealt_out.to_string());
    }
    let run = moved()?;
    println!("particles have moved after {}, {} messages", run.report.makespan, run.report.messages);
    Ok(())
}
