//! Example 10: s-to-p broadcasting with the schedule that is the fastest for the machine, the sources and the
//! lengths.
//!
//! All nodes know where the sources are and how long the messages are, so each can predict what any schedule takes, and
//! all choose the same one without a word. *Auto* predicts every algorithm of the papers and those beyond them. Here
//! twelve nodes of a 7 x 13 Paragon have messages of different lengths; the choice changes with the lengths. The lower
//! bound says how much is left to gain.
//!
//! Run it with `cargo run --release --example 10_s_to_p_auto`. Next: `11_nx_style`.

use std::error::Error;

use multicomputer::{
    Machine, Payload, Run,
    error::MainError,
    s_to_p::{Algorithm, Distribution, Instance, Plan},
};

/// Source `k` of twelve has `k + 1` times `unit` bytes.
pub fn instance(machine: &Machine, unit: u64) -> Result<Instance, Box<dyn Error>> {
    let grid = machine.spec().topology().grid().ok_or("a mesh has rows and columns")?;
    let sources = Distribution::Random { seed: 7 }.place(grid, 12)?;
    let lengths: Vec<u64> = (1..=12).map(|factor| factor * unit).collect();
    Ok(Instance::new(machine.spec(), &sources, &lengths)?)
}

/// Runs a plan; every node returns the number of bytes that it has in the end.
pub fn broadcast(machine: &Machine, plan: &Plan) -> Result<Run<u64>, Box<dyn Error>> {
    let instance = plan.instance();
    let run = machine.run(|node| {
        let source = instance.sources().iter().position(|&source| source == node.rank());
        let mine = source.map(|source| Payload::from(vec![1_u8; instance.lengths()[source] as usize]));
        let messages = plan.broadcast(node.world(), mine)?;
        Ok(messages.iter().map(Payload::len).sum())
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    let machine = Machine::paragon(7, 13).build()?;
    for unit in [0, 100, 1000, 10_000] {
        let instance = instance(&machine, unit)?;
        let bound = instance.lower_bound().time();
        let papers = Algorithm::PAPER.iter().map(|algorithm| algorithm.plan(&instance));
        let papers = papers.collect::<Result<Vec<_>, _>>()?;
        let best = papers.iter().min_by_key(|plan| plan.prediction().modeled).ok_or("there are some")?;
        let auto = Algorithm::AUTO.plan(&instance)?;
        let run = broadcast(&machine, &auto)?;
        println!("{} to {} bytes: at least {bound}", unit, 12 * unit);
        println!("  best of the papers: {} with {}", best.prediction().modeled, best.algorithm());
        println!("  auto: {} with {} ({})", run.report.makespan, auto.algorithm(), auto.variant());
    }
    Ok(())
}
