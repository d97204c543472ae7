//! Example 8: s-to-p broadcasting out of operations that a library has anyway, and what that costs.
//!
//! An all-to-all exchange in exclusive-or permutations (*Xor*) makes every source send to every node itself: few on a
//! small machine, far too many on a large one. Gathering everything at node 0 and broadcasting it from there (*2-Step*)
//! sends few messages, but they queue at node 0, and all of them travel as one in every iteration of the second step.
//! *Br_Lin* combines messages where they meet.
//!
//! Run it with `cargo run --release --example 08_s_to_p_two_operations`. Next: `09_s_to_p_repositioning`.

use std::error::Error;

use multicomputer::{
    Machine, Payload,
    error::MainError,
    report::RunReport,
    s_to_p::{Algorithm, Distribution, Instance},
};

/// The algorithms compared.
pub const ALGORITHMS: [Algorithm; 3] = [Algorithm::XOR, Algorithm::TWO_STEP, Algorithm::BR_LIN];

/// Broadcasts 1 KiB from each of `sources` nodes of a Paragon of `side` x `side`. The messages are phantom: they have a
/// length, which is all that the timing needs.
pub fn broadcast(algorithm: &Algorithm, side: usize, sources: usize) -> Result<RunReport, Box<dyn Error>> {
    let machine = Machine::paragon(side, side).build()?;
    let grid = machine.spec().topology().grid().ok_or("a mesh has rows and columns")?;
    let sources = Distribution::RightDiagonal.place(grid, sources)?;
    let instance = Instance::new(machine.spec(), &sources, &vec![1024; sources.len()])?;
    let plan = algorithm.plan(&instance)?;
    let run = machine.run(|node| {
        let mine = sources.contains(&node.rank()).then(|| Payload::phantom(1024));
        plan.broadcast(node.world(), mine)?;
        Ok(())
    })?;
    Ok(run.report)
}

fn main() -> Result<(), MainError> {
    for side in [2, 4, 8] {
        println!("{side} x {side}, {side} sources on the diagonal");
        for algorithm in ALGORITHMS {
            let report = broadcast(&algorithm, side, side)?;
            println!("  {:<8}{:>14} {:>6} messages", algorithm, report.makespan, report.messages);
        }
    }
    Ok(())
}
