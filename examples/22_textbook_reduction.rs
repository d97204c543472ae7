//! Example 22: all-to-one reduction, as the textbook writes it (algorithm 4.3).
//!
//! The broadcast of the last example turned around: first neighbours, then the nodes two apart, then those four apart.
//! After a step half of the nodes that were left have sent what they have, and the others have added it to their own.
//!
//! Any associative operation can be used in place of addition, for what comes is always that of the ranks behind one's
//! own. Here an element is a map x -> a x + b, and two maps are combined by doing one after the other. That is not
//! commutative, and the result is still that of rank 0, 1, 2, .. in turn.
//!
//! With gamma for each element combined the equation is (t_s + t_w m + gamma m) log2 p.
//!
//! Run it with `cargo run --release --example 22_textbook_reduction`. Next: `23_textbook_mesh`.

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

/// What it is run on.
pub const NETWORKS: [&str; 4] = ["ring:8", "line:8", "hypercube:8", "tree:8"];

/// Maps in a vector.
pub const LENGTH: usize = 500;

/// The map x -> a x + b, modulo 2^32.
pub type Map = [u32; 2];

/// First one map, then the other.
pub fn then([a, b]: Map, [c, d]: Map) -> Map {
    [a.wrapping_mul(c), c.wrapping_mul(b).wrapping_add(d)]
}

/// What a node has in the beginning.
pub fn maps(rank: Rank) -> Vec<Map> {
    (0..LENGTH as u32).map(|j| [2 * rank as u32 + 3, rank as u32 + j]).collect()
}

/// Algorithm 4.3, line by line, with `then` for the sum.
fn all_to_one_reduce(node: &Node<'_>, d: u32, x: &[Map]) -> Result<Vec<Map>, Failure> {
    let (world, my_id) = (node.world(), node.rank());
    let gamma = node.machine().parameters();
    let mut sum = x.to_vec();
    let mut mask = 0;
    for i in 0..d {
        // Select nodes whose lower i bits are 0
        if my_id & mask == 0 {
            if my_id & 1 << i != 0 {
                let msg_destination = my_id ^ 1 << i;
                world.send(msg_destination, &sum[..])?;
            } else {
                let msg_source = my_id ^ 1 << i;
                let x = world.recv(msg_source)?.to_vec::<Map>()?;
                for (sum, x) in sum.iter_mut().zip(x) {
                    *sum = then(*sum, x);
                }
                node.compute(gamma.combining(sum.len() as u64))?;
            }
        }
        mask ^= 1 << i; // Set bit i of mask to 1
    }
    Ok(sum)
}

/// What node 0 has in the end; what the program, the library's plan and the equation take.
pub type Found = (Vec<Map>, Time, Time, Span);

/// Reduces on a network.
pub fn reduce(network: &str) -> Result<Found, Box<dyn Error>> {
    let parameters = Parameters::hockney().to_builder().gamma(200e-9).build()?;
    let machine = MachineSpec::new(network, topology::parse(network)?, parameters);
    let algorithm = Algorithm::ALL_TO_ONE;
    let task = Task::builder(&machine, algorithm.operation()).in_order(true);
    let plan = algorithm.plan(&task.elements(LENGTH as u64).element_bytes(8).build()?)?;

    let machine = Machine::builder(machine).build()?;
    let mut run = machine.run(|node| all_to_one_reduce(node, node.size().ilog2(), &maps(node.rank())))?;
    Ok((run.outputs.swap_remove(0), run.report.makespan, plan.prediction().modeled, plan.estimate()))
}

fn main() -> Result<(), MainError> {
    println!("{:<16}{:>10}{:>10}{:>10}", "", "program", "library", "equation");
    for network in NETWORKS {
        let (sum, program, library, equation) = reduce(network)?;
        let [program, library, equation] = [program.to_string(), library.to_string(), equation.to_string()];
        println!(
            "{network:<16}{program:>10}{library:>10}{equation:>10}   x -> {} x + {}",
            sum[0][0], sum[0][1]
        );
    }
    Ok(())
}
