//! Example 23: on a mesh, dimension by dimension (section 4.1.2 and algorithm 4.6).
//!
//! ```text
//!     phase 1: a row            phase 2: all columns
//!     12  13  14  15            12  13  14  15
//!      8   9  10  11             8   9  10  11        A line of nodes does what an array does, in every
//!      4   5   6   7             4   5   6   7        dimension in turn. A mesh of three dimensions has
//!      0---1---2---3             0   1   2   3        a third phase, in all planes at once.
//! ```
//!
//! A one-to-all broadcast takes log2 c_i steps in dimension i, together log2 p, as on a ring; what is better on a mesh
//! is the all-to-all broadcast, whose start-ups are c_1 - 1 + c_2 - 1 + .. instead of p - 1.
//!
//! Run it with `cargo run --release --example 23_textbook_mesh`. Next: `24_textbook_ring`.

use std::error::Error;

use multicomputer::{collective::Task, error::Failure, model::MachineSpec, prelude::*, textbook::Algorithm};

/// Two and three dimensions.
pub const MESHES: [&str; 3] = ["mesh:4x4", "mesh:2x8", "mesh:2x2x4"];

/// Bytes of a message.
pub const BYTES: usize = 1000;

/// Algorithm 4.1 on the `c` nodes of a line, a power of two: the farthest first.
fn one_to_all_bc(line: &Group<'_>, x: &mut Payload) -> Result<(), Failure> {
    let (my_id, d) = (line.rank(), line.size().ilog2());
    let mut mask = (1 << d) - 1;
    for i in (0..d).rev() {
        mask ^= 1 << i;
        if my_id & mask == 0 {
            if my_id & 1 << i == 0 {
                line.send(my_id ^ 1 << i, x.clone())?;
            } else {
                *x = line.recv(my_id ^ 1 << i)?.payload;
            }
        }
    }
    Ok(())
}

/// A phase of algorithm 4.6, on any number of nodes: what all of a line have, in order.
fn all_to_all_bc(line: &Group<'_>, my_msg: Payload) -> Result<Payload, Failure> {
    let (my_id, c) = (line.rank(), line.size());
    let (left, right) = ((my_id + c - 1) % c, (my_id + 1) % c);
    let mut result = vec![Payload::empty(); c];
    let mut msg = my_msg;
    result[my_id] = msg.clone();
    for i in 1..c {
        line.send(right, msg)?;
        msg = line.recv(left)?.payload;
        result[(my_id + c - i) % c] = msg.clone();
    }
    Ok(Payload::concat(result))
}

/// The line of this node along each dimension, the last dimension first, and whether its first node has the message
/// when its turn comes.
fn lines<'n>(node: &Node<'n>) -> Result<Vec<(Group<'n>, bool)>, Failure> {
    let mut stride = 1;
    let mut lines = Vec::new();
    for extent in node.machine().topology().extents().into_iter().rev() {
        let without = |rank: Rank| rank - rank / stride % extent * stride;
        lines.push((node.world().split_by(without)?, node.rank() < stride * extent));
        stride *= extent;
    }
    Ok(lines)
}

/// What the program, the library's plan and the equation take.
pub type Times = (Time, Time, Span);

/// One message from node 0 to all, or one of each node to all.
pub fn on_mesh(network: &str, algorithm: Algorithm) -> Result<Times, Box<dyn Error>> {
    let machine: MachineSpec = network.parse()?;
    let is_one = algorithm == Algorithm::MESH_ONE_TO_ALL;
    let bytes = BYTES * if is_one { 1 } else { machine.nodes() };
    let plan =
        algorithm.plan(&Task::builder(&machine, algorithm.operation()).elements(bytes as u64).build()?)?;

    let run = Machine::builder(machine).build()?.run(|node| {
        let has = !is_one || node.rank() == 0;
        let mut x = if has { Payload::from(vec![node.rank() as u8; BYTES]) } else { Payload::empty() };
        for (line, is_reached) in lines(node)? {
            if !is_one {
                x = all_to_all_bc(&line, x)?;
            } else if is_reached {
                one_to_all_bc(&line, &mut x)?;
            }
        }
        let all = x.to_vec::<u8>()?;
        assert!(all.len() == bytes && all.chunks(BYTES).zip(0..).all(|(block, rank)| block == [rank; BYTES]));
        Ok(())
    })?;
    Ok((run.report.makespan, plan.prediction().modeled, plan.estimate()))
}

fn main() -> Result<(), MainError> {
    println!("{:<28}{:>10}{:>10}{:>10}", "", "program", "library", "equation");
    for network in MESHES {
        for algorithm in [Algorithm::MESH_ONE_TO_ALL, Algorithm::MESH_ALL_TO_ALL] {
            let (program, library, equation) = on_mesh(network, algorithm)?;
            let times = [program.to_string(), library.to_string(), equation.to_string()];
            let [program, library, equation] = times;
            println!("{network:<12}{:<16}{program:>10}{library:>10}{equation:>10}", algorithm.name());
        }
    }
    Ok(())
}
