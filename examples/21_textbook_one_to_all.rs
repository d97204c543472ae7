//! Example 21: one-to-all broadcast, as the textbook writes it (algorithms 4.1 and 4.2), on a ring, a hypercube
//! and a tree.
//!
//! The examples from here on are the procedures of Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing",
//! sections 4.1 and 4.2, with their names: `my_id`, `mask`, `partner`. What they take is printed beside the equation of
//! the book and beside the plan that the library makes for the same algorithm.
//!
//! Eight nodes; node 5 has 1000 bytes that all are to have. The naive source sends seven times. With recursive doubling
//! all that have the message send it on, in log2 8 = 3 steps, and it matters who comes first: if it is the nearest, as
//! in 0 -> 1, then 0 -> 2 and 1 -> 3, messages meet on links of the ring and at the switches of the tree. The farthest
//! first avoids that everywhere. Here a send takes as long as its message (o_s = alpha = 130 us), as in the book.
//!
//! Run it with `cargo run --release --example 21_textbook_one_to_all`. Next: `22_textbook_reduction`.

use std::error::Error;

use multicomputer::{
    Machine,
    collective::Task,
    error::CommError,
    model::{MachineSpec, Parameters},
    prelude::*,
    textbook::{Algorithm, Figure},
    topology,
};

/// The node that has the message.
pub const SOURCE: Rank = 5;

/// The networks: eight nodes each, d = 3.
pub const NETWORKS: [&str; 3] = ["ring:8", "hypercube:8", "tree:8"];

/// The algorithms, as the library calls them: 4.2 is 4.1 from any source.
pub const ALGORITHMS: [Algorithm; 3] =
    [Algorithm::NAIVE, Algorithm::NEAREST_FIRST, Algorithm::FROM_ANY_SOURCE];

/// Section 4.1.1: the source sends to one after the other.
fn naive(world: &Group<'_>, source: Rank, x: &mut Payload) -> Result<(), CommError> {
    let (my_id, p) = (world.rank(), world.size());
    if my_id == source {
        for distance in 1..p {
            world.send((source + distance) % p, x.clone())?;
        }
    } else {
        *x = world.recv(source)?.payload;
    }
    Ok(())
}

/// Section 4.1.1, what the book warns of: along the lowest dimension first.
fn nearest_first(world: &Group<'_>, d: u32, source: Rank, x: &mut Payload) -> Result<(), CommError> {
    let my_virtual_id = world.rank() ^ source;
    for i in 0..d {
        if my_virtual_id < 1 << i {
            let virtual_dest = my_virtual_id ^ 1 << i;
            world.send(virtual_dest ^ source, x.clone())?;
        } else if my_virtual_id < 2 << i {
            let virtual_source = my_virtual_id ^ 1 << i;
            *x = world.recv(virtual_source ^ source)?.payload;
        }
    }
    Ok(())
}

/// Algorithm 4.2, line by line; from source 0 it is algorithm 4.1.
fn general_one_to_all_bc(world: &Group<'_>, d: u32, source: Rank, x: &mut Payload) -> Result<(), CommError> {
    let my_virtual_id = world.rank() ^ source;
    let mut mask = (1 << d) - 1; // Set all d bits of mask to 1
    for i in (0..d).rev() {
        mask ^= 1 << i; // Set bit i of mask to 0
        if my_virtual_id & mask == 0 {
            if my_virtual_id & 1 << i == 0 {
                let virtual_dest = my_virtual_id ^ 1 << i;
                world.send(virtual_dest ^ source, x.clone())?;
            } else {
                let virtual_source = my_virtual_id ^ 1 << i;
                *x = world.recv(virtual_source ^ source)?.payload;
            }
        }
    }
    Ok(())
}

/// What a broadcast takes.
#[derive(Debug)]
pub struct Times {
    /// The program above.
    pub program: Time,
    /// The library's plan, without a run.
    pub library: Time,
    /// The equation: (p - 1) (t_s + t_w m), or (t_s + t_w m) log2 p.
    pub equation: Span,
    /// The most messages of one step that share a link.
    pub sharing: u64,
}

/// Broadcasts 1000 bytes on a network.
pub fn broadcast(network: &str, algorithm: Algorithm) -> Result<Times, Box<dyn Error>> {
    let parameters = Parameters::builder().send_overhead(130e-6).beta(50e-9).build()?;
    let machine = MachineSpec::new(network, topology::parse(network)?, parameters);
    let task = Task::builder(&machine, algorithm.operation()).root(SOURCE).elements(1000).build()?;
    let plan = algorithm.plan(&task)?;

    let run = Machine::builder(machine).build()?.run(|node| {
        let (world, d) = (node.world(), node.size().ilog2());
        let mut x = if node.rank() == SOURCE { Payload::from(vec![7_u8; 1000]) } else { Payload::empty() };
        match algorithm.name() {
            "naive" => naive(world, SOURCE, &mut x)?,
            "nearest-first" => nearest_first(world, d, SOURCE, &mut x)?,
            _ => general_one_to_all_bc(world, d, SOURCE, &mut x)?,
        }
        assert_eq!(x.to_vec::<u8>()?, [7; 1000]);
        Ok(())
    })?;

    let figure = Figure::of(&plan);
    let busiest = figure.steps().iter().filter_map(|step| step.busiest());
    Ok(Times {
        program: run.report.makespan,
        library: plan.prediction().modeled,
        equation: plan.estimate(),
        sharing: busiest.map(|link| link.messages).max().unwrap_or(0),
    })
}

fn main() -> Result<(), MainError> {
    for network in NETWORKS {
        println!("{network:<16}{:>10}{:>10}{:>10}   messages on a link", "program", "library", "equation");
        for algorithm in ALGORITHMS {
            let Times { program, library, equation, sharing } = broadcast(network, algorithm)?;
            let [program, library] = [program, library].map(|time| time.to_string());
            let equation = equation.to_string();
            println!("  {:<14}{program:>10}{library:>10}{equation:>10}   {sharing}", algorithm.name());
        }
    }
    Ok(())
}
