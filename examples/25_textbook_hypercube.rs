//! Example 25: all-to-all broadcast and reduction on a hypercube, as the textbook writes them (algorithms 4.7 and
//! 4.8), and what happens to them on a ring.
//!
//! In step i each node exchanges all that it has with the one whose label differs in bit i: log2 p start-ups, and in
//! all (p - 1) m words. On a ring the partner of the last step is half way round. "One of the links of the ring is
//! traversed by all four messages and would take four times as much time": the table shows the link. With links four
//! times as fast as nodes (k = 4) nothing is lost. The ring's own algorithm has more start-ups and no congestion; for
//! long messages it is as good as the hypercube.
//!
//! Run it with `cargo run --release --example 25_textbook_hypercube`. Next: `26_matrix_vector`.

use std::error::Error;

use multicomputer::{
    Machine,
    collective::Task,
    error::Failure,
    model::{MachineSpec, Parameters},
    prelude::*,
    textbook::{Algorithm, Figure},
    topology,
};

/// The network, and how much faster its links are than its nodes.
pub const NETWORKS: [(&str, f64); 5] =
    [("hypercube:8", 1.0), ("mesh:2x4", 1.0), ("ring:8", 1.0), ("line:8", 1.0), ("ring:8", 4.0)];

/// Bytes of a message.
pub const BYTES: usize = 1000;

/// Algorithm 4.7, line by line; what has come is put before or behind what is there, so that all is in order.
fn all_to_all_bc_hcube(world: &Group<'_>, my_msg: Payload, d: u32) -> Result<Payload, Failure> {
    let my_id = world.rank();
    let mut result = my_msg;
    for i in 0..d {
        let partner = my_id ^ 1 << i;
        world.send(partner, result.clone())?;
        let msg = world.recv(partner)?.payload;
        result = Payload::concat(if partner < my_id { [msg, result] } else { [result, msg] });
    }
    Ok(result)
}

/// Algorithm 4.8, line by line: a message of one byte, repeated, for each node; bytes are added.
fn all_to_all_red_hcube(world: &Group<'_>, mut msg: Vec<u8>, d: u32) -> Result<Vec<u8>, Failure> {
    let my_id = world.rank();
    let mut recloc = 0;
    for i in (0..d).rev() {
        let partner = my_id ^ 1 << i;
        let j = my_id & 1 << i;
        let k = (my_id ^ 1 << i) & 1 << i;
        let senloc = recloc + k;
        recloc += j;
        let words = |location: usize| location * BYTES..(location + (1 << i)) * BYTES;
        world.send(partner, &msg[words(senloc)])?;
        let temp = world.recv(partner)?.to_vec::<u8>()?;
        for (own, other) in msg[words(recloc)].iter_mut().zip(temp) {
            *own = own.wrapping_add(other);
        }
    }
    Ok(msg[my_id * BYTES..][..BYTES].to_vec())
}

/// What it takes, and where it is crowded.
#[derive(Debug)]
pub struct Found {
    /// The program above.
    pub program: Time,
    /// The library's plan.
    pub library: Time,
    /// Equation 4.4.
    pub equation: Span,
    /// Messages on the busiest link of each step.
    pub sharing: Vec<u64>,
    /// The link that carried the most bytes in the run, and the most messages at one time.
    pub link: String,
}

/// All to all on a network.
pub fn all_to_all(network: &str, excess: f64, algorithm: Algorithm) -> Result<Found, Box<dyn Error>> {
    let parameters = Parameters::hockney().to_builder().link_excess(excess).build()?;
    let machine = MachineSpec::new(network, topology::parse(network)?, parameters);
    let (p, d) = (machine.nodes(), machine.nodes().ilog2());
    let bytes = (p * BYTES) as u64;
    let plan = algorithm.plan(&Task::builder(&machine, algorithm.operation()).elements(bytes).build()?)?;

    let run = Machine::builder(machine).build()?.run(|node| {
        let (world, my_id) = (node.world(), node.rank());
        if algorithm == Algorithm::HYPERCUBE_ALL_TO_ALL {
            let all =
                all_to_all_bc_hcube(world, Payload::from(vec![my_id as u8; BYTES]), d)?.to_vec::<u8>()?;
            assert!(all.chunks(BYTES).zip(0..).all(|(block, rank)| block == [rank; BYTES]));
        } else {
            let msg = (0..p).flat_map(|to| vec![(10 * to + my_id) as u8; BYTES]).collect();
            let sum = (0..p).map(|from| (10 * my_id + from) as u8).fold(0, u8::wrapping_add);
            assert_eq!(all_to_all_red_hcube(world, msg, d)?, [sum; BYTES]);
        }
        Ok(())
    })?;

    let busiest = run.report.most_loaded_link().ok_or("nothing was sent")?;
    let sharing = |step: &multicomputer::textbook::Step| step.busiest().map_or(0, |link| link.messages);
    Ok(Found {
        program: run.report.makespan,
        library: plan.prediction().modeled,
        equation: plan.estimate(),
        sharing: Figure::of(&plan).steps().iter().map(sharing).collect(),
        link: format!("{}, {} at once", busiest.link, busiest.load.most_flows),
    })
}

fn main() -> Result<(), MainError> {
    for algorithm in [Algorithm::HYPERCUBE_ALL_TO_ALL, Algorithm::HYPERCUBE_REDUCTION] {
        println!("{algorithm}: {}", algorithm.about());
        for (network, k) in NETWORKS {
            let Found { program, library, equation, sharing, link } = all_to_all(network, k, algorithm)?;
            let [program, library, equation] =
                [program.to_string(), library.to_string(), equation.to_string()];
            println!("  {network:<12} k = {k} {program:>9}{library:>9}{equation:>9}  {sharing:?}  {link}");
        }
    }
    Ok(())
}
