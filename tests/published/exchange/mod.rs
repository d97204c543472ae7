//! Many-to-many communication on a CM-5 of 32 nodes: the paper of Ranka, Shankar and Alsabti, and `docs/exchange.md`.

mod claims;
mod document;

use std::sync::Arc;

use multicomputer::{
    Machine, Payload, Time,
    exchange::{Generator, Instance, Matrix, Plan},
    model::{Description, Parameters},
    topology,
};

/// Nodes of the CM-5.
const NODES: usize = 32;

fn cm5() -> Description {
    "cm5:32".parse().unwrap()
}

/// A network in which mu is the same for all pairs, whoever else sends, with the CM-5's parameters.
fn ideal(nodes: usize) -> Description {
    Description::new("ideal", topology::parse(&format!("complete:{nodes}")).unwrap(), Parameters::cm5())
}

fn generated(nodes: usize, fan_out: usize, nonuniformity: f64, traffic: u64, seed: u64) -> Arc<Matrix> {
    Arc::new(Generator { nodes, fan_out, traffic, nonuniformity, seed }.matrix().unwrap())
}

/// Figure 9: 31/32 of the traffic of each node goes to one of 32.
fn figure_9(traffic: u64, seed: u64) -> Arc<Matrix> {
    generated(NODES, 32, 1.0 / 32.0, traffic, seed)
}

/// Figure 10: two messages of each node, equally long.
fn figure_10(traffic: u64, seed: u64) -> Arc<Matrix> {
    generated(NODES, 2, 0.5, traffic, seed)
}

/// When a plan is done; from a run if only that can tell.
fn modeled(plan: &Plan, instance: &Instance) -> Time {
    if let Some(prediction) = plan.prediction() {
        return prediction.modeled;
    }
    let machine = Machine::of(instance.machine().clone()).build().unwrap();
    let run = machine.run(|node| {
        let row = instance.matrix().row(node.rank()).iter();
        plan.carry_out(node.world(), row.map(|&bytes| Payload::phantom(bytes)).collect())?;
        Ok(())
    });
    run.unwrap().report.modeled
}
