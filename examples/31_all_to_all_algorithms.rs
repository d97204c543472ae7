//! Example 31: all algorithms for many-to-many communication, on one matrix.
//!
//! On a Connection Machine of 32 nodes every node sends 256 KiB to four others, most of it to one of them. That is what
//! the paper on these algorithms measured with: `k` receivers, traffic `t`, and non-uniformity `l`.
//!
//! What an algorithm takes is predicted, without a thread, and exactly. What random scheduling takes is only known
//! when it has run. The fastest is run with data, and every byte is checked.
//!
//! Run it with `cargo run --release --example 31_all_to_all_algorithms`.

use std::error::Error;

use multicomputer::{
    Payload,
    all_to_all::{Algorithm, Generator, Instance, Plan},
    plan::PlanError,
    prelude::*,
};

/// Who has how much for whom.
pub const MATRIX: Generator =
    Generator { nodes: 32, fan_out: 4, traffic: 256 << 10, nonuniformity: 0.25, seed: 1 };

/// The exchange: a machine and a matrix.
pub fn instance(machine: &Machine) -> Result<Instance, Box<dyn Error>> {
    Ok(Instance::new(machine.spec(), MATRIX.matrix()?)?)
}

/// What an algorithm takes, and its plan; `None` if it does not work for the matrix.
pub fn planned(
    machine: &Machine,
    instance: &Instance,
    algorithm: &Algorithm,
) -> Result<Option<(Span, Plan)>, Box<dyn Error>> {
    let plan = match algorithm.plan(instance) {
        Err(PlanError::Restricted { .. }) => return Ok(None),
        plan => plan?,
    };
    let modeled = match plan.prediction() {
        Some(prediction) => prediction.modeled,
        None => run(machine, &plan, Payload::phantom)?,
    };
    Ok(Some((modeled.since_start(), plan)))
}

/// Carries a plan out, with what makes a message of so many bytes. Nodes compare what comes with what they would have
/// sent.
pub fn run(machine: &Machine, plan: &Plan, data: fn(u64) -> Payload) -> Result<Time, Box<dyn Error>> {
    let matrix = plan.instance().matrix();
    let run = machine.run(|node| {
        let outgoing = matrix.row(node.rank()).iter().map(|&bytes| data(bytes)).collect();
        let incoming = plan.carry_out(node.world(), outgoing)?;
        for (came, bytes) in incoming.into_iter().zip(matrix.column(node.rank())) {
            assert_eq!(came.len(), bytes);
            assert!(came.is_phantom() || came.to_vec::<u8>()? == data(bytes).to_vec::<u8>()?);
        }
        Ok(())
    })?;
    Ok(run.report.makespan)
}

/// Bytes that are not all the same.
pub fn bytes(length: u64) -> Payload {
    Payload::from((0..length).map(|at| (at ^ length) as u8).collect::<Vec<u8>>())
}

fn main() -> Result<(), MainError> {
    let machine = Machine::cm5(32).build()?;
    let instance = instance(&machine)?;
    print!("{}\n{}\n", instance.matrix().figures(), instance.matrix().picture());

    let bound = instance.lower_bound();
    let mut fastest: Option<(Span, Plan)> = None;
    println!("{:<10} {:>15} {:>7}  as", "", "modeled", "/ bound");
    for algorithm in Algorithm::ALL {
        let Some((modeled, plan)) = planned(&machine, &instance, algorithm)? else {
            println!("{:<10} {:>15} {:>7}  messages are not of one length", algorithm.name(), "-", "-");
            continue;
        };
        let ratio = bound.ratio(modeled).unwrap_or(1.0);
        println!("{:<10} {modeled:>15} {ratio:7.2}  {}", algorithm.name(), plan.name());
        if fastest.as_ref().is_none_or(|&(least, _)| modeled < least) {
            fastest = Some((modeled, plan));
        }
    }
    if let Some((_, plan)) = fastest {
        println!("{}, with data: {}", plan.name(), run(&machine, &plan, bytes)?);
    }
    Ok(())
}
