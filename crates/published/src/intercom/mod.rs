//! InterCom: collective operations, compared with formulas and with measurements.
//!
//! Formulas are compared on `hockney`, because it is the paper's model: `alpha + n beta`, full duplex, messages that
//! share links. Measurements are compared on `paragon`, with the preset's parameters. Times are predictions, which
//! equal the times of runs in virtual time; times of NX are taken from runs.

mod alternating;
mod edst;
mod figures;
mod formulas;
mod noise;
mod nx;
mod table_2;
mod table_3;

use multicomputer::{
    Span,
    collective::{Algorithm, Cost, Operation, Strategy, Task},
    model::{MachineSpec, Parameters},
    topology,
};

use super::{Axis, Chart, Claim, Job, Outcome, Paper, Series, Timed, Value, least, most, paragon, percent};

/// The jobs of the paper.
pub(super) const JOBS: &[Job] = &[
    figures::FIGURE_1,
    formulas::PRIMITIVES,
    formulas::CONFLICTS,
    table_2::TABLE_2,
    figures::FIGURE_2,
    formulas::ROWS_AND_COLUMNS,
    alternating::ALTERNATING,
    table_3::TABLE_3,
    figures::FIGURE_4,
    edst::EDST,
    noise::IRREGULAR,
];

/// Returns a machine with the parameters of `hockney`, except for links of `k` times the capacity of a port and `gamma`
/// seconds per element.
fn hockney(shape: &str, k: f64, gamma: f64) -> MachineSpec {
    let parameters = Parameters::hockney().to_builder().link_excess(k).gamma(gamma).build();
    network(shape, parameters.expect("links may be faster than ports"))
}

fn network(shape: &str, parameters: Parameters) -> MachineSpec {
    let topology = topology::parse(shape).expect("the network of a published result exists");
    MachineSpec::new(shape, topology, parameters)
}

/// Returns an operation with root 0 on `elements` elements of `element` bytes.
fn task(machine: &MachineSpec, operation: Operation, elements: u64, element: u64) -> Task {
    let task = Task::builder(machine, operation).elements(elements).element_bytes(element).build();
    task.expect("a published operation is one")
}

fn modeled(algorithm: &Algorithm, task: &Task) -> Span {
    let plan = algorithm.plan(task).expect("a published operation can be planned");
    plan.prediction().modeled.since_start()
}

fn strategy(operation: Operation, text: &str) -> Strategy {
    Strategy::parse(operation, text).expect("a published strategy is one")
}

/// Returns the closed-form cost of a strategy, and its modeled time.
fn cost_and_time(task: &Task, text: &str) -> (Cost, Span) {
    let strategy = strategy(task.operation(), text);
    (strategy.cost(task), modeled(&Algorithm::strategy(strategy), task))
}

fn log2_ceil(number: usize) -> f64 {
    f64::from(number.next_power_of_two().ilog2())
}

/// Returns the absolute difference of two times in nanoseconds.
fn apart(modeled: Span, formula: Span) -> f64 {
    modeled.as_picos().abs_diff(formula.as_picos()) as f64 / 1e3
}

/// Returns the ratio of two times.
fn ratio(modeled: Span, formula: Span) -> f64 {
    modeled.as_secs_f64() / formula.as_secs_f64()
}
