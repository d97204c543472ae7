//! The cost of this crate's endpoint over MPI: messages back and forth between two ranks, as `mpi.c` sends them with MPI's
//! own calls. `benches/mpi/seam` runs both in turn.

use std::{error::Error, hint::black_box};

use multicomputer::{Payload, error::Failure, mpi::Job, prelude::*};

/// The lengths in bytes, and the messages back and forth in a round.
const CASES: [(usize, u32); 4] = [(8, 20_000), (1 << 10, 20_000), (64 << 10, 2_000), (1 << 20, 300)];

/// The number of rounds, of which the median counts.
const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let job = Job::start()?;
    job.run(|node| CASES.iter().try_for_each(|&(bytes, messages)| case(&job, node, bytes, messages)))?;
    Ok(())
}

/// Times messages of a length, and prints a line: microseconds one way.
fn case(job: &Job, node: &Node<'_>, bytes: usize, messages: u32) -> Result<(), Failure> {
    let world = node.world();
    let data = Payload::from(vec![1_u8; bytes]);
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        world.barrier()?;
        let begin = job.seconds();
        for _ in 0..messages {
            match node.rank() {
                0 => {
                    world.send(1, data.clone())?;
                    black_box(world.recv(1)?);
                }
                1 => {
                    black_box(world.recv(0)?);
                    world.send(0, data.clone())?;
                }
                _ => {}
            }
        }
        rounds.push((job.seconds() - begin) / f64::from(messages) / 2.0 * 1e6);
    }
    rounds.sort_by(f64::total_cmp);
    if node.rank() == 0 {
        println!("own,{bytes},{:.3},{:.3}", rounds[ROUNDS / 2], rounds[0]);
    }
    Ok(())
}
