//! Example 41: one program on a modeled Paragon, on the host's threads, and over MPI, unchanged.
//!
//! A rod is cut into as many pieces as there are nodes, and its heat spreads: in every step neighbours tell each other the
//! temperatures at their ends. In the end all nodes know the heat of the whole rod, which has not changed, and the
//! temperatures in the middle of every third piece. Every rank of the MPI job runs the program on the other two machines
//! as well, and compares its own part of the results, bit by bit.
//!
//! Run it with `cargo run --release --example 41_mpi`, where two machines have to do; over MPI with
//! `cargo build --release --features mpi --example 41_mpi` and `mpirun -n 4 target/release/examples/41_mpi`
//! (docs/mpi.md says what that needs). Next: `42_goal`.

use std::error::Error;

use multicomputer::{collective::Sum, error::Failure, prelude::*};

const CELLS: usize = 1000;
const STEPS: usize = 200;

/// The heat of the whole rod, and some temperatures.
pub type Heat = (f64, Vec<Vec<f64>>);

/// The program of a node.
pub fn program(node: &Node<'_>) -> Result<Heat, Failure> {
    let (world, rank, size) = (node.world(), node.rank(), node.size());
    let mut cells: Vec<f64> = (0..CELLS).map(|cell| ((rank * CELLS + cell) % 97) as f64).collect();
    for _ in 0..STEPS {
        // The ends of the rod are joined, so all nodes do the same.
        let (right, left) = ((rank + 1) % size, (rank + size - 1) % size);
        let from_left = world.sendrecv(right, cells[CELLS - 1], left)?.to_value()?;
        let from_right = world.sendrecv(left, cells[0], right)?.to_value()?;
        let before = |cell: usize| if cell == 0 { from_left } else { cells[cell - 1] };
        let after = |cell: usize| if cell + 1 == CELLS { from_right } else { cells[cell + 1] };
        cells = (0..CELLS).map(|cell| 0.25 * before(cell) + 0.5 * cells[cell] + 0.25 * after(cell)).collect();
        node.compute(Span::from_micros(20))?;
    }
    let mut heat = cells.iter().sum::<f64>();
    // The order of the sums decides about their last bits. Without a choice each machine has the order that is best for it.
    world.using(multicomputer::collective::Algorithm::SHORT).all_reduce(&mut heat, Sum)?;
    let sources: Vec<(Rank, usize)> = (0..size).step_by(3).map(|source| (source, 2)).collect();
    let mine = if rank % 3 == 0 { &cells[CELLS / 2..CELLS / 2 + 2] } else { &[] };
    let middles = world.broadcast_from(&sources, mine)?;
    Ok((heat, middles))
}

/// The results of all nodes on the Paragon, which are those on the host's threads.
pub fn on_two_machines(nodes: usize) -> Result<Vec<Heat>, Box<dyn Error>> {
    let paragon = Machine::paragon(1, nodes).build()?.run(program)?;
    let host = Machine::host(nodes).build()?.run(program)?;
    assert_eq!(paragon.outputs, host.outputs);
    Ok(paragon.outputs)
}

#[cfg(feature = "mpi")]
fn main() -> Result<(), MainError> {
    let job = multicomputer::mpi::Job::start()?;
    let expected = on_two_machines(job.size())?;
    let run = job.run(program)?;
    assert_eq!(run.output, expected[job.rank()]);
    if job.rank() == 0 {
        println!("{}\n{}\n\nThe same on a Paragon, on threads and over MPI.", job.library(), run.report);
    }
    Ok(())
}

#[cfg(not(feature = "mpi"))]
fn main() -> Result<(), MainError> {
    let heat = on_two_machines(4)?;
    println!("A heat of {}, the same on a Paragon and on threads.", heat[0].0);
    Ok(())
}
