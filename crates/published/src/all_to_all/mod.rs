//! Many-to-many communication on a CM-5 of 32 nodes.
//!
//! The available copy of the paper lacks figures 9 and 10, except for their description in the text. Times of random
//! scheduling are taken from runs, because they cannot be predicted; all other times are predictions.

mod bounds;
mod measured;
mod packets;
mod scheduled;

use std::sync::Arc;

use multicomputer::{
    Machine, Payload, Span, Time,
    all_to_all::{Algorithm, Generator, Instance, Matrix, Plan},
    comm::ACTIVE_BYTES,
    model::{MachineSpec, Parameters},
    topology,
};

use super::{Axis, Chart, Claim, Job, Outcome, Paper, Series, Value, least, machine, most};

/// The jobs of the paper.
pub(super) const JOBS: &[Job] = &[
    bounds::FIGURE_1,
    bounds::PARAMETERS,
    bounds::BOUNDS,
    scheduled::SCHEDULED,
    measured::FIGURE_9,
    measured::FIGURE_10,
    measured::SECTION_7,
];

/// Number of nodes of the CM-5.
const NODES: usize = 32;

fn cm5() -> MachineSpec {
    machine("cm5:32")
}

/// Returns a complete network with the CM-5's parameters: mu is the same for all pairs and independent of other traffic.
fn ideal(nodes: usize) -> MachineSpec {
    let topology = topology::parse(&format!("complete:{nodes}")).expect("there are complete networks");
    MachineSpec::new("ideal", topology, Parameters::cm5())
}

fn generated(fan_out: usize, nonuniformity: f64, traffic: u64, seed: u64) -> Arc<Matrix> {
    let generator = Generator { nodes: NODES, fan_out, traffic, nonuniformity, seed };
    Arc::new(generator.matrix().expect("the figures of the paper are possible"))
}

/// Figure 9: 31/32 of the traffic of each node goes to one of the 32 nodes.
fn figure_9(traffic: u64, seed: u64) -> Arc<Matrix> {
    generated(32, 1.0 / 32.0, traffic, seed)
}

/// Figure 10: two messages of equal length per node.
fn figure_10(traffic: u64, seed: u64) -> Arc<Matrix> {
    generated(2, 0.5, traffic, seed)
}

/// Returns the modeled end time of a plan: the prediction, or, if the plan cannot be predicted, the time of a run. Jobs
/// with plans of the second kind declare [`NODES`] threads.
fn modeled(plan: &Plan, instance: &Instance) -> Time {
    if let Some(prediction) = plan.prediction() {
        return prediction.modeled;
    }
    let machine =
        Machine::builder(instance.machine().clone()).build().expect("the host has the threads of the job");
    let run = machine.run(|node| {
        let row = instance.matrix().row(node.rank()).iter();
        plan.carry_out(node.world(), row.map(|&bytes| Payload::phantom(bytes)).collect())?;
        Ok(())
    });
    run.expect("an exchange ends").report.makespan
}

/// Returns the time of an algorithm in seconds.
fn seconds(machine: &MachineSpec, matrix: &Arc<Matrix>, algorithm: Algorithm) -> f64 {
    let instance = Instance::new(machine, matrix.clone()).expect("the matrix is of the machine's size");
    let plan = algorithm.plan(&instance).expect("the algorithm takes any matrix");
    modeled(&plan, &instance).since_start().as_secs_f64()
}

/// Returns `2 t mu` in seconds, for t bytes of traffic and the CM-5's mu of 125 ns per byte.
fn two_t_mu(traffic: u64) -> f64 {
    2.0 * traffic as f64 * 125e-9
}
