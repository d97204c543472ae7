//! Example 24: all-to-all broadcast and reduction on a ring, as the textbook writes them (algorithms 4.4 and
//! 4.5).
//!
//! Everybody sends to the right and receives from the left, p - 1 times: (t_s + t_w m) (p - 1), for any p. In the
//! broadcast a node passes on what has come last. In the reduction what comes is the sum for some node j so far, to
//! which it adds its own contribution for j; messages go to the left there.
//!
//! On a linear array the last node's messages go back over all links, in the direction that nobody else uses. So it
//! takes as long as a ring. To send both ways at once instead, so that no message goes further than to a neighbour,
//! takes longer: a node has one port for the two messages.
//!
//! Run it with `cargo run --release --example 24_textbook_ring`. Next: `25_textbook_hypercube`.

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

/// Any number of nodes will do.
pub const NETWORKS: [&str; 3] = ["ring:8", "ring:13", "line:13"];

/// Numbers in a message, of eight bytes each.
pub const WORDS: usize = 100;

/// Algorithm 4.4, line by line; what has come from each node.
fn all_to_all_bc_ring(node: &Node<'_>, my_msg: Vec<u64>) -> Result<Vec<Vec<u64>>, Failure> {
    let (world, my_id, p) = (node.world(), node.rank(), node.size());
    let left = (my_id + p - 1) % p;
    let right = (my_id + 1) % p;
    let mut result = vec![Vec::new(); p];
    let mut msg = my_msg.clone();
    result[my_id] = my_msg;
    for i in 1..p {
        world.send(right, msg)?;
        msg = world.recv(left)?.to_vec()?;
        result[(my_id + p - i) % p] = msg.clone();
    }
    Ok(result)
}

/// Algorithm 4.5, line by line: `msg[j]` is for node j.
fn all_to_all_red_ring(node: &Node<'_>, msg: &[Vec<u64>]) -> Result<Vec<u64>, Failure> {
    let (world, my_id, p) = (node.world(), node.rank(), node.size());
    let left = (my_id + p - 1) % p;
    let right = (my_id + 1) % p;
    let add =
        |own: &[u64], recv: Vec<u64>| -> Vec<u64> { own.iter().zip(recv).map(|(a, b)| a + b).collect() };
    let gamma = node.machine().parameters().combining(WORDS as u64);
    let mut recv = vec![0; WORDS];
    for i in 1..p {
        let j = (my_id + i) % p;
        let temp = add(&msg[j], recv);
        if i > 1 {
            node.compute(gamma)?; // The first time there is nothing to add.
        }
        world.send(left, temp)?;
        recv = world.recv(right)?.to_vec()?;
    }
    node.compute(gamma)?;
    Ok(add(&msg[my_id], recv))
}

/// What a node has for another one.
pub fn message(from: Rank, to: Rank) -> Vec<u64> {
    (0..WORDS).map(|word| (1000 * from + 10 * to + word) as u64).collect()
}

/// What the program takes, if there is one above, the library's plan and the equation.
pub type Times = (Option<Time>, Time, Span);

/// All to all on a network.
pub fn all_to_all(network: &str, algorithm: Algorithm) -> Result<Times, Box<dyn Error>> {
    let parameters = Parameters::hockney().to_builder().gamma(120e-9).build()?;
    let machine = MachineSpec::new(network, topology::parse(network)?, parameters);
    let p = machine.nodes();
    let words = vec![WORDS as u64; p];
    let plan = algorithm
        .plan(&Task::builder(&machine, algorithm.operation()).blocks(words).element_bytes(8).build()?)?;
    let machine = Machine::builder(machine).build()?;
    let program = match algorithm.name() {
        "4.4" => {
            let run = machine.run(|node| all_to_all_bc_ring(node, message(node.rank(), 0)))?;
            let all: Vec<_> = (0..p).map(|from| message(from, 0)).collect();
            assert!(run.outputs.iter().all(|result| *result == all));
            Some(run.report.makespan)
        }
        "4.5" => {
            let run = machine.run(|node| {
                let msg: Vec<Vec<u64>> = (0..p).map(|to| message(node.rank(), to)).collect();
                all_to_all_red_ring(node, &msg)
            })?;
            for (to, result) in run.outputs.iter().enumerate() {
                let sum = |word: usize| (0..p).map(|from| message(from, to)[word]).sum::<u64>();
                assert_eq!(*result, (0..WORDS).map(sum).collect::<Vec<_>>());
            }
            Some(run.report.makespan)
        }
        _ => None,
    };
    Ok((program, plan.prediction().modeled, plan.estimate()))
}

fn main() -> Result<(), MainError> {
    println!("{:<28}{:>11}{:>11}{:>11}", "", "program", "library", "equation");
    for network in NETWORKS {
        for algorithm in [Algorithm::RING_ALL_TO_ALL, Algorithm::RING_REDUCTION, Algorithm::LINE_ALL_TO_ALL] {
            let (program, library, equation) = all_to_all(network, algorithm)?;
            let program = program.map_or("-".to_owned(), |time| time.to_string());
            let (library, equation) = (library.to_string(), equation.to_string());
            println!("{network:<12}{:<16}{program:>11}{library:>11}{equation:>11}", algorithm.name());
        }
    }
    Ok(())
}
