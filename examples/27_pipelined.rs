//! Example 27: broadcasts from several sources, one after the other or pipelined (section 4.2.4 of the textbook).
//!
//! Gaussian elimination broadcasts a row from each node in turn. With algorithm 4.2 each of n broadcasts takes log2 p
//! transfers: n (t_s + t_w m) log2 p. But an all-to-all broadcast on a ring is nothing but p broadcasts, pipelined:
//! while a message goes from 3 to 4, another goes from 4 to 5. With fewer sources nodes only send when there is
//! something to pass on, and all are done after (t_s + t_w m) (p - 1), however many there are. On eight nodes that pays
//! from three on.
//!
//! A send takes as long as its message here (o_s = alpha), as in the book.
//!
//! Run it with `cargo run --release --example 27_pipelined`. Next: `28_topologies`.

use std::error::Error;

use multicomputer::{
    Machine,
    collective::Task,
    error::Failure,
    model::{MachineSpec, Parameters},
    prelude::*,
    textbook::Algorithm,
    topology,
};

/// Nodes 0 to `sources - 1` have a message.
pub const SOURCES: [usize; 5] = [1, 2, 3, 4, 8];

/// Bytes of a message.
pub const BYTES: usize = 1000;

/// Algorithm 4.4 with messages from some nodes only.
fn pipelined(world: &Group<'_>, sources: usize, result: &mut [Payload]) -> Result<(), Failure> {
    let (my_id, p) = (world.rank(), world.size());
    let left = (my_id + p - 1) % p;
    let right = (my_id + 1) % p;
    for i in 1..p {
        // What came in the last step goes on, and what the left neighbour then had comes.
        let (owner, next) = ((my_id + p - (i - 1)) % p, (my_id + p - i) % p);
        if owner < sources {
            world.send(right, result[owner].clone())?;
        }
        if next < sources {
            result[next] = world.recv(left)?.payload;
        }
    }
    Ok(())
}

/// Algorithm 4.2 from one source after the other.
fn in_turn(world: &Group<'_>, sources: usize, result: &mut [Payload]) -> Result<(), Failure> {
    let d = world.size().ilog2();
    for (source, x) in result.iter_mut().enumerate().take(sources) {
        let my_virtual_id = world.rank() ^ source;
        let mut mask = (1 << d) - 1;
        for i in (0..d).rev() {
            mask ^= 1 << i;
            if my_virtual_id & mask == 0 {
                let partner = my_virtual_id ^ 1 << i ^ source;
                if my_virtual_id & 1 << i == 0 {
                    world.send(partner, x.clone())?;
                } else {
                    *x = world.recv(partner)?.payload;
                }
            }
        }
    }
    Ok(())
}

/// What the program, the library's plan and the equation take.
pub type Times = (Time, Time, Span);

/// So many broadcasts on a network of eight nodes.
pub fn broadcasts(network: &str, algorithm: Algorithm, sources: usize) -> Result<Times, Box<dyn Error>> {
    let parameters = Parameters::builder().send_overhead(130e-6).beta(50e-9).build()?;
    let machine = MachineSpec::new(network, topology::parse(network)?, parameters);
    let p = machine.nodes();
    let blocks: Vec<u64> = (0..p).map(|rank| if rank < sources { BYTES as u64 } else { 0 }).collect();
    let plan = algorithm.plan(&Task::builder(&machine, algorithm.operation()).blocks(blocks).build()?)?;

    let run = Machine::builder(machine).build()?.run(|node| {
        let my_id = node.rank();
        let mut result = vec![Payload::empty(); p];
        if my_id < sources {
            result[my_id] = Payload::from(vec![my_id as u8; BYTES]);
        }
        if algorithm == Algorithm::PIPELINED {
            pipelined(node.world(), sources, &mut result)?;
        } else {
            in_turn(node.world(), sources, &mut result)?;
        }
        for (source, x) in result.iter().enumerate().take(sources) {
            assert_eq!(x.to_vec::<u8>()?, [source as u8; BYTES]);
        }
        Ok(())
    })?;
    Ok((run.report.makespan, plan.prediction().modeled, plan.estimate()))
}

fn main() -> Result<(), MainError> {
    println!("{:<12}{:>30}{:>30}", "", "in turn, hypercube", "pipelined, ring");
    println!(
        "{:<12}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
        "sources", "program", "library", "equation", "program", "library", "equation"
    );
    for sources in SOURCES {
        let mut line = format!("{sources:<12}");
        for (network, algorithm) in [("hypercube:8", Algorithm::IN_TURN), ("ring:8", Algorithm::PIPELINED)] {
            let (program, library, equation) = broadcasts(network, algorithm, sources)?;
            for time in [program.to_string(), library.to_string(), equation.to_string()] {
                line += &format!("{time:>10}");
            }
        }
        println!("{line}");
    }
    Ok(())
}
