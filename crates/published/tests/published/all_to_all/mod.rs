//! Many-to-many communication: the tables of `docs/all-to-all.md`, and *Auto*.

mod claims;
mod document;

use std::sync::Arc;

use multicomputer::{
    Machine, Payload, Time,
    all_to_all::{Generator, Instance, Matrix, Plan},
    model::MachineSpec,
};

fn cm5() -> MachineSpec {
    "cm5:32".parse().unwrap()
}

fn generated(nodes: usize, fan_out: usize, nonuniformity: f64, traffic: u64, seed: u64) -> Arc<Matrix> {
    Arc::new(Generator { nodes, fan_out, traffic, nonuniformity, seed }.matrix().unwrap())
}

/// When a plan is done; from a run if only that can tell.
fn modeled(plan: &Plan, instance: &Instance) -> Time {
    if let Some(prediction) = plan.prediction() {
        return prediction.modeled;
    }
    let machine = Machine::builder(instance.machine().clone()).build().unwrap();
    let run = machine.run(|node| {
        let row = instance.matrix().row(node.rank()).iter();
        plan.carry_out(node.world(), row.map(|&bytes| Payload::phantom(bytes)).collect())?;
        Ok(())
    });
    run.unwrap().report.makespan
}
