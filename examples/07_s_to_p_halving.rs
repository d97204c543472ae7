//! Example 7: s-to-p broadcasting by recursive halving, where the places of the sources decide.
//!
//! 30 nodes of a 10 x 10 Paragon have a message of 2 KiB each, and all 100 nodes are to have all 30 messages. Three
//! algorithms double what is known in every iteration: *Br_Lin* on a line through all nodes, *Br_xy_source* and
//! *Br_xy_dim* within rows and columns. The time depends on two quantities: how fast the number of nodes grows that
//! have anything to send, and how slowly the messages do. Three full rows are easy for *Br_xy_source*, which takes the
//! columns first; *Br_xy_dim* looks at the shape alone, takes the rows first, and has 20 KiB at every source after four
//! iterations. A cross is difficult for both, and *Br_Lin* is the fastest.
//!
//! Run it with `cargo run --release --example 07_s_to_p_halving`. Next: `08_s_to_p_two_operations`.

use std::error::Error;

use multicomputer::{
    Machine, Payload, Run,
    error::MainError,
    s_to_p::{Algorithm, Distribution, Instance, Plan, picture},
};

/// The three algorithms.
pub const HALVINGS: [Algorithm; 3] = [Algorithm::BR_LIN, Algorithm::BR_XY_SOURCE, Algorithm::BR_XY_DIM];

/// Broadcasts 2 KiB from each of 30 nodes; every node returns the sum of all bytes.
pub fn broadcast(
    algorithm: &Algorithm,
    distribution: &Distribution,
) -> Result<(Plan, Run<u64>), Box<dyn Error>> {
    let machine = Machine::paragon(10, 10).build()?;
    let grid = machine.spec().topology().grid().ok_or("a mesh has rows and columns")?;
    let sources = distribution.place(grid, 30)?;
    let instance = Instance::new(machine.spec(), &sources, &[2048; 30])?;
    let plan = algorithm.plan(&instance)?;
    let run = machine.run(|node| {
        let mine = sources.contains(&node.rank()).then(|| Payload::from(vec![node.rank() as u8; 2048]));
        let messages = plan.broadcast(node.world(), mine)?;
        let bytes = Payload::concat(messages).to_bytes()?;
        Ok(bytes.iter().map(|&byte| u64::from(byte)).sum())
    })?;
    Ok((plan, run))
}

fn main() -> Result<(), MainError> {
    for distribution in [Distribution::Row, Distribution::Cross] {
        for (nth, algorithm) in HALVINGS.into_iter().enumerate() {
            let (plan, run) = broadcast(&algorithm, &distribution)?;
            if nth == 0 {
                println!("{distribution}\n{}", picture(plan.instance().grid(), plan.instance().sources()));
            }
            let growth = plan.growth();
            println!("{algorithm}: {}", run.report.makespan);
            let after = |iteration| {
                format!("{} have {} K", growth.active_after(iteration), growth.longest_after(iteration) >> 10)
            };
            println!("  {}", (0..=growth.iterations()).map(after).collect::<Vec<_>>().join(", "));
        }
        println!();
    }
    Ok(())
}
