//! Example 28: one program on every network.
//!
//! Sixteen nodes add up a vector of 1000 numbers: in step i each exchanges its sum so far with the node whose label
//! differs in bit i, so that after four steps all have the sum of all. The program does not know what it runs on. On a
//! hypercube every exchange is between neighbours; elsewhere messages share links, and the table shows the link that
//! most of them had to share, and what that costs: four transfers of 8000 bytes are 4 (130 us + 400 us) = 2.12 ms.
//!
//! In the tree all eight messages of the last step go through the root, one link up and one down. A fat tree has
//! wider links further up, as the Connection Machine CM-5 had. A Clos network has as many links up as nodes, a dragonfly one
//! from each group to each, and in a cluster two nodes of a server share a network adapter.
//!
//! Run it with `cargo run --release --example 28_topologies`.

use std::error::Error;

use multicomputer::{Run, model::MachineSpec, prelude::*};

/// Sixteen nodes each.
pub const NETWORKS: [&str; 13] = [
    "line:16",
    "ring:16",
    "mesh:4x4",
    "torus:4x4",
    "mesh:2x2x4",
    "torus:2x2x4",
    "hypercube:16",
    "tree:16",
    "fat-tree:16",
    "clos:16:8",
    "dragonfly:4x2x2",
    "cluster:4x2:40,20:clos:8:8",
    "complete:16",
];

/// Numbers in a vector.
pub const LENGTH: usize = 1000;

/// The sum of all, on every node.
pub fn sum_of_all(network: &str) -> Result<Run<Vec<f64>>, Box<dyn Error>> {
    let run = Machine::builder(network.parse()?).build()?.run(|node| {
        let (world, my_id) = (node.world(), node.rank());
        let mut sum: Vec<f64> = (0..LENGTH).map(|j| (my_id * j) as f64).collect();
        for i in 0..world.size().ilog2() {
            let partner = my_id ^ 1 << i;
            world.send(partner, &sum[..])?;
            let other = world.recv(partner)?.to_vec::<f64>()?;
            sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        }
        Ok(sum)
    })?;
    Ok(run)
}

/// The most messages that shared a link at one time, and the first link where that was so.
pub fn most_shared<T>(run: &Run<T>) -> (u32, String) {
    let links = run.report.links.iter().map(|link| (link.load.most_flows, link.link.to_string()));
    links.reduce(|most, next| if next.0 > most.0 { next } else { most }).unwrap_or_default()
}

/// Links, and the length of the longest route.
pub fn size_of(network: &str) -> Result<(usize, usize), Box<dyn Error>> {
    let machine: MachineSpec = network.parse()?;
    let topology = machine.topology();
    let mut route = Vec::new();
    let mut longest = 0;
    for from in 0..topology.nodes() {
        for to in 0..topology.nodes() {
            route.clear();
            topology.route(from, to, &mut route);
            longest = longest.max(route.len());
        }
    }
    Ok((topology.links(), longest))
}

fn main() -> Result<(), MainError> {
    println!("{:<27}{:>6}{:>9}{:>10}   shared by", "", "links", "longest", "modeled");
    for network in NETWORKS {
        let (links, longest) = size_of(network)?;
        let run = sum_of_all(network)?;
        let (messages, link) = most_shared(&run);
        let modeled = run.report.makespan.to_string();
        println!("{network:<27}{links:>6}{longest:>9}{modeled:>10}   {messages:>2}, on {link}");
    }
    Ok(())
}
